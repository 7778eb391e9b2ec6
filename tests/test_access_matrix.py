"""Who may do what where, cell by cell on the real door and desk, against rules written down apart from the code.

The rules are SPEC 5 and FAULTS section 6 ("Who may talk", roles, modes); each cell is one update, its outcome observed
in the store and in memory: silence, a refusal in words, or the effect. No wrong allow, no wrong deny.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from agent.store.memory import MemoryStore
from agent.tables import Person, Switch
from bot import words
from bot.channel import Arrival, Received
from bot.envelope import decode
from tests.fakes.office import ADMIN, GROUP, OPERATOR, OWNER, VIEWER, Office, office

SILENCE, REFUSED, DONE = "silence", "refused", "done"

# -- the rules ------------------------------------------------------------------------------------------------------
RANK = {"viewer": 1, "operator": 2, "admin": 3, "owner": 4}


@dataclass(frozen=True)
class Actor:
    """Somebody, the role that they should have, and what else Telegram says of them."""

    id: int | None
    role: str | None
    bot: bool = False


ACTORS = {
    "owner": Actor(OWNER, "owner"),
    "admin": Actor(ADMIN, "admin"),
    "operator": Actor(OPERATOR, "operator"),
    "viewer": Actor(VIEWER, "viewer"),
    "admin by tap": Actor(21, "admin"),
    "operator by tap": Actor(22, "operator"),
    "viewer by tap": Actor(23, "viewer"),
    "viewer in the settings, admin by tap": Actor(19, "viewer"),
    "admin in the settings, viewer by tap": Actor(18, "admin"),
    "paired, but the settings name another owner": Actor(24, None),
    "asked and not answered": Actor(25, None),
    "ignored": Actor(26, None),
    "stranger": Actor(99, None),
    "anonymous admin or channel": Actor(None, None),
    "a bot under an admin's id": Actor(ADMIN, None, bot=True),
}
CHATS = {"private": True, "group": True, "moved group": True, "foreign group": False}
MESSAGES = ("", "status", "stop", "new", "help", "frobnicate", "mode", "mode ask", "mode sandbox", "mode full")
MESSAGES += ("users", "users 77", "lock", "lock off")
PRESSES = ("stop", "operator")
OTHERS = ("edit", "ignored", "reaction")
LEAST = {"": 2, "status": 1, "stop": 2, "new": 2, "help": 1, "frobnicate": 1, "mode": 1, "users": 3, "users 77": 4}
LEAST |= {"lock": 3, "lock off": 4}
TIGHTNESS = ["full", "sandbox", "ask"]


def expected(actor: Actor, chat: str, kind: str, what: str, locked: bool, mode: str) -> str:
    """The outcome by the rules. `mode` is the one in force."""
    rank = RANK.get(actor.role or "", 0)
    if not rank or not CHATS[chat] or kind in ("ignored", "reaction"):
        return SILENCE
    if locked and rank < 4 and not (rank == 3 and kind == "message" and what.startswith("lock")):
        return SILENCE
    if kind == "edit":
        return DONE if rank >= 2 else SILENCE
    if kind == "press":
        return DONE if rank >= {"stop": 2, "operator": 4}[what] else REFUSED
    if what == "frobnicate" and chat != "private":
        return SILENCE  # where other bots may be, a command that nobody here knows is theirs
    if what.startswith("mode "):
        return DONE if _may_set(what.removeprefix("mode "), mode, rank, chat) else REFUSED
    return DONE if rank >= LEAST[what] else REFUSED


def _may_set(wanted: str, mode: str, rank: int, chat: str) -> bool:
    if wanted == "full":
        return rank == 4 and chat == "private"
    return rank >= (3 if TIGHTNESS.index(wanted) >= TIGHTNESS.index(mode) else 4)


# -- the world ------------------------------------------------------------------------------------------------------
STANDING = ("sandbox", "ask", "full")
STATES = [
    pytest.param(standing, override, locked, id=f"{standing}-{override or 'as it stands'}-{'locked' * locked}")
    for standing, override, locked in itertools.product(STANDING, ("", "ask", "full"), (False, True))
    if standing != override
]
ROWS = [
    Person(21, "admin", "A", OWNER), Person(22, "operator", "B", OWNER), Person(23, "viewer", "C", OWNER),
    Person(19, "admin", "D", OWNER), Person(18, "viewer", "E", OWNER), Person(24, "owner", "F"),
    Person(25, "asked", "G", at=1_700_000_000.0), Person(26, "ignored", "H", OWNER),
]  # fmt: skip


async def made_store() -> MemoryStore:
    store = MemoryStore()
    for person in ROWS:
        await store.admit(person)
    await store.relocate(GROUP, "-200")
    return store


class Cell:
    """One update on its way through a running office."""

    def __init__(self, desk: Office, number: int, actor: Actor, chat: str, kind: str, what: str) -> None:
        self.desk, self.what, self.kind = desk, what, kind
        private = chat == "private"
        at = str(actor.id or 99) if private else {"group": GROUP, "moved group": "-200"}.get(chat, "-300")
        self.place = desk.channel.place(at)
        command, _, args = what.partition(" ")
        self.arrival = Arrival(
            kind="message", place=self.place, sender=actor.id, bot_sender=actor.bot, private=private,
            message_id=number, date=desk.clock.now(), text=f"/{what}" if what else "hello", addressed=True,
            command=command, args=args,
        )  # fmt: skip
        if kind != "message":
            odd = replace(self.arrival, kind=kind, text="hello", command="", args="")  # type: ignore[arg-type]
            self.arrival = replace(odd, press_id=f"p{number}") if kind == "press" else odd

    async def outcome(self) -> str:
        """Let it in, see what comes of it, and put everything back."""
        gate, store = self.desk.service.gate, self.desk.store
        if self.kind == "edit" or self.arrival.kind in ("ignored", "reaction"):
            return DONE if gate.access.judge(self.arrival) else SILENCE
        if self.kind == "press":
            self.arrival = replace(self.arrival, data=await self._data())
        before, toasts = await self._state(), len(self.desk.toasts())
        row = self.desk.channel.row(self.arrival)
        await gate.door(self.desk.service.desk.intake, self.desk.service.moves.follow).intake(
            [Received(row, self.arrival)]
        )
        await self.desk.service.desk.idle()
        said = await store.find(f"{row.bot}:{row.update_id}:{self.arrival.command or 'note'}")
        text = decode(said.body)[1].text if said else ""
        return self._verdict(before, await self._state(), text or "".join(self.desk.toasts()[toasts:]))

    async def _data(self) -> str:
        if self.what == "stop":
            return f"stop:{await self.desk.service.routes.session_of(self.place)}"
        ref = f"ref{self.arrival.message_id}"
        body = json.dumps({"id": 77, "place": self.place.key, "key": "card"})
        await self.desk.store.remember(ref, "person card", body, self.desk.clock.now() + 60)
        return f"operator:{ref}"

    async def _state(self) -> tuple[object, ...]:
        gate, store = self.desk.service.gate, self.desk.store
        return (
            gate.access.locked,
            gate.modes.current(self.desk.clock.now()),
            self.desk.service.routes.known(self.place),
            await store.find_ref(self.arrival.ref),
            gate.access.person(77),
            sum(
                "· mode" in call.letter.text for call in self.desk.channel.made("send", self.place.chat) if call.letter
            ),
            await store.find(f"person:{self.arrival.ref}"),
            await store.find(f"users:{self.arrival.ref}"),
        )

    def _verdict(self, before: tuple[object, ...], after: tuple[object, ...], text: str) -> str:
        refusals = {words.VIEWERS_READ, words.NOT_YOURS, words.OWNER_DECIDES, words.FULL_IN_PRIVATE}
        refusals |= {words.OWNER_LOOSENS, words.only("admin"), words.only("owner")}
        if text in refusals:
            assert before[:5] == after[:5], f"refused, and done all the same: {self.arrival}"
            return REFUSED
        return DONE if text or before != after else SILENCE


async def put_back(desk: Office, override: str, locked: bool) -> None:
    gate = desk.service.gate
    gate.access.locked = locked
    if gate.access.person(77):
        await gate.access.dismiss(77)
    until = desk.clock.now() + 7 * 3600.0 if override == "full" else None
    standing = gate.modes.standing
    await desk.store.switch(Switch("mode", f"{override or standing} over {standing}", until, "t:7", 1.0))
    await gate.modes.load()


@pytest.mark.parametrize(("standing", "override", "locked"), STATES)
async def test_each_cell_is_as_the_rules_say(standing: str, override: str, locked: bool, tmp_path: Path) -> None:
    store, wrong, seen = await made_store(), [], Counter[str]()
    env = {"JARVIS_RUN__MODE": standing}
    kinds = [("message", m) for m in MESSAGES] + [("press", p) for p in PRESSES] + [(other, "") for other in OTHERS]
    async with office(["fine"] * 500, tmp_path, store=store, env=env) as desk:
        access = desk.service.gate.access
        access.listed = replace(access.listed, viewers=frozenset({VIEWER, 19}), admins=frozenset({ADMIN, 18}))
        for number, (name, chat, (kind, what)) in enumerate(itertools.product(ACTORS, CHATS, kinds), 1):
            await put_back(desk, override, locked)
            cell = Cell(desk, number, ACTORS[name], chat, kind, what)
            right = expected(ACTORS[name], chat, kind, what, locked, override or standing)
            got = await cell.outcome()
            seen[got] += 1
            if got != right:
                wrong.append(f"{name}, {chat}, {kind} {what!r}: {got}, should be {right}")
    assert wrong == []
    assert seen.total() == len(ACTORS) * len(CHATS) * len(kinds)
    assert min(seen[each] for each in (SILENCE, DONE)) > 0
    if not locked:
        assert seen[REFUSED] > 100


def test_the_matrix_has_at_least_five_thousand_cells() -> None:
    assert len(STATES) * len(ACTORS) * len(CHATS) * (len(MESSAGES) + len(PRESSES) + len(OTHERS)) >= 5_000
