"""Small questions about the shape of commands: how their words may go, what they print, whether they end a script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.policy.marks import UNKNOWN, is_known
from agent.policy.script import Simple

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_VARIANTS = 16  # of one command

EXPRESSIONS = (
    *("test_command", "binary_expression", "unary_expression", "postfix_expression", "ternary_expression"),
    *("parenthesized_expression", "variable_name", "number", "subscript"),
)


def variants_of(arguments: list[list[list[str]]]) -> list[list[str]]:
    """Command lines, one for each way its words may go. Where there are too many: one with gaps, and one with all."""
    count = 1
    for choices in arguments:
        count *= len(choices)
    if count > MOST_VARIANTS:
        gaps = [choices[0] if len(choices) == 1 else [UNKNOWN] for choices in arguments]
        whole = [[word for choice in choices for word in choice] for choices in arguments]
        return [[word for part in line for word in part] for line in (gaps, whole)]
    lines: list[list[str]] = [[]]
    for choices in arguments:
        lines = [line + choice for line in lines for choice in choices]
    return lines


def told(commands: list[Simple]) -> str:
    """What a pipe carries on: the text of a literal echo, else nobody knows."""
    words = commands[0].words if len(commands) == 1 else ()
    plain = (
        words[:1] == ("echo",) and not commands[0].writes and all(map(is_known, words)) and "\\" not in "".join(words)
    )
    return " ".join(words[1:]) + "\n" if plain and words[1:2] != ("-e",) else UNKNOWN


def is_filled_in(name: Node) -> bool:
    """Whether anything but quotes stands in a command's name."""
    kinds = ("word", "raw_string", "string", "string_content", "concatenation", "number")
    return any(child.is_named and (child.type not in kinds or is_filled_in(child)) for child in name.children)


def leaves_script(node: Node) -> bool:
    """Whether a statement ends the script: `exit`, `return`, or a group that ends so."""
    if node.type == "command":
        return (node.text or b"").split()[:1] in ([b"exit"], [b"return"])
    inner = [child for child in node.named_children if child.type != "comment"]
    return node.type == "compound_statement" and bool(inner) and leaves_script(inner[-1])
