"""The store on one SQLite file: write-ahead log, every commit on the disk before it counts, mode 0600."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from agent.steps import Step
from agent.store import desk, journal, outbox, people, pruning, usage
from agent.store import statements as sql
from agent.store.database import Database
from agent.store.migrate import Migration, packaged
from agent.tables import Inbound, Listed, Outgoing, Person, Ref, Spent, Switch


class SqliteStore:
    """The Store protocol. The folder of `path` exists and one process has it for itself; `busy_s` is in seconds, `now`
    is wall time."""

    def __init__(
        self,
        path: Path,
        busy_s: float = 10.0,
        migrations: tuple[Migration, ...] | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._now = now
        self._db = Database(path, busy_s, migrations or packaged())

    async def open(self) -> None:
        """Raises StoreBroken when the file is damaged, foreign or newer (it is left alone), StoreBusy, StoreError."""
        await self._db.open()

    async def close(self) -> None:
        await self._db.close()

    # -- journal ----------------------------------------------------------------------------------------------------
    async def append(self, session: str, seq: int, batch: str, *steps: Step) -> None:
        await self._db.write(journal.append(session, seq, batch, steps))

    async def read(self, session: str, after: int = 0) -> list[tuple[int, Step]]:
        steps = page = await self._db.read(journal.read(session, after))
        while len(page) == journal.PAGE:
            page = await self._db.read(journal.read(session, page[-1][0]))
            steps += page
        return steps

    async def unfinished(self) -> list[str]:
        return await self._db.read(journal.unfinished())

    async def find_ref(self, ref: str) -> tuple[str, int] | None:
        return await self._db.read(journal.find_ref(ref))

    # -- inbox ------------------------------------------------------------------------------------------------------
    async def receive(self, rows: Sequence[Inbound]) -> list[Inbound]:
        return await self._db.write(desk.receive(rows))

    async def waiting(self) -> list[Inbound]:
        return await self._db.read(desk.waiting())

    async def done(self, bot: str, update_id: int) -> None:
        await self._db.write(desk.done(bot, update_id))

    # -- routes -----------------------------------------------------------------------------------------------------
    async def route(self, place: str) -> str | None:
        return await self._db.read(desk.route(place))

    async def move(self, place: str, session: str) -> None:
        await self._db.write(desk.move(place, session))

    async def rename(self, old: str, new: str) -> None:
        """Both are whole place keys: a chat with topics is renamed topic by topic. The old route wins over a new one;
        a second time changes nothing."""
        await self._db.write(desk.rename(old, new))

    async def place_of(self, session: str) -> str | None:
        return await self._db.read(desk.place_of(session))

    async def sessions_at(self, place: str, count: int) -> list[Listed]:
        return await self._db.read(desk.sessions_at(place, count))

    async def forget(self, place: str, keep: str) -> list[str]:
        await self._db.read(desk.statement(sql.OVERWRITE))
        gone = await self._db.write(desk.forget(place, keep))
        await self._db.read(desk.statement(sql.WRITE_BACK))  # or the log still had them
        return gone

    # -- outbox -----------------------------------------------------------------------------------------------------
    async def project(self, session: str, cursor: int, rows: Sequence[Outgoing]) -> list[Outgoing]:
        return await self._db.write(outbox.project(session, cursor, rows, self._now()))

    async def cursor(self, session: str) -> int:
        return await self._db.read(outbox.cursor(session))

    async def behind(self) -> list[str]:
        return await self._db.read(outbox.behind())

    async def mark(self, key: str, state: str, message_id: int | None = None) -> None:
        """Without a message id the known one stays; an unknown key is left alone."""
        await self._db.write(outbox.mark(key, state, message_id))

    async def undelivered(self) -> list[Outgoing]:
        return await self._db.read(outbox.undelivered())

    async def find(self, key: str) -> Outgoing | None:
        return await self._db.read(outbox.find(key))

    # -- usage ------------------------------------------------------------------------------------------------------
    async def spent(self, since: float, until: float) -> list[Spent]:
        return await self._db.read(usage.spent(since, until))

    # -- people, switches, refs -------------------------------------------------------------------------------------
    async def admit(self, person: Person) -> None:
        await self._db.write(people.admit(person))

    async def dismiss(self, person: int) -> None:
        await self._db.write(people.dismiss(person))

    async def people(self) -> list[Person]:
        return await self._db.read(people.people())

    async def relocate(self, old: str, new: str) -> None:
        await self._db.write(people.relocate(old, new))

    async def relocations(self) -> dict[str, str]:
        return await self._db.read(people.relocations())

    async def switch(self, row: Switch) -> None:
        await self._db.write(people.switch(row))

    async def switches(self) -> list[Switch]:
        return await self._db.read(people.switches())

    async def remember(self, ref: str, kind: str, body: str, expires: float) -> None:
        await self._db.write(people.remember(ref, kind, body, expires))

    async def recall(self, ref: str) -> Ref | None:
        return await self._db.read(people.recall(ref))

    async def use(self, ref: str) -> Ref | None:
        return await self._db.write(people.use(ref))

    async def forget_refs(self, before: float) -> None:
        await self._db.write(people.forget_refs(before))

    # -- retention --------------------------------------------------------------------------------------------------
    async def prune_updates(self, before: float) -> int:
        return await self._db.write(pruning.updates(before))

    async def prune_letters(self, before: float) -> int:
        return await self._db.write(pruning.letters(before))

    async def prune_usage(self, before: float) -> int:
        return await self._db.write(pruning.usage(before))

    async def running_since(self) -> float | None:
        return await self._db.read(pruning.running_since())

    async def resting(self, before: float) -> list[str]:
        return await self._db.read(pruning.resting(before))

    async def growing(self, before: float) -> list[str]:
        return await self._db.read(pruning.growing(before))

    async def retire(self, session: str, before: float) -> bool:
        return await self._db.write(pruning.retire(session, before))

    async def shorten(self, session: str, before: float, now: float) -> bool:
        return await self._db.write(pruning.shorten(session, before, now))
