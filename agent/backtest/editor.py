"""The line editor of SWE-agent (open, goto, scroll, edit, create ...) in the words of our file tools."""

from __future__ import annotations

from dataclasses import dataclass

from agent.steps import Outcome

REFUSALS = (
    "Your proposed",
    "Usage:",
    "Error:",
    "Malformed",
    "No file open",
    "Could not find",
    "Found multiple",
    "Submission artefact not found",
    "Failed to decode",
)
READS = ("open", "goto", "scroll_down", "scroll_up", "view")
SEARCHES = ("search_file", "search_dir", "find_file")


@dataclass(frozen=True, slots=True)
class Used:
    """What an editor command is in our words."""

    tool: str
    argument: str
    effect: str
    outcome: Outcome | None


def editor(command: str, output: str, ok: bool) -> Used:
    """Read one command. A refusal that was recorded as fine is a failure all the same."""
    words = command.split(None, 3)
    verb = words[0].split("(")[0] if words else ""
    if verb == "str_replace_editor":
        verb = words[1] if len(words) > 1 else ""
    outcome = Outcome.FAILED if not ok or output.startswith(REFUSALS) or _missing(output) else None
    if verb == "submit":
        return Used("task_complete", "summary", "read", outcome)
    if verb in READS:
        return Used("read_file", "path", "read", outcome)
    if verb in SEARCHES:
        return Used("search", "pattern", "read", outcome)
    if verb == "create":
        return Used("write_file", "path", "write", outcome)
    if verb == "validate":
        return Used("shell", "command", "write", outcome)
    return Used("edit_file", "edit", "write", outcome)


def _missing(output: str) -> bool:
    return output.startswith("File ") and output.rstrip().endswith("not found")
