"""A bench for end-to-end tests: both fakes, the bot's process, its workspace and home, and eyes on all of them."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TypeVar

import psutil

from tests.fakes.model import KEY, MODEL, FakeModel, ModelRequest, Script
from tests.fakes.process import BotProcess
from tests.fakes.telegram import OWNER, ApiCall, FakeTelegram

T = TypeVar("T")
DRAFT = "sendMessageDraft"  # what it shows is gone a moment later: never an answer


@dataclass(frozen=True, slots=True)
class Sent:
    """A message of a person. `after` is the number of Bot API calls there were before it, `at` monotonic seconds."""

    chat: int
    message_id: int
    update_id: int
    script: str
    after: int
    at: float


@dataclass(frozen=True, slots=True)
class Button:
    chat: int
    message_id: int
    text: str
    data: str


class Lab:
    """`async with Lab(tmp_path)` starts the servers, `await lab.start()` the bot; the end kills what is left of it.

    `chats` are allowed: positive ids as operators, negative ones as groups. `env` comes on top of the fixed names; a
    value of "" takes one away. `command` stands in for `jarvis run`.
    """

    def __init__(
        self, work: Path, chats: Sequence[int] = (), env: Mapping[str, str] | None = None, command: Sequence[str] = ()
    ) -> None:
        self.work, self.home, self.workspace = work, work / "home", work / "workspace"
        self.telegram, self.model = FakeTelegram(), FakeModel()
        self.bot: BotProcess
        self._chats, self._env, self._command = chats, dict(env or {}), command
        self._nonce = f"{time.monotonic_ns() % 10**8:08d}"
        self._scripts = itertools.count(1)

    async def __aenter__(self) -> Self:
        self.workspace.mkdir()
        self.home.mkdir(mode=0o700)
        await self.telegram.server.start()
        await self.model.server.start()
        for chat in (OWNER, *self._chats):
            self.telegram.chats.chat(chat)
        self.bot = BotProcess(self.telegram, self.settings(), self.work, self._command)
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self.bot.kill()
        for process in self.naps():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        await self.telegram.server.stop()
        await self.model.server.stop()

    def settings(self) -> dict[str, str]:
        """The environment, by the fixed names only."""
        fixed = {
            "JARVIS_HOME": str(self.home),
            "JARVIS_TIMEZONE": "UTC",
            "JARVIS_TELEGRAM__TOKEN": self.telegram.token,
            "JARVIS_TELEGRAM__API_URL": self.telegram.url,
            "JARVIS_MODEL__BASE_URL": self.model.url,
            "JARVIS_MODEL__API_KEY": KEY,
            "JARVIS_MODEL__NAME": MODEL,
            "JARVIS_MODEL__TIER": "large",
            "JARVIS_MODEL__PARALLEL": "32",
            "JARVIS_ACCESS__OWNER": str(OWNER),
            "JARVIS_ACCESS__OPERATORS": ",".join(str(chat) for chat in self._chats if chat > 0),
            "JARVIS_ACCESS__CHATS": ",".join(str(chat) for chat in self._chats if chat < 0),
            "JARVIS_RUN__WORKSPACE": str(self.workspace),
            "JARVIS_RUN__MODE": "full",
        }
        return {name: value for name, value in (fixed | self._env).items() if value}

    async def start(self, timeout: float = 20) -> float:
        """Start the bot; seconds to its first poll."""
        return await self.bot.start(timeout)

    # doing

    def send(self, text: str, script: Script | None = None, chat: int = OWNER, *, topic: int = 0) -> Sent:
        """Write to the bot; in a group it is mentioned. With a script the model follows it for this message."""
        name = ""
        if script is not None:
            name = f"turn{next(self._scripts)}"
            text = f"{text} {self.model.script(name, script)}"
        if chat < 0:
            text = f"@{self.telegram.chats.me['username']} {text}"
        after, at = len(self.telegram.calls), time.monotonic()
        update_id = self.telegram.people.say(text, chat, topic=topic)
        return Sent(chat, max(self.telegram.chats.messages[chat]), update_id, name, after, at)

    async def ask(self, text: str, script: Script, expect: str, chat: int = OWNER, timeout: float = 15) -> Sent:
        """Write, and wait until a message with `expect` has come. Raises AssertionError."""
        sent = self.send(text, script, chat)
        await self.wait_text(expect, chat, timeout, sent.after)
        return sent

    def press(self, button: Button, user: int | None = None) -> str:
        return self.telegram.people.press(button.chat, button.message_id, button.data, user)

    def nap(self, seconds: int) -> str:
        """A command that sleeps and can be found by `naps`."""
        return f"sleep {seconds}.{self._nonce}"

    # seeing

    def screen(self, chat: int = OWNER) -> list[str]:
        return self.telegram.screen(chat)

    def copies(self, marker: str, chat: int = OWNER) -> int:
        """How many messages with the marker a person sees now."""
        return sum(marker in text for text in self.screen(chat))

    async def wait_text(self, marker: str, chat: int = OWNER, timeout: float = 15, after: int = 0) -> ApiCall:
        """The first call that put the marker on screen. Raises AssertionError with what the chat saw instead."""

        def shows(call: ApiCall) -> bool:
            return call.chat == chat and call.status == 200 and call.method != DRAFT and marker in call.shown

        try:
            return await self.telegram.wait_call(shows, timeout, after)
        except TimeoutError:
            seen = f"the chat shows {self.screen(chat)[-3:]!r}; the log ends with\n{self.bot.log_tail(800)}"
            raise AssertionError(f"no {marker!r} in chat {chat} within {timeout:g} s; {seen}") from None

    def buttons(self, chat: int = OWNER) -> list[Button]:
        """All that can be pressed now, the newest message's last."""
        return [
            Button(chat, message["message_id"], button["text"], button["callback_data"])
            for message in self.telegram.chats.screen(chat)
            for row in message.get("reply_markup", {}).get("inline_keyboard", [])
            for button in row
            if "callback_data" in button
        ]

    async def wait_button(self, pattern: str, chat: int = OWNER, timeout: float = 10) -> Button:
        """The newest button whose text matches. Raises AssertionError."""

        def newest() -> Button | None:
            return next((each for each in reversed(self.buttons(chat)) if re.search(pattern, each.text, re.I)), None)

        try:
            return await self.telegram.bell.until(newest, timeout)
        except TimeoutError:
            raise AssertionError(f"no button /{pattern}/, only {[each.text for each in self.buttons(chat)]}") from None

    def requests(self, sent: Sent) -> list[ModelRequest]:
        """The model requests of this message's script."""
        return self.model.main(sent.script)

    def results(self, sent: Sent) -> list[str]:
        """The tool results in the newest request of this message's script."""
        return self.requests(sent)[-1].results

    def naps(self) -> list[psutil.Process]:
        """The sleeps of this lab that are alive."""
        alive = (each for each in psutil.process_iter(["cmdline", "status"]) if each.info["status"] != "zombie")
        return [each for each in alive if any("." + self._nonce in part for part in each.info["cmdline"] or [])]

    async def until(self, find: Callable[[], T | None], what: str, timeout: float = 10) -> T:
        """For what rings no bell (files, processes): looks every 20 ms. Raises AssertionError."""
        end = time.monotonic() + timeout
        while not (found := find()):
            if time.monotonic() > end:
                raise AssertionError(f"{what} (waited {timeout:g} s)")
            await asyncio.sleep(0.02)
        return found

    def faults(self) -> list[str]:
        """What must be empty at the end of any test: invalid model requests, crashes of the fakes."""
        crashes = [*self.telegram.server.crashes, *self.model.server.crashes]
        return [*(each.violation for each in self.model.violations), *map(repr, crashes)]
