"""A custom tool as it is saved: what the model is told of it and what it runs; and the check of one entry. Pure."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agent.arguments import kind
from agent.toolschema import Unfit, sound

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")  # the rule of OpenAI's function names
DESCRIPTION = 1_024  # characters; OpenAI's limit
TEXT = 48_000  # bytes of a command or script: with its arguments it is one packet to the host, and one word to bash
RESERVED_PREFIX = "mcp"  # tools of MCP servers are named so
RESERVED = frozenset(
    {
        *("functions", "function", "tool", "tools", "multi_tool_use", "parallel", "python", "browser", "assistant"),
        *("user", "system", "none", "auto", "required", "any", "unnamed", "final", "answer", "done"),
        *("shell", "jobs", "read_file", "write_file", "edit_file", "list_dir", "search", "plan", "task_complete"),
        *("blocked", "save_tool", "delete_tool", "get_tool", "list_tools", "recent_sessions", "session_log"),
        *("web_search", "web_fetch", "subagent", "debate", "send_file"),
    }
)
INLINE = {"python": "-c", "pypy": "-c", "perl": "-e", "ruby": "-e", "node": "-e", "nodejs": "-e", "php": "-r"}
SHELLS = ("bash", "sh", "dash")
_FIRST_LINE = re.compile(r"#!\s*(?:/usr/bin/env\s+(?:-S\s+)?)?(\S+)([^\n]*)")
# Older files and other programs' name the same things so.
ALIASES = {
    "parameters": ("parameters", "input_schema", "inputSchema", "schema"),
    "command": ("command", "cmd"),
    "script": ("script", "code"),
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """A checked tool. `parameters` is the JSON text of its schema; `command` or `script` is not empty."""

    name: str
    description: str
    parameters: str
    command: str = ""
    script: str = ""

    @property
    def text(self) -> str:
        """What bash is given. Another interpreter that a first line names is given the whole text."""
        whole = self.command or self.script
        found = _FIRST_LINE.match(whole)
        option = INLINE.get(_program(found[1])) if found else None
        if found is None or option is None:
            return whole
        return f"exec {shlex.join([found[1], *found[2].split(), option])} {shlex.quote(whole)}"

    def entry(self) -> dict[str, Any]:
        """As it stands in the file."""
        runs = {"command": self.command} if self.command else {"script": self.script}
        described = {"name": self.name, "description": self.description}
        return {**described, "parameters": json.loads(self.parameters), **runs}


@dataclass(frozen=True, slots=True)
class Judged:
    """A fit entry, and what was put right in it, in words for the model."""

    recipe: Recipe
    remarks: tuple[str, ...] = ()


def judged(entry: object, taken: frozenset[str] = frozenset()) -> Judged:
    """Judge one entry by itself. `taken` are names of built-in tools. Raises Unfit naming the field and the shape."""
    if not isinstance(entry, Mapping):
        raise Unfit(f"the entry must be an object with name, description, parameters and command, not {kind(entry)}.")
    entry = _flat(entry)
    name = _name(entry.get("name"), taken)
    description = _text(entry.get("description"), "description", DESCRIPTION, "characters")
    field, runs = _runs(entry)
    checked = sound(_given(entry, "parameters"))
    _distinct(json.loads(checked.text))
    recipe = Recipe(name, description, checked.text, **{field: runs})
    return Judged(recipe, checked.remarks)


def variable(name: str) -> str:
    """The environment variable that an argument reaches the command as."""
    return "ARG_" + re.sub(r"[^a-zA-Z0-9_]", "_", name)


def _program(path: str) -> str:
    return path.rpartition("/")[2].rstrip("0123456789.")


def _flat(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """An entry in the shape of a chat request has its fields one level down."""
    inner = entry.get("function")
    return {**entry, **inner} if isinstance(inner, Mapping) else entry


def _given(entry: Mapping[str, Any], field: str) -> Any:
    found = next((name for name in ALIASES[field] if name in entry), None)
    if found is None and field == "parameters":
        raise Unfit(f"{field} is missing; give an object schema, {{}} for a tool without arguments.")
    return entry[found] if found else None


def _name(name: object, taken: frozenset[str]) -> str:
    if not isinstance(name, str) or not NAME.fullmatch(name):
        shown = json.dumps(name, default=str)[:80]
        raise Unfit(f"name: {shown} can't be a tool's name; take 1 to 64 letters, digits, `_` and `-`.")
    folded = name.casefold()
    if folded in {each.casefold() for each in taken} or folded in RESERVED:
        raise Unfit(f"name: {name!r} is reserved: a built-in tool's name is refused. Take another name.")
    if re.match(rf"{RESERVED_PREFIX}[_-]", folded):
        raise Unfit(f"name: names that begin with {RESERVED_PREFIX}_ are reserved for tools of MCP servers.")
    return name


def _runs(entry: Mapping[str, Any]) -> tuple[str, str]:
    """Which of the two fields is given, and what it says."""
    given = {field: value for field in ("command", "script") if (value := _given(entry, field)) not in (None, "")}
    if len(given) != 1:
        what = "both are given" if given else "neither is given"
        raise Unfit(f"command or script: {what}; give exactly one, a bash command or a script's whole text.")
    ((field, value),) = given.items()
    text = _text(value, field, TEXT, "bytes")
    if "\0" in text:
        raise Unfit(f"{field}: holds a NUL character, which no command can have.")
    found = _FIRST_LINE.match(text)
    if found and (program := _program(found[1])) not in (*INLINE, *SHELLS):
        known = ", ".join((*SHELLS, *INLINE))
        raise Unfit(f"{field}: its first line names {program[:40]!r}; known are {known}. Start that from bash instead.")
    return field, text


def _text(value: object, field: str, limit: int, unit: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise Unfit(f"{field}: must be a text that isn't empty, not {kind(value)}.")
    try:
        size = len(value.encode()) if unit == "bytes" else len(value)
        value.encode()
    except UnicodeEncodeError:
        raise Unfit(f"{field}: holds half of a surrogate pair, which is no character.") from None
    if size > limit:
        raise Unfit(f"{field}: has {size:,} {unit}, of at most {limit:,}.")
    return value


def _distinct(schema: Mapping[str, Any]) -> None:
    """Each argument has a variable of its own. Raises Unfit."""
    seen: dict[str, str] = {}
    for name in schema["properties"]:
        other = seen.setdefault(variable(name), name)
        if other != name:
            raise Unfit(f"parameters: {other!r} and {name!r} would both be ${variable(name)}; rename one.")
