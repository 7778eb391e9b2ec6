"""Plug-ins: each file offers exactly one well-formed thing, and a broken one is named."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

import pytest

from agent import catalogue
from agent.errors import ConfigError
from agent.settings import Settings, load

NUMBERS = count()
TOOL = """
from pydantic import BaseModel
class Arguments(BaseModel): pass
class T:
    name = "{name}"
    effect = "{effect}"
    description = "{description}"
    arguments = {arguments}
    {run} run(self, call, args): ...
tool = {offer}
"""
GUARD = """
from dataclasses import dataclass
@dataclass
class G:
    name: str = "{name}"
    strict: bool = {strict}
    turns: int = 1
    mode: str = "none"
    at: int = 0
    {keyword} observe(self, step): ...
guard = {offer}
"""
PROBE = """
class P:
    name = "{name}"
    timeout_s = {timeout}
    {keyword} look(self, session, args): ...
probe = P()
"""


def package(folder: Path, monkeypatch: pytest.MonkeyPatch, **files: str) -> str:
    """A package of these files on the import path; its name."""
    name = f"plugins_{next(NUMBERS)}"
    (folder / name).mkdir()
    for file, source in {"__init__": "", **files}.items():
        (folder / name / f"{file}.py").write_text(source)
    monkeypatch.syspath_prepend(folder)
    return name


def tool(**changes: str) -> str:
    plain = {"name": "x", "effect": "read", "description": "d", "arguments": "Arguments", "run": "async def"}
    return TOOL.format(**{**plain, "offer": "T()", **changes})


def guard(**changes: str) -> str:
    return GUARD.format(**{"name": "x", "strict": "False", "keyword": "def", "offer": "G", **changes})


def probe(**changes: str) -> str:
    return PROBE.format(**{"name": "x", "timeout": "1.0", "keyword": "async def", **changes})


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load({"HOME": str(tmp_path), "JARVIS_RUN__TURNS": "9", "JARVIS_RUN__MODE": "ask"}).settings


# -- what is built in -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", catalogue.files_of(catalogue.TOOLS))
def test_each_tool_file_offers_one_tool(name: str) -> None:
    assert [t.name for t in catalogue.tools()].count(name) == 1


@pytest.mark.parametrize("name", catalogue.files_of(catalogue.GUARDS))
def test_each_guard_file_offers_one_guard(name: str, settings: Settings) -> None:
    assert [g.name for g in catalogue.guards(settings)].count(name) == 1


@pytest.mark.parametrize("name", catalogue.files_of(f"{catalogue.GUARDS}.seed"))
def test_each_guard_file_of_panel_seed_offers_one_guard(name: str) -> None:
    settings = load({"HOME": "/nonexistent", "JARVIS_GUARDS__PANEL": "seed"}).settings
    assert [g.name for g in catalogue.guards(settings)].count(name) == 1


def test_each_probe_file_offers_one_probe() -> None:
    assert [p.name for p in catalogue.probes()] == list(catalogue.files_of(catalogue.PROBES))


def test_the_order_is_stable() -> None:
    assert [t.name for t in catalogue.tools()] == sorted(t.name for t in catalogue.tools())


def test_channels_are_known_by_name_and_not_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "bot.channels.telegram", raising=False)
    assert "telegram" in catalogue.channels()
    assert "bot.channels.telegram" not in sys.modules


# -- how guards get their settings ----------------------------------------------------------------------------------
def test_a_guards_fields_come_from_its_section_and_from_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    name = package(tmp_path, monkeypatch, repeated=guard(name="repeated"), x=guard())
    repeated, plain = catalogue.guards(settings, name)
    assert (vars(repeated)["turns"], vars(repeated)["mode"], vars(repeated)["at"]) == (9, "ask", 3)
    assert vars(plain)["at"] == 0


@pytest.mark.parametrize(
    ("environ", "strict", "seated"),
    [
        ({}, "False", True),
        ({"JARVIS_GUARDS__REPEATED__ENABLED": "off"}, "False", False),
        ({"JARVIS_GUARDS__PANEL": "none"}, "False", False),
        ({"JARVIS_GUARDS__REPEATED__ENABLED": "off"}, "True", True),
        ({"JARVIS_GUARDS__PANEL": "none"}, "True", True),
    ],
)
def test_who_sits_on_the_panel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], strict: str, seated: bool
) -> None:
    name = package(tmp_path, monkeypatch, repeated=guard(name="repeated", strict=strict))
    loaded = load({"HOME": str(tmp_path), **environ})
    assert bool(catalogue.guards(loaded.settings, name)) is seated


ON_PANELS = {
    "ours": ["budget ours", "policy ours", "repeated ours"],
    "seed": ["budget ours", "policy ours", "repeated seed"],
    "none": ["budget ours", "policy ours"],
}


@pytest.mark.parametrize(
    ("environ", "gone"),
    [
        ({}, ""),
        ({"JARVIS_GUARDS__REPEATED__ENABLED": "off"}, "repeated"),
        ({"JARVIS_GUARDS__BUDGET__ENABLED": "off"}, "budget"),
        ({"JARVIS_GUARDS__POLICY__ENABLED": "off"}, "nobody: it is strict"),
    ],
)
@pytest.mark.parametrize("panel", list(ON_PANELS))
def test_each_panel_seats_its_own_and_a_switch_works_on_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, panel: str, environ: dict[str, str], gone: str
) -> None:
    names = {"budget": "False", "policy": "True", "repeated": "False"}
    name = package(tmp_path, monkeypatch, **{n: guard(name=n, strict=strict) for n, strict in names.items()})
    (tmp_path / name / "seed").mkdir()
    (tmp_path / name / "seed" / "__init__.py").write_text("")
    (tmp_path / name / "seed" / "repeated.py").write_text(guard(name="repeated"))
    loaded = load({"HOME": str(tmp_path), "JARVIS_GUARDS__PANEL": panel, **environ})
    found = [f"{g.name} {type(g).__module__.split('.')[-2]}" for g in catalogue.guards(loaded.settings, name)]
    assert [each.replace(name, "ours") for each in found] == [
        each for each in ON_PANELS[panel] if not each.startswith(gone or "-")
    ]


def test_the_figures_of_panel_seed_can_be_set() -> None:
    figures = {"JARVIS_GUARDS__STREAK__AT": "5", "JARVIS_GUARDS__REPEATED__AT": "4"}
    loaded = load({"HOME": "/nonexistent", "JARVIS_GUARDS__PANEL": "seed", **figures})
    seated = {g.name: g for g in catalogue.guards(loaded.settings)}
    assert [getattr(seated[name], "at", None) for name in ("streak", "repeated", "loops")] == [5, 4, 3]


# -- what is dropped in ---------------------------------------------------------------------------------------------
def test_parts_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = package(tmp_path, monkeypatch, _part="raise RuntimeError", x=tool(offer="T"))
    assert [t.name for t in catalogue.tools(name)] == ["x"]


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("def", "can't be loaded (SyntaxError"),
        ("import no_such_library_at_all", "can't be loaded (ModuleNotFoundError"),
        ("raise RuntimeError('boom')", "can't be loaded (RuntimeError: boom)"),
        ("", "offers no `tool`"),
        ("guard = 1", "offers no `tool`, but a `guard`"),
        ("class tool:\n    def __init__(self, x): ...", "can't be made (TypeError"),
        ("tool = None", "has no legal `name`"),
        (tool(name="a b"), "has no legal `name`"),
        (tool(name="y"), "is named 'y'"),
        (tool(effect="both"), "neither read nor write"),
        (tool(description=" "), "has no `description`"),
        (tool(arguments="dict"), "no pydantic model"),
        (tool(run="def"), "has no async `run`"),
    ],
)
def test_a_broken_tool_is_named_with_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, why: str
) -> None:
    name = package(tmp_path, monkeypatch, x=source)
    with pytest.raises(ConfigError) as caught:
        catalogue.tools(name)
    assert str(caught.value).startswith(f"{name}/x.py ") and why in str(caught.value)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (guard(keyword="async def"), "has no `observe`"),
        (guard(strict="None"), "`strict`"),
        (guard(name="y"), "is named 'y'"),
    ],
)
def test_a_broken_guard_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings, source: str, why: str
) -> None:
    name = package(tmp_path, monkeypatch, x=source)
    with pytest.raises(ConfigError, match=why):
        catalogue.guards(settings, name)


@pytest.mark.parametrize(("source", "why"), [(probe(timeout="None"), "timeout_s"), (probe(keyword="def"), "look")])
def test_a_broken_probe_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, why: str) -> None:
    name = package(tmp_path, monkeypatch, x=source)
    with pytest.raises(ConfigError, match=why):
        catalogue.probes(name)


def test_a_good_probe_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [p.name for p in catalogue.probes(package(tmp_path, monkeypatch, x=probe()))] == ["x"]


def test_an_unknown_channel_is_told_with_those_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = package(tmp_path, monkeypatch, slack="channel = 1", irc="channel = 2")
    assert catalogue.channel("slack", name) == 1
    with pytest.raises(ConfigError, match="irc, slack"):
        catalogue.channel("teams", name)
