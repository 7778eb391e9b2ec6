"""Which sandbox is chosen, what each is asked to do in words, and that nothing runs where it can't be set up."""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Sequence
from pathlib import Path

import pytest

from agent.errors import ToolError
from agent.host import LocalHost
from agent.ports import Box, Sandbox
from agent.redact import Redactor
from agent.sandbox import Bubblewrap, Landlock, Unconfined, choose, trial
from agent.steps import Outcome
from tests.box_bench import sandbox
from tests.host_bench import PATIENT, Bench


@pytest.fixture(autouse=True)
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "_verdicts", {})


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def script(folder: Path, text: str) -> None:
    (folder / "bwrap").write_text(f"#!/bin/sh\n{text}\n")
    (folder / "bwrap").chmod(0o755)


def test_bubblewrap_is_chosen_where_it_works(tmp_path: Path) -> None:
    sandbox("bubblewrap", str(tmp_path))
    chosen = choose(str(tmp_path))
    assert (chosen.name, chosen.confines) == ("bubblewrap", True)


def test_a_bubblewrap_that_only_exists_is_not_chosen(tmp_path: Path, programs: Path) -> None:
    script(programs, f"echo x >> {tmp_path}/tries; exit 1")
    names = {choose(str(tmp_path)).name for _ in range(3)}
    assert names <= {"landlock", "none"}
    assert (tmp_path / "tries").read_text() == "x\n"  # tried once


def test_landlock_is_chosen_where_there_is_no_bubblewrap(tmp_path: Path, programs: Path) -> None:
    sandbox("landlock", str(tmp_path))
    chosen = choose(str(tmp_path))
    assert (chosen.name, chosen.confines) == ("landlock", True)


