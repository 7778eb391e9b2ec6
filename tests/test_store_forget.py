"""Deleting a place's conversation for good: what goes, what stays, on both stores; and nothing of it in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.tables import Inbound, Outgoing
from tests.store_contract import STORES, asked, opened

HERE, THERE = "telegram:1:7:", "telegram:1:8:"
WORD = "HALIBUT"


@pytest.mark.parametrize("kind", STORES)
async def test_all_sessions_of_the_place_go_but_the_one_to_keep(kind: str, tmp_path: Path) -> None:
    async with opened(kind, tmp_path) as store:
        for session, place in (("old", HERE), ("older", HERE), ("other", THERE), ("new", HERE)):
            await store.move(place, session)
            await store.append(session, 1, f"b-{session}", asked(f"{WORD} {session}", ref=f"telegram:1:7:{session}"))
            key = f"{session}:1:answer:0"
            await store.project(session, 1, [Outgoing(key, place.split(":")[2], f"{WORD} {session}")])
        await store.project("cards", 0, [Outgoing("old:1:card", "7", WORD, role="card")])
        await store.append("old/call%_1", 1, "b-child", asked(WORD))
        await store.receive([Inbound("1", 5, "7", WORD, 1.0), Inbound("1", 6, "8", WORD, 1.0)])
        await store.done("1", 5)
        assert sorted(await store.forget(HERE, "new")) == ["old", "old/call%_1", "older"]
        assert await store.read("old") == [] == await store.read("old/call%_1")
        assert await store.find("old:1:answer:0") is None and await store.find("old:1:card") is None
        assert await store.place_of("old") is None and await store.find_ref("telegram:1:7:old") is None
        assert [each.session for each in await store.sessions_at(HERE, 9)] == ["new"]
        assert len(await store.read("new")) == len(await store.read("other")) == 1
        assert await store.find("other:1:answer:0") is not None
        assert await store.receive([Inbound("1", 5, "7", WORD, 1.0)]) == [], "a redelivered update stays known"
        assert await store.forget(HERE, "new") == []


async def test_the_file_no_longer_holds_the_words(tmp_path: Path) -> None:
    async with opened("sqlite", tmp_path) as store:
        await store.move(HERE, "old")
        await store.append("old", 1, "b", *[asked(f"{WORD} {number} " * 200) for number in range(50)])
        await store.move(HERE, "new")
        assert await store.forget(HERE, "new") == ["old"]
        assert WORD.encode() not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
