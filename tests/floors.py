"""The floors of the program as data, and a checker that holds a file's imports and size against them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Floor(Enum):
    FACTS = 0
    RULES = 1
    EDGES = 2
    ENGINE = 3
    CHAT = 4
    ROOTS = 5
    DOOR = "what agent/__init__ exports"


_CHILDREN = ("asking", "answering", "child", "children", "legs")
BY_FLOOR = {
    Floor.FACTS: ("steps", "values", "errors"),
    Floor.RULES: (
        *("ports", "tables", "tool", "panel", "messages", "resume", "relay", "actions", "backoff", "decisions"),
        *("ledger", "outcome", "signature", "complaint", "phrases", "commandline", "checkpoint", "policy"),
        *(
            "prices",
            "intent",
            "errorwords",
            "masking",
            "errno",
            "facts",
            "openerrors",
            "entries",
            "barren",
            "arguments",
        ),
        "machine",
        *("causes", "why", "acts"),
        *("verdict", "plan", "evidence", "testruns", "drift"),
        *("lineage", "critic", "debating"),
        *("room", "shown", "window", "tiers", "talk", "shorter", "pictures"),
        *("registry", "recipe", "toolschema", "fitting", "toolbox"),
        "guards",
    ),
    Floor.EDGES: (
        *("store", "models", "host", "sandbox", "redact", "undo", "workshop", "mcp", "web", "tools", "probes"),
        *("failpoints", "clock", "lock", "hearing"),
    ),
    Floor.ENGINE: (
        *("loop", "session", "folds", "writing", "hub", "settle", "edges", "handoff", "slots", "offering", "dropping"),
        *_CHILDREN,
    ),
    Floor.ROOTS: ("__main__", "settings", "catalogue", "log", "behind", "opening", "backtest", "eval", "demo"),
}
FLOORS: dict[str, Floor] = {
    "agent": Floor.DOOR,
    **{f"agent.{name}": floor for floor, names in BY_FLOOR.items() for name in names},
    "bot": Floor.CHAT,
    "bot.__main__": Floor.ROOTS,
    "bot.cli": Floor.ROOTS,
    "bot.demo": Floor.ROOTS,
    "bot.service": Floor.ROOTS,
    "bot.models": Floor.ROOTS,
    "bot.parts": Floor.ROOTS,
    "bot.wiring": Floor.ROOTS,
    "bot.retention": Floor.ROOTS,
    "bot.doctor": Floor.ROOTS,
    "bot.listing": Floor.ROOTS,
    "bot.first": Floor.ROOTS,
}
PURE_CHAT = (
    "bot.card",
    "bot.oneline",
    "bot.parcel",
    "bot.awaiting",
    "bot.modelwords",
    "bot.doctorwords",
    "bot.trouble",
    "bot.because",
    "bot.verdict",
    "bot.amounts",
    "bot.footer",
    "bot.spent",
    "bot.markup",
    "bot.words",
    "bot.details",
    "bot.journal",
    "bot.channel",
    "bot.undo",
)

MAY_IMPORT: dict[Floor, frozenset[Floor]] = {
    Floor.FACTS: frozenset({Floor.FACTS}),
    Floor.RULES: frozenset({Floor.FACTS, Floor.RULES}),
    Floor.EDGES: frozenset({Floor.FACTS, Floor.RULES}),
    Floor.ENGINE: frozenset({Floor.FACTS, Floor.RULES, Floor.ENGINE}),
    Floor.DOOR: frozenset({Floor.FACTS, Floor.RULES, Floor.ENGINE}),
    Floor.CHAT: frozenset({Floor.DOOR, Floor.CHAT}),
    Floor.ROOTS: frozenset(Floor),
}
IMPURE = frozenset(
    {
        *("asyncio", "threading", "multiprocessing", "concurrent", "subprocess", "signal", "select", "selectors"),
        *("os", "io", "shutil", "tempfile", "glob", "fcntl", "sqlite3", "logging", "importlib"),
        *("socket", "ssl", "http", "urllib.request", "time", "random", "secrets", "uuid"),
    }
)
PURE_LIBRARIES = frozenset({"pydantic", "telegramify_markdown", "tree_sitter", "pathspec", "jsonschema"})
LIBRARIES: dict[str, frozenset[str]] = {
    "agent.store": frozenset({"asyncpg"}),
    "agent.settle": frozenset({"pydantic"}),
    "agent.mcp": frozenset({"mcp", "mcp_types", "anyio", "httpx2", "pydantic"}),
    "agent.models": frozenset({"httpx2", "anyio", "pydantic"}),
    "agent.hearing": frozenset({"httpx2"}),
    "agent.web": frozenset({"httpx2", "selectolax", "ddgs"}),
    "agent.tools": frozenset({"aiofiles", "pydantic", "pathspec"}),
    "agent.probes": frozenset({"pydantic", "pathspec"}),
    "bot": frozenset({"telegramify_markdown", "click", "rich"}),
    "bot.channels": frozenset({"telegram", "httpx"}),
}
CHAT_LIBRARIES = frozenset({"telegram", "slack_sdk", "discord", "aiogram"})
ENVIRONMENT = frozenset({"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"})
READS_ENVIRONMENT = "agent.settings"

LONGEST_MODULE = 300
LONGEST_FUNCTION = 40


@dataclass(frozen=True, slots=True)
class Module:
    """A parsed file: its dotted name and its text."""

    name: str
    source: str

    @property
    def tree(self) -> ast.Module:
        return _parsed(self.source)


@cache
def _parsed(source: str) -> ast.Module:
    return ast.parse(source)


def modules() -> list[Module]:
    """Every file of the program."""
    out = []
    for file in sorted([*ROOT.glob("agent/**/*.py"), *ROOT.glob("bot/**/*.py")]):
        parts = file.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        out.append(Module(name, file.read_text("utf-8")))
    return out


def floor_of(name: str) -> Floor | None:
    """The floor of a module, by its longest prefix in the table; None if it isn't there. The door is `agent` alone."""
    if name == "agent":
        return Floor.DOOR
    if name.startswith("bot.cli"):
        return Floor.ROOTS
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        prefix = ".".join(parts[:end])
        if prefix in FLOORS and prefix != "agent":
            return FLOORS[prefix]
    return None


