"""Done means done, on the real process: what a model claims is checked, and the chat shows what came of it."""

from __future__ import annotations

import shutil

import pytest

from tests.fakes.drifting import laid_out
from tests.fakes.lab import Lab
from tests.fakes.model import Say, Turn, sh, use, write_file
from tests.fakes.packages import PYTEST, PYTHON, RIGHT_PY, RIGHT_TS, WRONG_TS, typescript

pytestmark = pytest.mark.e2e

DONE = use("task_complete", {"summary": "The sum is right now. DONE1"})


async def test_a_python_package_is_done_when_its_tests_pass(lab: Lab) -> None:
    laid_out(lab.workspace, PYTHON)
    await lab.start()
    note, right = write_file("note.py", "n = 1\n"), write_file("sums/totals.py", RIGHT_PY)
    script = [note, sh(f"{PYTEST} tests"), write_file("note.py", "n = 2\n"), DONE, right, DONE]
    sent = await lab.ask("fix the sum", script, "✓ verified", timeout=60)
    refusal = next(text for text in lab.results(sent) if "Not accepted" in text)
    assert "tests/test_totals.py" in refusal
    assert lab.copies("DONE1") == 1
    answer = next(text for text in lab.screen() if "DONE1" in text)
    assert "✓ verified:" in answer and "green after the last change" in answer
    assert any("Not accepted as done" in text and "test_totals" in text for text in lab.screen())
    assert len(lab.requests(sent)) == 6


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
async def test_a_typescript_package_is_done_when_its_tests_pass(lab: Lab) -> None:
    laid_out(lab.workspace, typescript())
    await lab.start()
    touch, right = write_file("src/totals.ts", WRONG_TS + "\n"), write_file("src/totals.ts", RIGHT_TS)
    sent = await lab.ask("fix the sum", [touch, DONE, right, DONE], "✓ verified", timeout=60)
    refusal = next(text for text in lab.results(sent) if "Not accepted" in text)
    assert "npm test" in refusal and "sum of two" in refusal
    assert any("Not accepted as done" in text and "sum of two" in text for text in lab.screen())
    answer = next(text for text in lab.screen() if "DONE1" in text)
    assert "✓ verified:" in answer and "npm test green after the last change" in answer
    assert lab.copies("DONE1") == 1 and len(lab.requests(sent)) == 4


async def test_the_same_claim_twice_with_nothing_changed_ends_as_unverified_with_a_checkpoint(lab: Lab) -> None:
    laid_out(lab.workspace, PYTHON)
    await lab.start()
    broken = write_file("sums/totals.py", "def total(numbers):\n    return 1\n")
    sent = await lab.ask("fix", [broken, sh(f"{PYTEST} tests"), "It is fixed. DONE2"], "DONE2", timeout=60)
    answer = next(text for text in lab.screen() if "DONE2" in text)
    assert "Not verified" in answer and "test_sum_of_two" in answer
    assert lab.copies("DONE2") == 1
    await lab.wait_button("Continue")
    assert len(lab.requests(sent)) == 4


@pytest.mark.lab(env={"JARVIS_RUN__MODE": "sandbox"})
async def test_in_the_sandbox_the_gate_runs_what_may_run_by_itself_and_names_the_rest(lab: Lab) -> None:
    outside = lab.work / "outside.txt"
    items = [
        {"text": "a", "verify": f"touch {outside}; ls x.py"},
        {"text": "b", "verify": "curl -s http://127.0.0.1:9"},
    ]
    await lab.start()
    await lab.ask("go", [use("plan", {"items": items}), write_file("x.py", "x = 1\n"), "It is made. DONE5"], "DONE5")
    answer = next(text for text in lab.screen() if "DONE5" in text)
    assert "not verified" in answer and "curl" in answer and "somebody's OK" in answer
    assert not outside.exists()


