"""A run as guards see it, call by call: says what a model did and what came of it, and returns what the guards said."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from agent.outcome import ending
from agent.panel import Panel
from agent.ports import Guard
from agent.steps import (
    Asked,
    Call,
    Change,
    End,
    Ended,
    Finished,
    Handed,
    Level,
    Nudged,
    Opened,
    Outcome,
    Proposed,
    Said,
    Started,
    Step,
    Stream,
    ToolSpec,
)

SECONDS = 5.0  # between two steps
TOOLS = ("shell", "read_file", "write_file", "edit_file")
Files = tuple[Change, ...] | None


class Course:
    """One session with these guards on its panel. `nudges` are all that was said, `steps` the whole journal.

    A call that a guard holds gets the held text as its result, and `held` counts it. `at` is the wall time.
    """

    def __init__(self, *guards: Guard, tools: Sequence[str] = TOOLS, schema: str = "{}") -> None:
        self.panel = Panel(guards)
        self.steps: list[Step] = []
        self.nudges: list[Nudged] = []
        self.at, self.calls, self.held = 1000.0, 0, 0
        specs = tuple(ToolSpec(name, "", schema) for name in tools)
        self.step(Opened(at=0.0, prompt="", tools=specs, model="", panel="ours", day="", cwd="/w", nonce="n"))
        self.ask("do it")

    def step(self, step: Step) -> list[Nudged]:
        """Show one step; returns the nudges."""
        said = [each for each in self.panel.observe(step) if isinstance(each, Nudged)]
        assert not self.panel.faults, self.panel.faults[0].error
        self.steps += [step, *said]
        self.nudges += said
        return said

    def ask(self, text: str) -> list[Nudged]:
        """A person says something: a new run, or a word in between."""
        return self.step(Asked(at=self._now(), text=text, author="t:1"))

    def end(self) -> list[Nudged]:
        return self.step(Ended(at=self._now(), end=End.ANSWERED))

    def hand(self) -> list[Nudged]:
        """The context is replaced by a checkpoint."""
        return self.step(Handed(at=self._now(), checkpoint="{}", text=""))

    def reply(self, *calls: Call) -> list[Nudged]:
        """The model replies; each call must then be finished with `result`."""
        return self.step(Said(at=self._now(), text="", calls=calls))

    def shell(
        self, command: str, out: str = "", err: str = "", code: int = 0, *, files: Files = None, cwd: str | None = None
    ) -> list[Nudged]:
        """One shell command and what it printed; its outcome by the product's own rules."""
        outcome = ending(command, code << 8, (), out, err).outcome
        return self.call("shell", {"command": command}, outcome, code=code, out=out, err=err, files=files, cwd=cwd)

    def service(
        self, tool: str, arguments: object, text: str, outcome: Outcome = Outcome.OK, *, write: bool, files: Files = ()
    ) -> list[Nudged]:
        """One call of a tool that answers with a text."""
        return self.call(tool, arguments, outcome, text=text, write=write, files=files)

    def call(
        self,
        tool: str,
        arguments: object,
        outcome: Outcome,
        *,
        text: str = "",
        code: int | None = None,
        out: str | None = None,
        err: str | None = None,
        files: Files = None,
        write: bool = True,
        cwd: str | None = None,
    ) -> list[Nudged]:
        """One reply with one call, and its result."""
        call = self.made(tool, arguments)
        said = self.reply(call)
        if outcome is Outcome.BAD_ARGUMENTS:
            return said + self.step(
                Finished(at=self._now(), call_id=call.id, tool=tool, outcome=outcome, text=text, files=())
            )
        said += self.step(Proposed(at=self._now(), call=call, effect="write" if write else "read"))
        hold = next((each for each in said if each.level is Level.HOLD), None)
        if hold:
            self.held += 1
            finished = Finished(at=self._now(), call_id=call.id, tool=tool, outcome=Outcome.HELD, text=hold.text)
            return said + self.step(finished)
        said += self.step(Started(at=self._now(), call_id=call.id))
        shown = text or f"exit {code}\n{out or ''}{err or ''}"
        return said + self.step(
            Finished(
                at=self._now(), call_id=call.id, tool=tool, outcome=outcome, text=shown, exit_code=code, cwd=cwd,
                stdout=stream(out), stderr=stream(err), files=files,
            )
        )  # fmt: skip

    def made(self, tool: str, arguments: object) -> Call:
        self.calls += 1
        raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
        return Call(f"c{self.calls}", tool, raw)

    def bash(self, command: str, cwd: Path) -> list[Nudged]:
        """Run it for real."""
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=20,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(cwd)},
        )
        return self.shell(command, done.stdout, done.stderr, done.returncode)

    def said(self, *levels: Level, guard: str = "") -> list[Nudged]:
        """What was said, without the clearing of slots; of these levels, by this guard."""
        return [
            each
            for each in self.nudges
            if each.text and (not levels or each.level in levels) and guard in ("", each.guard)
        ]

    def _now(self) -> float:
        self.at += SECONDS
        return self.at


def stream(text: str | None) -> Stream | None:
    """A stream that printed this."""
    if text is None:
        return None
    raw = text.encode()
    return Stream(head=text, size=len(raw), sha256=sha256(raw).hexdigest() if raw else "")
