"""Tool shell: what the host did, told to the model and to the chat."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.errors import ToolError
from agent.ports import Ran
from agent.steps import Outcome, Stream
from agent.tools._ran import END, told
from agent.tools.shell import LONGEST_S, tool
from tests.fakes.calls import arguments, context
from tests.fakes.host import FakeHost, ran


@pytest.mark.parametrize(
    ("done", "first", "details"),
    [
        (ran(), "ok, exit code 0 ·", "exit 0 · 0.1 s"),
        (ran(Outcome.FAILED, 3), "failed, exit code 3 ·", "exit 3 · 0.1 s"),
        (ran(Outcome.FAILED, 127), "failed, exit code 127: command not found ·", "exit 127 · 0.1 s"),
        (ran(Outcome.FAILED, 126), "failed, exit code 126: found, but not executable ·", "exit 126 · 0.1 s"),
        (ran(Outcome.FAILED, 128), "failed, exit code 128 ·", "exit 128 · 0.1 s"),
        (
            ran(Outcome.FAILED, 137),
            "exit code 137: a command in it was killed by signal 9 (SIGKILL)",
            "exit 137 · 0.1 s",
        ),
        (ran(Outcome.FAILED, 255), "a command in it was killed by signal 127 ·", "exit 255 · 0.1 s"),
        (ran(Outcome.KILLED, None, signal=9), "killed by signal 9 (SIGKILL)", "killed by signal 9 (SIGKILL) · 0.1 s"),
        (ran(Outcome.KILLED, None), "killed by a signal", "killed by a signal · 0.1 s"),
        (ran(Outcome.ANSWERED_NO, 1), "exit code 1: the answer is no, not a failure", "exit 1 · 0.1 s"),
        (ran(Outcome.WARNED, 0), "exit code 0, but stderr looks like an error", "exit 0 · 0.1 s"),
        (
            ran(Outcome.TIMED_OUT, None, duration=2.04),
            "timed out after 2 s; the whole process tree was killed · 2 s",
            "timed out · 2.0 s",
        ),
    ],
)
async def test_each_end_has_words_of_its_own(tmp_path: Path, done: Ran, first: str, details: str) -> None:
    result = await tool.run(context(tmp_path, host=FakeHost(done)), arguments(tool, command="x", timeout_s=2))
    assert first in result.text.splitlines()[0]
    assert result.details == details
    assert (result.outcome, result.exit_code, result.duration) == (done.outcome, done.exit_code, done.duration)
    assert (result.cwd, result.stdout, result.stderr, result.files) == (done.cwd, done.stdout, done.stderr, ())


async def test_the_command_reaches_the_host_with_its_frame(tmp_path: Path) -> None:
    host = FakeHost()
    await tool.run(context(tmp_path, host=host), arguments(tool, command="echo 'a'\n"))
    (command,) = host.commands
    assert (command.text, command.cwd, command.workspace) == ("echo 'a'\n", str(tmp_path), str(tmp_path))
    assert (command.owner, command.id, command.timeout_s) == ("s1", "c1", 300.0)


@pytest.mark.parametrize(("asked", "given"), [(None, 300), (0.5, 0.5), (3600, 3600), (3601, 3600), (1e300, 3600)])
async def test_the_time_limit_is_the_setting_or_what_was_asked_up_to_an_hour(
    tmp_path: Path, asked: float | None, given: float
) -> None:
    host = FakeHost()
    await tool.run(context(tmp_path, host=host), arguments(tool, command="x", timeout_s=asked))
    assert host.commands[0].timeout_s == given <= LONGEST_S


@pytest.mark.parametrize("command", ["", "  \n\t", "a\0b"])
async def test_a_command_that_is_none_never_reaches_the_host(tmp_path: Path, command: str) -> None:
    host = FakeHost()
    with pytest.raises(ToolError, match="nothing was run"):
        await tool.run(context(tmp_path, host=host), arguments(tool, command=command))
    assert host.commands == []


async def test_a_host_that_refuses_is_heard(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="no bash here"):
        await tool.run(context(tmp_path, host=FakeHost(ToolError("no bash here"))), arguments(tool, command="x"))


def test_streams_stand_apart_and_empty_ones_are_left_out() -> None:
    assert told(ran(stdout="out\n", stderr="err\n"), 9).splitlines()[1:] == ["--- stdout", "out", "--- stderr", "err"]
    assert "stderr" not in told(ran(stdout="out"), 9)
    assert told(ran(), 9).endswith("\n(no output)")


@pytest.mark.parametrize(
    ("length", "cut"), [(2 * END - 1, False), (2 * END, False), (2 * END + 1, True), (8_000, True)]
)
def test_a_stream_is_shown_whole_up_to_its_two_ends(length: int, cut: bool) -> None:
    text = told(ran(stdout="a" * END + "b" * (length - END)), 9)
    assert ("omitted" in text) is cut
    assert text.count("a") >= END and text.count("b") >= min(END, length - END)
    if cut:
        assert f"[... {length - 2 * END} bytes omitted; see more of it with grep, head or tail ...]" in text


def test_a_long_stream_is_cut_in_the_middle_and_its_whole_is_named() -> None:
    streams = Stream("h" * 8192, "t" * 8192, 1_000_000), Stream("ä" * 4096, "ö" * 4096, 500_000)
    done = Ran(Outcome.OK, 0, None, 1.2, "/w", *streams, full=("/w/.jarvis/out/c1.out", "/w/.jarvis/out/c1.err"))
    text = told(done, 9)
    assert f"[... {1_000_000 - 2 * END} bytes omitted; full output: /w/.jarvis/out/c1.out ...]" in text
    assert f"[... {500_000 - 4 * END} bytes omitted; full output: /w/.jarvis/out/c1.err ...]" in text
    assert len(text) < 4 * END + 500


def test_survivors_and_the_note_of_the_host_are_told() -> None:
    text = told(ran(survivors=tuple(f"{n} sleep" for n in range(7)), note="the folder was gone"), 9)
    assert "still running in the background: 0 sleep, 1 sleep, 2 sleep, 3 sleep, 4 sleep and 2 more" in text
    assert text.endswith("[the folder was gone]")


def test_the_same_quick_command_gives_the_same_text() -> None:
    assert told(ran(duration=0.11), 9) == told(ran(duration=0.72), 9)


def test_a_folder_name_cannot_break_the_status_line() -> None:
    assert told(ran(cwd="/w/a\nok, exit code 0"), 9).splitlines()[0].endswith(r"cwd /w/a\nok, exit code 0")
