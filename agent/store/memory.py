"""The store in memory: the twin of the SQLite one for tests and `jarvis demo`. What it holds outlives `close`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from agent.lineage import parent_of
from agent.steps import Step
from agent.store import desk, outbox
from agent.store.codec import decode, encode, plain
from agent.store.heads import Head, advance
from agent.store.journal import duplicate, foreign, ref_of
from agent.store.memory_people import MemoryPeople
from agent.store.memory_pruning import Steps, growing, old_letters, old_updates, resting, shortened
from agent.store.usage import UsageRow, row_of, summed
from agent.tables import Inbound, Listed, Outgoing, Spent


class MemoryJournal:
    """Steps as the rows that a database would hold, so that what can't be stored fails here too."""

    def __init__(self) -> None:
        self._rows: dict[str, Steps] = {}
        self._heads: dict[str, Head] = {}
        self._refs: dict[str, tuple[str, int]] = {}
        self._usage: list[UsageRow] = []

    async def append(self, session: str, seq: int, batch: str, *steps: Step) -> None:
        if not steps:
            return
        rows = self._rows.setdefault(session, [])
        if len(rows) + 1 != seq:
            there = [row[0] for row in rows[max(seq - 1, 0) : seq - 1 + len(steps)] if row]
            if there == [batch] * len(steps):
                return
            raise foreign(session, seq, len(rows))
        refs: dict[str, tuple[str, int]] = {}
        for place, step in enumerate(steps, seq):
            if (ref := ref_of(step)) is None:
                continue
            if found := self._refs.get(ref) or refs.get(ref):
                raise duplicate(ref, found)
            refs[ref] = (session, place)
        rows.extend([(batch, encode(step)) for step in steps])
        self._refs.update(refs)
        for step in steps:
            head = self._heads[session] = advance(self._heads.get(session, Head()), (step,))
            if cost := row_of(session, head, step):
                self._usage.append(cost)

    async def read(self, session: str, after: int = 0) -> list[tuple[int, Step]]:
        rows = self._rows.get(session, [])
        return [(seq, decode(*row[1])) for seq, row in enumerate(rows, 1) if row and seq > after]

    def drop(self, session: str) -> None:
        """Forget a session's steps."""
        self._rows.pop(session, None)
        self._heads.pop(session, None)
        self._refs = {ref: found for ref, found in self._refs.items() if found[0] != session}

    async def unfinished(self) -> list[str]:
        waiting = [(head.asked, session) for session, head in self._heads.items() if head.asked is not None]
        return [session for _, session in sorted(waiting)]

    async def find_ref(self, ref: str) -> tuple[str, int] | None:
        return self._refs.get(plain(ref))


class MemoryDesk:
    """Inbox and routes."""

    def __init__(self) -> None:
        self._inbox: dict[tuple[int, str], Inbound] = {}
        self._done: set[tuple[int, str]] = set()
        self._routes: dict[str, str] = {}
        self._places: dict[str, str] = {}

    async def receive(self, rows: Sequence[Inbound]) -> list[Inbound]:
        new = []
        for row in map(desk.storable, rows):
            if self._inbox.setdefault((row.update_id, row.bot), row) is row:
                new.append(row)
        return new

    async def waiting(self) -> list[Inbound]:
        return [self._inbox[key] for key in sorted(self._inbox.keys() - self._done)]

    async def done(self, bot: str, update_id: int) -> None:
        if (update_id, bot) in self._inbox:
            self._done.add((update_id, bot))

    async def route(self, place: str) -> str | None:
        return self._routes.get(place)

    async def move(self, place: str, session: str) -> None:
        self._routes[place] = session
        self._places[session] = place

    async def rename(self, old: str, new: str) -> None:
        if old in self._routes:
            self._routes[new] = self._routes.pop(old)
        for session, place in self._places.items():
            if place == old:
                self._places[session] = new

    async def place_of(self, session: str) -> str | None:
        return self._places.get(session)


