"""Approvals in chat: the card goes out, somebody decides, the card says so. Durable; each question is decided once."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from agent import Clock, Hub, Outgoing, Store, steps
from bot import words
from bot.access import Role
from bot.answers import Draft
from bot.channel import Arrival, Button, Letter, Place
from bot.envelope import decode, encode
from bot.languages import Languages
from bot.outbox import Sender
from bot.question import Question, above, letter, named, question, refusal, unsettled

KEPT_S = 7 * 86_400.0  # how long a button of an old card still gets a sensible answer
KIND = "approval"
REMEMBERED = 500  # settled cards


@dataclass(frozen=True, slots=True)
class Open:
    """A question on screen: its card's key in the outbox and its place."""

    session: str
    place: Place
    key: str
    asked: Question


class Approvals:
    """`where` tells to which place a run's questions go: (place of the run, its requester) -> place of the card;
    `alone` where the owner is to hear that nobody else can decide it."""

    def __init__(
        self, store: Store, hub: Hub, sender: Sender, clock: Clock, where: Callable[[Place, str], Place]
    ) -> None:
        self._store, self._hub, self._sender, self._clock, self._where = store, hub, sender, clock, where
        self._open: dict[tuple[str, str], Open] = {}  # (session, call) -> question
        self.called: Callable[[str, Place], str] = lambda author, place: ""  # the displayed name of channel:id
        self.alone: Callable[[Place, str], Place | None] = lambda place, requester: None
        self._closed: dict[str, str] = {}  # key -> chat of the newest cards that say what became of them
        self.languages: Languages | None = None  # else everybody is asked in the language of now

    # -- out ----------------------------------------------------------------------------------------------------------
    async def rows(self, session: str, place: Place, draft: Draft) -> list[Outgoing]:
        """The outbox rows of a question: a long command in full, the card, a hint where it is asked elsewhere."""
        assert draft.ask is not None
        author = draft.authors[-1] if draft.authors else ""
        target = self._where(place, author)
        asker = named(author, self.called(author, place) or draft.asker, target.chat)
        asked = question(draft.ask, draft.authors, asker, place.chat.startswith("-"))
        entry = Open(session, target, f"{session}:{draft.key}:card", asked)
        self._open[session, asked.call_id] = entry
        with self._telling(target):
            rows = await self._cards(entry, f"{session}:{draft.key}")
        alone = self.alone(target, author) if asked.tier > 1 else None
        if alone:
            with self._telling(alone):
                told = self._row(f"{session}:{draft.key}:owner", alone, Letter(words.only_you(target.chat)))
            rows.append(replace(told, role="notice"))
        if target != place:
            hint = Letter(words.ASKED_ELSEWHERE, silent=True)
            rows.append(replace(self._row(f"{session}:{draft.key}:hint", place, hint), role="notice"))
        return rows

    async def _cards(self, entry: Open, key: str) -> list[Outgoing]:
        letters = [*above(entry.asked), replace(letter(entry.asked), buttons=await self._buttons(entry))]
        keys = [f"{key}:{n}" for n in range(len(letters) - 1)] + [entry.key]
        return [self._row(key, entry.place, each) for key, each in zip(keys, letters, strict=True)]

    async def moved(self, old: Place, new: Place) -> None:
        """A group got another id, where its old cards can't be pressed: what is open is asked there once more. Raises
        StoreError."""
        for at, entry in list(self._open.items()):
            if entry.place == old:
                there = replace(entry, place=new, key=f"{entry.key}:{new.chat}")
                with self._telling(new):
                    cards = await self._cards(there, f"{entry.key}:{new.chat}:above")
                rows = await self._store.project("desk", 0, cards)
                self._open[at] = there
                self._sender.deliver(rows)

    def _telling(self, place: Place) -> AbstractContextManager[None]:
        return self.languages.telling(place) if self.languages else nullcontext()

    def _row(self, key: str, place: Place, each: Letter) -> Outgoing:
        return Outgoing(key=key, chat=place.chat, body=encode(place, each), role=KIND)

    async def _buttons(self, entry: Open) -> tuple[tuple[Button, ...], ...]:
        """One reference for all buttons of a card; what it means stands in the store alone."""
        ref = secrets.token_urlsafe(16)
        meaning = {"session": entry.session, "call": entry.asked.call_id, "place": entry.place.key, "key": entry.key}
        body = json.dumps(meaning)
        await self._store.remember(ref, KIND, body, self._clock.now() + KEPT_S)
        first = [Button(words.RUN_ONCE, f"ok:{ref}"), Button(words.DENY, f"no:{ref}")]
        if entry.asked.session_ok:
            return (tuple(first), (Button(words.THIS_SESSION, f"ses:{ref}"),))
        return (tuple(first),)

    # -- what became of it --------------------------------------------------------------------------------------------
    def watch(self, session: str, seq: int, step: steps.Step) -> None:
        """A watcher of the hub's: a card whose question is settled says so and loses its buttons."""
        match step:
            case steps.Decided(verdict="expired"):
                if entry := self._open.get((session, step.call_id)):
                    self._show_expired(entry)
            case steps.Decided():
                entry = self._open.get((session, step.call_id))
                who = named(step.by, self.called(step.by, entry.place), entry.place.chat) if entry else ""
                self._close(session, step.call_id, lambda: words.decided(step.verdict, who, step.reason))
            case steps.Finished():
                self._close(session, step.call_id, lambda: words.NO_LONGER)
            case _:
                pass

    def restore(self, session: str, place: Place, journal: Sequence[tuple[int, steps.Step]]) -> None:
        """After a restart: the questions that a session still waits for."""
        for seq, step, authors, name in unsettled(journal):
            author = authors[-1] if authors else ""
            target, called = self._where(place, author), self.called(author, place) or name
            found = question(step, authors, named(author, called, target.chat), place.chat.startswith("-"))
            entry = Open(session, target, f"{session}:{seq}:ask:card", found)
            self._open[session, found.call_id] = entry

    def _close(self, session: str, call: str, verdict: Callable[[], str]) -> None:
        if entry := self._open.pop((session, call), None):
            self._settled(entry.key, entry.place)
            with self._telling(entry.place):
                self._sender.card(entry.place, entry.key, letter(entry.asked, verdict()), final=True)

    def _show_expired(self, entry: Open) -> None:
        with self._telling(entry.place):
            again = ((Button(words.ASK_AGAIN, f"again:{entry.session}"),),)
            shown = replace(letter(entry.asked, words.EXPIRED_CARD), buttons=again)
        self._sender.card(entry.place, entry.key, shown)

    # -- in -----------------------------------------------------------------------------------------------------------
    async def press(self, arrival: Arrival, role: Role) -> str:
        """A button of a card was pressed; returns the toast. Raises StoreError."""
        verb, _, ref = arrival.data.partition(":")
        if verb == "again":
            return await self._again(arrival, role, ref)
        known = await self._store.recall(ref)
        body = json.loads(known.body) if known and known.kind == KIND else {}
        if body.get("place") != arrival.place.key:
            return words.EXPIRED
        entry = self._open.get((body["session"], body["call"]))
        if entry is None:
            await self._strip(body["key"])
            return words.ALREADY
        if entry.key != body["key"]:  # asked again elsewhere before a restart: this is the card that is there
            entry = self._open[body["session"], body["call"]] = replace(entry, key=body["key"])
        verdict, scope = ("deny", "") if verb == "no" else ("allow", "session" if verb == "ses" else "")
        return await self._decide(entry, arrival, role, verdict, scope)

    async def _strip(self, key: str) -> None:
        """A card that a crash left with its buttons loses them at the next press."""
        row = await self._store.find(key)
        if key not in self._closed and row is not None and row.message_id is not None:
            place, shown = decode(row.body)
            self._settled(key, place)
            told = f"{shown.text}\n{words.NO_LONGER}"
            self._sender.card(place, key, Letter(told, shown.entities, silent=True), final=True)

    async def reply(self, arrival: Arrival, role: Role) -> str | None:
        """A reply to a card with exactly yes or no decides, one that begins with "no" and goes on denies with a reason.

        None: it is no such reply, but an ordinary message; so is what somebody else said and this person forwards.
        Returns the words of the answer. Raises StoreError.
        """
        said, quote = arrival.text.strip(), arrival.quote
        if quote is None or not quote.ours or arrival.forwarded or said.split()[:1] == []:
            return None
        first = said.split()[0].lower().rstrip(",.:;!-")
        exact = said.lower() in ("yes", "no")
        if not exact and first != "no":
            return None
        for entry in [each for each in self._open.values() if each.place == arrival.place]:
            row = await self._store.find(entry.key)
            if row is None or row.message_id != quote.message_id:
                continue
            if said.lower() == "yes":
                return await self._decide(entry, arrival, role, "allow", "")
            return await self._decide(entry, arrival, role, "deny", "" if exact else said)
        if exact and await self._was_a_card(arrival.place, quote.message_id):
            return words.ALREADY
        return None

    async def _was_a_card(self, place: Place, message_id: int) -> bool:
        for key in [key for key, chat in self._closed.items() if chat == place.chat]:
            row = await self._store.find(key)
            if row is not None and row.message_id == message_id:
                return True
        return False

    def _settled(self, key: str, place: Place) -> None:
        self._closed[key] = place.chat
        if len(self._closed) > REMEMBERED:
            self._closed.pop(next(iter(self._closed)))

    async def _decide(self, entry: Open, arrival: Arrival, role: Role, verdict: str, reason: str) -> str:
        presser = f"{arrival.place.channel}:{arrival.sender}"
        if why := refusal(entry.asked, role, presser):
            return why
        if reason == "session" and not entry.asked.session_ok:
            return words.EXPIRED
        done = await self._hub.decide(entry.session, entry.asked.call_id, verdict, presser, reason)
        if not done:
            return words.ALREADY
        return words.ALLOWED if verdict == "allow" else words.DENIED

    async def _again(self, arrival: Arrival, role: Role, session: str) -> str:
        for (owner, call), entry in list(self._open.items()):
            if owner != session or entry.place != arrival.place:
                continue
            presser = f"{arrival.place.channel}:{arrival.sender}"
            if role < Role.ADMIN and presser not in entry.asked.authors:
                return words.ADMINS_DECIDE
            if await self._hub.ask_again(session, call, presser):
                self._close(session, call, lambda: words.ASKED_AGAIN)
                return words.ASKED_AGAIN
        return words.EXPIRED
