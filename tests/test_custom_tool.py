"""Custom tools at work: arguments are data however they look, on the real host; and the policy sees what will run."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.edges import Place
from agent.errors import ToolError
from agent.guards.policy import Policy
from agent.panel import Panel
from agent.policy import Scene, Tier, judge, subject
from agent.ports import Result
from agent.recipe import judged
from agent.steps import Asked, Call, Level, Looking, Nudged, Outcome, Proposed, Seen
from agent.tool import BadArguments, command_of, parse, spec
from agent.tools._custom import LONGEST, CustomTool
from tests.fakes.calls import context
from tests.fakes.edges import opening
from tests.fakes.host import FakeHost
from tests.host_bench import Bench, bench

ANY = {"type": "object", "properties": {}, "additionalProperties": True}
WHO = {"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]}


def made(command: str, parameters: Any = ANY, name: str = "greet") -> CustomTool:
    entry = {"name": name, "description": "Greets.", "parameters": parameters, "command": command}
    return CustomTool(judged(entry).recipe)


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[Bench]:
    async with bench(tmp_path) as there:
        yield there


async def ran(at: Bench, tool: CustomTool, **args: Any) -> Result:
    where = context(at.workspace, host=at.host, timeout_s=20.0)
    return await tool.run(where, args)


def out(result: Result) -> str:
    assert result.stdout is not None
    return result.stdout.head


# -- what reaches the command ---------------------------------------------------------------------------------------
HOSTILE = [
    "bob $(touch injected) `touch injected`; touch injected",
    "'; touch injected; '",
    '"; touch injected; "',
    "\n touch injected\n",
    "$ARG_other ${IFS} \\ \t * ? ~ ! # % & | < >",
    "-n",
    "EOF\ntouch injected",
    "grün 🙂 \u2028",
    "",
    "x" * 30_000,
]


@pytest.mark.parametrize("value", HOSTILE)
async def test_an_argument_is_data(at: Bench, value: str) -> None:
    tool = made('printf %s "$ARG_who"; echo; cat')
    result = await ran(at, tool, who=value)
    assert result.outcome is Outcome.OK
    assert result.text.count("injected") == result.text.count("touch injected")
    assert not list(at.workspace.rglob("injected"))
    if len(value) < 1000:
        shown, _, stdin = out(result).rpartition("\n{")
        assert shown == value.replace("\t", "\t")
        assert json.loads("{" + stdin) == {"who": value}


@pytest.mark.parametrize(
    ("value", "env"),
    [(7, "7"), (2.5, "2.5"), (True, "true"), (None, "null"), ([1, "a"], '[1, "a"]'), ({"a": "ü"}, '{"a": "ü"}')],
)
async def test_what_is_no_text_comes_as_json(at: Bench, value: Any, env: str) -> None:
    assert out(await ran(at, made('printf %s "$ARG_x"'), x=value)) == env


@pytest.mark.parametrize(
    "script",
    [
        "#!/usr/bin/python3\nimport json, os, sys\nprint(json.load(sys.stdin)['x'] + os.environ['ARG_x'] + \"'\\\"\")",
        "#!/usr/bin/perl -w\nmy $j = <STDIN>; print substr($j, 7, 1) . $ENV{ARG_x} . \"'\\\"\\n\";",
        "#!/bin/bash\nread -r j; echo \"${j:7:1}$ARG_x'\\\"\"",
        "read -r j\necho \"${j:7:1}$ARG_x'\\\"\"",
    ],
    ids=["python", "perl", "bash", "none"],
)  # fmt: skip
async def test_a_script_is_run_by_what_its_first_line_names(at: Bench, script: str) -> None:
    assert out(await ran(at, made(script), x="q")).rstrip("\n") == "qq'\""


async def test_the_outcome_the_streams_and_the_changes_are_those_of_the_shell(at: Bench) -> None:
    result = await ran(at, made("echo new > made.txt; cd /; echo out; echo err >&2; exit 3"))
    assert (result.outcome, result.exit_code, result.cwd) == (Outcome.FAILED, 3, None)
    assert [Path(change.path).name for change in result.files or ()] == ["made.txt"]
    assert "failed, exit code 3" in result.text
    assert "err" in result.text
    assert result.details.startswith("exit 3 · ")


async def test_long_output_is_capped(at: Bench) -> None:
    result = await ran(at, made("seq 100000"))
    assert len(result.text) < 6000
    assert "bytes omitted" in result.text


async def test_a_tool_may_ignore_its_arguments(at: Bench) -> None:
    assert (await ran(at, made("echo ok"), x="y" * 59_000)).outcome is Outcome.OK


@pytest.mark.parametrize(
    ("args", "words"), [({"x": "a\0b"}, "holds a NUL"), ({"x": "y" * LONGEST}, "of at most 60,000: nothing was run")]
)
async def test_what_no_command_can_have_is_refused(tmp_path: Path, args: dict[str, Any], words: str) -> None:
    host = FakeHost()
    with pytest.raises(ToolError, match=words):
        await made("true").run(context(tmp_path, host=host), args)
    assert host.commands == []


async def test_the_text_that_runs_is_the_same_whatever_the_arguments_are(tmp_path: Path) -> None:
    host, tool = FakeHost(), made('echo "$ARG_who"')
    for value in HOSTILE:
        await tool.run(context(tmp_path, host=host, box=True), {"who": value})
    assert len({command.text for command in host.commands}) == 1
    assert all(command.box for command in host.commands)


def test_a_call_is_held_against_the_schema() -> None:
    tool = made("true", WHO)
    assert spec(tool).name == "greet"  # type: ignore[arg-type]
    assert parse(tool, '{"who": "bob"}') == {"who": "bob"}  # type: ignore[arg-type]
    assert isinstance(parse(tool, '{"whom": "bob"}'), BadArguments)  # type: ignore[arg-type]


# -- what the policy sees -------------------------------------------------------------------------------------------
OURS = "/home/jarvis"


def tier(command: str, **args: Any) -> Tier:
    tool = made(command)
    call = subject(Call("c", "greet", json.dumps(args)), command_of(tool, args))  # type: ignore[arg-type]
    return judge(call, "write", Scene("/ws", "/ws", "/home/u", (OURS,))).tier


@pytest.mark.parametrize(
    ("command", "args", "expected"),
    [
        ('echo "hello $ARG_who"', {"who": "bob"}, Tier.READ),
        ('cat "$ARG_path"', {"path": "a.txt"}, Tier.READ),
        ("cat", {"x": 1}, Tier.READ),
        ('echo x > "$ARG_path"', {"path": "a.txt"}, Tier.CHANGE),
        ('echo x > "$ARG_path"', {"path": "/etc/passwd"}, Tier.LEAVE),
        ('cat "$ARG_path"', {"path": f"{OURS}/config.toml"}, Tier.NEVER),
        ('rm -rf "$ARG_path"', {"path": "/"}, Tier.NEVER),
        ("curl -s http://example.com", {}, Tier.LEAVE),
        ('curl -s "$ARG_url"', {"url": "http://example.com"}, Tier.LEAVE),
        ("$ARG_run", {"run": "ls"}, Tier.LEAVE),
        ('eval "$ARG_run"', {"run": "ls"}, Tier.LEAVE),
        ('bash -c "$ARG_run"', {"run": "curl -s http://example.com"}, Tier.LEAVE),
        ("bash", {"x": "ls"}, Tier.LEAVE),  # its arguments would be its script
        ("python3 -", {"x": 1}, Tier.CHANGE),
        ("#!/usr/bin/env python3\nprint(1)", {}, Tier.CHANGE),
        ('echo "$ARG_who"', {"who": "bob $(touch injected)"}, Tier.LEAVE),  # arithmetic would run it
        ("echo }; curl http://example.com; {", {}, Tier.LEAVE),
        ("echo \\", {}, Tier.LEAVE),
        ("cat <<E", {}, Tier.LEAVE),
    ],
)
def test_the_policy_judges_the_command_with_its_arguments(command: str, args: dict[str, Any], expected: Tier) -> None:
    assert tier(command, **args) >= expected
    if expected < Tier.LEAVE:
        assert tier(command, **args) == expected


def test_the_guard_asks_for_what_a_tool_does_and_shows_it() -> None:
    panel, tool, args = Panel([Policy(mode="sandbox")]), made("curl -s http://example.com"), {"who": "bob"}
    panel.observe(opening("s", Place("/ws", "/ws"), 0.0))
    panel.observe(Asked(at=0.0, text="go", author="t:7", role="owner"))
    text = command_of(tool, args)  # type: ignore[arg-type]
    call = Call("c", "greet", '{"who": "bob"}')
    (looking,) = panel.observe(Proposed(at=0.0, call=call, effect="write", command=text))
    assert isinstance(looking, Looking)
    world = json.dumps({"executables": {}, "paths": {}, "scripts": {}})
    (nudge,) = panel.observe(Seen(at=0.0, look=looking.look, probe="world", value=world))
    assert isinstance(nudge, Nudged)
    assert (nudge.level, nudge.about) == (Level.ASK, "c")
    shown = json.loads(nudge.data)
    assert shown["tier"] == 2
    assert shown["command"].startswith("# greet\nARG_who=bob\n")
    assert "curl -s http://example.com" in shown["command"]


@given(
    st.dictionaries(st.sampled_from(["a", "b-c", "d"]), st.text(st.characters(codec="utf-8", exclude_characters="\0")))
)
def test_no_argument_makes_a_harmless_tool_more_than_unclear(args: dict[str, str]) -> None:
    """As data it is quoted whole: it is never taken for a path, a program or a redirection of the command's own."""
    assert tier("echo hello", **args) in (Tier.READ, Tier.LEAVE)