class MemoryStore(MemoryJournal, MemoryDesk, MemoryPeople):
    """The Store protocol. The outbox stands here because it compares its cursors with the journal's heads, the sums of
    usage and the list of sessions because they name the places of sessions."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        MemoryJournal.__init__(self)
        MemoryDesk.__init__(self)
        MemoryPeople.__init__(self)
        self._now = now
        self._outbox: dict[str, Outgoing] = {}
        self._since: dict[str, float] = {}  # when it came into the outbox
        self._cursors: dict[str, int] = {}

    async def open(self) -> None: ...
    async def close(self) -> None: ...

    async def append(self, session: str, seq: int, batch: str, *steps: Step) -> None:
        await super().append(session, seq, batch, *steps)
        if (place := self._places.get(parent_of(session))) and session not in self._places:
            self._places[session] = place

    async def sessions_at(self, place: str, count: int) -> list[Listed]:
        here = [(s, head) for s, head in self._heads.items() if self._places.get(s) == place and not parent_of(s)]
        newest = sorted(here, key=lambda each: (each[1].updated, each[0]), reverse=True)[:count]
        return [Listed(s, head.title, head.updated, head.asked is not None) for s, head in newest]

    async def forget(self, place: str, keep: str) -> list[str]:
        gone = [session for session, at in self._places.items() if at == place and session != keep]
        for session in gone:
            self._delete(session)
        for key in self._done:
            if self._inbox[key].chat == desk.chat_of(place):
                self._inbox[key] = replace(self._inbox[key], payload="{}")
        return gone

    async def project(self, session: str, cursor: int, rows: Sequence[Outgoing]) -> list[Outgoing]:
        stored = [outbox.storable(row) for row in rows]
        new = []
        for row in stored:
            if self._outbox.setdefault(row.key, row) is row:
                self._since[row.key] = self._now()
                new.append(row)
        self._cursors[session] = max(cursor, self._cursors.get(session, cursor))
        return new

    async def cursor(self, session: str) -> int:
        return self._cursors.get(session, 0)

    async def behind(self) -> list[str]:
        late = [s for s, head in self._heads.items() if head.seq > self._cursors.get(s, 0)]
        return sorted(late, key=lambda session: (self._heads[session].updated, session))

    async def mark(self, key: str, state: str, message_id: int | None = None) -> None:
        outbox.known_state(state)
        if row := self._outbox.get(key):
            known = row.message_id if message_id is None else message_id
            self._outbox[key] = replace(row, state=state, message_id=known)

    async def undelivered(self) -> list[Outgoing]:
        return [row for row in self._outbox.values() if row.state in ("queued", "sending")]

    async def find(self, key: str) -> Outgoing | None:
        return self._outbox.get(key)

    async def spent(self, since: float, until: float) -> list[Spent]:
        sums: dict[tuple[str, str, str], list[UsageRow]] = {}
        for row in self._usage:
            if since <= row.at < until:
                sums.setdefault((self._places.get(row.session, ""), row.person, row.model), []).append(row)
        return [summed(*key, sums[key]) for key in sorted(sums)]

    def _delete(self, session: str) -> None:
        self.drop(session)
        self._cursors.pop(session, None)
        self._places.pop(session, None)
        self._outbox = {key: row for key, row in self._outbox.items() if not key.startswith(f"{session}:")}

    # -- retention --------------------------------------------------------------------------------------------------
    async def prune_updates(self, before: float) -> int:
        gone = old_updates(self._inbox, self._done, before)
        for key in gone:
            del self._inbox[key]
            self._done.discard(key)
        return len(gone)

    async def prune_letters(self, before: float) -> int:
        gone = old_letters(self._outbox, self._since, self._heads, before)
        for key in gone:
            del self._outbox[key]
        return len(gone)

    async def prune_usage(self, before: float) -> int:
        kept = [row for row in self._usage if row.at >= before]
        gone, self._usage = len(self._usage) - len(kept), kept
        return gone

    async def running_since(self) -> float | None:
        return min((head.asked for head in self._heads.values() if head.asked is not None), default=None)

    async def resting(self, before: float) -> list[str]:
        waiting = {row.key.partition(":")[0] for row in await self.undelivered()}
        return resting(self._heads, waiting, before)

    async def growing(self, before: float) -> list[str]:
        return growing(self._heads, before)

    async def retire(self, session: str, before: float) -> bool:
        head = self._heads.get(session)
        if head is None or head.asked is not None or head.updated >= before:
            return False
        if led := [place for place, to in self._routes.items() if to == session]:
            for place in led:
                del self._routes[place]
            return False
        self._delete(session)
        return False

    async def shorten(self, session: str, before: float, now: float) -> bool:
        head = self._heads.get(session)
        left = shortened(self._rows[session], before, now) if head and head.asked is None else None
        if head is None or left is None:
            return False
        self._rows[session], self._heads[session] = left, head._replace(seq=head.seq + 1)
        self._refs = {ref: at for ref, at in self._refs.items() if at[0] != session or left[at[1] - 1]}
        if self._cursors.get(session) == head.seq:
            self._cursors[session] = head.seq + 1
        return True
