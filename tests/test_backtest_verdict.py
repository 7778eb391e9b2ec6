"""Outcome and streams of a recorded call, from its flag, its command and the one text there is."""

from __future__ import annotations

from typing import Any

import pytest

from agent.backtest.runs import _call
from agent.backtest.sources import plain
from agent.backtest.verdict import outcome, streams
from agent.steps import Outcome
from tests.fakes.runs import recorded

TRACEBACK = "loading\nTraceback (most recent call last):\n  File x\nValueError: no\n"
NO_SCRIPT = "python: can't open file: [Errno 2] No such file or directory"


def judged(**fields: Any) -> tuple[Outcome, str, str]:
    call = _call(recorded(**fields))
    act = plain(call)
    assert act is not None
    ended = outcome(call, act)
    out, err = streams(call, act, ended)
    return ended, out.head, err.head


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        # exit 1 that is an answer, and that isn't
        ({"args": "grep x a", "ok": False, "exit_code": 1, "output": ""}, (Outcome.ANSWERED_NO, "", "")),
        ({"args": "diff a b", "ok": False, "exit_code": 1, "output": "1c1"}, (Outcome.ANSWERED_NO, "1c1", "")),
        ({"args": "make", "ok": False, "exit_code": 1, "output": ""}, (Outcome.FAILED, "", "")),
        (
            {"args": "grep x a", "ok": False, "exit_code": 1, "output": "grep: a: No such file or directory"},
            (Outcome.FAILED, "", "grep: a: No such file or directory"),
        ),
        # exit 0 with a complaint, and with text that only looks like one
        (
            {"args": "cat a | wc", "output": "cat: a: No such file or directory\n0"},
            (Outcome.WARNED, "", "cat: a: No such file or directory\n0"),
        ),
        (
            {"args": "x | wc", "output": "bash: line 1: x: command not found\n0"},
            (Outcome.WARNED, "", "bash: line 1: x: command not found\n0"),
        ),
        ({"args": "cat log", "output": "sshd: error: denied"}, (Outcome.OK, "sshd: error: denied", "")),
        ({"args": "cat log", "output": "ValueError: no"}, (Outcome.OK, "ValueError: no", "")),
        # where the flag is a guess, the program's own complaint overrules it
        (
            {"args": "python a.py", "ok_from": "derived", "output": NO_SCRIPT},
            (Outcome.FAILED, "", NO_SCRIPT),
        ),
        # the first line of output is not the first line of stderr
        ({"ok": False, "output": TRACEBACK}, (Outcome.FAILED, "loading\n", TRACEBACK.removeprefix("loading\n"))),
        ({"ok": False, "output": "all sorts of things"}, (Outcome.FAILED, "all sorts of things", "")),
        ({"tool": "sql", "ok": False, "output": "Error: x"}, (Outcome.FAILED, "", "Error: x")),
        ({"tool": "other", "ok": True, "output": "x: error: y"}, (Outcome.OK, "x: error: y", "")),
    ],
)  # fmt: skip
def test_what_became_of_it(fields: dict[str, Any], expected: tuple[Outcome, str, str]) -> None:
    assert judged(**fields) == expected


def test_the_streams_share_the_hash_of_the_whole_and_its_size() -> None:
    call = _call(recorded(ok=False, output=TRACEBACK, out_len=9000, out_sha="ab"))
    act = plain(call)
    assert act is not None
    out, err = streams(call, act, Outcome.FAILED)
    assert (out.sha256, err.sha256, out.size + err.size) == ("ab", "ab", 9000)
