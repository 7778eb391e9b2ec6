"""The terminal as a channel: a line typed is a message, letters are printed, status cards as short dim lines.

There is one person (the owner, id 0) and one place; nothing typed can be pressed, edited or forwarded.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import json
import os
import re
import sys
import threading
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from itertools import count
from typing import TextIO

from agent import Clock, Inbound
from bot.channel import Arrival, Attached, Health, Intake, Letter, NotFetched, Place, Received, Refused, Unreachable
from bot.clean import clean

NAME = "console"
PLACE = Place(NAME, "0", "0")
COLUMNS = 100  # of a dim line
CHUNK = 65_536  # bytes
_COMMAND = re.compile(r"/([A-Za-z0-9_]{1,32})(?:@\w+)?(?:\s+(.*))?$", re.DOTALL)
_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


class ConsoleChannel:
    """Implements bot.channel.Channel over a file descriptor to read and a text stream to write."""

    name = NAME
    bot = PLACE.bot
    drafts = False

    def __init__(self, clock: Clock, stdin: int = 0, stdout: TextIO | None = None, me: str = "jarvis") -> None:
        self.health = Health()
        self._clock, self._stdin, self._me = clock, stdin, me
        self._stdout = stdout or sys.stdout
        self._color = self._stdout.isatty()
        self._ids = count(int(clock.now() * 1000))  # later than any of an earlier start
        self._cards: dict[int, str] = {}

    async def connect(self) -> None:
        return None

    async def listen(self, intake: Intake) -> None:
        """Returns at the end of the input."""
        async for line in _lines(self._stdin):
            if line.strip():
                row = self._row(line)
                await intake([Received(row, self.parse(row))])

    def parse(self, row: Inbound) -> Arrival | None:
        try:
            typed = json.loads(row.payload)
            text, number = str(typed["text"]), int(typed["id"])
        except (ValueError, KeyError, TypeError):
            return None
        command = _COMMAND.match(text)
        return Arrival(
            kind="message",
            place=PLACE,
            sender=0,
            name="you",
            private=True,
            message_id=number,
            date=row.received,
            text=text,
            addressed=True,
            command=command[1].lower() if command else "",
            args=(command[2] or "").strip() if command else "",
        )

    async def send(self, place: Place, letter: Letter) -> int:
        message_id = next(self._ids)
        if letter.silent and letter.file is None:
            self._cards[message_id] = letter.text
            self._dim(letter.text.split("\n"))
        else:
            buttons = "".join(f" [{button.text}]" for row in letter.buttons for button in row)
            self._say(_whole(letter) + (f"\n{buttons.strip()}" if buttons else ""))
        return message_id

    async def edit(self, place: Place, message_id: int, letter: Letter) -> None:
        """Print what is new; the first line, where the time runs, stands already."""
        before = Counter(self._cards.get(message_id, "").split("\n"))
        self._cards[message_id] = letter.text
        new = []
        for line in letter.text.split("\n")[1:]:
            before[line] -= 1
            if before[line] < 0:
                new.append(line)
        self._dim(new)

    async def draft(self, place: Place, draft_id: int, letter: Letter) -> None:
        raise Refused("a terminal shows what is whole")

    async def fetch(self, file: Attached) -> bytes:
        raise NotFetched("a terminal has no files")

    async def typing(self, place: Place) -> None:
        return None

    async def react(self, place: Place, message_id: int, emoji: str) -> None:
        return None

    async def signed(self) -> None:
        return None

    async def answer_press(self, press_id: str, text: str = "") -> None:
        return None

    async def announce_commands(
        self, commands: Sequence[tuple[str, str]], audience: str = "", language: str = ""
    ) -> None:
        return None

    async def close(self) -> None:
        return None

    def _row(self, line: str) -> Inbound:
        number = next(self._ids)
        payload = json.dumps({"id": number, "text": line}, ensure_ascii=False)
        return Inbound(self.bot, number, PLACE.chat, payload, self._clock.now())

    def _say(self, text: str) -> None:
        name = f"{_BOLD}{self._me}>{_PLAIN}" if self._color else f"{self._me}>"
        self._print(f"{name} {clean(text)}\n")

    def _dim(self, lines: Sequence[str]) -> None:
        for line in lines:
            short = clean(line if len(line) <= COLUMNS else line[: COLUMNS - 1] + "…")
            self._print(f"{_DIM}  {short}{_PLAIN}\n" if self._color else f"  {short}\n")

    def _print(self, text: str) -> None:
        """Raises Unreachable when nobody reads any more."""
        encoding = self._stdout.encoding or "utf-8"
        try:
            self._stdout.write(text.encode(encoding, "replace").decode(encoding))
            self._stdout.flush()
        except (OSError, ValueError) as error:
            raise Unreachable(f"the terminal is gone ({error})") from error


def _whole(letter: Letter) -> str:
    """A letter's text and its file: a text in full, else where it lies."""
    if letter.file is None:
        return letter.text
    return "\n".join(filter(None, (letter.text, letter.file.text or f"[{letter.file.path}]")))


def channel(clock: Clock, stdin: int = 0, stdout: TextIO | None = None, me: str = "jarvis") -> ConsoleChannel:
    """The terminal: reads lines from the file descriptor `stdin`, prints to `stdout` [the process's own]."""
    return ConsoleChannel(clock, stdin, stdout, me)


async def _lines(fd: int) -> AsyncIterator[str]:
    """Lines of a terminal, pipe or file, read in a thread that may block for ever and ends with the process."""
    loop, chunks = asyncio.get_running_loop(), asyncio.Queue[bytes]()

    def read() -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody wants it any more
            while True:
                try:
                    data = os.read(fd, CHUNK)
                except OSError:
                    data = b""
                loop.call_soon_threadsafe(chunks.put_nowait, data)
                if not data:
                    return

    threading.Thread(target=read, name="console input", daemon=True).start()
    decoder, rest = codecs.getincrementaldecoder("utf-8")("replace"), ""
    while data := await chunks.get():
        *lines, rest = (rest + decoder.decode(data)).split("\n")
        for line in lines:
            yield line.removesuffix("\r")
    rest += decoder.decode(b"", final=True)
    if rest:
        yield rest
