"""The mode in force: who may change it, for how long, and that it returns by itself (SPEC 5, FAULTS 6, H16)."""

from __future__ import annotations

import asyncio
import datetime
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.models.scripted import call
from agent.steps import Commanded
from agent.store.memory import MemoryStore
from agent.tables import Switch
from bot import words
from bot.access import Role
from bot.modes import LOOSENESS, MOST_S, USUAL_S, Modes, Spell, loosens, refusal, wanted
from tests.fakes.clock import HandClock
from tests.fakes.office import ADMIN, GROUP, OPERATOR, OWNER, Office, office

HOUR = 3600.0

ASKED = [  # (words, standing, mode, seconds from now)
    ("full", "sandbox", "full", USUAL_S),
    ("full 2h", "sandbox", "full", 2 * HOUR),
    ("FULL 2 H", "sandbox", "full", 2 * HOUR),
    ("full 2", "sandbox", "full", 2 * HOUR),
    ("full 90m", "sandbox", "full", 1.5 * HOUR),
    ("full 1 min", "sandbox", "full", 60.0),
    ("full 8h", "sandbox", "full", MOST_S),
    ("full 480m", "sandbox", "full", MOST_S),
    ("sandbox", "ask", "sandbox", USUAL_S),
    ("ask", "sandbox", "ask", math.inf),
    ("ask 9h", "sandbox", "ask", 9 * HOUR),
    ("ask 720h", "full", "ask", 720 * HOUR),
    ("sandbox", "full", "sandbox", math.inf),
    ("full", "full", "full", math.inf),
    ("sandbox 2h", "sandbox", "sandbox", math.inf),
]


@pytest.mark.parametrize(("text", "standing", "mode", "seconds"), ASKED)
def test_what_mode_asks_for(text: str, standing: str, mode: str, seconds: float) -> None:
    assert wanted(text, standing, 1000.0) == Spell(mode, 1000.0 + seconds)


@pytest.mark.parametrize(
    "text", ["fully", "full for ever", "full 0h", "full -1h", "full 1d", "full 2h 3m", "2h", "full ²"]
)
def test_what_mode_does_not_understand(text: str) -> None:
    assert wanted(text, "sandbox", 0.0) == words.MODE_USAGE


@pytest.mark.parametrize(("text", "standing"), [("full 9h", "sandbox"), ("full 481m", "ask"), ("sandbox 9h", "ask")])
@pytest.mark.parametrize("far", [False, True])
def test_what_is_looser_than_the_settings_lasts_eight_hours_at_most(text: str, standing: str, far: bool) -> None:
    assert wanted(text.replace("9h", "99999h") if far else text, standing, 0.0) == words.MODE_TOO_LONG


MAY = [  # (now, until, asked for, until, standing, role, private, answer)
    ("sandbox", math.inf, "ask", math.inf, "sandbox", Role.ADMIN, False, ""),
    ("sandbox", math.inf, "ask", math.inf, "sandbox", Role.OPERATOR, True, words.only("admin")),
    ("sandbox", math.inf, "full", HOUR, "sandbox", Role.ADMIN, True, words.FULL_IN_PRIVATE),
    ("sandbox", math.inf, "full", HOUR, "sandbox", Role.OWNER, False, words.FULL_IN_PRIVATE),
    ("sandbox", math.inf, "full", HOUR, "sandbox", Role.OWNER, True, ""),
    ("full", math.inf, "sandbox", math.inf, "full", Role.ADMIN, False, ""),
    ("ask", math.inf, "full", math.inf, "full", Role.ADMIN, True, words.FULL_IN_PRIVATE),
    ("ask", math.inf, "sandbox", math.inf, "sandbox", Role.ADMIN, True, words.OWNER_LOOSENS),
    ("ask", math.inf, "sandbox", math.inf, "sandbox", Role.OWNER, False, ""),
    ("ask", math.inf, "sandbox", HOUR, "ask", Role.ADMIN, True, words.OWNER_LOOSENS),
    ("full", HOUR, "sandbox", math.inf, "sandbox", Role.ADMIN, False, ""),
    ("full", HOUR, "ask", math.inf, "sandbox", Role.ADMIN, False, ""),
    # shorter, and so looser afterwards: a tightening that undoes another is none
    ("ask", math.inf, "ask", 60.0, "sandbox", Role.ADMIN, False, words.OWNER_LOOSENS),
    ("ask", HOUR, "ask", 2 * HOUR, "sandbox", Role.ADMIN, False, ""),
    ("ask", 2 * HOUR, "ask", HOUR, "sandbox", Role.ADMIN, False, words.OWNER_LOOSENS),
    # longer than what it replaces, and looser than the settings
    ("full", HOUR, "sandbox", 2 * HOUR, "ask", Role.ADMIN, False, words.OWNER_LOOSENS),
    ("full", 2 * HOUR, "sandbox", HOUR, "ask", Role.ADMIN, False, ""),
]


