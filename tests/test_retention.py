"""Retention over a whole service: what goes and what stays, and that one thing which fails keeps nothing else."""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agent import Inbound, JarvisError, Outgoing
from agent.settings import load
from agent.steps import Asked, Purged, Said, Step, Usage
from agent.store.codec import Row
from agent.store.memory import MemoryStore
from bot.retention import EVERY_S, FIRST_S, Retention
from bot.routes import Routes
from tests.fakes.clock import HandClock
from tests.fakes.office import OWNER, office
from tests.store_contract import ended

HOUR, DAY = 3600.0, 86_400.0
HERE = f"telegram:1:{OWNER}:"


@dataclass
class Memory:
    """A hub that has these sessions in memory."""

    awake: set[str] = field(default_factory=set)

    def session(self, session: str) -> object | None:
        return object() if session in self.awake else None


@dataclass
class Contents:
    """An undo store that is asked to purge, or fails."""

    fails: Exception | None = None
    asked: list[tuple[float, set[str]]] = field(default_factory=list)

    async def purge(self, older_than_s: float, running: Collection[str] = ()) -> int:
        self.asked.append((older_than_s, set(running)))
        if self.fails:
            raise self.fails
        return 1


class Jumping(HandClock):
    """One whose wall time can be set."""

    jumped = 0.0

    def now(self) -> float:
        return super().now() + self.jumped


@dataclass
class Bench:
    clock: Jumping
    store: MemoryStore
    hub: Memory
    routes: Routes
    undo: Contents
    retention: Retention
    workspace: Path

    async def runs(self, session: str, *ages_d: float) -> None:
        """Runs that ended so many days ago."""
        await self.store.move(HERE, session)
        for number, age in enumerate(ages_d):
            at = self.clock.now() - age * DAY
            steps: list[Step] = [Asked(at=at, text="q", author="t:7"), Said(at=at, text="a", usage=Usage(5, 5))]
            await self.store.append(session, 1 + 3 * number, f"b{number}", *steps, ended(at))
            await self.store.project(session, 3 * (number + 1), [])

    def output(self, name: str, age_h: float, folder: str = "") -> Path:
        out = self.workspace / folder / ".jarvis/out"
        out.mkdir(parents=True, exist_ok=True)
        (out / name).write_text("x")
        at = self.clock.now() - age_h * HOUR
        os.utime(out / name, (at, at))
        return out / name


def bench(tmp_path: Path, **env: str) -> Bench:
    names = {"JARVIS_HOME": tmp_path / "home", "JARVIS_RUN__WORKSPACE": tmp_path / "ws", "HOME": tmp_path}
    settings = load({**{name: str(value) for name, value in names.items()}, **env}).settings
    clock = Jumping()
    store, hub, undo = MemoryStore(clock.now), Memory(), Contents()
    routes = Routes(store, clock)
    retention = Retention(settings, store, hub, routes, clock, undo)  # type: ignore[arg-type]
    return Bench(clock, store, hub, routes, undo, retention, tmp_path / "ws")


@pytest.mark.parametrize(("age_h", "hours", "stays"), [(23, "24", True), (25, "24", False), (9_999, "0", True)])
async def test_full_outputs_go_after_the_bulk_time(tmp_path: Path, age_h: float, hours: str, stays: bool) -> None:
    one = bench(tmp_path, JARVIS_RETENTION__BULK_H=hours)
    path = one.output("c1.stdout", age_h)
    await one.retention.round()
    assert path.exists() is stays
    assert one.undo.asked == ([] if hours == "0" else [(24 * HOUR, set())])


async def test_what_a_run_that_goes_on_was_told_of_stays(tmp_path: Path) -> None:
    one = bench(tmp_path)
    await one.store.append("s", 1, "b", Asked(at=one.clock.now() - 48 * HOUR, text="q", author="t:7"))
    before, since = one.output("c1.stdout", 49), one.output("c2.stdout", 47)
    await one.retention.round()
    assert not before.exists() and since.exists()
    assert one.undo.asked == [(24 * HOUR, {"s"})]


async def test_each_chat_s_own_workspace_is_looked_into(tmp_path: Path) -> None:
    one = bench(tmp_path, JARVIS_RUN__WORKSPACE_PER_CHAT="on")
    own, linked = one.output("c1.stdout", 25, "telegram7"), one.output("c1.stdout", 25, "../elsewhere")
    (one.workspace / "telegram8").symlink_to(tmp_path / "elsewhere")
    await one.retention.round()
    assert not own.exists() and linked.exists()


@pytest.mark.parametrize(("age_d", "days", "stays"), [(89, "90", True), (91, "90", False), (9_999, "0", True)])
async def test_a_conversation_goes_after_its_days(tmp_path: Path, age_d: float, days: str, stays: bool) -> None:
    one = bench(tmp_path, JARVIS_RETENTION__CONVERSATION_D=days)
    await one.runs("s", age_d)
    for _ in range(2):
        await one.retention.round()
    assert bool(await one.store.read("s")) is stays
    assert bool(await one.store.spent(0, one.clock.now())) is stays
    assert (await one.store.route(HERE) == "s") is stays


async def test_the_place_of_a_conversation_that_goes_gets_a_fresh_session(tmp_path: Path) -> None:
    one = bench(tmp_path)
    await one.runs("s", 91)
    place = await one.routes.place_of("s")
    assert place is not None and one.routes.known(place) == "s"
    await one.retention.round()
    assert one.routes.known(place) is None and await one.routes.session_of(place) != "s"


