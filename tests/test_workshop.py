"""The tools file: every shape that it had, every damage, each bad entry set aside once, and nothing ever lost."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from agent.errors import ToolError
from agent.tools._custom import CustomTool
from agent.workshop import ToolWorkshop
from agent.workshop.shelf import MOST

GREET = {"name": "greet", "description": "Greets.", "parameters": {}, "command": "echo hello"}
STORED = {**GREET, "parameters": {"type": "object", "properties": {}}}
FIELDS = ("name", "description", "parameters", "command")
TAKEN = ("shell", "read_file")


def workshop(home: Path) -> ToolWorkshop:
    return ToolWorkshop(home, CustomTool, TAKEN)


async def opened(home: Path, content: Any = None) -> ToolWorkshop:
    """A workshop that has just read a file of this content: bytes as they are, anything else as JSON."""
    if content is not None:
        (home / "tools.json").write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    shop = workshop(home)
    await shop.refresh()
    return shop


def names(shop: ToolWorkshop) -> list[str]:
    return [tool.name for tool in shop.tools()]


def aside(shop: ToolWorkshop) -> list[tuple[str, str]]:
    return [(each.name, each.reason) for each in shop.set_aside()]


async def told(shop: ToolWorkshop) -> str:
    """What a chat is told now."""
    news = shop.news()
    await shop.told(news)
    return "\n".join(each.text for each in news)


# -- saving ---------------------------------------------------------------------------------------------------------
async def test_a_saved_tool_is_there_at_once_and_after_a_restart(tmp_path: Path) -> None:
    shop = workshop(tmp_path)
    assert await shop.save(GREET) == ("An empty parameters object means: no arguments.",)
    assert names(shop) == ["greet"]
    again = await opened(tmp_path)
    assert list(again.entries()) == [STORED]
    assert [tool.spec() for tool in again.tools()] == [tool.spec() for tool in shop.tools()]  # type: ignore[attr-defined]
    assert json.loads((tmp_path / "tools.json").read_text()) == {"version": 1, "tools": [STORED]}
    assert {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()} == {0o600}


async def test_a_tool_of_the_same_name_takes_its_place(tmp_path: Path) -> None:
    shop = workshop(tmp_path)
    for name in ("one", "two", "three"):
        await shop.save({**GREET, "name": name})
    await shop.save({**GREET, "name": "two", "command": "echo new"})
    assert names(shop) == ["one", "two", "three"]
    assert [entry["command"] for entry in shop.entries()] == ["echo hello", "echo new", "echo hello"]


LIST = {"type": "array"}
MB = "x" * 10**6
BAD: dict[str, dict[str, Any]] = {
    "text": {"parameters": "not json"},
    "array": {"parameters": [1]},
    "null": {"parameters": None},
    "number": {"parameters": 7},
    "deep error": {"parameters": {"type": "object", "properties": {"a": {"type": "array", "items": LIST}}}},
    "1 MB of schema": {"parameters": {"type": "object", "properties": {"x": {"type": "string", "description": MB}}}},
    "1 MB of text": {"parameters": f'"{MB}"'},
    "1 MB of command": {"command": MB},
    "bad name": {"name": "a b"},
    "built-in": {"name": "shell"},
    "no command": {"command": None},
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
async def test_what_is_refused_leaves_every_byte_as_it_was(tmp_path: Path, case: str) -> None:
    shop = workshop(tmp_path)
    await shop.save(GREET)
    before = {each.name: (each.read_bytes(), each.stat().st_mtime_ns) for each in tmp_path.iterdir()}
    with pytest.raises(ToolError, match="Not saved, nothing was changed: ") as refused:
        await shop.save({**GREET, "name": "other", **BAD[case]})
    assert len(str(refused.value)) < 600
    assert {each.name: (each.read_bytes(), each.stat().st_mtime_ns) for each in tmp_path.iterdir()} == before
    assert names(shop) == ["greet"]


async def test_there_is_a_last_tool(tmp_path: Path) -> None:
    shop = await opened(tmp_path, [{**GREET, "name": f"t{n}"} for n in range(MOST)])
    with pytest.raises(ToolError, match=f"there are {MOST} custom tools already"):
        await shop.save({**GREET, "name": "more"})
    await shop.save({**GREET, "name": "t3", "command": "echo new"})
    assert len(names(shop)) == MOST


async def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    shop = workshop(tmp_path / "gone")
    with pytest.raises(ToolError, match=r"could not be written .* Nothing was changed"):
        await shop.save(GREET)
    assert names(shop) == []


async def test_saves_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    shop = workshop(tmp_path)
    await asyncio.gather(*(shop.save({**GREET, "name": f"t{n}"}) for n in range(20)))
    assert sorted(names(await opened(tmp_path))) == sorted(f"t{n}" for n in range(20))


async def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "tools.json").symlink_to(tmp_path / "dotfiles" / "tools.json")
    await workshop(tmp_path / "home").save(GREET)
    assert (tmp_path / "home" / "tools.json").is_symlink()
    assert names(await opened(tmp_path / "home")) == ["greet"]


# -- deleting -------------------------------------------------------------------------------------------------------
async def test_a_tool_is_deleted(tmp_path: Path) -> None:
    shop = await opened(tmp_path, [GREET, {**GREET, "name": "other"}])
    await shop.delete("greet")
    assert names(shop) == names(await opened(tmp_path)) == ["other"]


@pytest.mark.parametrize(("name", "why"), [("nope", "no custom tool of that name"), ("shell", "it is built in")])
async def test_what_is_not_there_cannot_be_deleted(tmp_path: Path, name: str, why: str) -> None:
    shop = await opened(tmp_path, [GREET])
    before = (tmp_path / "tools.json").read_bytes()
    with pytest.raises(ToolError, match=why):
        await shop.delete(name)
    assert (tmp_path / "tools.json").read_bytes() == before


async def test_what_is_set_aside_can_be_deleted(tmp_path: Path) -> None:
    shop = await opened(tmp_path, [GREET, {"name": "broken"}])
    await shop.delete("broken")
    assert aside(shop) == aside(await opened(tmp_path)) == []
    assert names(shop) == ["greet"]


# -- the file, written by others ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "content",
    [
        {"version": 1, "tools": [GREET]},
        {"tools": [GREET]},
        [GREET],
        {"greet": {k: v for k, v in GREET.items() if k != "name"}},
        {"tools": {"greet": {k: v for k, v in GREET.items() if k != "name"}}},
        [{"type": "function", "function": {k: GREET[k] for k in FIELDS[:3]}, "command": "echo hello"}],
        b"\xef\xbb\xbf" + json.dumps([GREET]).encode(),
    ],
)  # fmt: skip
async def test_each_shape_of_the_file_is_read(tmp_path: Path, content: Any) -> None:
    shop = await opened(tmp_path, content)
    assert list(shop.entries()) == [STORED]
    assert (aside(shop), await told(shop)) == ([], "")


async def test_a_change_by_hand_is_seen_at_the_next_look(tmp_path: Path) -> None:
    shop = await opened(tmp_path, [GREET])
    old = shop.tools()[0]
    (tmp_path / "tools.json").write_text(json.dumps([GREET, {**GREET, "name": "new"}]))
    await shop.refresh()
    assert names(shop) == ["greet", "new"]
    assert shop.tools()[0] is old, "what didn't change isn't built anew"
    (tmp_path / "tools.json").unlink()
    await shop.refresh()
    assert names(shop) == []


async def test_an_unchanged_file_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = await opened(tmp_path, [GREET])
    monkeypatch.setattr("agent.workshop.workshop.content", lambda path: pytest.fail("read again"))
    await shop.refresh()
    assert names(shop) == ["greet"]


@pytest.mark.parametrize(
    ("entry", "name", "reason"),
    [
        (None, "entry 2", "the entry must be an object with name, description, parameters and command, not null."),
        (7, "entry 2", "the entry must be an object"),
        ({"name": "x"}, "x", "description: must be a text"),
        ({**GREET, "name": "a b"}, "a b", "can't be a tool's name"),
        ({**GREET, "name": "shell"}, "shell", "a built-in tool's name is refused"),
        ({**GREET, "name": "x", "parameters": None}, "x", "parameters must be an object schema"),
        (GREET, "greet", "there is another tool 'greet' before it"),
        ({**GREET, "name": "e\x1b[31m\nvil"}, "e?[31m?vil", "can't be a tool's name"),
        ({**GREET, "name": "\ud83d"}, "?", "can't be a tool's name"),
    ],
)
async def test_a_bad_entry_is_set_aside_by_itself_and_told_once_for_ever(
    tmp_path: Path, entry: Any, name: str, reason: str
) -> None:
    shop = await opened(tmp_path, [GREET, entry, {**GREET, "name": "last"}])
    assert names(shop) == ["greet", "last"]
    ((was, why),) = aside(shop)
    assert was == name
    assert reason in why
    notice = await told(shop)
    assert notice.startswith("Set aside from tools.json, not offered:\n" + name)
    assert reason in notice
    assert await told(shop) == ""
    os.utime(tmp_path / "tools.json")
    await shop.refresh()
    assert await told(shop) == "", "the file was touched, the entry is the same"
    assert await told(await opened(tmp_path)) == "", "and after a restart"


async def test_what_no_journal_took_is_told_after_the_next_start(tmp_path: Path) -> None:
    shop = await opened(tmp_path, [None])
    assert len(shop.news()) == 1
    assert list(shop.news()) == [], "on its way already"
    assert "entry 1" in await told(await opened(tmp_path))


async def test_a_mended_entry_is_a_tool_and_nothing_is_set_aside(tmp_path: Path) -> None:
    await told(await opened(tmp_path, [{**GREET, "parameters": 1}]))
    shop = await opened(tmp_path, [GREET])
    assert (names(shop), aside(shop)) == (["greet"], [])
    shop = await opened(tmp_path, [{**GREET, "parameters": 1}])
    assert "greet" in await told(shop), "broken once more is news once more"


async def test_what_is_set_aside_survives_a_save(tmp_path: Path) -> None:
    entries = [GREET, {"name": "mine", "note": "precious"}]
    shop = await opened(tmp_path, entries)
    await shop.save({**GREET, "name": "other"})
    assert [name for name, _ in aside(shop)] == [name for name, _ in aside(await opened(tmp_path))] == ["mine"]
    assert json.loads(shop.set_aside()[0].entry) == entries[1]
    assert json.loads((tmp_path / "tools.damaged.json").read_text()) == entries


async def test_many_bad_entries_are_one_notice(tmp_path: Path) -> None:
    shop = await opened(tmp_path, [{"name": f"bad{n}"} for n in range(50)])
    notice = await told(shop)
    assert "and 44 more; /tools shows them" in notice
    assert len(notice) < 2500
    assert len(aside(shop)) == 50


# -- damage ---------------------------------------------------------------------------------------------------------
DAMAGES: dict[str, bytes] = {
    "empty": b"",
    "cut": json.dumps([GREET]).encode()[:-9],
    "binary": bytes(range(256)),
    "a number": b"7",
    "null": b"null",
    "no list": b'{"tools": 3}',
    "latin-1": json.dumps([GREET]).encode()[:20] + b"\xe4",
    "deep": b"[" * 100_000,
    "huge": b" " * (2 << 20),
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_file_is_replaced_by_the_last_good_copy_and_told_once(tmp_path: Path, damage: str) -> None:
    shop = workshop(tmp_path)
    await shop.save(GREET)
    await shop.save({**GREET, "name": "newest"})
    (tmp_path / "tools.json").write_bytes(DAMAGES[damage])
    await shop.refresh()
    assert names(shop) == ["greet", "newest"]
    notice = await told(shop)
    assert "tools.json: it can't be read (" in notice
    assert "the last good copy, tools.good.json, is used until it is mended" in notice
    again = await opened(tmp_path)
    assert (names(again), await told(again)) == (["greet", "newest"], "")
    assert (tmp_path / "tools.json").read_bytes() == DAMAGES[damage], "ours to read, not to mend"
    await again.save({**GREET, "name": "third"})
    assert names(await opened(tmp_path)) == ["greet", "newest", "third"]
    assert aside(again) == []
    assert (tmp_path / "tools.damaged.json").read_bytes() == DAMAGES[damage]


async def test_a_damaged_file_without_a_copy_costs_the_tools_alone(tmp_path: Path) -> None:
    shop = await opened(tmp_path, b"{")
    assert names(shop) == []
    assert "there is no good copy of it" in await told(shop)


@pytest.mark.parametrize("kind", ["folder", "pipe", "unreadable copy", "quarantine is junk"])
async def test_odd_things_in_its_place_do_no_harm(tmp_path: Path, kind: str) -> None:
    await workshop(tmp_path).save(GREET)
    if kind == "quarantine is junk":
        (tmp_path / "tools.quarantine.json").write_text('{"set_aside": [1, {"digest": 3}, null]}')
        assert names(await opened(tmp_path)) == ["greet"]
        return
    (tmp_path / "tools.json").unlink()
    if kind == "pipe":
        os.mkfifo(tmp_path / "tools.json")
    else:
        (tmp_path / "tools.json").mkdir()
    if kind == "unreadable copy":
        (tmp_path / "tools.good.json").write_bytes(b"\0")
    shop = await opened(tmp_path)
    assert names(shop) == ([] if kind == "unreadable copy" else ["greet"])
    assert "can't be read" in await told(shop)
