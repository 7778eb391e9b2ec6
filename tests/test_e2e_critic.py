"""The review of finished work on the real process: its word is in the chat, and no word at all changes nothing."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest

from tests.fakes.drifting import laid_out
from tests.fakes.lab import Lab
from tests.fakes.model import End, Http, Step, sh, use, write_file
from tests.fakes.packages import PYTEST, PYTHON, RIGHT_PY, RIGHT_TS, typescript

pytestmark = pytest.mark.e2e

BETTER_PY = "def total(numbers):\n    return sum(numbers or ())\n"
BETTER_TS = RIGHT_TS.replace("lines.reduce", "(lines ?? []).reduce")
FIXED = (write_file("sums/totals.py", RIGHT_PY), sh(f"{PYTEST} tests"))
DONE = use("task_complete", {"summary": "The sum is right now. DONE1"})


TYPESCRIPT = pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")


def vote(word: str, *findings: dict[str, Any], severity: str = "") -> str:
    return json.dumps({"vote": word, "severity": severity, "findings": list(findings)})


def reviews(lab: Lab) -> list[dict[str, Any]]:
    return [r.body for r in lab.model.requests if "You review the work" in json.dumps(r.body.get("messages", [])[:1])]


def reviewed_by(lab: Lab, *steps: Step) -> None:
    """The reviewer's answers, the last one again and again."""
    lab.model.asides = [*steps]


NULL_PY = {"file": "sums/totals.py", "line": 9, "quote": "return sum(numbers)", "problem": "None isn't handled"}
NULL_TS = {"file": "src/totals.ts", "line": 1, "quote": "lines.reduce((sum: number", "problem": "null isn't handled"}


async def test_a_python_package_that_a_review_rejects_is_mended_and_then_verified(lab: Lab) -> None:
    laid_out(lab.workspace, PYTHON)
    reviewed_by(lab, vote("reject", NULL_PY, severity="critical"), vote("approve"))
    await lab.start()
    script = [*FIXED, DONE, write_file("sums/totals.py", BETTER_PY), DONE]
    sent = await lab.ask("fix the sum", script, "✓ verified", timeout=20)
    refusal = next(text for text in lab.results(sent) if "a review rejects this" in text)
    assert "sums/totals.py:2 `return sum(numbers)`: None isn't handled" in refusal
    told = await lab.until(lambda: [t for t in lab.screen() if "Told the model" in t], "the chat isn't told")
    assert "a review rejects this" in told[0] and "sums/totals.py:2" in told[0]
    answer = next(text for text in lab.screen() if "DONE1" in text)
    assert "a review found nothing wrong" in answer and lab.copies("DONE1") == 1
    first, second = reviews(lab)
    read = first["messages"][1]["content"]
    assert "-    return 0" in read and "+    return sum(numbers)" in read and "fix the sum" in read
    assert not first.get("tools") and "+    return sum(numbers or ())" in second["messages"][1]["content"]


@TYPESCRIPT
async def test_a_typescript_package_that_a_review_rejects_is_mended_and_then_verified(lab: Lab) -> None:
    laid_out(lab.workspace, typescript())
    reviewed_by(lab, vote("reject", NULL_TS, severity="critical"), vote("approve"))
    await lab.start()
    script = [write_file("src/totals.ts", RIGHT_TS), DONE, write_file("src/totals.ts", BETTER_TS), DONE]
    sent = await lab.ask("fix the sum", script, "✓ verified", timeout=30)
    refusal = next(text for text in lab.results(sent) if "a review rejects this" in text)
    assert "src/totals.ts:8 `lines.reduce((sum: number`: null isn't handled" in refusal
    told = await lab.until(lambda: [t for t in lab.screen() if "Told the model" in t], "the chat isn't told")
    assert "a review rejects this" in told[0] and "src/totals.ts:8" in told[0]
    answer = next(text for text in lab.screen() if "DONE1" in text)
    assert "a review found nothing wrong" in answer and "npm test green" in answer and lab.copies("DONE1") == 1
    assert "+  return (lines ?? []).reduce(" in reviews(lab)[1]["messages"][1]["content"]


