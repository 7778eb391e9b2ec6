"""Tool calls in the dialects that servers speak."""

from __future__ import annotations

from typing import Any

import pytest

from agent.arguments import AS_OBJECT, COMMAS, TWICE
from agent.models.calls import CallDrafts
from agent.steps import Call
from tests.models_wire import entry


def made(*entries: dict[str, Any], limit: int = 64, taken: tuple[str, ...] = ()) -> tuple[Call, ...]:
    drafts = CallDrafts(limit)
    for each in entries:
        drafts.add(each)
    return drafts.finish(taken)


A, B = ("shell", '{"command":"a"}'), ("shell", '{"command":"b"}')


@pytest.mark.parametrize(
    ("dialect", "entries"),
    [
        (
            "indexed, in fragments",
            [entry(0, "x", "shell", ""), entry(0, None, None, A[1]), entry(1, "y", "shell", B[1])],
        ),
        ("interleaved", [entry(0, "x", "shell", A[1][:5]), entry(1, "y", *B), entry(0, None, None, A[1][5:])]),
        ("out of order", [entry(1, "y", *B), entry(0, "x", *A)]),
        ("gaps", [entry(3, "x", *A), entry(7, "y", *B)]),
        ("all numbered 0", [entry(0, "x", *A), entry(0, "y", *B)]),
        ("no index, with ids", [entry(None, "x", *A), entry(None, "y", *B)]),
        ("no index, one id twice", [entry(None, "x", *A), entry(None, "x", *B)]),
        ("no index, no ids", [entry(None, None, *A), entry(None, None, *B)]),
        (
            "no index, in fragments",
            [entry(None, "x", "shell", ""), entry(None, None, None, A[1]), entry(None, "y", *B)],
        ),
        ("one id twice", [entry(0, "x", *A), entry(1, "x", *B)]),
        ("no ids", [entry(0, None, *A), entry(1, None, *B)]),
        ("empty ids", [entry(0, "", *A), entry(1, "", *B)]),
        (
            "all repeated in each piece",
            [entry(0, "x", "shell", A[1][:4]), entry(0, "x", "shell", A[1][4:]), entry(1, "y", *B)],
        ),
        (
            "repeated, no index",
            [entry(None, "x", "shell", A[1][:4]), entry(None, "x", "shell", A[1][4:]), entry(None, "y", *B)],
        ),
        ("name in fragments", [entry(0, "x", "she", ""), entry(0, None, "ll", A[1]), entry(1, "y", *B)]),
        ("objects", [entry(0, "x", "shell", {"command": "a"}), entry(1, "y", "shell", {"command": "b"})]),
        ("index as null or text", [{**entry(0, "x", *A), "index": None}, {**entry(0, "y", *B), "index": "1"}]),
    ],
)
def test_two_calls_are_two_calls(dialect: str, entries: list[dict[str, Any]]) -> None:
    calls = made(*entries)
    assert [(call.name, call.arguments.replace(": ", ":")) for call in calls] == [A, B]
    assert len({call.id for call in calls} - {""}) == 2


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, "{}"),
        ("", "{}"),
        ("  ", "{}"),
        ({}, "{}"),
        ('{"a": 1}', '{"a": 1}'),
        ({"a": "é"}, '{"a": "é"}'),
        ('"{\\"a\\": 1}"', '{"a": 1}'),
        ('"[1]"', '"[1]"'),
        ('"text"', '"text"'),
        ('"\\"{}\\""', '"\\"{}\\""'),  # encoded three times
        ('{"a": "x', '{"a": "x'),
        ('{"a": 1},', '{"a": 1},'),
        ("[1]", "[1]"),
        ([1], "[1]"),
        (7, "7"),
        ("null", "null"),
        ("[" * 100_000, "[" * 100_000),
        ('{"a": "\ud800"}', '{"a": "\ufffd"}'),
        ("9" * 10_000, "9" * 10_000),
    ],
)
def test_arguments_are_kept_or_decoded_once(given: object, expected: str) -> None:
    assert made(entry(0, "x", "shell", given))[0].arguments == expected


@pytest.mark.parametrize(
    ("given", "mended"),
    [
        ('{"a": 1}', ""),
        (None, ""),
        ({"a": 1}, AS_OBJECT),
        ('"{\\"a\\": 1}"', TWICE),
        ('{"a": 1,}', COMMAS),
        ('{"a": "x', ""),
        ([1], AS_OBJECT),
    ],
)
def test_what_was_mended_stands_in_the_call(given: object, mended: str) -> None:
    assert made(entry(0, "x", "shell", given))[0].mended == mended


def test_a_reply_that_was_cut_is_not_mended() -> None:
    drafts = CallDrafts(1)
    drafts.add(entry(0, "x", "shell", '{"a": 1,}'))
    assert drafts.finish((), whole=False) == (Call("x", "shell", '{"a": 1,}'),)


@pytest.mark.parametrize(
    ("given", "expected"),
    [("shell", "shell"), ("no such tool!", "no such tool!"), ("", "unnamed"), (None, "unnamed"), (" ", "unnamed")],
)
def test_names_are_kept_but_never_empty(given: str | None, expected: str) -> None:
    assert made(entry(0, "x", given, "{}"))[0].name == expected


def test_ids_differ_from_those_of_the_request() -> None:
    calls = made(entry(0, "x", *A), entry(1, "y", *B), taken=("x",))
    assert calls[1].id == "y"
    assert calls[0].id not in ("x", "y", "")


@pytest.mark.parametrize(("length", "kept"), [(200, True), (201, False)])
def test_an_endless_id_is_replaced(length: int, kept: bool) -> None:
    assert (made(entry(0, "i" * length, *A))[0].id == "i" * length) is kept


@pytest.mark.parametrize(("asked", "dropped"), [(2, 0), (3, 0), (4, 1), (500, 497)])
def test_calls_over_the_limit_are_counted_and_dropped(asked: int, dropped: int) -> None:
    drafts = CallDrafts(3)
    for index in range(asked):
        drafts.add(entry(index, f"id{index}", "shell", ""))
        drafts.add(entry(index, None, None, "{}"))
    assert drafts.dropped == dropped
    assert [call.id for call in drafts.finish(())] == [f"id{i}" for i in range(min(asked, 3))]
    assert drafts.size == 2 * min(asked, 3)


@pytest.mark.parametrize(
    "junk", [None, 7, "x", [], {"function": None}, {"index": 0, "function": "x"}, {"type": "function"}]
)
def test_junk_entries_do_no_harm(junk: object) -> None:
    drafts = CallDrafts(3)
    drafts.add(junk)
    assert all(call.name == "unnamed" for call in drafts.finish(()))
