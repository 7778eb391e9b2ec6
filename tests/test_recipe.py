"""Entries of custom tools: names, fields, sizes, and what runs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent.recipe import DESCRIPTION, TEXT, judged, variable
from agent.toolschema import Unfit

GREET = {"name": "greet", "description": "Greets.", "parameters": {}, "command": "echo hello"}
TAKEN = frozenset({"shell", "read_file", "quux"})


@pytest.mark.parametrize("name", ["a", "A-b_9", "x" * 64, "-", "0", "shells", "mcp", "mcpx"])
def test_a_legal_name_is_taken(name: str) -> None:
    assert judged({**GREET, "name": name}, TAKEN).recipe.name == name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "1 to 64 letters"),
        ("x" * 65, "1 to 64 letters"),
        ("a b", "1 to 64 letters"),
        ("a.b", "1 to 64 letters"),
        ("grüß", "1 to 64 letters"),
        ("a\n", "1 to 64 letters"),
        ("../x", "1 to 64 letters"),
        (None, "1 to 64 letters"),
        (7, "1 to 64 letters"),
        (["a"], "1 to 64 letters"),
        ("shell", "reserved: a built-in tool's name is refused"),
        ("Shell", "reserved"),
        ("quux", "reserved"),
        ("QUUX", "reserved"),
        ("web_search", "reserved"),  # ours, not offered everywhere
        ("functions", "reserved"),
        ("mcp_x", "reserved for tools of MCP servers"),
        ("MCP-x", "reserved for tools of MCP servers"),
        ("mcp__x", "reserved for tools of MCP servers"),
    ],
)
def test_an_illegal_or_a_taken_name_is_refused(name: Any, words: str) -> None:
    with pytest.raises(Unfit, match=r"^name: ") as refused:
        judged({**GREET, "name": name}, TAKEN)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"description": ""}, "description: must be a text that isn't empty"),
        ({"description": " \n"}, "description: must be a text"),
        ({"description": None}, "description: must be a text that isn't empty, not null"),
        ({"description": "d" * (DESCRIPTION + 1)}, "description: has 1,025 characters, of at most 1,024"),
        ({"description": "\ud83d"}, "description: holds half"),
        ({"command": ""}, "command or script: neither is given"),
        ({"command": None}, "command or script: neither is given"),
        ({"command": "a", "script": "b"}, "command or script: both are given"),
        ({"command": 3}, "command: must be a text that isn't empty, not a number"),
        ({"command": ["a"]}, "command: must be a text"),
        ({"command": "  "}, "command: must be a text"),
        ({"command": "a\0b"}, "command: holds a NUL"),
        ({"command": "c" * (TEXT + 1)}, "command: has 48,001 bytes, of at most 48,000"),
        ({"command": "ä" * (TEXT // 2 + 1)}, "command: has 48,002 bytes"),
        ({"command": "#!/usr/bin/env Rscript\n1"}, "command: its first line names 'Rscript'; known are bash, sh"),
        ({"parameters": None}, "parameters must be an object schema"),
        ({"parameters": [1]}, "parameters must be an object schema"),
        (
            {"parameters": {"type": "object", "properties": {"a.b": {"type": "null"}, "a-b": {"type": "null"}}}},
            "parameters: 'a.b' and 'a-b' would both be $ARG_a_b",
        ),
    ],
)
def test_a_bad_field_is_refused_with_its_name(change: dict[str, Any], words: str) -> None:
    with pytest.raises(Unfit) as refused:
        judged({**GREET, **change}, TAKEN)
    assert words in str(refused.value)


@pytest.mark.parametrize("missing", ["name", "description", "parameters", "command"])
def test_a_missing_field_is_named(missing: str) -> None:
    with pytest.raises(Unfit, match=missing):
        judged({name: value for name, value in GREET.items() if name != missing})


@pytest.mark.parametrize("entry", [None, 1, "x", [], True])
def test_what_is_no_object_is_no_entry(entry: Any) -> None:
    with pytest.raises(Unfit, match="the entry must be an object with name, description, parameters and command"):
        judged(entry)


@pytest.mark.parametrize(
    "entry",
    [
        GREET,
        {**GREET, "description": "d" * DESCRIPTION, "command": "c" * TEXT},
        {"type": "function", "function": {k: GREET[k] for k in ("name", "description", "parameters")}, "command": "x"},
        {"name": "greet", "description": "d", "input_schema": {"type": "object"}, "cmd": "x", "surplus": None},
        {"name": "greet", "description": "d", "inputSchema": {"type": "object"}, "code": "x"},
        {**GREET, "parameters": '{"type": "object", "properties": {}}'},
        {**GREET, "script": None},
    ],
)
def test_older_and_foreign_shapes_are_taken_and_come_back_as_ours(entry: dict[str, Any]) -> None:
    recipe = judged(entry).recipe
    assert judged(json.loads(json.dumps(recipe.entry()))).recipe == recipe


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("echo hi", "echo hi"),
        ("#!/bin/bash\necho hi", "#!/bin/bash\necho hi"),
        ("#!/bin/sh -e\necho hi", "#!/bin/sh -e\necho hi"),
        ("#!/usr/bin/env python3\nprint('a')", "exec python3 -c '#!/usr/bin/env python3\nprint('\"'\"'a'\"'\"')'"),
        ("#!/usr/bin/python3.11 -I\n1", "exec /usr/bin/python3.11 -I -c '#!/usr/bin/python3.11 -I\n1'"),
        ("#!/usr/bin/env -S node --x\n1", "exec node --x -e '#!/usr/bin/env -S node --x\n1'"),
    ],
)  # fmt: skip
def test_a_first_line_says_what_runs_the_text(text: str, runs: str) -> None:
    assert judged({**GREET, "command": text}).recipe.text == runs


@pytest.mark.parametrize(("name", "env"), [("who", "ARG_who"), ("a-b.c", "ARG_a_b_c"), ("9", "ARG_9")])
def test_each_argument_has_a_variable(name: str, env: str) -> None:
    assert variable(name) == env
