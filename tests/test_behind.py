"""A log that nobody takes: it holds up neither its writers nor the end, and what is lost is counted."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Iterator

import pytest

from agent.behind import Behind
from tests.fakes.lab import Lab
from tests.fakes.process import jarvis

HANG_S = 20  # a bound that only a hang breaks
# The process's own output is a pipe that it never reads, and that is full already.
STUFFED = f"""
import os
reading, writing = os.pipe()
os.set_inheritable(reading, True)
os.set_blocking(writing, False)
try:
    while True:
        os.write(writing, b"x" * 4096)
except BlockingIOError:
    os.set_blocking(writing, True)
os.dup2(writing, 2)
os.execv({jarvis("run")[0]!r}, {jarvis("run")!r})
"""


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    for fd in (reading, writing):
        os.close(fd)


def test_lines_come_out_whole_and_in_order(pipe: tuple[int, int]) -> None:
    behind = Behind(pipe[1])
    for number in range(200):
        behind.write(f"{number} é \ud800\n")
    assert behind.drain(HANG_S)
    lines = os.read(pipe[0], 100_000).decode().splitlines()
    assert lines == [f"{number} é \\ud800" for number in range(200)]


def test_a_pipe_that_nobody_reads_holds_up_no_writer_and_what_is_lost_is_told(
    pipe: tuple[int, int], caplog: pytest.LogCaptureFixture
) -> None:
    behind = Behind(pipe[1], most=50)
    began = time.monotonic()
    for _ in range(500):
        behind.write("x" * 4_095 + "\n")
    assert not behind.drain(0.1) and time.monotonic() - began < HANG_S
    read = 0
    while not behind.drain(0.05):
        read += len(os.read(pipe[0], 1_000_000))
    assert 50 * 4_096 <= read + len(os.read(pipe[0], 1_000_000)) < 500 * 4_096
    assert "lines of the log are lost" in caplog.text


def test_a_closed_pipe_is_no_trouble(pipe: tuple[int, int]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    behind = Behind(writing)
    behind.write("x\n")
    assert behind.drain(HANG_S)
    os.close(writing)
    assert logging.getLogger("agent.behind").name


@pytest.mark.e2e
@pytest.mark.lab(command=(sys.executable, "-c", STUFFED))
async def test_a_bot_whose_log_nobody_takes_answers_and_ends(lab: Lab) -> None:
    await lab.start()
    for number in range(3):
        await lab.ask("hello", [f"FINAL{number}"], f"FINAL{number}")
    assert await lab.bot.stop() == 0
