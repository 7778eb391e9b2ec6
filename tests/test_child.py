"""A child session's name, and what of its run is folded into its parent's call."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.child import edges_of, outcome_of
from agent.edges import Edges
from agent.guards._standing import Standing
from agent.guards.budget import Budget
from agent.lineage import child_of, parent_of
from agent.ports import Errand, Guard
from agent.steps import Asked, Call, Change, End, Ended, Finished, Outcome, Said, Step, Usage
from tests.fakes.edges import make_edges

BUTTON = 64  # bytes of a button's data; Telegram's limit
PARENT = "19bd0123456-0123abcd"


@given(st.text(max_size=300))
def test_a_childs_name_fits_a_button_and_leads_back(call_id: str) -> None:
    name = child_of(PARENT, call_id)
    assert parent_of(name) == PARENT and name == child_of(PARENT, call_id)
    assert len(f"again:{name}".encode()) <= BUTTON


@pytest.mark.parametrize(
    ("call_id", "name"), [("call_1", "p/call_1"), ("a" * 24, "p/" + "a" * 24), ("call-x", "p/call-x")]
)
def test_a_plain_call_id_stays_readable(call_id: str, name: str) -> None:
    assert child_of("p", call_id) == name


@pytest.mark.parametrize("call_id", ["a" * 25, "a/b", "ä", "", "a b"])
def test_another_one_is_named_by_its_hash(call_id: str) -> None:
    assert child_of("p", call_id).count("/") == 1 and child_of("p", call_id) != f"p/{call_id}"


def test_a_session_without_a_parent_has_none() -> None:
    assert parent_of(PARENT) == ""


def with_guards(*guards: Guard) -> Edges:
    return make_edges(journal=None, model=None, host=None, clock=None, guards=guards)


def budgets(edges: Edges) -> list[Budget]:
    return [guard for guard in edges.guards if isinstance(guard, Budget)]


@pytest.mark.parametrize(
    ("limit", "spent", "errand", "left"),
    [
        (None, 5_000, 3_000, 3_000),
        (20_000, 0, 3_000, 3_000),
        (20_000, 17_000, 3_000, 3_000),
        (20_000, 17_001, 3_000, 2_999),
        (20_000, 19_999, 3_000, 1),
        (20_000, 25_000, 3_000, 0),
    ],
)
def test_a_child_may_spend_what_is_left_of_its_parents_run(
    limit: int | None, spent: int, errand: int, left: int
) -> None:
    steps: list[Step] = [Asked(at=1, text="go", author="t:7"), replace(SAID, usage=Usage(prompt=spent))]
    edges = edges_of(with_guards(Budget(run_tokens=limit)), Errand("look", tokens=errand), steps)
    assert [each.run_tokens for each in budgets(edges)] == [left]


def test_every_limit_of_a_run_shrinks_and_what_is_shared_stays() -> None:
    limits = Budget(turns=9, run_tokens=90, run_money=1.0, run_calls=5, run_s=60.0, day_tokens=70, user_day_calls=4)
    used = replace(SAID, calls=(Call("c", "shell", "{}"),), duration=10.0)
    two = Usage(prompt=20, of=2)
    steps: list[Step] = [Asked(at=1, text="go", author="t:7"), used, finished("subagent", usage=two, duration=5.0)]
    (left,) = budgets(edges_of(with_guards(limits), Errand("look", turns=3, tokens=1_000), steps))
    assert (left.turns, left.run_tokens, left.run_money, left.run_calls, left.run_s) == (3, 58, 0.5, 2, 45.0)
    assert (left.day_tokens, left.user_day_calls, left.day_money) == (70, 4, None)


def test_without_a_budget_guard_the_errands_own_holds() -> None:
    (only,) = budgets(edges_of(with_guards(), Errand("look", tokens=1_234), ()))
    assert only.run_tokens == 1_234


@given(st.lists(st.builds(Usage, prompt=st.integers(0, 99), completion=st.integers(0, 9)), max_size=9))
def test_a_sum_of_usages_counts_the_calls_that_cost_something(each: list[Usage]) -> None:
    assert sum(each, Usage()).calls == sum(one.tokens > 0 for one in each)


def journal(*steps: Step) -> list[tuple[int, Step]]:
    asked: Step = Asked(at=1, text="task", author="t:7")
    return list(enumerate([asked, *steps], start=1))


def finished(tool: str = "shell", **more: object) -> Finished:
    done = Finished(at=2, call_id="c", tool=tool, outcome=Outcome.OK, text="fine")
    return replace(done, **more)  # type: ignore[arg-type]


SAID = Said(at=3, text="found it", usage=Usage(prompt=10, completion=2, money=0.5))
DONE = Ended(at=4, end=End.ANSWERED)
ENDS = [
    (DONE, Outcome.OK, "done"),
    (Ended(at=4, end=End.LIMIT, reason="all used"), Outcome.FAILED, "limit: all used"),
    (Ended(at=4, end=End.UNRESOLVED, reason="open"), Outcome.FAILED, "unresolved: open"),
    (Ended(at=4, end=End.BLOCKED, reason="no key"), Outcome.FAILED, "blocked: no key"),
    (Ended(at=4, end=End.STOPPED), Outcome.CANCELLED, "stopped: it was stopped"),
    (Ended(at=4, end=End.FAILED, reason="gone"), Outcome.FAILED, "failed: gone"),
]


@pytest.mark.parametrize(("ended", "outcome", "told"), ENDS, ids=lambda each: getattr(each, "value", None))
def test_each_end_is_told(ended: Ended, outcome: Outcome, told: str) -> None:
    result = outcome_of(journal(SAID, ended))
    assert result.outcome is outcome and told in result.text and result.text.startswith("found it")


def test_the_answer_of_a_task_complete_counts_too() -> None:
    call = Call("c", "task_complete", '{"summary": "the summary"}')
    assert outcome_of(journal(Said(at=2, text="", calls=(call,)), DONE)).text.startswith("the summary")


def test_files_fold_from_the_first_before_to_the_last_after() -> None:
    first, second = (
        finished(files=(Change("a", "0", "1"),)),
        finished(files=(Change("a", "1", "2"), Change("b", "", "x"))),
    )
    result = outcome_of(journal(first, second, SAID, DONE))
    assert result.files == (Change("a", "0", "2"), Change("b", "", "x"))


def test_one_call_of_unknown_reach_makes_it_all_unknown() -> None:
    result = outcome_of(journal(finished(files=(Change("a", "0", "1"),)), finished(files=None), SAID, DONE))
    assert result.files is None


def test_usage_sums_up_with_what_its_calls_cost() -> None:
    debate = finished("debate", usage=Usage(prompt=5, completion=5))
    usage = outcome_of(journal(SAID, debate, SAID, DONE)).usage
    assert usage is not None and (usage.tokens, usage.money) == (34, 1.0)


TAINTS = [
    (finished("web_fetch"), True),
    (finished("web_search"), True),
    (finished("session_log", tainted=True), True),
    (finished("shell"), False),
]


@pytest.mark.parametrize(("step", "tainted"), TAINTS, ids=range(len(TAINTS)))
def test_words_from_elsewhere_taint_the_parent_too(step: Finished, tainted: bool) -> None:
    result = outcome_of(journal(step, SAID, DONE))
    assert result.tainted is tainted
    standing = Standing()
    standing.fold(Asked(at=1, text="t", author="t:7"))
    standing.fold(finished("subagent", tainted=result.tainted))
    assert standing.tainted is tainted


def test_a_child_of_a_tainted_parent_begins_tainted() -> None:
    standing = Standing()
    standing.fold(Asked(at=1, text="t", author="t:7", role="viewer", tainted=True))
    assert (standing.tainted, standing.role) == (True, "viewer")
