"""The contract of people, relocations, switches and refs, on both stores."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from agent.store.sqlite import SqliteStore
from agent.tables import Person, Ref, Store, Switch
from tests.store_contract import STORES, opened

ADA = Person(7, "owner", "Ada 🙂", None, 1.5)
BOB = Person(8, "viewer", "Bob", 7, 2.5)


@pytest.fixture(params=STORES)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    async with opened(request.param, tmp_path) as one:
        yield one


# -- people ---------------------------------------------------------------------------------------------------------
async def test_people_come_back_as_they_were_admitted_oldest_first(store: Store) -> None:
    assert await store.people() == []
    await store.admit(BOB)
    await store.admit(ADA)
    assert await store.people() == [ADA, BOB]


async def test_a_person_has_one_row(store: Store) -> None:
    await store.admit(BOB)
    await store.admit(replace(BOB, role="operator", at=9.0))
    assert await store.people() == [replace(BOB, role="operator", at=9.0)]


async def test_who_was_dismissed_is_gone_and_twice_is_once(store: Store) -> None:
    await store.admit(ADA)
    await store.admit(BOB)
    for _ in range(2):
        await store.dismiss(8)
    assert await store.people() == [ADA]


@pytest.mark.parametrize(("name", "stored"), [("a\ud83db", "a\ufffdb"), ("a\0b", "a\ufffdb"), ("ü😀", "ü😀")])
async def test_a_name_of_any_text_is_stored(store: Store, name: str, stored: str) -> None:
    await store.admit(replace(BOB, name=name))
    assert [person.name for person in await store.people()] == [stored]


async def test_an_id_may_have_52_bits(store: Store) -> None:
    await store.admit(replace(BOB, id=2**52))
    assert [person.id for person in await store.people()] == [2**52]


# -- relocations ----------------------------------------------------------------------------------------------------
async def test_the_first_word_about_a_chat_that_moved_counts(store: Store) -> None:
    assert await store.relocations() == {}
    await store.relocate("-5", "-1005")
    await store.relocate("-5", "-1009")
    await store.relocate("-1005", "-1006")
    assert await store.relocations() == {"-5": "-1005", "-1005": "-1006"}


# -- switches -------------------------------------------------------------------------------------------------------
async def test_a_switch_has_one_row(store: Store) -> None:
    assert await store.switches() == []
    mode = Switch("mode", "full", 99.5, "telegram:7", 1.0)
    await store.switch(mode)
    await store.switch(Switch("lock", "on", None, "telegram:8", 2.0))
    await store.switch(replace(mode, value="ask", until=None))
    assert await store.switches() == [
        Switch("lock", "on", None, "telegram:8", 2.0),
        replace(mode, value="ask", until=None),
    ]


# -- refs -----------------------------------------------------------------------------------------------------------
REF = Ref("b1946ac92492d2347c6235b4d2611184", "approval", '{"call":"c1"}', 900.5)


async def remembered(store: Store, ref: Ref = REF) -> None:
    await store.remember(ref.ref, ref.kind, ref.body, ref.expires)


async def test_a_ref_can_be_recalled_as_often_as_one_likes(store: Store) -> None:
    assert await store.recall(REF.ref) is None
    await remembered(store)
    assert [await store.recall(REF.ref) for _ in range(3)] == [REF] * 3


async def test_a_ref_is_used_once_and_known_to_be_used_after_that(store: Store) -> None:
    await remembered(store)
    assert await store.use(REF.ref) == replace(REF, used=True)
    assert [await store.use(REF.ref) for _ in range(3)] == [None] * 3
    assert await store.recall(REF.ref) == replace(REF, used=True)


async def test_of_twenty_that_use_a_ref_at_once_exactly_one_gets_it(store: Store) -> None:
    await remembered(store)
    got = await asyncio.gather(*(store.use(REF.ref) for _ in range(20)))
    assert [ref for ref in got if ref] == [replace(REF, used=True)]


async def test_of_two_connections_exactly_one_uses_each_ref(tmp_path: Path) -> None:
    stores = [SqliteStore(tmp_path / "jarvis.db") for _ in range(2)]
    for store in stores:
        await store.open()
    for number in range(20):
        ref = replace(REF, ref=f"ref{number}")
        await remembered(stores[0], ref)
        got = await asyncio.gather(*(store.use(ref.ref) for store in stores))
        assert [each for each in got if each] == [replace(ref, used=True)]
    for store in stores:
        await store.close()


async def test_a_use_outlives_a_restart(tmp_path: Path) -> None:
    for expected in (replace(REF, used=True), None):
        async with opened("sqlite", tmp_path) as store:
            await remembered(store)
            assert await store.use(REF.ref) == expected


async def test_a_ref_keeps_its_first_meaning(store: Store) -> None:
    await remembered(store)
    await remembered(store, replace(REF, kind="other", body="{}"))
    assert await store.recall(REF.ref) == REF
    await store.use(REF.ref)
    await remembered(store)
    assert await store.use(REF.ref) is None


@pytest.mark.parametrize("ref", ["unknown", "", "x" * 64, "a\0", "\ud83d", "' OR 1=1 --", "%"])
async def test_a_ref_that_nobody_gave_out_means_nothing(store: Store, ref: str) -> None:
    await remembered(store)
    assert (await store.recall(ref), await store.use(ref)) == (None, None)
    assert await store.recall(REF.ref) == REF


@pytest.mark.parametrize(("before", "left"), [(900.4, True), (900.5, True), (900.6, False)])
async def test_what_expired_long_ago_can_be_forgotten(store: Store, before: float, left: bool) -> None:
    await remembered(store)
    await store.forget_refs(before)
    assert (await store.recall(REF.ref) is not None) == left