def test_none_is_chosen_where_nothing_works(tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(programs, "exit 1")
    monkeypatch.setattr(Landlock, "usable_abi", staticmethod(lambda: 0))
    chosen = choose(str(tmp_path))
    assert (chosen.name, chosen.confines) == ("none", False)


def test_a_home_that_cannot_be_written_to_gets_no_sandbox(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert choose(str(tmp_path / "file")).name == "none"


def test_none_changes_nothing() -> None:
    assert Unconfined().wrap(["a", "b"], Box(("/w",), (), "/w")) == ["a", "b"]


def mounted(words: Sequence[str]) -> dict[str, str]:
    """Mount point -> the last option that put something there."""
    found = {}
    for at, word in enumerate(words[: words.index("--chdir")]):
        if word in ("--bind", "--ro-bind"):
            found[words[at + 2]] = f"{word} {words[at + 1]}"
        elif word in ("--tmpfs", "--proc", "--dev"):
            found[words[at + 1]] = word
    return found


@pytest.mark.parametrize(
    ("hidden", "at", "option"),
    [
        ("folder", "folder", "--tmpfs"),
        ("file", "file", "--ro-bind /dev/null"),
        ("link", "folder", "--tmpfs"),
        ("work/inner", "work/inner", "--tmpfs"),
        ("missing", "missing", None),
        ("folder/below", "folder/below", "--tmpfs"),
    ],
)
def test_what_stands_in_the_place_of_a_hidden_path(hidden: str, at: str, option: str | None) -> None:
    root = Path("/var/tmp", f"choice-{uuid.uuid4().hex}")
    for name in ("folder/below", "work/inner", "home"):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "file").write_text("")
    (root / "link").symlink_to(root / "folder")
    try:
        box = Box((str(root / "work"),), (str(root / hidden),), str(root / "work"))
        words = Bubblewrap("bwrap", str(root / "home")).wrap(["true"], box)
        assert mounted(words).get(str(root / at)) == option
        assert mounted(words)[str(root / "work")] == f"--bind {root / 'work'}"
        assert words.index(str(root / "work")) < words.index("--chdir")
    finally:
        subprocess.run(["rm", "-r", str(root)], check=True)


@pytest.mark.parametrize("network", [True, False])
def test_the_network_is_shared_only_on_demand(tmp_path: Path, network: bool) -> None:
    box = Box((str(tmp_path),), (), str(tmp_path), network)
    assert ("--unshare-net" in Bubblewrap("bwrap", str(tmp_path / "home")).wrap(["true"], box)) is not network


def test_boxes_of_two_workspaces_have_temporary_folders_of_their_own(tmp_path: Path) -> None:
    made = Bubblewrap("bwrap", str(tmp_path / "home"))
    first, second, again = (mounted(made.wrap(["true"], Box((w,), (), "/")))["/tmp"] for w in ("/opt", "/srv", "/opt"))
    assert first == again != second


class Broken:
    """A sandbox that can't be set up: its script is Landlock's, with words that it can't read."""

    name = "landlock"
    confines = True
    complaint = Landlock.complaint

    def __init__(self, home: str) -> None:
        self._real = Landlock(home, 3)

    def wrap(self, argv: Sequence[str], box: Box) -> list[str]:
        words = self._real.wrap(argv, box)
        words[5] = "no number"
        return words


async def bench(tmp_path: Path, sandbox: Sandbox | None) -> Bench:
    host = LocalHost(str(tmp_path / "home"), {"HOME": str(tmp_path)}, Redactor([]), PATIENT, sandbox)
    (tmp_path / "workspace").mkdir()
    return Bench(host, tmp_path / "workspace", box=True)


async def test_nothing_runs_where_the_box_cannot_be_set_up(tmp_path: Path) -> None:
    at = await bench(tmp_path, Broken(str(tmp_path / "home")))
    with pytest.raises(ToolError, match=r"sandbox could not be made, and nothing ran.*no number"):
        await at.run("touch ran")
    await at.host.close()
    assert not (tmp_path / "workspace/ran").exists()


class Late:
    """Bubblewrap in a world that changes while a box is made: what its first `fails` boxes shall show is gone."""

    name = "bubblewrap"
    confines = True
    complaint = Bubblewrap.complaint

    def __init__(self, home: str, fails: int) -> None:
        self._real = sandbox("bubblewrap", home)
        self._fails = fails

    def wrap(self, argv: Sequence[str], box: Box) -> list[str]:
        words = self._real.wrap(argv, box)
        self._fails -= 1
        return [words[0], "--ro-bind", "/gone", "/gone", *words[1:]] if self._fails >= 0 else words


@pytest.mark.parametrize("fails", [1, 2])
async def test_a_box_that_could_not_be_made_is_tried_again(tmp_path: Path, fails: int) -> None:
    at = await bench(tmp_path, Late(str(tmp_path / "home"), fails))
    ran = await at.run("echo once >> ran; cat ran")
    await at.host.close()
    assert (ran.outcome, ran.stdout.head, ran.stderr.head) == (Outcome.OK, "once\n", "")


async def test_a_box_that_is_never_made_is_told(tmp_path: Path) -> None:
    at = await bench(tmp_path, Late(str(tmp_path / "home"), 3))
    with pytest.raises(ToolError, match=r"nothing ran.*bwrap: .*/gone"):
        await at.run("touch ran")
    await at.host.close()
    assert not (tmp_path / "workspace/ran").exists()


@pytest.mark.parametrize("text", ["echo 'bwrap: no' >&2; exit 1", "trap - EXIT; echo 'bwrap: no' >&2; exit 1"])
async def test_a_command_that_only_speaks_like_the_box_runs_once(tmp_path: Path, text: str) -> None:
    at = await bench(tmp_path, sandbox("bubblewrap", str(tmp_path / "home")))
    ran = await at.run(f"echo once >> ran; {text}")
    await at.host.close()
    assert (ran.outcome, ran.exit_code) == (Outcome.FAILED, 1)
    assert (tmp_path / "workspace/ran").read_text() == "once\n"


async def test_a_watcher_keeps_nothing_of_a_command(tmp_path: Path) -> None:
    at = await bench(tmp_path, sandbox("bubblewrap", str(tmp_path / "home")))
    at.box = False
    look = "ls /proc/$PPID/fd | grep -vx 101 | wc -l; ulimit -f; ulimit -c; pwd; cat /proc/self/oom_score_adj"
    await at.run("true")  # its watcher may still hold something of its own start
    first = (await at.run(look)).stdout.head
    at.box = True
    await at.run("cd /; ulimit -f 1; yes | head -c 300000; (sleep 0.2 &)")
    await at.run("no-such-program")
    at.box, at.cwd = False, ""
    again = (await at.run(look)).stdout.head
    await at.host.close()
    assert again == first


def test_landlocks_script_alone_runs_nothing_either(tmp_path: Path) -> None:
    argv = Broken(str(tmp_path)).wrap(["/bin/touch", str(tmp_path / "ran")], Box((str(tmp_path),), (), "/"))
    assert subprocess.run(argv, capture_output=True, check=False).returncode == 1
    assert not (tmp_path / "ran").exists()


def test_landlocks_script_alone_confines(tmp_path: Path) -> None:
    """The host runs it in a fork of its own process; as a program of its own it does the same."""
    made = sandbox("landlock", str(tmp_path / "home"))
    (tmp_path / "work").mkdir()
    box = Box((str(tmp_path / "work"),), (), str(tmp_path / "work"))
    argv = made.wrap(["/bin/sh", "-c", "touch in ../out; echo $TMPDIR"], box)
    ran = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (tmp_path / "work/in").exists()
    assert not (tmp_path / "out").exists()
    assert ran.stdout.startswith(str(tmp_path / "home/box"))


async def test_a_box_without_a_sandbox_is_refused(tmp_path: Path) -> None:
    at = await bench(tmp_path, None)
    with pytest.raises(ToolError, match="none was set up"):
        await at.run("touch ran")
    at.box = False
    assert (await at.run("ls")).stdout.head == ""
    await at.host.close()
