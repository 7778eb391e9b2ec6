"""Arguments of a tool that a schema of others describes: read, eased where they can mean one thing alone, and held
against the schema. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from agent.arguments import Unreadable, has_half, quoted, read
from agent.tool import HALF, SHOWN_PROBLEMS, BadArguments, nearest

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

NUMBER = re.compile(r"-?[0-9]{1,15}")  # below 2**53, so that no reader rounds it
SAID = 160  # characters of one problem


def fitted(name: str, schema: str, arguments: str) -> dict[str, Any] | BadArguments:
    """The arguments of a call of the tool `name`, by the schema that `agent.toolschema.sound` has checked; or why
    nothing may run. A null for a field that isn't required counts as left out. Never raises."""
    whole, validator = _validator(schema)
    try:
        given = read(arguments)
    except Unreadable as error:
        return _bad(name, whole, [str(error)])
    fields, required = whole["properties"], whole.get("required", [])
    plain = {
        key: _eased(value, fields.get(key, {}))
        for key, value in given.items()
        if value is not None or key in required or _takes_null(fields.get(key, {}))
    }
    problems = [] if "additionalProperties" in whole else _surplus(plain, fields)
    problems += [f"{quoted(key)}: {HALF}" for key, value in plain.items() if has_half({key: value})]
    problems += [_told(error) for error in validator.iter_errors(plain)]
    return _bad(name, whole, problems) if problems else plain


def short(name: str, schema: Mapping[str, Any]) -> str:
    """The call in one line: greet(who: string, times?: integer)."""
    required = schema.get("required", [])
    fields = [f"{key}{'' if key in required else '?'}: {_type(each)}" for key, each in schema["properties"].items()]
    return f"{name}({', '.join(fields)})"


@lru_cache(maxsize=256)
def _validator(schema: str) -> tuple[dict[str, Any], Draft202012Validator]:
    whole = json.loads(schema)
    return whole, _dialect()(whole)


@cache
def _dialect() -> type[Draft202012Validator]:
    """JSON Schema, but for `uniqueItems`: the library compares each with each where they can't be sorted, which for
    three thousand objects takes seconds."""
    from jsonschema import Draft202012Validator, ValidationError, validators

    def unique(validator: Any, wanted: object, instance: object, schema: object) -> Iterator[ValidationError]:
        if wanted and isinstance(instance, list) and len({_canonical(each) for each in instance}) < len(instance):
            yield ValidationError("an item is there more than once")

    dialect: type[Draft202012Validator] = validators.extend(  # type: ignore[no-untyped-call]
        Draft202012Validator, {"uniqueItems": unique}
    )
    return dialect


def _canonical(value: Any) -> str:
    """The same text for values that are equal in JSON: 1 and 1.0 are, 1 and true aren't."""
    match value:
        case float() if value.is_integer():
            return str(int(value))
        case list():
            return f"[{','.join(map(_canonical, value))}]"
        case dict():
            return f"{{{','.join(f'{json.dumps(key)}:{_canonical(value[key])}' for key in sorted(value))}}}"
        case _:
            return json.dumps(value)


def _takes_null(field: Mapping[str, Any]) -> bool:
    kinds = [field, *field.get("anyOf", ()), *field.get("oneOf", ())]
    return any(each.get("type") == "null" or "null" in (each.get("type") or ()) for each in kinds)


def _eased(value: Any, field: Mapping[str, Any]) -> Any:
    """A number or boolean that came as text, where it can mean nothing else; else the value as it is."""
    match field.get("type"), value:
        case "boolean", "true" | "false":
            return value == "true"
        case (("integer" | "number"), str()) if NUMBER.fullmatch(value):
            return int(value)
        case _:
            return value


def _surplus(given: Mapping[str, Any], fields: Mapping[str, Any]) -> list[str]:
    out = []
    for key in given:
        if key not in fields:
            near = nearest(key, fields)
            out.append(f"{quoted(key)}: no such field{f' (did you mean {near[0]}?)' if near else ''}")
    return out


def _told(error: ValidationError) -> str:
    place = ".".join(str(part)[:64] for part in error.absolute_path) or "arguments"
    message = error.message if len(error.message) <= SAID else f"doesn't fit ({error.validator})"
    return f"{place}: {message}"


def _bad(name: str, schema: Mapping[str, Any], problems: list[str]) -> BadArguments:
    more = len(problems) - SHOWN_PROBLEMS
    told = "; ".join(problems[:SHOWN_PROBLEMS]) + (f"; and {more} more" if more > 0 else "")
    return BadArguments(
        f"Bad arguments, nothing was run: {told}. Expected: {short(name, schema)}. Call again with one complete JSON "
        "object."
    )


def _type(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "|".join(json.dumps(each, ensure_ascii=False) for each in schema["enum"])
    if "items" in schema:
        return f"array of {_type(schema['items'])}"
    kind = schema.get("type", "any")
    return "|".join(kind) if isinstance(kind, list) else str(kind)
