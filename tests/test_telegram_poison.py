"""Updates that can't be read cost only themselves."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.channels._telegram_wire import salvage
from tests.fakes.bot_line import Line
from tests.fakes.bot_request import Says
from tests.fakes.bot_updates import update

DEEP = json.loads("[" * 300 + "]" * 300)
POISON: dict[str, Any] = {
    "chat is a string": update(41, chat="a string"),
    "no ids at all": {"update_id": 41, "message": {"text": "no ids at all"}},
    "message is a number": {"update_id": 41, "message": 5},
    "text is a list": update(41, text=["x"]),
    "a megabyte, 300 lists deep, and a wrong type": update(41, deep=DEEP, pad="x" * 10**6, entities="no list"),
    "a megabyte in itself": update(41, pad="x" * 10**6),
    "only an id": {"update_id": 41},
}


@pytest.mark.parametrize("what", POISON)
async def test_poison_is_set_aside_and_the_next_update_comes_through(what: str) -> None:
    line = Line()
    line.api.push(update(40), POISON[what], update(42, "good"))
    async with line.listening():
        await line.api.until(lambda: 43 in line.offsets)
    assert line.ids == [40, 41, 42]
    bad = line.received[1]
    assert bad.arrival is None
    assert 0 < len(bad.row.poison) < 100
    assert len(bad.row.payload) <= 64 * 1024
    assert line.offsets == [None, 43]
    assert line.channel.parse(bad.row) is None
    good = line.received[2]
    assert line.channel.parse(good.row) == good.arrival


RAW_GOOD = json.dumps(update(42, 'a "quoted" [bracket] }'))
UNPARSABLE = {
    "10,000 lists deep": '{"update_id": 41, "message": {"deep": ' + "[" * 10_000 + "]" * 10_000 + "}}",
    "a number of 5,000 digits": '{"update_id": 41, "message": {"date": ' + "9" * 5000 + "}}",
}


@pytest.mark.parametrize("what", UNPARSABLE)
async def test_an_element_that_breaks_the_json_parser_costs_only_itself(what: str) -> None:
    line = Line()
    line.polls(Says(200, f'{{"ok": true, "result": [{UNPARSABLE[what]}, {RAW_GOOD}]}}'.encode()))
    async with line.listening():
        await line.api.until(lambda: 43 in line.offsets)
    assert line.ids == [41, 42]
    assert "too deep" in line.received[0].row.poison
    assert line.received[1].arrival is not None
    assert line.received[1].arrival.text == 'a "quoted" [bracket] }'


ODD_IDS: list[object] = [None, "41", True, -1, 0, 2**53, 10**30, 1.5, [41]]


@pytest.mark.parametrize("odd", ODD_IDS)
async def test_an_unusable_update_id_never_moves_the_offset(odd: object) -> None:
    line = Line()
    line.api.push({**update(1), "update_id": odd}, update(42))
    async with line.listening():
        await line.api.until(lambda: 43 in line.offsets)
    assert line.ids == [42]


async def test_updates_that_cannot_be_confirmed_are_not_fetched_in_a_storm() -> None:
    line = Line()
    nameless = {"ok": True, "result": [{"message": {}}]}
    line.polls(*[Says(200, nameless)] * 8)
    async with line.listening():
        await line.api.until(lambda: len(line.offsets) == 9)
    assert len(line.clock.slept) == 8
    assert line.clock.slept[-1] > 20


SALVAGED = {
    '{"ok":true,"result":[{"a":1},{"b":[{}]}]}': ['{"a":1}', '{"b":[{}]}'],
    '{"ok":true,"result":[{"a":"]}\\"}"}]}': ['{"a":"]}\\"}"}'],
    '{"ok":true,"result":[]}': [],
    '{"ok":true,"result":[{"a":1},{"b"': [],  # cut: nothing of it is taken
    '{"ok":true,"result":[{"a":"': [],
    "<html>{[</html>": [],
    "": [],
}


@pytest.mark.parametrize("text", SALVAGED)
def test_elements_are_cut_out_of_a_whole_answer_only(text: str) -> None:
    assert salvage(text) == SALVAGED[text]
