"""/sessions: the newest conversations of a chat, each of which a tap takes up again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agent import Clock, Hub, Store
from bot import words
from bot.access import Role
from bot.channel import Arrival, Button, Letter
from bot.notices import Notices
from bot.oneline import clip
from bot.routes import Routes

VERB = "sess"
SHOWN = 8
TITLE = 40  # characters
KEPT = 60  # ... that the store keeps of it (SPEC A8)


@dataclass(frozen=True, slots=True)
class Sessions:
    """`mask` hides what is shaped like a key, `partial` also what may be the beginning of one."""

    store: Store
    hub: Hub
    routes: Routes
    notices: Notices
    clock: Clock
    mask: Callable[[str], str]
    partial: Callable[[str], str]

    async def command(self, arrival: Arrival, role: Role) -> str:
        """The list, with a button each; "" when it was sent. Raises StoreError."""
        current = await self.routes.session_of(arrival.place)
        found = await self.store.sessions_at(arrival.place.key, SHOWN)
        if not found:
            return words.NO_SESSIONS
        lines, rows, now = [words.SESSIONS], [], self.clock.now()
        for number, each in enumerate(found, start=1):
            title = self._title(each.title)
            lines.append(f"{number}. {title}\n    {words.session_is(now - each.updated, each.session == current)}")
            if each.session != current:
                rows.append((Button(f"{number}. {title}", f"{VERB}:{each.session}"),))
        text = "\n".join([*lines, *([words.SESSIONS_TAP] if rows else [])])
        letter = Letter(text, buttons=tuple(rows) if role >= Role.OPERATOR else ())
        await self.notices.tell(arrival.place, letter, f"sessions:{arrival.ref}")
        return ""

    async def press(self, arrival: Arrival, role: Role) -> str | None:
        """The tap: the toast, or None if the button isn't one of these. Raises StoreError."""
        verb, _, session = arrival.data.partition(":")
        if verb != VERB:
            return None
        if role < Role.OPERATOR:
            return words.VIEWERS_READ
        if await self.routes.place_of(session) != arrival.place:
            return words.EXPIRED
        current = await self.routes.session_of(arrival.place)
        if current == session:
            return words.SESSION_IS_CURRENT
        if (todo := self.hub.todo(current)) and todo.running:
            return words.SESSION_RUNS
        await self.routes.point(arrival.place, session)
        here = await self.store.sessions_at(arrival.place.key, 100)
        title = next((each.title for each in here if each.session == session), "")
        told = Letter(words.session_resumed(self._title(title)))
        await self.notices.tell(arrival.place, told, f"resumed:{arrival.press_id}")
        return ""

    def _title(self, kept: str) -> str:
        """The store keeps the beginning of a message, which may end within a key."""
        whole = len(kept) < KEPT
        return clip((self.mask if whole else self.partial)(kept) or "…", TITLE)
