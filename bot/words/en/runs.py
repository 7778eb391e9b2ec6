"""Checkpoints, nudges, plans, verdicts and undo, in English."""

from __future__ import annotations

from bot.words.en.commands import turn_of

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
    return f"{line}; a review found nothing wrong" if line else "✓ a review found nothing wrong"


def wants_changes(what: str) -> str:
    return f"⚠ a review asks for changes: {what}"


def rejected(what: str) -> str:
    return f"✗ rejected by a review: {what}"


UNDO_RUNS = "A run is going on here. /stop it first, then /undo."
UNDO_NOTHING = "There is nothing to undo in this session."
UNDO_DO = "Undo this"
UNDO_STALE = "This list is out of date. Write /undo for a new one."
UNDO_DONE = "Undone; see below."


# -- verbosity ------------------------------------------------------------------------------------------------------
VERBOSITY_USAGE = "Write /verbosity quiet, /verbosity normal or /verbosity full."
VERBOSITY = {
    "quiet": "the card, answers and questions; no nudges, no checkpoints in between, no footer",
    "normal": "nudges that matter and checkpoints, too, without sound",
    "full": "every nudge, counted in place",
}


def verbosity_is(level: str) -> str:
    return f"Verbosity {level}: {VERBOSITY[level]}."


# -- card -----------------------------------------------------------------------------------------------------------
ENDS = {
    "answered": "✓ done",
    "unresolved": "⚠ unresolved",
    "blocked": "⚠ blocked",
    "stopped": "■ stopped",
    "limit": "⚠ at the limit",
    "failed": "✗ failed",
}
CALLS = {
    "shell": "shell",
    "jobs": "jobs",
    "read_file": "read file",
    "write_file": "write file",
    "edit_file": "edit file",
    "list_dir": "list dir",
    "search": "search",
    "plan": "plan",
    "task_complete": "task complete",
    "blocked": "blocked",
    "save_tool": "save tool",
    "delete_tool": "delete tool",
    "get_tool": "get tool",
    "list_tools": "list tools",
    "recent_sessions": "recent sessions",
    "session_log": "session log",
    "web_search": "web search",
    "web_fetch": "web fetch",
    "subagent": "subagent",
    "debate": "debate",
    "send_file": "send file",
}
OUTCOMES = {
    "ok": "ok",
    "answered_no": "answered no",
    "warned": "ok, with warnings",
    "failed": "failed",
    "timed_out": "timed out",
    "killed": "killed",
    "not_started": "not started",
    "bad_arguments": "bad arguments",
    "held": "held",
    "cancelled": "cancelled",
    "interrupted": "interrupted",
}
# What was done for the model: in a card these lines are counted.
NUDGES = {
    "nudge.failure": "explained a failure",
    "nudge.repeated": "pointed out a repeated error",
    "nudge.streak": "warned of failures in a row",
    "nudge.loop": "warned of going in circles",
    "nudge.shellwrite": "told it to use write_file",
    "stuck.halt": "told it that it is stuck",
    "job.ended": "told it that a job has ended",
    "sticky.surfaced": "reminded it of an open error",
    "gate.refused": "sent back a “done”",
    "gate.early": "asked it to check before “done”",
    "claims.unverified": "asked for proof of a claim",
    "critic.vote": "passed on a review",
    "drift.found": "showed it files that disagree",
    "worldstate.regenerated": "told it the state of the disk",
    "budget.notice": "told it what is left to spend",
    "budget.stop": "stopped it: budget used up",
    "tool.rejected": "refused a call",
    "guard.fault": "held a call: a check broke",
}


def outcome(name: str, exit_code: int | None) -> str:
    return f"exit {exit_code}" if exit_code else OUTCOMES.get(name, name)


def card_head(title: str, clock: str, turn: int, turns: int) -> str:
    # Where the line is too long for a phone, it breaks before the time.
    return f"{title} · {clock}\u00a0·\u00a0{turn_of(turn, turns)}"


def job_ended(job: str, name: str, exit_code: int | None) -> str:
    return f"✓ Background job {job} is done." if name == "ok" else f"✗ Background job {job}: {outcome(name, exit_code)}"


def subagent(turn: int) -> str:
    return f"… subagent: turn {turn}"


def nudge_line(event: str, count: int) -> str:
    times = f" ×{count}" if count > 1 else ""
    return f"⚠ {NUDGES.get(event, event)}{times}"
