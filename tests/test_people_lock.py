"""The panic lock: what runs is stopped, nobody below the owner gets in, and only the owner opens (SPEC T8)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agent.errors import StoreBusy
from agent.models.scripted import Slow, call
from agent.steps import Asked, End, Ended
from agent.store.memory import MemoryStore
from agent.tables import Switch
from bot import words
from tests.fakes.office import ADMIN, GROUP, OPERATOR, OWNER, Office, office

MARK = call("mark", {"word": "one"})


async def ends(desk: Office) -> list[End]:
    sessions = list(desk.store._heads)
    return [step.end for s in sessions for _, step in await desk.store.read(s) if isinstance(step, Ended)]


async def asked(desk: Office) -> list[str]:
    sessions = list(desk.store._heads)
    return [step.text for s in sessions for _, step in await desk.store.read(s) if isinstance(step, Asked)]


async def two_runs(desk: Office) -> None:
    desk.mark.gate = asyncio.Event()
    await desk.channel.say("work")
    await desk.channel.say("work too", str(OPERATOR), OPERATOR)
    await desk.pass_time(1)
    assert desk.service.hub.busy() == 2


@pytest.mark.parametrize(("chat", "sender"), [(str(OWNER), OWNER), (str(ADMIN), ADMIN), (GROUP, ADMIN)])
async def test_lock_stops_every_run_and_keeps_everybody_out_until_the_owner_opens(
    chat: str, sender: int, tmp_path: Path
) -> None:
    async with office([[MARK], Slow(60, "never"), "later"], tmp_path) as desk:
        await two_runs(desk)
        await desk.channel.say("/lock", chat, sender)
        await desk.pass_time(3)
        assert await ends(desk) == [End.STOPPED, End.STOPPED]
        assert desk.letters(chat)[-1].text == words.locked(2)
        for person in (OPERATOR, ADMIN):
            await desk.channel.say("more", str(person), person)
        await desk.channel.say("/lock off", str(ADMIN), ADMIN)
        await desk.pass_time(3)
        assert await asked(desk) == ["work", "work too"]
        assert words.only("owner") in [letter.text for letter in desk.letters(str(ADMIN))]
        assert [letter.text for letter in desk.letters(str(OPERATOR))].count(words.LOCKED_OUT) == 1
        await desk.channel.say("/lock off")
        await desk.pass_time(3)
        await desk.channel.say("now", str(OPERATOR), OPERATOR)
        await desk.pass_time(3)
        assert (await asked(desk))[-1] == "now"


async def test_the_locked_out_are_told_once_and_never_in_a_group(tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        await desk.channel.say("/lock")
        await desk.pass_time(2)
        for _ in range(5):
            await desk.channel.say("hello", str(OPERATOR), OPERATOR)
            await desk.channel.say("hello", GROUP, OPERATOR)
        await desk.pass_time(5)
        assert [letter.text for letter in desk.letters(str(OPERATOR))] == [words.LOCKED_OUT]
        assert desk.letters(GROUP) == []
        await desk.channel.say("/status")
        await desk.pass_time(3)
        assert words.LOCKED in desk.letters()[-1].text


async def test_a_lock_outlives_a_restart_and_stops_what_a_crash_left_running(tmp_path: Path) -> None:
    store = MemoryStore()
    async with office([[MARK], Slow(60, "never")], tmp_path, store=store) as desk:
        await two_runs(desk)
    await store.switch(Switch("lock", "on", None, "fake:7", 1.0))  # as if it died right after writing this
    async with office(["again", "again"], tmp_path, store=store) as desk:
        await desk.pass_time(3)
        assert await ends(desk) == [End.STOPPED, End.STOPPED]
        await desk.channel.say("hello", str(OPERATOR), OPERATOR)
        await desk.pass_time(3)
        assert "hello" not in await asked(desk)


async def test_a_locked_store_holds_up_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with office([[MARK], Slow(60, "never")], tmp_path) as desk:
        await two_runs(desk)
        kept, locked = desk.store.switch, True

        async def switch(row: Switch) -> None:
            if locked:
                raise StoreBusy("locked")
            await kept(row)

        monkeypatch.setattr(desk.store, "switch", switch)
        await desk.channel.say("/lock", str(ADMIN), ADMIN)
        await desk.pass_time(0.5)
        assert desk.service.hub.busy() == 0
        await desk.channel.say("hello", str(OPERATOR), OPERATOR)
        await desk.pass_time(3)
        assert "hello" not in await asked(desk)
        locked = False
        await desk.pass_time(5)
        assert [row.value for row in await desk.store.switches() if row.name == "lock"] == ["on"]
        assert desk.letters(str(ADMIN))[-1].text == words.locked(2)


@pytest.mark.parametrize(("sender", "stopped"), [(OPERATOR, True), (OWNER, False)])
async def test_what_had_passed_the_desk_before_the_lock_is_stopped_when_it_begins(
    sender: int, stopped: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with office([Slow(5, "too late")], tmp_path) as desk:
        kept, gate = desk.store.append, asyncio.Event()

        async def append(*arguments: object) -> None:
            await gate.wait()
            await kept(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(desk.store, "append", append)
        await desk.channel.say("work", str(sender), sender)
        await desk.pass_time(1)
        await desk.channel.say("/lock", str(ADMIN), ADMIN)
        await desk.pass_time(1)
        gate.set()
        await desk.pass_time(20)
        assert await ends(desk) == [End.STOPPED if stopped else End.ANSWERED]


@pytest.mark.parametrize(
    "changes",
    [
        {"sender": OPERATOR},
        {"sender": 99},
        {"addressed": False},
        {"kind": "edit"},
        {"bot_sender": True},
        {"sender": None},
        {"command": "", "forwarded": True},
        {"args": "off"},
        {"args": "please"},
    ],
    ids=str,
)
async def test_what_does_not_lock(changes: dict[str, object], tmp_path: Path) -> None:
    async with office(["fine"], tmp_path) as desk:
        await desk.channel.say("/lock", GROUP, **{"sender": ADMIN, **changes})  # type: ignore[arg-type]
        await desk.pass_time(3)
        assert not desk.service.gate.access.locked
        assert [row for row in await desk.store.switches() if row.value == "on"] == []


async def test_a_group_that_moves_is_let_in_under_its_new_id_in_the_same_batch(tmp_path: Path) -> None:
    store = MemoryStore()
    async with office(["fine"], tmp_path, store=store) as desk:
        before = await desk.channel.say("hello", GROUP, OPERATOR)
        await desk.pass_time(3)
        moved = type(before)("moved", before.place, text="-200", message_id=900)
        after = type(before)(
            "message", desk.channel.place("-200"), OPERATOR, message_id=901, text="there", addressed=True,
            date=desk.clock.now(),
        )  # fmt: skip
        await desk.channel.arrive(moved, after)
        await desk.pass_time(3)
        assert await asked(desk) == ["hello", "there"]
        stranger = type(before)("moved", desk.channel.place("-666"), text="-777", message_id=902)
        await desk.channel.arrive(stranger)
        await desk.pass_time(1)
    async with office([], tmp_path, store=store) as desk:
        assert desk.service.gate.access.chats == {GROUP, "-200"}


@pytest.mark.parametrize(("reads_all", "told"), [("no", True), ("yes", False), ("", False)])
async def test_the_status_tells_of_privacy_mode_where_there_are_groups(
    reads_all: str, told: bool, tmp_path: Path
) -> None:
    async with office([], tmp_path) as desk:
        desk.channel.health.facts["can_read_all_group_messages"] = reads_all
        await desk.channel.say("/status")
        await desk.pass_time(2)
        assert (words.PRIVACY in desk.letters()[-1].text) == told
