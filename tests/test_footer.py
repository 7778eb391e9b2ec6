"""The line under an answer: what it counts, when it stands there, and that no formatting swallows it."""

from __future__ import annotations

import pytest

from agent.steps import (
    Asked,
    Call,
    Change,
    End,
    Ended,
    Failed,
    Finished,
    Outcome,
    Said,
    Step,
    Trouble,
    Usage,
)
from bot.amounts import cost, money, tokens
from bot.answers import Answers
from bot.channel import Place
from bot.envelope import decode
from bot.footer import Footer
from bot.projector import outgoing
from bot.split import LIMIT, units

CALL = Call("c1", "shell", "{}")
ASKED = Asked(at=100.0, text="q", author="t:7", ref="t:1:5:3")
PLACE = Place("t", "1", "5")


def said(usage: Usage, text: str = "", *calls: Call) -> Said:
    return Said(at=101, text=text, usage=usage, calls=calls, upto=99)


def ran(outcome: Outcome = Outcome.OK, tool: str = "shell", *files: Change) -> Finished:
    return Finished(at=102, call_id="c1", tool=tool, outcome=outcome, text="", files=files)


def line(*steps: Step, at: float = 172.0) -> str:
    footer = Footer()
    for step in steps:
        footer.fold(step)
    return footer.line(at)


A, B, SAME = Change("a", "", "1"), Change("b", "1", "2"), Change("c", "1", "1")


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (
            [ASKED, said(Usage(17_000, 900, money=0.02)), *[ran()] * 5, ran(Outcome.OK, "shell", A, B)],
            "2 files · 6 commands · 1 min 12 s · 18k tokens · $0.02",
        ),
        ([ASKED, said(Usage(500, 1)), ran()], "1 command · 1 min 12 s · 501 tokens"),  # its cost is unknown
        ([ASKED, said(Usage(500, 1, money=0.0)), ran()], "1 command · 1 min 12 s · 501 tokens · $0.00"),
        ([ASKED, said(Usage(500, 1, estimated=True)), ran()], "1 command · 1 min 12 s · ~501 tokens"),
        (
            [ASKED, said(Usage(500, money=0.5)), said(Usage(500)), ran()],
            "1 command · 1 min 12 s · 1.0k tokens · $0.50 + unknown",
        ),
        ([ASKED, said(Usage(500, 1)), ran(Outcome.OK, "read_file")], "1 min 12 s · 501 tokens"),
        ([ASKED, said(Usage()), ran(Outcome.OK, "edit_file", A, A, SAME)], "1 file · 1 min 12 s"),
        ([ASKED, said(Usage()), ran(Outcome.HELD), ran(Outcome.CANCELLED), ran(Outcome.BAD_ARGUMENTS)], "1 min 12 s"),
        ([ASKED, said(Usage()), ran(Outcome.FAILED), ran(Outcome.TIMED_OUT)], "2 commands · 1 min 12 s"),
        (
            [ASKED, Failed(at=1, trouble=Trouble.RETRY, text="", usage=Usage(99)), said(Usage(1)), ran()],
            "1 command · 1 min 12 s · 100 tokens",
        ),
        ([ASKED, said(Usage(-5, -5, money=-1.0)), ran()], "1 command · 1 min 12 s · $0.00"),
        ([ASKED, said(Usage(500, 1))], ""),  # it only talked
        ([said(Usage(500, 1)), ran()], ""),  # no run of ours
    ],
)
def test_what_the_line_says(steps: list[Step], expected: str) -> None:
    assert line(*steps) == expected


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (-5, "0"), (0, "0"), (999, "999"), (1000, "1.0k"), (1234, "1.2k"), (9949, "9.9k"), (9951, "10k"),
        (18_400, "18k"), (999_400, "999k"), (999_600, "1.0M"), (1_250_000, "1.2M"), (45_000_000, "45M"),
        (4_500_000_000, "4,500M"),
    ],
)  # fmt: skip
def test_tokens(count: int, text: str) -> None:
    assert tokens(count) == text


