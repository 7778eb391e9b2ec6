"""From the calls of each recorded source to calls as our tools would have seen them: one function a source.

A source's own wrappers (a notebook's "!", "execute[...]", fences that were never run) are taken off, its editor becomes
our file tools, its pseudo-calls ("submit", a reply that held no call) become what they are, and an outcome that its
converter derived wrongly is set right where the text says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from agent.backtest.editor import editor
from agent.backtest.runs import Recorded
from agent.steps import Outcome


@dataclass(frozen=True, slots=True)
class Act:
    """A call in our words. `outcome` is set where the source knows better than command, exit code and text would say;
    `text` replaces an output that is only the environment's echo."""

    tool: str
    argument: str  # the name of the argument that carries the text
    value: str
    effect: str = "write"  # read | write
    outcome: Outcome | None = None
    text: str | None = None


Reading = Callable[[Recorded], Act | None]

NO_CALL = ("Thought or action not provided", "Invalid action type", "I don't understand your input")
REFUSED_EDIT = ("Could not find", "Found multiple")
FAILED_TEST = ("Test case did not pass", "Failed ", "Your answer is wrong")
EXECUTE = re.compile(r"execute\[(.*)\]?\s*\Z", re.DOTALL)
QUERY = ("select", "show", "desc", "explain", "with", "use")


def super_benchmark(call: Recorded) -> Act | None:
    """A notebook: "!" and "%" lead a shell command; edits are patches; an `exception` ends a run, nobody called it."""
    match call.tool:
        case "exception":
            return None
        case "submit" | "submit_invalid_json":
            return _submitted(call)
        case "edit":
            return Act("edit_file", "edit", call.args, "write", _edited(call))
        case "editor":
            return _edit(call)
        case "shell":
            return Act("shell", "command", call.args.lstrip().lstrip("!%"))
        case "continue_wait" | "continue":
            return Act("jobs", "wait", "", "read")
        case "interrupt":
            return Act("jobs", "kill", "", "write")
        case _:
            return _cell(call)


def intercode(call: Recorded) -> Act | None:
    """Bash, SQL or Python with a reported result. `submit` echoes a result; `blocked` is the provider's filter."""
    if call.args.strip() in ("submit", "skip"):
        return _submitted(call)
    if call.args.strip() in ("", "blocked") or call.output.startswith(NO_CALL):
        return _no_call(call)
    inner = EXECUTE.match(call.args.strip())
    text = inner.group(1).removesuffix("]") if inner else call.args
    if call.tool == "sql":
        return Act("sql", "query", text, "read" if text.lstrip().lower().startswith(QUERY) else "write")
    if call.tool == "python":
        failed = call.output.startswith(FAILED_TEST) or "'error': 'Error" in call.output
        return Act("python", "code", text, "write", Outcome.FAILED if failed else None)
    return Act("shell", "command", text)


def mint_bench(call: Recorded) -> Act | None:
    """Python cells, proposed solutions that are marked, and replies that held neither."""
    match call.tool:
        case "invalid":
            return _no_call(call)
        case "solution":
            wrong = call.output.startswith(FAILED_TEST)
            return Act("solution", "answer", call.args, "read", Outcome.FAILED if wrong else None)
        case _:
            return Act("python", "code", call.args)


def tau_bench(call: Recorded) -> Act | None:
    """Calls of a service by name; what looks things up says so in its name."""
    reads = call.tool.startswith(("get_", "search_", "list_", "find_")) or call.tool in ("think", "calculate")
    return Act(call.tool, "", call.args, "read" if reads else "write")


def who_and_when(call: Recorded) -> Act | None:
    """Code blocks of a group chat, each run as a file."""
    timed_out = call.exit_code == 124  # the exit status of timeout(1)
    return Act("python", "code", call.args, "write", Outcome.TIMED_OUT if timed_out else None)


def swe_agent(call: Recorded) -> Act | None:
    """A shell and the editor commands of SWE-agent; MLGym uses the same."""
    if call.args.strip().startswith(("exit_", "exit ")) and call.output.startswith("Exited"):
        return None
    if call.tool == "editor":
        return _edit(call)
    slow = "EXECUTION TIMED OUT" in call.output
    return Act("shell", "command", call.args.strip(), "write", Outcome.TIMED_OUT if slow else None)


def plain(call: Recorded) -> Act | None:
    """Anything else: the tool by its own name."""
    return Act(call.tool, "command" if call.tool == "shell" else "", call.args)


READINGS: dict[str, Reading] = {
    "super-benchmark": super_benchmark,
    "intercode": intercode,
    "mint-bench": mint_bench,
    "tau-bench": tau_bench,
    "who-and-when": who_and_when,
    "swe-agent": swe_agent,
    "mlgym": swe_agent,
}


def reading_of(source: str) -> Reading:
    """The function for a run's source (intercode-bash is read like intercode)."""
    return next((reading for name, reading in READINGS.items() if source.startswith(name)), plain)


def _submitted(call: Recorded) -> Act:
    return Act("task_complete", "summary", call.args, "read", Outcome.OK, text="submitted")


def _no_call(call: Recorded) -> Act:
    return Act("invalid", "text", call.args, "read", Outcome.BAD_ARGUMENTS)


def _cell(call: Recorded) -> Act | None:
    if call.output.startswith(NO_CALL):
        return _no_call(call)
    if call.args.startswith("EDITING"):
        return Act("edit_file", "edit", call.args, "write", _edited(call))
    if call.args.strip().startswith("exit_") and call.output.startswith("Exited"):
        return None
    return Act("python", "code", call.args)


def _edited(call: Recorded) -> Outcome:
    if call.output.startswith(NO_CALL):
        return Outcome.BAD_ARGUMENTS
    refused = not call.ok or call.output.startswith(REFUSED_EDIT)
    return Outcome.FAILED if refused else Outcome.OK


def _edit(call: Recorded) -> Act | None:
    used = editor(call.args, call.output, call.ok)
    if used.tool == "task_complete":
        return _submitted(call)
    return Act(used.tool, used.argument, call.args.strip(), used.effect, used.outcome)
