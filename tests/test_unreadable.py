"""A conversation whose journal can't be read any more (a damaged row, one of a later release): its chat is told, and
goes on with a fresh one; nothing waits for it for ever."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.hub import IDLE_S
from agent.store.codec import Row
from tests.fakes.office import GROUP, OWNER, Office, office

ROWS = {
    "of a later release": Row("said", 99, "{}"),
    "of a kind nobody knows": Row("dreamt", 1, "{}"),
    "damaged": Row("said", 1, '{"at": 1.0, "te'),
    "of another shape": Row("said", 1, "[]"),
}


async def spoilt(one: Office, row: Row) -> str:
    """The session of the owner's chat, asleep, with this row as its newest step."""
    await one.channel.say("hello")
    await one.pass_time(5)
    await one.pass_time(IDLE_S + 5)
    (session,) = one.store._heads
    one.store._rows[session].append(("b", row))
    one.store._heads[session] = one.store._heads[session]._replace(seq=len(one.store._rows[session]))
    return session


def heard(one: Office, chat: str = str(OWNER)) -> list[str]:
    return [letter.text.partition("\n")[0] for letter in one.letters(chat) if not letter.silent]


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
async def test_the_chat_is_told_and_a_fresh_session_works(tmp_path: Path, row: Row) -> None:
    async with office(["one", "two", "three"], tmp_path) as one:
        session = await spoilt(one, row)
        await one.channel.say("and now?")
        await one.pass_time(5)
        assert "can't be read" in heard(one)[-1] and "/new" in heard(one)[-1]
        assert await one.store.waiting() == []
        await one.channel.say("/new")
        await one.pass_time(5)
        await one.channel.say("again")
        await one.pass_time(5)
        assert heard(one)[-1] == "two"
        assert one.store._rows[session][-1] == ("b", row), "it was left as it is"


async def test_others_are_served_and_what_waits_behind_it_is_answered(tmp_path: Path) -> None:
    async with office(["one", "two"], tmp_path) as one:
        await spoilt(one, ROWS["damaged"])
        for text in ("first", "/status", "second", "/checkpoint", "/model", "/plan"):
            await one.channel.say(text)
        await one.channel.say("@jarvis hello", chat=GROUP)
        await one.pass_time(10)
        assert await one.store.waiting() == []
        assert sum("can't be read" in text for text in heard(one)) >= 2
        assert heard(one, GROUP)[-1] == "two"