@pytest.mark.parametrize(
    ("dollars", "text"),
    [(-1.0, "$0.00"), (0.0, "$0.00"), (0.00001, "<$0.0001"), (0.0042, "$0.0042"), (0.0094, "$0.0094"),
     (0.0095, "$0.01"), (0.02, "$0.02"), (12.345, "$12.35"), (999.99, "$999.99"), (1234.5, "$1,234")],
)  # fmt: skip
def test_money(dollars: float, text: str) -> None:
    assert money(dollars) == text


@pytest.mark.parametrize(
    ("priced", "calls", "text"), [(0, 0, ""), (0, 3, ""), (1, 3, "$0.50 + unknown"), (3, 3, "$0.50")]
)
def test_an_unknown_cost_is_never_nothing(priced: int, calls: int, text: str) -> None:
    assert cost(0.5 if priced else 0.0, priced, calls) == text


def footers(*steps: Step) -> list[tuple[str, str]]:
    fold = Answers()
    drafts = [draft for seq, step in enumerate(steps, 1) for draft in fold.fold(seq, step)]
    return [(draft.markdown, draft.footer) for draft in drafts]


WORK = [said(Usage(100), "", CALL), ran()]
TOLD = "1 command · 1 min 12 s · 101 tokens"


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([ASKED, *WORK, said(Usage(1), "A"), Ended(at=172, end=End.ANSWERED)], [("A", TOLD)]),
        ([ASKED, said(Usage(1), "A"), Ended(at=172, end=End.ANSWERED)], [("A", "")]),
        (
            [ASKED, *WORK, said(Usage(1), "A"), Ended(at=172, end=End.LIMIT, reason="Limit.")],
            [("A", ""), ("Limit.", TOLD)],
        ),
        ([ASKED, *WORK, said(Usage(1), "A"), Ended(at=172, end=End.STOPPED)], []),
        (
            [ASKED, *WORK, said(Usage(1), "A"), Ended(at=172, end=End.ANSWERED), ASKED, said(Usage(1), "B"),
             Ended(at=999, end=End.ANSWERED)],
            [("A", TOLD), ("B", "")],
        ),
    ],
)  # fmt: skip
def test_it_stands_under_the_last_words_of_the_run(steps: list[Step], expected: list[tuple[str, str]]) -> None:
    assert footers(*steps) == expected


@pytest.mark.parametrize("text", ["plain", "```python\nx = 1", "| a | b |\n|---|---|\n| 1 | 2 |", "**bold", "x" * 9000])
def test_it_is_the_last_line_outside_of_all_formatting(text: str) -> None:
    steps = [ASKED, *WORK, said(Usage(1), text), Ended(at=172, end=End.ANSWERED)]
    fold = Answers()
    (draft,) = [draft for seq, step in enumerate(steps, 1) for draft in fold.fold(seq, step)]
    letters = [decode(row.body)[1] for row in outgoing("s", PLACE, draft)]
    assert letters[-1].text.endswith(f"\n\n{TOLD}")
    begins = units(letters[-1].text) - units(TOLD)
    assert all(int(str(e["offset"])) + int(str(e["length"])) <= begins for e in letters[-1].entities)
    assert sum(TOLD in letter.text for letter in letters) == 1


@pytest.mark.parametrize(("room", "parts"), [(len(TOLD) + 2, 1), (len(TOLD) + 1, 2)])
def test_where_the_last_letter_is_full_it_has_one_of_its_own(room: int, parts: int) -> None:
    steps = [ASKED, *WORK, said(Usage(1), "y" * (LIMIT - room)), Ended(at=172, end=End.ANSWERED)]
    fold = Answers()
    (draft,) = [draft for seq, step in enumerate(steps, 1) for draft in fold.fold(seq, step)]
    letters = [decode(row.body)[1] for row in outgoing("s", PLACE, draft)]
    assert len(letters) == parts
    assert letters[-1].text.endswith(TOLD)
    assert max(units(letter.text) for letter in letters) <= LIMIT
