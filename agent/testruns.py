"""Test runs: which command line is one, and what its output says of the tests, by the formats that runners print. Pure.

An exit code alone isn't trusted: `pytest || true` exits with 0, and so does a runner that found no test at all.
"""

from __future__ import annotations

import re

from agent.commandline import Simple
from agent.intent import READS, Intent

RUNNERS = ("pytest", "py.test", "jest", "vitest", "mocha", "ava", "unittest", "tox", "nox", "cargo test", "go test",
           "cargo nextest", "npm test", "npm t ", "npm run test", "yarn test", "yarn run test", "pnpm test",
           "pnpm run test", "bun test", "deno test", "make test", "make check", "mvn", "gradle", "./gradlew", "rspec",
           "phpunit", "ctest", "dotnet test", "rake", "bats", "prove", "behave", "stestr")  # fmt: skip
SCANNED = 20_000  # characters of an output
MOST = 8  # names

_TESTISH = re.compile(r"(?:^|[^a-z])(?:tests?|specs?)(?:[^a-z]|$)|^--test$", re.IGNORECASE)
_CALLS = re.compile(r"(?<!\w)(?<!\w\.)\w++(?:\.\w++)*+\(")
_IMPORTS_TESTS = re.compile(r"(?:import|from) \w*?test", re.IGNORECASE)
_NODE = re.compile(r"\bnode\b[^;&|\n]{0,200}\s--test\b")
_NO_TEST = ("install", "add", "new", "init", "clone", "download", "build")
_FAILING = (
    re.compile(r"^(?:FAILED|ERROR) ([^\s:(]\S*(?:::[^\n]*?)?)(?: - |\s*$)", re.MULTILINE),  # pytest
    re.compile(r"^(?:FAIL|ERROR): (\w+) \(", re.MULTILINE),  # unittest
    re.compile(r"^[ \t]*--- FAIL: (\S+)", re.MULTILINE),  # go
    re.compile(r"^test (\S+) \.\.\. FAILED", re.MULTILINE),  # cargo
    re.compile(r"^[ \t]*not ok \d+ -? ?([^\n#]{1,120}?)\s*(?:#|$)", re.MULTILINE),  # TAP
    re.compile(r"^[ \t]*✖ (?!failing tests)([^\n]{1,120}?)(?: \(\d[\d.]* ?m?s\))?$", re.MULTILINE),  # node
    re.compile(r"^[ \t]*(?:●|[×✕✗]) ([^\n]{1,120}?)(?: \(?\d[\d.]* ?m?s\)?)?$", re.MULTILINE),  # jest, vitest
)
_RED = re.compile(
    r"(?<![\w.])[1-9]\d{0,6} (?:tests? )?(?:failed|failing|failures?|errors?)\b|# fail [1-9]|ℹ fail [1-9]"
    r"|^FAILED\b|^FAIL\b|failures=[1-9]|errors=[1-9]|test result: FAILED|AssertionError",
    re.MULTILINE,
)
_NONE = re.compile(
    r"no tests? (?:ran|found|files?|were|to run|collected)|collected 0 items|\bran 0 tests|[#ℹ] tests 0\b"
    r"|no test files\]|0 passing|^0 tests",
    re.IGNORECASE | re.MULTILINE,
)
_PASSED = re.compile(
    r"(?<![\w.])(\d{1,6}) (?:tests? )?(?:passed|passing)\b|[#ℹ] pass (\d{1,6})|\bRan (\d{1,6}) tests?\b"
)
_GO_RAN = re.compile(r"^ok\s", re.MULTILINE)


def is_test(part: Simple) -> bool:
    """Whether this program of a command line runs tests: a known runner, or what isn't a reader and is named so."""
    first = next(iter(part.operands), "")
    if first in _NO_TEST:
        return False
    if f"{part.stem} {first} ".startswith(RUNNERS):
        return True
    name = part.stem.rpartition("/")[2]
    if part.stem in READS or name in READS or part.writes or part.piped:
        return False
    if name.endswith((" -c", " -e")):
        return any(_calls_tests(word) for word in part.words[1:2])
    runs = name in ("node", "deno", "bun", "tsx", "ts-node") or "." in name or name.startswith(("run", "test"))
    return runs and any(_TESTISH.search(word.rpartition("/")[2][:400]) for word in (name, *part.words))


def _calls_tests(code: str) -> bool:
    """Whether code calls or imports something that is named after tests."""
    called = any("test" in found[0].lower() for found in _CALLS.finditer(code))
    return called or _IMPORTS_TESTS.search(code) is not None


def tests(meant: Intent) -> bool:
    """Whether a call runs tests."""
    return any(is_test(part) for part in meant.parts) or (bool(meant.parts) and _NODE.search(meant.text) is not None)


def failing(output: str) -> tuple[str, ...]:
    """The names of the tests that failed, at most 8, in the order of the output."""
    text = output[:SCANNED]
    found = [(match.start(), match[1].strip()) for pattern in _FAILING for match in pattern.finditer(text)]
    return tuple(dict.fromkeys(name for _, name in sorted(found) if name))[:MOST]


def passed(output: str) -> int | None:
    """How many tests the last summary counts as passed; None if it says nothing of it."""
    found = [next(filter(None, match.groups()), "0") for match in _PASSED.finditer(output[-SCANNED:])]
    return int(found[-1]) if found else None


def red(output: str) -> bool:
    """Whether it tells of a failed test, whatever the exit code."""
    return _RED.search(output[-SCANNED:]) is not None


def empty(output: str) -> bool:
    """Whether nothing was tested."""
    text = output[-SCANNED:]
    return _NONE.search(text) is not None and not passed(text) and not _GO_RAN.search(text)


def green(succeeded: bool, output: str) -> bool:
    """Whether a test run shows that the tests pass. `succeeded`: it exited with 0."""
    return succeeded and not red(output) and not empty(output)
