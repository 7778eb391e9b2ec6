"""The reader of recorded runs: what it takes, what it leaves out, and how it says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.backtest.runs import Run, read, source_of
from agent.errors import ConfigError
from tests.fakes.runs import row, written


def taken(file: Path) -> tuple[list[Run], list[str]]:
    told: list[str] = []
    return list(read(file, told.append)), told


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_plain_and_gzip_are_read_alike(tmp_path: Path, name: str) -> None:
    file = written(tmp_path / name, [row("1", "success", [{}]), row("2", "failure", [{}, {}])])
    runs, told = taken(file)
    assert [(run.id, run.success, len(run.calls)) for run in runs] == [("1", True, 1), ("2", False, 2)]
    assert told == []


def test_an_unknown_outcome_has_no_label(tmp_path: Path) -> None:
    runs, _ = taken(written(tmp_path / "a.jsonl", [row("1", "unknown", []), row("2", "", [])]))
    assert [run.success for run in runs] == [None, None]


def test_a_call_is_read_whole(tmp_path: Path) -> None:
    call = {"tool": "sql", "args": {"b": 1, "a": 2}, "ok": False, "ok_from": "derived", "exit_code": 1, "out_len": 9}
    (run,), _ = taken(written(tmp_path / "a.jsonl", [row("1", "success", [call])]))
    (read_back,) = run.calls
    assert (read_back.tool, read_back.args, read_back.ok) == ("sql", '{"a": 2, "b": 1}', False)
    assert (read_back.reported, read_back.exit_code, read_back.out_len) == (False, 1, 9)


@pytest.mark.parametrize(
    "bad", ["{", "[]", "null", '{"id": 1}', '{"id": 1, "calls": [{}]}', '{"id": 1, "calls": 5}', "7"]
)
def test_a_line_that_is_no_run_is_left_out_and_counted(tmp_path: Path, bad: str) -> None:
    runs, told = taken(written(tmp_path / "a.jsonl", [row("1", "success", []), bad, "", row("2", "failure", [])]))
    assert [run.id for run in runs] == ["1", "2"]
    assert told == ["a.jsonl: 1 line is no run and is left out."]


def test_several_bad_lines_are_counted(tmp_path: Path) -> None:
    _, told = taken(written(tmp_path / "a.jsonl", ["x", row("1", "success", []), "y"]))
    assert told == ["a.jsonl: 2 lines are no runs and are left out."]


def test_a_file_that_breaks_off_gives_what_came_before(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl.gz", [row(str(n), "success", [{"args": str(n * 7919)}]) for n in range(4000)])
    file.write_bytes(file.read_bytes()[:-2000])
    runs, told = taken(file)
    assert 0 < len(runs) < 4000
    assert told[0].startswith(f"a.jsonl.gz breaks off after {len(runs)} runs")


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\x1f\x8b", b"\xff\xfe\x00", b"sealed"])
def test_a_file_without_a_run_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "held.sealed"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=r"held\.sealed holds no recorded run"):
        taken(file)


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.jsonl can't be read \(No such file"):
        taken(tmp_path / "nowhere.jsonl")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="can't be read"):
        taken(tmp_path)


@pytest.mark.parametrize(
    ("name", "source"),
    [("a.jsonl.gz", "a"), ("mlgym.cc-by-nc.jsonl.gz", "mlgym"), ("tau-bench.x", "tau-bench"), ("a", "a")],
)
def test_a_source_is_the_name_up_to_its_first_dot(name: str, source: str) -> None:
    assert source_of(Path("folder.d") / name) == source
