"""/undo: what the last run of a session wrote, listed before the tap and taken back after it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from agent import Clock, Hub, JarvisError, Outgoing, Store, StoreError
from bot import undo, words
from bot.access import Role
from bot.channel import Arrival, Button, Letter, Place
from bot.envelope import encode
from bot.outbox import Sender
from bot.routes import Routes

KIND, VERB = "undo", "undo"
OFFERED_S = 3600.0


class Undoes(Protocol):
    """The undo store as the chat sees it (agent.undo.UndoStore)."""

    async def runs(self, session: str) -> list[str]: ...
    async def plan(self, run: str) -> undo.Plan: ...
    async def restore(self, run: str, plan: undo.Plan) -> undo.Report: ...


@dataclass(slots=True)
class Undoing:
    """`store` is None where nothing is kept for undo (the demo)."""

    files: Undoes | None
    store: Store
    hub: Hub
    routes: Routes
    sender: Sender
    clock: Clock
    _offered: dict[str, undo.Plan] = field(default_factory=dict)  # what was listed is what a tap may touch
    _done: dict[str, str] = field(default_factory=dict)  # what came of a tap, until it is told

    async def command(self, arrival: Arrival, role: Role) -> str:
        """List what an undo would do, with a button; "" when that was sent. Raises StoreError."""
        try:
            return await self._list(arrival)
        except StoreError:
            raise
        except JarvisError as error:
            return str(error)

    async def _list(self, arrival: Arrival) -> str:
        session = await self.routes.session_of(arrival.place)
        if self.running(session):
            return words.UNDO_RUNS
        runs = await self.files.runs(session) if self.files else []
        if not runs or self.files is None:
            return words.UNDO_NOTHING
        plan = await self.files.plan(runs[0])
        text = undo.offer(plan)
        if plan.empty:
            return text
        ref = secrets.token_urlsafe(16)
        body = json.dumps({"run": runs[0], "session": session, "place": arrival.place.key})
        await self.store.remember(ref, KIND, body, self.clock.now() + OFFERED_S)
        self._offered[ref] = plan
        buttons = ((Button(words.UNDO_DO, f"{VERB}:{ref}"),),)
        await self._tell(arrival.place, Letter(text, buttons=buttons), f"undo:{arrival.ref}")
        return ""

    async def press(self, arrival: Arrival, role: Role) -> str | None:
        """The tap: the toast, or None if the button isn't ours. What was done comes as a message. Raises StoreError."""
        verb, _, ref = arrival.data.partition(":")
        if verb != VERB:
            return None
        known = await self.store.recall(ref)
        body = json.loads(known.body) if known and known.kind == KIND else {}
        fresh = known is not None and not known.used and known.expires > self.clock.now()
        if told := self._done.pop(ref, ""):  # the store failed before it could be told
            await self._told(arrival, ref, told)
            return words.UNDO_DONE
        plan = self._offered.get(ref)
        if body.get("place") != arrival.place.key or self.files is None or plan is None or not fresh:
            return words.UNDO_STALE
        if role < Role.OPERATOR:
            return words.VIEWERS_READ
        if self.running(body["session"]):
            return words.UNDO_RUNS
        if await self.store.use(ref) is None:
            return words.UNDO_STALE
        try:
            told = undo.done(await self.files.restore(body["run"], self._offered.pop(ref)))
        except JarvisError as error:
            told = str(error)
        await self._told(arrival, ref, told)
        return words.UNDO_DONE

    async def _told(self, arrival: Arrival, ref: str, told: str) -> None:
        self._done[ref] = told
        await self._tell(arrival.place, Letter(told), f"undone:{ref}")
        del self._done[ref]

    def running(self, session: str) -> bool:
        todo = self.hub.todo(session)
        return todo is not None and todo.running

    async def _tell(self, place: Place, letter: Letter, key: str) -> None:
        rows: Sequence[Outgoing] = [Outgoing(key=key, chat=place.chat, body=encode(place, letter), role="notice")]
        self.sender.deliver(await self.store.project(f"desk:{place.bot}", 0, rows))
