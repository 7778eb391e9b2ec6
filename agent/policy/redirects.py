"""Redirections: which files a command writes and reads beside its words, and what it is fed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from agent.acts import Act
from agent.policy.expand import Expander
from agent.policy.marks import UNKNOWN

if TYPE_CHECKING:
    from tree_sitter import Node

_HEREDOC_PARTS = frozenset(("heredoc_start", "heredoc_body", "heredoc_end", "<<", "<<-", "&&", "||"))


@dataclass(frozen=True, slots=True)
class Redirects:
    """`fed` is the literal text on standard input, a mark where it isn't literal, None where nothing was said.
    `rest` are the statements that follow a here-document's word on its line."""

    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    fed: str | None = None
    rest: tuple[Node, ...] = ()

    def also(self, other: Redirects) -> Redirects:
        """The files of both, the rest of this one."""
        writes, reads = dict.fromkeys((*self.writes, *other.writes)), dict.fromkeys((*self.reads, *other.reads))
        return replace(self, writes=tuple(writes), reads=tuple(reads))


@dataclass(slots=True)
class _Found:
    writes: list[str] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)
    rest: list[Node] = field(default_factory=list)
    fed: str | None = None


def redirects(nodes: Iterable[Node], expand: Expander) -> Redirects:
    """All redirections of one statement."""
    found = _Found()
    for node in nodes:
        _redirect(node, expand, found)
    return Redirects(tuple(found.writes), tuple(found.reads), found.fed, tuple(found.rest))


def _redirect(node: Node, expand: Expander, found: _Found) -> None:
    match node.type:
        case "file_redirect":
            _file(node, expand, found)
        case "herestring_redirect":
            texts = [word for child in node.named_children for word in expand.words(child)]
            found.fed = texts[0] if len(texts) == 1 else UNKNOWN
        case "heredoc_redirect":
            _heredoc(node, expand, found)


def _file(node: Node, expand: Expander, found: _Found) -> None:
    operator = next((child.type for child in node.children if not child.is_named), "")
    for target in node.children_by_field_name("destination"):
        if target.type == "process_substitution":
            expand.visit(node)
            if operator.startswith("<"):
                found.fed = UNKNOWN
            continue
        words = expand.words(target)
        if operator.endswith("&") and all(word.rstrip("-").isdigit() or word == "-" for word in words):
            if operator.startswith("<") and words != ["-"]:
                found.fed = UNKNOWN  # whatever that descriptor was opened on
            continue
        (found.reads if operator.startswith("<") else found.writes).extend(words)
        if operator.startswith("<"):
            found.fed = UNKNOWN


def _heredoc(node: Node, expand: Expander, found: _Found) -> None:
    start = next((expand.text(child) for child in node.children if child.type == "heredoc_start"), "")
    body = next((child for child in node.children if child.type == "heredoc_body"), None)
    text = expand.text(body) if body else ""
    literal = start.startswith(("'", '"', "\\"))
    if body is not None and not literal:
        expand.visit(body)
        if not body.named_children and ("$(" in text or "`" in text):  # the grammar doesn't look into some of them
            expand.fault(Act.IN_HERE_DOCUMENT)
    plain = literal or not any(char in text for char in "$`\\")
    found.fed = text if plain else UNKNOWN
    for child in node.children:
        if child.type in ("file_redirect", "herestring_redirect"):
            held = found.fed
            _redirect(child, expand, found)
            found.fed = held if child.type == "file_redirect" else found.fed
        elif child.type not in _HEREDOC_PARTS:
            found.rest.append(child)
