"""sed: whether a script only edits its stream, or writes files and runs commands as well.

Grammar: POSIX sed with the extensions of GNU sed (sed manual, "sed scripts").
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from agent.acts import Act
from agent.policy.effects import Effects, Rule, changes, leaves, reads, unclear
from agent.policy.marks import is_known
from agent.policy.options import Takes, parse
from agent.policy.script import Simple

_PLAIN = frozenset("pPdDgGhHnNxzF={}lqQ")
_LABELS = frozenset(":btT")
_TEXTS = frozenset("aic")
_NUMBER = re.compile(r"[0-9]+|\$|~[0-9]+|\+[0-9]+")
_FLAGS = re.compile(r"[gpiImM0-9]*")


class _Strange(ValueError):
    """Not a script that this scanner knows."""


@dataclass(slots=True)
class _Scan:
    text: str
    at: int = 0
    runs: bool = False
    writes: list[str] = field(default_factory=list)

    def script(self) -> None:
        while self._blank("\n; \t") and self.at < len(self.text):
            self._addresses()
            self._command()

    def _blank(self, chars: str) -> bool:
        while self.at < len(self.text) and self.text[self.at] in chars:
            self.at += 1
        return True

    def _addresses(self) -> None:
        while self.at < len(self.text):
            char = self.text[self.at]
            number = _NUMBER.match(self.text, self.at)
            if number:
                self.at = number.end()
            elif char in "/\\":
                self.at += char == "\\"
                self._part(self._take())
                self._blank("IM")
            elif char in ", !":
                self.at += 1
            else:
                return

    def _command(self) -> None:
        char = self._take()
        if char in _PLAIN:
            self._blank(" \t0123456789" if char in "lqQ" else " \t")
            self._end(char)
        elif char in "sy":
            self._substitution(char)
        elif char in _TEXTS:
            self._line(joined=True)
        elif char in _LABELS:
            self._until("\n;}" if char != ":" else "\n;")
        elif char in "rR":
            self._line()
        elif char in "wW":
            self.writes.append(self._line().strip())
        elif char == "#":
            self._line()
        elif char == "e":
            self.runs = True
            self._line()
        else:
            raise _Strange

    def _end(self, char: str) -> None:
        if char != "{" and self.at < len(self.text) and self.text[self.at] not in ";\n}#":
            raise _Strange

    def _substitution(self, char: str) -> None:
        delimiter = self._take()
        if delimiter in "\\\n":
            raise _Strange
        self._part(delimiter)
        self._part(delimiter, pattern=False)
        while char == "s":
            flags = _FLAGS.match(self.text, self.at)
            self.at = flags.end() if flags else self.at
            if self.text[self.at : self.at + 1] == "e":
                self.runs, self.at = True, self.at + 1
            elif self.text[self.at : self.at + 1] == "w":
                self.at += 1
                self.writes.append(self._line().strip())
            else:
                break
        self._blank(" \t")
        self._end(char)

    def _part(self, delimiter: str, *, pattern: bool = True) -> None:
        """Up to the delimiter; an escaped one doesn't count, nor one in a bracket of a pattern."""
        bracket = False
        while (char := self._take()) != delimiter or bracket:
            if char == "\\" and not bracket:
                self._take()
            elif pattern and delimiter != "[":
                opened = char == "[" and not bracket
                if opened:
                    self._blank("^")
                    self.at += self.text[self.at : self.at + 1] == "]"
                bracket = opened or (bracket and char != "]")

    def _take(self) -> str:
        if self.at >= len(self.text):
            raise _Strange
        self.at += 1
        return self.text[self.at - 1]

    def _until(self, ends: str) -> str:
        begun = self.at
        while self.at < len(self.text) and self.text[self.at] not in ends:
            self.at += 1
        return self.text[begun : self.at]

    def _line(self, *, joined: bool = False) -> str:
        line = self._until("\n")
        while joined and line.endswith("\\") and self.at < len(self.text):
            self.at += 1
            line = self._until("\n")
        return line


def sed(simple: Simple) -> Effects:
    """The effects of sed. In place, its operands are written."""
    line = parse(simple.words[1:], Takes("efl", ("expression", "file", "line-length")))
    scripts = list(line.values("e", "expression"))
    operands = line.operands
    if not scripts and not line.has("f", "file"):
        scripts, operands = list(operands[:1]), operands[1:]
    if line.has("f", "file"):
        return Effects((leaves(Act.UNCLEAR, "sed -f", once=True),), operands, scripts=tuple(line.values("f", "file")))
    scan = _Scan("\n".join(scripts))
    if is_known(scan.text) or line.has("sandbox"):
        try:
            scan.script()
        except _Strange:
            return Effects(unclear(Act.UNCLEAR, "sed").findings, operands)
    elif not line.has("sandbox"):
        return Effects(unclear(Act.FILLED_BY_SHELL, "sed").findings, operands)
    if scan.runs:
        return Effects((leaves(Act.RUNS_FROM, "sed", once=True),), operands)
    in_place = line.has("i", "in-place")
    writes = (*scan.writes, *(operands if in_place else ()))
    return Effects((changes(Act.CHANGES_FILES_WITH, "sed") if writes or in_place else reads(),), writes)


RULES: dict[str, Rule] = {"sed": sed, "gsed": sed}
