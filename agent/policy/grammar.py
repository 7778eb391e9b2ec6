"""Bash text to a syntax tree, and the places where the tree can't be trusted to be what bash would read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from agent.policy.marks import MARKS

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

LONGEST = 20_000  # characters; what is longer is not read
MOST_OPERATORS = 1_500
DEEPEST = 200
_OPAQUE = frozenset(("string", "heredoc_body", "expansion", "arithmetic_expansion", "regex", "comment"))
_MAY_BEGIN_BLANK = _OPAQUE - {"string", "comment", "expansion"}
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_GLUE = b"\\\n"
# The grammar stumbles over `<<E 2>&1`; `2>&1 <<E` means the same.
_ORDER = re.compile(r"(<<-?[ \t]*(?:'\w{1,64}'|\"\w{1,64}\"|\w{1,64}))((?:[ \t]*[0-9]?>&[0-9])+)")
# Nor does it see the second variable of `x$A$B`; `${B}` means the same.
_ADJACENT = re.compile(r"(?<=[A-Za-z0-9_}])\$([A-Za-z_][A-Za-z0-9_]*)")


@cache
def _parser() -> Parser:
    # Imported at the first command: most starts of the program never judge one.
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


@dataclass(frozen=True, slots=True)
class Source:
    """A parsed text. Ask it for the text of a node: the tree itself was made of ASCII stand-ins."""

    root: Node
    data: bytes

    def text(self, node: Node) -> str:
        return self.data[node.start_byte : node.end_byte].decode(errors="replace")


def tree(text: str) -> Source | None:
    """The syntax tree; None for what is too large, no bash, or read otherwise by the grammar than by bash."""
    if len(text) > LONGEST or not MARKS.isdisjoint(text) or "\0" in text or "\r" in text:
        return None
    if sum(map(text.count, "|<>(")) > MOST_OPERATORS:  # the parser's recovery from errors is quadratic in them
        return None
    try:
        data = _ADJACENT.sub(r"${\1}", _ORDER.sub(r"\2 \1", text)).encode()
    except UnicodeEncodeError:
        return None
    # Beyond ASCII bash knows no operators and no blanks; the grammar's scanner reads tables out of bounds there.
    root = _parser().parse(_NOT_ASCII.sub(b".", data)).root_node
    return None if root.has_error or _deep(root) or _odd(root, data) else Source(root, data)


def _deep(root: Node) -> bool:
    level, seen = [root], 0
    while level:
        level = [child for node in level for child in node.named_children]
        seen += 1
        if seen > DEEPEST:
            return True
    return False


def _odd(root: Node, data: bytes) -> bool:
    """Whether text was skipped that is more than blanks, or two words were seen where bash joins one."""
    end = 0
    for leaf in _leaves(root):
        if (
            leaf.is_named
            and leaf.type not in _MAY_BEGIN_BLANK
            and data[leaf.start_byte : leaf.start_byte + 1].isspace()
        ):
            return True  # the grammar takes a line break before a backslash for a part of the word
        gap = data[end : leaf.start_byte]
        if gap:
            rest = gap.replace(_GLUE, b"")
            if rest.strip(b" \t\n") and not _lost_dash(rest, leaf):
                return True
            if not rest and end and _joins(data, end, leaf.start_byte):
                return True
        end = max(end, leaf.end_byte)
    return bool(data[end:].replace(_GLUE, b"").strip(b" \t\n"))


def _lost_dash(gap: bytes, leaf: Node) -> bool:
    """The grammar drops a lone `-` before a here-document."""
    return gap.strip(b" \t") == b"-" and gap[:1] in (b" ", b"\t") and leaf.type in ("<<", "<<-", "file_descriptor")


def _joins(data: bytes, end: int, start: int) -> bool:
    """Whether only an escaped line break stands between two bytes that would be one word without it."""
    blanks = b" \t\n;|&()<>"
    return data[end - 1 : end] not in blanks and data[start : start + 1] not in blanks


def _leaves(node: Node) -> Iterator[Node]:
    """The tokens in order; a string's and a here-document's inside counts as one, since blanks in it are text."""
    cursor = node.walk()
    while True:
        here = cursor.node
        assert here is not None
        if here.type not in _OPAQUE and cursor.goto_first_child():
            continue
        yield here
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
