"""World state and drift on the real process: what stands before the model, and what a claim with drift comes to."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.fakes.drifting import laid_out
from tests.fakes.lab import Lab
from tests.fakes.model import End, Step, sh, use, write_file

pytestmark = pytest.mark.e2e
needs_sandbox = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")

DONE = use("task_complete", {"summary": "The name is better now. DONE1"})
TREE = {
    "src/totals.ts": "export function total(numbers: number[]): number {\n  return numbers.length;\n}\n",
    "src/main.ts": "import { total } from './totals';\nexport const all = total([1, 2]);\n",
    "shop/__init__.py": "",
    "shop/prices.py": "def price():\n    return 1\n",
    "shop/main.py": "from shop.prices import price\n",
}
SUM_TS = "export function sum(numbers: number[]): number {\n  return numbers.length;\n}\n"
MAIN_TS = "import { sum } from './totals';\nexport const all = sum([1, 2]);\n"


async def test_a_claim_with_drift_goes_back_with_line_symbol_and_the_real_names(lab: Lab) -> None:
    laid_out(lab.workspace, TREE)
    await lab.start()
    script = [write_file("src/totals.ts", SUM_TS), DONE, write_file("src/main.ts", MAIN_TS), DONE]
    sent = await lab.ask("rename total to sum", script, "DONE1", timeout=40)
    refusal = next(text for text in lab.results(sent) if "Not accepted" in text)
    assert "src/main.ts:1 takes 'total' from './totals', but src/totals.ts exports sum" in refusal
    assert lab.copies("DONE1") == 1 and len(lab.requests(sent)) == 4


async def test_python_drift_holds_a_final_text_back(lab: Lab) -> None:
    laid_out(lab.workspace, TREE)
    await lab.start()
    cost = write_file("shop/prices.py", "def cost():\n    return 1\n")
    right = write_file("shop/main.py", "from shop.prices import cost\n")
    sent = await lab.ask("rename price to cost", [cost, "It is done.", right, "It is done. DONE2"], "DONE2", timeout=40)
    shown = json.dumps([request.body["messages"] for request in lab.requests(sent)])
    assert "shop/main.py:1 takes 'price' from 'shop.prices', but shop/prices.py exports cost" in shown
    assert not any(text.startswith("It is done.") and "DONE2" not in text for text in lab.screen())


async def test_ten_unrelated_turns_after_a_failure_it_is_still_there_once(lab: Lab) -> None:
    await lab.start()
    script = [sh("cat nowhere-7.txt && cp a b"), *(sh(f"echo {number}") for number in range(10)), "Enough. DONE3"]
    sent = await lab.ask("look around", script, "DONE3", timeout=60)
    requests = lab.requests(sent)
    tails = [str(request.body["messages"][-1]["content"]) for request in requests]
    assert [tail.count("<world-state") for tail in tails] == [0] * 8 + [1] * 4
    tail = tails[-1]
    assert tail.count("nowhere-7.txt") == 1 and "look around" in tail
    assert len(tail.encode()) <= 1_200 + 400 + 120


async def test_a_short_run_looks_at_nothing(lab: Lab) -> None:
    laid_out(lab.workspace, TREE)
    await lab.start()
    sent = await lab.ask("go", [sh("ls"), write_file("a.md", "x"), "Here. DONE4"], "DONE4")
    assert len(lab.requests(sent)) == 3
    assert not any("world-state" in json.dumps(request.body) for request in lab.requests(sent))


@pytest.mark.parametrize(("mode", "count"), [("full", 1), pytest.param("sandbox", 1, marks=needs_sandbox), ("ask", 0)])
async def test_the_check_of_a_finished_item_is_run_once_for_the_same_inputs(
    tmp_path: Path, mode: str, count: int
) -> None:
    async with Lab(tmp_path, env={"JARVIS_RUN__MODE": mode, "JARVIS_GUARDS__WORLD__WRITES": "1"}) as lab:
        (lab.workspace / "sum.conf").write_text("a=1\n")
        await lab.start()
        check = "echo ran >> checks.log; grep -q b=2 sum.conf"
        plan = use("plan", {"items": [{"text": "set b", "status": "completed", "verify": check}]})
        reads = [use("read_file", {"path": "sum.conf"}) for _ in range(2)]
        script: list[Step] = [
            plan,
            sh("true"),
            use("write_file", {"path": "sum.conf", "content": "a=2\n"}),
            *reads,
            End.HANG,
        ]
        sent = lab.send("set b to 2", script)
        if mode == "ask":
            lab.press(await lab.wait_button("once|run"))
        await lab.until(lambda: len(lab.requests(sent)) >= 6, "the run doesn't get on")
        tail = str(lab.requests(sent)[5].body["messages"][-1]["content"])
        log = lab.workspace / "checks.log"
        assert (log.read_text().count("ran") if log.exists() else 0) == count
        assert ("[MISS] set b (its check is red)" in tail) is bool(count)
        assert not lab.faults()
