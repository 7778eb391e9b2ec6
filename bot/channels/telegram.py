"""Telegram as a channel, over python-telegram-bot's client and types and a poll loop of our own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from telegram import Bot, BotCommandScope, BotCommandScopeAllGroupChats, BotCommandScopeChat, User
from telegram.error import TelegramError
from telegram.request import BaseRequest

from agent import Clock, Inbound, TokenRefused
from bot.channel import Arrival, Attached, Health, Intake, Letter, Place
from bot.channels._telegram_address import Me
from bot.channels._telegram_errors import is_revoked, words
from bot.channels._telegram_files import Fetcher
from bot.channels._telegram_intake import reread
from bot.channels._telegram_parse import NAME
from bot.channels._telegram_poll import REFUSED, Backoff, Pace, Poll
from bot.channels._telegram_send import Sender
from bot.channels._telegram_signs import Signs
from bot.channels._telegram_wire import ApiRefusal, PollWire, Wire, http_request

log = logging.getLogger(__name__)

OFFICIAL = "https://api.telegram.org"
SENDING = 64  # connections: one slow call must not hold up another chat's
COSMETIC_S = 5.0
PRESS_S = 10.0

Transport = Callable[[str, int], BaseRequest]  # (address of the API, connections)


class TelegramChannel:
    """Implements bot.channel.Channel.

    `api_url` is the root of the Bot API. `reach` is called at the failpoints: "K0" with updates received and not
    stored, "K1" with updates stored and not confirmed.
    """

    name = NAME
    drafts = True

    def __init__(
        self,
        token: str,
        api_url: str,
        clock: Clock,
        *,
        reach: Callable[[str], None] = lambda name: None,
        transport: Transport = http_request,
        pace: Pace | None = None,
    ) -> None:
        root = (api_url or OFFICIAL).rstrip("/")
        # Two clients, so that the open poll never takes a connection from a message on its way out.
        poll, send = PollWire(transport(root, 1)), Wire(transport(root, SENDING))
        self._poller = Bot(token, f"{root}/bot", f"{root}/file/bot", request=poll, get_updates_request=poll)
        self._speaker = Bot(token, f"{root}/bot", f"{root}/file/bot", request=send, get_updates_request=send)
        self._wires = (poll, send)
        self._clock = clock
        self._reach = reach
        self._pace = pace
        self._me = Me(0, "")
        self._revoked = asyncio.Event()
        self._sender = Sender(self._speaker, self._revoked.set)
        self._fetcher = Fetcher(self._speaker, self._revoked.set)
        self._signs = Signs(clock, lambda call: self._quietly(call, COSMETIC_S))
        self._background: set[asyncio.Task[float | None]] = set()
        self.health = Health()

    @property
    def bot(self) -> str:
        """Our numeric id; "0" before `connect`."""
        return str(self._me.id)

    async def connect(self) -> None:
        """Learn who we are. Tries again for as long as Telegram can't be reached. Raises TokenRefused."""
        wait = Backoff(0.5, 30.0)
        while True:
            try:
                # Over the poll's connection, which is open then for the first poll.
                async with asyncio.timeout(30.0):
                    user = await self._poller.get_me()
                break
            except Exception as error:
                if isinstance(error, ApiRefusal) and error.api and error.code in (401, 404):
                    raise TokenRefused(REFUSED.format(why=error.description)) from None
                await self._wait(error, wait)
        self._know(user)
        if wait.failures:
            log.info("Telegram can be reached again after %d tries", wait.failures)

    async def _wait(self, error: Exception, wait: Backoff) -> None:
        if not wait.failures:
            log.warning("Telegram can't be reached: %s; trying again, at most every 30 s", words(error))
            self.health.since = self._clock.now()
        self.health.told("unreachable", words(error))
        told = error.retry_after if isinstance(error, ApiRefusal) else None
        await self._clock.sleep(max(wait.next(), told or 0.0))

    def _know(self, user: User) -> None:
        self._me = Me(user.id, user.username or "")
        self.health.told("")
        self.health.facts["username"] = self._me.username
        self.health.facts["can_read_all_group_messages"] = "yes" if user.can_read_all_group_messages else "no"

    async def listen(self, intake: Intake) -> None:
        """Receive until cancelled. Raises TokenRefused, also when a call that sends finds the token revoked."""
        poll = Poll(self._poller, self._me, self._clock, self.health, self._reach, self._pace)
        polling = asyncio.create_task(poll.run(intake))
        revoked = asyncio.create_task(self._revoked.wait())
        try:
            await asyncio.wait((polling, revoked), return_when=asyncio.FIRST_COMPLETED)
            if polling.done():
                polling.result()
            raise TokenRefused(REFUSED.format(why="Unauthorized"))
        finally:
            polling.cancel()
            revoked.cancel()
            await asyncio.gather(polling, revoked, return_exceptions=True)

    def parse(self, row: Inbound) -> Arrival | None:
        """Read a stored row again; None if it is poison."""
        return reread(row, self._me)

    async def send(self, place: Place, letter: Letter) -> int:
        """Send one message, return its id. What Telegram refuses in it (entities, reply, topic) is left out. Raises
        SendFailed and nothing else."""
        self._signs.overtaken(place)
        return await self._sender.send(place, letter)

    async def edit(self, place: Place, message_id: int, letter: Letter) -> None:
        """Change a message of ours. Raises SendFailed; Refused if it is gone."""
        await self._sender.edit(place, message_id, letter)

    async def draft(self, place: Place, draft_id: int, letter: Letter) -> None:
        """Show a text that is still being written, for 30 s at most. Raises SendFailed."""
        await self._sender.draft(place, draft_id, letter)

    async def fetch(self, file: Attached) -> bytes:
        """Download a file of at most 20 MB. Raises NotFetched."""
        return await self._fetcher.fetch(file)

    async def typing(self, place: Place) -> None:
        """Show "typing" for five seconds, from some time soon: it doesn't wait for Telegram."""
        self._signs.typing(place, lambda: self._type(place))

    async def react(self, place: Place, message_id: int, emoji: str) -> None:
        """React with one of the emoji that Telegram allows; doesn't wait for it."""
        self._signs.receipt(place, lambda: self._speaker.set_message_reaction(int(place.chat), message_id, emoji))

    async def signed(self) -> None:
        """After a rush: until its signs of life are made."""
        await self._signs.made()

    async def answer_press(self, press_id: str, text: str = "") -> None:
        """Stop the button's spinner, with a toast of at most 200 characters; doesn't wait for it."""
        self._run(lambda: self._speaker.answer_callback_query(press_id, text[:200] or None), PRESS_S)

    async def announce_commands(
        self, commands: Sequence[tuple[str, str]], audience: str = "", language: str = ""
    ) -> None:
        """Publish a menu, and wait for it: many at once would leave no room for a sign of life."""
        scope = scope_of(audience)
        await self._quietly(lambda: self._speaker.set_my_commands(list(commands), scope, language or None), COSMETIC_S)

    async def close(self) -> None:
        await self._signs.close()
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        for wire in self._wires:
            await wire.shutdown()

    async def _type(self, place: Place) -> None:
        topic = int(place.topic) if place.topic else None
        await self._speaker.send_chat_action(int(place.chat), "typing", message_thread_id=topic)

    def _run(self, call: Callable[[], Awaitable[object]], seconds: float) -> None:
        task = asyncio.create_task(self._quietly(call, seconds))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _quietly(self, call: Callable[[], Awaitable[object]], seconds: float) -> float | None:
        """For how many seconds Telegram wants no more of these, if it says so."""
        try:
            async with asyncio.timeout(seconds):
                await call()
        except (TelegramError, TimeoutError, ValueError) as error:
            if is_revoked(error):
                self._revoked.set()
            log.debug("A cosmetic call failed: %s", words(error))
            return error.retry_after if isinstance(error, ApiRefusal) else None
        except Exception:
            log.exception("A cosmetic call failed in an unforeseen way")
        return None


def scope_of(audience: str) -> BotCommandScope | None:
    """Whose menu: one chat's, by its id, all groups', or everybody's, which needs no scope."""
    match audience:
        case "":
            return None
        case "groups":
            return BotCommandScopeAllGroupChats()
    return BotCommandScopeChat(int(audience))


def channel(
    token: str, api_url: str, clock: Clock, reach: Callable[[str], None] = lambda name: None
) -> TelegramChannel:
    """The channel for one bot. `api_url` "" is the official server."""
    return TelegramChannel(token, api_url, clock, reach=reach)
