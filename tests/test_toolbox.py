"""The tool list of a session's requests: what stays in its place, what comes last, what is remembered as refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.steps import Offered, Opened, Step, ToolSpec
from agent.toolbox import MOST, Toolbox
from tests.store_contract import asked


def tool(name: str, description: str = "d") -> ToolSpec:
    return ToolSpec(name, description, '{"type":"object","properties":{}}')


A, B, C = tool("a"), tool("b"), tool("c")
NEW_B = tool("b", "another")
OPENED = Opened(at=0.0, prompt="", tools=(A, B), model="m", panel="ours", day="d", cwd="/", nonce="n")


def folded(*steps: Step) -> Toolbox:
    box = Toolbox()
    for step in steps:
        box.fold(step)
    return box


@pytest.mark.parametrize(
    ("steps", "sent"),
    [
        ([OPENED], (A, B)),
        ([OPENED, asked("x")], (A, B)),
        ([OPENED, Offered(at=0.0, added=(C,))], (A, B, C)),
        ([OPENED, Offered(at=0.0, added=(NEW_B,))], (A, NEW_B)),
        ([OPENED, Offered(at=0.0, added=(C, NEW_B))], (A, NEW_B, C)),
        ([OPENED, Offered(at=0.0, dropped=("a",))], (B,)),
        ([OPENED, Offered(at=0.0, dropped=("a", "b"))], ()),
        ([OPENED, Offered(at=0.0, dropped=("nope",))], (A, B)),
        ([OPENED, Offered(at=0.0, dropped=("b",)), Offered(at=0.0, added=(NEW_B,))], (A, NEW_B)),
        ([OPENED, Offered(at=0.0, dropped=("b",)), Offered(at=0.0, added=(B,))], (A,)),
        ([OPENED, Offered(at=0.0, dropped=("b",)), OPENED], (A,)),
        ([OPENED, Offered(at=0.0, dropped=("b",)), replace(OPENED, tools=(A, NEW_B))], (A, NEW_B)),
        ([OPENED, Offered(at=0.0, dropped=("b",)), replace(OPENED, model="other")], (A, B)),
        ([OPENED, Offered(at=0.0, dropped=("b",)), replace(OPENED, model="other"), OPENED], (A, B)),
    ],
)
def test_what_is_sent(steps: list[Step], sent: tuple[ToolSpec, ...]) -> None:
    assert folded(*steps).sent == sent


@pytest.mark.parametrize(
    ("there", "missing"),
    [
        ([], ()),
        ([A], ()),
        ([C], (C,)),
        ([NEW_B], (NEW_B,)),
        ([C, NEW_B, A], (C, NEW_B)),
    ],
)
def test_what_is_missing(there: list[ToolSpec], missing: tuple[ToolSpec, ...]) -> None:
    assert folded(OPENED).missing(there) == missing


def test_what_is_refused_is_not_missing() -> None:
    box = folded(OPENED, Offered(at=0.0, dropped=("b",)))
    assert box.missing([B]) == ()
    assert box.missing([NEW_B]) == (NEW_B,)


@pytest.mark.parametrize(("held", "room"), [(MOST - 2, 2), (MOST - 1, 1), (MOST, 0)])
def test_a_request_holds_so_many_and_no_more(held: int, room: int) -> None:
    box = folded(replace(OPENED, tools=tuple(tool(f"t{n}") for n in range(held))))
    assert box.missing([A, B]) == (A, B)[:room]
    assert box.missing([tool("t0", "another")]) == (tool("t0", "another"),), "what is there needs no room"
