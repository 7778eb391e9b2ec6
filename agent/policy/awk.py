"""awk: whether a program only reads, or writes files and runs commands as well."""

from __future__ import annotations

import re

from agent.acts import Act
from agent.policy.effects import Effects, Rule, changes, leaves, reads
from agent.policy.marks import is_known
from agent.policy.options import Takes, parse
from agent.policy.script import Simple

# Strings, regular expressions and comments aren't told apart: a word in one of them counts, too.
_RUNS = re.compile(r"system|\||@\s*(?:load|include|[A-Za-z_])|getline|/inet")
_STATEMENT = re.compile(r"[;}\n]")
_HARMLESS = re.compile(r"\|\|")


def awk(simple: Simple) -> Effects:
    """The effects of awk: over-approximated from the program's text."""
    names = ("field-separator", "assign", "file", "source", "include", "load", "exec")
    line = parse(simple.words[1:], Takes("FvfeilE", names), stop=True)
    programs = [*line.values("e", "source")]
    operands = line.operands
    if line.has("l", "load", "i", "include", "D", "debug"):
        return Effects((leaves(Act.UNCLEAR, "awk with extensions", once=True),), operands)
    if line.has("f", "file", "E", "exec"):
        scripts = tuple(line.values("f", "file", "E", "exec"))
        return Effects((leaves(Act.UNCLEAR, "awk -f", once=True),), scripts=scripts)
    if not programs:
        programs, operands = [*operands[:1]], operands[1:]
    text = _HARMLESS.sub("", "\n".join(programs))
    if not is_known(text) or _RUNS.search(text):
        return Effects((leaves(Act.RUNS_FROM, "awk", once=True),))
    if any(_prints_to_a_file(part) for part in _STATEMENT.split(text)):
        return Effects((changes(Act.WRITES_FILES, "awk", once=True),))
    dumps = line.has("o", "p", "d", "pretty-print", "profile", "dump-variables")
    return Effects((changes(Act.WRITES_FILES, "awk") if dumps else reads(),))


def _prints_to_a_file(statement: str) -> bool:
    _, printed, rest = statement.partition("print")
    return bool(printed) and ">" in rest


RULES: dict[str, Rule] = dict.fromkeys(("awk", "gawk", "mawk", "nawk", "original-awk"), awk)
