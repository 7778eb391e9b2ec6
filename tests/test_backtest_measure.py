"""From files to rows: rules by name, the wholes nudge and halt, panels, faults, and the same figures every time."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from agent.backtest import Row, as_json, chosen, seated, table
from agent.backtest import measure as measured
from agent.backtest.replay import replay, rules
from agent.backtest.runs import Run, _call
from agent.catalogue import files_of
from agent.errors import ConfigError
from agent.ports import Nudge
from agent.steps import Finished, Level, Proposed, Step
from bot.cli import cli
from tests.fakes.runs import recorded, row, written

LOOP = [{"args": "make"}] * 6
PLAIN = [{"args": str(number), "output": str(number)} for number in range(6)]


@dataclass
class Speaker:
    """Says its level on each call whose command holds its word."""

    word: str
    level: Level = Level.NOTE
    event: str = "nudge"
    name: str = "speaker"
    strict: bool = False
    on: type[Step] = Proposed

    def observe(self, step: Step) -> Nudge | None:
        if isinstance(step, self.on) and isinstance(step, Proposed) and self.word in step.call.arguments:
            return Nudge(self.level, "x", event=self.event)
        return None


@dataclass
class Raiser:
    name: str = "raiser"
    strict: bool = False

    def observe(self, step: Step) -> Nudge | None:
        if isinstance(step, Finished):
            raise RuntimeError("a bug")
        return None


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rows = [
        row("1", "failure", LOOP),
        row("2", "failure", PLAIN),
        row("3", "success", PLAIN),
        row("4", "unknown", LOOP),
    ]
    return written(tmp_path / "loops.cc.jsonl.gz", rows)


def run(*commands: str) -> Run:
    return Run("1", "plain", "", False, tuple(_call(recorded(args=each)) for each in commands))


def rows_by(rows: list[Row]) -> dict[tuple[str, str], Row]:
    return {(each.panel, each.rule): each for each in rows}


def measure(files: list[Path], *panels: str) -> list[Row]:
    return measured(files, {panel: seated(panel) for panel in panels}, quiet)


def quiet(told: str) -> None:
    raise AssertionError(told)


# -- replay ---------------------------------------------------------------------------------------------------------
def test_the_calls_on_which_a_rule_spoke_are_numbered_from_one() -> None:
    seen = replay(run("1", "2", "1"), "baseline", [Speaker("1")])
    assert (seen.length, seen.spoke["speaker"], seen.spoke["nudge"]) == (3, [1, 3], [1, 3])


@pytest.mark.parametrize(
    ("panel", "name", "event", "level", "nudge", "halt"),
    [
        ("ours", "loops", "nudge.loop", Level.NOTE, True, False),
        ("ours", "loops", "nudge.loop", Level.STOP, True, True),
        ("seed", "seed", "nudge.repeated", Level.NOTE, True, False),
        ("ours", "failure", "nudge.failure", Level.NOTE, False, False),
        ("ours", "sticky", "sticky.surfaced", Level.NOTE, False, False),
        ("ours", "budget", "budget.notice", Level.NOTE, False, False),
        ("ours", "budget", "budget.stop", Level.STOP, False, True),
        ("baseline", "anything", "baseline.x", Level.NOTE, True, False),
    ],
)
def test_what_counts_as_nudge_and_as_halt(
    panel: str, name: str, event: str, level: Level, nudge: bool, halt: bool
) -> None:
    seen = replay(run("a"), panel, [Speaker("a", level, event, name)])
    assert ("nudge" in seen.spoke, "halt" in seen.spoke) == (nudge, halt)


def test_a_rule_goes_by_its_event_and_knows_its_speaker() -> None:
    guards = [Speaker("a", event="nudge.loop", name="iteration")]
    seen = replay(run("a"), "seed", guards)
    assert rules([seen], guards) == {"iteration": "iteration", "loops": "iteration", "nudge": "", "halt": ""}


def test_two_rules_on_one_call_are_one_nudge() -> None:
    guards = [Speaker("a", name="loops"), Speaker("a", name="streak")]
    assert replay(run("a"), "ours", guards).spoke["nudge"] == [1]


def test_each_run_meets_a_fresh_panel(file: Path) -> None:
    once = rows_by(measure([file], "baseline"))
    twice = rows_by(measure([file, file], "baseline"))
    assert once["baseline", "repeat_3"].failed.percent == twice["baseline", "repeat_3"].failed.percent == 50


# -- rows -----------------------------------------------------------------------------------------------------------
def test_the_figures_of_a_rule(file: Path) -> None:
    (source,) = {each.source for each in measure([file], "baseline")}
    found = rows_by(measure([file], "baseline"))["baseline", "repeat_3"]
    assert source == "loops"
    assert (found.failed.hits, found.failed.runs, found.success.hits, found.success.runs) == (1, 2, 0, 1)
    assert (found.gap, found.per100, found.first) == (pytest.approx(50), 0, 3)
    assert found.us_mean is not None and found.us_p99 is not None and found.us_mean > 0


def test_panel_none_says_nothing(file: Path) -> None:
    rows = measure([file], "none")
    assert {each.rule for each in rows} >= {"nudge", "halt"}
    assert all(each.failed.hits == each.success.hits == 0 for each in rows)


def test_a_guard_that_raises_is_told_and_counts_as_silent(file: Path) -> None:
    told: list[str] = []
    rows = measured([file], {"ours": [Raiser()]}, told.append)
    assert told == ["Guards of panel ours raised 24 times on loops; where they did they count as silent."]
    assert rows_by(rows)["ours", "raiser"].failed.hits == 0


def test_two_runs_give_the_same_figures_but_for_the_costs(file: Path) -> None:
    first, second = (measure([file], "ours", "baseline") for _ in "ab")
    assert [replace(each, us_mean=0, us_p99=0) for each in first] == [
        replace(each, us_mean=0, us_p99=0) for each in second
    ]


# -- panels ---------------------------------------------------------------------------------------------------------
def test_the_baseline_is_no_part_of_ours() -> None:
    peers = set(files_of("agent.guards.baseline"))
    assert {guard.name for guard in seated("baseline")} == peers and len(peers) == 9
    assert peers.isdisjoint(files_of("agent.guards")) and peers.isdisjoint(guard.name for guard in seated("ours"))


@pytest.mark.parametrize(("names", "panels"), [("ours", ["ours"]), (" Seed, none,seed", ["seed", "none"])])
def test_panels_are_chosen_by_name(names: str, panels: list[str]) -> None:
    assert chosen(names) == panels


@pytest.mark.parametrize(
    ("names", "why"), [("peers", "no panel 'peers'"), (",", "No panel is named"), ("", "No panel")]
)
def test_an_unknown_panel_is_refused(names: str, why: str) -> None:
    with pytest.raises(ConfigError, match=rf"{why}.*ours, seed, none, baseline"):
        chosen(names)


# -- what is printed ------------------------------------------------------------------------------------------------
def test_json_has_the_promised_shape(file: Path) -> None:
    got = json.loads(as_json(measure([file], "none", "baseline")))
    assert set(got) == {"none", "baseline"} and set(got["baseline"]) == {"loops"}
    rules_of = got["baseline"]["loops"]
    assert {"nudge", "halt", "repeat_3"} <= set(rules_of)
    assert {"failed", "success", "gap", "per100", "first", "us_mean", "us_p99"} <= set(rules_of["nudge"])
    assert (rules_of["repeat_3"]["failed"], rules_of["repeat_3"]["success"]) == (50, 0)


def test_the_table_is_aligned_and_has_a_dash_for_nothing(tmp_path: Path) -> None:
    unknown = written(tmp_path / "x.jsonl", [row("1", "unknown", PLAIN)])
    lines = table(measure([unknown], "none")).splitlines()
    assert lines[0].split()[:3] == ["panel", "source", "rule"]
    assert [line.index(" x ") for line in lines[1:]] == [lines[0].index(" source")] * (len(lines) - 1)
    assert "-" in lines[1].split()


def test_the_command_prints_json_and_warns_on_stderr(file: Path) -> None:
    bad = written(file.parent / "b.jsonl", ["junk", row("1", "success", PLAIN)])
    result = CliRunner().invoke(cli, ["backtest", str(file), str(bad), "--panel", "baseline", "--json"])
    assert result.exit_code == 0
    assert set(json.loads(result.stdout)["baseline"]) == {"loops", "b"}
    assert result.stderr == "b.jsonl: 1 line is no run and is left out.\n"


def test_the_command_prints_a_table(file: Path) -> None:
    result = CliRunner().invoke(cli, ["backtest", str(file), "--panel", "none"])
    assert result.exit_code == 0 and result.stdout.splitlines()[0].startswith("panel")
