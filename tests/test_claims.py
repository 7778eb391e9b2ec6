"""Claims of a final text against session and disk: the data file's true and false twins, and what is no claim."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent.guards._claims.admission import admits, asks
from agent.guards._claims.found import Kind, claims
from agent.guards.claims import Claims
from agent.panel import Panel
from agent.steps import Asked, Call, Change, End, Ended, Finished, Level, Looking, Outcome, Proposed, Said, Seen, Step
from tests.fakes.claimed import DATA, EMPTY, said_of, steps_of

ROWS: list[dict[str, Any]] = DATA["rows"]
TUNE = [row for row in ROWS if row["half"] == "tune"]
HALVES = ("tune", "judge")


def world(row: dict[str, Any], kind: str) -> dict[str, Any]:
    found = DATA["worlds"][row["kind"]][kind]
    return dict(found[row["false"]] if kind == "false" else found)


def test_the_file_has_ten_kinds_two_languages_five_phrasings_and_both_halves() -> None:
    cells = {(row["kind"], row["lang"]): [] for row in ROWS}  # type: ignore[var-annotated]
    for row in ROWS:
        cells[row["kind"], row["lang"]].append(row)
    assert len({kind for kind, _ in cells}) >= 10
    assert all(len(rows) >= 5 and {row["half"] for row in rows} == set(HALVES) for rows in cells.values())
    assert len({row["text"] for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", TUNE, ids=lambda row: f"{row['kind']}-{row['lang']}-{TUNE.index(row)}")
def test_a_false_claim_is_held_once_then_marked_and_its_true_twin_passes(row: dict[str, Any]) -> None:
    false = said_of(row["text"], world(row, "false"), Claims(), times=2)
    assert [nudge.level for nudge in false] == [Level.HOLD, Level.NOTE]
    assert all(nudge.event == "claims.unverified" for nudge in false)
    assert json.loads(false[1].data)["what"]
    assert said_of(row["text"], world(row, "true"), Claims()) == []


@pytest.mark.parametrize("half", HALVES)
def test_of_each_half_nearly_all_false_claims_are_held_and_hardly_any_true_one(half: str) -> None:
    rows = [row for row in ROWS if row["half"] == half]
    held = sum(bool(said_of(row["text"], world(row, "false"), Claims())) for row in rows)
    delayed = sum(bool(said_of(row["text"], world(row, "true"), Claims())) for row in rows)
    assert held >= 0.95 * len(rows)
    assert delayed <= 0.05 * len(rows)


@pytest.mark.parametrize("row", DATA["innocent"], ids=lambda row: f"{row['lang']}-{DATA['innocent'].index(row)}")
def test_what_claims_nothing_is_let_through_in_any_world(row: dict[str, Any]) -> None:
    worlds = [EMPTY, *(each for kind in DATA["worlds"].values() for each in (kind["true"], *kind["false"]))]
    assert [said for each in worlds for said in said_of(row["text"], each, Claims())] == []


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("I removed the debug print from app.py.", [Kind.CHANGED]),
        ("I moved the helper from a.py to b.py.", [Kind.CHANGED]),
        ("Ich habe die Zeile aus auth.py entfernt.", [Kind.CHANGED]),
        ("I deleted `a.txt` and created `b.txt`.", [Kind.DELETED, Kind.MADE]),
        ("All tests pass.", [Kind.TESTS]),
        ("No tests pass.", []),
        ("Not all tests pass.", []),
        ("I think that 3 of 4 tests pass.", []),
        ("```\nmake: all tests passed\n```", []),
        ("| file | state |\n| a.py | created |", [Kind.MADE]),
        ("The server is running on http://example.com:8000.", []),
        ("requests was already installed.", []),
        ("", []),
        ("\0`" * 2_000, []),
        ("created " * 5_000, []),
    ],
)
def test_what_is_taken_for_a_claim(text: str, kinds: list[Kind]) -> None:
    assert [claim.kind for claim in claims(text)] == kinds


@pytest.mark.parametrize(
    ("text", "admitted"),
    [
        ("I could not find the reason, I'll leave it here.", True),
        ("Two tests still fail.", True),
        ("Ich konnte den Fehler nicht beheben.", True),
        ("The tests were failing because of a typo. Fixed.", False),
        ("I could not find the log, but the bug is in auth.py. It is fixed now.", False),
        ("Done.", False),
        ("", False),
    ],
)
def test_an_admission_isnt_a_claim_of_completion(text: str, admitted: bool) -> None:
    assert admits(text) is admitted


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Which port should it use?", True),
        ("Done. Can I help with anything else?", False),
        ("Soll ich noch etwas tun? Es ist fertig.", False),
    ],
)
def test_a_question_to_the_user_isnt_one_either(text: str, question: bool) -> None:
    assert asks(text) is question


# -- what a session knows -------------------------------------------------------------------------------------------
PASSES = {"did": [{"shell": "pytest -q", "exit": 0, "out": "2 passed"}]}


def test_a_later_question_is_answered_from_what_an_earlier_run_did() -> None:
    panel = Panel([Claims()])
    for step in (*steps_of(PASSES), Said(at=2, text="All tests pass."), Ended(at=3, end=End.ANSWERED)):
        assert panel.observe(step) == []
    panel.observe(Asked(at=4, text="do the tests pass?", author="t:1"))
    assert panel.observe(Said(at=5, text="Yes, all tests pass.")) == []


@pytest.mark.parametrize(
    "call",
    [Call("x", "mcp_ci", "{}"), Call("x", "shell", '{"command": "ssh web1 pytest"}'),
     Call("x", "shell", '{"command": "gh run view 7"}')],
    ids=["a tool that isn't ours", "another machine", "hearsay"],
)  # fmt: skip
def test_what_may_have_been_done_out_of_sight_is_not_doubted(call: Call) -> None:
    panel = Panel([Claims()])
    steps: tuple[Step, ...] = (
        Said(at=1, text="", calls=(call,)),
        Proposed(at=1, call=call, effect="write"),
        Finished(at=1, call_id="x", tool=call.name, outcome=Outcome.OK, text="fine", exit_code=0),
    )
    for step in (*steps_of(EMPTY), *steps):
        panel.observe(step)
    assert panel.observe(Said(at=2, text="All tests pass.")) == []


def test_the_summary_of_task_complete_is_held_like_a_final_text() -> None:
    panel = Panel([Claims()])
    call = Call("x", "task_complete", '{"summary": "All tests pass."}')
    for step in (*steps_of(EMPTY), Said(at=1, text="", calls=(call,))):
        panel.observe(step)
    (held,) = panel.observe(Proposed(at=1, call=call, effect="read"))
    assert getattr(held, "level", None) is Level.HOLD and getattr(held, "about", None) == "x"


@pytest.mark.parametrize(
    ("checks", "spoken"),
    [([{"outcome": "ok"}], False), ([{"outcome": "failed"}], False), ([{"outcome": "left_out"}], True), ([], True)],
    ids=["green", "red: the gate says so", "left out", "nothing found"],
)
def test_tests_that_the_gate_runs_by_itself_settle_what_was_said_of_them(checks: list[Any], spoken: bool) -> None:
    panel = Panel([Claims()])
    world: dict[str, Any] = {"did": [{"edit": "/w/a.py"}]}
    for step in steps_of(world):
        panel.observe(step)
    (look,) = panel.observe(Said(at=2, text="All tests pass."))
    assert isinstance(look, Looking) and look.probe == "claims"
    panel.replay([Looking(at=2, look="look-2", guard="gate", probe="verify", args="{}")])
    assert panel.observe(Seen(at=3, look=look.look, probe="claims", value="{}")) == []
    value = json.dumps({"checks": checks, "missing": []})
    assert bool(panel.observe(Seen(at=4, look="look-2", probe="verify", value=value))) is spoken


@pytest.mark.parametrize("seen", [("timeout", "null"), ("error", "null"), ("ok", "[]"), ("ok", "x"), ("ok", "{}")])
def test_a_disk_that_gives_no_answer_speaks_against_nothing(seen: tuple[str, str]) -> None:
    panel = Panel([Claims()])
    for step in steps_of(EMPTY):
        panel.observe(step)
    (look,) = panel.observe(Said(at=2, text="I created `/w/a.txt`."))
    assert isinstance(look, Looking)
    assert panel.observe(Seen(at=3, look=look.look, probe="claims", status=seen[0], value=seen[1])) == []


def test_a_text_without_claims_costs_nothing() -> None:
    panel = Panel([Claims()])
    for step in steps_of({"did": [{"write": "/w/a.txt"}]}):
        panel.observe(step)
    assert panel.observe(Said(at=2, text="The answer is 42.")) == []
    assert panel.observe(Said(at=2, text="I created /w/a.txt.")) == []  # the journal knows that it is there


def test_what_was_deleted_again_isnt_there() -> None:
    panel = Panel([Claims()])
    gone = Finished(at=1, call_id="x", tool="shell", outcome=Outcome.OK, text="", files=(Change("/w/a.txt", "h", ""),))
    call = Call("x", "shell", '{"command": "make clean"}')
    for step in (*steps_of({"did": [{"write": "/w/a.txt"}]}), Said(at=1, text="", calls=(call,)), gone):
        panel.observe(step)
    (look,) = panel.observe(Said(at=2, text="I created /w/a.txt."))
    assert isinstance(look, Looking)
