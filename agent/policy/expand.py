"""What a word of a script may be once bash has filled it in: every possibility that the script itself spells out, and
a mark for what it doesn't."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import TYPE_CHECKING, Protocol

from agent.acts import Act
from agent.policy import quoting
from agent.policy.folders import Folders
from agent.policy.marks import MARKS, STAR, UNKNOWN
from agent.policy.names import names

if TYPE_CHECKING:
    from tree_sitter import Node

    from agent.policy.grammar import Source

MOST = 32  # values that a variable may have

# Set in every command's environment, or by bash itself: unlike other names, not empty without an assignment.
SET = names(
    "USER LOGNAME TZ XDG_RUNTIME_DIR LANG LC_ALL SHELL TERM PAGER PATH OLDPWD UID EUID PPID HOSTNAME RANDOM "
    "SRANDOM SECONDS SHLVL IFS OSTYPE MACHTYPE HOSTTYPE LINENO FUNCNAME GROUPS DIRSTACK OPTIND OPTARG REPLY "
    "COLUMNS LINES PIPESTATUS EPOCHSECONDS EPOCHREALTIME _ BASH BASHPID BASH_VERSION BASH_SOURCE BASH_LINENO "
    "BASH_REMATCH http_proxy https_proxy no_proxy all_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY"
)


class Fault(Protocol):
    """Takes down what can't be understood."""

    def __call__(self, act: Act, what: str = "") -> None: ...


