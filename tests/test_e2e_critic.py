"""The review of finished work on the real process: its word is in the chat, and no word at all changes nothing."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.lab import Lab
from tests.fakes.model import End, Http, Step, sh, use, write_file

pytestmark = pytest.mark.e2e

PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider"
PYTHON = {
    "pyproject.toml": '[project]\nname = "sums"\nversion = "1"\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
    "sums/__init__.py": "",
    "sums/totals.py": "def total(numbers):\n    return 0\n",
    "tests/test_totals.py": (
        "from sums.totals import total\n\n\ndef test_sum_of_two():\n    assert total([1, 2]) == 3\n"
    ),
    "tests/conftest.py": "import pathlib, sys\nsys.path.insert(0, str(pathlib.Path(__file__).parent.parent))\n",
}
RIGHT_PY = "def total(numbers):\n    return sum(numbers)\n"
BETTER_PY = "def total(numbers):\n    return sum(numbers or ())\n"
TYPESCRIPT = {
    "package.json": json.dumps({"name": "sums", "type": "module", "scripts": {"test": "node --test"}}),
    "src/totals.ts": "export function total(numbers: number[]): number {\n  return 0;\n}\n",
    "src/totals.js": "export function total(numbers) {\n  return 0;\n}\n",
    "test/totals.test.js": (
        "import test from 'node:test';\nimport assert from 'node:assert';\nimport { total } from '../src/totals.js';\n"
        "test('sum of two', () => assert.equal(total([1, 2]), 3));\n"
    ),
}
RIGHT_JS = "export function total(numbers) {\n  return numbers.reduce((a, b) => a + b, 0);\n}\n"
BETTER_JS = "export function total(numbers) {\n  return (numbers ?? []).reduce((a, b) => a + b, 0);\n}\n"
FIXED = (write_file("sums/totals.py", RIGHT_PY), sh(f"{PYTEST} tests"))
DONE = use("task_complete", {"summary": "The sum is right now. DONE1"})


def laid_out(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def vote(word: str, *findings: dict[str, Any], severity: str = "") -> str:
    return json.dumps({"vote": word, "severity": severity, "findings": list(findings)})


def reviews(lab: Lab) -> list[dict[str, Any]]:
    return [r.body for r in lab.model.requests if "You review the work" in json.dumps(r.body.get("messages", [])[:1])]


def reviewed_by(lab: Lab, *steps: Step) -> None:
    """The reviewer's answers, the last one again and again."""
    lab.model.asides = [*steps]


NULL_PY = {"file": "sums/totals.py", "line": 9, "quote": "return sum(numbers)", "problem": "None isn't handled"}
NULL_JS = {"file": "src/totals.js", "line": 1, "quote": "numbers.reduce((a, b)", "problem": "null isn't handled"}


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


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
async def test_a_typescript_package_that_stays_rejected_says_so_and_never_verified(lab: Lab) -> None:
    laid_out(lab.workspace, TYPESCRIPT)
    reviewed_by(lab, vote("reject", NULL_JS, severity="critical"))
    await lab.start()
    one, two = write_file("src/totals.js", RIGHT_JS), write_file("src/totals.js", RIGHT_JS + "\n")
    script = [one, DONE, two, DONE, write_file("src/totals.js", RIGHT_JS + "\n\n"), DONE]
    sent = await lab.ask("fix the sum", script, "rejected by a review", timeout=25)
    answer = next(text for text in lab.screen() if "DONE1" in text)
    assert "✗ rejected by a review: src/totals.js:2" in answer and "✓ verified" not in answer
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
    script = [*FIXED, DONE]
    sent = await lab.ask("fix the sum", script, "✓ verified", timeout=20)
    text = next(text for text in lab.screen() if "DONE1" in text)
    assert "review" not in text and lab.copies("DONE1") == 1
    assert len(lab.requests(sent)) == 3 and reviews(lab)
    assert "critic.failsoft" in lab.bot.log_tail(20_000)


@pytest.mark.lab(env={"JARVIS_GUARDS__CRITIC__TIMEOUT_S": "2"})
async def test_a_review_that_takes_too_long_is_no_vote_in_a_typescript_package(lab: Lab) -> None:
    laid_out(lab.workspace, TYPESCRIPT)
    reviewed_by(lab, End.HANG)
    await lab.start()
    await lab.ask("fix the sum", [write_file("src/totals.js", RIGHT_JS), DONE], "DONE1", timeout=20)
    assert "critic.failsoft" in lab.bot.log_tail(20_000)
    assert "review" not in next(text for text in lab.screen() if "DONE1" in text)


async def test_a_claim_repeated_with_nothing_changed_is_not_read_again(lab: Lab) -> None:
    laid_out(lab.workspace, PYTHON)
    reviewed_by(lab, vote("request_changes", NULL_PY))
    await lab.start()
    script = [*FIXED, "It is right. DONE2"]
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


async def test_a_run_that_only_asks_or_notes_costs_no_review(lab: Lab) -> None:
    await lab.start()
    await lab.ask("hello", ["Hi. DONE3"], "DONE3")
    await lab.ask("note", [sh("echo 1 >> marks.txt"), "Noted. DONE4"], "DONE4")
    assert not reviews(lab)


@pytest.mark.lab(env={"JARVIS_GUARDS__CRITIC__MODEL": "another-model"})
async def test_another_model_may_review_and_what_it_costs_is_told(lab: Lab) -> None:
    laid_out(lab.workspace, PYTHON)
    reviewed_by(lab, vote("approve"))
    await lab.start()
    await lab.ask("fix the sum", [*FIXED, DONE], "nothing wrong", timeout=20)
    assert [each["model"] for each in reviews(lab)] == ["another-model"]
    lab.send("/usage")
    assert "critic" in (await lab.wait_text("critic")).shown


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
