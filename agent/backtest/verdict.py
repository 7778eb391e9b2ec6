"""What became of a recorded call, and which part of its one output was stderr. No disk, no PIPESTATUS: text alone.

Of a call that complained, what stands from the complaint's first line on counts as stderr, and nothing where no line
has the shape of one: the first line of an output is not the first line of stderr. A viewed file may hold error text, so
a call that was fine has complained only where the shell or a program that the command names does so under its own name:
WARNED if the run itself reported exit 0, FAILED if whoever converted it only guessed so from the text.
"""

from __future__ import annotations

import re

from agent.backtest.runs import Recorded
from agent.backtest.sources import Act
from agent.outcome import ending, error_shaped
from agent.steps import Outcome, Stream

CUT = re.compile(r"\n?\.\.\.\[\d+ chars cut\]\.\.\.\n?")
NAMED = re.compile(r"^(?:\S{0,60}/)?([\w.+-]{1,40}): .{0,300}$", re.MULTILINE)
SHELLS = frozenset({"bash", "sh", "dash", "zsh"})
SHAPE = re.compile(
    r"^(?:Traceback \(most recent call last\)|[^\s:]{0,80}(?:Error|Exception)\b|(?:[Ee]rror|ERROR|fatal|Usage|usage)\b"
    r"|.{0,200}?(?:command not found|No such file or directory|[Pp]ermission denied|syntax error|cannot |unexpected EOF"
    r"|invalid option|missing argument|not found))",
    re.MULTILINE,
)


def outcome(recorded: Recorded, act: Act) -> Outcome:
    """The outcome: the source's word where it has one, else from the recorded flag, the command and the text."""
    if act.outcome is not None:
        return act.outcome
    if act.tool != "shell":
        return Outcome.OK if recorded.ok else Outcome.FAILED
    out, err = _parted(recorded, _complains(recorded, act))
    if recorded.ok and not recorded.reported:
        return Outcome.FAILED if err else Outcome.OK
    if not recorded.ok and not recorded.exit_code:
        return Outcome.FAILED
    return ending(act.value, (recorded.exit_code or 0) << 8, (), out, err).outcome


def streams(recorded: Recorded, act: Act, ended: Outcome) -> tuple[Stream, Stream]:
    """The recorded output as stdout and stderr. Equality goes by the hash of the whole: what was kept of it is cut."""
    complains = None if ended in (Outcome.OK, Outcome.ANSWERED_NO) else _complains(recorded, act)
    before, after = _parted(recorded, complains)
    if not after:
        return _stream(before, recorded.out_len, recorded.out_sha), Stream()
    size = len(before.encode())
    return _stream(before, size, recorded.out_sha), _stream(after, max(1, recorded.out_len - size), recorded.out_sha)


def _parted(recorded: Recorded, start: int | None) -> tuple[str, str]:
    """What was printed before a complaint, and from there on."""
    text = recorded.output
    return (text, "") if start is None else (text[:start], text[start:])


def _complains(recorded: Recorded, act: Act) -> int | None:
    """Where in the output something complains."""
    if recorded.ok and act.tool == "shell":
        return _complaint(act.value, recorded.output)
    found = SHAPE.search(recorded.output)
    return found.start() if found else None


def _complaint(command: str, output: str) -> int | None:
    for found in NAMED.finditer(output[:2_500]):
        name = found[1]
        if (name in SHELLS or name in command) and error_shaped(found[0]):
            return found.start()
    return None


def _stream(text: str, size: int, sha: str) -> Stream:
    if not text:
        return Stream()
    parts = CUT.split(text, 1)
    return Stream(head=parts[0], tail=parts[1] if len(parts) > 1 else "", size=size, sha256=sha)
