"""Background jobs on the real process: they outlive their run, end by /stop, and are told as ended after a restart."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.fakes.drifting import laid_out
from tests.fakes.lab import Lab
from tests.fakes.model import Say, Step, Turn, use, write_file
from tests.fakes.packages import PYTEST, PYTHON, RIGHT_PY

pytestmark = pytest.mark.e2e


def begin(command: str) -> Turn:
    return use("shell", {"command": command, "background": True})


def jobs(action: str, **more: object) -> Turn:
    return use("jobs", {"action": action, **more})


async def test_a_job_outlives_its_run_and_is_waited_for_in_the_next(lab: Lab) -> None:
    await lab.start()
    loop = f"echo up; until [ -e go ]; do {lab.nap(0)}; sleep 0.1; done; echo built"
    first = await lab.ask("build it", [begin(loop), "DONE1"], "DONE1")
    assert "j1: running" in lab.results(first)[-1]
    (lab.workspace / "go").touch()
    second = await lab.ask(
        "is it done?", [jobs("wait", id="j1", timeout_s=20), jobs("list"), "DONE2"], "DONE2", timeout=40
    )
    waited, listed = lab.results(second)[-2:]
    assert "j1: ok, exit code 0" in waited
    assert "up\nbuilt" in waited
    assert "j1: ok" in listed
    assert lab.faults() == []


async def test_stop_ends_the_jobs_of_the_run_first_and_the_others_when_nothing_runs(lab: Lab) -> None:
    await lab.start()
    await lab.ask("serve", [begin(f"exec {lab.nap(301)}"), "DONE1"], "DONE1")
    lab.send("work", [begin(f"(setsid {lab.nap(302)} &)"), use("shell", {"command": lab.nap(303)}), "never"])
    await lab.until(lambda: any("sleep 303." in " ".join(nap.cmdline()) for nap in lab.naps()), "never began")
    stop = lab.send("/stop")
    await lab.wait_text("1 background job ended. 1 begun earlier still runs", timeout=8, after=stop.after)
    assert len(lab.naps()) == 1
    status = lab.send("/status")
    await lab.wait_text("1 background job runs", timeout=5, after=status.after)
    again = lab.send("/stop")
    await lab.wait_text("1 background job ended.", timeout=8, after=again.after)
    await lab.until(lambda: not lab.naps(), "alive after the second /stop")
    third = lab.send("/stop")
    await lab.wait_text("Nothing is running", timeout=5, after=third.after)


@pytest.mark.parametrize("word", ["/new", "/lock"])
async def test_nothing_goes_on_where_nobody_can_look_after_it(lab: Lab, word: str) -> None:
    await lab.start()
    await lab.ask("serve", [begin(f"exec {lab.nap(301)}"), "DONE1"], "DONE1")
    assert len(lab.naps()) == 1
    lab.send(word)
    await lab.until(lambda: not lab.naps(), f"alive after {word}")


@pytest.mark.parametrize("how", ["kill", "stop"])
async def test_after_a_restart_a_job_is_told_as_ended(lab: Lab, how: str) -> None:
    await lab.start()
    await lab.ask("serve", [begin(f"exec {lab.nap(301)}"), "DONE1"], "DONE1")
    await (lab.bot.kill(tree=False) if how == "kill" else lab.bot.stop())
    await lab.until(lambda: not lab.naps(), "outlived the bot")
    await lab.start()
    sent = await lab.ask("look", [jobs("list"), jobs("tail", id="j1"), "DONE2"], "DONE2")
    assert all("ended when Jarvis was restarted" in result for result in lab.results(sent)[-2:])


async def test_the_end_of_a_test_run_in_the_background_is_evidence_and_its_start_is_none(lab: Lab) -> None:
    laid_out(lab.workspace, PYTHON)
    await lab.start()
    tests = begin(f"echo run >> ../runs.txt; sleep 1.5; {PYTEST} tests")
    done = use("task_complete", {"summary": "The sum is right now. DONE3"})
    script = [write_file("sums/totals.py", RIGHT_PY), tests, jobs("wait", id="j1", timeout_s=30), done]
    await lab.ask("fix the sum", script, "✓ verified", timeout=60)
    assert (lab.work / "runs.txt").read_text().split() == ["run"]
    begun = [write_file("sums/totals.py", "def total(numbers):\n    return 1\n"), tests, done]
    sent = await lab.ask("and now wrongly", begun, "Not verified", timeout=60)
    assert "test_sum_of_two" in "".join(lab.results(sent))


@pytest.mark.parametrize("restarted", [False, True])
async def test_the_next_message_begins_with_what_ended_meanwhile_and_tells_it_once(lab: Lab, restarted: bool) -> None:
    await lab.start()
    until = "until [ -e go ]; do sleep 0.1; done; exit 3"
    await lab.ask("build it", [begin(until), "DONE1"], "DONE1")
    if restarted:
        await lab.bot.stop()
        await lab.start()
    else:
        (lab.workspace / "go").touch()
        await asyncio.sleep(1)
    second = await lab.ask("hello", ["DONE2"], "DONE2")
    said = json.dumps(lab.requests(second)[0].body["messages"][-1])
    assert "[jobs] Ended in the background: j1 (`until" in said
    assert ("ended when Jarvis was restarted" if restarted else "exit code 3") in said
    third = await lab.ask("and now?", ["DONE3"], "DONE3")
    assert json.dumps(lab.requests(third)[0].body).count("Ended in the background") == 1
    assert lab.faults() == []


async def test_a_job_that_ends_while_nothing_runs_is_told_in_the_chat_once(lab: Lab) -> None:
    await lab.start()
    until = "until [ -e go ]; do sleep 0.1; done"
    await lab.ask("build it", [begin(f"{until}; exit 3"), begin(until), "DONE1"], "DONE1")
    (lab.workspace / "go").touch()
    await lab.wait_text("✗ Background job j1: exit 3")
    await lab.wait_text("✓ Background job j2 is done.")
    assert next(text for text in lab.screen() if "job j1" in text).endswith(f"\n{until}; exit 3")
    await lab.bot.kill()
    await lab.start()
    await lab.ask("hello", ["DONE2"], "DONE2")
    assert lab.copies("Background job") == 2


async def test_what_the_run_was_told_or_has_ended_itself_needs_no_message(lab: Lab) -> None:
    await lab.start()
    waited = [begin("sleep 1.5; exit 3"), jobs("wait", id="j1", timeout_s=20)]
    noted = [begin("sleep 1.2"), use("shell", {"command": "sleep 2"}), use("shell", {"command": "true"})]
    killed = [begin(f"exec {lab.nap(60)}"), jobs("kill", id="j3")]
    await lab.ask("go", [*waited, *noted, *killed, "DONE1"], "DONE1", timeout=40)
    await asyncio.sleep(1)
    assert not lab.copies("Background job")


async def test_what_ended_unseen_at_the_end_of_a_run_is_told_after_it(lab: Lab) -> None:
    await lab.start()
    unseen: list[Step] = [begin("sleep 2"), use("shell", {"command": "true"}), Say("DONE1", delay=3)]
    await lab.ask("go", unseen, "DONE1", timeout=30)
    await lab.wait_text("✓ Background job j1 is done.")
    assert lab.faults() == []
