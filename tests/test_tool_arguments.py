"""A call's arguments on the way in, a tool's schema on the way out."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from agent.ports import CallContext, Result, Tool
from agent.tool import Arguments, BadArguments, nearest, parse, spec, unknown
from agent.tools import edit_file, list_dir, read_file, shell, write_file

OURS: list[Tool] = [shell.tool, read_file.tool, write_file.tool, edit_file.tool, list_dir.tool]
FENCE = "```"


class Inner(BaseModel):
    """Not shown."""

    name: str
    tags: list[str] = []


class Everything(Arguments):
    text: str
    count: int | None = None
    ratio: float = 0.5
    flag: bool = False
    kind: Literal["a", "b"] = "a"
    inner: Inner | None = None
    either: str | list[str] = ""
    anything: list[Any] = Field(default_factory=list)
    table: dict[str, int] = Field(default_factory=dict)


class Odd:
    """A tool with a field of each kind."""

    name = "odd"
    effect = "read"
    description = "d"

    def __init__(self, arguments: type[BaseModel]) -> None:
        self.arguments = arguments

    async def run(self, call: CallContext, args: Any) -> Result:
        raise AssertionError("never run here")


def test_schema_holds_only_what_every_provider_takes() -> None:
    schema = json.loads(spec(Odd(Everything)).parameters)
    text = {"type": "string"}
    assert schema == {
        "type": "object",
        "properties": {
            "text": text,
            "count": {"type": "integer"},
            "ratio": {"type": "number"},
            "flag": {"type": "boolean"},
            "kind": {"type": "string", "enum": ["a", "b"]},
            "inner": {
                "type": "object",
                "properties": {"name": text, "tags": {"type": "array", "items": text}},
                "required": ["name"],
                "description": "Not shown.",
            },
            "either": {"anyOf": [text, {"type": "array", "items": text}]},
            "anything": {"type": "array", "items": {"type": "string"}},
            "table": {"type": "object", "properties": {}},
        },
        "required": ["text"],
    }


def test_a_tool_without_fields_still_has_properties() -> None:
    assert spec(Odd(Arguments)).parameters == '{"type":"object","properties":{}}'


def test_a_schema_without_an_end_is_refused() -> None:
    class Tree(BaseModel):
        below: list[Tree] = []

    with pytest.raises(ValueError, match="refers to itself"):
        spec(Odd(Tree))


def test_schemas_and_descriptions_are_small_and_the_same_in_every_process() -> None:
    texts = [spec(tool).name + spec(tool).description + spec(tool).parameters for tool in OURS]
    assert sum(len(text.encode()) for text in texts) <= 4096
    code = (
        "from agent.tool import spec\nfrom agent.tools import shell, edit_file\n"
        "print(spec(shell.tool).parameters, spec(edit_file.tool).parameters)"
    )
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert other == f"{spec(shell.tool).parameters} {spec(edit_file.tool).parameters}\n"


@pytest.mark.parametrize(
    ("raw", "command", "timeout"),
    [
        ('{"command": "ls"}', "ls", None),
        ('{"command": "ls", "timeout_s": null}', "ls", None),
        ('{"command": "ls", "timeout_s": 5}', "ls", 5),
        ('{"command": "ls", "timeout_s": "5"}', "ls", 5),
        (json.dumps(json.dumps({"command": 'echo "a"'})), 'echo "a"', None),
        (f'{FENCE}json\n{{"command": "ls"}}\n{FENCE}', "ls", None),
        (f'{FENCE}\n{{"command": "ls",}}\n{FENCE}\n', "ls", None),
        ('{"command": "echo ,}",}', "echo ,}", None),
        ('{"command": "echo \\",}",\n }', 'echo ",}', None),
        ('{"command": "one\ntwo"}', "one\ntwo", None),
        ('{"command": "\\ud83d\\ude00"}', "😀", None),
    ],
)
def test_what_can_mean_one_thing_only_is_taken(raw: str, command: str, timeout: float | None) -> None:
    args = parse(shell.tool, raw)
    assert isinstance(args, shell.Shell), args
    assert (args.command, args.timeout_s) == (command, timeout)


@pytest.mark.parametrize(
    ("raw", "named"),
    [
        ('{"command": 5}', "command: should be a valid string, not a number"),
        ('{"command": null}', "command: should be a valid string, not null"),
        ('{"command": ["touch", "x"]}', "command: should be a valid string, not a list"),
        ('{"command": {"a": 1}}', "command: should be a valid string, not an object"),
        ('{"command": true}', "command: should be a valid string, not a boolean"),
        ("{}", "command: is missing"),
        ("", "command: is missing"),
        ('{"command": "ls", "comand": "x"}', '"comand": no such field (did you mean command?)'),
        ('{"command": "ls", "timeout_s": true}', "timeout_s: should be a valid number, not a boolean"),
        ('{"command": "ls", "timeout_s": "5 s"}', "timeout_s: should be a valid number, not a string"),
        ('{"command": "ls", "timeout_s": 0}', "timeout_s: should be greater than 0"),
        ('{"command": "ls", "timeout_s": 1e999}', "timeout_s: should be a finite number"),
        ('{"command": "ls", "timeout_s": NaN}', "NaN is not a JSON number"),
        (f'{{"command": "ls", "timeout_s": {"9" * 400}}}', "timeout_s: is too large a number"),
        (f'{{"command": "ls", "timeout_s": {"9" * 5000}}}', "a number is too long"),
        ('{"command": "a", "command": "b"}', '"command" is given twice'),
        ('{"command": "l', "not valid JSON (Unterminated string starting at character 12 of 14; perhaps cut off)"),
        ('{"command": "ls"', "not valid JSON"),
        (f'{FENCE}json\n{{"command": "l\n{FENCE}', "not valid JSON"),
        ('{"command": "ls"} {"command": "rm"}', "not valid JSON (Extra data"),
        ("ls -l", "not valid JSON"),
        ('["ls"]', "must be one JSON object, not a list"),
        ("null", "must be one JSON object, not null"),
        ('"\\"ls\\""', "must be one JSON object, not a string"),
        ('{"command": "\\ud800"}', "command: holds half of a surrogate pair"),
        ('{"command": "ls", "\\udc00": 1}', "no such field"),
        ("[" * 100_000, "nested too deeply"),
        ('{"command":' * 50_000, "nested too deeply"),
    ],
)
def test_a_bad_call_is_answered_with_the_field_and_the_schema(raw: str, named: str) -> None:
    bad = parse(shell.tool, raw)
    assert isinstance(bad, BadArguments), bad
    assert named in bad.text
    assert "Expected: shell(command: string, timeout_s?: number, background?: boolean)" in bad.text
    assert len(bad.text.encode()) < 1_000


def test_a_write_with_only_a_path_is_refused() -> None:
    bad = parse(write_file.tool, '{"path": "a.txt"}')
    assert isinstance(bad, BadArguments)
    assert "content: is missing" in bad.text


@pytest.mark.parametrize("mode", ["999", "rwx", "4755", "1777", "75", "", "0o755", "755\n", " 755", "07777"])
def test_a_bad_mode_is_named(mode: str) -> None:
    bad = parse(write_file.tool, json.dumps({"path": "a", "content": "", "mode": mode}))
    assert isinstance(bad, BadArguments)
    assert "mode: must be three octal digits" in bad.text


@pytest.mark.parametrize(("raw", "taken"), [('"true"', True), ('"false"', False), ("true", True)])
def test_a_boolean_may_come_as_text(raw: str, taken: bool) -> None:
    args = parse(edit_file.tool, f'{{"path": "a", "old": "b", "new": "c", "all": {raw}}}')
    assert isinstance(args, edit_file.EditFile)
    assert args.all is taken


@pytest.mark.parametrize(("raw", "taken"), [('"12"', 12), ("12.0", 12), ("12", 12)])
def test_a_whole_number_may_come_as_text_or_with_a_point(raw: str, taken: int) -> None:
    args = parse(read_file.tool, f'{{"path": "a", "start": {raw}}}')
    assert isinstance(args, read_file.ReadFile)
    assert args.start == taken


@pytest.mark.parametrize("raw", ["12.5", '"12.0"', '"1e3"', '"٣"', "0", "-1", "1e300", '"9999999999999999"', "true"])
def test_any_other_whole_number_is_refused(raw: str) -> None:
    assert isinstance(parse(read_file.tool, f'{{"path": "a", "start": {raw}}}'), BadArguments)


def test_many_problems_are_counted_not_listed() -> None:
    bad = parse(shell.tool, json.dumps({f"f{n}": n for n in range(1000)}))
    assert isinstance(bad, BadArguments)
    assert "and 995 more" in bad.text
    assert len(bad.text) < 1_000


@settings(max_examples=300)
@given(st.text() | st.text(alphabet='{}[]",:\\ `\n0aecommand'))
def test_no_text_makes_parse_raise(raw: str) -> None:
    assert isinstance(parse(shell.tool, raw), (shell.Shell, BadArguments))


@settings(max_examples=200)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.integers(0, 400))
def test_a_cut_call_never_runs(command: str, left: int) -> None:
    raw = json.dumps({"command": command}, ensure_ascii=False)
    cut = raw[: min(left, len(raw) - 1)]
    assert isinstance(parse(shell.tool, cut), BadArguments)


@settings(max_examples=200)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_text_arrives_as_it_was_sent(content: str) -> None:
    raw = json.dumps({"path": "a", "content": content})
    for sent in (raw, json.dumps(raw), f"{FENCE}json\n{raw}\n{FENCE}", raw[:-1] + ",}"):
        args = parse(write_file.tool, sent)
        assert isinstance(args, write_file.WriteFile)
        assert args.content == content


@pytest.mark.parametrize("piece", ['"', '\\"', "\\", ",", ", ", "{", "`", "\n", "```json\n"])
def test_a_megabyte_of_anything_is_judged_quickly(piece: str) -> None:
    raw = piece * (1_000_000 // len(piece))  # a hang would meet the test's own time limit
    assert isinstance(parse(shell.tool, raw), BadArguments)


@pytest.mark.parametrize(
    ("name", "near"),
    [("shel", ["shell"]), ("SHELL", ["shell"]), ("read", ["read_file"]), ("zzz", []), ("", []), ("x" * 10**6, [])],
)
def test_nearest_names(name: str, near: list[str]) -> None:
    assert nearest(name, ["shell", "read_file", "write_file"])[: len(near) or 1] == near


def test_an_unknown_tool_is_answered_with_the_known_ones() -> None:
    text = unknown("shel\ud800", ["shell", "read_file"])
    assert "did you mean shell" in text
    assert "shell, read_file" in text
    assert text.encode()