@TYPESCRIPT
async def test_a_typescript_package_that_stays_rejected_says_so_and_never_verified(lab: Lab) -> None:
    laid_out(lab.workspace, typescript())
    reviewed_by(lab, vote("reject", NULL_TS, severity="critical"))
    await lab.start()
    one, two = write_file("src/totals.ts", RIGHT_TS), write_file("src/totals.ts", RIGHT_TS + "\n")
    script = [one, DONE, two, DONE, write_file("src/totals.ts", RIGHT_TS + "\n\n"), DONE]
    sent = await lab.ask("fix the sum", script, "rejected by a review", timeout=30)
    answer = next(text for text in lab.screen() if "DONE1" in text)
    assert "✗ rejected by a review: src/totals.ts:8" in answer and "✓ verified" not in answer
    assert len(reviews(lab)) == 3 and len(lab.requests(sent)) == 6


GARBAGE: dict[str, Step] = {
    "prose": "Looks great to me, ship it!",
    "no vote": '{"verdict": "fine"}',
    "an unknown vote": '{"vote": "maybe", "findings": []}',
    "nothing": "",
    "half an object": '{"vote": "reject", "findings": [{"file": "sums/tot',
    "a list": '["reject"]',
    "an error": Http(500),
    "a refused key": Http(403),
    "a reset": End.RESET,
    "evidence that isn't there": vote("reject", NULL_PY | {"quote": "numbers.sum()"}, severity="critical"),
    "evidence elsewhere": vote("reject", NULL_PY | {"file": "../../../etc/passwd", "quote": "root"}),
    "no evidence": vote("request_changes", {"problem": "I don't like it"}),
    "missing, but there": vote("reject", {"file": "sums/totals.py", "missing": True, "problem": "not there"}),
}


@pytest.mark.parametrize("answer", GARBAGE.values(), ids=GARBAGE.keys())
async def test_no_vote_leaves_the_gates_verdict(lab: Lab, answer: Step) -> None:
    laid_out(lab.workspace, PYTHON)
    reviewed_by(lab, answer)
    await lab.start()
    sent = await lab.ask("fix the sum", [*FIXED, DONE], "✓ verified", timeout=20)
    assert len(lab.requests(sent)) == 3
    failed_soft(lab)


@TYPESCRIPT
@pytest.mark.parametrize(
    "kind", ["prose", "half an object", "a reset", "evidence that isn't there", "missing, but there"]
)
async def test_no_vote_leaves_the_gates_verdict_on_a_typescript_package(lab: Lab, kind: str) -> None:
    laid_out(lab.workspace, typescript())
    answer = GARBAGE[kind]
    reviewed_by(lab, answer.replace("sums/totals.py", "src/totals.ts") if isinstance(answer, str) else answer)
    await lab.start()
    sent = await lab.ask("fix the sum", [write_file("src/totals.ts", RIGHT_TS), DONE], "✓ verified", timeout=30)
    assert len(lab.requests(sent)) == 2
    failed_soft(lab)


def failed_soft(lab: Lab) -> None:
    """A review was asked for, no vote came of it, and the answer says nothing of a review."""
    assert reviews(lab) and "critic.failsoft" in lab.bot.log_tail(20_000)
    text = next(text for text in lab.screen() if "DONE1" in text)
    assert "review" not in text and lab.copies("DONE1") == 1


@pytest.mark.lab(env={"JARVIS_GUARDS__CRITIC__TIMEOUT_S": "2"})
@pytest.mark.parametrize("language", ["python", pytest.param("typescript", marks=TYPESCRIPT)])
async def test_a_review_that_takes_too_long_is_no_vote(lab: Lab, language: str) -> None:
    laid_out(lab.workspace, PYTHON if language == "python" else typescript())
    reviewed_by(lab, End.HANG)
    await lab.start()
    fixed: tuple[Step, ...] = FIXED if language == "python" else (write_file("src/totals.ts", RIGHT_TS),)
    script: list[Step] = [*fixed, DONE]
    await lab.ask("fix the sum", script, "✓ verified", timeout=30)
    failed_soft(lab)


