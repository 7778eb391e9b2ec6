"""What a Python file gives and takes, by its syntax tree. Names bound under any condition count as given."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from agent.drift.shape import UNKNOWN, Source, Style, Use

MODULES = re.compile(rb"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import\b|import[ \t]+([\w.]+))", re.MULTILINE)
PASSES_ON = re.compile(rb"import[ \t]+\*")

# The attributes that each module has (Python language reference, "Module objects").
_BORN_WITH = frozenset({
    "__name__", "__doc__", "__file__", "__loader__", "__package__", "__spec__", "__path__", "__dict__",
    "__builtins__", "__annotations__", "__cached__", "__class__",
})  # fmt: skip
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_DYNAMIC = frozenset({"globals", "exec", "eval", "vars", "__import__"})


def read(text: bytes) -> Source:
    """UNKNOWN for what is no Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return UNKNOWN
    bound = set(_bound(tree)) | _BORN_WITH
    passed, told = _passed(tree, bound)
    return Source(
        style=Style.PYTHON,
        uses=tuple(_uses(tree.body, guarded=False)),
        gives=frozenset(bound),
        passes=passed if told else None,
        stars=tuple(_stars(tree)),
        open="__getattr__" in bound or any(map(_is_dynamic, ast.walk(tree))),
    )


def _bound(tree: ast.Module) -> Iterator[str]:
    """The names that the module's own scope may bind, and those that a function declares to be global."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield from node.names
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        yield from _names(node)
        if not isinstance(node, _SCOPES):
            waiting += ast.iter_child_nodes(node)


def _names(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.alias(name=name, asname=asname) if name != "*":
            yield asname or name.partition(".")[0]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name
        case _:
            pass


def _passed(tree: ast.Module, bound: set[str]) -> tuple[frozenset[str], bool]:
    """The names that a star import gets, and whether that is sure."""
    if "__all__" not in bound:
        return frozenset(name for name in bound if not name.startswith("_")), True
    listed: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _is_all(node.value):
            return frozenset(), False
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(map(_is_all, targets)):
                names = _literal(node.value)
                if names is None:
                    return frozenset(), False
                listed |= names
    return frozenset(listed), True


def _is_all(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "__all__"


def _literal(node: ast.expr | None) -> set[str] | None:
    try:
        found = ast.literal_eval(node) if node is not None else None
    except (ValueError, TypeError, RecursionError):
        return None
    return set(found) if isinstance(found, list | tuple) and all(isinstance(each, str) for each in found) else None


def _stars(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            yield _module(node)


def _uses(body: list[ast.stmt], guarded: bool) -> Iterator[Use]:
    """Imports by name; those whose failure is expected are not held against anybody."""
    for node in body:
        if isinstance(node, ast.ImportFrom) and not guarded:
            module = _module(node)
            yield from (Use(alias.lineno, module, alias.name) for alias in node.names if alias.name != "*")
        inside = guarded or _expects_failure(node)
        for name, value in ast.iter_fields(node):
            if name in ("body", "orelse", "finalbody") and isinstance(value, list):
                yield from _uses(value, inside)
            elif name in ("handlers", "cases"):
                yield from (use for part in value for use in _uses(part.body, inside))


def _expects_failure(node: ast.stmt) -> bool:
    if isinstance(node, ast.Try | ast.TryStar):
        return bool(node.handlers)
    if isinstance(node, ast.With):
        return any("suppress" in (told := ast.dump(item.context_expr)) or "raises" in told for item in node.items)
    return False


def _is_dynamic(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name), args=args):
            return name in _DYNAMIC and not (name == "vars" and args)
        case ast.Attribute(value=ast.Name(id="sys"), attr="modules"):
            return True
        case _:
            return False


def _module(node: ast.ImportFrom) -> str:
    return "." * node.level + (node.module or "")
