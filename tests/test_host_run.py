"""One command after the other, as a session runs them: place, outcome, output, environment, changes."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import time
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from agent.errors import ToolError
from agent.host.place import LONGEST
from agent.redact import MASK
from agent.steps import Outcome
from tests.host_bench import SECRET, Bench, bench


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[Bench]:
    async with bench(tmp_path) as made:
        (made.workspace / "sub dir").mkdir()
        yield made


# -- the place ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("true", ""),
        ("cd 'sub dir'", "sub dir"),
        ("cd 'sub dir'; exit 3", "sub dir"),
        ("cd 'sub dir' && false", "sub dir"),
        ("set -e; cd 'sub dir'; false; cd ..", "sub dir"),
        ("set -xeu; cd 'sub dir'", "sub dir"),
        ("cd 'sub dir'; exec true", ""),
        ("trap 'echo mine' EXIT; cd 'sub dir'", ""),
        ("cd 'sub dir'; kill -9 $$", ""),
        ("(cd 'sub dir')", ""),
        ("cd nosuch", ""),
        ("cd 'sub dir'; if then", ""),
        ("cd 'sub dir'\nif then", "sub dir"),
        ("cd 'sub dir'; pwd() { echo /wrong; }; printf() { :; }; IFS=0123456789", "sub dir"),
        ("cd 'sub dir'; echo /tmp; echo /tmp >&2", "sub dir"),
        ("mkdir -p $'new\\nline\\n'; cd $'new\\nline\\n'", "new\nline\n"),
        ("mkdir -p žluť🦊; cd žluť🦊", "žluť🦊"),
        ("mkdir gone; cd gone; rmdir ../gone", ""),
        ("ln -s 'sub dir' link; cd link", "sub dir"),
        ("cd 'sub dir'; exec >/dev/null 2>&1; exec 0<&-", "sub dir"),
        ("cd 'sub dir'; sleep MARKER & ", "sub dir"),
    ],
)
async def test_where_a_command_leaves_the_session(at: Bench, text: str, place: str) -> None:
    ran = await at.run(text)
    assert ran.cwd == str(at.workspace / place).rstrip("/")
    assert (await at.run("pwd -P")).stdout.head == ran.cwd + "\n"


async def test_a_place_that_text_cannot_hold_is_left(at: Bench) -> None:
    ran = await at.run("mkdir $'\\xff'; cd $'\\xff'")
    assert ran.cwd == str(at.workspace)
    assert "not UTF-8" in ran.note


@pytest.mark.parametrize("lost", ["folder", "workspace", "not a folder"])
async def test_a_place_that_is_gone_gives_way_to_the_workspace(at: Bench, lost: str) -> None:
    place = at.workspace / "sub dir"
    shutil.rmtree(at.workspace if lost == "workspace" else place)
    if lost == "not a folder":
        place.write_text("")
    ran = await at.run("pwd", cwd=str(place))
    assert ran.outcome is Outcome.OK
    assert ran.stdout.head == f"{at.workspace}\n"
    assert ran.cwd == str(at.workspace)
    assert ran.note.startswith(f"The working directory {place} is gone")
    assert ("made anew" in ran.note) is (lost == "workspace")


async def test_a_workspace_that_cannot_be_made_is_refused_in_words(at: Bench) -> None:
    shutil.rmtree(at.workspace)
    at.workspace.write_text("a file")
    with pytest.raises(ToolError, match="can be used"):
        await at.run("true")


# -- outcomes -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "outcome", "code", "number"),
    [
        ("true", Outcome.OK, 0, None),
        ("exit 3", Outcome.FAILED, 3, None),
        ("grep nothing /dev/null", Outcome.ANSWERED_NO, 1, None),
        ("echo a | grep b | head", Outcome.ANSWERED_NO, 1, None),
        ("false | cat", Outcome.FAILED, 1, None),
        ("yes | head -1", Outcome.OK, 141, None),
        ("ls nosuch; true", Outcome.WARNED, 0, None),
        ("nosuchprogram", Outcome.FAILED, 127, None),
        ("/etc/passwd", Outcome.FAILED, 126, None),
        ("if then", Outcome.FAILED, 2, None),
        ("kill -9 $$", Outcome.KILLED, 137, 9),
        ("kill -TERM $$", Outcome.KILLED, 143, 15),
        ("bash -c 'kill -SEGV $$'", Outcome.KILLED, 139, 11),
    ],
)
async def test_outcomes(at: Bench, text: str, outcome: Outcome, code: int, number: int | None) -> None:
    ran = await at.run(text)
    assert (ran.outcome, ran.exit_code, ran.signal) == (outcome, code, number)


async def test_messages_of_bash_name_the_commands_own_lines(at: Bench) -> None:
    assert (await at.run("true\nnosuchprogram")).stderr.head == "bash: line 2: nosuchprogram: command not found\n"
    assert "`if then'" in (await at.run("if then")).stderr.head


@pytest.mark.parametrize(
    ("text", "word"),
    [("echo a\0b", "NUL"), ("echo \ud800", "surrogate"), ("#" + "x" * LONGEST, "write_file")],
)
async def test_what_no_shell_can_take_is_refused_in_words(at: Bench, text: str, word: str) -> None:
    with pytest.raises(ToolError, match=word):
        await at.run(text)


async def test_the_longest_command_runs(at: Bench) -> None:
    assert (await at.run("echo hi #" + "x" * (LONGEST - 9))).stdout.head == "hi\n"


# -- terminals and standard input (FAULTS H06) ----------------------------------------------------------------------
@pytest.mark.parametrize(
    "text",
    [
        "cat",
        "read x; echo got $x",
        "python3 -c 'input()'",
        "cat </dev/tty",
        "stty size",
        "git commit --allow-empty",
        "bash",
    ],
)
async def test_what_wants_a_person_ends_at_once(at: Bench, text: str) -> None:
    await at.run("git init -q . && git config user.email a@b.c && git config user.name n")
    assert (await at.run(text, timeout_s=20)).outcome is not Outcome.TIMED_OUT


async def test_git_shows_its_log_without_a_pager(at: Bench) -> None:
    await at.run("git init -q . && git -c user.email=a@b.c -c user.name=n commit -qm first --allow-empty")
    assert (await at.run("git log --oneline")).stdout.head.endswith("first\n")


# -- the environment (FAULTS S11, S15) ------------------------------------------------------------------------------
async def test_the_environment_is_built_new(tmp_path: Path) -> None:
    hostile = [
        "JARVIS_HOME",
        "BASH_ENV",
        "ENV",
        "LD_PRELOAD",
        "PYTHONSTARTUP",
        "GIT_DIR",
        "NODE_OPTIONS",
        "IFS",
        "OPENAI_API_KEY",
    ]
    base = dict.fromkeys(hostile, "hostile") | {
        "HOME": str(tmp_path),
        "USER": "me",
        "TZ": "UTC",
        "PATH": "/hostile",
    }
    base |= {"https_proxy": f"http://user:{SECRET}@proxy", "http_proxy": "http://proxy"}
    async with bench(tmp_path, base) as at:
        ran = await at.run("python3 -c 'import os, json; print(json.dumps(dict(os.environ)))'")
        found = json.loads(ran.stdout.head)
        raw = await at.run("tr '\\0' '\\n' < /proc/self/environ; cat /proc/$$/environ | tr '\\0' '\\n'")
    assert not {name for name in found if name in hostile or name.startswith("JARVIS_")}
    assert "hostile" not in raw.stdout.head
    assert (found["HOME"], found["USER"], found["TZ"], found["http_proxy"]) == (
        str(tmp_path),
        "me",
        "UTC",
        "http://proxy",
    )
    assert "https_proxy" not in found
    assert found["PATH"].startswith("/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:")
    assert (found["LC_ALL"], found["TERM"], found["PAGER"], found["GIT_TERMINAL_PROMPT"]) == (
        "C.UTF-8",
        "dumb",
        "cat",
        "0",
    )
    assert found["AGENT_CALL_ID"].endswith(":s1:call1")


async def test_a_command_inherits_nothing_but_its_three_streams(at: Bench) -> None:
    ran = await at.run("ls /proc/self/fd; readlink /proc/self/fd/0; umask; ps -o sid= -p $$; echo $$")
    *fds, own, null, mask, session, shell = ran.stdout.head.split()
    assert (fds, own) == (["0", "1", "2"], "3")  # the last is the folder that ls reads
    assert (null, mask) == ("/dev/null", "0022")
    assert session == shell


# -- output (FAULTS H04, H05) ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("text", ["yes", "yes >&2 & yes"])
async def test_a_flood_is_counted_in_constant_memory(at: Bench, text: str) -> None:
    await at.run("seq 100000")
    before = psutil.Process().memory_info().rss
    ran = await at.run(text, timeout_s=2.0)
    assert ran.outcome is Outcome.TIMED_OUT
    assert ran.duration < 2.0 + 5.0
    assert psutil.Process().memory_info().rss - before < 32 * 1024 * 1024
    assert ran.stdout.size > 1024 * 1024
    assert (len(ran.stdout.head), len(ran.stdout.tail)) == (8192, 8192)
    assert os.path.getsize(ran.full[0]) < 17 * 1024 * 1024
    assert ran.files == ()


async def test_other_commands_are_not_held_up_by_a_flood(at: Bench) -> None:
    flood = asyncio.create_task(at.host.run(at.command("yes", timeout_s=3.0)))
    await asyncio.sleep(0.3)
    began = time.monotonic()
    assert (await at.host.run(at.command("echo hi"))).stdout.head == "hi\n"
    assert time.monotonic() - began < 2.5
    assert (await flood).outcome is Outcome.TIMED_OUT


async def test_the_whole_of_a_long_output_is_in_its_file_with_secrets_masked(at: Bench) -> None:
    ran = await at.run(f"seq 20000; echo {SECRET}; seq 20000 >&2; echo {SECRET} >&2")
    assert [os.path.basename(path) for path in ran.full] == ["call1.stdout", "call1.stderr"]
    for path, stream in zip(ran.full, (ran.stdout, ran.stderr), strict=True):
        assert Path(path).read_text() == "".join(f"{number}\n" for number in range(1, 20001)) + MASK + "\n"
        assert stream.head.startswith("1\n2\n")
        assert stream.tail.endswith(f"20000\n{MASK}\n")
    assert ran.files == ()


async def test_odd_output_becomes_text(at: Bench) -> None:
    ran = await at.run("printf '1%%\\r2%%\\r\\033[31mred\\033[0m\\0\\377\\n'; head -c 9999 /dev/urandom >&2")
    assert ran.stdout.head == "red\\x00\ufffd\n"
    assert ran.stderr.head == "[binary output, 9,999 bytes, not shown]"
    json.dumps([ran.stdout.head, ran.stderr.head]).encode()


# -- changes --------------------------------------------------------------------------------------------------------
async def test_changes_of_a_command_are_told(at: Bench) -> None:
    ran = await at.run("echo hi > new; cd 'sub dir'; echo hi > inner")
    assert ran.files is not None
    assert [each.path for each in ran.files] == [f"{at.workspace}/new", f"{at.workspace}/sub dir/inner"]
    assert (await at.run("cat ../new")).files == ()


async def test_changes_of_overlapping_commands_are_unknown_to_both(at: Bench) -> None:
    slow = asyncio.create_task(at.host.run(at.command("sleep 1; echo > slow")))
    await asyncio.sleep(0.2)
    fast = await at.host.run(at.command("echo > fast", owner="s2"))
    assert (fast.files, (await slow).files) == (None, None)
    assert (await at.run("true")).files == ()


async def test_many_commands_at_once_keep_apart(at: Bench) -> None:
    ran = await asyncio.gather(*(at.host.run(at.command(f"sleep 0.1; echo {n}; exit {n}")) for n in range(20)))
    assert [(each.stdout.head, each.exit_code) for each in ran] == [(f"{n}\n", n) for n in range(20)]
