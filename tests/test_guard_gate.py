"""The gate: which claims it checks, what it asks, what it makes of the answer, and what a second refusal does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent.guards.gate import Gate
from agent.panel import Panel
from agent.steps import (
    Asked,
    Call,
    Change,
    Commanded,
    Finished,
    Level,
    Looking,
    Nudged,
    Opened,
    Outcome,
    Proposed,
    Said,
    Seen,
    Step,
    Stream,
)

GREEN, RED = "2 passed in 0.1s", "FAILED tests/test_a.py::test_sum - assert 1 == 2\n1 failed in 0.1s"
CLAIM = "All done."


class Course:
    """A run before the gate alone."""

    def __init__(self, role: str = "owner", mode: str = "full", gate: Gate | None = None) -> None:
        self.panel, self.number = Panel([gate or Gate()]), 0
        opened = Opened(at=0, prompt="", tools=(), model="", panel="ours", day="", cwd="/w", nonce="n", mode=mode)
        self.show(opened, Asked(at=0, text="fix it", author="t:7", role=role))

    def show(self, *steps: Step) -> list[Nudged | Looking]:
        out: list[Nudged | Looking] = []
        for step in steps:
            out += self.panel.observe(step)
        assert not self.panel.faults, self.panel.faults[0].error
        return out

    def call(self, tool: str, arguments: dict[str, Any], **result: Any) -> list[Nudged | Looking]:
        self.number += 1
        call = Call(f"c{self.number}", tool, json.dumps(arguments))
        given = {"outcome": Outcome.OK, "text": "ok", **result}
        said = self.show(Said(at=1, text="", calls=(call,)), Proposed(at=1, call=call, effect="write"))
        return said + self.show(Finished(at=1, call_id=call.id, tool=tool, **given))

    def edit(self, path: str = "/w/a.py") -> None:
        self.call("edit_file", {"path": path}, files=(Change(path, "h", f"h{self.number}"),))

    def shell(self, command: str, printed: str = "", code: int = 0) -> None:
        outcome = Outcome.FAILED if code else Outcome.OK
        out = Stream(head=printed, size=len(printed))
        self.call("shell", {"command": command}, outcome=outcome, exit_code=code, stdout=out)

    def plan(self, *items: Any) -> list[Nudged | Looking]:
        return self.call("plan", {"items": list(items)})

    def claim(self, text: str = CLAIM) -> list[Nudged | Looking]:
        return self.show(Said(at=2, text=text))

    def told(self, said: list[Nudged | Looking]) -> Any:
        """What is said once a look that has nothing run is answered: it only waits for what another guard asks."""
        look = only(said)
        question = json.loads(look.args)
        assert not (question["commands"] or question["paths"] or question["find"])
        return only(self.answer(look, []))

    def answer(self, look: Nudged | Looking, checks: list[dict[str, Any]], missing: tuple[str, ...] = ()) -> list[Any]:
        assert isinstance(look, Looking)
        value = json.dumps({"checks": checks, "missing": missing})
        return self.show(Seen(at=3, look=look.look, probe="verify", value=value))


def check(command: str = "pytest -q", outcome: str = "ok", code: int | None = 0, output: str = GREEN) -> dict[str, Any]:
    return {"command": command, "cwd": "/w", "outcome": outcome, "exit_code": code, "output": output, "why": "no box"}


def only(said: list[Nudged | Looking]) -> Any:
    (found,) = said
    return found


def asked(said: list[Nudged | Looking]) -> dict[str, Any]:
    look = only(said)
    assert isinstance(look, Looking) and look.probe == "verify"
    return dict(json.loads(look.args))


# -- when it speaks at all ------------------------------------------------------------------------------------------
def test_a_run_that_changed_nothing_is_let_through_at_once() -> None:
    course = Course()
    course.shell("pytest -q", GREEN)
    course.call("read_file", {"path": "/w/a.py"}, files=(Change("/w/a.py", "h", "h"),))
    assert course.claim() == []


@pytest.mark.parametrize("text", ["Two tests still fail: I could not mend them.", "Which port shall it be?"])
def test_an_admission_or_a_question_is_no_claim(text: str) -> None:
    course = Course()
    course.edit()
    assert course.claim(text) == []


@pytest.mark.parametrize(
    ("path", "event"), [("/w/deploy.sh", "gate.clear"), ("/w/app.yml", "gate.clear"), ("/w/notes.md", None)]
)
def test_work_that_no_test_can_check_is_let_through_and_told_to_who_can_read_it(path: str, event: str | None) -> None:
    course = Course()
    course.edit(path)
    said = course.claim()
    assert [(each.level, each.text, each.event) for each in said] == ([(Level.NOTE, "", event)] if event else [])  # type: ignore[union-attr]


def test_a_change_beside_the_work_asks_for_no_test() -> None:
    course = Course()
    course.edit("/w/notes.txt")
    assert course.claim() == []
    course.call("shell", {"command": "pytest"}, exit_code=0, files=(Change("/w/__pycache__/a.pyc", "", "h"),))
    assert course.claim() != []


def test_a_plan_with_a_check_of_its_own_is_checked_without_any_change() -> None:
    course = Course()
    course.plan({"text": "see to it", "verify": "curl -f localhost"})
    assert asked(course.claim())["commands"] == [["curl -f localhost", "/w"]]


# -- what it asks ---------------------------------------------------------------------------------------------------
def test_green_after_the_last_change_is_verified_without_running_anything() -> None:
    course = Course()
    course.edit()
    course.shell("pytest -q", GREEN)
    passed = course.told(course.claim())
    assert (passed.event, passed.level, passed.text) == ("gate.passed", Level.NOTE, "")
    assert json.loads(passed.data)["what"] == "`pytest -q` green after the last change"


def test_a_change_after_the_last_green_has_it_run_again_where_it_ran() -> None:
    course = Course()
    course.shell("pytest -q", GREEN)
    course.edit()
    question = asked(course.claim())
    assert (question["commands"], question["find"]) == ([["pytest -q", "/w"]], False)
    course.edit("/w/README.md")


@pytest.mark.parametrize("path", ["/w/README.md", "/w/build.log"])
def test_what_no_test_depends_on_is_no_change_for_it(path: str) -> None:
    course = Course()
    course.edit()
    course.shell("pytest -q", GREEN)
    course.edit(path)
    assert course.told(course.claim()).event == "gate.passed"


def test_the_projects_own_test_is_looked_for_where_none_is_known() -> None:
    course = Course()
    course.edit()
    question = asked(course.claim())
    assert (question["commands"], question["find"], question["files"]) == ([], True, ["/w/a.py"])


def test_a_mistyped_test_command_isnt_run_again() -> None:
    course = Course()
    course.shell("pytest tests/nowhere.py", "ERROR: file or directory not found: tests/nowhere.py", 4)
    course.shell("pytest -q", GREEN)
    course.edit()
    assert asked(course.claim())["commands"] == [["pytest -q", "/w"]]


def test_a_red_suite_isnt_forgotten_for_a_green_part_of_it() -> None:
    course = Course()
    course.shell("pytest", RED, 1)
    course.edit()
    course.shell("pytest tests/test_b.py", GREEN)
    assert asked(course.claim())["commands"] == [["pytest", "/w"]]


def test_artifacts_are_looked_for_guessed_ones_only_when_their_item_is_done() -> None:
    course = Course()
    course.plan(
        {"text": "x", "artifacts": ["out.csv"]},
        {"text": "write a.md", "status": "completed"},
        {"text": "write b.md"},
        {"text": "y", "artifacts": ["c.csv"], "status": "blocked"},
    )
    course.edit()
    assert asked(course.claim())["paths"] == ["out.csv", "a.md"]


def test_mode_and_role_go_with_the_question() -> None:
    course = Course(role="owner", mode="sandbox")
    course.show(Asked(at=1, text="me too", author="t:9", role="viewer", forwarded=True))
    course.show(Commanded(at=1, command="mode", by="t:7", value="ask", until=None))
    course.edit()
    question = asked(course.claim())
    assert (question["mode"], question["role"], question["tainted"]) == ("ask", "viewer", True)


def test_a_plan_without_checks_has_the_project_looked_at_once() -> None:
    course = Course()
    look = only(course.plan("fix it"))
    assert isinstance(look, Looking) and look.probe == "project"
    course.show(Seen(at=1, look=look.look, probe="project", value='{"command": "npm test", "cwd": "/w"}'))
    assert course.plan("fix it", "more") == []
    course.edit()
    assert asked(course.claim())["commands"] == [["npm test", "/w"]]


# -- what it makes of the answer ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("checks", "missing", "event", "told"),
    [
        ([check()], (), "gate.passed", "`pytest -q` green after the last change"),
        ([check(outcome="failed", code=1, output=RED)], (), "gate.refused", "tests/test_a.py::test_sum"),
        ([check(outcome="ok", output=RED)], (), "gate.refused", "tests/test_a.py::test_sum"),  # pytest || true
        ([check(outcome="killed", code=None, output="")], (), "gate.refused", "it was killed"),
        ([check()], ("out.csv",), "gate.refused", "out.csv is not there"),
        ([check(outcome="timed_out", code=None)], (), "gate.unchecked", "came to no end"),
        ([check(outcome="left_out", code=None)], (), "gate.unchecked", "was not run: no box"),
        ([check(outcome="failed", code=127)], (), "gate.unchecked", "not installed"),
        ([check(outcome="failed", code=1, output="No module named pytest")], (), "gate.unchecked", "not installed"),
        ([check(outcome="failed", code=5, output="no tests ran in 0.01s")], (), "gate.unchecked", "found no test"),
        ([check(output="ℹ tests 0")], (), "gate.unchecked", "found no test"),
        ([], (), "gate.unchecked", "no test was found"),
    ],
)
def test_the_verdict(checks: list[dict[str, Any]], missing: tuple[str, ...], event: str, told: str) -> None:
    course = Course()
    course.edit()
    verdict = only(course.answer(only(course.claim()), checks, missing))
    assert verdict.event == event
    assert told in (verdict.text or json.loads(verdict.data)["what"])
    assert (verdict.level is Level.HOLD) == (event == "gate.refused")


@pytest.mark.parametrize(("value", "status"), [("null", "timeout"), ("null", "error"), ("x", "ok"), ("[]", "ok")])
def test_a_check_without_an_answer_is_no_evidence(value: str, status: str) -> None:
    course = Course()
    course.edit()
    look = only(course.claim())
    verdict = only(course.show(Seen(at=3, look=look.look, probe="verify", value=value, status=status)))
    assert verdict.event == "gate.unchecked"


def test_an_error_that_is_open_sends_the_claim_back() -> None:
    course = Course()
    course.edit("/w/notes.txt")
    course.shell("./deploy.sh", "deploy.sh: error: no host given", 2)
    refused = only(course.claim())
    assert refused.event == "gate.refused" and "no host given" in refused.text


def test_what_the_gate_sees_pass_closes_the_error_of_its_failure() -> None:
    course = Course()
    course.shell("pytest -q", RED, 1)
    course.edit()
    assert only(course.answer(only(course.claim()), [check()])).event == "gate.passed"


# -- the second time ------------------------------------------------------------------------------------------------
def refuse(course: Course) -> Any:
    said = course.claim()
    if isinstance(said[0], Looking):
        said = course.answer(said[0], [check(outcome="failed", code=1, output=RED)])
    return only(said)


def test_the_same_claim_with_nothing_changed_ends_the_run() -> None:
    course = Course()
    course.edit()
    assert refuse(course).level is Level.HOLD
    course.shell("cat a.py")
    last = refuse(course)
    assert last.level is Level.STOP and "Not verified" in last.text and "test_sum" in last.text


def test_a_change_in_between_gives_it_another_chance() -> None:
    course = Course()
    for _ in range(4):
        course.edit()
        assert refuse(course).level is Level.HOLD


def test_a_new_run_begins_anew() -> None:
    course = Course()
    course.edit()
    assert refuse(course).level is Level.HOLD
    from agent.steps import End, Ended

    course.show(Ended(at=4, end=End.STOPPED), Asked(at=5, text="why?", author="t:7"))
    assert course.claim() == []


# -- task_complete --------------------------------------------------------------------------------------------------
def test_a_call_of_task_complete_is_held_with_the_evidence_about_it() -> None:
    course = Course()
    course.edit()
    call = Call("t", "task_complete", '{"summary": "done"}')
    course.show(Said(at=2, text="", calls=(call,)))
    look = only(course.show(Proposed(at=2, call=call, effect="read")))
    assert look.about == "t"
    held = only(course.answer(look, [check(outcome="failed", code=1, output=RED)]))
    assert (held.level, held.about) == (Level.HOLD, "t")


def test_a_task_complete_before_other_calls_is_held_at_once() -> None:
    course = Course()
    first, other = Call("t", "task_complete", "{}"), Call("o", "shell", "{}")
    course.show(Said(at=2, text="", calls=(first, other)))
    assert only(course.show(Proposed(at=2, call=first, effect="read"))).event == "gate.early"


def test_a_replay_leaves_the_gate_where_it_was() -> None:
    course, steps = Course(), []
    original = course.panel.observe

    def recorded(step: Step) -> list[Nudged | Looking]:
        said = original(step)
        steps.extend([step, *said])
        return said

    course.panel.observe = recorded  # type: ignore[method-assign]
    course.edit()
    refuse(course)
    again = Course()
    again.panel.replay(steps)
    assert refuse(again).level is Level.STOP
