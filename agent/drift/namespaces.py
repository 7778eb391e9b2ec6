"""The members that a file takes of its `import * as` names. A name that is declared anew anywhere tells nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tree_sitter import Language, Node

from agent.drift.queries import matches, nodes, text, within
from agent.drift.shape import Take, Use

_MEMBERS = "(member_expression object: (identifier) @of property: (property_identifier) @name)"
_TYPES = "(nested_type_identifier module: (identifier) @of name: (type_identifier) @name)"
_AGAIN = """
(variable_declarator name: (identifier) @again)
(arrow_function parameter: (identifier) @again) (catch_clause parameter: (identifier) @again)
(shorthand_property_identifier_pattern) @again (pair_pattern value: (identifier) @again)
(function_declaration name: (identifier) @again)
"""
_AGAIN_PLAIN = "(formal_parameters (identifier) @again)"
_AGAIN_TYPED = "(required_parameter pattern: (identifier) @again) (optional_parameter pattern: (identifier) @again)"
_ASKED_FIRST = frozenset({"if_statement", "ternary_expression", "try_statement", "binary_expression",
                          "unary_expression"})  # fmt: skip


def members(root: Node, language: Language, dialect: str, namespaces: Mapping[str, str]) -> Iterator[Use]:
    """`namespaces`: name in the file -> module."""
    typed = dialect != "js"
    again = {text(node) for node in nodes(language, _AGAIN + (_AGAIN_TYPED if typed else _AGAIN_PLAIN), root)}
    for found in matches(language, _MEMBERS + (_TYPES if typed else ""), root):
        of, name = text(found["of"]), found["name"]
        if of not in namespaces or of in again or text(name) == "default" or _may_lack(name):
            continue
        yield Use(name.start_point[0] + 1, namespaces[of], text(name), Take.NAMESPACE)


def _may_lack(name: Node) -> bool:
    """Whether the code asks first, or puts the member there itself."""
    member = name.parent
    above = member.parent if member is not None else None
    if member is None or above is None or within(name, _ASKED_FIRST):
        return True
    assigned = above.type == "assignment_expression" and above.child_by_field_name("left") == member
    return assigned or b"?." in (above.text or b"")[: len(member.text or b"") + 2]
