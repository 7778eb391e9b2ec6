"""What became of a command, in words: for the model with the ends of its streams, for the chat in a few."""

from __future__ import annotations

import signal
from typing import assert_never

from agent.ports import Job, Ran
from agent.steps import Outcome, Stream
from agent.tools._wording import printable

END = 2_000  # characters shown of the head and of the tail of a stream
SHOWN_SURVIVORS = 5

SIGNALLED = 128  # an exit status above it means that a signal ended a command (bash manual, "Exit Status")


def told(ran: Ran, limit: float) -> str:
    """The result as the model reads it: status line, streams, remarks. `limit` in seconds."""
    parts = [f"{status(ran, limit)} · {took(ran.duration)} · cwd {printable(ran.cwd)}", *streams(ran)]
    if ran.survivors:
        parts.append(f"[still running in the background: {survivors(ran)}; killed at the end of the run]")
    if ran.note:
        parts.append(f"[{ran.note}]")
    return "\n".join(parts)


def standing(job: Job, lines: int | None = None) -> str:
    """A background job as it stands: a line, its streams or the last `lines` of each, and remarks."""
    ran = job.ran
    parts = [f"{job.id}: {state(job)} · {took(ran.duration)} · cwd {printable(ran.cwd)}"]
    parts += streams(ran) if lines is None else _tails(ran, lines)
    if job.running and ran.exit_code is not None:
        parts.append(f"[its shell has ended, these go on: {survivors(ran)}]")
    return "\n".join([*parts, *(f"[{note}]" for note in (job.why, ran.note) if note)])


def state(job: Job) -> str:
    """Whether it runs, or how it ended."""
    return "running" if job.running else "ended early" if job.why else status(job.ran, None)


def _tails(ran: Ran, lines: int) -> list[str]:
    parts = []
    for name, stream in (("stdout", ran.stdout), ("stderr", ran.stderr)):
        kept = (stream.tail or stream.head).splitlines()
        shown = kept[-lines:]
        more = stream.tail or len(kept) > len(shown)
        where = next((f"; all of it: {path}" for path in ran.full if path.endswith(name[3:])), "")
        head = f"--- {name}, last {len(shown)} lines ({stream.size} bytes{where})" if more else f"--- {name}"
        parts += [f"{head}\n" + "\n".join(shown)] if stream.size else []
    return parts or ["(no output so far)"]


def streams(ran: Ran) -> list[str]:
    """Each stream that isn't empty, its middle left out where it is long."""
    both = (("stdout", ran.stdout), ("stderr", ran.stderr))
    return [_stream(name, stream, ran.full) for name, stream in both if stream.size] or ["(no output)"]


def survivors(ran: Ran) -> str:
    """The first few processes that it left behind."""
    more = len(ran.survivors) - SHOWN_SURVIVORS
    return ", ".join(ran.survivors[:SHOWN_SURVIVORS]) + (f" and {more} more" if more > 0 else "")


def status(ran: Ran, limit: float | None) -> str:
    """How it ended; `limit` in seconds, None where it isn't known."""
    match ran.outcome:
        case Outcome.TIMED_OUT:
            return f"timed out{'' if limit is None else f' after {limit:g} s'}; the whole process tree was killed"
        case Outcome.KILLED:
            return f"killed by {_signal(ran.signal)}"
        case Outcome.OK:
            return "ok, exit code 0"
        case Outcome.WARNED:
            return "exit code 0, but stderr looks like an error"
        case Outcome.ANSWERED_NO:
            return f"exit code {ran.exit_code}: the answer is no, not a failure"
        case Outcome.FAILED:
            return f"failed, exit code {ran.exit_code}{_meaning(ran.exit_code)}"
        case Outcome.NOT_STARTED | Outcome.BAD_ARGUMENTS | Outcome.HELD | Outcome.CANCELLED | Outcome.INTERRUPTED:
            return ran.outcome.value.replace("_", " ")
    assert_never(ran.outcome)


def _meaning(code: int | None) -> str:
    match code:
        case 127:
            return ": command not found"
        case 126:
            return ": found, but not executable"
        case int() if code > SIGNALLED:
            return f": a command in it was killed by {_signal(code - SIGNALLED)}"
        case _:
            return ""


def _signal(number: int | None) -> str:
    try:
        return f"signal {number} ({signal.Signals(number or 0).name})"
    except ValueError:
        return f"signal {number}" if number else "a signal"


def took(seconds: float) -> str:
    # Rounded, so that the same quick command gives the same text and a repetition is seen as one.
    return "under 1 s" if seconds < 1 else f"{seconds:.0f} s"


def brief(ran: Ran) -> str:
    match ran.outcome:
        case Outcome.TIMED_OUT:
            return "timed out"
        case Outcome.KILLED:
            return f"killed by {_signal(ran.signal)}"
        case _:
            return ran.outcome.value if ran.exit_code is None else f"exit {ran.exit_code}"


def _stream(name: str, stream: Stream, full: tuple[str, ...]) -> str:
    whole = stream.head if not stream.tail else None
    if whole is not None and len(whole) <= 2 * END:
        return f"--- {name}\n{whole.rstrip()}"
    head, tail = stream.head[:END], (stream.tail or stream.head)[-END:]
    omitted = max(1, stream.size - len((head + tail).encode("utf-8", "replace")))
    path = next((each for each in full if each.endswith(name[3:])), None)
    where = f"; full output: {path}" if path else "; see more of it with grep, head or tail"
    return f"--- {name} ({stream.size} bytes)\n{head}\n[... {omitted} bytes omitted{where} ...]\n{tail.rstrip()}"
