"""The hub: which sessions are awake, which task drives each, and the few things that may be done to them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial

from agent.backoff import wakes_in
from agent.children import bury, children_of, is_open, spawn, withdraw
from agent.decisions import APPROVAL_S, Temporary, decision, expired, mode_change, pausing, waits_for, withdrawal
from agent.edges import Edges, Place
from agent.errors import JarvisError, StoreError
from agent.handoff import kept
from agent.legs import broken, opening, stopped
from agent.lineage import parent_of
from agent.loop import run
from agent.ports import Delta, Watcher
from agent.resume import Todo
from agent.session import Session
from agent.steps import Asked, Commanded, Corrected, End, Ended, Handed, Resumed, Step

logger = logging.getLogger(__name__)

IDLE_S = 600.0  # an idle session is dropped from memory after this
STORE_RETRY_S = 1.0


@dataclass(slots=True)
class _Awake:
    """A session in memory, the task that drives it, and its one timer."""

    session: Session
    task: asyncio.Task[None] | None = None
    timer: asyncio.Task[None] | None = None
    stopping: asyncio.Task[None] | None = None  # writes a stop down


@dataclass(slots=True)
class Hub:
    """All sessions of this process. `boot` is unique to the process; `watchers` see every step after it was written."""

    edges: Edges
    boot: str
    watchers: list[Watcher] = field(default_factory=list)
    on_delta: Callable[[str, Delta], None] = lambda session, delta: None
    temporary_mode: Callable[[float], Temporary | None] = lambda now: None
    _awake: dict[str, _Awake] = field(default_factory=dict)
    _draining: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.edges.spawn = partial(spawn, self)

    async def start(self, locked: bool = False) -> list[str]:
        """Pick up every unfinished session, or stop it if we are locked; returns their ids. Raises StoreError."""
        await self.edges.host.sweep()
        ids = await bury(self, await self.edges.journal.unfinished())
        for session_id in ids:
            awake = await self._wake(session_id)
            if locked:
                await self.stop(session_id, "lock")
                continue
            if not (awake.session.todo.rests or awake.session.todo.spawning):
                await awake.session.record(Resumed(at=self.edges.clock.now(), cause="restart"))
            self._drive(awake)
        return ids

    async def submit(self, session_id: str, asked: Asked, place: Place) -> None:
        """Something was said: it starts a run, or steers the one that is going on. Raises StoreError."""
        awake = await self._wake(session_id)
        if awake.stopping:  # the stopped run is closed first, so that this message isn't closed with it
            await asyncio.wait([awake.stopping])
        asked = replace(asked, text=self.edges.screen.text(asked.text), context=self.edges.screen.text(asked.context))
        todo = awake.session.todo
        begun = [] if todo.running else opening(awake.session, place)
        steps: list[Step] = [*begun, *self._mode(todo, self.edges.mode, asked.author), *withdrawal(todo, asked), asked]
        await awake.session.record(*steps)
        await withdraw(self, session_id, asked)
        self.edges.reach("K3")
        self._drive(awake)

    async def go_on(self, session_id: str, seq: int, asked: Asked, place: Place) -> bool:
        """Go on from the checkpoint at `seq` alone, or from where the newest run failed, whose end stands at `seq`.
        False if a run goes on, or no such step stands. Raises StoreError, DuplicateRef if this was asked before."""
        awake = await self._wake(session_id)
        todo = awake.session.todo
        found = [step for at, step in await self.edges.journal.read(session_id, seq - 1) if at == seq]
        match found:
            case [Handed() as handed] if not todo.running:
                again = replace(handed, at=self.edges.clock.now(), fresh=True)
                await awake.session.record(again, when=lambda todo: not todo.running)
            case [Ended(end=End.FAILED)] if not todo.running and todo.asked_seq < seq:
                asked = replace(asked, again=True)
            case _:
                return False
        await self.submit(session_id, asked, place)
        return True

    async def choose_model(self, session_id: str, name: str, by: str) -> None:
        """The session's next leg asks this model first; "" = the settings' own. Raises StoreError."""
        chosen = Commanded(at=self.edges.clock.now(), command="model", by=by, value=name)
        await self._command(session_id, [chosen], lambda todo: todo.chosen != name)

    async def pause(self, session_id: str, by: str, *, on: bool = True) -> bool:
        """Rest at the next tool border, children included, or go on. False if nothing changes. Raises StoreError."""
        names = [name for name in (session_id, *children_of(self, session_id)) if name in self._awake]
        steps, when = pausing(self.edges.clock.now(), by, on)
        return any([await self._command(name, steps, when) for name in names])

    async def checkpoint(self, session_id: str) -> bool:
        """Keep one of how the session stands now; False if nothing was asked in it yet. Raises StoreError."""
        return await kept((await self._wake(session_id)).session)

    async def correct(self, session_id: str, corrected: Corrected) -> bool:
        """An edit of something said withdraws what is asked under the old words. False if its run is over."""
        steps = [*withdrawal((await self._wake(session_id)).session.todo, corrected), corrected]
        if done := await self._command(session_id, steps, lambda todo: todo.running):
            await withdraw(self, session_id, corrected)
        return done

    async def decide(self, session_id: str, call_id: str, verdict: str, by: str, reason: str = "") -> bool:
        """Somebody decided on a held call: allow, deny or expired. False if it no longer waits for a decision."""
        steps = decision(self.edges.clock.now(), call_id, verdict, by, reason)
        return await self._command(session_id, steps, waits_for(call_id))

    async def ask_again(self, session_id: str, call_id: str, by: str) -> bool:
        """Put an expired question once more, as a fresh one. False if it isn't there any more."""
        again: list[Step] = [Commanded(at=self.edges.clock.now(), command="again", by=by)]
        return await self._command(session_id, again, expired(call_id))

    async def mode_changed(self, by: str) -> None:
        """Tell every run that goes on which mode is in force now."""
        for awake in [awake for awake in self._awake.values() if awake.session.todo.running]:
            if change := self._mode(awake.session.todo, self.edges.mode, by):
                await awake.session.record(*change)

    async def _command(self, session_id: str, steps: list[Step], when: Callable[[Todo], bool]) -> bool:
        if not await is_open(self, session_id):
            return False
        awake = await self._wake(session_id)
        done = await awake.session.record(*steps, when=when)
        self.edges.reach("K11")
        self._drive(awake)
        return done

    def _mode(self, todo: Todo, standing: str, by: str) -> list[Step]:
        now = self.edges.clock.now()
        return mode_change(todo, standing, self.temporary_mode(now), now, by)

    async def stop(self, session_id: str, by: str) -> bool:
        """Kill first, record after: returns once nothing of the run is alive. False if nothing was running."""
        awake = self._awake.get(session_id)  # what runs is always in memory, so the store isn't needed
        if awake is None or awake.stopping or not (awake.session.todo.running or awake.task):
            return False
        awake.stopping = asyncio.create_task(self._record_stop(awake, by, awake.task))
        if awake.task:
            awake.task.cancel()
            await asyncio.wait([awake.task])
        for child in children_of(self, session_id):
            await self.stop(child, by)
        await self.edges.host.reap(session_id)
        return True

    async def _record_stop(self, awake: _Awake, by: str, task: asyncio.Task[None] | None) -> None:
        """Write the stop down once the task is dead, however long the store is locked."""
        if task:
            await asyncio.wait([task])
        while True:
            try:
                await awake.session.open()
                steps = stopped(awake.session.todo, self.edges.clock.now(), by)
                await awake.session.record(*steps, when=lambda todo: todo.running)
                break
            except StoreError as error:
                logger.warning("the stop is not written down yet: %s", error)
                await self.edges.clock.sleep(STORE_RETRY_S)
        awake.stopping = None
        self._settle_down(awake)

    def session(self, session_id: str) -> Session | None:
        """A session in memory; None if it sleeps."""
        awake = self._awake.get(session_id)
        return awake.session if awake else None

    def todo(self, session_id: str) -> Todo | None:
        """What a session in memory has to do; None if it sleeps."""
        return session.todo if (session := self.session(session_id)) else None

    def running(self) -> list[str]:
        """The sessions whose runs go on, parked ones and children included."""
        return [session_id for session_id, awake in self._awake.items() if awake.session.todo.running]

    def busy(self) -> int:
        """How many runs go on; children are part of theirs."""
        return sum(not parent_of(session_id) for session_id in self.running())

    async def close(self, grace_s: float) -> None:
        """Stop at the next step border, or where we are after `grace_s` seconds; all resumes at the next start."""
        self._draining.set()
        tasks = [awake.task for awake in self._awake.values() if awake.task and not awake.task.done()]
        late = (await asyncio.wait(tasks, timeout=grace_s))[1] if tasks else set()
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late, timeout=5)
        await asyncio.gather(*map(self.edges.host.reap, list(self._awake)))

    async def _wake(self, session_id: str) -> _Awake:
        if session_id not in self._awake:
            session = Session(session_id, self.edges, self.boot, self.watchers)
            session.on_delta = lambda name, delta: self.on_delta(name, delta)
            self._awake[session_id] = _Awake(session)
        awake = self._awake[session_id]
        await awake.session.open()
        return awake

    def adopt(self, child: Session) -> tuple[asyncio.Task[None] | None, asyncio.Event]:
        """Drive a child that its parent's call has opened: its task, and what is set when we are to end."""
        awake = self._awake.setdefault(child.id, _Awake(child))
        self._drive(awake)
        return awake.task, self._draining

    def _drive(self, awake: _Awake) -> None:
        """See to it that a task drives the session, if there is something to do."""
        if awake.stopping or self._draining.is_set() or (awake.task and not awake.task.done()):
            return
        if awake.timer:
            awake.timer.cancel()
        awake.task = asyncio.create_task(self._work(awake), name=f"run {awake.session.id}")

    async def _work(self, awake: _Awake) -> None:
        """Drive it to its rest; a store that fails is waited for, anything else ends the run in words."""
        session = awake.session
        while True:
            try:
                await session.open()
                await run(session, self._draining)
                if not session.todo.running:
                    await self.edges.host.reap(session.id)
                break
            except StoreError as error:
                logger.warning("session %s waits for the store: %s", session.id, error)
                await self.edges.clock.sleep(STORE_RETRY_S)
            except Exception as error:
                logger.exception("session %s", session.id)
                with contextlib.suppress(JarvisError):
                    last = broken(session.todo, self.edges.clock.now(), error)
                    await session.record(*last, when=lambda todo: todo.running)
                break
        self._settle_down(awake)

    def _settle_down(self, awake: _Awake) -> None:
        """Arm the one timer that may wake this session: a park's end, an approval's expiry, or eviction."""
        awake.task = None
        if awake.timer:
            awake.timer.cancel()
        todo, now = awake.session.todo, self.edges.clock.now()
        if self._draining.is_set():
            return
        if todo.running and todo.parked:
            if todo.parked.until is not None:
                self._later(awake, wakes_in(todo, todo.parked.until - now), lambda: self._unpark(awake))
        elif todo.running and (item := todo.waits_for_decision):
            self.edges.reach("K10")
            expires = (item.ask.at if item.ask else now) + APPROVAL_S
            self._later(awake, expires - now, lambda: self._expire(awake.session.id, item.call.id))
        elif todo.running and not todo.paused:
            self._drive(awake)  # something came in between the loop's last look and now
        elif not todo.running:
            self._later(awake, IDLE_S, lambda: self.evict(awake.session.id))

    def _later(self, awake: _Awake, seconds: float, act: Callable[[], Awaitable[None]]) -> None:
        async def after() -> None:
            await self.edges.clock.sleep(max(0.0, seconds))
            awake.timer = None
            try:
                await act()
            except StoreError as error:
                logger.warning("session %s waits for the store: %s", awake.session.id, error)
                self._later(awake, STORE_RETRY_S, act)

        awake.timer = asyncio.create_task(after(), name=f"timer {awake.session.id}")

    async def _unpark(self, awake: _Awake) -> None:
        resumed = Resumed(at=self.edges.clock.now(), cause="timer")
        await awake.session.record(resumed, when=lambda todo: todo.parked is not None)
        self._drive(awake)

    async def _expire(self, session_id: str, call_id: str) -> None:
        await self.decide(session_id, call_id, "expired", "clock")

    async def evict(self, session_id: str) -> None:
        """Drop a session that rests from memory, once its stop is written down."""
        if (awake := self._awake.get(session_id)) and awake.stopping:
            await asyncio.wait([awake.stopping])
        if (awake := self._awake.pop(session_id, None)) and awake.timer:
            awake.timer.cancel()
