"""Reads a bash script without running it: which simple commands it may run, in which folders, with which words.

Over-approximates: every branch may be taken, a `cd` may fail unless `&&` or `set -e` says otherwise, a variable may
hold whatever the script assigns to it anywhere before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from agent.acts import Act
from agent.policy.expand import Expander
from agent.policy.folders import Folders
from agent.policy.grammar import Source, tree
from agent.policy.marks import UNKNOWN, is_known
from agent.policy.redirects import Redirects, redirects
from agent.policy.script import Script, Simple, folder_after, set_by
from agent.policy.shapes import EXPRESSIONS, is_filled_in, leaves_script, told, variants_of
from agent.policy.verdict import Finding, Tier

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_COMMANDS = 2_000


# A call is judged when it is proposed, when the disk has answered and before it is run.
@lru_cache(maxsize=64)
def read(text: str, cwds: tuple[str, ...], home: str) -> Script:
    """The commands of a script. What isn't understood is a finding."""
    source = tree(text)
    if source is None:
        unparsed = Finding(Tier.LEAVE, Act.UNPARSED, once=True)
        return Script(findings=(unparsed,), parsed=False)
    reader = _Reader(source, cwds, home)
    reader.program(source.root)
    return Script(tuple(reader.commands), tuple(reader.findings), frozenset(reader.functions))


