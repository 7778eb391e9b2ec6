"""World state: when it asks, what stands in the block, that it is one and within its cap, and when it is silent."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.checkpoint import Checkpoint
from agent.guards._world.block import World as State
from agent.guards._world.block import next_step, rendered
from agent.guards._world.disk import Disk, age, disk_of
from agent.guards.drift import Drift
from agent.guards.sticky import Sticky
from agent.guards.world import World
from agent.messages import WORLD_BYTES, History
from agent.plan import Item
from agent.steps import Asked, Change, Corrected, End, Ended, Handed, Opened, Outcome, Said, Seen, Stream
from tests.test_guard_drift import MISMATCH, WORDS, Run, found

DISK: dict[str, Any] = {"files": 3, "whole": True, "newest": [["src/a.ts", 70], ["b.md", 9000]], "missing": []}


def turns(run: Run, count: int) -> None:
    for number in range(count):
        run.call("shell", {"command": f"ls {number}"}, exit_code=0, files=())


def write(run: Run, *paths: str) -> None:
    run.call("write_file", {"path": paths[0]}, files=tuple(Change(path, "", f"h{run.number}") for path in paths))


def fail(run: Run, command: str = "pytest -q", text: str = "AssertionError: two is not three") -> None:
    err = Stream(head=text, size=len(text))
    run.call("shell", {"command": command}, outcome=Outcome.FAILED, exit_code=1, stderr=err, stdout=Stream(), files=())


def block(run: Run, disk: dict[str, Any] | None = None) -> str:
    """What the world says once its look is answered; "" for nothing."""
    said = run.answer("disk", disk or DISK)
    assert len(said) <= 1
    return said[0].text if said else ""


# -- when -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("count", "asks"), [(7, 0), (8, 1), (15, 1), (16, 2)])
def test_it_looks_every_so_many_turns(count: int, asks: int) -> None:
    run = Run(World())
    turns(run, count)
    assert len(run.looks) == asks


@pytest.mark.parametrize(("files", "asks"), [(4, 0), (5, 1), (6, 1)])
def test_it_looks_after_several_writes(files: int, asks: int) -> None:
    run = Run(World())
    write(run, *(f"/w/{number}.md" for number in range(files)))
    assert len(run.looks) == asks


@pytest.mark.parametrize(
    ("command", "outcome", "written", "asks"),
    [
        ("npm run build", Outcome.OK, True, 1),
        ("tsc --noEmit", Outcome.OK, True, 1),
        ("cargo build --release", Outcome.OK, True, 1),
        ("npm run build", Outcome.FAILED, True, 0),
        ("npm run build", Outcome.OK, False, 0),
        ("ls build", Outcome.OK, True, 0),
        ("make-believe", Outcome.OK, True, 0),
    ],
)
def test_it_looks_after_a_build_of_something_that_was_written(
    command: str, outcome: Outcome, written: bool, asks: int
) -> None:
    run = Run(World())
    if written:
        write(run, "/w/a.ts")
    run.call("shell", {"command": command}, outcome=outcome, exit_code=int(outcome is not Outcome.OK), files=())
    assert len(run.looks) == asks


def test_its_settings_move_the_thresholds() -> None:
    run = Run(World(every=2, writes=1, max_files=3))
    turns(run, 2)
    write(run, "/w/a.md")
    assert [json.loads(look.args)["newest"] for look in run.looks] == [3, 3]


def test_a_short_run_costs_nothing() -> None:
    run = Run(World())
    turns(run, 3)
    write(run, "/w/a.md")
    fail(run)
    run.claim()
    assert (run.looks, run.nudges) == ([], [])


# -- only what is new -----------------------------------------------------------------------------------------------
def test_the_same_content_is_not_sent_again_though_turn_and_ages_moved() -> None:
    run = Run(World())
    turns(run, 8)
    assert block(run).startswith('<world-state turn="8" trigger="turns">\nGOAL:\nfix it\n')
    turns(run, 8)
    assert block(run, {**DISK, "newest": [["src/a.ts", 999], ["b.md", 99_999]]}) == ""
    turns(run, 8)
    assert 'turn="24"' in block(run, {**DISK, "files": 4})


def test_a_new_run_gets_its_block_again() -> None:
    run = Run(World())
    turns(run, 8)
    assert block(run)
    run.show(Ended(at=4, end=End.ANSWERED), Asked(at=5, text="fix it", author="t:7"))
    turns(run, 8)
    assert block(run)


def test_no_answer_of_the_probe_leaves_the_rest_standing() -> None:
    run = Run(World())
    fail(run)
    turns(run, 7)
    (nudge,) = run.answer("disk", None, "timeout")
    assert "two is not three" in nudge.text and "0 files" in nudge.text


@pytest.mark.parametrize("value", ["", "null", "[]", "{}", '{"files": "x"}', '{"files": 1, "whole": 1, "newest": [1]}'])
def test_an_odd_answer_is_none(value: str) -> None:
    assert disk_of(Seen(at=0, look="l", probe="disk", value=value)) is None


# -- what stands in it ----------------------------------------------------------------------------------------------
def test_the_six_parts() -> None:
    run = Run(World(), Drift())
    items = [
        {"text": "write src/a.ts", "status": "completed", "artifacts": ["src/a.ts"]},
        {"text": "write gone.ts", "status": "completed", "artifacts": ["gone.ts"]},
        {"text": "test it", "status": "in_progress"},
        {"text": "tidy", "status": "pending"},
    ]
    run.call("plan", {"items": items}, files=())
    fail(run)
    write(run, *(f"/w/{number}.ts" for number in range(5)))
    run.answer("drift", found(MISMATCH))
    text = block(run, {**DISK, "missing": ["gone.ts"]})
    assert text.splitlines() == [
        '<world-state turn="3" trigger="writes">',
        "GOAL:",
        "fix it",
        "WORKSPACE FACTS:",
        "- 3 files that aren't ignored",
        "- src/a.ts changed 1 min ago",
        "- b.md changed 2 h ago",
        "PLAN STATUS:",
        "1. [OK] write src/a.ts",
        "2. [MISS] write gone.ts (gone.ts is not there)",
        "3. [pending] test it (in progress)",
        "4. [pending] tidy",
        "RECENT UNRESOLVED FAILURES:",
        "- AssertionError: two is not three",
        "CROSS-FILE DRIFT:",
        f"- {WORDS}",
        "SUGGESTED NEXT STEP:",
        "Make both sides of src/a.ts:3 agree: change the import or the export.",
        "</world-state>",
    ]


def test_a_completed_item_whose_check_is_red_is_missed_until_something_changes() -> None:
    run = Run(World(every=3))
    run.call("plan", {"items": [{"text": "do", "status": "completed", "verify": "make ok"}]}, files=())
    fail(run, "make ok", "make: *** [ok] Error 1")
    turns(run, 1)
    assert "[MISS] do (its check is red)" in block(run)
    write(run, "/w/a.py")
    turns(run, 2)
    assert block(run) == ""  # not before it is known what the check says now
    (said,) = run.answer("verify", {"checks": [{"command": "make ok", "exit_code": 0}]})
    assert "[OK] do" in said.text


def test_the_goal_is_the_users_words_over_edits_steering_and_handoffs() -> None:
    run = Run(World(every=1))
    run.show(Corrected(at=1, text="no ref", author="t:7", ref="other"))
    run.show(Asked(at=1, text="and hurry", author="t:7"))
    turns(run, 1)
    assert "GOAL:\nfix it\n" in block(run)
    checkpoint = Checkpoint(number=1, goal="the whole goal", turns=1, limit=9).to_json()
    run.show(Handed(at=2, checkpoint=checkpoint, text="t"))
    turns(run, 1)
    assert "GOAL:\nthe whole goal\n" in block(run)


def test_an_edit_of_the_goal_counts() -> None:
    run = Run(World(every=1))
    run.show(Ended(at=1, end=End.ANSWERED), Asked(at=1, text="paint it red", author="t:7", ref="r1"))
    run.show(Corrected(at=1, text="paint it blue", author="t:7", ref="r1"))
    turns(run, 1)
    assert "GOAL:\npaint it blue\n" in block(run)


def test_what_a_message_marks_for_a_machine_is_not_said_twice() -> None:
    state = State(goal="go [[id:7#x]] to app/[[...slug]]/page.tsx", disk=Disk())
    text, _ = rendered(state, 1, "turns")
    assert "[[id:" not in text and "app/[[...slug]]/page.tsx" in text


NEXT = [
    (State("g", Disk(), drift=("a.ts:1 takes x",), failures=("f",)), "a.ts:1"),
    (State("g", Disk(), failures=("f",), items=(Item("i"),)), "newest failure"),
    (State("g", Disk(missing=frozenset({"a"})), (Item("i", "completed", artifacts=("a",)), Item("j"))), "Item 1"),
    (State("g", Disk(), (Item("i", "completed"), Item("j"))), "item 2: j"),
    (State("g", Disk(), (Item("i", "completed"), Item("j", "blocked"))), "Every item"),
    (State("g", Disk()), "towards the goal"),
]


@pytest.mark.parametrize(("state", "told"), NEXT, ids=[told for _, told in NEXT])
def test_the_next_step_is_the_most_pressing_one(state: State, told: str) -> None:
    assert told in next_step(state)


@pytest.mark.parametrize(
    ("seconds", "told"), [(0, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "59 min"), (3600, "1 h"), (86_400, "1 d")]
)
def test_ages(seconds: int, told: str) -> None:
    assert age(seconds) == told


words = st.text(max_size=600)


@given(
    words,
    st.lists(words, max_size=60),
    st.lists(words, max_size=12),
    st.lists(words, max_size=12),
    st.lists(st.tuples(words, st.integers(0, 10**9)), max_size=30),
)
def test_the_block_is_within_its_cap_and_closed_once(
    goal: str, plan: list[str], failures: list[str], drift: list[str], newest: list[tuple[str, int]]
) -> None:
    items = tuple(Item(text, artifacts=("x",)) for text in plan)
    state = State(goal, Disk(newest=tuple(newest)), items, (None,) * len(items), tuple(failures), tuple(drift))
    text, _ = rendered(state, 99_999, "turns")
    assert len(text.encode("utf-8", "replace")) <= WORLD_BYTES
    assert text.count("<") == 2 and text.endswith("\n</world-state>") and "GOAL:" in text and "NEXT STEP:" in text


def test_of_much_the_newest_and_the_item_at_hand_are_kept() -> None:
    items = tuple(Item(f"item {number} " + "x" * 80, "completed" if number < 30 else "pending") for number in range(50))
    failures = tuple(f"failure {number} " + "y" * 150 for number in range(9))
    state = State("the goal " * 90, Disk(), items, (), failures, ())
    text, _ = rendered(state, 1, "turns")
    assert "failure 0" in text and "failure 8" not in text and "31. [pending] item 30" in text


# -- in front of the model ------------------------------------------------------------------------------------------
def shown(run: Run) -> str:
    """The tail of the request that comes next."""
    history = History()
    opened = Opened(at=0, prompt="p", tools=(), model="", panel="ours", day="", cwd="/w", nonce="n", workspace="/w")
    for number, step in enumerate([opened, Asked(at=0, text="fix it", author="t:7"), *run.nudges], start=1):
        history.fold(number, step)
    return history._tail()


def test_ten_unrelated_turns_after_a_failure_it_is_there_once_and_gone_when_it_is_mended() -> None:
    run = Run(World(), Sticky())
    fail(run)
    turns(run, 10)
    assert block(run)
    tail = shown(run)
    assert tail.count("two is not three") == 1 and tail.count("<world-state") == 1
    assert len(tail.encode()) <= WORLD_BYTES + 200
    run.call("shell", {"command": "pytest -q"}, exit_code=0, stdout=Stream(head="1 passed", size=8), files=())
    assert "two is not three" not in shown(run)
    assert json.loads(run.nudges[-1].data) == {"trigger": "resolved"}


def test_what_stands_in_the_tail_by_another_guard_is_not_said_again() -> None:
    run = Run(World(), Sticky())
    for _ in range(3):
        fail(run)
    turns(run, 8)
    block(run)
    assert shown(run).count("two is not three") == 1


def test_only_the_newest_block_is_there_beside_the_notes() -> None:
    run = Run(World())
    turns(run, 8)
    block(run)
    turns(run, 8)
    block(run, {**DISK, "files": 77})
    tail = shown(run)
    assert tail.count("<world-state") == 1 and "77 files" in tail


def test_a_replay_says_nothing_and_goes_on_where_it_was() -> None:
    first = Run(World())
    turns(first, 8)
    block(first)
    again = Run(World())
    again.panel.replay([Said(at=1, text="")])
    assert again.nudges == []
