"""People, switches and refs in memory: a part of the store's twin."""

from __future__ import annotations

from dataclasses import replace

from agent.store.codec import plain
from agent.store.people import storable
from agent.tables import Person, Ref, Switch


class MemoryPeople:
    def __init__(self) -> None:
        self._people: dict[int, Person] = {}
        self._relocations: dict[str, str] = {}
        self._switches: dict[str, Switch] = {}
        self._meanings: dict[str, Ref] = {}

    async def admit(self, person: Person) -> None:
        self._people[person.id] = storable(person)

    async def dismiss(self, person: int) -> None:
        self._people.pop(person, None)

    async def people(self) -> list[Person]:
        return sorted(self._people.values(), key=lambda person: (person.at, person.id))

    async def relocate(self, old: str, new: str) -> None:
        self._relocations.setdefault(old, new)

    async def relocations(self) -> dict[str, str]:
        return dict(self._relocations)

    async def switch(self, row: Switch) -> None:
        self._switches[row.name] = row

    async def switches(self) -> list[Switch]:
        return [self._switches[name] for name in sorted(self._switches)]

    async def remember(self, ref: str, kind: str, body: str, expires: float) -> None:
        self._meanings.setdefault(plain(ref), Ref(plain(ref), kind, plain(body), expires))

    async def recall(self, ref: str) -> Ref | None:
        return self._meanings.get(plain(ref))

    async def use(self, ref: str) -> Ref | None:
        found = self._meanings.get(plain(ref))
        if found is None or found.used:
            return None
        self._meanings[found.ref] = replace(found, used=True)
        return self._meanings[found.ref]

    async def forget_refs(self, before: float) -> None:
        self._meanings = {ref: row for ref, row in self._meanings.items() if row.expires >= before}
