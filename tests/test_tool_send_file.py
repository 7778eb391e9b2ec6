"""The tool send_file: which files may go to a chat, and what is kept of one that may."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.errors import ToolError
from agent.redact import SHAPES, Redactor
from agent.steps import Finished, Outcome, Parcel
from agent.store.codec import decode, encode
from agent.tool import BadArguments, parse
from agent.tools.send_file import LARGEST, LONGEST_CAPTION, OVERLAP, SendFile, pack, tool
from tests.fakes.calls import context

TOKEN = "1234567:our-own-secret-token"
GITHUB = "ghp_" + "a1B2" * 9
SCREEN = Redactor([TOKEN])


def sent(folder: Path, path: str, caption: str = "", **parts: object) -> Parcel:
    result = pack(context(folder, screen=SCREEN, **parts), SendFile(path=path, caption=caption))
    assert result.parcel is not None
    return result.parcel


async def test_what_may_go_is_known_by_its_place_size_and_hash_and_its_bytes_stay_out(tmp_path: Path) -> None:
    data = os.urandom(700_000)
    (tmp_path / "a.bin").write_bytes(data)
    result = await tool.run(context(tmp_path, screen=SCREEN), SendFile(path="a.bin", caption=" look \n"))
    digest = hashlib.sha256(data).hexdigest()
    assert result.parcel == Parcel(str(tmp_path / "a.bin"), 700_000, digest, "look")
    assert result.outcome is Outcome.OK and "700.0 kB" in result.text and result.files == ()


def folder(path: Path) -> None:
    path.mkdir()


def empty(path: Path) -> None:
    path.touch()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def outside(path: Path) -> None:
    (path.parent.parent / "secret.txt").write_text("not of the workspace")
    path.symlink_to("../secret.txt")


def outside_folder(path: Path) -> None:
    (path.parent.parent / "other").mkdir()
    (path.parent.parent / "other" / "f").write_text("x")
    path.symlink_to("../other")


def circle(path: Path) -> None:
    path.symlink_to(path.name)


def too_large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)


def own_token(path: Path) -> None:
    path.write_text(f"x\nTOKEN={TOKEN}\n")


def own_token_in_bytes(path: Path) -> None:
    path.write_bytes(b"\0\1\2" + TOKEN.encode() + b"\0")


def own_token_in_utf_16(path: Path) -> None:
    path.write_bytes(TOKEN.encode("utf-16"))


def own_token_over_two_chunks(path: Path) -> None:
    path.write_bytes(b"a" * (256 * 1024 - 10) + TOKEN.encode() + b"b" * 1000)


def key_shape(path: Path) -> None:
    path.write_text(f"GITHUB_TOKEN={GITHUB}\n")


@pytest.mark.parametrize(
    ("typed", "made", "why"),
    [
        ("f", None, "There is no"),
        ("f", folder, "is a folder. Pack it"),
        (".", None, "lies outside of the workspace"),  # the workspace itself
        ("f", empty, "is empty, and a chat takes no empty file"),
        ("f", pipe, "is a named pipe"),
        ("f", outside, "lies outside of the workspace"),
        ("f/f", outside_folder, "lies outside of the workspace"),
        ("f", circle, "symbolic link"),
        ("f", too_large, "50.0 MB at most"),
        ("f", own_token, "holds a secret"),
        ("f", own_token_in_bytes, "holds a secret"),
        ("f", own_token_in_utf_16, "holds a secret"),
        ("f", own_token_over_two_chunks, "holds a secret"),
        ("f", key_shape, "holds a secret"),
        ("../secret.txt", outside, "lies outside of the workspace"),
        ("/etc/hostname", None, "lies outside of the workspace"),
        ("/dev/zero", None, "lies outside of the workspace"),
        ("/proc/self/environ", None, "out of reach"),
        ("own/config.toml", None, "agent's own state"),
        ("~/f", None, "~ is not expanded"),
        ("", None, "The path is empty"),
        ("a\0b", None, "NUL"),
        ("x" * 300, None, "name is too long"),
        ("a/" * 3000, None, "longer than 4095"),
        ("f/g", empty, "no folder"),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)[:30]),
)
def test_what_may_not_go_is_refused_in_a_sentence(
    tmp_path: Path, typed: str, made: Callable[[Path], None] | None, why: str
) -> None:
    workspace = tmp_path / "ws"
    workspace.mkdir()
    (workspace / "own").mkdir()
    if made is not None:
        made(workspace / "f")
    with pytest.raises(ToolError, match=why) as refused:
        sent(workspace, typed, forbidden=(str(workspace / "own"),))
    assert TOKEN not in str(refused.value) and GITHUB not in str(refused.value)


@pytest.mark.parametrize("size", [1, LARGEST - 1, LARGEST])
def test_up_to_the_limit_a_file_goes(tmp_path: Path, size: int) -> None:
    with (tmp_path / "f").open("wb") as file:
        file.truncate(size)
    assert sent(tmp_path, "f").size == size


def test_a_link_within_the_workspace_is_the_file_that_it_means(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "f.txt").write_text("x")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "latest").symlink_to("link/f.txt")
    for typed in ("latest", "link/f.txt", "./real/../latest"):
        assert sent(tmp_path, typed).path == str(tmp_path / "real" / "f.txt")


def test_a_workspace_reached_by_a_link_is_a_workspace(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "f.txt").write_text("x")
    (tmp_path / "ws").symlink_to("real")
    assert sent(tmp_path / "ws", "f.txt").path == str(tmp_path / "real" / "f.txt")


def test_a_folder_that_begins_like_the_workspace_is_another(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws2").mkdir()
    (tmp_path / "ws2" / "f").write_text("x")
    with pytest.raises(ToolError, match="outside"):
        sent(tmp_path / "ws", "../ws2/f")


def test_a_key_shape_in_what_is_no_text_is_chance(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\0" + GITHUB.encode())
    assert sent(tmp_path, "f").size == 1 + len(GITHUB)


def test_a_name_that_is_a_secret_is_refused(tmp_path: Path) -> None:
    (tmp_path / f"{GITHUB}.txt").write_text("x")
    with pytest.raises(ToolError, match="holds a secret"):
        sent(tmp_path, f"{GITHUB}.txt")


def test_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    name = b"\xff.txt"
    Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name))).write_text("x")
    (tmp_path / "link").symlink_to(os.fsdecode(name))
    with pytest.raises(ToolError, match="a name that is no text"):
        sent(tmp_path, "link")


@pytest.mark.parametrize(("length", "fits"), [(LONGEST_CAPTION, True), (LONGEST_CAPTION + 1, False)])
def test_a_caption_has_a_bound(length: int, fits: bool) -> None:
    parsed = parse(tool, f'{{"path": "f", "caption": "{"x" * length}"}}')
    assert isinstance(parsed, BadArguments) is not fits


def test_the_overlap_holds_the_longest_secret() -> None:
    assert max(rule.reach for rule in SHAPES) < OVERLAP


def test_the_journal_keeps_it_and_reads_steps_of_before() -> None:
    step = Finished(
        at=1, call_id="c", tool="send_file", outcome=Outcome.OK, text="", parcel=Parcel("/w/ä", 3, "00", "😀")
    )
    assert decode(*encode(step)) == step
    kind, version, body = encode(Finished(at=1, call_id="c", tool="shell", outcome=Outcome.OK, text=""))
    before = json.loads(body)
    del before["parcel"]
    read = decode(kind, version, json.dumps(before))
    assert isinstance(read, Finished) and read.parcel is None
