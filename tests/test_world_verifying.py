"""The block of world state has the plan's own checks run: which, when, how often, and that the gate knows of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent.guards.gate import Gate
from agent.guards.world import World
from agent.steps import Asked, Change, Commanded, End, Ended, Looking, Nudged, Outcome, Seen, Stream
from tests.test_guard_drift import Run

DISK = {"files": 3, "whole": True, "newest": [], "missing": []}
GREEN = {"command": "make ok", "cwd": "/w", "outcome": "ok", "exit_code": 0, "output": "fine", "why": ""}
RED = {**GREEN, "outcome": "failed", "exit_code": 2, "output": "FAILED test_a"}
DONE = {"text": "do", "status": "completed", "verify": "make ok"}


def planned(*items: dict[str, Any], guards: tuple[Any, ...] = ()) -> Run:
    run = Run(World(every=100, writes=1), *guards)
    run.call("plan", {"items": list(items)}, files=())
    run.looks.clear()  # what the gate asks about the project
    return run


def edit(run: Run, path: str = "/w/a.go") -> list[Nudged]:
    """A file is written, and the look at the disk that comes of it answered."""
    run.call("write_file", {"path": path}, files=(Change(path, "", f"h{run.number}"),))
    return run.answer("disk", DISK) if "disk" in run.asked else []


def verify(run: Run) -> list[Looking]:
    return [look for look in run.looks if look.probe == "verify"]


def asked(run: Run) -> list[str]:
    (look,) = verify(run)
    return [command for command, _ in json.loads(look.args)["commands"]]


def test_the_check_of_an_item_that_is_said_to_be_done_is_run_after_a_change() -> None:
    run = planned(DONE)
    assert edit(run) == []
    (look,) = verify(run)
    told = json.loads(look.args)
    assert told["commands"] == [["make ok", "/w"]] and (told["mode"], told["role"]) == ("full", "owner")
    assert 0 < told["within_s"] < 60 and told["tainted"] is False
    (said,) = run.answer("verify", {"checks": [RED]})
    assert "[MISS] do (its check is red)" in said.text


@pytest.mark.parametrize(
    "item",
    [
        {"text": "do", "status": "pending", "verify": "make ok"},
        {"text": "do", "status": "in_progress", "verify": "make ok"},
        {"text": "do", "status": "blocked", "verify": "make ok"},
        {"text": "write a.py", "status": "completed"},  # without a check, or one that was only inferred
    ],
)
def test_no_other_is_run(item: dict[str, Any]) -> None:
    run = planned(item)
    assert len(edit(run)) == 1 and not verify(run)


def test_three_at_most_and_each_once() -> None:
    items = [{"text": f"{n}", "status": "completed", "verify": f"make {n // 2}"} for n in range(10)]
    run = planned(*items)
    edit(run)
    assert asked(run) == ["make 0", "make 1", "make 2"]


@pytest.mark.parametrize(
    ("value", "status"),
    [
        ({"checks": [GREEN]}, "ok"),
        ({"checks": [RED]}, "ok"),
        ({"checks": [{**GREEN, "outcome": "left_out", "exit_code": None}]}, "ok"),
        ({"checks": [{**GREEN, "outcome": "timed_out", "exit_code": None}]}, "ok"),
        (None, "timeout"),
        (None, "error"),
    ],
)
def test_for_the_same_inputs_it_is_never_run_twice(value: Any, status: str) -> None:
    run = planned(DONE)
    edit(run)
    run.answer("verify", value, status)
    edit(run, "/w/notes.md")
    edit(run, "/w/__pycache__/a.pyc")
    assert not verify(run)
    edit(run, "/w/b.go")
    assert asked(run) == ["make ok"]


def test_what_the_run_itself_has_just_run_is_known() -> None:
    run = planned(DONE)
    run.call("write_file", {"path": "/w/a.go"}, files=(Change("/w/a.go", "", "h"),))
    run.call("shell", {"command": "make ok"}, outcome=Outcome.OK, exit_code=0, stdout=Stream(), files=())
    run.answer("disk", DISK)
    assert not verify(run)


def test_nothing_is_run_where_a_person_is_asked_or_others_words_are_in_play() -> None:
    run = planned(DONE)
    run.show(Commanded(at=1, command="mode", by="t:7", value="ask"))
    edit(run)
    assert not verify(run)
    run.show(Commanded(at=1, command="mode", by="t:7", value="sandbox"))
    edit(run)
    assert len(verify(run)) == 1
    run.answer("verify", {"checks": []})
    run.call("web_fetch", {"url": "http://example.com"}, files=())
    edit(run)
    assert not verify(run)


def test_the_role_is_the_lowest_of_those_who_spoke() -> None:
    run = planned(DONE)
    run.show(Asked(at=1, text="and this", author="t:9", role="operator"))
    edit(run)
    assert json.loads(verify(run)[0].args)["role"] == "operator"


def test_the_gate_takes_its_green_for_the_same_inputs_and_runs_it_for_others() -> None:
    run = planned(DONE, guards=(Gate(),))
    edit(run)
    run.answer("verify", {"checks": [GREEN]})
    claimed = run.claim()
    assert not verify(run) and [each.event for each in claimed] == ["gate.passed"]
    assert "make ok" in claimed[0].data
    edit(run)
    run.answer("verify", {"checks": [RED]})
    run.claim()
    assert asked(run) == ["make ok"]


def test_a_green_of_an_earlier_run_is_run_again() -> None:
    run = planned(DONE, guards=(Gate(),))
    edit(run)
    run.answer("verify", {"checks": [GREEN]})
    run.show(Ended(at=4, end=End.ANSWERED), Asked(at=5, text="and?", author="t:7", role="owner"))
    run.call("plan", {"items": [DONE]}, files=())
    run.looks.clear()
    run.claim()
    assert asked(run) == ["make ok"]


def test_a_green_of_the_gates_own_is_not_run_again_for_the_same_claim() -> None:
    run = planned(DONE, guards=(Gate(),))
    run.call("write_file", {"path": "/w/a.go"}, files=(Change("/w/a.go", "", "h"),))
    run.looks.clear()
    run.claim()
    (look,) = verify(run)
    run.looks.clear()
    run.show(Seen(at=3, look=look.look, probe="verify", value=json.dumps({"checks": [GREEN], "missing": []})))
    assert [each.event for each in run.claim("Really done.")] == ["gate.passed"]
    assert not verify(run)
