"""How commands end, told apart: a table over exit status, PIPESTATUS, verbs and stderr."""

from __future__ import annotations

import pytest

from agent.host.outcome import Ending, ending, error_shaped, last_chain
from agent.steps import Outcome


def judged(text: str, code: int, pipe: tuple[int, ...] = (), out: str = "", err: str = "") -> Outcome:
    return ending(text, code << 8, pipe or (code,), out, err).outcome


NO, FAILED, OK, KILLED, WARNED = (
    Outcome.ANSWERED_NO,
    Outcome.FAILED,
    Outcome.OK,
    Outcome.KILLED,
    Outcome.WARNED,
)


@pytest.mark.parametrize(
    ("text", "code", "pipe", "out", "err", "expected"),
    [
        ("true", 0, (0,), "", "", OK),
        ("make", 0, (0,), "built", "note: all fine", OK),
        ("make", 0, (0,), "", "warning: x\nerror: y", WARNED),
        ("false", 1, (1,), "", "", FAILED),
        ("make", 2, (2,), "", "", FAILED),
        ("nosuch", 127, (127,), "", "bash: line 1: nosuch: command not found", FAILED),
        ("./x", 126, (126,), "", "Permission denied", FAILED),
        ("git log --bad", 129, (129,), "", "usage", FAILED),
        ("exit 255", 255, (0,), "", "", FAILED),
        # exit 1 that answers
        ("grep x f", 1, (1,), "", "", NO),
        ("grep x f", 2, (2,), "", "grep: f: No such file or directory", FAILED),
        ("grep x f", 1, (1,), "", "grep: g: Permission denied", FAILED),
        ("diff a b", 1, (1,), "< 1\n> 2", "", NO),
        ("cmp a b", 1, (1,), "a b differ", "", NO),
        ("test -f x", 1, (1,), "", "", NO),
        ("[ -f x ]", 1, (1,), "", "", NO),
        ("[[ -f x ]]", 1, (1,), "", "", NO),
        ("which x", 1, (1,), "", "", NO),
        ("command -v x", 1, (1,), "", "", NO),
        ("pgrep x", 1, (1,), "", "", NO),
        ("git diff --quiet", 1, (1,), "", "", NO),
        ("git push", 1, (1,), "", "", FAILED),
        ("/usr/bin/grep x f", 1, (1,), "", "", NO),
        ("A=1 sudo -n timeout 5 grep x f", 1, (1,), "", "", NO),
        ("! grep x f", 1, (0,), "", "", NO),
        ("cd /tmp; make; grep x f", 1, (1,), "lots", "", NO),
        ("if true; then grep x f; fi", 1, (1,), "", "", NO),
        ("for i in 1 2; do grep $i f; done", 1, (1,), "", "", NO),
        # pipelines: whoever failed decides
        ("cat f | grep x", 1, (0, 1), "", "", NO),
        ("grep x f | head", 1, (1, 0), "", "", NO),
        ("pytest | grep FAILED", 1, (1, 0), "FAILED a", "", FAILED),
        ("pytest | grep FAILED", 1, (1, 1), "", "", FAILED),
        ("false | cat", 1, (1, 0), "", "", FAILED),
        # lists: whoever is not known for silence must have been silent
        ("cd /tmp && ls && grep x f", 1, (1,), "a b c", "", NO),
        ("pytest && grep x f", 1, (1,), "1 failed", "", FAILED),
        ("[ -f x ] && cat x", 1, (1,), "", "", NO),
        ("[ -f x ] && pytest", 1, (1,), "1 failed", "", FAILED),
        ("[ -f x ] || make", 1, (1,), "", "make: boom", FAILED),
        ("grep 'a | b; c' f", 1, (1,), "", "", NO),
        ("echo 'grep x' ; false", 1, (1,), "", "", FAILED),
        ("grep x 'f", 1, (1,), "", "", FAILED),
        # signals
        ("./crash", 139, (139,), "", "", KILLED),
        ("./oom", 137, (137,), "", "", KILLED),
        ("yes | head -1", 141, (141, 0), "y", "", OK),
        ("./pipe", 141, (141,), "", "", KILLED),
    ],
)
def test_outcomes(text: str, code: int, pipe: tuple[int, ...], out: str, err: str, expected: Outcome) -> None:
    assert judged(text, code, pipe, out, err) is expected


def test_a_signal_has_its_number_and_the_shells_exit_code() -> None:
    assert ending("x", 9, (), "", "") == Ending(KILLED, 137, 9)
    assert ending("x", 9 | 0x80, (), "", "") == Ending(KILLED, 137, 9)
    assert ending("x", 137 << 8, (137,), "", "") == Ending(KILLED, 137, 9)


def test_without_pipestatus_the_last_verb_stands_for_all() -> None:
    assert ending("cat f | grep x", 1 << 8, (), "", "").outcome is NO
    assert ending("grep x | cat", 1 << 8, (), "", "").outcome is FAILED


@pytest.mark.parametrize(
    ("stderr", "shaped"),
    [
        ("", False),
        ("Cloning into 'x'...", False),
        ("0 errors, 0 warnings", False),
        ("no error here", False),
        ("terrors", False),
        ("error: nope", True),
        ("gcc: fatal error: no input", True),
        ("Traceback (most recent call last):", True),
        ("KeyError: 'x'", True),
        ("[ERROR] x", True),
        ("ls: cannot access 'x': No such file or directory", True),
        ("fine\nfine\nbash: line 3: x: command not found", True),
    ],
)
def test_error_shapes(stderr: str, shaped: bool) -> None:
    assert error_shaped(stderr) is shaped


@pytest.mark.parametrize(
    ("text", "chain"),
    [
        ("", []),
        ("# only words", []),
        ("a; b && c | d", [["b"], ["c", "d"]]),
        ("a\nb", [["b"]]),
        ("a # b; c", [["a"]]),
        ("a >out 2>&1 && b &>x", [["a"], ["b"]]),
        ("echo a\\;b", [["echo"]]),
        ('echo "a; $(b)" | c', [["echo", "c"]]),
        ("(cd x; grep y z)", [["grep"]]),
        ("a \\\n b", [["a"]]),
        ("echo 'open", []),
    ],
)
def test_the_last_list_of_commands(text: str, chain: list[list[str]]) -> None:
    assert last_chain(text) == chain
