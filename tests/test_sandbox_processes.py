"""Processes in a box: how they end, what they may take, and that nothing of them stays, on every way to confine."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from agent.steps import Outcome
from tests.box_bench import ALL, CONFINING, Place, place
from tests.host_bench import Bench
from tests.test_host_trees import FORMS

ENDINGS = [
    ("true", Outcome.OK, 0),
    ("exit 7", Outcome.FAILED, 7),
    ("grep x /dev/null", Outcome.ANSWERED_NO, 1),
    ("no-such-program", Outcome.FAILED, 127),
    ("kill -9 $$", Outcome.KILLED, 137),
    ("kill -SEGV $$", Outcome.KILLED, 139),
    ("sh -c 'kill -9 $$'", Outcome.KILLED, 137),
    ("yes | head -1", Outcome.OK, 141),
    ("echo error: no >&2", Outcome.WARNED, 0),
]
LARGE = pytest.mark.parametrize("anywhere", ["bubblewrap", "none"], indirect=True)
DEAF = "setsid sleep MARKER & trap '' TERM; sleep MARKER; sleep MARKER"
TREE = "f() { [ $1 -gt 0 ] && { f $(($1-1)) & f $(($1-1)) & }; sleep MARKER; }; f "
HOG = "python3 -c 'held = []\nfor _ in range(30): held.append(b\"x\" * 100_000_000)\nprint(len(held))'"
SPIN = """
import threading, time
threading.stack_size(65536)
for _ in range(3000):
    threading.Thread(target=time.sleep, args=[60]).start()
"""
SHARED = """
import os, time
held = b"x" * 700_000_000
for _ in range(4):
    if not os.fork():
        time.sleep(1)
        os._exit(0)
