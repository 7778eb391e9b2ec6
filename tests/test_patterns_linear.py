"""No regular expression takes more than linear time, whatever it is shown: a bound that only a blow-up breaks.

A quiet machine takes under 100 ms a megabyte for nearly all of them. What is shown to each are runs of single parts,
and of the words that its own pattern holds, whole and with their last letter missing.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
import time
from collections.abc import Iterator
from itertools import islice

import pytest

import agent
import bot

SIZE = 10_000  # characters
LIMIT_S = 0.5 * SIZE / 1_000_000  # five times the aim, for a machine that is shared
MATCHES = 1_000  # each is an attempt of its own; a million short ones would only measure the making of match objects
OWN = 40  # words of a pattern
SLOWER = {
    "agent.evidence._MATERIAL": 3,
    "agent.guards._claims.admission._ADMITS": 3,
    "agent.guards._claims.facts._COMMITS": 6,
    "agent.guards._claims.facts._LOOKS_AT_GIT": 3,
    "agent.guards._claims.facts._PUSHES": 6,
    "agent.testruns._NODE": 3,
}
"""How many times the limit those may take that look ahead by up to 200 characters, or try forty endings, from each
place where they begin. They are shown sentences, command lines and paths, of 8,000 characters at most."""
LEFT_OUT = {
    "agent.models.textcalls._BARE_HEAD",  # asked about one place, by way of a tuple
    "agent.settings.model_rules._SIZE",  # shown the name of a model, out of our owner's settings
}
PARTS = (
    "a", "A", "f", "0", " ", "\n", "\t", "$", "'", '"', "\\", "/", ".", ":", ",", ";", "|", "&", "<", ">", "(", ")",
    "[", "{", "=", "#", "-", "_", "é", "*", "~", "@", "+", "?", "!", "`", "a ", "a/", "/a", "a.", "a:", "a: ", "a::",
    "a=b ", "0,", "0-", "0:0", "1.", "(0,", "0x", "$A ", "$(", "<<", "'a", "'a'", "\x1b[", "\x1b]", "[0m", "a://",
    "a://b@", "tmp_", "-i ", "sed ", "tail ", "tail -", "tail -a ", "wait\n", "cd a ", "echo > ", "open('", "error ",
    "Error: ", "E ", "from ", "line 1:", 'File "', "LISTEN ", "listening ", "port ", "exit code ", "no ", "failed ",
    "(@INC contains:", "npm ERR! ", "0000-00-00", ": not found", "](", "![", "```", "```\n", "a\n", " a\n", "| ", "-|",
)  # fmt: skip


def _found() -> Iterator[tuple[str, re.Pattern[str]]]:
    for package in (agent, bot):
        for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not each.name.endswith("__main__"):
                for name, value in vars(importlib.import_module(each.name)).items():
                    for number, pattern in enumerate(_in(value)):
                        yield f"{each.name}.{name}{f'[{number}]' if number else ''}", pattern


def _in(value: object) -> Iterator[re.Pattern[str]]:
    match value:
        case re.Pattern() if isinstance(value.pattern, str):
            yield value
        case tuple() | list() | frozenset():
            for each in value:
                yield from _in(each)
        case dict():
            yield from _in([*value, *value.values()])
        case _ if isinstance(pattern := getattr(value, "pattern", None), re.Pattern):
            yield from _in(pattern)


PATTERNS = {pattern: name for name, pattern in reversed(list(_found()))}  # each once, by the first who has it
NAMED = {name: pattern for pattern, name in PATTERNS.items()}


def only_matched(name: str) -> bool:
    """Whether the pattern is always asked about one place, never looked for."""
    own = name.partition("[")[0].rpartition(".")[2]
    users = [m for n, m in list(sys.modules.items()) if n.startswith(("agent.", "bot."))]
    source = "".join(inspect.getsource(each) for each in users if vars(each).get(own) is NAMED[name])
    verbs = set(re.findall(rf"\b{own}\.(\w+)\(", source))
    return bool(verbs) and verbs <= {"match", "fullmatch"}


def own_words(pattern: str) -> Iterator[str]:
    bare = re.sub(r"\(\?[a-zA-Z<!=:>]+|\\[a-zA-Z]|\{[\d,]*\}", "|", pattern)
    for word in islice(dict.fromkeys(re.findall(r"[A-Za-z ]{3,}", bare)), OWN):
        yield from (word, f"{word.strip()} ", f"{word.strip()[:-1]} ")


def seconds(pattern: re.Pattern[str], text: str, one_place: bool, limit: float) -> float:
    """Our own time for `text`; the best of five, since others share the machine."""
    best = float("inf")
    for _ in range(5):
        began = time.thread_time()
        if one_place:
            pattern.match(text)
            pattern.fullmatch(text)
        else:
            for _ in islice(pattern.finditer(text), MATCHES):
                pass
        best = min(best, time.thread_time() - began)
        if best < limit:
            break
    return best


@pytest.mark.parametrize("name", sorted(NAMED.keys() - LEFT_OUT))
def test_a_pattern_is_linear(name: str) -> None:
    pattern, limit, one_place = NAMED[name], LIMIT_S * SLOWER.get(name, 1), only_matched(name)
    slow = {}
    for part in (*PARTS, *own_words(pattern.pattern)):
        took = seconds(pattern, part * (SIZE // len(part)), one_place, limit)
        if took > limit:
            slow[part] = took
    assert slow == {}


def test_the_patterns_are_found() -> None:
    assert len(NAMED) > 200
    assert SLOWER.keys() | LEFT_OUT <= NAMED.keys()


@pytest.mark.parametrize(
    ("pattern", "part", "one_place"),
    [(r"\s*\[?\s*\{", " ", True), (r"\[(?=[^\]\n]+\]:)", "[", False), (r"(?m)^[\s>]*FINAL", "\n", False)],
)
def test_a_pattern_that_is_not_would_be_caught(pattern: str, part: str, one_place: bool) -> None:
    assert seconds(re.compile(pattern), part * SIZE, one_place, LIMIT_S) > LIMIT_S
