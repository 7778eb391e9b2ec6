"""One text for one kind of error, over real outputs; what may change about an error and what may not."""

from __future__ import annotations

import importlib
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.complaint import END, Rank, complaint
from agent.signature import LONGEST, first_line, salient, salient_of, signature, signature_of
from tests.outputs import Output, outputs

NAMES = st.from_regex(r"[a-z][a-z_]{2,12}", fullmatch=True)
FOLDERS = st.lists(NAMES, min_size=1, max_size=4).map(lambda names: "/" + "/".join(names))
NUMBERS = st.integers(1, 99_999)
MODULES = ("agent.commandline", "agent.complaint", "agent.errno", "agent.errorwords", "agent.facts", "agent.intent",
           "agent.masking", "agent.openerrors", "agent.outcome", "agent.phrases", "agent.signature")  # fmt: skip


@pytest.mark.parametrize("output", outputs(), ids=lambda output: output.id)
def test_the_signature_of_a_real_output(output: Output) -> None:
    assert signature_of(output.stdout, output.stderr) == output.signature
    told = salient_of(output.stdout, output.stderr)
    assert output.salient in told
    assert len(told) <= LONGEST


FAILED = [output for output in outputs() if output.signature and output.outcome == "failed"]


@pytest.mark.parametrize("output", FAILED, ids=lambda output: output.id)
def test_a_terminal_or_carriage_returns_change_nothing(output: Output) -> None:
    dressed = "\n".join(f"\x1b[31m{line}\x1b[0m\r" for line in output.stderr.split("\n"))
    assert signature(dressed) == signature(output.stderr)


@pytest.mark.parametrize("output", [o for o in outputs() if o.locale != "C.UTF-8"], ids=lambda output: output.id)
def test_a_phrase_of_the_system_reads_the_same_in_every_locale(output: Output) -> None:
    english = {o.id: o for o in outputs()}.get(output.id.partition("-")[2])
    if english and re.search(r": (?:No such|Permission|Is a|File exists|command not|Connection)", english.signature):
        assert output.signature == english.signature


@given(FOLDERS, FOLDERS, NUMBERS, NUMBERS)
def test_another_folder_and_line_is_the_same_python_error(one: str, two: str, line: int, other: int) -> None:
    def printed(folder: str, number: int) -> str:
        return (
            f"Traceback (most recent call last):\n  File \"{folder}/a.py\", line {number}, in f\n    x\nKeyError: 'k'\n"
        )

    assert signature(printed(one, line)) == signature(printed(two, other)) == "KeyError: 'k'"


@given(FOLDERS, FOLDERS, NUMBERS, NUMBERS)
def test_another_folder_line_and_column_is_the_same_compiler_error(one: str, two: str, line: int, other: int) -> None:
    first, second = (f"{f}/m.c:{n}:{n}: error: expected ';' before '}}'" for f, n in ((one, line), (two, other)))
    assert signature(first) == signature(second) == "m.c: error: expected ';' before '}'"


@given(NUMBERS, NUMBERS, st.datetimes(), st.datetimes())
def test_another_time_and_process_is_the_same_error(pid: int, other: int, at: object, then: object) -> None:
    first, second = (
        f"{when} ERROR worker {n}: lost connection to db after {n} ms" for when, n in ((at, pid), (then, other))
    )
    assert signature(first) == signature(second) != ""


@given(st.uuids(), st.uuids(), st.integers(16**8, 16**9 - 1), st.integers(16**8, 16**9 - 1))
def test_another_id_or_address_is_the_same_error(one: object, two: object, here: int, there: int) -> None:
    first, second = (f"fatal: job {job} failed at 0x{address:x}" for job, address in ((one, here), (two, there)))
    assert signature(first) == signature(second)


@given(NAMES, NAMES)
def test_another_missing_module_is_another_error(one: str, two: str) -> None:
    for form in (
        "ModuleNotFoundError: No module named '{}'",
        "error: cannot find module '{}'",
        "bash: {}: command not found",
    ):
        assert (signature(form.format(one)) == signature(form.format(two))) is (one == two)


