"""What a boxed command can see and change, on every way to confine that this machine has."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agent.errors import ToolError
from agent.steps import Outcome
from tests.box_bench import ALL, CONFINING, SECRET, Place, parent, place

__all__ = ["parent"]

IN_PYTHON = "python3 -c 'import os, tempfile; "
# What each would do to OUT, a folder outside; all but the last ones succeed without a sandbox.
WRITES = {
    "new file": "echo x > OUT/new",
    "old file": "echo x > OUT/old",
    "appended": "echo x >> OUT/old",
    "symlink": "ln -s OUT/old link && echo x > link",
    "symlinked folder": "ln -s OUT link && echo x > link/new",
    "hard link": "ln OUT/old hard && echo x > hard",
    "dots": "echo x > ../outside/new",
    "own root": "echo x > /proc/self/root/OUT/new",
    "shell's root": "echo x > /proc/$$/root/OUT/new",
    "open folder": f'{IN_PYTHON}os.open("new", os.O_CREAT | os.O_WRONLY, dir_fd=os.open("OUT", os.O_RDONLY))\'',
    "moved in": "echo x > own && mv own OUT/new",
    "moved out": "mv OUT/old taken",
    "deleted": "rm OUT/old </dev/null",
    "cut": "truncate -s 0 OUT/old",
    "folder": "mkdir OUT/new",
    "pipe": "mkfifo OUT/new",
    "link there": "ln -s /etc OUT/new",
}
TRICKS = {
    "remounted": "mount -o remount,bind,rw / ; mount -o remount,rw /; echo x > OUT/new",
    "own namespace": "unshare -Urm sh -c 'umount -l /run; mount -o remount,bind,rw /; echo x > OUT/new'",
    "first process's root": "echo x > /proc/1/root/OUT/new",
    "first process's namespace": "nsenter -t 1 -m sh -c 'echo x > OUT/new'",
    "mounted over": "mkdir -p m && mount --bind OUT m && echo x > m/new",
    "raw disk": "mknod disk b $(findmnt -no MAJ:MIN / | tr : ' ') && head -c 1 disk && echo x > OUT/new",
    "kernel setting": "cp /proc/sys/kernel/core_pattern p && cat p > /proc/sys/kernel/core_pattern && echo x > OUT/new",
}
READS = {
    "path": "cat HIDDEN",
    "dots": "cat ../workspace/../HIDDEN",
    "symlink": "ln -s HIDDEN link; cat link",
    "hard link": "ln HIDDEN hard; cat hard",
    "own root": "cat /proc/self/root/HIDDEN",
    "own folder": "cd / && cat /proc/self/cwd/HIDDEN",
    "first process's root": "cat /proc/1/root/HIDDEN",
    "outer process's root": "cat /proc/OUTER/root/HIDDEN",
    "copied folder": "cp -r $(dirname HIDDEN) copy; cat copy/*",
    "moved folder": "mv $(dirname HIDDEN) moved; cat moved/*",
    "archive": "tar c $(dirname HIDDEN)",
    "unmounted": "umount $(dirname HIDDEN); umount -l /tmp; cat HIDDEN",
    "own namespace": "unshare -Urm sh -c 'umount -l $(dirname HIDDEN); umount -l /tmp; cat HIDDEN'",
    "open folder": f'{IN_PYTHON}print(os.read(os.open("HIDDEN"[1:], 0, dir_fd=os.open("/", os.O_PATH)), 99))\'',
    "search": "grep -rs SECRET $(dirname $(dirname HIDDEN))",
}


@pytest.fixture(params=CONFINING)
def here(request: pytest.FixtureRequest, parent: str) -> Iterator[Place]:
    yield from place(parent, request.param)


@pytest.fixture(params=ALL)
def anywhere(request: pytest.FixtureRequest) -> Iterator[Place]:
    yield from place("/var/tmp", request.param)


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() if path.is_file() else "?" for path in folder.iterdir()}


@contextmanager
def mounted(folder: Path) -> Iterator[None]:
    if subprocess.run(["mount", "-t", "tmpfs", "none", str(folder)], capture_output=True, check=False).returncode:
        pytest.skip("nothing may be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("way", [*WRITES, *TRICKS])
async def test_nothing_outside_is_changed(here: Place, way: str) -> None:
    async with here.bench() as at:
        ran = await at.run((WRITES | TRICKS)[way].replace("OUT", str(here.outside)))
    assert contents(here.outside) == {"old": "old"}
    assert ran.exit_code


@pytest.mark.parametrize("way", WRITES)
async def test_each_of_these_ways_works_without_a_sandbox(way: str) -> None:
    for free in place("/var/tmp", "none"):
        async with free.bench() as at:
            ran = await at.run(WRITES[way].replace("OUT", str(free.outside)))
        assert ran.exit_code == 0, ran
        assert [*free.outside.iterdir()] != [free.outside / "old"] or contents(free.outside) != {"old": "old"}


@pytest.mark.parametrize("way", READS)
@pytest.mark.parametrize("hidden", ["state/jarvis/config.toml", "user/.ssh/id"])
async def test_our_home_and_credentials_cannot_be_read(here: Place, way: str, hidden: str) -> None:
    text = READS[way].replace("HIDDEN", str(here.root / hidden)).replace("SECRET", SECRET[:-1])
    async with here.bench() as at:
        ran = await at.run(text.replace("OUTER", str(at.host._around.link._pid or 1)))
    assert SECRET not in ran.stdout.head + ran.stderr.head
    assert (here.root / hidden).read_text() == SECRET


async def test_a_hidden_file_cannot_be_read(here: Place) -> None:
    async with here.bench() as at:
        ran = await at.run("cat ~/.netrc; echo x > ~/.netrc")
    assert (ran.stdout.head, ran.exit_code) == ("", 1)
    assert (here.user / ".netrc").read_text() == SECRET


async def test_our_home_inside_the_workspace_is_hidden_too(here: Place) -> None:
    home = here.workspace / "deep/.jarvis"
    home.mkdir(parents=True)
    (home / "config.toml").write_text(SECRET)
    (here.workspace / "deep/beside").mkdir()
    async with here.bench(home=home) as at:
        ran = await at.run("cat deep/.jarvis/config.toml; rm -rf deep/.jarvis/config.toml; echo x > deep/beside/file")
        assert SECRET not in ran.stdout.head
        assert ran.exit_code == 0
    assert (home / "config.toml").read_text() == SECRET
    assert (here.workspace / "deep/beside/file").read_text() == "x\n"


async def test_a_workspace_inside_our_home_is_there_and_the_rest_is_not(here: Place) -> None:
    inner = here.home / "work"
    inner.mkdir()
    async with here.bench(workspace=inner) as at:
        ran = await at.run("echo x > file && cat file; cat ../config.toml; echo y > ../new")
    assert ran.stdout.head == "x\n"
    assert (inner / "file").read_text() == "x\n"
    assert not (here.home / "new").exists()


async def test_the_machine_can_be_read_and_the_workspace_written(anywhere: Place) -> None:
    async with anywhere.bench() as at:
        ran = await at.run(f"head -c 4 /etc/passwd; cat {anywhere.outside}/old; mkdir -p a/b; mv a c; echo hi > c/b/f")
        assert (ran.outcome, ran.stdout.head) == (Outcome.OK, "rootold")
        assert (await at.run("ln c/b/f c/g; ln -s c/g s; chmod 700 s; cat s; rm -r c; ls")).stdout.head == "hi\ns\n"


@pytest.mark.parametrize("text", ["echo hi > $(mktemp)", "echo hi > /dev/null", f"{IN_PYTHON}tempfile.mkdtemp()'"])
async def test_temporary_files_and_devices_work(here: Place, text: str) -> None:
    async with here.bench() as at:
        assert (await at.run(text)).outcome is Outcome.OK


async def test_temporary_files_stay_over_commands_and_away_from_the_machine(here: Place) -> None:
    async with here.bench() as at:
        path = (await at.run("mktemp -t box.XXXXXXXX")).stdout.head.strip()
        assert (await at.run(f"echo hi > {path}; cat {path}")).stdout.head == "hi\n"
        assert (await at.run(f"cat {path}")).stdout.head == "hi\n"
    assert not Path("/tmp", Path(path).name).exists()


@pytest.mark.parametrize("name", ["wörk späce", "quote'\"$x `id`", "new\nline", "-o", "{a,b}*?[c]", "\\back", "日本😀"])
async def test_any_name_of_a_workspace_will_do(here: Place, name: str) -> None:
    odd = here.root / name
    odd.mkdir()
    async with here.bench(workspace=odd) as at:
        ran = await at.run("echo hi > file && cat file && mkdir sub && cd sub")
        assert (ran.outcome, ran.stdout.head) == (Outcome.OK, "hi\n")
        assert ran.cwd == f"{odd}/sub"
    assert (odd / "file").read_text() == "hi\n"


async def test_a_workspace_behind_a_symlink_is_written_to(here: Place) -> None:
    link = here.root / "link"
    link.symlink_to(here.workspace)
    async with here.bench(workspace=link) as at:
        assert (await at.run("echo hi > file")).outcome is Outcome.OK
        assert at.cwd == str(here.workspace)
    assert (here.workspace / "file").read_text() == "hi\n"


async def test_a_mount_inside_the_workspace_is_written_to(here: Place) -> None:
    inner = here.workspace / "inner"
    inner.mkdir()
    with mounted(inner):
        async with here.bench() as at:
            assert (await at.run("echo hi > inner/file")).outcome is Outcome.OK
        assert (inner / "file").read_text() == "hi\n"


@pytest.mark.parametrize("path", ["/", "/proc", "/sys/kernel", "/dev", "//", "/usr/.."])
async def test_a_workspace_that_cannot_be_confined_to_is_refused(here: Place, path: str) -> None:
    async with here.bench(workspace=Path(path)) as at:
        at.cwd = path
        with pytest.raises(ToolError, match="Set another one"):
            await at.run("true")


async def test_our_home_as_the_workspace_is_refused(here: Place) -> None:
    async with here.bench(workspace=here.home) as at:
        with pytest.raises(ToolError, match="Set another one"):
            await at.run("true")


async def test_no_command_can_put_a_symlink_in_the_place_of_the_next_ones_temporary_folder(here: Place) -> None:
    async with here.bench() as at:
        await at.run("T=${TMPDIR:-/tmp}; rm -rf $T .jarvis; for at in $T .jarvis; do ln -sfn ../outside $at; done")
        await at.run("echo x > ${TMPDIR:-/tmp}/new; seq 100000")
    assert contents(here.outside) == {"old": "old"}
