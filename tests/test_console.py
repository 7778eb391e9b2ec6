"""bot.channels.console: lines in, letters out, and nothing that a model writes can steer the terminal."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from agent import Inbound
from bot.channel import Button, Letter, Place, Received, Unreachable
from bot.channels.console import PLACE, ConsoleChannel, channel
from tests.fakes.clock import HandClock


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        with contextlib.suppress(OSError):
            os.close(end)


async def heard(console: ConsoleChannel) -> list[Received]:
    """Everything up to the end of the input."""
    got: list[Received] = []

    async def intake(received: Sequence[Received]) -> None:
        got.extend(received)

    async with asyncio.timeout(10):
        await console.listen(intake)
    return got


def printed(*letters: Letter, stream: io.StringIO | None = None) -> str:
    out = stream or io.StringIO()
    console = channel(HandClock(), stdout=out)

    async def send() -> None:
        for letter in letters:
            await console.send(PLACE, letter)

    asyncio.run(send())
    return out.getvalue()


@pytest.mark.parametrize(
    ("typed", "texts"),
    [
        (b"hello\n", ["hello"]),
        (b"one\ntwo\r\nthree", ["one", "two", "three"]),
        (b"\n  \n\n", []),
        ("日本 😀\n".encode(), ["日本 😀"]),
        (b"\xff\n", ["\ufffd"]),
        (b"x" * 200_000 + b"\n", ["x" * 200_000]),
        (b"", []),
    ],
)
async def test_each_line_is_a_message_and_the_end_of_input_ends_it(
    tmp_path: Path, typed: bytes, texts: list[str]
) -> None:
    (tmp_path / "typed").write_bytes(typed)
    fd = os.open(tmp_path / "typed", os.O_RDONLY)
    try:
        got = await heard(channel(HandClock(), stdin=fd, stdout=io.StringIO()))
    finally:
        os.close(fd)
    assert [r.arrival.text for r in got if r.arrival] == texts


async def test_a_line_is_heard_while_the_next_is_awaited(pipe: tuple[int, int]) -> None:
    console, got = channel(HandClock(), stdin=pipe[0], stdout=io.StringIO()), asyncio.Queue[str]()

    async def intake(received: Sequence[Received]) -> None:
        for each in received:
            assert each.arrival
            got.put_nowait(each.arrival.text)

    listening = asyncio.create_task(console.listen(intake))
    async with asyncio.timeout(10):
        for text in ("first", "é"):
            for byte in text.encode():  # a character may come in pieces
                os.write(pipe[1], bytes([byte]))
                await asyncio.sleep(0.005)
            os.write(pipe[1], b"\n")
            assert await got.get() == text
        os.close(pipe[1])
        await listening


@pytest.mark.parametrize(
    ("text", "command", "args"),
    [
        ("/stop", "stop", ""),
        ("/NEW forget it", "new", "forget it"),
        ("/stop@jarvis_bot now", "stop", "now"),
        ("/etc/hosts is empty", "", ""),
        ("say /stop", "", ""),
        ("/", "", ""),
        ("hello", "", ""),
    ],
)
async def test_commands_are_read_as_the_chat_services_read_them(
    pipe: tuple[int, int], text: str, command: str, args: str
) -> None:
    os.write(pipe[1], text.encode() + b"\n")
    os.close(pipe[1])
    [received] = await heard(channel(HandClock(), stdin=pipe[0], stdout=io.StringIO()))
    arrival = received.arrival
    assert arrival
    assert (arrival.command, arrival.args, arrival.text) == (command, args, text)
    assert (arrival.sender, arrival.private, arrival.addressed) == (0, True, True)
    assert arrival.place == Place("console", "0", "0")


async def test_a_stored_row_reads_the_same_and_numbers_never_come_again(pipe: tuple[int, int]) -> None:
    clock = HandClock()
    os.write(pipe[1], b"one\ntwo\n")
    os.close(pipe[1])
    first = await heard(channel(clock, stdin=pipe[0], stdout=io.StringIO()))
    await clock.advance(1)
    later = channel(clock, stdout=io.StringIO())
    assert [later.parse(r.row) for r in first] == [r.arrival for r in first]
    numbers = [r.row.update_id for r in first] + [await later.send(PLACE, Letter("x"))]
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("payload", ["", "{}", "[]", '{"text": "x"}', '{"text": "x", "id": "y"}'])
def test_a_row_that_cannot_be_read_is_none(payload: str) -> None:
    assert channel(HandClock(), stdout=io.StringIO()).parse(Inbound("0", 1, "0", payload, 0.0)) is None


def test_a_letter_is_printed_whole_and_a_card_short() -> None:
    assert printed(Letter("a\n" + "b" * 300)) == "jarvis> a\n" + "b" * 300 + "\n"
    assert printed(Letter("c" * 300, silent=True)) == "  " + "c" * 99 + "…\n"
    assert (
        printed(Letter("Run it?", buttons=((Button("Yes", "y"), Button("No", "n")),)))
        == "jarvis> Run it?\n[Yes] [No]\n"
    )


def test_no_letter_can_steer_the_terminal() -> None:
    for silent in (False, True):
        out = printed(Letter("\x1b]0;title\x07\x1b[2Jx\r\x9b1A\u202e", silent=silent))
        assert not [c for c in out if c != "\n" and (c < " " or "\x7f" <= c < "\xa0" or c == "\u202e")]
        assert "x" in out


def test_colour_only_where_somebody_looks() -> None:
    assert "\x1b[" in printed(Letter("a"), stream=Terminal())
    assert "\x1b[" not in printed(Letter("a"))


def test_an_encoding_that_lacks_a_character_gets_a_question_mark() -> None:
    raw = io.BytesIO()
    console = channel(HandClock(), stdout=io.TextIOWrapper(raw, "ascii"))
    asyncio.run(console.send(PLACE, Letter("ü😀")))
    assert raw.getvalue() == b"jarvis> ??\n"


async def test_of_an_edited_card_only_the_new_lines_are_printed() -> None:
    out = io.StringIO()
    console = channel(HandClock(), stdout=out)
    card = await console.send(PLACE, Letter("fix · 0:01\n✓ ls", silent=True))
    await console.edit(PLACE, card, Letter("fix · 0:02\n✓ ls", silent=True))
    assert out.getvalue() == "  fix · 0:01\n  ✓ ls\n"
    await console.edit(PLACE, card, Letter("fix · 0:03\n✓ ls\n✓ ls\n✗ make", silent=True))
    assert out.getvalue().split("\n")[2:] == ["  ✓ ls", "  ✗ make", ""]


async def test_a_closed_terminal_is_unreachable() -> None:
    out = io.StringIO()
    out.close()
    console = channel(HandClock(), stdout=Quiet(out))
    with pytest.raises(Unreachable, match="gone"):
        await console.send(PLACE, Letter("x"))


class Quiet(io.StringIO):
    """A stream over a closed one."""

    def __init__(self, inner: io.StringIO) -> None:
        super().__init__()
        self._inner = inner

    def write(self, text: str) -> int:
        return self._inner.write(text)
