"""From the journal to the outbox: what a session's steps say to its chat, once, however often it is projected."""

from __future__ import annotations

import asyncio
import datetime
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from zlib import crc32

from agent import Clock, Outgoing, Store, StoreError, parent_of, steps
from bot import checkpoints, modelwords, words
from bot.answers import Answers, Draft
from bot.because import because
from bot.channel import Button, Letter, Place
from bot.markup import captioned, letters, plain
from bot.outbox import Sender, encode
from bot.parcel import file_of
from bot.routes import Routes
from bot.split import LIMIT, units

logger = logging.getLogger(__name__)


CHILD_SAYS = (":parked", ":restarted", ":file")
CAPTION = 1024  # UTF-16 units: https://core.telegram.org/bots/api#senddocument
Questions = Callable[[str, Place, Draft], Awaitable[list[Outgoing]]]


async def _unasked(session: str, place: Place, draft: Draft) -> list[Outgoing]:
    return []


class Projector:
    """Watches the steps of one channel's sessions. One small task a session with something to project."""

    def __init__(self, store: Store, routes: Routes, sender: Sender, clock: Clock) -> None:
        self._store, self._routes, self._sender, self._clock = store, routes, sender, clock
        self.questions: Questions = _unasked
        self.footers: Callable[[Place], bool] = lambda place: True
        self.telling: Callable[[Place | None], AbstractContextManager[None]] = lambda place: words.speaking("")
        self.mask: Callable[[str], str] = lambda text: text  # what is shaped like a key isn't for a chat
        self.zone: datetime.tzinfo = datetime.UTC
        self.owner: Callable[[], int | None] = lambda: None
        self._folds: dict[str, Answers] = {}
        self._queues: dict[str, deque[tuple[int, steps.Step]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def watch(self, session: str, seq: int, step: steps.Step) -> None:
        """A watcher of the hub's: takes the step and returns at once."""
        if session in self._queues:
            self._queues[session].append((seq, step))
            return
        self._queues[session] = deque([(seq, step)])
        task = asyncio.create_task(self._work(session), name=f"project {session}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def catch_up(self, unfinished: Sequence[str]) -> None:
        """At start, before anything runs: fold what was recorded and not projected. Raises StoreError."""
        for session in dict.fromkeys([*await self._store.behind(), *unfinished]):
            cursor = await self._store.cursor(session)
            fold = self._folds.setdefault(session, Answers(zone=self.zone))
            place = await self._routes.place_of(session)
            for seq, step in await self._store.read(session):
                with self.telling(place):
                    drafts = spoken_by(session, fold.fold(seq, step))
                if seq > cursor and (drafts or isinstance(step, steps.Ended)):
                    await self._project(session, seq, drafts)

    async def idle(self) -> None:
        """Wait until everything recorded so far is in the outbox."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    async def _work(self, session: str) -> None:
        queue = self._queues[session]
        while queue:
            seq, step = queue.popleft()
            fold = self._folds.setdefault(session, Answers(zone=self.zone))
            drafts = spoken_by(session, fold.fold(seq, step))
            if drafts or isinstance(step, steps.Ended):
                await self._persist(session, lambda: self._project(session, seq, drafts))  # noqa: B023
            if isinstance(step, steps.Ended):
                self._folds.pop(session, None)
        del self._queues[session]

    async def _persist(self, session: str, write: Callable[[], Awaitable[None]]) -> None:
        """Write, however long the store is locked; what can't be shown at all is logged and passed over."""
        while True:
            try:
                return await write()
            except StoreError as error:
                logger.warning("session %s: not in the outbox yet: %s", session, error)
                await self._clock.sleep(1.0)
            except Exception:
                logger.exception("session %s: a step could not be shown", session)
                return None

    async def _project(self, session: str, seq: int, drafts: Sequence[Draft]) -> None:
        place = await self._routes.place_of(session)
        with self.telling(place):
            rows = await self._rows(session, place, drafts) if place else []
        new = await self._store.project(session, seq, rows)
        self._sender.deliver(new)

    async def _rows(self, session: str, place: Place, drafts: Sequence[Draft]) -> list[Outgoing]:
        rows: list[Outgoing] = []
        for draft in drafts:
            if draft.checkpoint and draft.silent and not self.footers(place):
                continue  # a quiet chat isn't told that a run goes on by itself
            shown = replace(draft, markdown=self.mask(draft.markdown), checkpoint=self.mask(draft.checkpoint))
            shown = replace(shown, footer=draft.footer if self.footers(place) else "")
            shown, told = self._for_owner(place, shown)
            rows += await self.questions(session, place, draft) if draft.ask else outgoing(session, place, shown)
            rows += told
        return rows

    def _for_owner(self, place: Place, draft: Draft) -> tuple[Draft, list[Outgoing]]:
        """What is for the owner alone goes to them in private, in their language; the chat reads that it did."""
        owner = self.owner()
        if not draft.public or owner is None or place.chat == str(owner):
            return draft, []
        home = Place(place.channel, place.bot, str(owner))
        with self.telling(home):
            told = modelwords.told_owner(place.chat, self.mask(because(*draft.private)))
        return replace(draft, markdown=draft.public), [for_owner(home, told, draft, self._clock.now())]


def spoken_by(session: str, drafts: list[Draft]) -> list[Draft]:
    """Of a child session the chat reads what it asks, waits for or was cut off from; its answer is its parent's."""
    if not parent_of(session):
        return drafts
    return [draft for draft in drafts if draft.ask or draft.key.endswith(CHILD_SAYS)]


def outgoing(session: str, place: Place, draft: Draft) -> list[Outgoing]:
    """The rows of a draft: one a message, only the first one a reply and with sound."""
    rows = []
    if draft.checkpoint:
        card = checkpoints.letter(session, int(draft.key.partition(":")[0]), draft.checkpoint)
        return [Outgoing(key=f"{session}:{draft.key}:0", chat=place.chat, body=encode(place, card), role=draft.role)]
    button = ((Button(draft.button[0], f"{draft.button[1]}:{session}"),),) if draft.button else ()
    if draft.parcel:
        parts = captioned(file_of(draft.parcel), draft.markdown, CAPTION)
    else:
        parts = footed(letters(draft.markdown) or letters(words.INVISIBLE), draft.footer)
    for chunk, letter in enumerate(parts):
        buttons = button if chunk + 1 == len(parts) else ()
        reply_to = int(draft.ref.rsplit(":", 1)[1]) if draft.ref and not chunk else None
        silent = draft.silent or chunk > 0
        letter = replace(letter, buttons=buttons, reply_to=reply_to, silent=silent)
        key = f"{session}:{draft.key}:{chunk}"
        rows.append(Outgoing(key=key, chat=place.chat, body=encode(place, letter), role=draft.role))
    return rows


def for_owner(home: Place, text: str, draft: Draft, now: float) -> Outgoing:
    """A row to the owner about what is wrong, once an hour."""
    (letter,) = plain(text)[:1]
    key = f"owner:{home.key}:{crc32(draft.private[0].encode()):08x}:{now // 3600:.0f}"
    return Outgoing(key=key, chat=home.chat, body=encode(home, letter), role="notice")


def footed(parts: list[Letter], footer: str) -> list[Letter]:
    """The letters with a line under the last one, in a letter of its own where that is full. It stands outside of all
    formatting, an unclosed code block included."""
    if not footer:
        return parts
    text = f"{parts[-1].text}\n\n{footer}"
    return [*parts[:-1], replace(parts[-1], text=text)] if units(text) <= LIMIT else [*parts, Letter(footer)]
