"""Updates of any shape become rows of the inbox, and never an exception."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent import Inbound
from bot.channels._telegram_address import Me
from bot.channels._telegram_intake import receive, reread
from bot.channels._telegram_parse import Unreadable, chat_of, read
from tests.fakes.bot_updates import ADA, FILE, GROUP, NOW, Json, entity, mention, message, ours, press

ME = Me(1000, "Jarvis_test_bot")
M = "@Jarvis_test_bot"


WRONG: dict[str, object] = {
    "no object": [],
    "no message": {"update_id": 1, "message": None},
    "chat": {"update_id": 1, "message": message("hi") | {"chat": "a string"}},
    "chat id": {"update_id": 1, "message": message("hi") | {"chat": {"id": "7", "type": "private"}}},
    "huge chat id": {"update_id": 1, "message": message("hi") | {"chat": {"id": 2**53, "type": "private"}}},
    "boolean sender": {"update_id": 1, "message": message("hi") | {"from": {**ADA, "id": True}}},
    "is_bot": {"update_id": 1, "message": message("hi") | {"from": {**ADA, "is_bot": "no"}}},
    "text": {"update_id": 1, "message": message("hi") | {"text": ["x"]}},
    "message id": {"update_id": 1, "message": message("hi") | {"message_id": "5"}},
    "date": {"update_id": 1, "message": message("hi") | {"date": "yesterday"}},
    "press without a person": {
        "update_id": 1,
        "callback_query": {"id": "1", "chat_instance": "1", "message": message()},
    },
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_shape_is_unreadable_with_a_short_reason(what: str) -> None:
    with pytest.raises(Unreadable) as reason:
        read(WRONG[what], ME, NOW)
    assert 0 < len(str(reason.value)) < 80


def test_the_chat_of_what_cannot_be_read_is_guessed() -> None:
    assert chat_of({"update_id": 1, "message": {"chat": {"id": -5}}}) == "-5"
    assert chat_of({"callback_query": {"message": {"chat": {"id": 7}}}}) == "7"
    odd: list[object] = [
        None,
        5,
        [],
        {},
        {"message": {"chat": {"id": "7"}}},
        {"message": {"chat": 7}},
        {"message": "x"},
    ]
    assert [chat_of(each) for each in odd] == [""] * 7


@pytest.mark.parametrize(("size", "kept"), [(500_000, True), (530_000, False)])
def test_an_update_larger_than_any_real_one_is_poison(size: int, kept: bool) -> None:
    got = receive({"update_id": 1, "message": message("hi", pad="x" * size)}, ME, NOW)
    assert got is not None
    assert (got.arrival is not None) is kept
    assert len(got.row.payload) <= (2**20 if kept else 64 * 1024)
    assert got.row.chat == "7"


def test_rows_that_are_damaged_are_no_arrival() -> None:
    row = Inbound("1000", 1, "7", json.dumps({"update_id": 1, "message": message()}), NOW)
    assert reread(row, ME) is not None
    assert reread(replace(row, poison="bad"), ME) is None
    for payload in ("", "{", "5", "[" * 9999):
        assert reread(replace(row, payload=payload), ME) is None


ASKED = f"😀 {M} hi"
SEEDS: list[Json] = [
    {
        "update_id": 1,
        "message": message(
            ASKED,
            GROUP,
            entities=[mention(ASKED)],
            quote={"text": "q", "position": 0},
            reply_to_message=ours(),
            sender_chat={"id": GROUP, "type": "supergroup"},
        ),
    },
    {"update_id": 1, "message": message("/new a", forward_origin={"type": "user", "sender_user": ADA, "date": 1})},
    {
        "update_id": 1,
        "edited_message": message(
            None,
            GROUP,
            caption="c",
            caption_entities=[entity("bold", 0, 1)],
            photo=[FILE],
            message_thread_id=5,
            is_topic_message=True,
        ),
    },
    {"update_id": 1, "callback_query": press()},
    {"update_id": 1, "message": message(None, -5001, kind="group", migrate_to_chat_id=-1005001)},
]
ODD: list[object] = [
    *(None, True, False, 0, -1, 1.5, float("nan"), float("inf"), 2**31, 2**53, 2**70, -(2**70)),
    *("", "x", "\ud800", "private", "callback_query"),
    *([], [[]], [None], [{}], {}, {"id": 1}, {"id": "1", "type": []}),
    {"type": "mention", "offset": 0, "length": 2**40},
]


def paths(value: object, here: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, each in inner for found in ((*here, key), *paths(each, (*here, key)))]


def mutated(value: Any, path: tuple[Any, ...], change: Any, drop: bool) -> None:
    *way, last = path
    for step in way:
        if not isinstance(value, dict | list) or (isinstance(value, dict) and step not in value):
            return
        value = value[step] if isinstance(value, dict) else value[0] if value else None
    if isinstance(value, dict) and drop:
        value.pop(last, None)
    elif isinstance(value, dict):
        value[last] = change


@pytest.mark.parametrize("file_id", [{0: "x"}, {"id": 1}, ["x"], 5, "", "a b", "x" * 300, None, "../../etc"])
def test_a_file_whose_id_is_none_of_telegrams_is_read_the_same_again(file_id: object) -> None:
    photo = {"file_id": file_id, "file_unique_id": "u", "width": 1, "height": 1}
    chat, person = {"id": 7, "type": "private"}, {"id": 7, "is_bot": False, "first_name": "Ada"}
    check({"update_id": 1, "message": {"message_id": 5, "date": 1, "chat": chat, "from": person, "photo": [photo]}})


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**64))
def test_no_mutated_update_raises(seed: int) -> None:
    chance = Random(seed)
    for _ in range(20):  # an example of hypothesis costs more than twenty updates
        raw = json.loads(json.dumps(chance.choice(SEEDS)))
        places = paths(raw)
        for _ in range(chance.randint(1, 4)):
            mutated(raw, chance.choice(places), chance.choice(ODD), chance.random() < 0.3)
        check(raw)


def check(raw: Json) -> None:
    got = receive(raw, ME, NOW)
    if got is None:
        assert type(raw.get("update_id")) is not int or not 0 < raw["update_id"] < 2**53
        return
    assert (got.arrival is None) == bool(got.row.poison)
    again = reread(got.row, ME)
    assert again == got.arrival
    if again is not None:
        assert again.sender is None or type(again.sender) is int
        for text in (again.text, again.name, again.args, again.data):
            text.encode()
