"""What a file of JavaScript or TypeScript gives and takes, by tree-sitter. A file that doesn't parse tells nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

from tree_sitter import Language, Node, Parser

from agent.drift.commonjs import CommonJs, requires
from agent.drift.namespaces import members
from agent.drift.shape import UNKNOWN, Source, Style, Take, Use

MODULES = re.compile(rb"""(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\(|\bmodule)\s*["']([^"'\n]{1,300})["']""")
PASSES_ON = re.compile(
    rb"export\s+(?:type\s+)?\*|__exportStar|module\.exports\s*=\s*require|\.\.\.\s*require|declare\s+module\s+[\"']\."
)

_TYPE_STAR = re.compile(rb"(\bexport[ \t]+)type([ \t]+\*)")  # the grammar doesn't know it yet
_NAMED = frozenset({
    "class_declaration", "abstract_class_declaration", "function_declaration", "generator_function_declaration",
    "function_signature", "interface_declaration", "type_alias_declaration", "enum_declaration", "internal_module",
    "module",
})  # fmt: skip
_VARIABLES = ("lexical_declaration", "variable_declaration")
_IDENTIFIERS = frozenset({"identifier", "shorthand_property_identifier_pattern", "type_identifier"})


@cache
def language(dialect: str) -> Language:
    """dialect: js | ts | tsx. The grammars are loaded on the first use: most runs need none."""
    if dialect == "js":
        import tree_sitter_javascript

        return Language(tree_sitter_javascript.language())
    import tree_sitter_typescript

    typescript, tsx = tree_sitter_typescript.language_typescript, tree_sitter_typescript.language_tsx
    return Language(tsx() if dialect == "tsx" else typescript())


def read(text: bytes, path: str) -> Source:
    """UNKNOWN for what doesn't parse."""
    declared = path.endswith((".d.ts", ".d.mts", ".d.cts"))
    dialect = "tsx" if path.endswith(".tsx") else "ts" if path.endswith((".ts", ".mts", ".cts")) else "js"
    root = Parser(language(dialect)).parse(_TYPE_STAR.sub(rb"\1    \2", text)).root_node
    if root.has_error:
        return UNKNOWN
    reading = _Reading(declared)
    for node in root.named_children:
        reading.statement(node)
    return reading.source(root, text, dialect)


@dataclass(slots=True)
class _Reading:
    declared: bool
    uses: list[Use] = field(default_factory=list)
    gives: set[str] = field(default_factory=set)
    stars: list[str] = field(default_factory=list)
    namespaces: dict[str, str] = field(default_factory=dict)  # name in this file -> module
    module: bool = False  # it has an import or export statement
    open: bool = False
    augments: list[str] = field(default_factory=list)

    def statement(self, node: Node) -> None:
        match node.type:
            case "import_statement":
                self.module = True
                self._import(node)
            case "export_statement":
                self.module = True
                self._export(node)
            case "ambient_declaration":
                self.augments += [name for part in node.named_children if (name := _string(_name(part))) is not None]
                self.open = self.open or bool(_children(node, "statement_block"))  # declare global: for everybody
                self._ambient(node)
            case kind if kind in _NAMED or kind in _VARIABLES:
                self._ambient(node)
            case _:
                pass

    def _ambient(self, node: Node) -> None:
        """Each declaration of a declaration file is given to others."""
        if self.declared:
            self._declare(node)

    def _import(self, node: Node) -> None:
        module = _string(node.child_by_field_name("source"))
        if module is None:
            return
        self.uses.append(Use(_line(node), module, take=Take.FILE))
        for clause in _children(node, "import_clause"):
            for part in clause.named_children:
                match part.type:
                    case "identifier":
                        self.uses.append(Use(_line(part), module, "default"))
                    case "namespace_import":
                        self.namespaces |= dict.fromkeys(map(_text, part.named_children), module)
                    case "named_imports":
                        self._take(part, "import_specifier", module)

    def _take(self, clause: Node, kind: str, module: str) -> None:
        for specifier in _children(clause, kind):
            if (name := specifier.child_by_field_name("name")) is not None:
                self.uses.append(Use(_line(specifier), module, _text(name)))

    def _export(self, node: Node) -> None:
        module = _string(node.child_by_field_name("source"))
        clause = next(iter(_children(node, "export_clause")), None)
        if module is not None:
            self.uses.append(Use(_line(node), module, take=Take.FILE))
            self._export_from(node, clause, module)
        elif clause is not None:
            self._give(clause)
        elif any(child.type == "default" for child in node.children):
            self.gives.add("default")
        elif (declaration := node.child_by_field_name("declaration")) is not None:
            self._declare(declaration)
        elif not any(child.type == "namespace" for child in node.children):
            self.open = True  # export =, or what a newer grammar knows

    def _export_from(self, node: Node, clause: Node | None, module: str) -> None:
        named = next(iter(_children(node, "namespace_export")), None)
        if clause is not None:
            self._take(clause, "export_specifier", module)
            self._give(clause)
        elif named is not None:
            self.gives |= set(map(_text, named.named_children))
        else:
            self.stars.append(module)

    def _give(self, clause: Node) -> None:
        for specifier in _children(clause, "export_specifier"):
            name = specifier.child_by_field_name("alias") or specifier.child_by_field_name("name")
            if name is not None:
                self.gives.add(_text(name))

    def _declare(self, node: Node) -> None:
        """The names that a declaration makes."""
        match node.type:
            case kind if kind in _VARIABLES:
                for declarator in _children(node, "variable_declarator"):
                    self.gives |= set(_pattern(_name(declarator)))
            case "ambient_declaration" | "expression_statement":
                for child in node.named_children:
                    self._declare(child)
            case "import_alias":
                self.gives |= set(map(_text, node.named_children[:1]))
            case "statement_block":
                pass  # declare global
            case kind if kind in _NAMED:
                name = _name(node)
                if name is not None and name.type != "string":
                    self.gives.add(_text(name).partition(".")[0])
            case _:
                self.open = True

    def source(self, root: Node, text: bytes, dialect: str) -> Source:
        common = CommonJs()
        if b"exports" in text:
            common.read(root, language(dialect))
        if self.module:
            style, gives, stars = Style.MODULE, self.gives, self.stars
            is_open = self.open or common.found
        else:
            style, gives, stars = Style.COMMON, common.gives | self.gives, common.stars
            # A plain script may be anything; one of TypeScript without an export is no module.
            is_open = self.open or common.open or (not common.found and dialect == "js")
        if self.declared:
            style = Style.DECLARED
        uses = [*self.uses]
        if b"require" in text or b"import" in text:
            uses += requires(root, language(dialect), text)
        if self.namespaces:
            uses += members(root, language(dialect), dialect, self.namespaces)
        passed = frozenset(gives) - {"default"}
        return Source(style, tuple(uses), frozenset(gives), passed, tuple(stars), is_open, tuple(self.augments))


def _pattern(node: Node | None) -> list[str]:
    """The names that a binding pattern binds."""
    if node is None:
        return []
    if node.type in _IDENTIFIERS:
        return [_text(node)]
    if node.type == "pair_pattern":
        return _pattern(node.child_by_field_name("value"))
    if node.type in ("assignment_pattern", "object_assignment_pattern"):
        return _pattern(node.child_by_field_name("left"))
    return [name for child in node.named_children for name in _pattern(child)]


def _name(node: Node) -> Node | None:
    return node.child_by_field_name("name")


def _children(node: Node, kind: str) -> list[Node]:
    return [child for child in node.named_children if child.type == kind]


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace").strip("\"'")


def _string(node: Node | None) -> str | None:
    return _text(node) if node is not None and node.type == "string" else None


def _line(node: Node) -> int:
    return node.start_point[0] + 1
