"""Access: settings beat chat, rows add people, groups keep their right when they move, the lock holds (SPEC 5)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.errors import StoreBusy
from agent.store.memory import MemoryStore
from agent.tables import Person
from bot.access import Access, Role
from bot.channel import Arrival, Place


async def made(store: MemoryStore | None = None, **listed: object) -> Access:
    given = {"owner": 7, "admins": {5}, "operators": {8}, "viewers": {9}, "chats": {"-100"}} | listed
    access = Access(**given)  # type: ignore[arg-type]
    await access.load(store or MemoryStore())
    return access


def arrival(sender: int | None, chat: str = "", command: str = "", **changes: object) -> Arrival:
    place = Place("t", "1", chat or str(sender))
    base = Arrival("message", place, sender, private=not chat, text="hi", addressed=True, command=command)
    return replace(base, **changes)  # type: ignore[arg-type]


ROLES = [  # (settings, row's role, role that counts)
    ({}, "viewer", Role.VIEWER),
    ({}, "operator", Role.OPERATOR),
    ({}, "admin", Role.ADMIN),
    ({}, "owner", None),  # the settings name somebody else
    ({}, "asked", None),
    ({}, "ignored", None),
    ({}, "root", None),
    ({}, "OPERATOR", None),
    ({"owner": None}, "owner", Role.OWNER),
    ({"owner": None, "operators": {42}}, "owner", Role.OWNER),  # the code proves more than the list says
    ({"owner": 42}, "viewer", Role.OWNER),
    ({"admins": {42}}, "viewer", Role.ADMIN),  # chat can't narrow what the settings say
    ({"viewers": {42}}, "admin", Role.VIEWER),  # ... nor widen it
    ({"viewers": {42}}, "ignored", Role.VIEWER),
    ({"viewers": {42}, "admins": {42}}, "", Role.ADMIN),
]


@pytest.mark.parametrize(("listed", "row", "role"), ROLES)
async def test_which_role_counts(listed: dict[str, object], row: str, role: Role | None) -> None:
    store = MemoryStore()
    if row:
        await store.admit(Person(42, row))
    access = await made(store, **listed)
    assert access.role(42) is role
    assert access.judge(arrival(42)) is role


async def test_a_row_counts_as_soon_as_it_is_written_and_no_longer_than_it_stands() -> None:
    store = MemoryStore()
    access = await made(store)
    await access.admit(Person(42, "operator"))
    assert access.role(42) is Role.OPERATOR
    assert (await made(store)).role(42) is Role.OPERATOR
    await access.dismiss(42)
    assert access.role(42) is None
    assert (await made(store)).role(42) is None


async def test_what_the_store_refuses_gives_nobody_a_right(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore()
    access = await made(store)
    await access.admit(Person(42, "admin"))
    await access.lock("t:7", 1.0)

    async def busy(*args: object) -> None:
        raise StoreBusy("locked")

    for name in ("admit", "dismiss", "relocate", "switch"):
        monkeypatch.setattr(store, name, busy)
    for change in (access.admit(Person(43, "admin")), access.dismiss(42), access.move("-100", "-200")):
        with pytest.raises(StoreBusy):
            await change
    with pytest.raises(StoreBusy):
        await access.unlock("t:7", 2.0)
    assert (access.role(42), access.role(43), access.locked) == (None, None, True)
    assert "-200" not in access.chats


def test_before_anything_is_loaded_the_settings_count() -> None:
    assert Access(owner=7).judge(arrival(7)) is Role.OWNER
    assert Access().judge(arrival(7)) is None
    assert Access().judge(arrival(None)) is None


# -- groups ---------------------------------------------------------------------------------------------------------
MOVES = [  # (moves in order, chats that are allowed afterwards)
    ([("-100", "-200")], {"-100", "-200"}),
    ([("-100", "-200"), ("-100", "-300")], {"-100", "-200"}),  # the first word counts
    ([("-100", "-200"), ("-200", "-300")], {"-100", "-200", "-300"}),
    ([("-100", "-200"), ("-200", "-100")], {"-100", "-200"}),
    ([("-999", "-200")], {"-100"}),  # who had no right gains none
    ([("-100", "-100")], {"-100"}),
    ([("-100", "42")], {"-100"}),  # no group
    ([("-100", "@name")], {"-100"}),
    ([("-100", "")], {"-100"}),
]


@pytest.mark.parametrize(("moves", "allowed"), MOVES)
async def test_a_group_keeps_its_right_and_no_other_gains_one(moves: list[tuple[str, str]], allowed: set[str]) -> None:
    store = MemoryStore()
    access = await made(store)
    for old, new in moves:
        await access.move(old, new)
    assert (await store.relocations()).keys() <= allowed
    for one in (access, await made(store)):
        assert one.chats == allowed
        assert {c for c in ("-100", "-200", "-300", "-999") if one.judge(arrival(8, c))} == allowed
        assert one.chat_now("-100") in allowed
    assert (await made(store, chats=set())).chats == frozenset(), "what the settings drop is dropped with all its ids"


@pytest.mark.parametrize(("chat", "role"), [("-100", Role.OWNER), ("-999", None)])
async def test_a_move_is_believed_of_allowed_groups_alone(chat: str, role: Role | None) -> None:
    access = await made()
    assert access.judge(Arrival("moved", Place("t", "1", chat), text="-200")) is role


# -- the lock -------------------------------------------------------------------------------------------------------
LOCKED = [
    (7, "", "message", Role.OWNER),
    (7, "", "press", Role.OWNER),
    (5, "", "message", None),
    (5, "lock", "message", Role.ADMIN),
    (5, "lock", "edit", None),
    (5, "lock", "press", None),
    (5, "stop", "message", None),
    (8, "lock", "message", None),
    (9, "status", "message", None),
]


@pytest.mark.parametrize(("sender", "command", "kind", "role"), LOCKED)
async def test_while_locked(sender: int, command: str, kind: str, role: Role | None) -> None:
    store = MemoryStore()
    await (await made(store)).lock("t:7", 1.0)
    access = await made(store)  # a restart doesn't open it
    assert access.locked
    assert access.judge(arrival(sender, command=command, kind=kind)) is role
    await access.unlock("t:7", 2.0)
    assert not (await made(store)).locked
    assert access.judge(arrival(8)) is Role.OPERATOR


@pytest.mark.parametrize(("sender", "role"), [(9, None), (8, Role.OPERATOR), (5, Role.ADMIN), (7, Role.OWNER)])
async def test_an_edit_corrects_a_prompt_so_a_viewer_has_none(sender: int, role: Role | None) -> None:
    assert (await made()).judge(arrival(sender, kind="edit")) is role
