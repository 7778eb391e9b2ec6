"""Which messages a journal calls for: one answer to each question, under keys that never change."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.steps import (
    Asked,
    Call,
    End,
    Ended,
    Finished,
    Level,
    Nudged,
    Outcome,
    Parked,
    Resumed,
    Said,
    Step,
)
from bot import modelwords, words
from bot.answers import Answers, Draft

CALL = Call("c1", "shell", "{}")
PARKED = Parked(at=5, until=35, why="Away.")


def asked(ref: str, author: str = "t:7", name: str = "") -> Asked:
    return Asked(at=1, text="q", author=author, ref=ref, name=name)


def said(text: str, upto: int, *calls: Call, finish: str = "stop") -> Said:
    return Said(at=2, text=text, upto=upto, calls=calls, finish=finish)


def drafts(*steps: Step) -> list[Draft]:
    fold = Answers()
    return [draft for seq, step in enumerate(steps, start=1) for draft in fold.fold(seq, step)]


def told(*steps: Step) -> list[tuple[str, str | None]]:
    return [(draft.markdown, draft.ref) for draft in drafts(*steps)]


DONE = Ended(at=3, end=End.ANSWERED)


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([asked("r1"), said("A", 1), DONE], [("A", "r1")]),
        ([asked("r1"), said("thinking", 1, CALL), said("A", 2), DONE], [("A", "r1")]),
        # two questions at once: the newest that was seen is replied to
        ([asked("r1"), asked("r2"), said("A", 2), DONE], [("A", "r2")]),
        # the second came while the model spoke: the first has its answer at once, the second its own
        ([asked("r1"), asked("r2"), said("A", 1), said("B", 3), DONE], [("A", "r1"), ("B", "r2")]),
        ([asked("r1"), said("A", 1), Ended(at=3, end=End.STOPPED)], []),
        ([asked("r1"), Ended(at=3, end=End.FAILED, reason="No key.")], [("No key.", "r1")]),
        ([asked("r1"), said("A", 1), Ended(at=3, end=End.LIMIT, reason="Limit.")], [("A", "r1"), ("Limit.", "r1")]),
        ([asked("r1"), said("A", 1, finish="length"), DONE], [(f"A\n\n{words.CUT}", "r1")]),
        ([asked("r1"), Parked(at=5, until=3605, why="Away.")], [(modelwords.parked("Away.", "01:00"), "r1")]),
        ([asked("r1"), PARKED, Resumed(at=9, cause="timer"), PARKED], [(modelwords.parked("Away.", "00:00"), "r1")]),
        ([asked("press:1:9"), asked(""), Ended(at=5, end=End.FAILED, reason="No.")], [("No.", None)]),
        ([asked("r1"), Parked(at=5, until=None, why="Waiting.")], [("Waiting.", "r1")]),
        ([asked("r1"), said("A", 1), DONE, asked("r2"), said("B", 4), DONE], [("A", "r1"), ("B", "r2")]),
    ],
)
def test_what_is_said(steps: list[Step], expected: list[tuple[str, str | None]]) -> None:
    assert told(*steps) == expected


def test_an_interrupted_call_is_told_in_silence() -> None:
    finished = Finished(at=3, call_id="c1", tool="shell", outcome=Outcome.INTERRUPTED, text="")
    (draft,) = drafts(asked("r1"), said("", 1, CALL), finished)
    assert (draft.markdown, draft.silent, draft.role) == (words.RESTARTED, True, "notice")


def test_a_question_names_its_authors_the_newest_last() -> None:
    ask = Nudged(at=3, guard="g", event="e", level=Level.ASK, text="may I?", about="c1")
    (draft,) = drafts(asked("r1", "t:7", "Ann"), asked("r2", "t:8", "Bob"), said("", 2, CALL), ask)
    assert (draft.role, draft.authors, draft.asker, draft.ask) == ("approval", ("t:7", "t:8"), "Bob", ask)


COURSE = st.lists(
    st.one_of(
        st.builds(asked, st.uuids().map(str)),
        st.builds(said, st.sampled_from(["A", "B"]), st.integers(0, 30)),
        st.builds(said, st.just(""), st.integers(0, 30), st.just(CALL)),
        st.builds(Ended, at=st.just(1.0), end=st.sampled_from(list(End))),
        st.builds(Parked, at=st.just(1.0), until=st.just(2.0), why=st.just("w")),
    ),
    max_size=25,
)


@settings(max_examples=300, deadline=None)
@given(COURSE)
def test_keys_are_unique_and_the_same_at_every_projection(course: list[Step]) -> None:
    first, again = drafts(*course), drafts(*course)
    assert first == again
    keys = [draft.key for draft in first]
    assert len(keys) == len(set(keys))
