"""No process outlives its time: hangs, deaf programs, daemons, stops, crashes (FAULTS H01 to H03)."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest
from blockbuster import blockbuster_ctx

from agent.host import LocalHost, attempt, local
from agent.host.keeper import RESTING
from agent.redact import Redactor
from agent.steps import Outcome
from tests.host_bench import Bench, bench

HANG_S = 30  # a bound that only a hang breaks
DEAF = "trap '' TERM; "
FORMS = {
    "plain": "sleep MARKER & echo hi",
    "nohup": "nohup sleep MARKER & echo hi",
    "setsid": "setsid sleep MARKER & echo hi",
    "double fork": "(setsid sh -c 'sleep MARKER & exit' &) ; echo hi",
    "without environment": "(setsid env -i /bin/sh -c '/bin/sleep MARKER & exit' &) ; echo hi",
    "own output": "sleep MARKER >/dev/null 2>&1 & echo hi",
    "deaf": f"({DEAF} setsid sleep MARKER) & echo hi",
}


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[Bench]:
    async with bench(tmp_path) as made:
        yield made


@pytest.mark.parametrize("form", FORMS)
async def test_what_a_command_leaves_behind_lives_until_the_run_ends(at: Bench, form: str) -> None:
    began = time.monotonic()
    ran = await at.run(FORMS[form])
    assert time.monotonic() - began < 10
    assert ran.outcome is Outcome.OK
    assert ran.stdout.head == "hi\n"
    assert any(name.endswith(" sleep") for name in ran.survivors), ran.survivors
    assert len(at.wait_left(1)) >= 1
    assert await at.host.reap("another session") == 0
    assert at.left()
    assert await at.host.reap("s1") >= 1
    assert not at.left()
    assert await at.host.reap("s1") == 0


# Its first thread has ended, which makes it look like a zombie; another one and a child go on.
HEADLESS = (
    'python3 -c \'import ctypes, subprocess, threading, time; subprocess.Popen(["sleep", "MARKER"]); '
    "threading.Thread(target=time.sleep, args=(61,)).start(); ctypes.CDLL(None).pthread_exit(None)'"
)


@pytest.mark.parametrize(
    "text",
    [
        "sleep MARKER",
        f"{DEAF} sleep MARKER; sleep MARKER",
        f"{DEAF} while :; do sleep MARKER; done",
        f"({DEAF} setsid nohup sleep MARKER) & sleep MARKER",
        "sleep MARKER | cat | sleep MARKER",
        "python3 -c 'import signal,time; signal.signal(15, signal.SIG_IGN); time.sleep(61)' MARKER",
        "kill -STOP $$; sleep MARKER",
        HEADLESS,
        "trap 'sleep MARKER' EXIT; sleep MARKER",
    ],
)
async def test_a_command_over_its_time_goes_with_its_whole_tree(at: Bench, text: str) -> None:
    began = time.monotonic()
    ran = await at.run(text, timeout_s=0.5)
    assert not at.left()
    assert ran.outcome is Outcome.TIMED_OUT
    assert ran.exit_code is None
    assert ran.survivors == ()
    assert time.monotonic() - began < 0.5 + 5 + 5  # five seconds are the promise, five are for a busy machine


async def test_output_before_the_time_limit_is_kept(at: Bench) -> None:
    ran = await at.run("echo before; echo wrong >&2; sleep MARKER", timeout_s=0.5)
    assert (ran.stdout.head, ran.stderr.head) == ("before\n", "wrong\n")


@pytest.mark.parametrize("text", ["sleep MARKER", *FORMS.values(), f"{DEAF} sleep MARKER; sleep MARKER"])
async def test_cancellation_leaves_no_process(at: Bench, text: str) -> None:
    task = asyncio.create_task(at.host.run(at.command(f"{text}; sleep MARKER")))
    while not at.left():
        await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not at.left()


async def test_cancellation_waits_for_a_deaf_survivor_too(at: Bench) -> None:
    (at.workspace / "deaf.sh").write_text("trap '' TERM; while :; do echo x; sleep 0.02; done")
    task = asyncio.create_task(at.host.run(at.command("setsid sh deaf.sh MARKER &")))
    while not at.left():
        await asyncio.sleep(0.02)
    await asyncio.sleep(0.3)  # the shell is gone, its pipes are still flowing
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not at.left()


async def test_the_event_loop_is_never_blocked(at: Bench) -> None:
    with blockbuster_ctx():
        assert (await at.run("echo hi > file; sleep MARKER & seq 100000")).full
        task = asyncio.create_task(at.host.run(at.command("sleep MARKER")))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await at.host.reap("s1") == 1
        assert await at.host.sweep() == 0


async def test_cancellation_spares_what_an_earlier_call_left(at: Bench) -> None:
    await at.run("sleep MARKER &")
    task = asyncio.create_task(at.host.run(at.command("sleep 60")))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(at.left()) == 1


async def test_cancellation_before_the_start_runs_nothing_for_long(at: Bench) -> None:
    task = asyncio.create_task(at.host.run(at.command("sleep MARKER")))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not at.left()


@contextmanager
def no_thread_to_be_had() -> Iterator[None]:
    """Whatever runs beside the event loop waits for something that doesn't come: a dead network drive, say."""
    never = threading.Event()
    waits = [asyncio.get_running_loop().run_in_executor(None, never.wait) for _ in range(100)]
    try:
        yield
    finally:
        never.set()
        for wait in waits:
            wait.cancel()


