"""Arguments by the schema of others: what fits, what is eased, what is told."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from agent.fitting import fitted, short
from agent.tool import BadArguments
from agent.toolschema import sound

SCHEMA = sound(
    {
        "type": "object",
        "properties": {
            "who": {"type": "string", "maxLength": 5},
            "times": {"type": "integer", "minimum": 1, "maximum": 3},
            "loud": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "how": {"type": "string", "enum": ["a", "b"]},
            "maybe": {"type": ["string", "null"]},
        },
        "required": ["who"],
    }
).text
OPEN = sound({"type": "object", "properties": {}, "additionalProperties": True}).text

UNIQUE = sound(
    {"type": "object", "properties": {"x": {"type": "array", "uniqueItems": True, "items": {"type": "object"}}}}
).text.replace('"items":{"type":"object"}', '"items":{}')


@pytest.mark.parametrize(
    ("arguments", "fits"),
    [
        ('{"who": "bob"}', {"who": "bob"}),
        ('{"who": "bob", "times": 3}', {"who": "bob", "times": 3}),
        ('{"who": "bob", "times": "3"}', {"who": "bob", "times": 3}),
        ('{"who": "bob", "loud": "true"}', {"who": "bob", "loud": True}),
        ('{"who": "bob", "times": null}', {"who": "bob"}),
        ('{"who": "bob", "maybe": null}', {"who": "bob", "maybe": None}),
        ('{"who": "bob", "tags": ["a"]}', {"who": "bob", "tags": ["a"]}),
        ('```json\n{"who": "bob",}\n```', {"who": "bob"}),
        (json.dumps('{"who": "bob"}'), {"who": "bob"}),
        ('{"who": "b\\u00f6b"}', {"who": "böb"}),
    ],
)
def test_arguments_that_fit(arguments: str, fits: dict[str, Any]) -> None:
    assert fitted("greet", SCHEMA, arguments) == fits


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("{}", "'who' is a required property"),
        ("", "'who' is a required property"),
        ("[]", "must be one JSON object, not a list"),
        ('{"who": "bo', "not valid JSON"),
        ('{"who": null}', "who: None is not of type 'string'"),
        ('{"who": 7}', "who: 7 is not of type 'string'"),
        ('{"who": "bobbob"}', "who: 'bobbob' is too long"),
        ('{"who": "bob", "times": 0}', "times: 0 is less than the minimum of 1"),
        ('{"who": "bob", "times": 4}', "times: 4 is greater than the maximum of 3"),
        ('{"who": "bob", "times": "3.5"}', "times: '3.5' is not of type 'integer'"),
        ('{"who": "bob", "how": "c"}', "how: 'c' is not one of ['a', 'b']"),
        ('{"who": "bob", "tags": [1]}', "tags.0: 1 is not of type 'string'"),
        ('{"who": "bob", "whom": "x"}', '"whom": no such field (did you mean who?)'),
        ('{"who": "\\ud83d"}', "half of a surrogate pair"),
        ('{"who": "' + "x" * 100_000 + '"}', "who: doesn't fit (maxLength)"),
        ('{"who": ' + "[" * 5000 + "]" * 5000 + "}", "nested too deeply"),
    ],
)
def test_arguments_that_do_not_fit_are_told_with_the_field_and_the_call(arguments: str, words: str) -> None:
    bad = fitted("greet", SCHEMA, arguments)
    assert isinstance(bad, BadArguments)
    assert words in bad.text
    assert "nothing was run" in bad.text
    assert "Expected: greet(who: string, times?: integer, loud?: boolean, tags?: array of string" in bad.text
    assert len(bad.text) < 2000


@pytest.mark.parametrize(
    ("items", "unique"),
    [
        ([], True),
        ([1, 2, "1", True, None, [1], {"a": 1}], True),
        ([1, 1], False),
        ([1, 1.0], False),
        ([1, True], True),
        ([0, False, ""], True),
        ([{"a": 1, "b": 2}, {"b": 2, "a": 1.0}], False),
        ([["a", "b"], ["b", "a"]], True),
        ([{"a": ["x,y"]}, {"a": ["x", "y"]}], True),
    ],
)
def test_items_that_must_differ(items: list[Any], unique: bool) -> None:
    bad = fitted("t", UNIQUE, json.dumps({"x": items}))
    assert isinstance(bad, BadArguments) is not unique
    assert unique or "x: an item is there more than once" in bad.text  # type: ignore[union-attr]


def test_many_items_that_must_differ_take_no_time() -> None:
    began = time.monotonic()
    given = {"x": [{"a": number} for number in range(30_000)]}
    assert fitted("t", UNIQUE, json.dumps(given)) == given
    assert time.monotonic() - began < 20  # only a hang breaks it


def test_a_schema_can_leave_the_fields_open() -> None:
    assert fitted("any", OPEN, '{"x": 1}') == {"x": 1}


def test_many_problems_are_counted() -> None:
    bad = fitted("greet", SCHEMA, json.dumps({"who": "b", **{f"f{n}": n for n in range(9)}}))
    assert isinstance(bad, BadArguments)
    assert "and 3 more" in bad.text


def test_a_call_in_one_line() -> None:
    schema = {"properties": {"a": {"type": ["string", "null"]}, "b": {"enum": ["x", 1]}, "c": {}}, "required": ["a"]}
    assert short("t", schema) == 't(a: string|null, b?: "x"|1, c?: any)'
