"""Arguments are mended where they can mean one thing only, and what was mended is named; nothing cut ever is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.arguments import BREAKS, COMMAS, DEEPEST, FENCED, TWICE, Unreadable, is_object, mended, read

FENCE = "```"
LS = '{"command": "ls"}'


def nested(depth: int) -> str:
    return '{"a":' * (depth - 1) + "{}" + "}" * (depth - 1)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (LS, ""),
        (f"  {LS}\n", ""),
        (json.dumps(LS), TWICE),
        (f"{FENCE}json\n{LS}\n{FENCE}", FENCED),
        (f"{FENCE}\n{LS}{FENCE}", FENCED),
        ('{"command": "ls",}', COMMAS),
        ('{"command": "ls" , }', COMMAS),
        (f'{FENCE}json\n{{"command": "ls",}}\n{FENCE}', f"{FENCED}, {COMMAS}"),
        (json.dumps('{"command": "ls",}'), f"{TWICE}, {COMMAS}"),
        (json.dumps(f"{FENCE}json\n{LS}\n{FENCE}"), f"{TWICE}, {FENCED}"),
    ],
)
def test_what_is_mended_is_named(text: str, what: str) -> None:
    arguments, why = mended(text)
    assert (json.loads(arguments), why) == ({"command": "ls"}, what)
    if not what:
        assert arguments == text


def test_raw_line_breaks_are_mended() -> None:
    assert mended('{"command": "a\nb"}') == ('{"command": "a\\nb"}', BREAKS)


@pytest.mark.parametrize(
    "text",
    [
        "{'command': 'ls'}",
        '{"command": "ls", "flag": True}',
        '{"command": None}',
        "{command: 'ls'}",
        '{"command": "ls"',
        '{"command": "l',
        f"{FENCE}json\n{LS[:-4]}\n{FENCE}",
        f"{FENCE}json\n{LS}",
        f"Here: {LS}",
        f"{LS} {LS}",
        '{"command": "a", "command": "b",}',
        '{"a": NaN,}',
        '{"a": 1e999,}',
        f'{{"a": {"9" * 5000},}}',
        '["ls"]',
        '"ls"',
        "null",
        json.dumps(json.dumps(LS)),  # encoded three times
        nested(DEEPEST + 1)[:-1] + ",}",
        '{"a": "\\ud800"}',
        "",
    ],
)
def test_nothing_else_is_mended(text: str) -> None:
    assert mended(text) == (text, "")


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("{}", True),
        (' {"a": [1, 2.5, "x", null]} ', True),
        ('{"a": "\\ud83d\\ude00"}', True),
        ('{"a": "\\ud83d"}', False),
        ('{"a": NaN}', False),
        ('{"a": -Infinity}', False),
        ('{"a": 1}x', False),
        ('{"a": "\n"}', False),
        ("[]", False),
        ("", False),
        (nested(DEEPEST), True),
        (nested(DEEPEST + 1), False),
        ("[" * 1_000_000, False),
        ('{"a":' * 200_000, False),
        ('{"a": "' + "{" * 1000 + '"}', True),  # braces in a string nest nothing
        (f'{{"a": {"9" * 5000}}}', False),
    ],
)
def test_what_any_parser_takes_as_an_object(text: str, is_one: bool) -> None:
    assert is_object(text) is is_one


@pytest.mark.parametrize(("depth", "fine"), [(DEEPEST - 1, True), (DEEPEST, True), (DEEPEST + 1, False)])
def test_nesting_has_a_bound_that_no_stack_decides(depth: int, fine: bool) -> None:
    if fine:
        assert read(nested(depth)) == json.loads(nested(depth))
    else:
        with pytest.raises(Unreadable, match="nested too deeply"):
            read(nested(depth))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), JSON, max_size=4), st.data())
def test_mending_never_changes_a_value_and_never_completes_a_cut(value: dict[str, object], data: st.DataObject) -> None:
    raw = json.dumps(value, ensure_ascii=False)
    for sent in (raw, json.dumps(raw), f"{FENCE}json\n{raw}\n{FENCE}", json.dumps(raw, ensure_ascii=False)):
        assert json.loads(mended(sent)[0]) == value
        cut = sent[: data.draw(st.integers(0, len(sent) - 1))]
        arguments, what = mended(cut)
        assert (arguments, what) == (cut, "") or json.loads(arguments) == value


@given(st.text(alphabet='{}[]",:\\ `\n0ae') | st.text())
def test_no_text_is_an_error(text: str) -> None:
    arguments, what = mended(text)
    assert what == "" or is_object(arguments)
