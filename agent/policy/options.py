"""Command lines as GNU getopt reads them: clusters, attached values, abbreviated long names, `--`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from agent.policy.marks import UNKNOWN


@dataclass(frozen=True, slots=True)
class Takes:
    """Which options take a value: letters, and long names without dashes."""

    letters: str = ""
    names: tuple[str, ...] = ()


NONE = Takes()


@dataclass(frozen=True, slots=True)
class Line:
    """A command line read: options as (name without dashes, value or None), operands, and what stood after the first
    operand when reading stopped there."""

    options: tuple[tuple[str, str | None], ...]
    operands: tuple[str, ...]

    def values(self, *names: str) -> Iterator[str]:
        """The values of these options; a long name also in each abbreviation."""
        for given, value in self.options:
            if value is not None and any(means(given, name) for name in names):
                yield value

    def has(self, *names: str) -> bool:
        return any(means(given, name) for given, _ in self.options for name in names)


def means(given: str, name: str) -> bool:
    """Whether an option as given is this one. Every abbreviation counts, an ambiguous one too."""
    return given == name or (len(given) > 1 and len(name) > 1 and name.startswith(given))


def parse(words: Iterable[str], takes: Takes = Takes(), *, stop: bool = False) -> Line:
    """Read the words after a command's name. `stop`: the first operand ends the options, as for `env` or `nice`."""
    options: list[tuple[str, str | None]] = []
    operands: list[str] = []
    rest = list(words)[::-1]
    while rest:
        word = rest.pop()
        if word == "--":
            operands += reversed(rest)
            break
        if word.startswith("--"):
            options.append(_long(word[2:], takes, rest))
        elif len(word) > 1 and word.startswith("-"):
            options += _cluster(word[1:], takes, rest)
        elif stop:
            operands += [word, *reversed(rest)]
            break
        else:
            operands.append(word)
    return Line(tuple(options), tuple(operands))


def _long(text: str, takes: Takes, rest: list[str]) -> tuple[str, str | None]:
    name, equals, value = text.partition("=")
    if equals:
        return name, value
    if any(means(name, known) for known in takes.names):
        return name, rest.pop() if rest else UNKNOWN
    return name, None


def _cluster(letters: str, takes: Takes, rest: list[str]) -> Iterator[tuple[str, str | None]]:
    for at, letter in enumerate(letters):
        if letter in takes.letters:
            yield letter, letters[at + 1 :] or (rest.pop() if rest else UNKNOWN)
            return
        yield letter, None