time.sleep(1.2)
print(len(held))
"""


@pytest.fixture(params=ALL)
def anywhere(request: pytest.FixtureRequest) -> Iterator[Place]:
    yield from place("/var/tmp", request.param)


@pytest.fixture(params=CONFINING)
def here(request: pytest.FixtureRequest) -> Iterator[Place]:
    yield from place("/var/tmp", request.param)


@pytest.mark.parametrize(("text", "outcome", "code"), ENDINGS)
async def test_endings_pass_through(anywhere: Place, text: str, outcome: Outcome, code: int) -> None:
    async with anywhere.bench() as at:
        ran = await at.run(text)
    assert (ran.outcome, ran.exit_code) == (outcome, code)
    assert ran.survivors == ()


async def test_messages_are_those_of_a_shell_without_a_box(anywhere: Place) -> None:
    async with anywhere.bench() as at:
        assert (await at.run("\nno-such-program")).stderr.head == "bash: line 2: no-such-program: command not found\n"


async def test_the_environment_is_that_of_a_command_without_a_box(anywhere: Place) -> None:
    async with anywhere.bench() as at:
        boxed = (await at.run("env | grep -v AGENT_CALL_ID | sort")).stdout.head.splitlines()
        at.box = False
        free = (await at.run("env | grep -v AGENT_CALL_ID | sort")).stdout.head.splitlines()
    assert [line for line in boxed if not line.startswith("TMPDIR=")] == free


async def test_standard_input_is_empty_and_no_descriptor_is_inherited(anywhere: Place) -> None:
    async with anywhere.bench() as at:
        assert (await at.run("cat; readlink /proc/self/fd/0")).stdout.head == "/dev/null\n"
        found = (await at.run("ls /proc/self/fd")).stdout.head.split()
    reports = ["101"] if "landlock" in anywhere.kind else []
    assert found == ["0", "1", *reports, "2", "3"]


async def test_the_working_directory_goes_on(anywhere: Place) -> None:
    deep = "/".join(["d" * 100] * 30)
    async with anywhere.bench() as at:
        assert (await at.run(f"mkdir -p {deep} && cd {deep}")).cwd == str(anywhere.workspace / deep)
        assert (await at.run("pwd; cd /etc")).stdout.head == f"{anywhere.workspace / deep}\n"
        assert (await at.run("pwd; cd -- ~/nowhere")).stdout.head == "/etc\n"
        assert at.cwd == "/etc"


async def test_a_working_directory_that_is_gone_becomes_the_workspace(anywhere: Place) -> None:
    async with anywhere.bench() as at:
        await at.run("mkdir gone && cd gone")
        (anywhere.workspace / "gone").rmdir()
        ran = await at.run("pwd")
        assert ran.stdout.head == f"{anywhere.workspace}\n"
        assert "is gone" in ran.note
        await at.run("mkdir gone && cd gone && rmdir ../gone")
        assert (await at.run("pwd")).stdout.head == f"{anywhere.workspace}\n"


async def test_a_folder_that_only_the_box_has_is_left_with_a_note() -> None:
    for here in place("/var/tmp", "bubblewrap"):
        async with here.bench() as at:
            ran = await at.run("mkdir -p /tmp/of-the-box && cd /tmp/of-the-box")
            assert "in the sandbox only" in ran.note
            assert (await at.run("pwd; ls -d /tmp/of-the-box")).stdout.head == f"{here.workspace}\n/tmp/of-the-box\n"


async def test_a_command_over_its_time_goes_with_its_whole_tree(anywhere: Place) -> None:
    async with anywhere.bench() as at:
        ran = await at.run("(trap '' TERM; setsid nohup sleep MARKER) & sleep MARKER", timeout_s=0.5)
        assert not at.left()
    assert (ran.outcome, ran.exit_code) == (Outcome.TIMED_OUT, None)


async def test_cancellation_leaves_no_process(anywhere: Place) -> None:
    async with anywhere.bench() as at:
        task = asyncio.create_task(at.host.run(at.command(DEAF)))
        while len(at.left()) < 2:
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not at.left()


@pytest.mark.parametrize("form", FORMS)
async def test_what_a_command_leaves_behind_lives_until_the_run_ends(anywhere: Place, form: str) -> None:
    async with anywhere.bench() as at:
        ran = await at.run(FORMS[form])
        assert (ran.outcome, ran.stdout.head) == (Outcome.OK, "hi\n")
        assert not any(name.endswith("bwrap") for name in ran.survivors)
        assert any(name.endswith(" sleep") for name in ran.survivors)
        assert at.left()
        await at.run("true")
        assert at.left()
        assert await at.host.reap("s1") >= 1
        assert not at.left()


async def test_a_server_left_behind_goes_on_writing_to_the_workspace(here: Place) -> None:
    async with here.bench() as at:
        await at.run("(for n in $(seq 500); do echo $n > beat; sleep 0.05; done) & disown")
        before = (here.workspace / "beat").read_text() if (here.workspace / "beat").exists() else ""
        await asyncio.sleep(0.3)
        assert (here.workspace / "beat").read_text() != before
        assert await at.host.reap("s1") >= 1


@pytest.mark.parametrize("target", ["-1", "OTHER"])
async def test_other_processes_get_no_signal(here: Place, target: str) -> None:
    """URG does nothing to a process that doesn't listen for it: should a box leak, this test does no harm."""
    if here.kind == "landlock of old" and target == "OTHER":
        pytest.skip("this one can't: told in its docstring")
    got: list[int] = []
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGURG, got.append, 1)
    try:
        async with here.bench() as at:
            ran = await at.run(f"kill -URG -- {target.replace('OTHER', str(os.getpid()))}; echo alive")
            assert ran.stdout.head == "alive\n"
            await asyncio.sleep(0.1)
    finally:
        loop.remove_signal_handler(signal.SIGURG)
    assert got == []


async def test_a_box_sees_its_own_processes_only() -> None:
    for here in place("/var/tmp", "bubblewrap"):
        async with here.bench() as at:
            assert int((await at.run("ls -d /proc/[0-9]* | wc -l")).stdout.head) <= 4


async def test_the_environment_of_other_processes_cannot_be_read(here: Place) -> None:
    async with here.bench() as at:
        await at.run("true")
        keeper = at.host._around.link._pid
        assert (await at.run(f"tr '\\0' '\\n' < /proc/{keeper}/environ")).stdout.head == ""


async def test_a_command_has_no_capability_and_gains_none(here: Place) -> None:
    async with here.bench() as at:
        shown = (await at.run("grep -E 'CapEff|CapPrm|NoNewPrivs' /proc/self/status")).stdout.head.split()
    assert shown[1::2] == ["0" * 16, "0" * 16, "1"]