async def test_stop_ends_a_check_and_what_it_runs(lab: Lab) -> None:
    await lab.start()
    check = {"text": "wait", "verify": lab.nap(60)}
    lab.send("go", [use("plan", {"items": [check]}), "It is made. DONE6"])
    await lab.until(lab.naps, "the check never ran")
    lab.send("/stop")
    await lab.until(lambda: not lab.naps(), "the check outlived the stop", timeout=8)
    assert lab.copies("DONE6") == 0


async def test_a_check_that_a_crash_cut_short_is_made_again_and_answered_once(lab: Lab) -> None:
    await lab.start()
    check = {"text": "wait", "verify": f"test -e go.txt || {lab.nap(60)}"}
    sent = lab.send("go", [use("plan", {"items": [check]}), "It is made. DONE7"])
    await lab.until(lab.naps, "the check never ran")
    await lab.bot.kill()
    (lab.workspace / "go.txt").touch()
    await lab.start()
    await lab.wait_text("✓ verified", after=sent.after)
    assert lab.copies("DONE7") == 1
    assert len(lab.requests(sent)) == 2


async def test_a_lie_goes_back_once_and_then_out_with_a_mark(lab: Lab) -> None:
    await lab.start()
    sent = await lab.ask("fix it", ["All fixed, all tests passed. DONE8"], "DONE8")
    assert len(lab.requests(sent)) == 2
    answer = next(text for text in lab.screen() if "DONE8" in text)
    assert "⚠ not verified: no test was run in this session" in answer
    assert any("Told the model" in text and "no test was run" in text for text in lab.screen())
    assert lab.copies("DONE8") == 1


async def test_a_lie_that_is_put_right_goes_out_without_a_mark(lab: Lab) -> None:
    await lab.start()
    made = write_file("deploy.sh", "echo hi\n")
    await lab.ask("make it", ["I created deploy.sh. DONE9a", made, "I created deploy.sh. DONE9"], "DONE9", timeout=20)
    await lab.wait_text("DONE9")
    answer = next(text for text in lab.screen() if text.startswith("I created deploy.sh. DONE9"))
    assert "not verified" not in answer and "DONE9a" not in "".join(lab.screen())


async def test_a_question_costs_no_look_and_no_step_more(lab: Lab) -> None:
    await lab.start()
    sent = await lab.ask("how are you?", ["Fine, thank you. DONE3"], "DONE3")
    assert len(lab.requests(sent)) == 1
    assert next(text for text in lab.screen() if "DONE3" in text).endswith("DONE3")


async def test_blocked_ends_the_run_with_reason_and_evidence(lab: Lab) -> None:
    await lab.start()
    empty = use("blocked", {"reason": "no key for the registry", "evidence": "  "})
    whole = use("blocked", {"reason": "no key for the registry", "evidence": "401 from the registry"})
    sent = await lab.ask("publish it", [empty, whole, "never seen"], "401 from the registry")
    assert "evidence is empty" in lab.results(sent)[0]
    assert any("401 from the registry" in text for text in lab.screen())
    await lab.wait_button("Continue")
    assert len(lab.requests(sent)) == 2 and not lab.copies("never seen")


async def test_the_card_and_plan_show_the_plan_with_what_is_inferred(lab: Lab) -> None:
    laid_out(lab.workspace, PYTHON)
    await lab.start()
    items = [{"text": "read the code", "status": "done"}, {"text": "run the failing test", "status": "in_progress"}]
    await lab.ask("go", [use("plan", {"items": items}), sh("sleep 1.2"), "So far. DONE4"], "DONE4")
    assert any("▸ 2/2 run the failing test" in call.shown for call in lab.telegram.calls)
    said = lab.send("/plan")
    shown = await lab.wait_text("1 of 2 done", after=said.after)
    assert "check (inferred): python3 -m pytest -q" in shown.shown


async def test_a_task_complete_before_other_calls_waits_for_their_results(lab: Lab) -> None:
    await lab.start()

    def policy(turn: Turn) -> Say:
        return Say(calls=(DONE, sh("echo later"))) if turn.position == 0 else Say(calls=(DONE,))

    sent = await lab.ask("go", policy, "DONE1")
    assert "last call of a reply" in lab.results(sent)[0]
    assert "later" in lab.results(sent)[1]
