"""From one raw element of getUpdates to one row of the inbox, whatever its shape."""

from __future__ import annotations

import json
from collections.abc import Iterable

from agent import Inbound
from bot.channel import Arrival, Received
from bot.channels._telegram_address import Me
from bot.channels._telegram_parse import Unreadable, chat_of, read
from bot.channels._telegram_wire import Broken

LARGEST = 512 * 1024  # bytes of JSON; two full messages of emoji, escaped, are 100 kB
POISON_KEPT = 64 * 1024  # bytes


def batch(elements: object, me: Me, now: float) -> list[Received]:
    """Read a result of getUpdates; `now` is wall time in seconds. An update id that comes twice counts once, an
    element without one is left out: it can be neither stored nor confirmed."""
    found: dict[int, Received] = {}
    for element in elements if isinstance(elements, Iterable) else ():
        one = receive(element, me, now)
        if one is not None:
            found.setdefault(one.row.update_id, one)
    return list(found.values())


def receive(element: object, me: Me, now: float) -> Received | None:
    """Parse one update alone; what can't be read becomes a row of poison with the reason. Never raises."""
    update_id = update_id_of(element)
    if update_id is None:
        return None
    payload = element.text if isinstance(element, Broken) else _json(element)
    try:
        if payload is None or isinstance(element, Broken):
            raise Unreadable("it is nested too deep, or has numbers too long")
        if len(payload) > LARGEST:
            raise Unreadable(f"it is larger than any real update ({len(payload)} bytes)")
        arrival = read(element, me, now)
    except Unreadable as why:
        kept = (payload or "")[:POISON_KEPT]
        return Received(Inbound(str(me.id), update_id, chat_of(element), kept, now, poison=str(why)), None)
    return Received(Inbound(str(me.id), update_id, arrival.place.chat, payload, now), arrival)


def reread(row: Inbound, me: Me) -> Arrival | None:
    """Parse a stored row again; None for poison."""
    if row.poison:
        return None
    try:
        return read(json.loads(row.payload), me, row.received)
    except (ValueError, RecursionError, Unreadable):
        return None


def update_id_of(element: object) -> int | None:
    """None where there is none that a store and getUpdates could take."""
    number = element.get("update_id") if isinstance(element, dict) else None
    if isinstance(element, Broken):
        number = element.update_id
    return number if type(number) is int and 0 < number < 2**53 else None


def _json(element: object) -> str | None:
    """ASCII, so that half of a surrogate pair survives any store."""
    try:
        return json.dumps(element)
    except (ValueError, RecursionError):
        return None
