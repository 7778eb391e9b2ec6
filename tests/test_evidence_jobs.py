"""Evidence of background jobs: a start shows nothing, an end counts for the files as they stood at the start."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent.causes import Cause
from agent.evidence import Evidence
from agent.evidence import tested as runs_of
from agent.guards._claims.facts import Doubt, check
from agent.guards._claims.found import claims
from agent.guards._gate import question
from agent.steps import Asked, Call, Change, End, Ended, Finished, Opened, Outcome, Said, Step, Stream

GREEN, RED = "2 passed in 0.1s", "FAILED tests/test_a.py::test_sum - assert 1 == 2\n1 failed in 0.1s"
WHERE = ("pytest -q", "/w")


class Course:
    def __init__(self) -> None:
        self.evidence, self.number = Evidence(), 0
        opened = Opened(at=0, prompt="", tools=(), model="", panel="ours", day="", cwd="/w", nonce="n", mode="full")
        self.show(opened, Asked(at=0, text="fix it", author="t:7", role="owner"))

    def show(self, *steps: Step) -> None:
        for step in steps:
            self.evidence.fold(step)

    def call(self, tool: str, arguments: dict[str, Any], outcome: Outcome = Outcome.OK, **result: Any) -> None:
        self.number += 1
        call = Call(f"c{self.number}", tool, json.dumps(arguments))
        self.show(
            Said(at=1, text="", calls=(call,)),
            Finished(at=1, call_id=call.id, tool=tool, outcome=outcome, text="", **result),
        )

    def edit(self) -> None:
        self.call("edit_file", {"path": "/w/a.py"}, files=(Change("/w/a.py", "h", f"h{self.number}"),))

    def begin(self, command: str = "pytest -q", job: str = "j1") -> None:
        self.call("shell", {"command": command, "background": True}, files=None, job=job)

    def end(self, printed: str, code: int | None = 0, job: str = "j1", outcome: Outcome = Outcome.OK) -> None:
        told = Stream(head=printed, size=len(printed))
        self.call("jobs", {"action": "wait", "id": job}, outcome, exit_code=code, stdout=told, files=None, job=job)

    def asked(self) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, Cause | None], ...]]:
        """What the gate would run, and what it takes as known."""
        found = question(self.evidence, ())
        return found.commands, found.known


def test_a_test_run_that_was_only_begun_shows_nothing() -> None:
    course = Course()
    course.edit()
    course.begin()
    assert not runs_of(course.evidence.deeds)
    assert course.asked() == ((WHERE,), ())


def test_its_end_counts_as_the_test_run() -> None:
    course = Course()
    course.edit()
    course.begin()
    course.end(GREEN)
    assert course.asked() == ((), ((WHERE[0], None),))


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.OK])  # waited for, or only looked at
def test_a_red_end_is_known_as_red(outcome: Outcome) -> None:
    course = Course()
    course.edit()
    course.begin()
    course.end(RED, 1, outcome=outcome)
    commands, ((command, why),) = course.asked()
    assert not commands and command == WHERE[0] and "test_a.py::test_sum" in str(why)


def test_what_changed_between_start_and_end_the_job_may_not_have_seen() -> None:
    course = Course()
    course.edit()
    course.begin()
    course.edit()
    course.end(GREEN)
    assert course.asked() == ((WHERE,), ())


def test_what_changed_after_its_end_neither() -> None:
    course = Course()
    course.edit()
    course.begin()
    course.end(GREEN)
    course.edit()
    assert course.asked() == ((WHERE,), ())


@pytest.mark.parametrize(("code", "outcome"), [(None, Outcome.KILLED), (None, Outcome.TIMED_OUT)])
def test_a_job_that_was_ended_shows_nothing_of_its_tests(code: None, outcome: Outcome) -> None:
    course = Course()
    course.edit()
    course.begin()
    course.end("", code, outcome=outcome)
    assert course.asked() == ((WHERE,), ())


def test_a_look_at_one_that_goes_on_or_at_an_unknown_one_is_no_test_run() -> None:
    course = Course()
    course.edit()
    course.begin()
    course.call("jobs", {"action": "wait", "id": "j1"})
    course.end(GREEN, job="j9")
    assert not runs_of(course.evidence.deeds)


def test_the_end_of_a_job_that_changes_files_is_a_change() -> None:
    course = Course()
    course.begin("cp a.py b.py", "j1")
    course.call("shell", {"command": "pytest -q"}, exit_code=0, stdout=Stream(head=GREEN, size=len(GREEN)))
    course.end("", job="j1")
    assert course.asked() == ((WHERE,), ())


@pytest.mark.parametrize(
    ("text", "why"),
    [("All tests pass.", "begun in the background"), ("The build is done: cargo build succeeded.", "begun in the")],
)
def test_a_claim_over_what_was_only_begun_is_doubted(text: str, why: str) -> None:
    course = Course()
    course.begin("cargo build", "j2")
    course.begin("pytest -q")
    doubts = [doubt for claim in claims(text) if isinstance(doubt := check(claim, course.evidence), Doubt)]
    assert doubts and all(why in str(doubt.why) for doubt in doubts)
    course.end("Finished", job="j2")
    course.begin("pytest -q")
    course.end(GREEN)
    assert not [claim for claim in claims(text) if isinstance(check(claim, course.evidence), Doubt)]


def test_a_program_that_was_begun_counts_as_run() -> None:
    course = Course()
    course.begin("python3 server.py")
    claim = next(iter(claims("I ran `server.py`.")))
    assert check(claim, course.evidence) is None


def test_a_job_of_an_earlier_run_is_remembered() -> None:
    course = Course()
    course.edit()
    course.begin()
    course.show(Ended(at=2, end=End.ANSWERED), Asked(at=3, text="and?", author="t:7", role="owner"))
    course.end(GREEN)
    assert [deed.green for deed in course.evidence.of_run] == [True]