async def test_the_oldest_runs_of_a_session_in_use_go(tmp_path: Path) -> None:
    one = bench(tmp_path)
    await one.runs("s", 95, 92, 89, 1)
    await one.retention.round()
    steps = await one.store.read("s")
    assert [seq for seq, _ in steps] == [7, 8, 9, 10, 11, 12, 13]
    assert steps[-1][1] == Purged(at=one.clock.now(), upto=6, what="conversation")
    assert await one.store.route(HERE) == "s"


async def test_a_session_in_memory_has_its_turn_later(tmp_path: Path) -> None:
    one = bench(tmp_path)
    await one.runs("old", 99)
    await one.runs("used", 99, 1)
    one.hub.awake = {"old", "used"}
    for _ in range(2):
        await one.retention.round()
    assert len(await one.store.read("old")) == 3 and len(await one.store.read("used")) == 6
    one.hub.awake = set()
    for _ in range(2):
        await one.retention.round()
    assert len(await one.store.read("old")) == 0 and len(await one.store.read("used")) == 4


async def test_done_updates_go_whatever_is_kept_of_conversations(tmp_path: Path) -> None:
    one = bench(tmp_path, JARVIS_RETENTION__CONVERSATION_D="0", JARVIS_RETENTION__BULK_H="0")
    for number in range(500):
        age = 4 * DAY if number < 250 else HOUR
        await one.store.receive([Inbound("1", number, "7", "{}", one.clock.now() - age)])
        await one.store.done("1", number)
    await one.retention.round()
    again = [Inbound("1", number, "7", "{}", one.clock.now()) for number in range(500)]
    assert len(await one.store.receive(again)) == 250


@pytest.mark.parametrize("error", [JarvisError("The disk is gone."), ValueError("a bug of ours")])
async def test_what_fails_keeps_nothing_else_and_is_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    one = bench(tmp_path)
    one.undo.fails = error
    path = one.output("c1.stdout", 25)
    for _ in range(2):
        await one.retention.round()
    assert not path.exists() and len(one.undo.asked) == 2
    assert "undo contents stay for now" in caplog.text


@pytest.mark.parametrize(("jump_s", "goes"), [(0, True), (200, True), (400, False), (-400, False), (365 * DAY, False)])
async def test_a_clock_that_was_set_makes_nothing_old(tmp_path: Path, jump_s: float, goes: bool) -> None:
    one = bench(tmp_path)
    await one.runs("s", 91)
    one.clock.jumped = jump_s
    await one.retention.round()
    assert (await one.store.route(HERE) is None) is goes
    one.clock.jumped = 0.0
    await one.retention.round()
    await one.retention.round()
    assert await one.store.route(HERE) is None, "it is done when the time is right again"


async def test_a_chat_is_answered_as_before_while_its_past_goes(tmp_path: Path) -> None:
    async with office(["first", "second", "third", "fourth"], tmp_path) as one:
        clock, store = one.clock, one.store

        async def asked(text: str) -> str:
            await one.channel.say(text)
            await clock.advance(5)
            await one.service.retention.round()
            (session, *_) = [session for session, head in store._heads.items() if head.title]
            return session

        session = await asked("hello")
        await clock.advance(50 * DAY)
        await asked("and now?")
        await clock.advance(60 * DAY)
        await one.service.retention.round()
        assert [step.text for _, step in await store.read(session) if isinstance(step, Asked)] == ["and now?"]
        await asked("still there?")
        await clock.advance(91 * DAY)
        for _ in range(2):
            await one.service.retention.round()
        assert await store.read(session) == []
        assert await asked("who are you?") != session
        answers = [letter.text.partition("\n")[0] for letter in one.letters() if not letter.silent]
        assert answers == ["first", "second", "third", "fourth"]


async def test_a_service_begins_with_it_by_itself(tmp_path: Path) -> None:
    async with office([], tmp_path) as one:
        rounds: list[float] = []

        async def looked() -> None:
            rounds.append(one.clock.monotonic())

        one.service.retention.round = looked  # type: ignore[method-assign]
        await one.clock.advance(FIRST_S + 2 * EVERY_S)
        assert rounds == [FIRST_S, FIRST_S + EVERY_S, FIRST_S + 2 * EVERY_S]


async def test_messages_and_buttons_go_too(tmp_path: Path) -> None:
    one = bench(tmp_path)
    await one.store.project("desk", 0, [Outgoing("k", "7", "{}", state="sent")])
    await one.store.remember("r", "undo", "{}", one.clock.now() + 1)
    await one.clock.advance(91 * DAY)
    await one.retention.round()
    assert await one.store.find("k") is None and await one.store.recall("r") is None
    assert time.time() > one.clock.now()


async def test_a_conversation_that_cannot_be_read_keeps_no_other(tmp_path: Path) -> None:
    one = bench(tmp_path)
    for session in ("a", "b", "c"):
        await one.runs(session, 95, 92, 1)
    one.store._rows["a"][2] = ("b0", Row("ended", 99, "{}"))
    await one.retention.round()
    assert len(await one.store.read("b")) == len(await one.store.read("c")) == 4
    assert len(one.store._rows["a"]) == 9, "it was left as it is"
