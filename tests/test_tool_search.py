"""Tool search over ripgrep and over what stands in for it: one contract, and what each is told."""

from __future__ import annotations

import asyncio
import os
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.errors import ToolError
from agent.ports import Result
from agent.steps import Outcome
from agent.tools import _searching
from agent.tools import search as module
from agent.tools._hits import SHOWN
from agent.tools._paths import locate
from agent.tools.search import LONGEST, MOST, ROOM, Search, tool
from tests.fakes.calls import arguments, context

RG = _searching.ripgrep()
needs_rg = pytest.mark.skipif(RG is None, reason="ripgrep is not installed")
BOTH = [pytest.param("rg", marks=needs_rg), "walker"]


@pytest.fixture(params=BOTH)
def searcher(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    name: str = request.param
    if name == "walker":
        monkeypatch.setattr(_searching, "ripgrep", lambda: None)
    return name


@pytest.fixture
def at(tmp_path: Path, searcher: str) -> Path:
    return tmp_path


def put(folder: Path, **files: str | bytes) -> None:
    """Files by name, with __ for / and _d_ for a dot."""
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_d_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


async def search(
    folder: Path, pattern: str, cwd: Path | None = None, forbidden: tuple[str, ...] = (), **f: object
) -> Result:
    call = context(folder, cwd=str(cwd or folder), forbidden=forbidden)
    return await tool.run(call, arguments(tool, pattern=pattern, **f))


async def found(folder: Path, pattern: str, **fields: object) -> list[str]:
    """The matching lines alone."""
    text = (await search(folder, pattern, **fields)).text
    return [line for line in text.splitlines()[1:] if not line.startswith("[")]


# -- which lines ----------------------------------------------------------------------------------------------------
LINES = "def foo():\n    return 1\nDEF Foo\n\nfoo.bar(a+b)\nćwieć žluťoučký 🦊 x\n\ttab\n"


@pytest.mark.parametrize(
    ("pattern", "more", "lines"),
    [
        ("foo", {}, [1, 5]),
        ("foo", {"ignore_case": True}, [1, 3, 5]),
        ("^def", {}, [1]),
        (r"\)$", {}, [5]),
        ("^$", {}, [4]),
        (r"foo\.bar", {}, [5]),
        ("a+b", {}, [7]),
        ("a+b", {"fixed": True}, [5]),
        (r"\bfoo\b", {}, [1, 5]),
        (r"(?i)def", {}, [1, 3]),
        ("🦊", {}, [6]),
        (r"\w+ý", {}, [6]),
        ("ŽLUŤOUČKÝ", {"ignore_case": True}, [6]),
        (r"\t", {}, [7]),
        (r"return(?= 1)", {}, [2]),
        (r"(o)\1", {}, [1, 3, 5]),
        ("-e", {}, []),
        ("--", {"fixed": True}, []),
        (r"[(]", {}, [1, 5]),
        ("(", {"fixed": True}, [1, 5]),
        (r"\\n", {}, []),
        (r"\n", {"fixed": True}, []),
        ("x" * LONGEST, {}, []),
    ],
)
async def test_the_lines_that_match(at: Path, pattern: str, more: dict[str, object], lines: list[int]) -> None:
    put(at, a_d_py=LINES)
    assert [line.split(":")[1] for line in await found(at, pattern, **more)] == [str(number) for number in lines]


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("(", r"missing \), unterminated subpattern at position 0"),
        ("a[b", "unterminated character set at position 1"),
        ("*x", "nothing to repeat at position 0"),
        (r"a{2,1}", "position"),
        ("", "empty"),
        ("a\nb", "line break"),
        (r"a\nb", "line break"),
        (r"\\\n", "line break"),
        ("x" * (LONGEST + 1), "longer than"),
        ("a\0", "NUL"),
    ],
)
async def test_a_bad_pattern_is_told_with_its_place(at: Path, pattern: str, words: str) -> None:
    put(at, a="x")
    with pytest.raises(ToolError, match=words):
        await search(at, pattern)


