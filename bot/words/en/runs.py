"""Checkpoints, nudges, plans, verdicts and undo, in English."""

from __future__ import annotations

CONTINUE, STOP = "Continue", "Stop"
GO_ON = "Go on from the checkpoint."
GOES_ON = "Going on from this checkpoint."
PARTS = {
    "goal": "Goal",
    "done": "Done",
    "remaining": "Still to do",
    "errors": "Open",
    "failed": "Tried and failed",
    "facts": "Facts",
}


def checkpoint(number: int, turns: int, limit: int) -> str:
    return f"Checkpoint {number} · {turns} of {limit} turns used"


def shortened(number: int) -> str:
    return f"Checkpoint {number} · the conversation grew too long for the model; it goes on from here"


def part(name: str, text: str) -> str:
    return f"{PARTS[name]}: {text}"


def and_more(count: int) -> str:
    return f" … and {count} more"


def nudged(text: str, count: int) -> str:
    times = f" · {count}×" if count > 1 else ""
    return f"⚠ Told the model{times}: {text}"


NO_PLAN = "There is no plan in this session. The model keeps one for tasks of several steps."


def plan_head(done: int, total: int) -> str:
    return f"Plan: {done} of {total} done"


def plan_check(command: str, *, inferred: bool) -> str:
    return f"    check{' (inferred)' if inferred else ''}: {command}"


def plan_files(names: str, *, inferred: bool) -> str:
    return f"    files{' (inferred)' if inferred else ''}: {names}"


def verified(what: str) -> str:
    return f"✓ verified: {what}"


def unverified(what: str) -> str:
    return f"⚠ not verified: {what}"


def reviewed(line: str) -> str:
    return f"{line}; a review found nothing wrong"


def wants_changes(what: str) -> str:
    return f"⚠ a review asks for changes: {what}"


def rejected(what: str) -> str:
    return f"✗ rejected by a review: {what}"


UNDO_RUNS = "A run is going on here. /stop it first, then /undo."
UNDO_NOTHING = "There is nothing to undo in this session."
UNDO_DO = "Undo this"
UNDO_STALE = "This list is out of date. Write /undo for a new one."
UNDO_DONE = "Undone; see below."