class Expander:
    """`folders` are those the script may be in, `variables` what it has assigned so far. `substituted` is
    called with each command substitution; `fault` with what can't be understood."""

    def __init__(
        self,
        source: Source,
        folders: Folders,
        home: str,
        substituted: Callable[[Node], None],
        fault: Fault,
    ) -> None:
        self.text = source.text
        self.home = home
        self.folders = folders
        self.variables: dict[str, tuple[str, ...]] = {}
        self._substituted = substituted
        self.fault = fault

    def words(self, node: Node) -> list[str]:
        """All the words that this one may become, whichever way it goes."""
        return [word for choice in self.choices(node) for word in choice]

    def choices(self, node: Node) -> list[list[str]]:
        """The ways it may go: each a list of words."""
        raws = self._raw(node, quoted=False)
        if node.type in ("simple_expansion", "expansion"):
            return [[quoting.finished(each, "")[0] for each in raw.split()] for raw in raws]
        return [quoting.finished(raw, self.home) for raw in raws]

    def values(self, node: Node) -> tuple[str, ...]:
        """What an assignment may give a variable."""
        if node.type == "array":
            return tuple(word for child in node.named_children for word in self.words(child))
        raws = self._raw(node, quoted=False)
        return tuple(quoting.finished(raw, self.home)[0] for raw in raws if quoting.COMMA not in raw) or (UNKNOWN,)

    def assign(self, name: str, values: Sequence[str]) -> None:
        """A possible value more; none is forgotten, since another branch may have kept it."""
        both = dict.fromkeys((*self.variables.get(name, ()), *values))
        self.variables[name] = tuple(both) if len(both) <= MOST else (UNKNOWN,)

    def visit(self, node: Node) -> None:
        """See only to the substitutions in it."""
        for child in node.named_children:
            if child.type in ("command_substitution", "process_substitution"):
                self._substituted(child)
            elif child.type == "expansion":
                self._expansion(child)
            else:
                self.visit(child)

    # -- by kind of node --------------------------------------------------------------------------------------------
    def _raw(self, node: Node, *, quoted: bool) -> list[str]:
        """Possible texts, with the marks of `quoting` where characters still have a meaning."""
        text = self.text(node)
        match node.type:
            case "word" | "number" | "test_operator" | "variable_name" | "special_variable_name":
                return [quoting.unquoted(text)]
            case "raw_string":
                return [text[1:-1]]
            case "ansi_c_string":
                return [quoting.ansi(text[2:-1])]
            case "string":
                return self._string(node)
            case "concatenation":
                return self._joined([_one_word(child, self._raw(child, quoted=quoted)) for child in node.children])
            case "brace_expression" | "extglob_pattern":
                self.visit(node)
                return [STAR]
            case _:
                return self._filled(node, text, quoted)

    def _filled(self, node: Node, text: str, quoted: bool) -> list[str]:
        match node.type:
            case "simple_expansion":
                return self._variable(text.strip()[1:], quoted)
            case "expansion":
                return self._expansion(node, quoted)
            case "command_substitution" if text.strip("$(`) ") == "pwd":
                return list(self.folders.now)
            case "command_substitution" | "process_substitution":
                self._substituted(node)
                return [UNKNOWN]
            case "arithmetic_expansion":
                self.visit(node)
                return [UNKNOWN]
            case _ if not node.is_named:
                return [text]
            case kind:
                self.fault(Act.UNCLEAR, kind.replace("_", " "))
                return [UNKNOWN]

    def _string(self, node: Node) -> list[str]:
        """What stands between the children is text, whatever the tree calls it."""
        data, at, parts = self.text(node).encode(), 1, []
        for child in node.named_children:
            if child.type == "string_content":
                continue
            blanks = len(self.text(child)) - len(self.text(child).lstrip())  # the tree may count them to the child
            begin, end = child.start_byte + blanks - node.start_byte, child.end_byte - node.start_byte
            parts.append([quoting.in_quotes(data[at:begin].decode())])
            parts.append(self._raw(child, quoted=True))
            at = end
        parts.append([quoting.in_quotes(data[at:-1].decode())])
        return self._joined(parts)

    def _joined(self, parts: list[list[str]]) -> list[str]:
        count = 1
        for part in parts:
            count *= len(part)
        if count > MOST:
            parts = [part if len(part) == 1 else [UNKNOWN] for part in parts]
        return list(dict.fromkeys("".join(each) for each in product(*parts)))

    def _variable(self, name: str, quoted: bool) -> list[str]:
        values = self._known(name.strip("{}"))
        return values if quoted else [_split(value) for value in values]

    def _known(self, name: str) -> list[str]:
        if name == "HOME" and name not in self.variables:
            return [self.home or UNKNOWN]
        if name == "PWD":
            return list(self.folders.now)
        if name in self.variables:
            return list(self.variables[name])
        return [UNKNOWN] if name in SET or not name.isidentifier() else ["", UNKNOWN]

    def _expansion(self, node: Node, quoted: bool = True) -> list[str]:
        """`${...}`: the variable, its replacement, or something of which nothing is known."""
        operators = [self.text(child) for child in node.children if not child.is_named][1:-1]
        named = node.named_children
        if "@" in operators:
            self.fault(Act.UNCLEAR, "${...@...}")
        self.visit(node)
        if not named or named[0].type not in ("variable_name", "subscript"):
            return [UNKNOWN]
        name = self.text(named[0]).partition("[")[0]
        if not operators:
            return self._variable(name, quoted)
        if operators[0] not in (":-", "-", ":=", "=", ":+", "+"):
            return [UNKNOWN]
        default = self._joined([self._raw(child, quoted=quoted) for child in named[1:]])
        if "=" in operators[0]:
            self.assign(name, default)
        return list(dict.fromkeys([*self._variable(name, quoted), *default]))


def _one_word(node: Node, raws: list[str]) -> list[str]:
    """Blanks in an unquoted variable would split the word around it: then nothing is known of it."""
    if node.type not in ("simple_expansion", "expansion"):
        return raws
    return [UNKNOWN if any(char in " \t\n" for char in raw) else raw for raw in raws]


def _split(value: str) -> str:
    """An unquoted value: patterns in it have a meaning, blanks in it make several words."""
    return quoting.globbed(value) if MARKS.isdisjoint(value) else value
