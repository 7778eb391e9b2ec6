"""Queries of syntax trees, made once for each language."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from tree_sitter import Language, Node, Query, QueryCursor


@cache
def _query(language: Language, pattern: str) -> Query:
    return Query(language, pattern)


def matches(language: Language, pattern: str, root: Node) -> Iterator[dict[str, Node]]:
    """The captures of each match, the first node of each name."""
    for _, found in QueryCursor(_query(language, pattern)).matches(root):
        yield {name: nodes[0] for name, nodes in found.items()}


def nodes(language: Language, pattern: str, root: Node) -> list[Node]:
    """The nodes captured, in the order of the text."""
    found = QueryCursor(_query(language, pattern)).captures(root)
    return sorted((node for each in found.values() for node in each), key=lambda node: node.start_byte)


def text(node: Node | None) -> str:
    return (node.text or b"").decode("utf-8", "replace").strip("\"'`") if node is not None else ""


def within(node: Node, kinds: frozenset[str]) -> bool:
    """Whether one of its ancestors is of these kinds."""
    above = node.parent
    while above is not None:
        if above.type in kinds:
            return True
        above = above.parent
    return False