@pytest.mark.parametrize(
    "line",
    [
        "cat: {}: No such file or directory",
        "tail: cannot open '{}' for reading: No such file or directory",
        "bash: line 7: {}: No such file or directory",
        "ls: cannot access '{}': No such file or directory",
        "FileNotFoundError: [Errno 2] No such file or directory: '{}'",
        "Error: ENOENT: no such file or directory, open '{}'",
        "open {}: no such file or directory",
        "ls: Zugriff auf '{}' nicht möglich: Datei oder Verzeichnis nicht gefunden",
        "ls: impossible d'accéder à '{}': Aucun fichier ou dossier de ce type",
    ],
)
def test_one_missing_file_is_one_error_whoever_misses_it(line: str) -> None:
    assert signature(line.format("/srv/app/data.csv")) == "data.csv: No such file or directory"
    assert signature(line.format("$DATA")) == "$DATA: No such file or directory"


def test_temporary_names_are_masked() -> None:
    first, second = (f"cp: cannot stat '/tmp/{name}': Permission denied" for name in ("tmpa8f3kq1z", "tmpzz09_b2x"))
    assert signature(first) == signature(second) == "tmp#: Permission denied"


def test_the_exception_wins_over_the_line_of_its_caller() -> None:
    text = "make: *** [Makefile:2: test] Error 1\n"
    assert signature_of("E   KeyError: 'amount'\n\nx.py:2: KeyError\n", text) == "KeyError: 'amount'"
    assert (
        signature_of("a.ts(1,2): error TS2304: Cannot find name 'x'.", text)
        == "a.ts: error TS2304: Cannot find name 'x'"
    )


@pytest.mark.parametrize("text", ["", "\n\n", "all good\n", "0 errors, 0 warnings", "Switched to a new branch 'x'"])
def test_no_error_has_no_signature(text: str) -> None:
    assert signature(text) == ""


def test_a_line_is_quoted_even_where_none_looks_like_an_error() -> None:
    assert salient("one\ntwo\n\n") == "two"
    assert salient("") == ""
    assert len(salient("error: " + "x" * 5_000)) == LONGEST


@pytest.mark.parametrize(
    ("stderr", "line"),
    [("", ""), ("\n \n", ""), ("  a: b  \nc", "a: b"), ("\n\nfirst\nsecond", "first"), ("one", "one")],
)
def test_the_seed_counts_first_lines(stderr: str, line: str) -> None:
    assert first_line(stderr) == line


def test_only_the_two_ends_of_a_long_text_are_looked_at() -> None:
    middle = "fine\n" * END + "error: here\n" + "fine\n" * END
    assert signature(middle) == ""
    assert signature("error: here\n" + "fine\n" * END * 2) == "here"
    assert signature("fine\n" * END * 2 + "error: here\n") == "here"


@given(st.text(max_size=600))
def test_any_text_has_a_bounded_signature(text: str) -> None:
    assert len(signature(text)) <= LONGEST
    assert len(salient(text)) <= LONGEST
    assert (signature(text) == "") is (complaint(text).rank is Rank.NONE)


LONG = 100_000  # characters: a quadratic pattern takes most of a minute over them
HOSTILE = (
    "a", "A", "0", "/", "'", " '", '"', " ", ":", "a.", "a:", "1:", "a/", "./", "a ", "no ", "er", "f", " |", "(",
    "\x1b[", "0x", "a1", "f0", "1.", "a' ", "$", "http://", "E ", "npm ERR! ", "tmp_", "-", "\\", "<<a ", "\n", "{",
    " (@INC contains:", "12:12:", "2024-01-01", "é", "to a.b.", "exit ", "a(1,1", "Error", "\\'", "open(",
)  # fmt: skip


@pytest.mark.parametrize("module", MODULES)
def test_no_pattern_hangs(module: str) -> None:
    """The bound only tells a quadratic pattern from the rest, also on a busy machine."""
    patterns = [value for value in vars(importlib.import_module(module)).values() if isinstance(value, re.Pattern)]
    for pattern in patterns:
        for piece in HOSTILE:
            text = (piece * (LONG // len(piece) + 1))[:LONG]
            start = time.thread_time()
            pattern.search(text)
            assert time.thread_time() - start < 2.0, (pattern.pattern[:80], piece)


@pytest.mark.parametrize("piece", HOSTILE)
def test_no_signature_hangs(piece: str) -> None:
    start = time.thread_time()
    text = (piece * (LONG // len(piece) + 1))[:LONG]
    signature("error: " + text)
    salient(text)
    assert time.thread_time() - start < 1.0
