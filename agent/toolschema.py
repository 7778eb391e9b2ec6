"""The schema of a tool that isn't ours: what is taken as one, what of it is sent to a provider, what binds arguments.

A provider answers a bad schema with a refusal of the whole request, in every chat. So the rules here are those of the
strictest of them, and what only some understand is checked by us and not sent.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SIZE = 8_000  # bytes of the schema as JSON text
DEPTH = 8  # schemas in schemas
NODES = 300  # schemas in all, references put in place
NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")  # of a property; Anthropic's rule, the strictest (tool use, input_schema)
TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")
CHOICES = ("anyOf", "oneOf", "allOf")
LIMITS = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"),
    *("minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"),
)
PLAIN = ("type", "description", "enum", "const", "required", *LIMITS)
SILENT = ("title", "default", "examples", "example", "format", "deprecated", "readOnly", "writeOnly", "nullable",
          "$schema", "$id", "$comment", "$defs", "definitions")  # fmt: skip
NOT_ON_TOP = (*CHOICES, "enum", "const", "not", "if", "$ref")  # no provider takes them beside a tool's properties

SHAPE = '{"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}'
NO_ARGUMENTS = '{"type":"object","properties":{}}'


class Unfit(ValueError):
    """Something can't be (part of) a tool. `str(error)` names the field and the right shape."""


@dataclass(frozen=True, slots=True)
class Sound:
    """A schema that was checked: `text` is its JSON, `remarks` say in words what was put right."""

    text: str
    remarks: tuple[str, ...] = ()


def sound(raw: object) -> Sound:
    """Check `parameters` as a model or a person gave them. JSON text is parsed, `{}` means no arguments; both are told
    in the remarks. Raises Unfit."""
    remarks: list[str] = []
    if isinstance(raw, str):
        raw = _parsed(raw)
        remarks.append("parameters came as a JSON string and was parsed; give it as an object.")
    if raw == {}:
        return Sound(NO_ARGUMENTS, (*remarks, "An empty parameters object means: no arguments."))
    if not isinstance(raw, dict) or raw.get("type") != "object":
        raise Unfit(f"parameters must be an object schema such as {SHAPE}, {_instead(raw)}.")
    for keyword in NOT_ON_TOP:
        if keyword in raw:
            raise Unfit(f"parameters: {keyword!r} can't stand at the top; describe the arguments in `properties`.")
    walk = _Walk(raw)
    schema = walk.schema(raw, "parameters", ())
    schema.setdefault("properties", {})
    if not _plain_json(schema):
        raise Unfit("parameters: holds a number or a character that JSON doesn't have.")
    text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    if (size := len(text.encode())) > SIZE:
        raise Unfit(f"parameters: the schema has {size:,} bytes, of at most {SIZE:,}.")
    _by_the_book(schema)
    if walk.ignored:
        remarks.append(f"Without effect here: {', '.join(sorted(walk.ignored))[:200]}.")
    return Sound(text, tuple(remarks))


def sendable(text: str) -> str:
    """The part of a checked schema that every provider understands, as JSON text."""
    return json.dumps(_sent(json.loads(text)), ensure_ascii=False, separators=(",", ":"))


def _parsed(text: str) -> object:
    if len(text) > 4 * SIZE:
        raise Unfit(f"parameters: the text has {len(text):,} characters; a schema has at most {SIZE:,} bytes.")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise Unfit(f"parameters is a string that isn't JSON. Give an object schema such as {SHAPE}.") from None


def _instead(raw: object) -> str:
    match raw:
        case dict() if "type" in raw:
            return f"not one of type {json.dumps(raw['type'], default=str)[:60]}"
        case dict():
            return 'and its "type": "object" is missing'
        case None:
            return "not null"
        case list():
            return "not an array"
        case bool():
            return "not a boolean"
        case int() | float():
            return "not a number"
        case _:
            return "not a string"