@pytest.mark.parametrize(("old", "end", "new", "until", "standing", "role", "private", "answer"), MAY)
def test_who_may_change_what(
    old: str, end: float, new: str, until: float, standing: str, role: Role, private: bool, answer: str
) -> None:
    assert refusal(Spell(old, end), Spell(new, until), standing, role, private) == answer


spells = st.builds(Spell, st.sampled_from(sorted(LOOSENESS)), st.sampled_from([1.0, 2.0, 3.0, math.inf]))


@given(spells, spells, st.sampled_from(sorted(LOOSENESS)))
def test_loosening_is_being_looser_at_some_moment(old: Spell, new: Spell, standing: str) -> None:
    def at(spell: Spell, when: float) -> int:
        return LOOSENESS[spell.mode if when < spell.until else standing]

    assert loosens(old, new, standing) == any(at(new, t) > at(old, t) for t in (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 9.0))


# -- over time ------------------------------------------------------------------------------------------------------
async def test_full_returns_to_what_stands_and_says_so(tmp_path: Path) -> None:
    async with office([], tmp_path, env={"JARVIS_RUN__MODE": "sandbox"}) as desk:
        modes, clock = desk.service.gate.modes, desk.clock
        await desk.channel.say("/mode full 2h")
        await desk.pass_time(1)
        told = desk.letters()[-1].text
        assert told.startswith("Mode full, until ")
        assert "then sandbox again" in told
        assert modes.temporary(clock.now()) == ("full", clock.now() - 1 + 2 * HOUR)
        assert [row for row in await desk.store.switches() if row.name == "mode"] == [
            Switch("mode", "full over sandbox", clock.now() - 1 + 2 * HOUR, "fake:7", clock.now() - 1)
        ]
        await desk.pass_time(2 * HOUR - 2)
        assert modes.current(clock.now())[0] == "full"
        await desk.pass_time(3)
        assert modes.temporary(clock.now()) is None
        assert desk.letters()[-1].text == words.mode_back("sandbox")
        await desk.pass_time(HOUR)
        assert sum("time is over" in letter.text for letter in desk.letters()) == 1


async def test_the_status_says_which_mode_and_until_when(tmp_path: Path) -> None:
    async with office([], tmp_path, env={"JARVIS_RUN__MODE": "sandbox"}) as desk:
        await desk.channel.say("/mode full 2h")
        await desk.pass_time(3)
        await desk.channel.say("/status")
        await desk.pass_time(3)
        assert "mode full until " in desk.letters()[-1].text


async def restarted(store: MemoryStore, tmp_path: Path, standing: str = "sandbox", after: float = 0.0) -> Modes:
    clock = HandClock(1_700_000_000.0 + after)

    async def nothing(by: str) -> None:
        return None

    modes = Modes(standing, store, clock, datetime.UTC, nothing, nothing)
    await modes.load()
    return modes


SET_AT = 1_700_000_000.0
ROWS = [  # (row, until, standing now, seconds after, mode in force)
    ("full over sandbox", 2 * HOUR, "sandbox", HOUR, "full"),
    ("full over sandbox", 2 * HOUR, "sandbox", 2 * HOUR, "sandbox"),
    ("full over sandbox", 2 * HOUR, "sandbox", 3 * HOUR, "sandbox"),
    ("ask over sandbox", None, "sandbox", 900 * HOUR, "ask"),
    ("sandbox over full", None, "full", HOUR, "sandbox"),
    # the settings have changed meanwhile: what was a tightening would loosen now
    ("sandbox over full", None, "ask", HOUR, "ask"),
    ("sandbox over full", 2 * HOUR, "ask", HOUR, "ask"),
    ("full over sandbox", 2 * HOUR, "ask", HOUR, "ask"),
    ("ask over sandbox", None, "full", HOUR, "ask"),
    ("full over sandbox", 2 * HOUR, "full", HOUR, "full"),
    # rows that nobody of us wrote
    ("full over sandbox", None, "sandbox", HOUR, "sandbox"),
    ("yolo over sandbox", 2 * HOUR, "sandbox", HOUR, "sandbox"),
    ("", 2 * HOUR, "sandbox", HOUR, "sandbox"),
]


@pytest.mark.parametrize(("value", "until", "standing", "after", "mode"), ROWS)
async def test_what_a_restart_makes_of_it(
    value: str, until: float | None, standing: str, after: float, mode: str, tmp_path: Path
) -> None:
    store = MemoryStore()
    await store.switch(Switch("mode", value, None if until is None else SET_AT + until, "t:7", SET_AT))
    modes = await restarted(store, tmp_path, standing, after)
    assert modes.current(SET_AT + after)[0] == mode
    await modes.close()


