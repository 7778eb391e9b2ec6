"""The manifest of a run: every line as it was written, over crashes at any byte, and what a fold makes of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.undo.history import History
from agent.undo.manifest import (
    Based,
    Begun,
    Blinded,
    Damaged,
    Entered,
    Kept,
    Left,
    Line,
    Manifest,
    Noticed,
    read,
    read_line,
    run_of,
    written,
)  # fmt: skip
from agent.undo.states import ABSENT, File, Folder, Limits, Link, Unkept, Why, decoded, encoded
from agent.undo.tree import Tree, packed, unpacked
from agent.undo.walk import Listing, listing

numbers = st.integers(0, 2**63)
paths = st.binary(min_size=1, max_size=20).map(lambda name: "/" + os.fsdecode(name))
owners = st.tuples(numbers, numbers)
states = st.one_of(
    st.just(ABSENT),
    st.builds(File, numbers, owners, st.text("0123456789abcdef"), numbers, st.integers()),
    st.builds(Link, owners, paths),
    st.builds(Folder, numbers, owners),
    st.builds(Unkept, numbers, st.sampled_from(Why)),
)
sigs = st.tuples(*[st.integers()] * 7)


def tuples(*parts: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(st.tuples(*parts), max_size=3).map(tuple)


lines: st.SearchStrategy[Line] = st.one_of(
    st.builds(Begun, st.text(), st.floats(0, 1e10), st.text()),
    st.builds(Kept, tuples(paths, states)),
    st.builds(Based, paths, st.text()),
    st.builds(Noticed, tuples(paths, st.none() | sigs, states)),
    st.builds(Entered, paths),
    st.builds(Left, tuples(paths, st.none() | sigs), st.just("") | paths, st.lists(paths).map(tuple), st.booleans()),
    st.builds(Blinded, paths),
    st.just(Damaged()),
)


@settings(deadline=None)
@given(lines)
def test_a_line_is_read_as_it_was_written(line: Line) -> None:
    text = written(line)
    assert "\n" not in text
    assert read_line(text) == line


@settings(deadline=None)
@given(states)
def test_a_state_too(state: object) -> None:
    assert decoded(encoded(state)) == state  # type: ignore[arg-type]


@settings(deadline=None)
@given(st.dictionaries(paths, st.tuples(sigs, states)), st.sets(paths), st.sets(paths))
def test_a_tree_too(rows: dict[str, tuple[object, object]], opaque: set[str], unlisted: set[str]) -> None:
    found = {path: sig for path, (sig, _) in rows.items()}
    tree = Tree(Listing("/w", found, opaque, unlisted), {path: state for path, (_, state) in rows.items()})  # type: ignore[arg-type]
    assert unpacked(packed(tree)) == tree


@pytest.mark.parametrize(
    "text",
    ["", "{", "3", "[]", '["later","x"]', '["kept",[["/x",["file",1]]]]', '["kept",[["/x",["unkept",1,"bored"]]]]',
     '["left",[["/x",[1]]],"",[],false]', '["kept",[3]]', '["begun","s:1","yesterday",""]'],
)  # fmt: skip
def test_what_no_release_wrote_is_damage(text: str) -> None:
    assert read_line(text) == Damaged()


def test_after_a_death_at_any_byte_whole_lines_are_left(tmp_path: Path) -> None:
    whole = [Begun("s:1", 1.5), Kept((("/a\n", ABSENT),)), Entered("/w")]
    text = "".join(written(line) + "\n" for line in whole).encode()
    ends = [0, *(place + 1 for place, byte in enumerate(text) if byte == ord("\n"))]
    manifest = Manifest(tmp_path, "s:1")
    for cut in range(len(text) + 1):
        manifest.path.write_bytes(text[:cut])
        count = max(place for place, end in enumerate(ends) if end <= cut)
        assert manifest.load() == whole[:count]
        manifest.append(Blinded("/w"), sync=True)
        assert read(manifest.path) == [*whole[:count], Blinded("/w")]


def test_names_of_runs_survive_as_file_names(tmp_path: Path) -> None:
    for run in ("telegram:7/..:12", "a:1~2", "ü\0:3", "%41:1", "."):
        assert run_of(Manifest(tmp_path, run).path) == run
        assert Manifest(tmp_path, run).path.parent == tmp_path


def test_the_first_state_of_a_path_wins() -> None:
    history = History(lambda name: None)
    first, second = Link((0, 0), "x"), Link((0, 0), "y")
    for line in (Kept((("/a", first),)), Left((("/a", None),)), Kept((("/a", second),))):
        history.take(line)
    assert history.was("/a") == first
    assert history.was("/b") == Unkept(0, Why.UNKNOWN)


def test_a_listing_knows_what_it_did_not_see(tmp_path: Path) -> None:
    for path in ("a/b/c", "node_modules/x", ".git/objects/y", "z"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x")
    root = str(tmp_path)
    limits = Limits()
    full = listing(root, limits.files, limits.depth, frozenset())
    assert {f"{root}/.git/objects/y", f"{root}/a/b/c", f"{root}/node_modules"} <= full.found.keys()
    assert full.lacks(f"{root}/a/b/d") and full.lacks(f"{root}/q/r")
    assert not full.lacks(f"{root}/node_modules/x") and not full.lacks(f"{root}/z")
    shallow = listing(root, limits.files, 2, frozenset())
    assert shallow.unlisted == {f"{root}/a/b", f"{root}/.git/objects"}
    assert not shallow.lacks(f"{root}/a/b/c") and not shallow.lacks(f"{root}/a/b/new")
    few = listing(root, 7, limits.depth, frozenset())
    assert f"{root}/a/b/c" in few.found and f"{root}/.git" in few.unlisted  # the history goes without first
    gone = listing(f"{root}/nowhere", 7, 7, frozenset())
    assert not gone.found and gone.lacks(f"{root}/nowhere/x")
