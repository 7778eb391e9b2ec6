"""Drift between files: what is planted is found, what fits is not, and what can't be known is silent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent.ports import CallContext
from agent.probes.drift import probe
from tests.fakes.drifting import FILES, PLANTED, cases, laid_out, planted
from tests.fakes.host import FakeHost

TAKER = "import { x } from '{}';\nexport const y = x;\n"


async def seen(root: Path, changed: list[str] | None = None, **aliases: Any) -> list[tuple[str, int, str]]:
    return [(each["file"], each["line"], each["symbol"]) for each in await answer(root, changed, **aliases)]


async def answer(root: Path, changed: list[str] | None = None, **aliases: Any) -> list[dict[str, Any]]:
    call = CallContext("s", "l", str(root), str(root), 10.0, FakeHost())
    paths = None if changed is None else [str(root / name) for name in changed]
    found = json.loads(await probe.look(call, json.dumps({"changed": paths, "aliases": aliases})))["found"]
    assert isinstance(found, list)
    return found


# -- the fixture ----------------------------------------------------------------------------------------------------
def test_the_tree_is_as_large_as_it_is_said_to_be() -> None:
    assert 56 <= len(FILES) <= 62
    assert [name.endswith(".py") for (name, _, _), _ in PLANTED].count(False) == 19


async def test_names_that_fit_are_no_drift(tmp_path: Path) -> None:
    laid_out(tmp_path, FILES)
    assert await answer(tmp_path) == []


@pytest.mark.parametrize("number", range(len(PLANTED)), ids=lambda n: f"{PLANTED[n][1][0]}:{PLANTED[n][1][2]}")
async def test_each_planted_mismatch_is_found_from_the_file_that_was_changed(tmp_path: Path, number: int) -> None:
    laid_out(tmp_path, planted(number))
    (name, _, _), expected = PLANTED[number]
    found = await seen(tmp_path, [name])
    assert expected in found
    assert {each[2] for each in found} == {expected[2]}  # other consumers of the same name may be named too


async def test_all_of_them_at_once_and_none_invented(tmp_path: Path) -> None:
    laid_out(tmp_path, planted(*range(len(PLANTED))))
    found = await seen(tmp_path)
    expected = {row for _, row in PLANTED}
    assert expected <= set(found)
    symbols = {symbol for _, _, symbol in expected}
    assert {symbol for _, _, symbol in found} <= symbols


async def test_a_mismatch_tells_the_real_names(tmp_path: Path) -> None:
    laid_out(tmp_path, planted(4))
    found = await answer(tmp_path, ["src/cart/item.ts"])
    row = next(each for each in found if each["file"] == "src/cart/cart.ts")
    assert row["module"] == "./item" and row["target"] == "src/cart/item.ts"
    assert {"Line", "first", "renamed", "others"} <= set(row["gives"])


async def test_what_nobody_touched_is_not_reported(tmp_path: Path) -> None:
    laid_out(tmp_path, planted(0))
    assert await answer(tmp_path, ["lib/helpers.mts", "shop/main.py", "README.md", "../x.ts"]) == []


async def test_a_file_that_changes_back_is_read_again(tmp_path: Path) -> None:
    laid_out(tmp_path, planted(18))
    assert await seen(tmp_path, ["lib/helpers.mts"]) == [PLANTED[18][1]]
    laid_out(tmp_path, {"lib/helpers.mts": FILES["lib/helpers.mts"]})
    assert await seen(tmp_path, ["lib/helpers.mts"]) == []


# -- files that are not there ---------------------------------------------------------------------------------------
async def test_a_file_that_was_renamed_is_missed_by_its_takers(tmp_path: Path) -> None:
    laid_out(tmp_path, {"src/a.ts": TAKER.replace("{}", "./b"), "src/c.ts": "export const x = 1;\n"})
    assert await seen(tmp_path, ["src/b.ts", "src/c.ts"]) == [("src/a.ts", 1, "")]


ABSENT = {
    "an ignored one": {".gitignore": "b.ts\n"},
    "one with another ending": {"src/b.vue": "", "src/b.svelte": ""},
    "one of several platforms": {"src/b.native.tsx": "export const x = 1;\n"},
    "one that rootDirs put elsewhere": {"tsconfig.json": '{"compilerOptions": {"rootDirs": ["src", "other"]}}'},
}


@pytest.mark.parametrize("files", ABSENT.values(), ids=ABSENT)
async def test_a_missing_file_is_only_one_that_surely_should_be_there(tmp_path: Path, files: dict[str, str]) -> None:
    taker = {"src/a.ts": "import { x } from './b';\nexport const y = x;\n"}
    laid_out(tmp_path, taker)
    assert await seen(tmp_path, ["src/a.ts"]) == [("src/a.ts", 1, "")]
    laid_out(tmp_path, files)
    assert await seen(tmp_path, ["src/a.ts"]) == []


# -- aliases --------------------------------------------------------------------------------------------------------
ALIASES: dict[str, tuple[str, dict[str, str], dict[str, Any]]] = {
    "settings, a prefix": ("@/b", {}, {"@": "src"}),
    "settings, a star": ("~lib/b", {}, {"~lib/*": ["nowhere/*", "src/*"]}),
    "paths": ("#b", {"tsconfig.json": '{"compilerOptions": {"paths": {"#*": ["./src/*"]}}}'}, {}),
    "the longest prefix": ("@x/b", {
        "tsconfig.json": '{"compilerOptions": {"paths": {"@*": ["y/*"], "@x/*": ["src/*"]}}}'}, {}),
    "baseUrl": ("src/b", {"tsconfig.json": '{"compilerOptions": {"baseUrl": "."}}'}, {}),
    "jsconfig": ("@/b", {"jsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["src/*"]}}}'}, {}),
    "extends, a list": ("@/b", {
        "tsconfig.json": '{"extends": ["./conf/one", "./conf/two.json"]}', "conf/one.json": "{}",
        "conf/two.json": '{"compilerOptions": {"baseUrl": "..", "paths": {"@/*": ["src/*"]}}}'}, {}),
    "references": ("@/b", {
        "tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.app.json"}]}',
        "tsconfig.app.json": '{"compilerOptions": {/* a // b */ "paths": {"@/*": ["./src/*"],},}}'}, {}),
}  # fmt: skip


@pytest.mark.parametrize("case", ALIASES.values(), ids=ALIASES)
async def test_aliases_lead_to_the_file(tmp_path: Path, case: tuple[str, dict[str, str], dict[str, Any]]) -> None:
    module, files, aliases = case
    laid_out(tmp_path, {"app/a.ts": TAKER.replace("{}", module), "src/b.ts": "export const z = 1;\n", **files})
    assert await seen(tmp_path, ["src/b.ts"], **aliases) == [("app/a.ts", 1, "x")]
    laid_out(tmp_path, {"src/b.ts": "export const x = 1;\n"})
    assert await seen(tmp_path, ["src/b.ts"], **aliases) == []


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"extends": "./tsconfig.json"}', '{"compilerOptions": {"paths": {"@/*": 7}}}', "[" * 9000]
)
async def test_a_config_that_cannot_be_read_says_nothing(tmp_path: Path, text: str) -> None:
    laid_out(tmp_path, {"a.ts": TAKER.replace("{}", "@/b"), "b.ts": "export const z = 1;\n", "tsconfig.json": text})
    assert await seen(tmp_path) == []


@pytest.mark.parametrize("aliases", [{"@": 7}, {"": ""}, {"*": "*"}, {"@": "../../etc"}, {"**": ["/x"]}])
async def test_odd_aliases_of_the_settings_say_nothing(tmp_path: Path, aliases: dict[str, Any]) -> None:
    laid_out(tmp_path, {"a.ts": TAKER.replace("{}", "@/q"), "b.ts": "export const z = 1;\n"})
    assert await seen(tmp_path, **aliases) == []


# -- silence --------------------------------------------------------------------------------------------------------

SILENT = cases("drift_silent.txt")


@pytest.mark.parametrize("files", SILENT.values(), ids=SILENT)
async def test_what_cannot_be_known_is_silent(tmp_path: Path, files: dict[str, str]) -> None:
    laid_out(tmp_path, files)
    assert await seen(tmp_path) == []


FOUND = cases("drift_found.txt")


@pytest.mark.parametrize("title", FOUND)
async def test_what_is_plain_is_found(tmp_path: Path, title: str) -> None:
    laid_out(tmp_path, FOUND[title])
    file, line, symbol = title.partition(" -> ")[2].split()
    assert await seen(tmp_path) == [(file, int(line), symbol)]


# -- bounds ---------------------------------------------------------------------------------------------------------
async def test_odd_files_are_passed_over(tmp_path: Path) -> None:
    names = {"x": "deep", "y": "big", "z": "link"}
    laid_out(tmp_path, {"a.ts": "".join(f"import {{ {name} }} from './{file}';\n" for name, file in names.items())})
    (tmp_path / "deep.ts").write_text("export const x = " + "(" * 20_000)
    (tmp_path / "big.ts").write_text("// " + "x" * (1 << 20))
    (tmp_path / "link.ts").symlink_to("/etc/passwd")
    (tmp_path / "bytes.py").write_bytes(b"\x00\xff\xfe")
    (tmp_path / "nest.py").write_text("x = " + "[" * 5_000)
    assert [each for each in await seen(tmp_path) if each[2]] == []


async def test_a_star_of_itself_ends(tmp_path: Path) -> None:
    laid_out(tmp_path, {"a.ts": "export * from './a';\nimport { x } from './b';\n", "b.ts": "export * from './a';\n"})
    assert await seen(tmp_path) == [("a.ts", 2, "x")]
