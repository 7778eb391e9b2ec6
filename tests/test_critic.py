"""The critic: what is a vote, which evidence counts, and what the guard says to each of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.critic.request import RULES, Material, View, changed, messages
from agent.critic.vote import Vote, parse, place_of
from agent.guards.critic import Critic
from agent.panel import Panel
from agent.ports import Look, Nudge
from agent.steps import (
    Asked,
    Call,
    Change,
    Ended,
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
)
from agent.verdict import CLEAR, FAILSOFT, PASSED, REFUSED, UNCHECKED, VOTED

VOTES = [
    ('{"vote": "approve"}', "approve", "none"),
    ('```json\n{"vote": "APPROVE", "severity": "none", "findings": []}\n```', "approve", "none"),
    ('Sure!\n{"vote": "request changes", "findings": []}', "request_changes", "major"),
    ('{"vote": "Request-Changes", "severity": "minor"}', "request_changes", "minor"),
    ('{"vote": "reject"}', "reject", "critical"),
    ('{"vote": "rejected", "severity": "critical"}', "reject", "critical"),
    ('{"vote": "reject", "severity": "minor"}', "request_changes", "minor"),
    ('{"vote": "approve"} no: {"vote": "reject"}', "reject", "critical"),
    ('<think>{"vote": "reject"}</think>{"vote": "approve"}', "approve", "none"),
    ('{"note": 1} {"vote": "approve"}', "approve", "none"),
]
NONE = [
    "", "fine", '{"vote": 1}', '{"vote": null}', '{"vote": "maybe"}', '["approve"]', '{"vote": "approve"', "{" * 5000,
    '{"vote": ["approve"]}', "approve", '{"verdict": "approve"}', "\0", "[" * 100_000,
]  # fmt: skip


@pytest.mark.parametrize(("text", "vote", "severity"), VOTES, ids=range(len(VOTES)))
def test_a_vote_is_read_as_it_is_meant(text: str, vote: str, severity: str) -> None:
    found = parse(text)
    assert found is not None and (found.vote, found.severity) == (vote, severity)


@pytest.mark.parametrize("text", NONE, ids=range(len(NONE)))
def test_anything_else_is_no_vote(text: str) -> None:
    assert parse(text) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
)


@given(st.dictionaries(st.sampled_from(["file", "line", "quote", "problem", "missing"]), JSON), st.text())
def test_no_finding_breaks_the_reader(finding: dict[str, Any], before: str) -> None:
    found = parse(before + json.dumps({"vote": "reject", "findings": [finding, 1, None]}))
    assert found is None or (isinstance(found, Vote) and all(each.problem for each in found.findings))


PLACES = [
    ("b = 2", "a = 1\nb = 2\n", 0, 2),
    ("b  =\n 2", "a = 1\nb = 2\n", 0, 2),
    ("x()", "x()\n\n\nx()\n", 3, 4),
    ("x()", "x()\n\n\nx()\n", 1, 1),
    ("a.c", "abc", 0, 0),
    ("no such", "a = 1", 0, 0),
    ("a", "a", 0, 0),
    ("  ", "  ", 0, 0),
    ("", "abc", 0, 0),
]


@pytest.mark.parametrize(("quote", "content", "near", "line"), PLACES, ids=range(len(PLACES)))
def test_a_quote_counts_where_it_stands(quote: str, content: str, near: int, line: int) -> None:
    assert place_of(quote, content, near) == line


# -- the request ----------------------------------------------------------------------------------------------------
def test_the_request_stays_within_its_room_and_says_what_it_leaves_out() -> None:
    views = tuple(View(f"f{n}.py", "", "x = 1\n" * 5_000) for n in range(50))
    made = messages(Material("g" * 50_000, "c" * 50_000, files=views, left_out=3), "abcd", 8_000, 30_000)
    assert sum(len(each["content"].encode()) for each in made) <= 30_500
    assert "more changed files are not shown" in made[1]["content"]


@pytest.mark.parametrize("room", [0, 100, 2_000, 9_000])
def test_a_small_room_breaks_nothing(room: int) -> None:
    made = messages(Material("goal", "claim", files=(View("a.py", "", "x = 1\n"),)), "abcd", 8_000, room)
    assert made[0]["content"] == RULES and "goal" in made[1]["content"]


SHOWN = [
    (View("a", "a\nb\n", "a\nc\n"), ["-b", "+c"]),
    (View("a", "", "new\n"), ["[new file]", "new"]),
    (View("a", "old\n", ""), ["deleted or emptied", "old"]),
    (View("a", None, "now\n"), ["before the change: unknown", "now"]),
    (View("a", "was\n", None, "can't be shown: binary"), ["binary"]),
    (View("a", "x\n" * 4_000, "y\n" * 4_000), ["too long to compare"]),
    (View("a", "x\n", "x\n"), ["[unchanged]"]),
]


@pytest.mark.parametrize(("view", "told"), SHOWN, ids=range(len(SHOWN)))
def test_each_kind_of_change_is_shown(view: View, told: list[str]) -> None:
    text = changed(view, 4_000)
    assert all(each in text for each in told) and len(text.encode()) <= 4_100


# -- the guard ------------------------------------------------------------------------------------------------------
def opened(context: int = 0) -> Opened:
    return Opened(
        at=0, prompt="p", tools=(), model="m", panel="ours", day="d", cwd="/w", nonce="abcd", workspace="/w",
        context=context,
    )  # fmt: skip


def wrote(number: int, path: str = "/w/a.py") -> list[Step]:
    call = Call(f"c{number}", "write_file", json.dumps({"path": path, "content": str(number)}))
    files = (Change(path, "0", str(number)),)
    return [
        Said(at=1, text="", calls=(call,)),
        Proposed(at=1, call=call, effect="write"),
        Finished(at=1, call_id=call.id, tool="write_file", outcome=Outcome.OK, text="ok", files=files),
    ]


def gate(event: str = PASSED) -> Nudged:
    return Nudged(at=2, guard="gate", event=event, level=Level.NOTE, text="", slot="gate", data='{"what": "green"}')


def seen(look: str, value: Any, status: str = "ok") -> Seen:
    return Seen(at=3, look=look, probe="critic", value=json.dumps(value), status=status)


def voted(vote: str | None, **more: Any) -> dict[str, Any]:
    found = [{"problem": "bad", "file": "a.py", "line": 1, "quote": "x", "missing": False}] if vote != "approve" else []
    return {"vote": vote, "severity": "none", "findings": found, "why": "", **more}


class Bench:
    """A critic that is shown steps as a panel shows them."""

    def __init__(self, **settings: Any) -> None:
        self.critic, self.looks = Critic(**settings), 0
        self.show(opened(), Asked(at=0, text="the goal", author="t:7"))

    def show(self, *steps: Step) -> Nudge | Look | None:
        answer = None
        for step in steps:
            answer = self.critic.observe(step)
        return answer

    def claimed(self, answer: Any, status: str = "ok", event: str = PASSED) -> Nudge:
        look = self.show(Said(at=2, text="done"), gate(event))
        assert isinstance(look, Look)
        self.looks += 1
        name = f"look-{self.looks}"
        self.show(Looking(at=2, look=name, guard="critic", probe="critic", args=look.args))
        nudge = self.show(seen(name, answer, status))
        assert isinstance(nudge, Nudge)
        return nudge


@pytest.mark.parametrize("event", [PASSED, UNCHECKED, CLEAR])
def test_it_asks_once_the_gate_says_that_nothing_is_wrong(event: str) -> None:
    bench = Bench()
    bench.show(*wrote(1), Said(at=2, text="done"))
    look = bench.show(gate(event))
    assert isinstance(look, Look)
    asked = json.loads(look.args)
    assert asked["goal"] == "the goal" and asked["claim"] == "done" and asked["files"] == ["/w/a.py"]


@pytest.mark.parametrize("event", [REFUSED, "gate.early", "claims.unverified"])
def test_it_is_silent_where_the_gate_refuses(event: str) -> None:
    bench = Bench()
    assert bench.show(*wrote(1), Said(at=2, text="done"), gate(event)) is None


def test_it_is_silent_in_a_run_that_changed_nothing_or_too_little() -> None:
    assert Bench().show(Said(at=2, text="done"), gate()) is None
    assert Bench(min_writes=2).show(*wrote(1), gate()) is None
    assert isinstance(Bench(min_writes=2).show(*wrote(1), *wrote(2), gate()), Look)


@pytest.mark.parametrize(
    ("path", "read"),
    [
        *((name, True) for name in ("deploy.sh", "app.py", "nginx.conf", "Dockerfile", "a/ci.yml", "page.html")),
        *((name, False) for name in ("NOTES.md", "notes.txt", "users.csv", "logo.PNG", "LICENSE", "run.log", "a.pyc")),
    ],
)
def test_only_what_may_hold_a_fault_of_code_is_read(path: str, read: bool) -> None:
    assert isinstance(Bench().show(*wrote(1, f"/w/{path}"), gate()), Look) is read


def test_an_earlier_runs_changes_are_not_its_business() -> None:
    bench = Bench()
    bench.show(*wrote(1), Ended(at=4, end="answered"), Asked(at=5, text="next", author="t:7"))  # type: ignore[arg-type]
    assert bench.show(Said(at=6, text="done"), gate()) is None


def test_approval_is_told_and_holds_nothing() -> None:
    bench = Bench()
    bench.show(*wrote(1))
    nudge = bench.claimed(voted("approve"))
    assert (nudge.level, nudge.event, nudge.text) == (Level.NOTE, VOTED, "")
    assert json.loads(nudge.data)["vote"] == "approve"


@pytest.mark.parametrize("vote", ["reject", "request_changes"])
def test_two_objections_go_back_and_the_third_is_only_told(vote: str) -> None:
    bench = Bench()
    levels = []
    for number in (1, 2, 3):
        bench.show(*wrote(number))
        levels.append(bench.claimed(voted(vote)).level)
    assert levels == [Level.HOLD, Level.HOLD, Level.NOTE]


def test_with_no_cycles_it_only_tells() -> None:
    bench = Bench(max_cycles=1)
    bench.show(*wrote(1))
    assert bench.claimed(voted("reject")).level == Level.HOLD
    bench.show(*wrote(2))
    assert bench.claimed(voted("reject")).level == Level.NOTE


def test_with_nothing_changed_since_the_vote_it_is_not_asked_again() -> None:
    bench = Bench()
    bench.show(*wrote(1))
    bench.claimed(voted("reject"))
    nudge = bench.show(Said(at=4, text="done, really"), gate())
    assert isinstance(nudge, Nudge) and nudge.level == Level.NOTE and json.loads(nudge.data)["vote"] == "reject"


NO_VOTES: list[tuple[Any, str]] = [
    (voted(None, why="no answer"), "ok"), (None, "timeout"), (None, "error"), ("x", "ok"), ([], "ok"), ({}, "ok"),
    ({"vote": "reject"}, "ok"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "status"), NO_VOTES, ids=range(len(NO_VOTES)))
def test_no_vote_is_soft_and_not_asked_for_again(value: Any, status: str) -> None:
    bench = Bench()
    bench.show(*wrote(1))
    nudge = bench.claimed(value, status)
    assert (nudge.level, nudge.event, nudge.text) == (Level.NOTE, FAILSOFT, "")
    assert bench.show(Said(at=4, text="done"), gate()) is None


def test_the_room_leaves_place_for_the_answer() -> None:
    bench = Bench()
    bench.show(opened(8_000), *wrote(1))
    look = bench.show(gate())
    assert isinstance(look, Look) and json.loads(look.args)["room"] <= (8_000 - 2_000) * 3.5


# -- in the panel ---------------------------------------------------------------------------------------------------
class Word:
    """A guard that gives its word on every final text."""

    name = "a-gate"
    strict = False

    def observe(self, step: Step) -> Nudge | None:
        return Nudge(Level.NOTE, "", slot="gate", event=PASSED) if isinstance(step, Said) and not step.calls else None


@pytest.mark.parametrize("name", ["a-gate", "z-gate"])
def test_a_panel_lets_a_guard_heed_anothers_word_whatever_their_order(name: str) -> None:
    word = Word()
    word.name = name
    panel = Panel([word, Critic()])
    for step in (opened(), Asked(at=0, text="g", author="t:7"), *wrote(1)):
        panel.observe(step)
    out = panel.observe(Said(at=2, text="done"))
    assert [type(each) for each in out] == [Nudged, Looking]
    again = Panel([word, Critic()])
    again.replay([opened(), Asked(at=0, text="g", author="t:7"), *wrote(1), Said(at=2, text="done"), *out])
    answered = seen(out[1].look, voted("approve"))  # type: ignore[union-attr]
    assert panel.observe(answered) == again.observe(answered) != []
