"""/tools and doctor's line on tools: what there is, and what can't be offered and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent.steps import Level, Nudged
from bot.answers import Answers
from bot.doctor import Grade
from bot.doctor.tools import tools as examined
from bot.tools import LINE, MOST, tools_told
from tests.fakes.registry import FakeRegistry, custom

GOOD = {"name": "greet", "description": "Greets.", "parameters": {}, "command": "true"}


def test_all_kinds_are_told_with_what_is_not_offered() -> None:
    shop = FakeRegistry("Custom", [custom("greet", "Greets.")], away=[("broken", "it is broken")])
    registries = [shop, FakeRegistry("MCP server files", away=[("mcp_x", "it is away")])]
    assert tools_told(["plan", "shell"], registries) == (
        "Built in: plan, shell\n\nCustom:\ngreet: Greets.\n\nMCP server files:\nnone\n\n"
        "⚠ Not offered:\nbroken: it is broken\nmcp_x: it is away"
    )


def test_without_trouble_there_is_no_heading_for_it() -> None:
    assert tools_told(["shell"], []) == "Built in: shell"


@pytest.mark.parametrize(("count", "more"), [(MOST - 1, ""), (MOST, ""), (MOST + 1, "1 more"), (MOST + 30, "30 more")])
def test_a_long_list_is_cut(count: int, more: str) -> None:
    registry = FakeRegistry("Custom", [custom(f"tool_{n}", "x" * 900 + "\n") for n in range(count)])
    text = tools_told(["shell"], [registry])
    lines = text.splitlines()
    assert sum(line.startswith("tool_") for line in lines) == min(count, MOST)
    assert max(map(len, lines)) <= LINE
    assert ("more" in text) == bool(more)
    assert more in text


def test_what_is_said_of_tools_is_a_silent_message_of_its_own() -> None:
    step = Nudged(
        at=0.0, guard="workshop", event="tool.quarantined", level=Level.NOTE, text="Set aside: x", slot="turn.tools"
    )
    (draft,) = Answers().fold(7, step)
    assert (draft.key, draft.markdown, draft.silent, draft.role) == ("7:tools", "⚠ Set aside: x", True, "notice")
    other = Nudged(at=0.0, guard="loops", event="nudge.loop", level=Level.NOTE, text="x")
    assert Answers().fold(8, other) == []


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (None, [(Grade.OK, "no custom ones")]),
        ([], [(Grade.OK, "no custom ones")]),
        ([GOOD], [(Grade.OK, "1 custom")]),
        ([GOOD, None], [(Grade.OK, "1 custom"), (Grade.WARN, "entry 2 is set aside: the entry must be an object")]),
        (
            [{**GOOD, "name": "shell"}],
            [(Grade.OK, "no custom ones"), (Grade.WARN, "shell is set aside: name: 'shell' is")],
        ),
        (7, [(Grade.FAIL, "can't be read: it holds no list of tools")]),
        ([None] * 12, [(Grade.OK, "no custom"), *[(Grade.WARN, "is set aside")] * 10, (Grade.WARN, "2 more are set")]),
    ],
)
def test_doctor_names_what_is_set_aside_and_changes_nothing(
    tmp_path: Path, content: Any, found: list[tuple[Grade, str]]
) -> None:
    if content is not None:
        (tmp_path / "tools.json").write_text(json.dumps(content))
    before = [each.name for each in tmp_path.iterdir()]
    findings = examined(tmp_path, ["shell"])
    assert [finding.grade for finding in findings] == [grade for grade, _ in found]
    assert all(words in finding.text for finding, (_, words) in zip(findings, found, strict=True))
    assert all(finding.mend for finding in findings if finding.grade is not Grade.OK)
    assert [each.name for each in tmp_path.iterdir()] == before
