"""From recorded calls to ours: each source's wrappers, pseudo-calls and wrong labels."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent.backtest.journal import calls, prologue
from agent.backtest.runs import Run, _call
from agent.steps import Asked, Finished, Opened, Proposed, Said, Started
from tests.fakes.runs import recorded

EDIT_FAILED = "Could not find the following lines to replace in the file content:"
NO_CALL = "Thought or action not provided in the correct format."
EDITOR = "editor"
OPEN = {"args": "open"}


def run(source: str, *rows: dict[str, Any]) -> Run:
    return Run("1", source, "t", None, tuple(_call(recorded(**each)) for each in rows))


def one(source: str, **fields: Any) -> tuple[Proposed, Finished]:
    (steps,) = calls(run(source, fields))
    said, proposed, started, finished = steps
    assert isinstance(said, Said) and isinstance(started, Started)
    assert isinstance(proposed, Proposed) and isinstance(finished, Finished)
    assert said.calls == (proposed.call,) and started.call_id == finished.call_id == proposed.call.id
    return proposed, finished


DERIVED = {"ok_from": "derived"}


@pytest.mark.parametrize(
    ("source", "fields", "expected"),
    [
        # source, recorded, (tool, effect, outcome, value of the argument)
        ("super-benchmark", {"args": "!ls -l"}, ("shell", "write", "ok", "ls -l")),
        ("super-benchmark", {"args": "%cd x"}, ("shell", "write", "ok", "cd x")),
        ("super-benchmark", {"tool": "edit", "output": EDIT_FAILED}, ("edit_file", "write", "failed", "ls")),
        ("super-benchmark", {"tool": "edit", "output": "Edit was"}, ("edit_file", "write", "ok", "ls")),
        ("super-benchmark", {"tool": "edit", "output": NO_CALL}, ("edit_file", "write", "bad_arguments", "ls")),
        ("super-benchmark", {"tool": "python", "output": NO_CALL}, ("invalid", "read", "bad_arguments", "ls")),
        ("super-benchmark", {"tool": "python", "args": "EDITING `a`"}, ("edit_file", "write", "ok", "EDITING `a`")),
        ("super-benchmark", {"tool": "python", "args": "1 + 1"}, ("python", "write", "ok", "1 + 1")),
        ("super-benchmark", {"tool": "continue_wait"}, ("jobs", "read", "ok", "")),
        ("super-benchmark", {"tool": "interrupt"}, ("jobs", "write", "ok", "")),
        ("super-benchmark", {"tool": "submit", "args": "1"}, ("task_complete", "read", "ok", "1")),
        ("super-benchmark", {"tool": EDITOR, "args": "open a.py"}, ("read_file", "read", "ok", "open a.py")),
        ("intercode-bash", {"args": "execute[ls]"}, ("shell", "write", "ok", "ls")),
        ("intercode-bash", {"args": "execute[ls"}, ("shell", "write", "ok", "ls")),
        ("intercode-bash", {"args": "execute[a[1]]"}, ("shell", "write", "ok", "a[1]")),
        ("intercode-bash", {"args": "blocked", "output": ""}, ("invalid", "read", "bad_arguments", "blocked")),
        ("intercode-bash", {"args": " ", "output": ""}, ("invalid", "read", "bad_arguments", " ")),
        ("intercode-sql", {"tool": "sql", "args": "SELECT 1"}, ("sql", "read", "ok", "SELECT 1")),
        ("intercode-sql", {"tool": "sql", "args": "DELETE FROM a"}, ("sql", "write", "ok", "DELETE FROM a")),
        ("intercode-python", {"tool": "python", "output": "Failed 1/3"}, ("python", "write", "failed", "ls")),
        ("mint-bench", {"tool": "invalid", "ok": False}, ("invalid", "read", "bad_arguments", "ls")),
        ("mint-bench", {"tool": "solution", "output": "Your answer is wrong."}, ("solution", "read", "failed", "ls")),
        ("who-and-when", {"tool": "code", "ok": False, "exit_code": 124}, ("python", "write", "timed_out", "ls")),
        ("swe-agent-demos", {"tool": EDITOR, "args": "goto 9"}, ("read_file", "read", "ok", "goto 9")),
        ("mlgym", {"tool": EDITOR, "args": "find_file x"}, ("search", "read", "ok", "find_file x")),
        ("mlgym", {"tool": EDITOR, "args": "create x"}, ("write_file", "write", "ok", "create x")),
        ("mlgym", {"tool": EDITOR, "args": "edit 1", "output": "Usage: e"}, ("edit_file", "write", "failed", "edit 1")),
        ("mlgym", {"tool": EDITOR, "output": "File x not found", **OPEN}, ("read_file", "read", "failed", "open")),
        ("mlgym", {"tool": EDITOR, "args": "validate"}, ("shell", "write", "ok", "validate")),
        ("mlgym", {"args": "a", "output": "EXECUTION TIMED OUT BECAUSE"}, ("shell", "write", "timed_out", "a")),
        ("another", {"args": "ls"}, ("shell", "write", "ok", "ls")),
    ],
)  # fmt: skip
def test_a_recorded_call_in_our_words(source: str, fields: dict[str, Any], expected: tuple[str, ...]) -> None:
    proposed, finished = one(source, **fields)
    (value,) = json.loads(proposed.call.arguments).values()
    assert (proposed.call.name, proposed.effect, finished.outcome.value, value) == expected


@pytest.mark.parametrize(
    ("tool", "effect"), [("get_user_details", "read"), ("think", "read"), ("book_reservation", "write")]
)
def test_a_service_keeps_its_names_and_arguments(tool: str, effect: str) -> None:
    proposed, finished = one("tau-bench-airline", tool=tool, args='{"a": 1}')
    assert (proposed.call.name, proposed.call.arguments, proposed.effect) == (tool, '{"a": 1}', effect)
    assert finished.stdout is None


@pytest.mark.parametrize(
    ("source", "fields"),
    [
        ("super-benchmark", {"tool": "exception", "args": "Total context tokens exceeded."}),
        ("super-benchmark", {"tool": "python", "args": "exit_context", "output": "Exited"}),
        ("mlgym", {"args": "exit_format", "output": "Exited (exit_format)"}),
    ],
)
def test_what_nobody_called_is_left_out(source: str, fields: dict[str, Any]) -> None:
    made = calls(run(source, fields, {"args": "ls"}))
    assert [steps[3].call_id for steps in made if isinstance(steps[3], Finished)] == ["call-1"]


def test_a_submission_doesnt_echo_the_last_result() -> None:
    _, finished = one("intercode-sql", tool="sql", args="submit", output="[(1,)]")
    assert finished.text == "submitted"


def test_what_was_cut_is_compared_by_its_hash() -> None:
    cut = "x\n...[98 chars cut]...\ny"
    proposed, finished = one("plain", args=cut, output=cut, args_sha="aa", out_sha="bb", out_len=5000)
    assert json.loads(proposed.call.arguments)["command"].endswith("[sha1 aa]")
    assert finished.text.endswith("[sha1 bb]")
    assert finished.stdout is not None
    assert (finished.stdout.head, finished.stdout.tail) == ("x", "y")
    assert (finished.stdout.size, finished.stdout.sha256) == (5000, "bb")


def test_only_a_read_is_known_to_have_changed_nothing() -> None:
    assert one("plain", args="ls")[1].files is None
    assert one("intercode-sql", tool="sql", args="SHOW TABLES")[1].files == ()


def test_what_stands_before_the_first_call() -> None:
    opened, asked = prologue(run("plain"), "ours")
    assert isinstance(opened, Opened) and opened.panel == "ours"
    assert isinstance(asked, Asked) and asked.text == "t"
