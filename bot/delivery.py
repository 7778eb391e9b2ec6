"""One durable letter, brought to its end: sent, given up, or kept because its chat can't be written to.

Its row is marked "sending" before the call and "sent" after it, so that a crash between the two is seen.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from agent import Clock, Outgoing, Store, StoreError
from bot import filewords
from bot.channel import Ambiguous, Channel, Flooded, Letter, Lost, Passing, Place, Refused, SendFailed, Unreachable
from bot.lane import Backoff, Lane
from bot.markup import plain

logger = logging.getLogger(__name__)

REPEATED = ("answer", "approval", "file")  # roles that are better had twice than not at all
Telling = Callable[[Place | None], AbstractContextManager[None]]
AMBIGUOUS_S = 2.0
COMPLAIN_S = 60.0
STORE_TRIES = 5


@dataclass(slots=True)
class _Attempt:
    """Where a letter stands between two tries."""

    row: Outgoing
    place: Place
    letter: Letter
    backoff: Backoff = field(default_factory=Backoff)
    doubtful: int = 0


class Delivery:
    """Sends letters for all lanes of a channel. `reach` is the failpoint hook; within `telling`, words are in the
    language of a chat."""

    def __init__(
        self, store: Store, channel: Channel, clock: Clock, reach: Callable[[str], None], telling: Telling
    ) -> None:
        self._store, self._channel, self._clock = store, channel, clock
        self._reach, self._telling = reach, telling
        self._complained_at = float("-inf")

    async def bring(self, lane: Lane, row: Outgoing, place: Place, letter: Letter) -> Unreachable | None:
        """Returns when the row is sent or dead; with Unreachable, when it is queued until the chat is back."""
        attempt = _Attempt(row, place, letter)
        while True:
            made = await lane.turn()
            try:
                sent = await self._send(place, attempt)
            finally:
                lane.done(made)
            match sent:
                case int() as message_id:
                    self._reach("K13")
                    await self.mark(row.key, "sent", message_id)
                    return None
                case Unreachable() as failure:
                    await self.mark(row.key, "queued")
                    return failure
                case failure:
                    if await self._over(lane, attempt, failure):
                        return None

    async def mark(self, key: str, state: str, message_id: int | None = None) -> None:
        """Record it; after some tries, a store that is locked or broken no longer keeps the letter from its reader."""
        for _ in range(STORE_TRIES):
            try:
                return await self._store.mark(key, state, message_id)
            except StoreError as error:
                logger.warning("message %s is %s, which could not be recorded: %s", key, state, error)
                await self._clock.sleep(1.0)
        return None

    async def _send(self, place: Place, attempt: _Attempt) -> int | SendFailed:
        await self.mark(attempt.row.key, "sending")
        try:
            return await self._channel.send(place, attempt.letter)
        except SendFailed as failure:
            return failure
        except Exception:
            logger.exception("message %s: the channel broke", attempt.row.key)
            return Ambiguous("the channel broke")

    async def _over(self, lane: Lane, attempt: _Attempt, failure: SendFailed) -> bool:
        """Do about a failure what its kind asks for. True: there is nothing more to try."""
        match failure:
            case Ambiguous():
                return await self._doubt(attempt)
            case Refused():
                return await self._undress(attempt, failure)
            case Flooded():
                lane.flood(failure.seconds)
                await self.mark(attempt.row.key, "queued")
            case Passing() | _:
                await self.mark(attempt.row.key, "queued")
                self._complain(failure)
                await self._clock.sleep(attempt.backoff.step())
        return False

    async def _doubt(self, attempt: _Attempt) -> bool:
        """It may have arrived: an answer goes out once more, at the price of a second copy."""
        attempt.doubtful += 1
        if attempt.doubtful == 1 and attempt.row.role in REPEATED:
            await self._clock.sleep(AMBIGUOUS_S)
            return False
        logger.warning("message %s may or may not have arrived; it is not sent again", attempt.row.key)
        await self.mark(attempt.row.key, "sent")
        return True

    async def _undress(self, attempt: _Attempt, failure: Refused) -> bool:
        """Never the same bytes again: once as plain text, then it is given up."""
        with self._telling(attempt.place):
            bare = _bare(attempt.letter, attempt.row.role, failure)
        if bare == attempt.letter:
            logger.error("message %s is refused and given up: %s", attempt.row.key, failure)
            await self.mark(attempt.row.key, "dead")
            return True
        logger.warning("message %s is refused, now sent as plain text: %s", attempt.row.key, failure)
        attempt.letter = bare
        return False

    def _complain(self, failure: SendFailed) -> None:
        now = self._clock.monotonic()
        if now - self._complained_at >= COMPLAIN_S:
            self._complained_at = now
            logger.warning("sending fails and is tried again: %s", failure)


def _bare(letter: Letter, role: str, failure: Refused) -> Letter:
    """What the service can have no reason to refuse: clean text only; an approval keeps its buttons."""
    text = next((part.text for part in plain(letter.text)), letter.text)
    if letter.file is not None:
        why = filewords.file_lost if isinstance(failure, Lost) else filewords.file_refused
        text = "\n".join(filter(None, (text, why(letter.file.name))))
    return Letter(text, buttons=letter.buttons if role == "approval" else (), silent=letter.silent)
