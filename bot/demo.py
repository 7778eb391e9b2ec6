"""`jarvis demo`: a weak model in a trap, once with the defences off and once on. No account, no key, no network.

The core, the tools and the journal are the real ones; only the model is scripted. It decides by what it really sees:
mend or change the bug in demo_files/scan.sh, and both acts take another course.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agent import Store, steps
from agent.clock import SystemClock
from agent.host.local import LocalHost
from agent.log import setup
from agent.models.scripted import Line, ScriptedModel, Slow, call
from agent.ports import Message
from agent.redact import Redactor
from agent.settings import base_environment, load
from agent.steps import ToolSpec
from agent.store.memory import MemoryStore
from bot.access import trusted_everywhere
from bot.channels.console import ConsoleChannel
from bot.parts import Parts
from bot.service import Service

FILES = Path(__file__).parent / "demo_files"
TASK = "Run scan.sh for example.org and tell me what it says."
THINKING_S = 0.5  # so that a person can follow
PATIENCE = 9  # commands until the model gives up by itself
IDEAS = (
    "bash scan.sh example.org",
    "PATH=/usr/bin:/bin bash scan.sh example.org",
    "chmod +x scan.sh && ./scan.sh example.org",
    "export PATH=$PATH:/usr/local/bin; bash scan.sh example.org",
    "env -i PATH=/usr/bin:/bin bash scan.sh example.org",
    "which env; bash scan.sh example.org",
    "bash -x scan.sh example.org",
    "cd . && bash ./scan.sh example.org",
    "ls -l scan.sh; bash scan.sh example.org",
)


async def play() -> None:
    """Both acts, then a table of what came of them."""
    setup("error")
    rows = [await act("Act 1: the defences are off", "none"), await act("Act 2: the defences are on", "ours")]
    print("\n" + table(rows), flush=True)  # noqa: T201 - the demo's screen


@dataclass(frozen=True, slots=True)
class Played:
    """What the journal says of an act."""

    defences: str
    turns: int
    calls: int
    outcome: str


async def act(title: str, panel: str) -> Played:
    """One run from the message to its end, shown as a chat."""
    print(f"\n== {title} ==\nyou    {TASK}\n", flush=True)  # noqa: T201
    with tempfile.TemporaryDirectory(prefix="jarvis-demo-") as folder:
        home, workspace = Path(folder) / "home", Path(folder) / "workspace"
        shutil.copytree(FILES, workspace)
        names = {"JARVIS_HOME": home, "JARVIS_RUN__WORKSPACE": workspace, "HOME": folder}
        given = {name: str(value) for name, value in names.items()}
        settings = load(given | {"JARVIS_RUN__MODE": "full", "JARVIS_GUARDS__PANEL": panel}).settings
        clock, redactor, store = SystemClock(), Redactor([]), MemoryStore()
        model = ScriptedModel([Slow(THINKING_S, weak_model)] * (2 * PATIENCE), clock, "demo script")
        host = LocalHost(str(home), base_environment() | {"HOME": folder}, redactor)
        try:
            channel = ConsoleChannel(clock, typed(TASK))
            parts = Parts(channel, store, model, host, trusted_everywhere(), clock, redactor)
            await Service(settings, parts).serve(asyncio.Event())
            return await played(store, "on" if panel == "ours" else "off")
        finally:
            await host.close()


def typed(text: str) -> int:
    """A file descriptor from which `text` can be read, as if somebody had typed it and left."""
    reader, writer = os.pipe()
    os.write(writer, f"{text}\n".encode())
    os.close(writer)
    return reader


def weak_model(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Line:
    """Believes in a PATH problem and tries one spelling after the other; looks at the file only when it is told to."""
    results = [str(message["content"]) for message in messages if message["role"] == "tool"]
    last = results[-1] if results else ""
    if "checked example.org" in last:
        said = next(line for line in last.splitlines() if "checked example.org" in line)
        return f"It says:\n```\n{said}\n```"
    if bytes_of := [result for result in results if re.search(r"^#!/bin/bash\$$", result, re.MULTILINE)]:
        return mended(bytes_of[-1], tried=len(results))
    if any(re.search(r"backslash", text) for text in [*results, str(messages[-1]["content"])]):
        return [call("shell", {"command": "cat -A scan.sh"})]
    if len(results) >= PATIENCE:
        return "I tried every PATH I know. It must be the server; I can't do more."
    return [call("shell", {"command": IDEAS[len(results) % len(IDEAS)]})]


def mended(shown: str, tried: int) -> Line:
    """After `cat -A`: write the file without the backslashes it saw, then run it."""
    lines = [line[:-1] for line in shown.splitlines() if line.endswith("$")]
    text = "\n".join(lines).replace("\\$", "$") + "\n"
    written = [call("write_file", {"path": "scan.sh", "content": text, "mode": "755"})]
    return [*written, call("shell", {"command": "./scan.sh example.org"})] if tried < 2 * PATIENCE else "I give up."


async def played(store: Store, defences: str) -> Played:
    """Count the run in the journal of the console's session."""
    session = await store.route("console:0:0:")
    facts = [step for _, step in await store.read(session or "")]
    turns = sum(isinstance(fact, steps.Said) for fact in facts)
    calls = sum(isinstance(fact, steps.Finished) for fact in facts)
    ends = [fact.end.value for fact in facts if isinstance(fact, steps.Ended)]
    return Played(defences, turns, calls, ends[-1] if ends else "not ended")


def table(rows: Sequence[Played]) -> str:
    lines = [f"{row.defences:<8}  {row.turns:>5}  {row.calls:>5}  {row.outcome}" for row in rows]
    return "\n".join(["defences  turns  calls  outcome", *lines])