async def test_a_claim_repeated_with_nothing_changed_is_not_read_again(lab: Lab) -> None:
    laid_out(lab.workspace, PYTHON)
    reviewed_by(lab, vote("request_changes", NULL_PY))
    await lab.start()
    script: list[Step] = [*FIXED, "It is right. DONE2"]
    await lab.ask("fix the sum", script, "a review asks for changes", timeout=20)
    answer = next(text for text in lab.screen() if "DONE2" in text)
    assert "✓ verified" in answer and "⚠ a review asks for changes: sums/totals.py:2" in answer
    assert len(reviews(lab)) == 1 and lab.copies("DONE2") == 1


async def test_a_missing_file_is_evidence(lab: Lab) -> None:
    laid_out(lab.workspace, PYTHON)
    gap = {"file": "sums/average.py", "missing": True, "problem": "the goal names it"}
    reviewed_by(lab, vote("request_changes", gap), vote("approve"))
    await lab.start()
    more = write_file("sums/average.py", "def average(numbers):\n    return sum(numbers) / len(numbers)\n")
    script = [*FIXED, DONE, more, DONE]
    sent = await lab.ask("fix the sum, add an average", script, "✓ verified", timeout=20)
    assert "sums/average.py: the goal names it" in "".join(lab.results(sent))


@pytest.mark.lab(env={"JARVIS_GUARDS__CRITIC__ENABLED": "false"})
async def test_switched_off_it_costs_nothing(lab: Lab) -> None:
    laid_out(lab.workspace, PYTHON)
    await lab.start()
    await lab.ask("fix the sum", [*FIXED, DONE], "✓ verified", timeout=20)
    assert not reviews(lab)


async def test_a_plain_final_answer_over_a_script_is_reviewed_where_nothing_can_be_tested(lab: Lab) -> None:
    fault = {"file": "clean.sh", "line": 2, "quote": 'rm -rf "$1"/*', "problem": "an empty $1 deletes from the root"}
    reviewed_by(lab, vote("reject", fault, severity="critical"), vote("approve"))
    await lab.start()
    wrong = write_file("clean.sh", '#!/bin/sh\nrm -rf "$1"/*\n')
    right = write_file("clean.sh", '#!/bin/sh\nrm -rf "${1:?}"/*\n')
    script: list[Step] = [wrong, "It is there. DONE5a", right, "It is there. DONE5"]
    sent = await lab.ask("write clean.sh", script, "a review found nothing wrong", timeout=20)
    assert "clean.sh:2" in json.dumps(lab.requests(sent)[2].body["messages"])
    answer = next(text for text in lab.screen() if "DONE5" in text and "Told the model" not in text)
    assert "DONE5a" not in answer and "verified" not in answer and lab.copies("DONE5a") == 0
    assert len(reviews(lab)) == 2 and len(lab.requests(sent)) == 4


async def test_a_run_that_only_asks_or_notes_costs_no_review(lab: Lab) -> None:
    await lab.start()
    await lab.ask("hello", ["Hi. DONE3"], "DONE3")
    await lab.ask("note", [sh("echo 1 >> marks.txt"), "Noted. DONE4"], "DONE4")
    await lab.ask("write it up", [write_file("report.md", "# Report\n"), "Written. DONE6"], "DONE6")
    assert not reviews(lab)


@pytest.mark.lab(env={"JARVIS_GUARDS__CRITIC__MODEL": "another-model"})
async def test_another_model_may_review_and_what_it_costs_is_told(lab: Lab) -> None:
    laid_out(lab.workspace, PYTHON)
    reviewed_by(lab, vote("approve"))
    await lab.start()
    await lab.ask("fix the sum", [*FIXED, DONE], "nothing wrong", timeout=20)
    assert [each["model"] for each in reviews(lab)] == ["another-model"]
    lab.send("/usage")
    assert "reviews" in (await lab.wait_text("reviews")).shown


async def test_a_kill_within_a_review_asks_again_and_answers_once(lab: Lab) -> None:
    laid_out(lab.workspace, PYTHON)
    reviewed_by(lab, End.HANG)
    await lab.start()
    lab.send("fix the sum", [*FIXED, DONE])
    await lab.until(lambda: reviews(lab), "no review", timeout=30)
    await lab.bot.kill()
    reviewed_by(lab, vote("approve"))
    await lab.start()
    await lab.wait_text("nothing wrong", timeout=30)
    assert lab.copies("DONE1") == 1
