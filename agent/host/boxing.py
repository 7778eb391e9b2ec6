"""What a command may do: the box that a sandboxed one gets, and the limits of each."""

from __future__ import annotations

import os
from dataclasses import dataclass

from agent.errors import ToolError
from agent.host.census import Limits
from agent.host.starting import Request
from agent.ports import Box, Command, Sandbox

# In the home folder of the user that we run as. Build tools' own settings (npm, pip) aren't among them.
CREDENTIALS = (
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".netrc", ".git-credentials", ".pypirc",
    ".config/gcloud", ".config/gh", ".docker/config.json", ".local/share/keyrings",
)  # fmt: skip
# Of a command that isn't boxed: what an administrator starts may be large and write large files, and when memory runs
# out the kernel takes it before us. Nothing that is meant has a thousand processes.
UNBOXED = Limits(processes=1024, tasks=4096)
THREADS = 8  # for each process of a box, on average


@dataclass(frozen=True, slots=True)
class Boxing:
    """How commands of a host are boxed. `hidden` are absolute paths, whether they exist or not."""

    sandbox: Sandbox | None
    hidden: tuple[str, ...]

    def request(self, command: Command, cwd: str, text: bytes, environment: tuple[bytes, ...]) -> Request:
        """What the keeper is asked to run for this command. Raises ToolError where it can't be boxed."""
        shell = (b"/bin/bash", b"-o", b"pipefail", b"-c", text, b"bash")
        if not command.box:
            return Request(os.fsencode(cwd), UNBOXED, False, shell, environment)
        if self.sandbox is None:
            raise ToolError("This command was to run in the sandbox, and none was set up. Nothing ran.")
        box = self.box(command, cwd)
        wrapped = self.sandbox.wrap([*map(os.fsdecode, shell)], box)
        limits = Limits(box.processes, box.processes * THREADS, box.memory_bytes, box.file_bytes)
        return Request(os.fsencode(cwd), limits, self.sandbox.confines, tuple(map(os.fsencode, wrapped)), environment)

    def failed(self, begun: bool, status: int, stderr: str) -> bool:
        """Whether the box itself could not be made, so that nothing of the command has run. A file that another
        process takes away while the box is mounted is enough for that."""
        complaint = self.sandbox.complaint if self.sandbox else ""
        return bool(complaint) and not begun and status != 0 and stderr.startswith(complaint)

    def box(self, command: Command, cwd: str) -> Box:
        return Box((command.workspace,), tuple(filter(os.path.lexists, self.hidden)), cwd, command.network)

    def excess(self, kind: str, command: Command) -> str:
        """A sentence about a command that outgrew its limits; "" for no kind."""
        box = self.box(command, command.cwd)
        processes = box.processes if command.box else UNBOXED.processes
        match kind:
            case "":
                return ""
            case "memory":
                return f"It used more than {box.memory_bytes / (1 << 30):g} GiB of memory: all of it was killed."
            case _:
                return f"It had too many {kind}, of {processes:,} processes allowed: all of it was killed."


def credentials(home: str) -> tuple[str, ...]:
    """Where the credentials of the user with that home folder would be."""
    return tuple(f"{home.rstrip('/')}/{name}" for name in CREDENTIALS)
