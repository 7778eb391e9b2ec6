"""What a tool is to the model: its schema on the way out, its arguments on the way in. Pure: nothing runs here.

A bad call is never an exception: it comes back as BadArguments, whose text the model can act on.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, ValidationError

from agent.arguments import SHOWN_NAME, Unreadable, has_half, kind, quoted, read
from agent.ports import Tool
from agent.steps import ToolSpec

SHOWN_PROBLEMS = 6
LONGEST_NUMBER = 15  # digits of a number sent as text: below 2**53, so that no reader rounds it

HALF = "holds half of a surrogate pair, which is no character; send the whole character"

WRITTEN = (
    "Not run: you wrote this call as plain text. Call the tool itself, or answer in words; if the user asked to see "
    "such text, put a sentence before it."
)

# What every provider understands. Limits, formats and defaults are checked here, and told in the descriptions.
KEPT = ("type", "description", "enum", "items", "properties", "required")


class Arguments(BaseModel):
    """Base of the arguments of our own tools: nothing surplus, no silent conversion."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


@dataclass(frozen=True, slots=True)
class BadArguments:
    """Why a call can't run, worded for the model: each field that is wrong, and the fields expected."""

    text: str


@runtime_checkable
class Described(Protocol):
    """A tool that a schema of others describes: it says itself what is offered and what its arguments are."""

    def spec(self) -> ToolSpec: ...
    def parse(self, arguments: str) -> Any:
        """What `run` takes, or BadArguments. Raises nothing."""


@runtime_checkable
class Commanding(Protocol):
    """A tool whose calls come to a shell command."""

    def command(self, args: Any) -> str:
        """The text that the policy judges, the arguments as assignments before it."""


@runtime_checkable
class TakenUp(Protocol):
    """A tool whose call goes on after a crash where it stood, though it writes: what it began is found again."""

    takes_up: bool


def spec(tool: Tool) -> ToolSpec:
    """What the model is offered. The same tool gives the same bytes in every process.

    Raises ValueError for an arguments model that refers to itself: no provider takes such a schema.
    """
    if isinstance(tool, Described):
        return tool.spec()
    parameters = json.dumps(_schema(tool.arguments), ensure_ascii=False, separators=(",", ":"))
    return ToolSpec(name=tool.name, description=tool.description, parameters=parameters)


def parse(tool: Tool, arguments: str) -> BaseModel | BadArguments:
    """The arguments of a call, validated; or why nothing may run. Never raises.

    JSON text that holds the object as a string is decoded once. Fences, trailing commas and raw line breaks inside a
    string are mended; what was cut off is not, since half a command is another command. A null for an optional field
    counts as left out; a number or a boolean may come as text where it can mean nothing else.
    """
    if isinstance(tool, Described):
        described: BaseModel | BadArguments = tool.parse(arguments)
        return described
    try:
        given = read(arguments)
    except Unreadable as error:
        return _bad(tool, [str(error)])
    fields = _schema(tool.arguments)["properties"]
    required = _schema(tool.arguments).get("required", [])
    surplus = [f"{quoted(name)}: no such field{_meant(name, fields)}" for name in given if name not in fields]
    plain = {
        name: _converted(value, fields.get(name, {}).get("type"))
        for name, value in given.items()
        if name in fields and (value is not None or name in required)
    }
    try:
        problems = surplus + [f"{name}: {HALF}" for name, value in plain.items() if has_half(value)]
        parsed = tool.arguments.model_validate(plain, strict=True)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False)
        return _bad(
            tool, problems + [_problem(each["type"], each["loc"], each["msg"], each["input"]) for each in details]
        )
    except RecursionError:
        return _bad(tool, ["the values are nested too deeply"])
    return _bad(tool, problems) if problems else parsed


def command_of(tool: Tool, args: Any) -> str:
    """The shell command that a call comes to; "" for a tool that isn't made of one."""
    return tool.command(args) if isinstance(tool, Commanding) else ""


def nearest(name: str, names: Iterable[str]) -> list[str]:
    """Up to three of `names` that look like `name`, best first."""
    known = {each.lower(): each for each in names}
    return [known[each] for each in difflib.get_close_matches(name[:SHOWN_NAME].lower(), known, n=3, cutoff=0.5)]


