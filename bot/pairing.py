"""Pairing: while there is no owner, a code on the console makes one of the first private message that is exactly it."""

from __future__ import annotations

import hmac
import logging
import secrets
from collections.abc import Callable

from agent import Clock
from bot import words
from bot.channel import Arrival

logger = logging.getLogger(__name__)

ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789"  # nothing that reads as another: no I, L, O, U, 0, 1
LENGTH = 8
OPEN_S = 600.0
TRIES = 5  # of all senders together


class Pairing:
    """`say` prints a line on the console. Nothing here touches the store: whoever asks makes the owner."""

    def __init__(self, clock: Clock, say: Callable[[str], None]) -> None:
        self._clock, self._say = clock, say
        self._code = ""
        self._tries = 0
        self._until = 0.0  # monotonic

    async def keep_open(self, needed: Callable[[], bool], bot: str = "") -> None:
        """Print a code, and a fresh one whenever the last has expired, for as long as it is needed."""
        logger.warning("there is no owner yet: a pairing code stands on the console")
        while needed():
            self._say(words.pairing(self.open(), bot, round(OPEN_S / 60)))
            await self._clock.sleep(OPEN_S)

    def open(self) -> str:
        """A fresh code; the last one is void."""
        self._code = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
        self._tries, self._until = TRIES, self._clock.monotonic() + OPEN_S
        return self._code

    def accepts(self, arrival: Arrival) -> bool:
        """Whether this is the code, from a person in private. What looks like a code and isn't costs a try.

        After five of them the code is void; the next one comes when it would have expired, or after a restart.
        """
        said = arrival.text.strip().upper()
        fits = arrival.kind == "message" and arrival.private and not arrival.bot_sender and not arrival.forwarded
        if not fits or arrival.sender is None or len(said) != LENGTH or not said.isalnum():
            return False
        if not self._tries or self._clock.monotonic() >= self._until:
            return False
        self._tries -= 1
        same = hmac.compare_digest(said.encode("utf-8", "replace"), self._code.encode())
        if same:
            self._tries = 0  # it works once
        elif not self._tries:
            logger.warning("five wrong pairing codes: the code is void, the next one is printed when it expires")
        return same
