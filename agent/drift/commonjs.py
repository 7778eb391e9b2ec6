"""What a CommonJS file gives (`module.exports`, `exports.x`) and takes (`require`, `import()`), where that is plain to
see. Whatever else is done with `exports` makes it open: it may give more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Language, Node

from agent.drift.queries import matches, nodes, text, within
from agent.drift.shape import Use

_EXPORTS = '((identifier) @i (#any-of? @i "exports" "module"))'
_REQUIRED = """
(variable_declarator name: (object_pattern) @taken
  value: (call_expression function: (identifier) @by arguments: (arguments . (string) @module .)) (#eq? @by "require"))
(variable_declarator name: (object_pattern) @taken
  value: (await_expression (call_expression function: (import) arguments: (arguments . (string) @module .))))
(member_expression
  object: (call_expression function: (identifier) @by arguments: (arguments . (string) @module .))
  property: (property_identifier) @taken (#eq? @by "require"))
"""
_EXPECTS_FAILURE = frozenset({"try_statement", "if_statement", "ternary_expression"})
_KEYS = ("property_identifier", "string", "shorthand_property_identifier")


@dataclass(slots=True)
class CommonJs:
    gives: set[str] = field(default_factory=set)
    stars: list[str] = field(default_factory=list)
    found: bool = False
    open: bool = False

    def read(self, root: Node, language: Language) -> None:
        for node in nodes(language, _EXPORTS, root):
            if text(node) == "exports":
                self._exports(node)
            else:
                self._module(node)

    def _module(self, node: Node) -> None:
        above = node.parent
        if above is None or above.type == "binary_expression":
            return  # require.main === module
        if above.type == "member_expression" and above.child_by_field_name("object") == node:
            if text(above.child_by_field_name("property")) == "exports":
                self._exports(above, whole=True)
            return
        self.found = self.open = True

    def _exports(self, node: Node, whole: bool = False) -> None:
        """`node` is `exports` or `module.exports`; only the latter can be replaced as a whole."""
        self.found = True
        above = node.parent
        match above.type if above is not None else "":
            case "member_expression" if above is not None and above.child_by_field_name("object") == node:
                if _is_assigned(above):
                    self.gives.add(text(above.child_by_field_name("property")))
            case "assignment_expression" if above is not None and above.child_by_field_name("left") == node:
                self._replaced(above.child_by_field_name("right"), whole)
            case "assignment_expression" if above is not None and whole:
                pass  # exports = module.exports
            case "arguments" if above is not None:
                self._argument(node, above)
            case _:
                self.open = True

    def _replaced(self, right: Node | None, whole: bool) -> None:
        if right is None:
            return
        match right.type:
            case "object" if whole:
                self._object(right)
            case "call_expression" if whole and (module := _required(right)):
                self.stars.append(module)
            case "assignment_expression" | "member_expression" if "exports" in text(right).partition("=")[0]:
                pass  # exports = module.exports = ...: the inner one counts
            case _:
                self.open = True

    def _object(self, given: Node) -> None:
        for entry in given.named_children:
            key = entry.child_by_field_name("key") or entry.child_by_field_name("name")
            if entry.type == "shorthand_property_identifier":
                self.gives.add(text(entry))
            elif key is not None and key.type in _KEYS:
                self.gives.add(text(key))
            elif entry.type == "spread_element" and (module := _required(entry.named_children[0])):
                self.stars.append(module)
            elif entry.type != "comment":
                self.open = True

    def _argument(self, node: Node, arguments: Node) -> None:
        call = arguments.parent
        called = text(call.child_by_field_name("function")) if call is not None else ""
        given = arguments.named_children
        if called == "Object.defineProperty" and given[0] == node and len(given) > 1 and given[1].type == "string":
            self.gives.add(text(given[1]))
        elif called.endswith("__exportStar") and (module := _required(given[0])):
            self.stars.append(module)
        else:
            self.open = True


def requires(root: Node, language: Language, source: bytes) -> Iterator[Use]:
    """The names that are taken of what `require` or `import()` gives at once."""
    if b"require" not in source and b"import(" not in source:
        return
    for found in matches(language, _REQUIRED, root):
        taken, module = found["taken"], text(found["module"])
        if within(taken, _EXPECTS_FAILURE) or _is_optional(taken):
            continue
        for name in _wanted(taken):
            yield Use(name.start_point[0] + 1, module, text(name))


def _wanted(taken: Node) -> Iterator[Node]:
    if taken.type == "property_identifier":
        yield taken
        return
    for entry in taken.named_children:
        if entry.type == "shorthand_property_identifier_pattern":
            yield entry
        elif entry.type == "pair_pattern":
            key, value = entry.child_by_field_name("key"), entry.child_by_field_name("value")
            plain = value is not None and value.type != "assignment_pattern"  # one with a default may be missing
            if key is not None and key.type == "property_identifier" and plain:
                yield key


def _is_optional(taken: Node) -> bool:
    """`require(...).x = `, or `?.`, or `|| other`: it needn't be there."""
    member = taken.parent
    if taken.type != "property_identifier" or member is None or member.parent is None:
        return False
    beside = member.parent
    return (
        _is_assigned(member)
        or beside.type in ("binary_expression", "unary_expression")
        or b"?." in (beside.text or b"")
    )


def _is_assigned(node: Node) -> bool:
    above = node.parent
    return above is not None and above.type == "assignment_expression" and above.child_by_field_name("left") == node


def _required(node: Node) -> str:
    """The module of a plain `require("...")`, else ""."""
    if node.type != "call_expression" or text(node.child_by_field_name("function")) != "require":
        return ""
    arguments = node.child_by_field_name("arguments")
    given = arguments.named_children if arguments is not None else []
    return text(given[0]) if len(given) == 1 and given[0].type == "string" else ""