async def test_a_stop_needs_no_thread_that_others_keep_busy(at: Bench) -> None:
    task = asyncio.create_task(at.run("trap '' TERM; sleep MARKER & sleep MARKER"))
    assert len(await asyncio.to_thread(at.wait_left, 3)) == 3  # bash and what it started
    with no_thread_to_be_had():
        task.cancel()
        async with asyncio.timeout(HANG_S):
            await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled() and not at.wait_left(0)


async def test_what_was_left_behind_is_ended_without_a_thread_that_others_keep_busy(at: Bench) -> None:
    await at.run("sleep MARKER &")
    with no_thread_to_be_had():
        async with asyncio.timeout(HANG_S):
            assert await at.host.reap("s1") == 1
        assert not at.wait_left(0)


async def test_a_second_cancellation_does_not_cut_the_cleaning_short(at: Bench) -> None:
    task = asyncio.create_task(at.host.run(at.command(f"{DEAF} sleep MARKER; sleep MARKER")))
    while not at.left():
        await asyncio.sleep(0.02)
    for _ in range(5):
        task.cancel()
        await asyncio.sleep(0.02)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not at.left()


async def test_a_server_left_behind_may_go_on_writing(at: Bench) -> None:
    script = "import time, sys\nfor n in range(40): print('x' * 10000, flush=True); time.sleep(0.01)\ntime.sleep(61)"
    (at.workspace / "server.py").write_text(script)
    ran = await at.run("python3 server.py MARKER &")
    assert ran.outcome is Outcome.OK
    await asyncio.sleep(1.0)
    assert len(at.left()) == 1


async def test_a_command_that_kills_its_watcher_is_cleaned_up_by_its_mark(at: Bench) -> None:
    ran = await at.run("setsid sleep MARKER & setsid env -i /bin/sleep MARKER & kill -9 $PPID; sleep MARKER")
    assert ran.outcome is Outcome.KILLED
    assert "watched" in ran.note
    assert not at.wait_left(0)