def unknown(name: str, names: Sequence[str]) -> str:
    """The answer to a call of a tool that doesn't exist."""
    offered = ", ".join(names) or "none"
    return f"There is no tool {quoted(name)}{_meant(name, names)}; nothing was run. Your tools: {offered}."


# -- the schema -----------------------------------------------------------------------------------------------------
@lru_cache(maxsize=256)
def _schema(model: type[BaseModel]) -> dict[str, Any]:
    raw = model.model_json_schema()
    plain = _plain(raw, raw.get("$defs", {}), ())
    plain.pop("description", None)  # the class's docstring: the tool has a description of its own
    return plain


def _plain(raw: dict[str, Any], defs: dict[str, Any], within: tuple[str, ...]) -> dict[str, Any]:
    """`raw` with references put in place and only the keywords of KEPT."""
    raw, within = _unwrapped(raw, defs, within)
    out: dict[str, Any] = {key: raw[key] for key in KEPT if key in raw}
    if "const" in raw:
        out["enum"] = [raw["const"]]
    if "anyOf" in raw:
        out["anyOf"] = [_plain(each, defs, within) for each in raw["anyOf"]]
    if out.get("type") == "object":
        out["properties"] = {name: _plain(each, defs, within) for name, each in raw.get("properties", {}).items()}
    if out.get("type") == "array":
        out["items"] = _plain(raw.get("items") or {"type": "string"}, defs, within)
    return out


def _unwrapped(
    raw: dict[str, Any], defs: dict[str, Any], within: tuple[str, ...]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A reference becomes what it names, "X or null" becomes X; what stands beside them is kept."""
    while True:
        choices = [each for each in raw.get("anyOf", ()) if each.get("type") != "null"]
        if "$ref" in raw:
            name = raw["$ref"].rpartition("/")[2]
            if name in within:
                raise ValueError(f"{name} refers to itself: a tool's arguments must be a finite schema")
            within = (*within, name)
            inner = defs[name]
        elif len(choices) == 1:
            inner = choices[0]
        else:
            return raw, within
        raw = {**inner, **{key: value for key, value in raw.items() if key not in ("$ref", "anyOf")}}


def _short(tool: Tool) -> str:
    schema = _schema(tool.arguments)
    required = schema.get("required", [])
    fields = [f"{name}{'' if name in required else '?'}: {_type(each)}" for name, each in schema["properties"].items()]
    return f"{tool.name}({', '.join(fields)})"


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return "|".join(json.dumps(each, ensure_ascii=False) for each in schema["enum"])
    if "items" in schema:
        return f"array of {_type(schema['items'])}"
    return str(schema.get("type", "any"))


# -- the arguments --------------------------------------------------------------------------------------------------
def _converted(value: Any, expected: str | None) -> Any:
    """A number or boolean that came as text, where it can mean nothing else; else the value as it is."""
    match expected, value:
        case "boolean", "true" | "false":
            return value == "true"
        case (("integer" | "number"), str()) if re.fullmatch(rf"-?[0-9]{{1,{LONGEST_NUMBER}}}", value):
            return int(value)
        case "integer", float() if value.is_integer() and abs(value) < 10**LONGEST_NUMBER:
            return int(value)
        case _:
            return value


# -- the words ------------------------------------------------------------------------------------------------------
def _bad(tool: Tool, problems: list[str]) -> BadArguments:
    more = len(problems) - SHOWN_PROBLEMS
    told = "; ".join(problems[:SHOWN_PROBLEMS]) + (f"; and {more} more" if more > 0 else "")
    return BadArguments(
        f"Bad arguments, nothing was run: {told}. Expected: {_short(tool)}. Call again with one complete JSON object."
    )


def _problem(fault: str, place: tuple[int | str, ...], message: str, value: Any) -> str:
    field = ".".join(str(part)[:SHOWN_NAME] for part in place) or "arguments"
    match fault:
        case "missing":
            return f"{field}: is missing"
        case "float_type" if isinstance(value, int) and not isinstance(value, bool):
            return f"{field}: is too large a number"
        case "value_error":
            return f"{field}: {message.removeprefix('Value error, ')}"
        case _ if fault.endswith(("_type", "_parsing")):
            return f"{field}: {message.replace('Input should', 'should')}, not {kind(value)}"
        case _:
            return f"{field}: {message.replace('Input should', 'should')}"


def _meant(name: str, names: Iterable[str]) -> str:
    near = nearest(name, names)
    return f" (did you mean {' or '.join(near)}?)" if near else ""