# -- which files ----------------------------------------------------------------------------------------------------
TREE = {
    "a_d_py": "x", "b_d_ts": "x", "c_d_tsx": "x", "src__d_d_py": "x", "src__deep__e_d_py": "x", "_d_env": "x",
    "_d_github__w_d_yml": "x", "_d_git__config": "x", "_d_jarvis__out__c1_d_stdout": "x", "build__f_d_py": "x",
    "g_d_log": "x", "sub__h_d_log": "x", "sub__i_d_keep": "x", "deny__j_d_py": "x",
    "_d_gitignore": "build/\n*.log\n/deny\n", "sub___d_gitignore": "!h.log\n",
}  # fmt: skip
ALL = [
    ".env", ".github/w.yml", "a.py", "b.ts", "c.tsx", "src/d.py", "src/deep/e.py", "sub/h.log", "sub/i.keep",
]  # fmt: skip


@pytest.mark.parametrize(
    ("glob", "files"),
    [
        (None, ALL),
        ("*.py", ["a.py", "src/d.py", "src/deep/e.py"]),
        ("*.{ts,tsx}", ["b.ts", "c.tsx"]),
        ("src/*.py", ["src/d.py"]),
        ("./src/*.py", ["src/d.py"]),
        ("src/**/*.py", ["src/d.py", "src/deep/e.py"]),
        ("src/", ["src/d.py", "src/deep/e.py"]),
        ("/*.py", ["a.py"]),
        ("!*.py", [".env", ".github/w.yml", "b.ts", "c.tsx", "sub/h.log", "sub/i.keep"]),
        ("*.log", ["g.log", "sub/h.log"]),
        (".git/config", []),
        ("**", [*ALL, "g.log", "build/f.py", "deny/j.py"]),
        ("nothing*", []),
    ],
)
async def test_the_files_that_are_looked_into(at: Path, glob: str | None, files: list[str]) -> None:
    put(at, **TREE)
    lines = await found(at, "x", **({"glob": glob} if glob else {}))
    assert sorted(line.split(":")[0] for line in lines) == sorted(files)


async def test_the_order_is_that_of_the_names_and_always_the_same(at: Path) -> None:
    put(at, b="x", a__z="x", B="x", a__y="x", a_d_b="x")
    assert [line.split(":")[0] for line in await found(at, "x")] == ["B", "a/y", "a/z", "a.b", "b"]
    assert await found(at, "x") == await found(at, "x")


@pytest.mark.parametrize(
    ("repository", "path", "files"),
    [
        ("", "sub", ["keep.py"]),
        ("", "out", ["a.py"]),  # asked for by name
        ("", "out/low", ["b.py"]),
        ("sub", "sub", ["keep.py", "x.tmp"]),  # the rules of another repository don't reach in
    ],
)
async def test_rules_of_folders_above_hold_unless_the_folder_is_asked_for(
    at: Path, repository: str, path: str, files: list[str]
) -> None:
    put(at, _d_gitignore="*.tmp\nout/\n", sub__x_d_tmp="x", sub__keep_d_py="x", out__a_d_py="x", out__low__b_d_py="x")
    (at / repository / ".git").mkdir(exist_ok=True) if repository else None
    lines = await found(at, "x", path=path)
    names = [line.split(":")[0].removeprefix(f"{path}/") for line in lines]
    assert [name for name in names if "/" not in name] == files


async def test_one_file_is_searched_whatever_is_ignored(at: Path) -> None:
    put(at, _d_gitignore="*.log", a_d_log="one\ntwo\n", b_d_log="two\n")
    assert await found(at, "two", path="a.log") == ["a.log:2: two"]
    assert await found(at, "two", path=str(at / "a.log")) == [f"{at}/a.log:2: two"]