def imports(module: Module) -> Iterator[tuple[int, str, str]]:
    """(line, module, name taken from it or "") of each import, wherever in the file it stands."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = ("." * node.level) + (node.module or "")
            yield from ((node.lineno, source, alias.name) for alias in node.names)


def violations(module: Module, exported: frozenset[str]) -> list[str]:
    """What is wrong with a file's imports; `exported` are the names that agent/__init__ offers."""
    floor = floor_of(module.name)
    if floor is None:
        return [f"{module.name} stands on no floor: add it to the table"]
    out = []
    for line, source, name in imports(module):
        why = _why_not(module.name, floor, source, name, exported)
        if why:
            out.append(f"{module.name}:{line} imports {source}{' ' + name if name else ''}: {why}")
    return out + [f"{module.name}:{line} reads the environment" for line in environment_reads(module)]


def _why_not(importer: str, floor: Floor, source: str, name: str, exported: frozenset[str]) -> str:
    if source.startswith("."):
        return "relative imports hide their floor"
    if source.split(".")[0] in ("agent", "bot"):
        return _why_not_ours(importer, floor, source, name, exported)
    return "" if floor is Floor.ROOTS else _why_not_theirs(importer, floor, source)


def _why_not_ours(importer: str, floor: Floor, source: str, name: str, exported: frozenset[str]) -> str:
    target = _target(source, name)
    found = floor_of(target)
    if source == "agent" and floor is Floor.CHAT:
        return "" if name in exported else "agent does not export it"
    if importer.startswith("agent.guards.") and _is_other_plugin(importer, target, "agent.guards"):
        return "a guard knows no other guard"
    if floor is Floor.EDGES and found is Floor.EDGES:
        return "" if _edge(importer) == _edge(target) else "an edge knows no other edge"
    if found in MAY_IMPORT[floor]:
        return ""
    return f"{floor.name.lower()} may not import {found.name.lower() if found else 'what stands on no floor'}"


def _target(source: str, name: str) -> str:
    """`from agent import panel` means agent.panel, if there is such a module."""
    inner = f"{source}.{name}"
    return inner if source == "agent" and inner in FLOORS else source


def _is_other_plugin(importer: str, target: str, package: str) -> bool:
    parts = target.removeprefix(f"{package}.").split(".")
    return target.startswith(f"{package}.") and target != importer and not any(part.startswith("_") for part in parts)


def _edge(name: str) -> str:
    return ".".join(name.split(".")[:2])


def _why_not_theirs(importer: str, floor: Floor, source: str) -> str:
    top = source.split(".")[0]
    if top in CHAT_LIBRARIES and not importer.startswith("bot.channels."):
        return "a chat library outside bot/channels"
    pure = floor is Floor.RULES or importer in PURE_CHAT
    if pure and (top in IMPURE or source in IMPURE):
        return "this floor is pure"
    if top in sys.stdlib_module_names:
        return "importlib hides the floor" if top == "importlib" else ""
    if pure and (top in PURE_LIBRARIES or top.startswith("tree_sitter")):
        return ""
    owned = {library for prefix, own in LIBRARIES.items() if f"{importer}.".startswith(f"{prefix}.") for library in own}
    return "" if top in owned else "not a library of this floor"


def environment_reads(module: Module) -> list[int]:
    """Lines that touch the process's environment outside of settings."""
    if f"{module.name}.".startswith(f"{READS_ENVIRONMENT}."):
        return []
    lines = [
        node.lineno
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute)
        and node.attr in ENVIRONMENT
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
    ]
    return lines + [line for line, source, name in imports(module) if source == "os" and name in ENVIRONMENT]


def too_long(module: Module) -> list[str]:
    """The file, and each function in it, that is longer than the house rules allow."""
    lines = module.source.count("\n")
    out = [f"{module.name} has {lines} lines, of {LONGEST_MODULE}"] if lines > LONGEST_MODULE else []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            size = (node.end_lineno or node.lineno) - node.lineno + 1
            if size > LONGEST_FUNCTION:
                out.append(f"{module.name}:{node.lineno} {node.name} has {size} lines, of {LONGEST_FUNCTION}")
    return out
