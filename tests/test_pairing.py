"""Pairing: the code, who may offer it, how often and how long (SPEC 5, FAULTS 6)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.store.memory import MemoryStore
from bot import words
from bot.channel import Arrival, Place
from bot.pairing import ALPHABET, LENGTH, OPEN_S, TRIES, Pairing
from tests.fakes.clock import HandClock
from tests.fakes.office import office


def opened() -> tuple[Pairing, str, HandClock]:
    clock = HandClock()
    pairing = Pairing(clock, lambda text: None)
    return pairing, pairing.open(), clock


def said(text: str, sender: int | None = 99) -> Arrival:
    return Arrival("message", Place("t", "1", str(sender)), sender, private=True, text=text, addressed=True)


def wrong(code: str) -> str:
    return ("A" if code[0] != "A" else "B") + code[1:]


def test_codes_are_long_unlike_and_hold_nothing_that_reads_as_something_else() -> None:
    codes = [opened()[1] for _ in range(200)]
    assert len(set(codes)) == 200
    assert {len(code) for code in codes} == {LENGTH} == {8}
    assert not set("".join(codes)) & set("ILOU01ilou")
    assert len(ALPHABET) ** LENGTH / (TRIES / (OPEN_S / 86_400)) > 5e8  # days to try them all


@pytest.mark.parametrize(
    "spelling", [str, str.lower, str.swapcase, lambda c: f"  {c}\n"], ids=["as is", "lower", "mixed", "blanks"]
)
def test_the_code_pairs_once_in_any_case(spelling: Callable[[str], str]) -> None:
    pairing, code, _ = opened()
    assert pairing.accepts(said(spelling(code)))
    assert not pairing.accepts(said(code))


NOT_SO = [
    ("in a group", {"private": False}),
    ("by an edit", {"kind": "edit"}),
    ("by a button", {"kind": "press"}),
    ("by a bot", {"bot_sender": True}),
    ("by nobody", {"sender": None}),
    ("forwarded", {"forwarded": True}),
]


@pytest.mark.parametrize(("how", "changes"), NOT_SO, ids=[how for how, _ in NOT_SO])
def test_the_code_counts_only_from_a_person_in_private(how: str, changes: dict[str, object]) -> None:
    pairing, code, _ = opened()
    assert not pairing.accepts(replace(said(code), **changes)), how  # type: ignore[arg-type]
    assert pairing.accepts(said(code))


@pytest.mark.parametrize("text", ["{0}!", "/{0}", "{0}{0}", "my code is {0}", "{0:.7}", "", "hello", "/start"])
def test_a_message_that_is_more_or_less_than_a_code_neither_pairs_nor_costs_a_try(text: str) -> None:
    pairing, code, _ = opened()
    for _ in range(TRIES + 1):
        assert not pairing.accepts(said(text.format(code)))
    assert pairing.accepts(said(code))


@pytest.mark.parametrize(("misses", "pairs"), [(TRIES - 1, True), (TRIES, False), (TRIES + 1, False)])
def test_five_tries_of_all_senders_together(misses: int, pairs: bool) -> None:
    pairing, code, _ = opened()
    for sender in range(misses):
        assert not pairing.accepts(said(wrong(code), 100 + sender))
    assert pairing.accepts(said(code)) == pairs


@pytest.mark.parametrize(("seconds", "pairs"), [(OPEN_S - 0.1, True), (OPEN_S, False), (OPEN_S + 1, False)])
async def test_ten_minutes(seconds: float, pairs: bool) -> None:
    pairing, code, clock = opened()
    await clock.advance(seconds)
    assert pairing.accepts(said(code)) == pairs


def test_before_a_code_is_printed_nothing_pairs() -> None:
    pairing = Pairing(HandClock(), lambda text: None)
    assert not any(pairing.accepts(said(text)) for text in ("", " ", "A" * 8))


@given(st.text(max_size=12), st.text(min_size=8, max_size=8))
def test_whatever_is_said_only_the_code_pairs(one: str, eight: str) -> None:
    pairing, code, _ = opened()
    for text in (one, eight):
        assert pairing.accepts(said(text)) == (text.strip().upper() == code)


async def test_a_fresh_code_is_printed_when_the_last_has_expired_and_none_once_there_is_an_owner() -> None:
    clock, printed = HandClock(), list[str]()
    pairing, needed = Pairing(clock, printed.append), True
    task = asyncio.create_task(pairing.keep_open(lambda: needed, "jarvis_bot"))
    await clock.advance(1)
    first = printed[0].split()[2]
    assert "@jarvis_bot" in printed[0]
    for _ in range(TRIES):
        pairing.accepts(said(wrong(first)))
    await clock.advance(OPEN_S - 2)
    assert len(printed) == 1, "a burnt code is replaced only when it would have expired"
    await clock.advance(2)
    second = printed[1].split()[2]
    assert not pairing.accepts(said(first))
    assert pairing.accepts(said(second))
    needed = False
    await clock.advance(OPEN_S * 2)
    assert task.done()
    assert len(printed) == 2


# -- on the whole service -------------------------------------------------------------------------------------------
def code_on(screen: str) -> str:
    return screen.rsplit("Pairing code: ", 1)[1].split()[0]


async def test_the_sender_of_the_code_is_the_owner_from_then_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    store = MemoryStore()
    async with office(["fine"], tmp_path, store=store, nobody=True) as desk:
        code = code_on(capsys.readouterr().out)
        await desk.channel.say("hello", "99", 99)
        await desk.channel.say(code.lower(), "98", 98)
        await desk.channel.say(code, "99", 99)
        await desk.pass_time()
        assert [letter.text for letter in desk.letters("98")] == [words.PAIRED]
        assert desk.letters("99") == []
        assert (desk.model.requests, await store.waiting()) == ([], [])
        await desk.channel.say("work", "98", 98)
        await desk.pass_time(3)
        assert desk.letters("98")[-1].text == "fine"
    assert code not in caplog.text, "the log is read by more people than the console"
    assert sum("no owner yet" in record.message for record in caplog.records) == 1
    async with office([], tmp_path, store=store, nobody=True) as desk:  # and after a restart
        assert desk.service.gate.access.owner == 98
        assert "Pairing" not in capsys.readouterr().out


async def test_with_an_owner_no_code_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with office([], tmp_path) as desk:
        await desk.pass_time(1)
        assert capsys.readouterr().out == ""


async def test_the_code_served_again_after_a_crash_is_no_prompt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = MemoryStore()
    async with office([], tmp_path, store=store, nobody=True) as desk:
        arrival = await desk.channel.say(code_on(capsys.readouterr().out), "98", 98)
        desk.channel._updates = iter([10_001, 10_002])  # type: ignore[assignment]
        await desk.channel.arrive(arrival)
        await desk.pass_time(2)
        assert desk.model.requests == []
        assert await store.find_ref(arrival.ref) is None
