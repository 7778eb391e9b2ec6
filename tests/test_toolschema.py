"""Schemas of custom tools: what is taken, what is put right, what is refused and with which field, what is sent."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.toolschema import DEPTH, NO_ARGUMENTS, NODES, SIZE, Unfit, sendable, sound
from tests.fakes.model.validate import Invalid
from tests.fakes.refusing import strict

STRING = {"type": "string"}


def with_x(schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"x": schema}}


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = STRING
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    return with_x(schema)


def wide(parts: int) -> dict[str, Any]:
    return {"type": "object", "properties": {f"p{n}": {"type": "null"} for n in range(parts - 1)}}


def described(size: int) -> dict[str, Any]:
    """A schema of exactly so many bytes."""
    frame = len(json.dumps(with_x({"type": "string", "description": ""}), separators=(",", ":")))
    return with_x({"type": "string", "description": "d" * (size - frame)})


GOOD: dict[str, Any] = {
    "no arguments": {},
    "no properties": {"type": "object"},
    "one": with_x(STRING),
    "required": {**with_x(STRING), "required": ["x"]},
    "array": with_x({"type": "array", "items": STRING}),
    "or null": with_x({"type": ["string", "null"]}),
    "any of": with_x({"anyOf": [STRING, {"type": "integer"}]}),
    "enum": with_x({"enum": ["a", "b"]}),
    "const": with_x({"const": 3}),
    "number enum of integers": with_x({"type": "number", "enum": [1, 2.5]}),
    "reference": {**with_x({"$ref": "#/$defs/p"}), "$defs": {"p": STRING}},
    "older reference": {**with_x({"$ref": "#/definitions/p"}), "definitions": {"p": STRING}},
    "object in it": with_x({"type": "object", "properties": {"y": STRING}, "additionalProperties": False}),
    "map": with_x({"type": "object", "additionalProperties": STRING}),
    "limits": with_x({"type": "integer", "minimum": 1, "maximum": 9, "default": 3, "title": "X"}),
    "as deep as may be": deep(DEPTH - 1),
    "as many parts as may be": wide(NODES),
    "as large as may be": described(SIZE),
    "name with dots": {"type": "object", "properties": {"a.b-c_9": STRING}},
    "text": json.dumps(with_x(STRING)),
}


@pytest.mark.parametrize("name", GOOD)
def test_a_good_schema_is_taken_and_what_is_sent_of_it_is_taken_by_a_strict_provider(name: str) -> None:
    checked = sound(GOOD[name])
    sent = json.loads(sendable(checked.text))
    strict([{"type": "function", "function": {"name": "t", "description": "d", "parameters": sent}}])
    assert sound(json.loads(checked.text)).text == checked.text, "what was checked is sound as it is"


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (None, "parameters must be an object schema such as {\"type\": \"object\""),
        (True, "not a boolean"),
        (7, "not a number"),
        (7.5, "not a number"),
        ([], "not an array"),
        ([1], "not an array"),
        ("", "isn't JSON"),
        ("not json", "isn't JSON"),
        ('{"type": "object"', "isn't JSON"),
        ('"{}"', "not a string"),
        ("[]", "not an array"),
        ({"type": "array"}, 'not one of type "array"'),
        ({"type": ["object"]}, 'not one of type ["object"]'),
        ({"properties": {}}, '"type": "object" is missing'),
        ({**with_x(STRING), "anyOf": [{}]}, "'anyOf' can't stand at the top"),
        ({**with_x(STRING), "$ref": "#"}, "'$ref' can't stand at the top"),
        ({"type": "object", "properties": ["x"]}, "parameters.properties: must be an object of schemas by name"),
        ({"type": "object", "properties": None}, "must be an object of schemas by name, not null"),
        (with_x(None), "parameters.properties.x: must be a schema such as"),
        (with_x(True), "parameters.properties.x: must be a schema"),
        (with_x("string"), "parameters.properties.x: must be a schema"),
        (with_x({}), "parameters.properties.x: needs a type"),
        (with_x({"type": "text"}), "parameters.properties.x: the type \"text\" isn't one of string"),
        (with_x({"type": None}), "parameters.properties.x: the type null"),
        (with_x({"type": []}), "parameters.properties.x: the type []"),
        (with_x({"type": ["string", "string"]}), "parameters.properties.x: the type"),
        (with_x({"type": [{}]}), "parameters.properties.x: the type"),
        (with_x({"type": "array"}), 'parameters.properties.x: an array needs `items`, such as "items"'),
        (with_x({"type": ["array", "null"]}), "an array needs `items`"),
        (with_x({"type": "array", "items": [STRING]}), "parameters.properties.x.items: must be a schema"),
        (with_x({"type": "array", "items": {"type": "array"}}), "parameters.properties.x.items: an array needs"),
        (with_x({"type": "object", "properties": [1]}), "parameters.properties.x.properties: must be an object"),
        (with_x({"enum": []}), "parameters.properties.x.enum: must be a list"),
        (with_x({"enum": "a"}), "parameters.properties.x.enum: must be a list"),
        (with_x({"enum": [{}]}), "parameters.properties.x.enum: the values must be"),
        (with_x({"enum": ["a", 1]}), "needs a type that all values"),
        (with_x({"type": "string", "enum": [1]}), "aren't of the type"),
        (with_x({"anyOf": []}), "parameters.properties.x.anyOf: must be a list of schemas"),
        (with_x({"anyOf": {}}), "parameters.properties.x.anyOf: must be a list of schemas"),
        (with_x({"oneOf": [STRING, 1]}), "parameters.properties.x.oneOf[1]: must be a schema"),
        (with_x({"type": "string", "description": 1}), "parameters.properties.x.description: must be a text"),
        (with_x({"type": "string", "minLength": "x"}), "parameters.properties.x.minLength"),
        (with_x({"type": "integer", "minimum": None}), "parameters.properties.x.minimum"),
        (with_x({"type": "number", "multipleOf": 0}), "parameters.properties.x.multipleOf"),
        (with_x({"type": "number", "minimum": float("nan")}), "that JSON doesn't have"),
        (with_x({"type": "number", "maximum": float("inf")}), "that JSON doesn't have"),
        (with_x({"type": "number", "maximum": 10**400}), "that JSON doesn't have"),
        (with_x({"type": "string", "description": "\ud83d"}), "that JSON doesn't have"),
        ({**with_x(STRING), "required": "x"}, "parameters.required: must be a list"),
        ({**with_x(STRING), "required": [1]}, "parameters.required: must be a list"),
        ({**with_x(STRING), "required": ["y"]}, 'parameters.required: "y" isn\'t among the properties'),
        ({"type": "object", "properties": {"": STRING}}, 'the name "" can\'t be used'),
        ({"type": "object", "properties": {"ä": STRING}}, "can't be used"),
        ({"type": "object", "properties": {"a b": STRING}}, "can't be used"),
        ({"type": "object", "properties": {"p" * 65: STRING}}, "can't be used"),
        ({**with_x({"$ref": "#/$defs/q"}), "$defs": {"p": STRING}}, "leads to no schema"),
        (with_x({"$ref": "https://example.com/s.json"}), "leads to no schema"),
        (with_x({"$ref": 1}), "leads to no schema"),
        ({**with_x({"$ref": "#/$defs/p"}), "$defs": [1]}, "leads to no schema"),
        (
            {**with_x({"$ref": "#/$defs/p"}), "$defs": {"p": {"type": "array", "items": {"$ref": "#/$defs/p"}}}},
            "leads back to itself",
        ),
        (
            {**with_x({"$ref": "#/$defs/a"}), "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
            "leads back to itself",
        ),
        (deep(DEPTH), "the schema is too large"),
        (deep(900), "the schema is too large"),
        (wide(NODES + 1), "the schema is too large"),
        (described(SIZE + 1), f"{SIZE + 1:,} bytes, of at most {SIZE:,}"),
        ("x" * 1_000_000, "1,000,000 characters"),
        ("[" * 20_000, "isn't JSON"),
    ],
)  # fmt: skip
def test_a_bad_schema_is_refused_with_the_field_and_the_right_shape(raw: Any, words: str) -> None:
    with pytest.raises(Unfit) as refused:
        sound(raw)
    assert words in str(refused.value)
    assert len(str(refused.value)) < 500
    assert "parameters" in str(refused.value)


def test_references_that_multiply_are_bounded() -> None:
    """Each name stands for two of the next: without a bound, thirty lines would be a billion parts."""
    defs = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(7)} | {"d7": STRING}
    with pytest.raises(Unfit, match="too large"):
        sound({**with_x({"anyOf": [{"$ref": "#/$defs/d0"}] * 2}), "$defs": defs})


@pytest.mark.parametrize(
    ("raw", "remarks"),
    [
        (with_x(STRING), []),
        ({}, ["An empty parameters object means: no arguments."]),
        (json.dumps(with_x(STRING)), ["parameters came as a JSON string and was parsed; give it as an object."]),
        ("{}", ["came as a JSON string", "no arguments"]),
        (with_x({"type": "string", "pattern": "(a+)+$", "not": {}}), ["Without effect here: not, pattern."]),
        (with_x({"type": "string", "title": "t", "format": "date", "default": ""}), []),
    ],
)
def test_what_was_put_right_is_told(raw: Any, remarks: list[str]) -> None:
    told = sound(raw).remarks
    assert len(told) == len(remarks)
    assert all(part in line for part, line in zip(remarks, told, strict=True))


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        (NO_ARGUMENTS, {"type": "object", "properties": {}}),
        (with_x({"type": ["string", "null"], "minLength": 2}), with_x({"type": "string"})),
        (with_x({"type": ["string", "null"], "enum": ["a", None]}), with_x({"enum": ["a"], "type": "string"})),
        (with_x({"type": ["string", "integer"]}), with_x({"anyOf": [{"type": "string"}, {"type": "integer"}]})),
        (with_x({"oneOf": [STRING, {"type": "null"}]}), with_x({"anyOf": [STRING]})),
        (with_x({"const": "a"}), with_x({"enum": ["a"], "type": "string"})),
        (
            with_x({"type": "object", "additionalProperties": STRING, "description": "d"}),
            with_x({"description": "d", "type": "object", "properties": {}}),
        ),
        (
            {**with_x(STRING), "required": ["x"], "description": "d"},
            {"description": "d", "required": ["x"], **with_x(STRING)},
        ),
    ],
)  # fmt: skip
def test_only_what_every_provider_understands_is_sent(schema: Any, sent: dict[str, Any]) -> None:
    assert json.loads(sendable(sound(json.loads(schema) if isinstance(schema, str) else schema).text)) == sent


WORDS = st.sampled_from(
    ["type", "object", "string", "array", "properties", "items", "required", "x", "enum", "anyOf", "$ref"]
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), WORDS, st.text(max_size=3)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=4)),
    max_leaves=12,
)


@given(st.one_of(VALUES, VALUES.map(with_x), st.dictionaries(WORDS, VALUES).map(lambda d: {**d, "type": "object"})))
def test_whatever_comes_is_sound_or_unfit_and_what_is_sound_is_taken(raw: Any) -> None:
    try:
        checked = sound(raw)
    except Unfit:
        return
    assert sound(json.loads(checked.text)).text == checked.text
    sent = json.loads(sendable(checked.text))
    try:
        strict([{"type": "function", "function": {"name": "t", "parameters": sent}}])
    except Invalid as error:
        raise AssertionError(f"a strict provider refuses {sent}") from error
