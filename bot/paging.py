"""Details: the button of a status card, and the pages that it opens, turned in place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from zlib import crc32

from agent import Store
from bot import words
from bot.access import Role
from bot.channel import Arrival, Button, Letter
from bot.details import pages, run_of
from bot.hidden import hidden
from bot.markup import plain
from bot.outbox import Sender
from bot.routes import Routes

VERB = "det"
NEWEST = "n"


def button(session: str, asked: int) -> Button:
    """The one of a run's card; `asked` is the seq that began the run."""
    return Button(words.DETAILS, f"{VERB}:{NEWEST}:{asked}::{session}")


@dataclass(frozen=True, slots=True)
class Paging:
    """`mask` hides what is shaped like a key."""

    store: Store
    routes: Routes
    sender: Sender
    mask: Callable[[str], str]

    async def press(self, arrival: Arrival, role: Role) -> str | None:
        """The toast, or None if the button isn't one of these. Raises StoreError."""
        verb, page, asked, tag, session = [*arrival.data.split(":", 4), "", "", "", ""][:5]
        if verb != VERB:
            return None
        place = await self.routes.place_of(session) if session and asked.isdecimal() else None
        if place is None or place != arrival.place:
            return words.EXPIRED
        run = run_of(await self.store.read(session), int(asked))
        made = pages(hidden(step, self.mask) for step in run)
        number = min(int(page), len(made) - 1) if page.isdecimal() else len(made) - 1
        tag = tag or f"{crc32(arrival.press_id.encode()):08x}"
        text = plain(self.mask(words.details(number + 1, len(made), made[number])))[0].text
        letter = Letter(text, buttons=_turns(number, len(made), f"{asked}:{tag}:{session}"), silent=True)
        self.sender.card(arrival.place, f"{session}:{asked}:details:{tag}", letter, final=True)
        return ""


def _turns(number: int, count: int, rest: str) -> tuple[tuple[Button, ...], ...]:
    row = [Button(words.OLDER, f"{VERB}:{number - 1}:{rest}")] if number else []
    row += [Button(words.NEWER, f"{VERB}:{number + 1}:{rest}")] if number + 1 < count else []
    return (tuple(row),) if row else ()
