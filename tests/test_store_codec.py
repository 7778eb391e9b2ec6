from __future__ import annotations

import dataclasses
import json
import typing
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.errors import StoreBroken
from agent.steps import KINDS, Finished, Outcome, Parked, Started, Step
from agent.store import codec
from agent.store.codec import Row, decode, encode, plain
from agent.store.shape import Shape
from tests.store_contract import ONE_OF_EACH, asked

GOLDEN = sorted((Path(__file__).parent / "data").glob("journal_v*.jsonl"))


def rejoined(text: str) -> str:
    """Halves of a surrogate pair that stand side by side are one sign."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


TEXT = st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from("\0\ud83d\ude00\x1b\u2028"))).map(rejoined)


def values_of(hint: Any) -> st.SearchStrategy[Any]:
    args = typing.get_args(hint)
    if typing.get_origin(hint) in (typing.Union, UnionType):
        return st.one_of([st.none() if arg is NoneType else values_of(arg) for arg in args])
    if typing.get_origin(hint) is tuple:
        return st.lists(values_of(args[0]), max_size=3).map(tuple)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        hints = typing.get_type_hints(hint)
        return st.builds(hint, **{name: values_of(hints[name]) for name in hints})
    if issubclass(hint, Enum):
        return st.sampled_from(hint)
    plain_values = {str: TEXT, int: st.integers(), float: st.floats(allow_nan=False), bool: st.booleans()}
    return plain_values[hint]


@given(st.one_of([values_of(kind) for kind in KINDS]))
def test_every_step_comes_back_exactly(step: Step) -> None:
    row = encode(step)
    row.body.encode()
    assert "\0" not in row.body
    again = decode(*row)
    assert again == step
    assert type(again) is type(step)


def test_nested_types_come_back_as_what_they_were() -> None:
    finished = next(step for step in ONE_OF_EACH if isinstance(step, Finished))
    again = decode(*encode(finished))
    assert isinstance(again, Finished)
    assert isinstance(again.outcome, Outcome)
    assert isinstance(again.files, tuple)
    assert again.files[1].before is None
    assert decode(*encode(dataclasses.replace(finished, files=None))) == dataclasses.replace(finished, files=None)


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ("\ud83d\ude00", "\U0001f600"),  # two halves that met
        ("\ude00\ud83d", "\ude00\ud83d"),  # the wrong way round: still two halves
        ("a\ud83d", "a\ud83d"),
        ("\0", "\0"),
        ("😀\ud83d", "😀\ud83d"),
    ],
)
def test_broken_text_survives(text: str, back: str) -> None:
    assert decode(*encode(asked(text))) == asked(back)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("plain", "plain"),
        ("grün 😀", "grün 😀"),
        ("a\0b", "a\ufffdb"),
        ("a\ud83db", "a\ufffdb"),
        ("\0\ud83d", "\ufffd\ufffd"),
        ("x\ud83d\ude00", "x😀"),
    ],
)
def test_plain_text_is_what_a_text_column_takes(text: str, stored: str) -> None:
    assert plain(text) == stored


# -- journals of earlier releases -----------------------------------------------------------------------------------
def test_there_is_one_example_of_each_kind() -> None:
    assert [type(step) for step in ONE_OF_EACH] == list(KINDS)


def golden(file: Path) -> list[Row]:
    return [Row(**json.loads(line)) for line in file.read_text("utf-8").splitlines()]


def test_a_journal_of_the_first_release_is_read() -> None:
    steps = [decode(*row) for row in golden(GOLDEN[0])]
    assert steps == list(ONE_OF_EACH)[: len(steps)], "kinds of later releases stand behind"


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.name)
def test_golden_rows_of_todays_version_are_still_written_so(file: Path) -> None:
    for row in golden(file):
        if row.version == codec.VERSIONS[row.kind]:
            old, new = json.loads(row.body), json.loads(encode(decode(*row)).body)
            assert without_new_fields(new, old) == old, "changed without a new version"


def without_new_fields(new: Any, old: Any) -> Any:
    """What a later release writes, without the fields that it added: those have defaults."""
    match old:
        case dict():
            return {name: without_new_fields(new[name], old[name]) for name in old}
        case list():
            return [*map(without_new_fields, new, old), *new[len(old) :]]
    return new


def test_each_older_version_has_an_upgrade() -> None:
    wanted = {(kind, older) for kind, newest in codec.VERSIONS.items() for older in range(1, newest)}
    assert set(codec.UPGRADES) == wanted


def test_an_old_row_is_lifted_version_by_version(monkeypatch: pytest.MonkeyPatch) -> None:
    def renamed(raw: dict[str, Any]) -> dict[str, Any]:
        return {"at": raw["at"], "call_id": raw["call"]}

    def prefixed(raw: dict[str, Any]) -> dict[str, Any]:
        return {**raw, "call_id": f"call-{raw['call_id']}"}

    monkeypatch.setitem(codec.VERSIONS, "started", 3)
    monkeypatch.setitem(codec.UPGRADES, ("started", 1), renamed)
    monkeypatch.setitem(codec.UPGRADES, ("started", 2), prefixed)
    assert decode("started", 1, '{"at":1.0,"call":"7"}') == Started(at=1.0, call_id="call-7")
    assert decode("started", 2, '{"at":1.0,"call_id":"7"}') == Started(at=1.0, call_id="call-7")
    assert decode("started", 3, '{"at":1.0,"call_id":"7"}') == Started(at=1.0, call_id="7")


def test_a_field_that_came_later_takes_its_default_and_one_from_the_future_is_left_out() -> None:
    assert decode("asked", 1, '{"at":1.0,"text":"hello","author":"telegram:7","mood":"good"}') == asked()


@pytest.mark.parametrize(
    ("kind", "version", "body"),
    [
        ("dreamt", 1, "{}"),  # unknown kind
        ("started", 2, '{"at":1.0,"call_id":"7"}'),  # newer than ours
        ("started", 0, '{"at":1.0,"call_id":"7"}'),  # never was
        ("started", 1, '{"at":1.0,"call_id":'),  # cut
        ("started", 1, '{"at":1.0}'),  # a field is gone
        ("started", 1, "[]"),
        ("started", 1, "null"),
        ("ended", 1, '{"at":1.0,"end":"vanished"}'),  # not in the closed set
        ("proposed", 1, '{"at":1.0,"effect":"read","call":"c"}'),
        ("proposed", 1, '{"at":1.0,"effect":"read","call":{"id":"c"}}'),
    ],
)
def test_a_row_that_cannot_be_read_is_refused_in_words(kind: str, version: int, body: str) -> None:
    with pytest.raises(StoreBroken, match=kind):
        decode(kind, version, body)


def test_numbers_keep_their_type() -> None:
    parked = decode(*encode(Parked(at=1.0, until=None, why="")))
    assert isinstance(parked, Parked)
    assert isinstance(parked.at, float)
    assert parked.until is None


@pytest.mark.parametrize("hint", [dict[str, int], int | str, tuple[int, str], list[int]])
def test_a_field_that_has_no_place_in_a_row_is_refused_when_the_class_is_made(hint: Any) -> None:
    with pytest.raises(TypeError, match=r"stored|hold|told apart"):
        Shape(dataclasses.make_dataclass("Odd", [("field", hint)]))
