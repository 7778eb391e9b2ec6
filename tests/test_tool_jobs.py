"""Tool jobs, and the shell's `background`: what the model and the chat are told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agent.errors import ToolError
from agent.ledger import Ledger
from agent.ports import Job, Result, Undo
from agent.steps import Asked, Call, Finished, Outcome, Said
from agent.tools.jobs import LINES, LISTED, WAIT_S, tool
from agent.tools.shell import LONGEST_JOB_S
from agent.tools.shell import tool as shell
from tests.fakes.calls import arguments, context
from tests.fakes.host import FakeHost, FakeJobs, ran

RUNNING = Job(
    "j1", "make all", 0.0, True, ran(exit_code=None, stdout="a\nb\nc\n", duration=61.7, full=("/w/c1.stdout",))
)
FAILED = replace(RUNNING, id="j2", running=False, ran=ran(Outcome.FAILED, 2, stderr="bad\n", duration=5.0))
KILLED = replace(RUNNING, id="j3", running=False, ran=ran(Outcome.KILLED, None), why="It ended when asked.")


def host(*jobs: Job) -> FakeHost:
    made = FakeHost()
    made.jobs = FakeJobs(*jobs)
    return made


async def call(folder: Path, at: FakeHost, **fields: object) -> Result:
    return await tool.run(context(folder, host=at), arguments(tool, **fields))


async def test_the_list_tells_each_in_a_line(tmp_path: Path) -> None:
    told = await call(tmp_path, host(RUNNING, FAILED, KILLED), action="list")
    assert told.text.splitlines() == [
        "j1: running · 62 s · make all",
        "j2: failed, exit code 2 · 5 s · make all",
        "j3: ended early (It ended when asked.) · under 1 s · make all",
    ]
    assert told.details == "1 running of 3"
    assert (await call(tmp_path, host(), action="list")).text == "No background jobs were begun here."


@pytest.mark.parametrize(("count", "lines"), [(LISTED - 1, 19), (LISTED, 20), (LISTED + 1, 21)])
async def test_a_long_list_begins_with_what_is_left_out(tmp_path: Path, count: int, lines: int) -> None:
    jobs = [replace(FAILED, id=f"j{n}", command="x\n" * 200) for n in range(count)]
    text = (await call(tmp_path, host(*jobs), action="list")).text
    assert len(text.splitlines()) == lines
    assert ("older" in text) is (count > LISTED)
    assert max(map(len, text.splitlines())) < 200


@pytest.mark.parametrize(("lines", "shown"), [(1, "c"), (2, "b\nc"), (3, "a\nb\nc"), (LINES, "a\nb\nc")])
async def test_the_tail_is_as_long_as_asked(tmp_path: Path, lines: int, shown: str) -> None:
    told = await call(tmp_path, host(RUNNING), action="tail", id="j1", lines=lines)
    more = f", last {lines} lines (6 bytes; all of it: /w/c1.stdout)" if lines < 3 else ""
    assert told.text == f"j1: running · 62 s · cwd /work\n--- stdout{more}\n{shown}"
    assert told.outcome is Outcome.OK


async def test_waiting_for_one_that_goes_on_is_no_failure_and_no_news(tmp_path: Path) -> None:
    at = host(RUNNING)
    told = await call(tmp_path, at, action="wait", id="j1")
    assert (told.outcome, told.exit_code, told.stdout) == (Outcome.OK, None, None)
    assert "not over yet" in told.text
    await call(tmp_path, at, action="wait", id="j1", timeout_s=1e9)
    assert at.jobs.waited == [WAIT_S, 300.0]


async def test_the_end_of_one_is_the_outcome_of_the_wait(tmp_path: Path) -> None:
    told = await call(tmp_path, host(FAILED), action="wait", id="j2")
    assert (told.outcome, told.exit_code, told.stderr) == (Outcome.FAILED, 2, FAILED.ran.stderr)
    assert told.text == "j2: failed, exit code 2 · 5 s · cwd /work\n--- stderr\nbad"
    assert (await call(tmp_path, host(FAILED), action="tail", id="j2")).outcome is Outcome.OK


async def test_killing_tells_how_it_ended(tmp_path: Path) -> None:
    told = await call(tmp_path, host(RUNNING), action="kill", id="j1")
    assert told.text.splitlines()[0].startswith("j1: ended early")
    assert told.text.splitlines()[-1] == "[It was ended by a call of jobs.]"
    assert told.files is None


@pytest.mark.parametrize("action", ["tail", "wait", "kill"])
@pytest.mark.parametrize("id", [None, "", "j9", "../x"])
async def test_a_job_that_isn_t_there(tmp_path: Path, action: str, id: str | None) -> None:
    with pytest.raises(ToolError, match="Which job" if not id else "no background job"):
        await call(tmp_path, host(RUNNING), action=action, id=id)


# -- the shell ------------------------------------------------------------------------------------------------------
class Keeps(Undo):
    async def before_command(self, run: str, workspace: str) -> str:
        return "nope" if run == "blind" else ""

    async def after_command(self, run: str, workspace: str) -> None: ...


async def background(folder: Path, at: FakeHost, **parts: object) -> Result:
    fields = arguments(shell, command="make all", background=True, timeout_s=parts.pop("timeout_s", None))
    return await shell.run(context(folder, host=at, **parts), fields)


@pytest.mark.parametrize(
    ("asked", "given"), [(None, LONGEST_JOB_S), (5, 5), (LONGEST_JOB_S, LONGEST_JOB_S), (1e9, LONGEST_JOB_S)]
)
async def test_a_background_command_is_handed_on_with_its_run(
    tmp_path: Path, asked: float | None, given: float
) -> None:
    at = FakeHost()
    await background(tmp_path, at, run="s1:4", box=True, timeout_s=asked)
    (command,) = at.jobs.begun
    assert (command.text, command.owner, command.run, command.box) == ("make all", "s1", "s1:4", True)
    assert command.timeout_s == given
    assert at.commands == []


async def test_what_goes_on_is_told_with_its_id_and_its_changes_as_unknown(tmp_path: Path) -> None:
    at = FakeHost()
    at.jobs.answers = [replace(RUNNING, id="j4")] * 3
    told = await background(tmp_path, at)
    assert told.text.splitlines()[0] == "j4: running · 62 s · cwd /work"
    assert "ends it (kill)" in told.text.splitlines()[-1]
    assert (told.outcome, told.exit_code, told.stdout, told.files) == (Outcome.OK, None, None, None)
    assert told.details == "j4 goes on"
    undone = await background(tmp_path, at, undo=Keeps())
    assert undone.details == "j4 goes on · what it changes from now on can't be undone"
    assert (await background(tmp_path, at, undo=Keeps(), run="blind")).details.endswith("undone · nope")


async def test_what_ended_at_once_is_an_ordinary_result(tmp_path: Path) -> None:
    at = FakeHost()
    at.jobs.answers = [FAILED, ToolError("8 run already")]
    told = await background(tmp_path, at)
    assert (told.outcome, told.exit_code, told.stderr) == (Outcome.FAILED, 2, FAILED.ran.stderr)
    assert told.text.endswith("--- stderr\nbad\n[job j2 ended at once]")
    with pytest.raises(ToolError, match="8 run already"):
        await background(tmp_path, at)


def test_a_command_that_only_began_proves_nothing() -> None:
    """The ledger: a test that was begun in the background isn't green, and closes no error."""
    ledger = Ledger()
    ledger.fold(1, Asked(at=0, text="go", author="x:1"))
    for seq, (outcome, code) in enumerate([(Outcome.FAILED, 1), (Outcome.OK, None)], 2):
        said = Call(f"c{seq}", "shell", '{"command": "pytest", "background": true}')
        ledger.fold(seq * 10, Said(at=0, text="", calls=(said,)))
        result = Finished(at=0, call_id=said.id, tool="shell", outcome=outcome, text="E  ValueError: x", exit_code=code)
        ledger.fold(seq * 10 + 1, result)
    assert len(ledger.errors_open()) == 1
    assert ledger.progress.green == 0
    assert ledger.commands[-1].line == "pytest -> begun in the background"
