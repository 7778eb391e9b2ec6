"""What doesn't queue: a stop, a pause, a status, by command or button. It acts at intake, each update once."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agent import Inbound, StoreError
from bot import words
from bot.access import Role
from bot.channel import Arrival, Channel, Flooded, Letter, SendFailed
from bot.control import COMMANDS, Control
from bot.markup import plain
from bot.outbox import Sender
from bot.status import Status

logger = logging.getLogger(__name__)

EARLY_S = 1.0  # real seconds: a chat's queue that is held up longer holds up no answer
REMEMBERED = 1_000  # updates

Spawn = Callable[[Coroutine[Any, Any, None]], None]
Order = tuple[Inbound, Arrival, Role]
Reply = Callable[[Inbound, Arrival, str, str], Awaitable[None]]  # the last is a key: one answer a row and key


@dataclass(slots=True)
class _Begun:
    """`turn` is set when the update's row has its turn; `early`: it was answered before that."""

    turn: asyncio.Event = field(default_factory=asyncio.Event)
    early: bool = False


class Express:
    """`reply` answers durably, `spawn` begins a task that the desk's idleness waits for."""

    def __init__(
        self, control: Control, status: Status, channel: Channel, sender: Sender, reply: Reply, spawn: Spawn
    ) -> None:
        self._control, self._status, self._channel = control, status, channel
        self._sender, self._reply, self._spawn = sender, reply, spawn
        self._begun: OrderedDict[int, _Begun] = OrderedDict()  # by update

    def concerns(self, arrival: Arrival) -> bool:
        """Whether this is one of ours."""
        if arrival.kind == "press":
            return _verb(arrival) in COMMANDS
        return arrival.kind == "message" and arrival.addressed and arrival.command in (*COMMANDS, "status")

    def begin(self, row: Inbound, arrival: Arrival, role: Role) -> None:
        """At intake. Returns at once; an update that is handed over again, since it couldn't be stored, counts once."""
        if row.update_id in self._begun:
            return
        begun = self._begun[row.update_id] = _Begun()
        if len(self._begun) > REMEMBERED:
            self._begun.popitem(last=False)
        if arrival.kind == "press":
            work = self._toast(arrival, role)
        elif arrival.command == "status":
            work = self._tell_status(row, arrival)
        else:
            self._control.begin(row.update_id, arrival, role)
            work = self._tell_early(row, arrival, role, begun)
        self._spawn(work)

    async def finish(self, row: Inbound, arrival: Arrival, role: Role) -> bool:
        """The row has its turn: what was queued before it is stopped, too, and what wasn't answered yet is. False if
        there is more to do: a press that was stored before a restart. Raises StoreError."""
        begun = self._begun.get(row.update_id)
        if begun:
            begun.turn.set()
        match arrival.kind, arrival.command:
            case "press", _ if begun is None:
                return False
            case "press", _:
                await self._control.press_again(arrival, role)
            case _, "status":
                if begun is None:
                    await self._reply(row, arrival, self._status.text(arrival), "status")
            case _ if begun and begun.early:
                late = await self._control.again(arrival, role)
                await self._reply(row, arrival, late, "late")
            case _:
                await self._reply(row, arrival, await self._control.told(row.update_id, arrival, role), "")
        self._begun.pop(row.update_id, None)
        self._control.forget(row.update_id)
        return True

    async def _toast(self, arrival: Arrival, role: Role) -> None:
        try:
            toast = await self._control.press(arrival, role)
        except Exception:
            logger.exception("a button could not be obeyed")
            toast = words.BROKEN
        await self._channel.answer_press(arrival.press_id, toast or "")

    async def _tell_status(self, row: Inbound, arrival: Arrival) -> None:
        """Past the store and the queues: whatever is locked or busy, this is answered; durably where that fails."""
        text = self._status.text(arrival)
        try:
            if not self._sender.flooded(arrival.place):
                for letter in answering(arrival, plain(text)):
                    self._sender.passed(arrival.place)
                    await self._channel.send(arrival.place, letter)
                return
        except Flooded as error:
            self._sender.flood(arrival.place, error.seconds)
        except SendFailed as error:
            logger.warning("the status could not be sent at once: %s", error)
        await self._durably(row, arrival, text, "status")

    async def _tell_early(self, row: Inbound, arrival: Arrival, role: Role, begun: _Begun) -> None:
        try:
            async with asyncio.timeout(EARLY_S):
                await begun.turn.wait()
        except TimeoutError:
            text = await self._control.told(row.update_id, arrival, role)
            if not begun.turn.is_set():
                begun.early = await self._durably(row, arrival, text, "")

    async def _durably(self, row: Inbound, arrival: Arrival, text: str, kind: str) -> bool:
        try:
            await self._reply(row, arrival, text, kind)
        except StoreError as error:
            logger.warning("a command is not answered yet: %s", error)
            return False
        return True


def answering(arrival: Arrival, letters: Sequence[Letter]) -> list[Letter]:
    """Among people an answer says whose message it is for."""
    first = () if arrival.private or arrival.kind == "press" else letters[:1]
    return [*(replace(letter, reply_to=arrival.message_id) for letter in first), *letters[len(first) :]]


def _verb(arrival: Arrival) -> str:
    return arrival.data.partition(":")[0]
