"""Jobs: that a background command has ended is told once, in the run or at the beginning of the next."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent.guards.jobs import Jobs
from agent.probes import jobs as probe
from agent.steps import Asked, End, Ended, Nudged, Outcome, Stream
from tests.fakes.calls import context
from tests.fakes.host import FakeHost, FakeJobs, ran
from tests.test_guard_drift import Run
from tests.test_tool_jobs import FAILED, KILLED, RUNNING

OVER = {"id": "j1", "outcome": "failed", "exit_code": 1, "why": ""}
NEXT = (Ended(at=4, end=End.ANSWERED), Asked(at=5, text="and?", author="t:7", role="owner"))


def begun(job: str = "j1", command: str = "pytest -q") -> Run:
    run = Run(Jobs())
    begin(run, job, command)
    return run


def begin(run: Run, job: str, command: str = "pytest -q") -> None:
    run.call("shell", {"command": command, "background": True}, files=None, job=job)


def asked(run: Run) -> list[str]:
    (look,) = run.looks
    return list(json.loads(look.args)["jobs"])


def answered(run: Run, *ended: dict[str, Any]) -> list[Nudged]:
    return run.answer("jobs", {"ended": list(ended)})


def test_nothing_is_asked_where_nothing_was_begun() -> None:
    run = Run(Jobs())
    run.call("shell", {"command": "ls"}, exit_code=0, stdout=Stream())
    run.show(*NEXT)
    assert not run.looks


def test_it_is_told_once_at_the_next_call() -> None:
    run = begun()
    assert not run.looks  # it has only just begun
    run.call("read_file", {"path": "a"})
    assert asked(run) == ["j1"]
    assert answered(run) == []
    run.call("read_file", {"path": "b"})
    (said,) = answered(run, OVER)
    assert said.text == "[jobs] Ended in the background: j1 (`pytest -q`) exit code 1. Its output: jobs, action tail."
    assert said.slot is None and said.about == "c3"
    run.call("read_file", {"path": "c"})
    run.show(*NEXT)
    assert not run.looks


def test_the_next_run_begins_with_it() -> None:
    run = begun()
    run.show(*NEXT)
    assert asked(run) == ["j1"]
    (said,) = answered(run, {**OVER, "exit_code": 0})
    assert "exit code 0" in said.text and said.about is None


@pytest.mark.parametrize("code", [0, 1])
def test_what_the_model_was_told_by_the_tool_is_not_told_again(code: int) -> None:
    run = begun()
    run.call("jobs", {"action": "wait", "id": "j1"}, exit_code=code, stdout=Stream(), files=None, job="j1")
    run.show(*NEXT)
    assert not run.looks


def test_several_are_one_note_within_its_bytes() -> None:
    run = begun()
    for number in range(2, 9):
        begin(run, f"j{number}", f"make {'x' * 300} {number}")
    run.call("read_file", {"path": "a"})
    (said,) = answered(run, *({**OVER, "id": f"j{number}"} for number in range(1, 9)))
    assert len(said.text.encode()) <= 400 and "and 5 more" in said.text and "j8" in said.text


@pytest.mark.parametrize(
    ("value", "status"),
    [(None, "ok"), ([], "ok"), ({"ended": [{}]}, "ok"), ({"ended": 1}, "ok"), (None, "timeout"), (None, "error")],
)
def test_no_answer_is_silent_and_asked_again(value: Any, status: str) -> None:
    run = begun()
    run.call("read_file", {"path": "a"})
    assert run.answer("jobs", value, status) == []
    run.call("read_file", {"path": "b"})
    assert asked(run) == ["j1"]


def test_only_the_last_call_of_a_reply_asks_and_no_two_looks_are_open() -> None:
    run = begun()
    run.call("read_file", {"path": "a"})
    run.call("read_file", {"path": "b"})
    assert len(run.looks) == 1


@pytest.mark.parametrize(
    ("more", "how"),
    [
        ({"why": "It was ended by a person's /stop."}, "was ended: It was ended by a person's /stop"),
        ({"outcome": "timed_out", "exit_code": None}, "timed out"),
        ({"exit_code": 137}, "exit code 137"),
    ],
)
def test_how_it_ended_is_in_words(more: dict[str, Any], how: str) -> None:
    run = begun()
    run.call("read_file", {"path": "a"})
    assert how in answered(run, {**OVER, **more})[0].text


async def test_the_probe_tells_of_those_that_were_asked_about_and_are_over(tmp_path: Path) -> None:
    host = FakeHost()
    fine = replace(FAILED, id="j4", ran=ran(Outcome.OK, 0))
    host.jobs = FakeJobs(RUNNING, FAILED, KILLED, fine)
    told = await probe.probe.look(context(tmp_path, host=host), json.dumps({"jobs": ["j1", "j2", "j3", "j9"]}))
    assert json.loads(told)["ended"] == [
        {"id": "j2", "outcome": "failed", "exit_code": 2, "why": ""},
        {"id": "j3", "outcome": "killed", "exit_code": None, "why": "It ended when asked."},
    ]
