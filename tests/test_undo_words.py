"""What /undo says: what can't be had back before what can, everything counted, nothing that breaks a message."""

from __future__ import annotations

import os
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.undo import UndoPlan, UndoReport
from agent.undo.states import Why
from bot import words
from bot.undo import SHOWN, done, offer

W = "/home/x/work"


def test_every_reason_has_words() -> None:
    assert {why.value for why in Why} == words.UNDO_REASONS.keys()


def test_what_is_lost_comes_first() -> None:
    plan = UndoPlan(
        "s:1",
        restore=(f"{W}/src/a.py", f"{W}/b.py"),
        delete=(f"{W}/new.py",),
        cannot=((f"{W}/video.mp4", "too large"),),
        changed_since=(f"{W}/notes.txt", "/etc/motd"),
        workspaces=(W,),
    )
    assert offer(plan) == (
        "What I can't bring back:\n"
        "• video.mp4: over 16 MB, no copy was kept\n"
        "• notes.txt: changed by somebody else since; stays as it is\n"
        "• /etc/motd: changed by somebody else since; stays as it is\n"
        "What commands changed outside /home/x/work is not known.\n"
        "\n"
        "Back to what it was: 2 paths\n"
        "• src/a.py\n"
        "• b.py\n"
        "Made by the run, goes away: 1 path\n"
        "• new.py"
    )


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        (UndoPlan("s:1"), "Nothing to undo: the files are as they were before the last run."),
        (UndoPlan("s:1", restore=("/a",)), "Back to what it was: 1 path\n• /a"),
        (
            UndoPlan("s:1", cannot=(("", "damaged"),)),
            "What I can't bring back:\n• the copy is damaged\n\nNothing else of the last run is left to undo.",
        ),
    ],
)
def test_plans_with_little_in_them(plan: UndoPlan, text: str) -> None:
    assert offer(plan) == text


@pytest.mark.parametrize(
    ("report", "text"),
    [
        (UndoReport("s:1"), "Nothing was changed."),
        (
            UndoReport("s:1", ("/a",), ("/b", "/c"), redo="s:1~1"),
            "Undone: 1 path restored, 2 removed.\n/undo once more takes this back.",
        ),
        (
            UndoReport("s:1", ("/a",), (), (("/b", "permission denied"),), ("/c",)),
            "1 path could not be undone:\n• /b: permission denied\n"
            "1 path changed by somebody else since; stays as it is:\n• /c\nUndone: 1 path restored, 0 removed.",
        ),
    ],
)
def test_reports(report: UndoReport, text: str) -> None:
    assert done(report) == text


@pytest.mark.parametrize(("count", "more"), [(SHOWN - 1, 0), (SHOWN, 0), (SHOWN + 1, 1), (9_999, 9_989)])
def test_long_lists_are_cut_and_counted(count: int, more: int) -> None:
    text = offer(UndoPlan("s:1", restore=tuple(f"/{n:04}" for n in range(count))))
    assert text.count("•") == min(count, SHOWN)
    assert f"Back to what it was: {count} paths" in text
    assert text.endswith(f"… and {more} more") is bool(more)


paths = st.binary(max_size=300).map(lambda name: "/" + os.fsdecode(name)) | st.text("😀\u202e\n", min_size=200)
many = st.lists(paths, max_size=15).map(tuple)
lost = st.lists(st.tuples(paths, st.sampled_from(sorted(words.UNDO_REASONS))), max_size=15).map(tuple)


@settings(deadline=None)
@given(many, many, lost, many)
def test_any_names_make_a_message_that_can_be_sent(
    some: tuple[str, ...], others: tuple[str, ...], gone: tuple[tuple[str, str], ...], roots: tuple[str, ...]
) -> None:
    plan = UndoPlan("s:1", some, others, gone, some, roots)
    report = UndoReport("s:1", some, others, gone, some)
    for text in (offer(plan), done(report)):
        assert 0 < len(text.encode("utf-16-le")) // 2 <= 4096
        assert not re.search("[\x00-\x09\x0b-\x1f\u202e\ud800-\udfff]", text)
