"""/model: how the models stand, and another one for this chat's next leg."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from agent import Hub, Store, StoreBroken, steps
from bot import modelwords, words
from bot.access import Role
from bot.because import because
from bot.channel import Arrival, Place
from bot.routes import Routes

DEFAULT = "default"  # what leads back to the settings' own
LONGEST = 200  # characters of a model's name


class Standing(Protocol):
    """How a model stands: asked again by itself after `seconds`, 0 = ready; `why` is a sentence, `causes` the same."""

    @property
    def name(self) -> str: ...
    @property
    def seconds(self) -> float: ...
    @property
    def why(self) -> str: ...
    @property
    def causes(self) -> str: ...


@dataclass(slots=True)
class Choosing:
    """`model` is the settings' own, `context` its tokens; `chain` tells how the models stand, the one of the given name
    first."""

    hub: Hub
    store: Store
    routes: Routes
    model: str
    context: int
    chain: Callable[[str], Sequence[Standing]]

    async def command(self, arrival: Arrival, role: Role) -> str:
        """/model, /model NAME, /model default. Raises StoreError."""
        wanted = arrival.args.strip()
        session = await self.routes.session_of(arrival.place)
        chosen = await self._chosen(session)
        if not wanted:
            return self._told(chosen, role)
        if role < Role.ADMIN:
            return words.only("admin")
        if len(wanted.split()) != 1 or len(wanted) > LONGEST or not wanted.isprintable():
            return f"{modelwords.BAD_NAME} {modelwords.USAGE}"
        name = "" if wanted.lower() == DEFAULT or wanted == self.model else wanted
        if name == chosen:
            return modelwords.already(name or self.model)
        await self.hub.choose_model(session, name, f"{arrival.place.channel}:{arrival.sender}")
        todo = self.hub.todo(session)
        runs = todo is not None and todo.running
        return modelwords.chosen(name, runs) if name else modelwords.back(self.model, runs)

    async def carry(self, old: str, place: Place, by: str) -> None:
        """A place has got a fresh session: its model stays. Raises StoreError."""
        chosen = ""
        with suppress(StoreBroken):  # what leads away from an unreadable session is a fresh one
            chosen = await self._chosen(old)
        if chosen:
            await self.hub.choose_model(await self.routes.session_of(place), chosen, by)

    async def _chosen(self, session: str) -> str:
        todo = self.hub.todo(session)
        if todo is not None:
            return todo.chosen
        commands = (step for _, step in await self.store.read(session) if isinstance(step, steps.Commanded))
        return next((step.value for step in reversed(list(commands)) if step.command == "model"), "")

    def _told(self, chosen: str, role: Role) -> str:
        lines = [modelwords.leads(chosen or self.model, bool(chosen))]
        chain = self.chain(chosen)
        if len(chain) > 1 or any(model.seconds > 0 for model in chain):
            lines += [
                modelwords.stands(m.name, m.seconds, because(m.why, m.causes) if role >= Role.ADMIN else "")
                for m in chain
            ]
        lines.append(modelwords.context(self.context))
        return "\n".join([*lines, modelwords.USAGE] if role >= Role.ADMIN else lines)