async def test_too_many_processes_are_killed_and_it_is_told(anywhere: Place) -> None:
    async with anywhere.bench() as at:
        ran = await at.run("for n in $(seq 600); do sleep MARKER & done; wait")
        assert not at.wait_left(0)
    assert (ran.outcome, ran.signal) == (Outcome.KILLED, 9)
    assert "too many processes, of 256" in ran.note


async def test_as_many_processes_as_are_allowed_may_run(anywhere: Place) -> None:
    async with anywhere.bench() as at:
        ran = await at.run("for n in $(seq 240); do sleep 1 & done; wait; echo done")
    assert (ran.outcome, ran.stdout.head) == (Outcome.OK, "done\n")


async def test_a_tree_that_grows_by_doubling_is_killed(anywhere: Place) -> None:
    async with anywhere.bench() as at:
        await at.run(f"{TREE} 10")
        assert not at.wait_left(0)
        assert (await at.run("echo next")).stdout.head == "next\n"


@LARGE
async def test_too_many_threads_are_killed(anywhere: Place) -> None:
    async with anywhere.bench() as at:
        ran = await at.run(f"python3 -c '{SPIN}'")
    assert (ran.outcome, ran.signal) == (Outcome.KILLED, 9)
    assert "too many threads" in ran.note


@LARGE
async def test_too_much_memory_is_killed_and_it_is_told(anywhere: Place) -> None:
    async with anywhere.bench() as at:
        ran = await at.run(HOG)
    assert (ran.outcome, ran.stdout.head) == (Outcome.KILLED, "")
    assert "more than 2 GiB of memory" in ran.note


@LARGE
async def test_memory_that_forks_share_is_counted_once(anywhere: Place) -> None:
    async with anywhere.bench() as at:
        assert (await at.run(f"python3 -c '{SHARED}'")).stdout.head == "700000000\n"


@pytest.mark.parametrize(("size", "exists"), [("1G", True), ("1025M", False)])
async def test_no_file_grows_over_its_limit(anywhere: Place, size: str, exists: bool) -> None:
    async with anywhere.bench() as at:
        ran = await at.run(f"truncate -s {size} big")
        assert (ran.outcome is Outcome.OK) is exists
        assert (await at.run("ulimit -c")).stdout.head == "0\n"
        at.box = False
        assert (await at.run(f"truncate -s {size} free")).outcome is Outcome.OK


async def test_without_a_box_thousands_of_processes_are_killed_too(tmp_path: Path) -> None:
    for free in place("/var/tmp", "none"):
        async with free.bench() as at:
            at.box = False
            assert (await at.run("for n in $(seq 300); do sleep 1 & done; wait; echo done")).stdout.head == "done\n"
            ran = await at.run("for n in $(seq 1300); do sleep MARKER & done; wait", timeout_s=120)
            assert not at.wait_left(0)
            assert "too many processes, of 1,024" in ran.note
            assert (await at.run("echo next")).stdout.head == "next\n"


async def test_the_kernel_takes_a_command_before_us(anywhere: Place) -> None:
    ours = int(Path("/proc/self/oom_score_adj").read_text())
    async with anywhere.bench() as at:
        for at.box in (True, False):
            assert int((await at.run("cat /proc/self/oom_score_adj")).stdout.head) >= max(ours, 500)
        keeper = at.host._around.link._pid
        assert int(Path(f"/proc/{keeper}/oom_score_adj").read_text()) == ours


def left_over(at: Bench) -> tuple[int, int, int, int]:
    keeper = psutil.Process(at.host._around.link._pid)
    deadline = time.monotonic() + 10
    while len(keeper.children(recursive=True)) > 1 and time.monotonic() < deadline:  # the watcher forked ahead
        time.sleep(0.02)
    mounts = len(Path("/proc/self/mountinfo").read_text().splitlines())
    return mounts, len(keeper.children(recursive=True)), keeper.num_fds(), psutil.Process().num_fds()


async def test_a_hundred_commands_leave_nothing_behind(anywhere: Place) -> None:
    async with anywhere.bench() as at:
        await asyncio.gather(*(at.run("true") for _ in range(8)))  # threads of the loop keep a descriptor or two
        before = left_over(at)
        for _ in range(12):
            await asyncio.gather(*(at.run("echo hi > file; (sleep 0.01 &)") for _ in range(8)))
        await at.host.reap("s1")
        assert left_over(at) == before
