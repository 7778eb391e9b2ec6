"""Takes the types out of TypeScript, as Node does by itself from 22.6 on, for tests on an older one:
`python typestrip.py OUT FOLDER ...` writes each .ts of the folders to OUT as .js. What only a compiler could turn into
JavaScript (enum, namespace) is refused."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

WHOLE = frozenset({
    "type_annotation", "type_parameters", "type_arguments", "interface_declaration", "type_alias_declaration",
    "ambient_declaration", "accessibility_modifier", "implements_clause", "override_modifier", "function_signature",
    "asserts_annotation", "type_predicate_annotation", "readonly",
})  # fmt: skip
COMPILED = frozenset({"enum_declaration", "internal_module", "module"})


def stripped(source: str) -> str:
    """The same lines and columns without the types. Raises ValueError for what has to be compiled."""
    data = bytearray(source.encode())
    root = Parser(Language(tree_sitter_typescript.language_typescript())).parse(bytes(data)).root_node
    if root.has_error:
        raise ValueError("this is no TypeScript")
    for node in _nodes(root):
        if node.type == "string" and (node.text or b"").endswith((b".ts'", b'.ts"')):
            data[node.end_byte - 4 : node.end_byte - 1] = b".js"
    for begin, end in _types(root):
        data[begin:end] = bytes(byte if byte in b"\r\n" else 0x20 for byte in data[begin:end])
    return data.decode()


def _types(root: Node) -> Iterator[tuple[int, int]]:
    for node in _nodes(root):
        if node.is_named and node.type in COMPILED:
            raise ValueError(f"{node.type} has to be compiled")
        match node.type:
            case kind if kind in WHOLE:
                yield node.start_byte, node.end_byte
            case "import_statement" | "export_statement" if _is_type_only(node):
                yield node.start_byte, node.end_byte
            case "import_specifier" | "export_specifier" if _is_type_only(node):
                comma = node.next_sibling
                yield node.start_byte, comma.end_byte if comma and comma.type == "," else node.end_byte
            case "as_expression" | "satisfies_expression":
                yield node.named_children[0].end_byte, node.end_byte
            case "non_null_expression":
                yield node.end_byte - 1, node.end_byte
            case "optional_parameter":
                yield from ((each.start_byte, each.end_byte) for each in node.children if each.type == "?")


def _is_type_only(node: Node) -> bool:
    declared = node.child_by_field_name("declaration")
    if declared is not None:
        return declared.type in ("interface_declaration", "type_alias_declaration", "ambient_declaration")
    return any(child.type == "type" for child in node.children)


def _nodes(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.children


def main() -> None:
    out, *folders = map(Path, sys.argv[1:])
    for path in (path for folder in folders for path in folder.rglob("*.ts")):
        made = (out / path).with_suffix(".js")
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(stripped(path.read_text()))


if __name__ == "__main__":
    main()