async def test_paths_are_told_as_other_tools_take_them(at: Path) -> None:
    put(at, src__a_d_py="x")
    assert await found(at, "x", path="src") == await found(at, "x", path="src/") == ["src/a.py:1: x"]
    assert await found(at, "x", path=str(at)) == [f"{at}/src/a.py:1: x"]
    assert await found(at, "x", cwd=at / "src", path="..") == ["../src/a.py:1: x"]
    assert await found(at, "x", cwd=at / "src") == ["a.py:1: x"]


async def test_links_lead_nowhere_but_the_path_itself_is_followed(
    at: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    put(outside, secret="x")
    (at / "link").symlink_to(outside)
    (at / "file").symlink_to(outside / "secret")
    (at / "loop").symlink_to(at)
    os.mkfifo(at / "pipe")
    put(at, a="x")
    assert await found(at, "x") == ["a:1: x"]
    assert await found(at, "x", path="link") == ["link/secret:1: x"]


async def test_our_own_state_is_out_of_reach_and_left_out(at: Path) -> None:
    put(at, home__jarvis_d_db="x", home2__a="x", b="x", od__d__c="x")
    (at / "odd*[x]{a}").mkdir()
    put(at / "odd*[x]{a}", secret="x")
    own = (str(at / "home"), str(at / "odd*[x]{a}"))
    assert await found(at, "x", forbidden=own) == ["b:1: x", "home2/a:1: x", "od/d/c:1: x"]
    assert await found(at, "x", forbidden=own, glob="**") == ["b:1: x", "home2/a:1: x", "od/d/c:1: x"]
    for path in ("home", "home/jarvis.db"):
        with pytest.raises(ToolError, match="own state"):
            await search(at, "x", forbidden=own, path=path)


@pytest.mark.parametrize("path", ["/proc", "/proc/self/environ", "/sys", "/dev", "/dev/zero", "/proc/1"])
async def test_what_is_no_file_on_a_disk_is_refused(at: Path, path: str) -> None:
    with pytest.raises(ToolError):
        await search(at, "x", path=path)


@pytest.mark.parametrize(
    ("path", "words"), [("nosuch", "There is no"), ("pipe", "neither a folder nor"), ("", "path is empty")]
)
async def test_a_path_that_can_t_be_searched(at: Path, path: str, words: str) -> None:
    os.mkfifo(at / "pipe")
    with pytest.raises(ToolError, match=words):
        await search(at, "x", path=path)


@pytest.mark.parametrize("glob", ["[a", "{a,b}" * 6, "x" * 1001])
async def test_a_glob_that_means_nothing_usable(at: Path, glob: str) -> None:
    put(at, a="x")
    try:
        told = await search(at, "x", glob=glob)
    except ToolError as error:
        assert "glob" in str(error)
    else:
        assert "the glob fits no file" in told.text


# -- odd content ----------------------------------------------------------------------------------------------------
async def test_binary_files_are_left_out(at: Path) -> None:
    put(at, early=b"x\0x", late=b"x\n" + b"y\n" * 60_000 + b"\0", text=b"x")
    told = await search(at, "x")
    assert told.text.splitlines()[1] == "text:1: x"
    put(at, only=b"needle\0")
    assert (await search(at, "needle", path="only")).outcome is Outcome.ANSWERED_NO


async def test_other_encodings_and_line_ends(at: Path) -> None:
    put(at, a=b"one needle\r\ntwo\r\n", b=b"caf\xe9 needle\n", c=b"\xef\xbb\xbfneedle", d="needle ž".encode("utf-16"))
    assert await found(at, "needle") == ["a:1: one needle", "b:1: caf\\xe9 needle", "c:1: needle", "d:1: needle ž"]
    assert await found(at, "needle$") == ["a:1: one needle", "b:1: caf\\xe9 needle", "c:1: needle"]
    assert await found(at, "^needle") == ["c:1: needle", "d:1: needle ž"]


async def test_odd_names_stay_on_one_line(at: Path) -> None:
    names = [b"new\nline", b"\xff\xfe", b"-dash", "ž 🦊".encode(), b"x" * 255]
    for name in names:
        Path(os.fsdecode(os.path.join(os.fsencode(at), name))).write_text("needle")
    lines = await found(at, "needle")
    assert [line.split(":")[0] for line in lines] == ["-dash", "new\\nline", "x" * 255, "ž 🦊", "\\xff\\xfe"]


@pytest.mark.parametrize("place", ["start", "middle", "end"])
async def test_a_long_line_is_cut_around_its_match(at: Path, place: str) -> None:
    fill = "ž" * 5000
    put(at, a={"start": f"needle{fill}", "middle": f"{fill}needle{fill}", "end": f"{fill}needle"}[place])
    (line,) = await found(at, "needle")
    shown = line.removeprefix("a:1: ").partition(" [line of")[0]
    assert "needle" in shown
    assert SHOWN <= len(shown) <= SHOWN + 2
    assert shown.startswith("…") == (place != "start")
    assert shown.endswith("…") == (place != "end")


@pytest.mark.parametrize(("length", "cut"), [(SHOWN - 1, False), (SHOWN, False), (SHOWN + 1, True)])
async def test_a_line_that_just_fits(at: Path, length: int, cut: bool) -> None:
    put(at, a="x" * length)
    (line,) = await found(at, "x")
    assert ("[line of" in line) is cut


async def test_a_match_of_a_whole_long_line(at: Path) -> None:
    put(at, a="x" * 100_000)
    (line,) = await found(at, "x+")
    assert len(line) < SHOWN + 60


async def test_a_line_of_ten_megabytes(at: Path) -> None:
    put(at, a=b"y" * 10_000_000 + b"\nneedle\n", b=b"needle" + b"y" * 10_000_000)
    lines = await found(at, "needle")
    assert lines[0] == "a:2: needle"


# -- bounds ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("matches", "most", "more"), [(4, 5, False), (5, 5, False), (6, 5, True), (99, 1, True)])
async def test_more_matches_than_wanted_are_told(at: Path, matches: int, most: int, more: bool) -> None:
    put(at, a="x\n" * matches)
    told = await search(at, "x", max=most)
    assert len(await found(at, "x", max=most)) == min(matches, most)
    assert ("there are more" in told.text.splitlines()[0]) is more
    assert told.details.endswith("+") is more


async def test_the_output_is_bounded_in_size(at: Path) -> None:
    put(at, a="x" * 190 + "\n" + ("x" * 190 + "\n") * MOST)
    told = await search(at, "x")
    assert len(told.text) <= ROOM + 4_000
    assert "there are more" in told.text


@pytest.mark.parametrize("pattern", ["(x+x+)+y", "(a|aa)+$"])
async def test_a_pattern_without_an_end_holds_up_nobody(
    at: Path, searcher: str, pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(at, a="x" * 60 + "a" * 60 + "!")
    monkeypatch.setattr("agent.tools.search.Searching", lambda *args: _searching.Searching(*args, patience_s=1.0))
    longest = await _longest_pause(lambda: search(at, pattern))
    assert longest < 0.9


async def test_a_search_that_takes_too_long_says_so(at: Path, searcher: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if searcher == "rg":
        pytest.skip("ripgrep has no such pattern")
    put(at, a="first\n", b="x" * 60)
    monkeypatch.setattr("agent.tools.search.Searching", lambda *args: _searching.Searching(*args, patience_s=1.0))
    told = await search(at, "first|(x+x+)+y")
    assert told.text.splitlines()[1] == "a:1: first"
    assert "without having seen all" in told.text
    assert (await search(at, "(x+x+)+y")).outcome is Outcome.OK


async def test_a_stop_ends_the_searcher(at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_searching, "ripgrep", lambda: None)
    put(at, a="x" * 60)
    work = asyncio.create_task(search(at, "(x+x+)+y"))
    await asyncio.sleep(0.5)
    began = time.monotonic()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert time.monotonic() - began < 8


async def _longest_pause(work: Callable[[], object]) -> float:
    task = asyncio.ensure_future(work())  # type: ignore[arg-type]
    longest, last = 0.0, time.monotonic()
    while not task.done():
        await asyncio.sleep(0.01)
        longest, last = max(longest, time.monotonic() - last), time.monotonic()
    await task
    return longest


# -- what is told ---------------------------------------------------------------------------------------------------
async def test_no_match_is_an_answer(at: Path) -> None:
    put(at, a_d_py="x", b_d_py="x")
    told = await search(at, "needle")
    assert (told.outcome, told.details) == (Outcome.ANSWERED_NO, "no match")
    assert told.text == f'No match for "needle" in {at} (2 files).'
    nowhere = await search(at, "x", glob="*.rs")
    assert nowhere.text.splitlines()[1] == "[the glob fits no file here, or only ignored folders have such files]"


async def test_names_that_hold_a_variable_are_pointed_out(at: Path) -> None:
    put(at / "$HOME", a="x")
    put(at / "out", b="x")
    assert "literal $HOME: that is the name itself" in (await search(at, "x")).text
    assert "literal $HOME: that is the name itself" in (await search(at, "nothing", path="$HOME")).text
    assert "literal" not in (await search(at, "x", path="out")).text


async def test_the_same_search_gives_the_same_text(at: Path) -> None:
    put(at, **{f"f{n}": "x\n" * 3 for n in range(50)})
    assert (await search(at, "x")).text == (await search(at, "x")).text


# -- both alike -----------------------------------------------------------------------------------------------------
NAMES = st.sampled_from(["a", "b.py", "c.log", "build", "out", ".x"])
RULE = st.sampled_from(
    ["a", "*.py", "*.log", "build/", "/out", "!b.py", "out/*", "**/a", "# a", "", "\\#", "a b", "*/c.log"]
)


@needs_rg
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    paths=st.lists(st.lists(NAMES, min_size=1, max_size=4), min_size=1, max_size=12),
    rules=st.dictionaries(st.sampled_from(["", "a", "build", "out/a"]), st.lists(RULE, max_size=4), max_size=3),
    globs=st.lists(st.sampled_from(["*.py", "a", "!*.log", "/build/**", "out/*", "!build/"]), max_size=2),
)
def test_both_find_the_same(
    tmp_path: Path, paths: list[list[str]], rules: dict[str, list[str]], globs: list[str]
) -> None:
    root = Path(subprocess.check_output(["mktemp", "-d", "-p", str(tmp_path)], text=True).strip())
    for parts in paths:
        path = root.joinpath(*parts)
        if not path.exists() and not any(parent.is_file() for parent in path.parents):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("needle\n")
    for folder, lines in rules.items():
        if (root / folder).is_dir():
            (root / folder / ".gitignore").write_text("\n".join(lines))
    wanted = _searching.Wanted("needle", (*globs, "!.git", "!.jarvis"))
    here = os.open(root, os.O_PATH | os.O_DIRECTORY)
    try:
        results = []
        for argv in (_searching.rg(str(RG), wanted), _searching.walker(wanted)):
            searching = _searching.Searching(wanted, MOST, ROOM)
            results.append([hit.path for hit in searching._run(argv, here).hits])
    finally:
        os.close(here)
    assert results[0] == results[1]


async def test_the_path_is_looked_up_beside_the_event_loop(at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a network drive whose server is gone that never comes back."""
    threads: list[threading.Thread] = []

    def noted(*args: Any, **more: Any) -> str:
        threads.append(threading.current_thread())
        return locate(*args, **more)

    monkeypatch.setattr(module, "locate", noted)
    await tool.run(context(at), Search(pattern="x"))
    assert threads and threading.main_thread() not in threads