def kill_and_wait(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


async def test_the_keeper_is_started_again_when_somebody_killed_it(at: Bench) -> None:
    await at.run("true")
    kill_and_wait(at.host._around.link._pid)
    assert (await at.run("echo again")).stdout.head == "again\n"


async def test_commands_one_after_the_other_share_their_watchers(at: Bench) -> None:
    watchers = {(await at.run("echo $PPID")).stdout.head for _ in range(8)}
    assert len(watchers) <= 2  # the first, and the one that waited meanwhile


async def test_watchers_killed_while_they_wait_are_replaced(at: Bench) -> None:
    for _ in range(2 * RESTING):
        pids = await asyncio.gather(*(at.run("sleep 0.1; echo $PPID") for _ in range(3)))
        for pid in {ran.stdout.head.strip() for ran in pids}:
            with suppress(ProcessLookupError):  # one too many to rest has left
                os.kill(int(pid), signal.SIGKILL)
    runs = await asyncio.gather(*(at.run("echo on", timeout_s=10) for _ in range(3 * RESTING)))
    assert {ran.stdout.head for ran in runs} == {"on\n"}


async def test_few_watchers_wait_after_many_commands_at_once(at: Bench) -> None:
    await asyncio.gather(*(at.run("sleep 0.3") for _ in range(4 * RESTING)))
    keeper = psutil.Process(at.host._around.link._pid)
    deadline = time.monotonic() + 10
    while len(keeper.children()) > RESTING + 1 and time.monotonic() < deadline:
        await asyncio.sleep(0.02)
    assert len(keeper.children()) <= RESTING + 1


async def test_pkill_of_the_interpreter_does_not_take_the_keeper(at: Bench) -> None:
    ran = await at.run("kill -TERM $PPID $(ps -o ppid= -p $PPID); echo alive")
    assert ran.stdout.head == "alive\n"
    assert (await at.run("echo still")).stdout.head == "still\n"


async def test_sweep_ends_what_is_marked_as_this_homes_and_nothing_else(at: Bench) -> None:
    home = at.host._around.home
    marks = {"mine": f"{home}:s:c", "other": f"{home}x:s:c", "none": ""}
    started = {name: sleeping(at.marker, mark) for name, mark in marks.items()}
    try:
        assert await at.host.sweep() == 1
        assert started["mine"].wait(5) == -signal.SIGTERM
        assert [started[name].poll() for name in ("other", "none")] == [None, None]
    finally:
        for process in started.values():
            process.kill()
            process.wait()


def sleeping(marker: str, mark: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", marker], env={"PATH": "/usr/bin:/bin", "A": "1", "AGENT_CALL_ID": mark})


CRASHING = """
import asyncio, os, sys
sys.path.insert(0, sys.argv[1])
from agent.host import LocalHost, attempt, local
from agent.ports import Command
from agent.redact import Redactor
async def main():
    host = LocalHost("crash", {}, Redactor([]))
    await asyncio.gather(*(host.run(Command(text, "/", sys.argv[2], 60.0, "s", "c")) for text in sys.argv[3:]))
asyncio.run(main())
"""


def crashing(at: Bench, *texts: str) -> subprocess.Popen[bytes]:
    root = str(Path(__file__).resolve().parents[1])
    return subprocess.Popen([sys.executable, "-c", CRASHING, root, str(at.workspace), *texts])


async def test_nothing_outlives_a_bot_that_was_killed(at: Bench) -> None:
    bot = crashing(at, f"sleep {at.marker}", f"setsid env -i /bin/sleep {at.marker} & sleep {at.marker}")
    try:
        deadline = time.monotonic() + 20
        while len([each for each in at.left() if "sleep'" in each.split(",")[0]]) < 3 and time.monotonic() < deadline:
            await asyncio.sleep(0.05)
    finally:
        bot.kill()
        bot.wait()
    assert not at.wait_left(0)


async def test_closing_ends_what_was_left_behind(tmp_path: Path) -> None:
    async with bench(tmp_path) as at:
        await at.run("nohup sleep MARKER &")
        assert at.left()
        await at.host.close()
        assert not at.left()


async def test_closing_ends_what_is_still_running(tmp_path: Path) -> None:
    async with bench(tmp_path) as at:
        task = asyncio.create_task(at.host.run(at.command(f"{DEAF} sleep MARKER; sleep MARKER")))
        while not at.left():
            await asyncio.sleep(0.02)
        await at.host.close()
        assert not at.left()
        assert (await task).outcome is Outcome.KILLED


async def test_closing_waits_for_a_workspace_that_hangs_no_longer_than_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One on a network drive whose server is gone."""
    never = threading.Event()
    monkeypatch.setattr(local, "CLOSE_S", 0.5)
    async with bench(tmp_path) as made:
        await made.run("sleep MARKER &")
        monkeypatch.setattr(attempt, "scan", lambda *_: never.wait())
        hangs = asyncio.create_task(made.run("true"))
        try:
            await asyncio.sleep(0.2)
            async with asyncio.timeout(HANG_S):
                await made.host.close()
            assert not made.left()
        finally:
            never.set()
            await asyncio.gather(hangs, return_exceptions=True)


async def test_a_host_that_was_never_used_closes(tmp_path: Path) -> None:
    await LocalHost("unused", {}, Redactor([])).close()


async def test_watchers_that_end_while_a_killed_ones_tree_is_ended_are_not_waited_for(tmp_path: Path) -> None:
    """The keeper ended only when the last of them had, and the bot with it."""
    async with bench(tmp_path) as at:
        killers = (at.run(f"({DEAF} setsid sleep MARKER) & sleep 0.1; kill -9 $PPID; sleep 5") for _ in range(3))
        others = (at.run(f"sleep 0.{n}") for n in range(1, 9))
        await asyncio.gather(*killers, *others)
        await asyncio.wait_for(at.host.close(), 30)
