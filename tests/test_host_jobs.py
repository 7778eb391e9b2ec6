"""Background jobs on the real host: begun, looked at, waited for, ended; what is left of them and what outlives us."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
import time
import uuid
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from agent.errors import ToolError
from agent.host import LocalHost
from agent.host.jobs import A_SESSION
from agent.host.live import QUIET_S
from agent.host.records import KEPT, RESTARTED
from agent.ports import Job
from agent.redact import MASK, Redactor
from agent.sandbox import choose
from agent.steps import Outcome
from tests.host_bench import SECRET, Bench, bench

FOR_EVER = 1e6


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[Bench]:
    async with bench(tmp_path) as made:
        yield made


async def begin(at: Bench, text: str, owner: str = "s1", run: str = "s1:1", timeout_s: float = FOR_EVER) -> Job:
    return await at.host.jobs.begin(replace(at.command(text, timeout_s, owner), run=run))


async def test_it_goes_on_after_the_call_and_is_waited_for(at: Bench) -> None:
    job = await begin(at, "echo first; until [ -e go ]; do sleep 0.05; done; echo second; echo bad >&2; exit 3")
    assert (job.id, job.running, job.ran.stdout.head) == ("j1", True, "first\n")
    assert (await at.host.jobs.wait("s1", "j1", 0.05)).running
    (at.workspace / "go").touch()
    job = await at.host.jobs.wait("s1", "j1", 20)
    assert (job.running, job.ran.outcome, job.ran.exit_code, job.why) == (False, Outcome.FAILED, 3, "")
    assert (job.ran.stdout.head, job.ran.stderr.head) == ("first\nsecond\n", "bad\n")
    assert [Path(path).read_text() for path in job.ran.full] == ["first\nsecond\n", "bad\n"]
    assert await at.host.jobs.of("s1") == (job,)


async def test_what_fails_at_once_is_told_at_once(at: Bench) -> None:
    began = time.monotonic()
    job = await begin(at, "nosuchcommand; cd /; false")
    assert time.monotonic() - began < 10
    assert (job.running, job.ran.exit_code, job.ran.cwd) == (False, 1, str(at.workspace))
    assert "not found" in job.ran.stderr.head


async def test_what_the_shell_left_behind_belongs_to_the_job(at: Bench) -> None:
    job = await begin(at, "(setsid sleep MARKER &) ; echo up; exit 7")
    assert (job.running, job.ran.exit_code) == (True, 7)
    assert [name.split()[1] for name in job.ran.survivors] == ["sleep"]
    assert await at.host.reap("s1") == 0  # the end of a run leaves it alone
    assert len(at.left()) == 1
    job = await at.host.jobs.kill("s1", "j1")
    assert (job.running, job.ran.outcome, job.ran.survivors) == (False, Outcome.KILLED, ())
    assert "call of jobs" in job.why
    assert not at.left()
    assert (await at.host.jobs.kill("s1", "j1")) == job  # once more changes nothing


async def test_a_survivor_s_words_are_heard_to_the_end(at: Bench) -> None:
    await begin(at, "(until [ -e go ]; do sleep 0.05; done; echo last words) & echo up")
    (at.workspace / "go").touch()
    job = await at.host.jobs.wait("s1", "j1", 20)
    assert (job.ran.outcome, job.ran.stdout.head) == (Outcome.OK, "up\nlast words\n")


async def test_a_time_limit_ends_it(at: Bench) -> None:
    job = await begin(at, "trap '' TERM; sleep MARKER; sleep MARKER", timeout_s=0.3)
    job = await at.host.jobs.wait("s1", job.id, 20)
    assert job.ran.outcome is Outcome.TIMED_OUT
    assert not at.left()


@pytest.mark.parametrize(
    ("owner", "run", "ended", "left"), [("s1", "s1:1", 1, 3), ("s1", "", 2, 2), ("s3", "", 0, 4), ("", "", 4, 0)]
)
async def test_jobs_end_by_run_by_session_or_together(at: Bench, owner: str, run: str, ended: int, left: int) -> None:
    wanted = [("s1", "s1:1"), ("s1", "s1:9"), ("s2", "s2:1"), ("s2", "s2:1")]
    await asyncio.gather(*(begin(at, "exec sleep MARKER", *each) for each in wanted[:1] + wanted[2:3]))
    await asyncio.gather(*(begin(at, "exec sleep MARKER", *each) for each in wanted[1:2] + wanted[3:]))
    assert len(at.wait_left(4)) == 4
    assert await at.host.jobs.end(owner, run) == ended
    assert len(at.left()) == left
    assert at.host.jobs.running("s1") + at.host.jobs.running("s2") == left


async def test_each_session_has_a_limit_and_knows_its_own_alone(at: Bench) -> None:
    begun = await asyncio.gather(*(begin(at, "sleep MARKER") for _ in range(A_SESSION - 1)))
    await begin(at, "sleep MARKER")
    with pytest.raises(ToolError, match="8 background jobs run here already"):
        await begin(at, "sleep MARKER")
    assert (await begin(at, "sleep MARKER", owner="s2")).id == "j1"
    assert sorted(job.id for job in begun) == [f"j{number}" for number in range(1, A_SESSION)]
    with pytest.raises(ToolError, match="no background job 'j8' here; there are j1"):
        await at.host.jobs.wait("s2", "j8", 0)
    with pytest.raises(ToolError, match="there are none"):
        await at.host.jobs.kill("s3", "j1")
    await at.host.jobs.kill("s1", "j3")
    assert (await begin(at, "sleep MARKER")).id == "j9"


async def test_a_command_beside_it_does_not_know_what_it_changed_itself(at: Bench) -> None:
    await begin(at, "sleep MARKER")
    assert (await at.run("touch a")).files is None
    await at.host.jobs.end()
    assert [change.path for change in (await at.run("touch b")).files or ()] == [str(at.workspace / "b")]


async def test_a_flood_is_kept_at_both_ends_in_constant_memory(at: Bench) -> None:
    before = psutil.Process().memory_info().rss
    job = await begin(at, "seq 3000000; echo the end")
    job = await at.host.jobs.wait("s1", job.id, 60)
    assert job.ran.stdout.head.startswith("1\n2\n")
    assert job.ran.stdout.tail.endswith("3000000\nthe end\n")
    assert len(job.ran.stdout.head) + len(job.ran.stdout.tail) <= 2 * 8192
    assert job.ran.stdout.size == 22_888_904
    assert os.path.getsize(job.ran.full[0]) <= 16 * 1024 * 1024 + 100
    assert psutil.Process().memory_info().rss - before < 64 * 2**20


async def test_secrets_are_masked_in_looks_and_in_the_file_while_it_goes_on(at: Bench) -> None:
    head, tail = SECRET[:8], SECRET[8:]
    await begin(at, f"echo {SECRET}; printf %s {head}; until [ -e go ]; do sleep 0.05; done; echo {tail}; sleep MARKER")
    first = (await at.host.jobs.of("s1"))[0]
    (at.workspace / "go").touch()
    deadline = time.monotonic() + 20
    while (job := (await at.host.jobs.of("s1"))[0]).ran.stdout.head.count(MASK) < 2 and time.monotonic() < deadline:
        await asyncio.sleep(0.05)
        assert tail not in job.ran.stdout.head
    assert job.running
    assert job.ran.stdout.head == f"{MASK}\n{MASK}\n"
    assert SECRET not in first.ran.stdout.head
    while Path(job.ran.full[0]).read_text() != f"{MASK}\n{MASK}\n" and time.monotonic() < deadline:
        await asyncio.sleep(0.05)
    assert Path(job.ran.full[0]).read_text() == f"{MASK}\n{MASK}\n"


async def test_a_prompt_without_a_line_end_is_seen_after_a_while(at: Bench) -> None:
    job = await begin(at, "printf 'Password: '; sleep MARKER")
    await asyncio.sleep(QUIET_S)
    assert (await at.host.jobs.wait("s1", job.id, 0)).ran.stdout.head == "Password: "


async def test_a_stop_while_it_begins_leaves_nothing(at: Bench) -> None:
    work = asyncio.create_task(begin(at, "sleep MARKER"))
    while not at.left():
        await asyncio.sleep(0.01)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert not at.left()
    assert [job.running for job in await at.host.jobs.of("s1")] == [False]


async def test_a_job_whose_watcher_is_killed_is_cleaned_up(at: Bench) -> None:
    await begin(at, "exec sleep MARKER")
    (line,) = at.left()
    os.kill(psutil.Process(int(line.split()[0])).ppid(), signal.SIGKILL)
    job = await at.host.jobs.wait("s1", "j1", 20)
    assert not job.running
    assert at.wait_left(0) == []


async def test_what_cannot_begin_is_refused_and_forgotten(at: Bench) -> None:
    for text in ("a\0b", "x" * 200_000):
        with pytest.raises(ToolError):
            await begin(at, text)
    assert await at.host.jobs.of("s1") == ()


# -- over a restart -------------------------------------------------------------------------------------------------
def host(home: Path) -> LocalHost:
    return LocalHost(str(home), {"HOME": str(home)}, Redactor([SECRET]))


async def test_after_a_restart_jobs_are_told_as_ended_and_numbers_go_on(tmp_path: Path) -> None:
    home, marker = tmp_path / "home", f"61.{uuid.uuid4().int % 10**12}"
    home.mkdir()
    for crash in (False, True):
        running = host(home)
        at = Bench(running, tmp_path, marker)
        await begin(at, "true")
        await begin(at, "echo out; sleep MARKER")
        if crash:  # the file as a kill would leave it
            kept = (home / "jobs.json").read_text()
            await running.close()
            (home / "jobs.json").write_text(kept)
        else:
            await running.close()
        assert not at.left()
    again = host(home)
    jobs = await again.jobs.of("s1")
    assert [(job.id, job.running, job.ran.outcome, job.why) for job in jobs] == [
        ("j1", False, Outcome.OK, ""),
        ("j2", False, Outcome.KILLED, RESTARTED),
        ("j3", False, Outcome.OK, ""),
        ("j4", False, Outcome.KILLED, RESTARTED),
    ]
    assert Path(jobs[3].ran.full[0]).read_text() == "out\n"
    assert (await again.jobs.kill("s1", "j2")) == (await again.jobs.wait("s1", "j2", 5)) == jobs[1]
    assert (await begin(Bench(again, tmp_path), "true")).id == "j5"
    assert stat.S_IMODE((home / "jobs.json").stat().st_mode) == 0o600
    await again.close()


@pytest.mark.parametrize("text", ["", "{", "[1]", '[{"owner": 1}]', "\0", '{"a": 1}'])
async def test_an_unreadable_record_costs_the_memory_alone(tmp_path: Path, text: str) -> None:
    (tmp_path / "jobs.json").write_text(text)
    running = host(tmp_path)
    assert await running.jobs.of("s1") == ()
    assert (await begin(Bench(running, tmp_path), "true")).id == "j1"
    assert [row["id"] for row in json.loads((tmp_path / "jobs.json").read_text())] == ["j1"]
    await running.close()


async def test_records_are_bounded_and_what_runs_stays(tmp_path: Path) -> None:
    rows = [
        {"owner": "s1", "run": "", "id": f"j{n}", "command": "x", "cwd": "/", "begun": 0.0, "outcome": "ok", "full": []}
        for n in range(1, KEPT + 1)
    ]
    (tmp_path / "jobs.json").write_text(json.dumps(rows))
    running = host(tmp_path)
    await begin(Bench(running, tmp_path), "true")
    kept = [row["id"] for row in json.loads((tmp_path / "jobs.json").read_text())]
    assert (len(kept), kept[0], kept[-1]) == (KEPT, "j2", f"j{KEPT + 1}")
    await running.close()


async def test_a_host_that_closes_begins_nothing(tmp_path: Path) -> None:
    running = host(tmp_path)
    await running.close()
    with pytest.raises(ToolError, match="shutting down"):
        await begin(Bench(running, tmp_path), "true")


async def test_in_the_sandbox_a_job_sees_no_more_than_a_command(tmp_path: Path) -> None:
    home, workspace = tmp_path / "home", tmp_path / "workspace"
    home.mkdir()
    workspace.mkdir()
    (home / "secret").write_text("x")
    sandbox = choose(str(home))
    if not sandbox.confines:
        pytest.skip("no sandbox works here")
    running = LocalHost(str(home), {"HOME": str(tmp_path)}, Redactor([]), sandbox=sandbox)
    at = Bench(running, workspace, box=True)
    job = await begin(at, f"cat {home}/secret; touch {tmp_path}/outside; touch inside; sleep MARKER")
    assert job.running
    assert not (tmp_path / "outside").exists()
    assert (workspace / "inside").exists()
    assert "x" not in job.ran.stdout.head
    assert await running.jobs.end() == 1
    assert not at.left()
    await running.close()
