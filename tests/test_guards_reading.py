"""The quick reading of a command line agrees with the full one; what a line changes, waits for and is about."""

from __future__ import annotations

import pytest

from agent.commandline import simple_commands
from agent.guards._effects import acts_outside, changes, waits
from agent.guards._reading import programs
from agent.guards._targets import target

LINES = (
    "ls -l",
    "cd /w && PATH=$PATH:/opt bash -x scan.sh 2>&1 | tail -5",
    "python3 train.py --lr 1 > log.txt 2>&1 &",
    "make -j4 2>/dev/null; echo done",
    "npm run build && git commit -m 'x; rm -rf /' -q",
    'grep -rn "a | b > c" src | head -3',
    "sudo env A=1 timeout 5 ./run.sh x",
    "python -m pytest tests -q",
    "npx jest --ci",
    "find . -name '*.py' -exec grep -l x {} \\;",
    "find . -name '*.py' | xargs rm",
    "bash -c 'rm a; ls'",
    "cat > a.sh <<'EOF'\necho > x\nEOF\nbash a.sh",
    "for f in a b; do cat $f; done",
    "if [ -f a ]; then rm a; fi",
    "(cd x; ls) || true",
    "echo a >> b # and > c",
    "sed -i 's/a b/c/' x.txt",
    "cat $(ls | head -1)",
    "git status\ngit diff",
    "FOO=1",
    "",
)


@pytest.mark.parametrize("line", LINES)
def test_the_quick_reading_agrees_with_the_full_one(line: str) -> None:
    quick = [(each.stem, each.writes, each.piped) for each in programs(line)]
    assert quick == [(each.stem, each.writes, each.piped) for each in simple_commands(line)]


@pytest.mark.parametrize(
    ("line", "changed", "outside"),
    [
        ("ls -l", False, False),
        ("rm a", True, False),
        ("python train.py", False, False),  # unknown: counts as none
        ("python -c \"open('a','w').write('x')\"", True, False),
        ("echo x > a", True, False),
        ("echo x > /dev/null 2>&1", False, False),
        ("sed -n 1p a", False, False),
        ("sed -i s/a/b/ a", True, False),
        ("git status", False, False),
        ("git add a", True, True),
        ("pip install x", True, True),
        ("pip list", False, False),
        ("find . -delete", True, False),
        ("grep -i pip a", False, False),
        ("docker restart web", True, True),
    ],
)
def test_what_changes_something_and_where(line: str, changed: bool, outside: bool) -> None:
    assert (changes(line), acts_outside(line)) == (changed, outside)


@pytest.mark.parametrize(
    ("line", "waiting"),
    [
        ("sleep 5", True),
        ("make; sleep 1 && tail log", True),
        ("wait", True),
        ("tail -f log", True),
        ("tail -n 5 -f log", True),
        ("watch ls", True),
        ("tail -n 5 log", False),
        ("cat sleep.txt", False),
        ("grep wait-for a", False),
    ],
)
def test_what_waits(line: str, waiting: bool) -> None:
    assert waits(line) == waiting


@pytest.mark.parametrize(
    ("line", "about"),
    [
        ("bash scan.sh http://x", "scan.sh"),
        ("cd /w && ./scan.sh x 2>&1 | tail -3", "scan.sh"),
        ("bash scan.sh > out; tail out", "scan.sh"),
        ("cat a/b/notes.txt", "cat notes.txt"),
        ("cat 'my notes.txt'", "cat my_notes.txt"),
        ("npm run build", "npm run build"),
        ("python -m pytest -x", "pytest"),
        ("echo hi", ""),
        ("cd x", ""),
        ("", ""),
    ],
)
def test_what_a_line_is_about(line: str, about: str) -> None:
    assert target(line) == about
