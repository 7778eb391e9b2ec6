"""The undo of random changes to random trees: what was there is there again, byte for byte, with modes and targets."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.undo import UndoStore
from tests.fakes.calls import shelf
from tests.fakes.trees import clear, make_room, put, snapshot

NAMES = ("a", "b", "line\nend", os.fsdecode(b"\xff\xfe"), "ünï", ".git", "__pycache__", "-rf", "%2F:~")
paths = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join)
contents = st.one_of(st.binary(max_size=40), st.sampled_from([b"", b"same", b"x" * 70_000]))
modes = st.sampled_from([0o644, 0o755, 0o600, 0o400, 0o000, 0o4755])
folder_modes = st.sampled_from([0o755, 0o700, 0o500, 0o1777, 0o2775])

things = st.one_of(
    st.tuples(st.just("file"), paths, contents, modes),
    st.tuples(st.just("link"), paths, st.sampled_from(["a", "b/..", "/nowhere", "../../x"])),
    st.tuples(st.just("folder"), paths, folder_modes),
)
changes = st.one_of(
    things,
    st.tuples(st.just("delete"), paths),
    st.tuples(st.just("append"), paths, contents),
    st.tuples(st.just("chmod"), paths, modes),
    st.tuples(st.just("rename"), paths, paths),
    st.tuples(st.just("swap"), paths, paths),
    st.tuples(st.just("fifo"), paths),
)


def apply(root: Path, change: tuple[object, ...]) -> None:
    """Do one change; one that makes no sense here changes nothing."""
    kind, path = change[0], root / str(change[1])
    match kind, change[2:]:
        case "file", (bytes(content), int(mode)):
            put(path, content, mode)
        case "link", (str(target),):
            make_room(path)
            path.symlink_to(target)
        case "folder", (int(mode),):
            make_room(path)
            path.mkdir()
            path.chmod(mode)
        case "fifo", ():
            make_room(path)
            os.mkfifo(path)
        case _ if os.path.lexists(path):
            change_one(path, root, str(kind), change[2:])


def change_one(path: Path, root: Path, kind: str, how: tuple[object, ...]) -> None:
    """Change what stands there."""
    match kind, how:
        case "delete", ():
            clear(path)
        case "append", (bytes(content),) if path.is_file() and not path.is_symlink():
            path.write_bytes(path.read_bytes() + content)
        case "chmod", (int(mode),) if not path.is_symlink():
            path.chmod(mode | (0o700 if path.is_dir() else 0))
        case (("rename" | "swap"), (str(other),)):
            move(path, root / other, kind == "swap")


def move(path: Path, other: Path, swap: bool) -> None:
    if path in other.parents or other in path.parents or path == other:
        return
    if swap and os.path.lexists(other):
        spare = path.with_name("spare")
        other.rename(spare)
        path.rename(other)
        spare.rename(path)
    elif not swap and other.parent.is_dir() and not other.parent.is_symlink():
        clear(other)
        path.rename(other)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(things, max_size=12), st.lists(st.lists(changes, max_size=6), min_size=1, max_size=3), st.booleans())
async def test_after_an_undo_everything_is_as_it_was(
    before: list[tuple[object, ...]], commands: list[list[tuple[object, ...]]], restarted: bool
) -> None:
    with shelf() as place:
        root = place / "work"
        root.mkdir()
        for thing in before:
            apply(root, thing)
        store, was = UndoStore(place / "undo"), snapshot(root)
        for command in commands:
            assert await store.before_command("s:1", str(root)) == ""
            for change in command:
                apply(root, change)
            await store.after_command("s:1", str(root))
        if restarted:
            store = UndoStore(place / "undo")
        left = snapshot(root)
        await check(store, root, was, left)


async def check(store: UndoStore, root: Path, was: dict[bytes, object], left: dict[bytes, object]) -> None:
    plan = await store.plan("s:1")
    assert not plan.changed_since
    # Contents of caches are not kept, so that only what a run put into none of them comes back.
    lost = {os.fsencode(os.path.relpath(path, root)) for path, _ in plan.cannot}
    report = await store.restore("s:1", plan)
    assert not report.failed
    now = snapshot(root)
    assert without(now, lost) == without(was, lost)
    again = await store.restore("s:1", await store.plan("s:1"))
    assert (again.restored, again.deleted, again.redo) == ((), (), "")
    if report.redo and not lost:
        assert (await store.runs("s"))[0] == report.redo
        redo = await store.plan(report.redo)
        lost = {os.fsencode(os.path.relpath(path, root)) for path, _ in redo.cannot}
        await store.restore(report.redo, redo)
        assert without(snapshot(root), lost) == without(left, lost)


def without(tree: dict[bytes, object], lost: set[bytes]) -> dict[bytes, object]:
    """The tree less what can't be restored, what is below it, and the contents of caches."""
    out = {}
    for path, what in tree.items():
        parts = path.split(b"/")
        above = {b"/".join(parts[:end]) for end in range(1, len(parts) + 1)}
        if not above & lost and b"__pycache__" not in parts:
            out[path] = what
    return out
