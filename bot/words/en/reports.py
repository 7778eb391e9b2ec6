"""Usage, the roster, undo and the footer, in English."""

from __future__ import annotations

# -- usage ----------------------------------------------------------------------------------------------------------
USAGE_HERE, USAGE_ALL, USAGE_YOURS = "Usage, this chat", "Usage, all chats", "Usage, yours"
BY_PERSON, BY_MODEL, ALL_CHATS, BUDGETS = "By person, 30 days", "By model, 30 days", "All chats", "Budgets"
YOU, UNKNOWN, COST_UNKNOWN = "you", "unknown", "cost unknown"
SPENDERS = {"critic": "reviews", "subagent": "sub-agents", "debate": "debates"}  # what asks a model by itself
NOTHING_SPENT = "Nothing was spent yet."
IN_PRIVATE = "yours: ask me in private"
PERIODS = {1: "Today", 7: "7 days", 30: "30 days"}
MEASURES = {"tokens": "tokens", "calls": "calls", "money": "money"}
BUDGET = {"run": "a run", "user_day": "you", "day": "all"}


def day_begins(zone: str) -> str:
    return f"A day begins at 00:00 {zone}."


def calls(figure: str, count: int) -> str:
    return f"{figure} call{'s' * (count != 1)}"


def in_and_out(prompt: str, cached: str, completion: str) -> str:
    return f"{prompt} in{f' ({cached} cached)' if cached else ''} · {completion} out"


def tokens_of(figure: str) -> str:
    return f"{figure} tokens"


def seconds_of_work(figure: float) -> str:
    return f"{figure:,.0f} s of work"


def and_unknown(cost: str) -> str:
    return f"{cost} + unknown"


def share_of(percent: str, measure: str) -> str:
    return f"{percent} of the {MEASURES.get(measure, measure)}"


def used_of(used: str, limit: str, percent: str) -> str:
    return f"{used} of {limit}, {percent}"


def and_more_lines(count: int) -> str:
    return f"… and {count} more"


# -- footer ---------------------------------------------------------------------------------------------------------
def files_changed(count: int) -> str:
    return f"{count} file{'s' * (count > 1)}" if count else ""


def commands_run(count: int) -> str:
    return f"{count} command{'s' * (count > 1)}" if count else ""


# -- roster ---------------------------------------------------------------------------------------------------------
ROSTER = "Who may talk to me"
ROLES = {"owner": "owner", "admin": "admin", "operator": "operator", "viewer": "viewer", "ignored": "ignored"}
BY_SETTINGS = "settings"
MAY_NOT, WAITS = "may not talk to me", "waits for your answer"
NOT_IN_FORCE = "not in force: the settings say otherwise"


def groups(chats: str) -> str:
    return f"Groups: {chats}"


def waiting_people(people: str) -> str:
    return f"Waiting for the owner: {people}"


def ignored_people(people: str) -> str:
    return f"Ignored: {people}"


# -- undo -----------------------------------------------------------------------------------------------------------
CANNOT = "What I can't bring back:"
NOTHING_LEFT = "Nothing else of the last run is left to undo."
NOTHING_TO_UNDO = "Nothing to undo: the files are as they were before the last run."
UNDO_AGAIN = "/undo once more takes this back."
CHANGED_SINCE = "changed by somebody else since; stays as it is"
UNDO_REASONS = {
    "too large": "over 16 MB, no copy was kept",
    "special": "a device, pipe or socket",
    "unreadable": "could not be read when it was to be kept",
    "over budget": "no copy: the workspace is too large to keep all of it",
    "no room": "no copy: the disk was full",
    "not kept": "contents that can be made anew aren't kept",
    "too many files": "too many files in there to keep track of",
    "unknown": "what was there before is not known",
    "shared": "another session's command ran at the same time; whose change it was is not known",
    "no baseline": "a command ran while nothing could be kept; what it changed is not known",
    "damaged": "the copy is damaged",
    "not empty": "holds files that the run didn't make",
}


def elsewhere(root: str) -> str:
    return f"What commands changed outside {root} is not known."


def would_restore(count: int) -> str:
    return f"Back to what it was: {paths(count)}"


def would_delete(count: int) -> str:
    return f"Made by the run, goes away: {paths(count)}"


def undo_failed(count: int) -> str:
    return f"{paths(count)} could not be undone:"


def undo_changed(count: int) -> str:
    return f"{paths(count)} {CHANGED_SINCE}:"


def undone(restored: int, deleted: int) -> str:
    if not restored and not deleted:
        return "Nothing was changed."
    return f"Undone: {paths(restored)} restored, {deleted} removed."


def paths(count: int) -> str:
    return "1 path" if count == 1 else f"{count} paths"
