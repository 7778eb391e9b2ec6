"""Probe world on a real disk: links, hashes, names, and what it must not wait for."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from agent.probes import world
from tests.fakes.calls import context

AROUND = context(Path("/"))


async def look(cwd: Path, **kinds: list[str]) -> dict[str, Any]:
    question = {"executables": [], "paths": [], "scripts": [], "cwd": str(cwd), "home": str(cwd)}
    answer: dict[str, Any] = json.loads(await world.probe.look(AROUND, json.dumps({**question, **kinds})))
    return answer


async def test_paths_are_told_as_where_they_lead(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "own")
    (tmp_path / "second").symlink_to("link")
    (tmp_path / "loop").symlink_to("loop")
    names = ["link/x", "second/y", "missing/z", "link/../x", "loop", "."]
    paths = (await look(tmp_path, paths=names))["paths"]
    own = str(tmp_path / "own")
    assert paths == {
        "link/x": f"{own}/x", "second/y": f"{own}/y", "missing/z": str(tmp_path / "missing/z"),
        "link/../x": str(tmp_path / "x"), "loop": str(tmp_path / "loop"), ".": str(tmp_path),
    }  # fmt: skip


async def test_scripts_are_hashed_through_links(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"echo a")
    (tmp_path / "b").symlink_to("a")
    digest = hashlib.sha256(b"echo a").hexdigest()
    scripts = (await look(tmp_path, scripts=["a", "b", "missing", ".", str(tmp_path / "a")]))["scripts"]
    assert scripts == {"a": digest, "b": digest, "missing": None, ".": None, str(tmp_path / "a"): digest}


@pytest.mark.parametrize(("size", "hashed"), [(world.LARGEST, True), (world.LARGEST + 1, False)])
async def test_a_large_file_is_not_hashed(tmp_path: Path, size: int, hashed: bool) -> None:
    (tmp_path / "a").touch()
    os.truncate(tmp_path / "a", size)
    digest = (await look(tmp_path, scripts=["a"]))["scripts"]["a"]
    assert (digest is not None) is hashed


async def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert (await look(tmp_path, scripts=["pipe", "/dev/zero"]))["scripts"] == {"pipe": None, "/dev/zero": None}


async def test_programs_are_found_where_commands_find_them(tmp_path: Path) -> None:
    (tmp_path / "mine").symlink_to("/bin/sh")
    (tmp_path / "sh").write_text("")
    (tmp_path / "sh").chmod(0o755)
    found = (await look(tmp_path, executables=["sh", "./mine", "no-such-program", "./missing"]))["executables"]
    assert found["sh"] == os.path.realpath("/bin/sh")
    assert found["./mine"] == os.path.realpath("/bin/sh")
    assert (found["no-such-program"], found["./missing"]) == (None, None)


@pytest.mark.parametrize("kinds", [{"paths": ["x"] * 129}, {"paths": [1]}, {"scripts": "x"}])
async def test_an_odd_question_has_no_answer(tmp_path: Path, kinds: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be a list"):
        await look(tmp_path, **kinds)


async def test_a_name_that_no_file_can_have_is_left_out(tmp_path: Path) -> None:
    assert (await look(tmp_path, paths=["a\0b", "", "x" * 5000]))["paths"] == {"x" * 5000: f"{tmp_path}/{'x' * 5000}"}