async def test_a_clock_that_is_set_back_lengthens_nothing(tmp_path: Path) -> None:
    store = MemoryStore()
    await store.switch(Switch("mode", "full over sandbox", SET_AT + 2 * HOUR, "t:7", SET_AT))
    modes = await restarted(store, tmp_path, after=-24 * HOUR)  # the wall clock fell back by a day over the restart
    clock: HandClock = modes._clock  # type: ignore[assignment]
    assert modes.current(clock.now())[0] == "full"
    await clock.advance(MOST_S - 1)
    assert modes.current(clock.now())[0] == "full"
    await clock.advance(1)
    assert modes.current(clock.now())[0] == "sandbox"
    await modes.close()


@pytest.mark.parametrize(("jump", "mode"), [(-HOUR, "full"), (0.0, "full"), (HOUR - 1, "full"), (HOUR, "sandbox")])
async def test_a_clock_that_is_set_on_ends_it_early(jump: float, mode: str, tmp_path: Path) -> None:
    store = MemoryStore()
    await store.switch(Switch("mode", "full over sandbox", SET_AT + HOUR, "t:7", SET_AT))
    modes = await restarted(store, tmp_path)
    modes._clock._start += jump  # type: ignore[attr-defined]
    assert modes.current(modes._clock.now())[0] == mode
    await modes.close()


async def test_a_wish_that_waited_while_we_were_away_counts_from_when_it_was_said(tmp_path: Path) -> None:
    async with office([], tmp_path, env={"JARVIS_RUN__MODE": "sandbox"}) as desk:
        now = desk.clock.now()
        await desk.channel.say("/mode full 2h", date=now - HOUR)
        await desk.pass_time(2)
        assert desk.service.gate.modes.temporary(now) == ("full", now + HOUR)
        await desk.channel.say("/mode full 2h", date=now - 3 * HOUR)
        await desk.channel.say("/mode full 2h", date=now + 20 * HOUR)  # a clock of the future gains nothing
        await desk.pass_time(2)
        found = desk.service.gate.modes.temporary(desk.clock.now())
        assert found
        assert found[1] == pytest.approx(now + 2 * HOUR, abs=5)
        assert any(letter.text == words.MODE_OVER for letter in desk.letters())


# -- the engine -----------------------------------------------------------------------------------------------------
async def commanded(desk: Office) -> list[tuple[str, str]]:
    found = []
    for session in list(desk.store._heads):
        steps = [step for _, step in await desk.store.read(session)]
        found += [(step.value, step.by) for step in steps if isinstance(step, Commanded) and step.command == "mode"]
    return found


async def test_a_run_that_goes_on_is_told_and_a_new_one_too(tmp_path: Path) -> None:
    mark = call("mark", {"word": "one"})
    async with office([[mark], "done", "again"], tmp_path, env={"JARVIS_RUN__MODE": "sandbox"}) as desk:
        desk.mark.gate = asyncio.Event()
        await desk.channel.say("work")
        await desk.pass_time(1)
        await desk.channel.say("/mode ask", GROUP, ADMIN)
        await desk.pass_time(2)
        assert await commanded(desk) == [("ask", f"fake:{ADMIN}")]
        desk.mark.gate.set()
        await desk.pass_time(2)
        await desk.channel.say("/mode full 1h")
        await desk.channel.say("more", str(OPERATOR), OPERATOR)
        await desk.pass_time(2)
        assert [value for value, _ in await commanded(desk)] == ["ask", "full"]
        await desk.pass_time(2 * HOUR)
        assert desk.service.gate.modes.temporary(desk.clock.now()) is None


async def test_the_return_is_written_down_however_long_the_store_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agent.errors import StoreBusy

    async with office([], tmp_path, env={"JARVIS_RUN__MODE": "sandbox"}) as desk:
        await desk.channel.say("/mode full 1m", sender=OWNER)
        await desk.pass_time(2)
        kept, locked = desk.store.switch, True

        async def switch(row: Switch) -> None:
            if locked:
                raise StoreBusy("locked")
            await kept(row)

        monkeypatch.setattr(desk.store, "switch", switch)
        await desk.pass_time(90)
        assert desk.service.gate.modes.current(desk.clock.now())[0] == "sandbox"
        locked = False
        await desk.pass_time(5)
        assert [row.value for row in await desk.store.switches() if row.name == "mode"] == ["sandbox over sandbox"]
        assert desk.letters()[-1].text == words.mode_back("sandbox")