@dataclass(slots=True)
class _Walk:
    """One pass over a schema: each part checked, references put in place, what has no effect left out."""

    root: Mapping[str, Any]
    nodes: int = 0
    ignored: set[str] = field(default_factory=set)

    def schema(self, raw: object, at: str, within: tuple[str, ...], depth: int = 0) -> dict[str, Any]:
        self.nodes += 1
        if depth > DEPTH or self.nodes > NODES:
            raise Unfit(f"{at[:200]}: the schema is too large: at most {DEPTH} levels deep, {NODES} parts in all.")
        if not isinstance(raw, dict):
            raise Unfit(f'{at}: must be a schema such as {{"type": "string"}}, {_instead(raw)}.')
        raw, within = self.resolved(raw, at, within)
        out: dict[str, Any] = {key: raw[key] for key in PLAIN if key in raw}
        _typed(raw, out, at, top=depth == 0)
        _described(out, at)
        if "properties" in raw:
            out["properties"] = self.properties(raw["properties"], at, within, depth)
        _required(out, at)
        if "array" in _types(out):
            if "items" not in raw:
                raise Unfit(f'{at}: an array needs `items`, such as "items": {{"type": "string"}}.')
            out["items"] = self.schema(raw["items"], f"{at}.items", within, depth + 1)
        for key in CHOICES:
            if key in raw:
                out[key] = self.choices(raw[key], f"{at}.{key}", within, depth)
        if "additionalProperties" in raw:
            more = raw["additionalProperties"]
            path = f"{at}.additionalProperties"
            out["additionalProperties"] = more if isinstance(more, bool) else self.schema(more, path, within, depth + 1)
        known = (*PLAIN, *SILENT, *CHOICES, "properties", "items", "additionalProperties", "$ref")
        self.ignored |= {str(key)[:40] for key in raw if key not in known}
        return out

    def resolved(self, raw: dict[str, Any], at: str, within: tuple[str, ...]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """A local reference becomes what it names; what stands beside it is kept. Raises Unfit."""
        while "$ref" in raw:
            name = raw["$ref"]
            found = re.fullmatch(r"#/(\$defs|definitions)/([^/~%]+)", name) if isinstance(name, str) else None
            table = self.root.get(found[1]) if found else None
            target = table.get(found[2]) if found and isinstance(table, dict) else None
            if not isinstance(target, dict):
                raise Unfit(f"{at}: the $ref {str(name)[:80]!r} leads to no schema under $defs.")
            if name in within:
                raise Unfit(f"{at}: the $ref {name[:80]!r} leads back to itself; a tool's schema must be finite.")
            within = (*within, name)
            raw = {**target, **{key: value for key, value in raw.items() if key != "$ref"}}
        return raw, within

    def properties(self, raw: object, at: str, within: tuple[str, ...], depth: int) -> dict[str, Any]:
        if not isinstance(raw, dict):
            raise Unfit(f"{at}.properties: must be an object of schemas by name, {_instead(raw)}.")
        for name in raw:
            if not NAME.fullmatch(name):
                raise Unfit(
                    f"{at}.properties: the name {json.dumps(name)[:80]} can't be used; take 1 to 64 letters, digits, "
                    "`_`, `.` and `-`."
                )
        return {name: self.schema(each, f"{at}.properties.{name}", within, depth + 1) for name, each in raw.items()}

    def choices(self, raw: object, at: str, within: tuple[str, ...], depth: int) -> list[dict[str, Any]]:
        if not isinstance(raw, list) or not raw:
            raise Unfit(f"{at}: must be a list of schemas, {_instead(raw) if raw != [] else 'not an empty one'}.")
        return [self.schema(each, f"{at}[{place}]", within, depth + 1) for place, each in enumerate(raw)]


def _types(schema: Mapping[str, Any]) -> tuple[str, ...]:
    kind = schema.get("type")
    return tuple(kind) if isinstance(kind, list) else (kind,) if isinstance(kind, str) else ()


def _typed(raw: Mapping[str, Any], out: dict[str, Any], at: str, *, top: bool) -> None:
    """The type is one that there is, and fits the rest. Raises Unfit."""
    kind = raw.get("type")
    given = kind if isinstance(kind, list) else [kind]
    if "type" in raw and (not given or len(set(map(str, given))) < len(given) or any(t not in TYPES for t in given)):
        raise Unfit(f"{at}: the type {json.dumps(kind, default=str)[:60]} isn't one of {', '.join(TYPES)}.")
    if "const" in out:
        out["enum"] = [out.pop("const")]
    if "enum" in out:
        _enumerated(out, at)
    if "type" not in out and not top and not any(key in raw for key in (*CHOICES, "enum")):
        raise Unfit(f"{at}: needs a type: one of {', '.join(TYPES)}.")


def _enumerated(out: dict[str, Any], at: str) -> None:
    values = out["enum"]
    if not isinstance(values, list) or not values:
        raise Unfit(f"{at}.enum: must be a list of values, at least one.")
    if any(isinstance(value, dict | list) for value in values):
        raise Unfit(f"{at}.enum: the values must be texts, numbers or booleans.")
    kinds = {_kind(value) for value in values}
    if "type" not in out:
        if len(kinds) != 1:
            raise Unfit(f"{at}: needs a type that all values of its enum have.")
        given = {"type": kinds.pop(), **out}  # in the order of PLAIN, so that a checked schema checks to the same bytes
        out.clear()
        out.update(given)
    elif not kinds <= {*_types(out), *(("integer",) if "number" in _types(out) else ())}:
        raise Unfit(f"{at}.enum: its values aren't of the type {json.dumps(out['type'])}.")


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case _:
            return "string"


def _described(out: Mapping[str, Any], at: str) -> None:
    if not isinstance(out.get("description", ""), str):
        raise Unfit(f"{at}.description: must be a text.")


def _required(out: dict[str, Any], at: str) -> None:
    if "required" not in out:
        return
    names, known = out["required"], out.get("properties", {})
    if not isinstance(names, list) or any(not isinstance(name, str) for name in names):
        raise Unfit(f"{at}.required: must be a list of property names.")
    if unknown := [name for name in names if name not in known]:
        raise Unfit(f"{at}.required: {json.dumps(unknown[0])[:80]} isn't among the properties.")
    out["required"] = list(dict.fromkeys(names))


def _by_the_book(schema: dict[str, Any]) -> None:
    """By the meta-schema of JSON Schema 2020-12. Raises Unfit."""
    from jsonschema import Draft202012Validator  # 60 ms to load, which a bot without custom tools never needs

    error = next(iter(Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(schema)), None)
    if error is not None:
        raise Unfit(f"{'.'.join(map(str, ['parameters', *error.absolute_path]))[:200]}: {error.message[:200]}.")


def _plain_json(value: object) -> bool:
    match value:
        case dict():
            return all(_plain_json(key) and _plain_json(each) for key, each in value.items())
        case list():
            return all(map(_plain_json, value))
        case float():
            return math.isfinite(value)
        case int():
            return abs(value) < 2**63
        case str():
            return "\0" not in value and not any("\ud800" <= char <= "\udfff" for char in value)
        case _:
            return True


def _sent(schema: dict[str, Any]) -> dict[str, Any]:
    """Keywords of `agent.tool.KEPT`, one type a schema: null stands for "left out", several types are choices."""
    out = {key: schema[key] for key in ("description", "enum", "required") if schema.get(key)}
    kinds = [kind for kind in _types(schema) if kind != "null"] or list(_types(schema))
    if "null" not in kinds and "enum" in out:
        out["enum"] = [value for value in out["enum"] if value is not None]
    choices = [_sent(each) for key in CHOICES[:2] for each in schema.get(key, ()) if each.get("type") != "null"]
    if len(kinds) == 1:
        out["type"] = kinds[0]
    elif kinds:
        choices += [_sent({**schema, "type": kind, "description": ""}) for kind in kinds]
    elif not choices:
        choices = [_sent(each) for each in schema.get("allOf", ())][:1]
    if choices:
        out["anyOf"] = choices
    if "object" in kinds[:1]:
        out["properties"] = {name: _sent(each) for name, each in schema.get("properties", {}).items()}
    if kinds == ["array"]:
        out["items"] = _sent(schema["items"])
    return out
