"""How the command line ends: with its code, soon, and whatever still hangs in a thread (FAULTS H15)."""

from __future__ import annotations

import subprocess
import sys

import pytest

HANG_S = 40  # a bound that only a hang breaks
PROGRAM = """
import asyncio, time
from agent.errors import TokenRefused
from bot import cli

async def work():
    {before}
    asyncio.get_running_loop().run_in_executor(None, time.sleep, 3600)
    await asyncio.sleep(0.1)
    {after}

cli.cli = lambda: cli._until_the_end(work())
cli.main()
"""


def ended(before: str = "", after: str = "") -> subprocess.CompletedProcess[str]:
    program = PROGRAM.format(before=before or "pass", after=after or "print('closed', flush=True)")
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=HANG_S, check=False)


def test_a_thread_that_hangs_does_not_hold_up_the_end() -> None:
    """A file on a dead network drive, say, of which a tool has asked."""
    done = ended()
    assert (done.returncode, done.stdout, done.stderr) == (0, "closed\n", "")


def test_nor_the_end_with_an_error_which_is_told() -> None:
    done = ended(after="raise TokenRefused('The token is no good.')")
    assert (done.returncode, done.stderr) == (3, "The token is no good.\n")


def test_nor_the_end_with_an_error_of_ours() -> None:
    done = ended(after="raise ValueError('ours')")
    assert done.returncode == 1 and "ValueError: ours" in done.stderr


@pytest.mark.parametrize(("after", "code", "said"), [("", 0, ""), ("raise ValueError('ours')", 1, "ValueError: ours")])
def test_without_one_all_is_as_ever(after: str, code: int, said: str) -> None:
    done = ended(before=f"{after or 'return'}")
    assert done.returncode == code and said in done.stderr


def test_an_output_that_is_full_is_no_failure() -> None:
    program = "from bot import cli; cli.cli = lambda: print('x'); cli.main()"
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", program],
            stdout=full, stderr=full, timeout=HANG_S, check=False, env={"PYTHONUNBUFFERED": ""},
        )  # fmt: skip
    assert done.returncode == 0
