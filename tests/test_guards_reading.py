"""How a command line is read; what a line changes, waits for and is about."""

from __future__ import annotations

import pytest

from agent.commandline import simple_commands
from agent.guards._effects import acts_outside, changes, waits
from agent.guards._targets import target

READ = (
    ("ls -l", [("ls", ["-l"])]),
    ("cd /w && PATH=$PATH:/opt bash -x scan.sh 2>&1 | tail -5", [("cd", ["/w"]), ("scan.sh", []), ("tail", ["-5"])]),
    ("npm run build && git commit -m 'x; rm -rf /' -q", [("npm run build", ["run", "build"]),
     ("git commit", ["commit", "-m", "x; rm -rf /", "-q"])]),
    ("sudo env A=1 timeout 5 ./run.sh x", [("run.sh", ["x"])]),
    ("python -m pytest tests -q", [("pytest", ["tests", "-q"])]),
    ("npx jest --ci", [("jest", ["--ci"])]),
    ("find . -type f | xargs rm", [("find", [".", "-type", "f"]), ("rm", [])]),
    ("bash -c 'rm a; ls'", [("rm", ["a"]), ("ls", [])]),
    ("cat > a.sh <<'EOF'\necho > x\nEOF\nbash a.sh", [("cat", []), ("a.sh", [])]),
    ("for f in a b; do cat $f; done", [("cat", ["$f"])]),
    ("cat $(ls | head -1)", [("cat", ["$"]), ("ls", []), ("head", ["-1"])]),
    ("git status\ngit diff # why", [("git status", ["status"]), ("git diff", ["diff"])]),
    ("echo \"a 'b'\" 'c \"d\"' e\\ f", [("echo", ["a 'b'", 'c "d"', "e f"])]),
    ("FOO=1", []),
    ("", []),
    ("echo 'open", []),  # what can't be read gives nothing
    (" \n# only a comment", []),
)  # fmt: skip


@pytest.mark.parametrize(("line", "programs"), READ)
def test_the_programs_of_a_line(line: str, programs: list[tuple[str, list[str]]]) -> None:
    assert [(each.stem, list(each.words[1:])) for each in simple_commands(line)] == programs


@pytest.mark.parametrize(
    ("line", "writes"),
    [
        ("make > log.txt 2>&1", ["log.txt"]),
        ("echo a >> 'b c'", ["b c"]),
        ("ls > /dev/null", []),
        ("sort < in &> out", ["out"]),
        ("echo a > b # and > c", ["b"]),
    ],
)
def test_the_files_that_a_line_writes(line: str, writes: list[str]) -> None:
    assert [path for each in simple_commands(line) for path in each.writes] == writes


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
        ("cat 'my notes.txt'", "cat my notes.txt"),
        ("npm run build", "npm run build"),
        ("python -m pytest -x", "pytest"),
        ("echo hi", ""),
        ("cd x", ""),
        ("", ""),
    ],
)
def test_what_a_line_is_about(line: str, about: str) -> None:
    assert target(line) == about