class _Reader:
    def __init__(self, source: Source, cwds: tuple[str, ...], home: str) -> None:
        self.commands: list[Simple] = []
        self.findings: list[Finding] = []
        self._home = home
        self._fed: str | None = None
        self._strict = False  # set -e
        self._certain = False  # the statement just read leaves no other folder possible than those it led to
        self.functions: dict[str, Node] = {}
        self._calling: set[str] = set()
        self._background: int | None = None  # commands before the newest &
        self.folders = Folders(cwds, home)
        self.expand = Expander(source, self.folders, home, self.substituted, self.fault)
        self._kinds: dict[str, Callable[[Node], None]] = {
            **dict.fromkeys(("program", "compound_statement", "do_group", "negated_command"), self._sequence),
            **dict.fromkeys(("if_statement", "elif_clause", "else_clause", "case_statement", "case_item"), self._maybe),
            **dict.fromkeys(("while_statement", "for_statement", "c_style_for_statement"), self._loop),
            **dict.fromkeys(EXPRESSIONS, self.expand.visit),
            **dict.fromkeys(("variable_assignment", "variable_assignments"), self._assignments),
            **dict.fromkeys(("command", "declaration_command", "unset_command"), self._command),
            **dict.fromkeys(("subshell", "command_substitution", "process_substitution"), self.substituted),
            "list": self._list,
            "pipeline": self._pipeline,
            "function_definition": self._function,
            "redirected_statement": self._redirected,
            "file_redirect": self._bare_redirect,
            "comment": lambda node: None,
        }

    def program(self, root: Node) -> None:
        self._walk(root)
        self.folders.now = tuple(self.folders.ever)
        for body in list(self.functions.values()):  # a function may be called from any folder that the script was in
            self._walk(body)
        since = self.commands[self._background or 0 :]
        if self._background is not None and not any(command.words[:1] == ("wait",) for command in since):
            self.findings.append(Finding(Tier.LEAVE, Act.BACKGROUND_BY, "&"))

    def fault(self, act: Act, what: str = "") -> None:
        self.findings.append(Finding(Tier.LEAVE, act, what, once=True))

    def _too_much(self) -> None:
        if not any(finding.tier == Tier.NEVER for finding in self.findings):
            self.findings.append(Finding(Tier.NEVER, Act.MANY_COMMANDS, once=True))

    def substituted(self, node: Node) -> None:
        """A subshell: what it changes stays inside."""
        with self._aside():
            self._sequence(node)

    # -- control flow -----------------------------------------------------------------------------------------------
    def _walk(self, node: Node) -> None:
        if len(self.commands) > MOST_COMMANDS:
            self._too_much()
            return
        known = self._kinds.get(node.type)
        if known:
            known(node)
        elif node.is_named:
            self.fault(Act.UNCLEAR, node.type.replace("_", " "))
            self.expand.visit(node)

    def _sequence(self, node: Node) -> None:
        for child in node.children:
            before, self._certain = self.folders.now, self._strict
            if child.is_named:
                self._walk(child)
            if not self._certain:
                self.folders.may_be(before + self.folders.now)
            if child.type == "&":
                self._background = len(self.commands)

    def _maybe(self, node: Node) -> None:
        before = self.folders.now
        for child in node.named_children:
            if child.type in self._kinds:
                self._walk(child)
            else:
                self.expand.visit(child)
        self.folders.may_be(before + self.folders.now)

    def _loop(self, node: Node) -> None:
        """Twice, since a later round begins in the folder where the one before ended."""
        name = node.child_by_field_name("variable")
        if name is not None:
            values = [word for child in node.children_by_field_name("value") for word in self.expand.words(child)]
            self.expand.assign(self.expand.text(name), values or [UNKNOWN])
            self._emit(Simple(assigned=((self.expand.text(name), ""),)))
        before = self.folders.now
        for _ in range(2):
            self.folders.may_be(before + self.folders.now)
            held = self.folders.now
            for child in node.named_children:
                if child.type in self._kinds:
                    self._walk(child)
            if set(self.folders.now) <= set(held):
                break
        else:
            self.fault(Act.LOOP)
        self.folders.may_be(before + self.folders.now)

    def _list(self, node: Node) -> None:
        """`a && b` enters b where a has succeeded; after `a || exit` only a's success is left."""
        left, right = node.named_children[0], node.named_children[-1]
        before = self.folders.now
        self._walk(left)
        after = self.folders.now
        if any(child.type == "&&" for child in node.children):
            self._walk(right)
            self.folders.may_be(after + self.folders.now)
            return
        self.folders.may_be(before + after)
        self._walk(right)
        if leaves_script(right):
            self.folders.now, self._certain = after, True
        else:
            self.folders.may_be(before + after + self.folders.now)

    def _pipeline(self, node: Node) -> None:
        fed = self._fed if node.children[0].is_named else UNKNOWN
        for child in node.named_children:
            first = len(self.commands)
            with self._aside(fed):
                self._walk(child)
            fed = told(self.commands[first:])

    def _function(self, node: Node) -> None:
        body, name = node.child_by_field_name("body"), node.child_by_field_name("name")
        self._bare_redirect(node)
        if body is not None and name is not None:
            self.functions[self.expand.text(name)] = body
            with self._aside():
                self._walk(body)

    def _call(self, name: str) -> None:
        """A function of the script runs in the shell itself: where it goes, the script goes."""
        if name in self.functions and name not in self._calling:
            before = self.folders.now
            self._calling.add(name)
            self._walk(self.functions[name])
            self._calling.discard(name)
            self.folders.may_be(before + self.folders.now)

    @contextmanager
    def _aside(self, fed: str | None = None) -> Iterator[None]:
        cwds, held = self.folders.now, self._fed
        self._fed = fed
        yield
        self.folders.now, self._fed = cwds, held

    # -- commands ---------------------------------------------------------------------------------------------------
    def _redirected(self, node: Node) -> None:
        """The grammar gives the redirections of a list's last command to the whole: they are opened where it led to."""
        found, first = redirects(node.children_by_field_name("redirect"), self.expand), len(self.commands)
        body = node.child_by_field_name("body")
        with self._feeding(found):
            if body is not None:
                self._walk(body)
        if body is not None and body.type in ("command", "negated_command", "list"):
            self._fed_by_exec(found, [command.words for command in self.commands[first:]])
        if body is not None and body.type == "list":
            found = found.also(redirects(node.children_by_field_name("redirect"), self.expand))
        self._emit(Simple(writes=found.writes, reads=found.reads))
        self._rest(found.rest)

    def _bare_redirect(self, node: Node) -> None:
        """Files that are opened without a command of their own: `$(< file)`, and for each call of a function."""
        nodes = [node] if node.type == "file_redirect" else node.children_by_field_name("redirect")
        found = redirects(nodes, self.expand)
        self._emit(Simple(writes=found.writes, reads=found.reads))

    def _rest(self, nodes: tuple[Node, ...]) -> None:
        """What a here-document's line goes on with."""
        for node in nodes:
            with self._aside(fed=UNKNOWN):
                self._walk(node)

    @contextmanager
    def _feeding(self, found: Redirects) -> Iterator[None]:
        held = self._fed
        if found.fed is not None:
            self._fed = found.fed
        yield
        self._fed = held

    def _fed_by_exec(self, found: Redirects, variants: list[tuple[str, ...]]) -> None:
        """`exec < file` makes the file the shell's own input."""
        if found.fed is not None and any("exec" in words[:3] for words in variants):
            self._fed = found.fed

    def _command(self, node: Node) -> None:
        arguments: list[list[list[str]]] = []
        assigned: list[tuple[str, str]] = []
        dynamic, found = False, redirects(node.children_by_field_name("redirect"), self.expand)
        for at, child in enumerate(node.children):
            if child.type == "variable_assignment":
                assigned += self._assignment(child)
            elif child.type == "command_name":
                self._apart(child)
                arguments.append(self.expand.choices(child.children[0]))
                dynamic = is_filled_in(child) or len(arguments[-1][0]) != 1 or not is_known(arguments[-1][0][0])
            elif node.field_name_for_child(at) != "redirect":
                arguments.append(self._argument(child))
        variants = [tuple(words) for words in variants_of(arguments)]
        with self._feeding(found):
            for words in variants:
                self._emit(Simple(words, tuple(assigned), found.writes, found.reads, dynamic=dynamic))
        self._fed_by_exec(found, variants)
        self._settle(variants)
        for called in dict.fromkeys(words[0] for words in variants if words):
            self._call(called)
        self._rest(found.rest)

    def _argument(self, node: Node) -> list[list[str]]:
        self._apart(node)
        bare = not node.is_named or node.type == "variable_name"
        return [[self.expand.text(node)]] if bare else self.expand.choices(node)

    def _apart(self, node: Node) -> None:
        """Two words must have something between them: else bash reads one where the grammar sees two."""
        following = node.next_sibling
        if following is not None and following.start_byte == node.end_byte and "redirect" not in following.type:
            self.fault(Act.TOUCHING_WORDS)

    def _assignments(self, node: Node) -> None:
        nodes = node.named_children if node.type == "variable_assignments" else [node]
        self._emit(Simple(assigned=tuple(pair for child in nodes for pair in self._assignment(child))))

    def _assignment(self, node: Node) -> list[tuple[str, str]]:
        target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        name = (self.expand.text(target) if target else "").partition("[")[0]
        if target is not None:
            self.expand.visit(target)
        values = self.expand.values(value) if value is not None else ("",)
        if any(child.type == "+=" for child in node.children):
            values = (UNKNOWN,)
        self.expand.assign(name, values)
        return [(name, each) for each in values]

    def _emit(self, command: Simple) -> None:
        if command.words or command.assigned or command.writes or command.reads:
            self.commands.append(replace(command, fed=self._fed, cwds=self.folders.now))

    def _settle(self, variants: list[tuple[str, ...]]) -> None:
        """What a command changes in the shell itself."""
        targets: list[str] = []
        for words in variants:
            for name in set_by(words):
                self.expand.assign(name, (UNKNOWN,))
            if words[:1] == ("set",) and any(word.startswith("-") and "e" in word for word in words[1:]):
                self._strict = True
            targets += folder_after(words, self._home) or ()
        self.folders.enter(targets)
