"""Tool write_file: byte for byte, all or nothing."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.steps import Change
from agent.tools import _files
from agent.tools.write_file import WriteFile, tool, write
from tests.fakes.calls import context, shelf

NASTY = "#!/bin/bash\r\necho \"a\\$b\" '`' \\\\ \t\x00\x1b[0m é e\u0301 日本 😀 \u202eright\u202c $HOME no newline"


def put(folder: Path, path: str, content: str, mode: str | None = None, **parts: Any) -> dict[str, Any]:
    result = write(context(folder, **parts), WriteFile(path=path, content=content, mode=mode))
    told: dict[str, Any] = json.loads(result.text)
    return told


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


async def test_what_was_asked_stands_in_the_file_and_in_the_result(tmp_path: Path) -> None:
    result = await tool.run(context(tmp_path), WriteFile(path="deep er/наsty file.sh", content=NASTY, mode="755"))
    path, data = tmp_path / "deep er" / "наsty file.sh", NASTY.encode()
    assert path.read_bytes() == data
    told = json.loads(result.text)
    del told["warnings"]
    assert told == {
        "status": "ok", "path": str(path), "bytes": len(data), "mode": "755", "sha256": sha(data), "created": True,
    }  # fmt: skip
    assert result.files == (Change(str(path), "", sha(data)),)
    assert result.details == f"created наsty file.sh ({len(data)} B)"
    assert "\n" not in result.text


@pytest.fixture(scope="module")
def memory() -> Iterator[Path]:
    with shelf() as path:
        yield path


CONTENTS = st.text(st.characters(exclude_categories=["Cs"])) | st.text(alphabet="\\$'\"`\r\n\t \0!#{}%é😀a")


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(CONTENTS, min_size=25, max_size=25))
def test_ten_thousand_contents_are_written_byte_for_byte(memory: Path, contents: list[str]) -> None:
    for content in contents:
        result = write(context(memory), WriteFile(path="f", content=content))
        assert (memory / "f").read_bytes() == content.encode("utf-8")
        assert result.files is not None
        assert result.files[0].after == sha(content.encode("utf-8"))


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
@pytest.mark.parametrize(
    ("existing", "asked", "real"),
    [
        (None, None, 0o644),
        (None, "755", 0o755),
        (None, "0600", 0o600),
        (None, "000", 0o000),
        (None, "777", 0o777),
        (0o600, None, 0o600),
        (0o755, None, 0o755),
        (0o755, "644", 0o644),
        (0o4755, None, 0o755),  # new content must not inherit a privilege
    ],
)
def test_modes(tmp_path: Path, umask: int, existing: int | None, asked: str | None, real: int) -> None:
    path = tmp_path / "f"
    if existing is not None:
        path.write_text("old")
        path.chmod(existing)
    before = os.umask(umask)
    try:
        told = put(tmp_path, "f", "new", asked)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == real
    assert told["mode"] == f"{real:03o}"
    assert told["created"] is (existing is None)


@pytest.mark.skipif(os.geteuid() != 0, reason="giving files away needs root")
def test_an_existing_file_keeps_its_owner(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("old")
    os.chown(tmp_path / "f", 1234, 4321)
    put(tmp_path, "f", "new")
    found = (tmp_path / "f").stat()
    assert (found.st_uid, found.st_gid) == (1234, 4321)


def test_folders_are_reached_through_links_but_not_moved_by_them(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert put(tmp_path, "link/f", "x")["path"] == str(tmp_path / "real" / "f")


@pytest.mark.parametrize(
    ("path", "content", "warning"),
    [
        ("a.sh", 'echo "\\$HOME"\n', r"line 1: backslash before $ in \$HOME"),
        ("a", "#!/usr/bin/env bash\n\necho \\${X}\n", r"line 3: backslash before $ in \${X"),
        ("a", "#!/bin/sh\necho \\$(date)\n", r"line 2: backslash before $ in \$(date"),
        ("a", "#!/usr/bin/python3\r\nprint()\r\n", "CRLF line endings under a #! line"),
        ("$HOME/a.txt", "x", "$HOME in the path was taken literally"),
        ("${A_B}.txt", "x", "${A_B} in the path was taken literally"),
    ],
)
def test_warnings(tmp_path: Path, path: str, content: str, warning: str) -> None:
    told = put(tmp_path, path, content)
    assert any(warning in each for each in told["warnings"]), told
    assert (tmp_path / path).read_bytes() == content.encode()


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a.sh", "echo $HOME\n"),
        ("a.py", "x = '\\$HOME'\n"),
        ("a.sh", "grep 'a\\$' f\n"),
        ("a.txt", "a\r\n"),
        ("a$", "x"),
    ],
)
def test_no_warning_without_a_reason(tmp_path: Path, path: str, content: str) -> None:
    assert "warnings" not in put(tmp_path, path, content)


def test_emptying_a_file_and_leaving_other_names_behind_is_told(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("old!")
    os.link(tmp_path / "f", tmp_path / "other")
    warnings = put(tmp_path, "f", "")["warnings"]
    assert warnings == [
        "the file is empty now; it held 4 B",
        "the file had other names (hard links); those keep the old content",
    ]
    assert (tmp_path / "other").read_text() == "old!"
    assert "warnings" not in put(tmp_path, "f", "")


def test_a_large_old_file_has_an_unknown_hash(tmp_path: Path) -> None:
    with (tmp_path / "f").open("wb") as file:
        file.truncate(_files.HASHED + 1)
    result = write(context(tmp_path), WriteFile(path="f", content="new"))
    assert result.files == (Change(str(tmp_path / "f"), None, sha(b"new")),)


def test_a_reader_sees_one_whole_content_or_another(memory: Path) -> None:
    contents = [letter * 50_000 for letter in "abcd"]
    put(memory, "shared", contents[0])
    with ThreadPoolExecutor(4) as pool:
        writes = [pool.submit(put, memory, "shared", content) for content in contents * 25]
        while not all(each.done() for each in writes):
            assert (memory / "shared").read_text() in contents
    assert all(each.result()["bytes"] == 50_000 for each in writes)
    assert not list(memory.glob(".jarvis-*"))
