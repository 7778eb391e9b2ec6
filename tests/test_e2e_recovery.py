"""Kills, restarts and refusals on the real process: nothing lost, nothing run twice, exactly one answer."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from tests.fakes.lab import Lab
from tests.fakes.model import Say, sh
from tests.fakes.telegram import OWNER, Fault

pytestmark = pytest.mark.e2e

MARK = "echo mark >> marks.txt"


def marks(lab: Lab) -> int:
    file = lab.workspace / "marks.txt"
    return len(file.read_text().split()) if file.exists() else 0


async def settled(lab: Lab, seconds: float = 1.0) -> None:
    """Wait until neither side was called for a while."""
    while True:
        before = (len(lab.telegram.calls), len(lab.model.requests))
        await asyncio.sleep(seconds)
        if before == (len(lab.telegram.calls), len(lab.model.requests)):
            return


async def test_a_kill_in_a_tool_is_told_runs_nothing_twice_and_answers_once(lab: Lab) -> None:
    await lab.start()
    sent = lab.send("long job", [sh(f"{MARK}; {lab.nap(30)}"), "FINAL1"])
    await lab.until(lab.naps, "never started")
    await lab.bot.kill()
    after = len(lab.telegram.calls)
    await lab.start(timeout=5)
    await lab.wait_text("FINAL1", after=after)
    await settled(lab)
    assert (marks(lab), lab.copies("FINAL1")) == (1, 1)
    assert "may or may not have run" in lab.results(sent)[-1]
    assert any("restarted" in text for text in lab.screen())


async def test_a_kill_of_the_bot_alone_leaves_no_command_running_after_the_restart(lab: Lab) -> None:
    await lab.start()
    lab.send("long job", [sh(f"(setsid {lab.nap(61)} &); {lab.nap(60)}"), "FINAL2"])
    await lab.until(lambda: len(lab.naps()) >= 2, "never started")
    await lab.bot.kill(tree=False)
    await lab.start()
    await lab.wait_text("FINAL2")
    await lab.until(lambda: not lab.naps(), "a crashed predecessor's command still runs")


async def test_killed_after_the_end_and_before_the_send_the_answer_comes(lab: Lab) -> None:
    await lab.start()
    lab.telegram.faults.add(Fault(method="sendMessage", times=50, hang=True))
    lab.send("go", ["FINAL3"])
    await lab.until(lambda: any(call.method == "sendMessage" for call in lab.telegram.calls), "never sent")
    await lab.bot.kill()
    lab.telegram.faults.clear()
    await lab.start()
    await lab.wait_text("FINAL3")
    await settled(lab)
    assert (lab.copies("FINAL3"), len(lab.model.requests)) == (1, 1)


async def test_sigterm_ends_with_0_and_the_run_goes_on_at_the_next_start(lab: Lab) -> None:
    await lab.start()
    lab.send("job", [sh(f"{MARK}; {lab.nap(2)}"), "FINAL4"])
    await lab.until(lab.naps, "never started")
    assert await lab.bot.stop(grace=10) == 0
    await lab.start()
    await lab.wait_text("FINAL4")
    await settled(lab)
    assert (marks(lab), lab.copies("FINAL4")) == (1, 1)


async def test_sigterm_in_a_long_tool_ends_it_within_ten_seconds(lab: Lab) -> None:
    await lab.start()
    lab.send("job", [sh(f"{MARK}; {lab.nap(300)}"), "FINAL5"])
    await lab.until(lab.naps, "never started")
    assert await lab.bot.stop(grace=10) == 0
    assert not lab.naps()
    await lab.start()
    await lab.wait_text("FINAL5")
    assert marks(lab) == 1


FAILPOINTS = ["K0", "K1", "K2", "K3", "K4", "K4:2", "K5", "K6", "K6:2", "K7", "K8+0.3", "K9", "K12", "K13"]


@pytest.mark.parametrize("point", FAILPOINTS)
async def test_every_failpoint(tmp_path: Path, point: str) -> None:
    """FAULTS H14: dies there, starts again; one run of the command, one final, the message not lost."""
    async with Lab(tmp_path, env={"JARVIS_FAILPOINT": point}) as lab:
        await lab.bot.launch()
        await lab.telegram.wait_poll(20, 0)
        long = "part " * 2000 if point == "K12" else ""
        lab.send("go", [sh(f"{MARK}; sleep 0.8"), f"{long}FINAL6"])
        assert await lab.bot.wait(15) == -9, lab.bot.log_tail()
        lab.bot.env.pop("JARVIS_FAILPOINT")
        await lab.start(timeout=5)
        await lab.wait_text("FINAL6", timeout=20)
        await settled(lab)
        copies = lab.copies("FINAL6")
        assert copies == 1 or (point == "K13" and copies == 2), "a second copy is only allowed if its reply was lost"
        assert marks(lab) == 1
        assert not lab.faults()


async def test_six_kills_at_odd_moments_of_one_task(lab: Lab) -> None:
    steps = [sh(f"echo s{i} >> marks.txt; sleep 0.2") for i in range(6)]
    await lab.start()
    lab.send("six steps", [*steps, "FINAL7"])
    for moment in (0.15, 0.4, 0.3, 0.55):
        await asyncio.sleep(moment)
        await lab.bot.kill()
        await lab.start()
    await lab.wait_text("FINAL7", timeout=30)
    await settled(lab)
    lines = (lab.workspace / "marks.txt").read_text().split()
    assert len(lines) == len(set(lines))
    assert lab.copies("FINAL7") == 1


async def test_a_run_that_keeps_crashing_is_quarantined_and_told_and_others_are_served(lab: Lab) -> None:
    await lab.start()
    lab.send("deadly", [sh(f"{lab.nap(60)}"), Say("late", delay=3600)])
    await lab.until(lab.naps, "never started")
    for _ in range(4):
        await lab.bot.kill()
        await lab.start()
        await asyncio.sleep(0.3)
    await lab.wait_text("more than three times")
    await lab.ask("hello", ["FINAL8"], "FINAL8")


async def test_the_same_update_again_is_one_run(lab: Lab) -> None:
    await lab.start()
    update = lab.telegram.updates.make("message", lab.telegram.people.message({"text": "twice"}, OWNER))
    lab.model.next(sh(MARK), "FINAL9")
    lab.telegram.updates.force([update, update])
    await lab.wait_text("FINAL9")
    lab.telegram.updates.force([update])
    again = lab.telegram.updates.make("message", update["message"])
    lab.telegram.updates.force([again])
    await settled(lab)
    assert (marks(lab), lab.copies("FINAL9")) == (1, 1)


async def test_what_came_while_it_was_down_is_answered_in_order(lab: Lab) -> None:
    for i in range(3):
        lab.send(f"item {i}")
    await lab.start()
    await lab.until(lambda: any("item 2" in str(r.body) for r in lab.model.requests), "never asked")
    await settled(lab)
    body = str(lab.model.requests[-1].body)
    assert 0 < body.find("item 0") < body.find("item 1") < body.find("item 2")


async def test_poison_is_set_aside_and_the_next_message_is_answered(lab: Lab) -> None:
    await lab.start()
    deep: object = 1
    for _ in range(300):
        deep = [deep]
    for message in (
        {"message_id": 1, "date": 1, "chat": "x", "from": 5},
        {"text": "no ids"},
        {"deep": deep, "pad": "x" * 10**6},
    ):
        lab.telegram.updates.put(lab.telegram.updates.make("message", message))
    before = len(lab.telegram.polls)
    await lab.ask("good", ["FINAL10"], "FINAL10", timeout=5)
    await settled(lab)
    assert lab.telegram.updates.pending == []
    assert len(lab.telegram.polls) - before < 20


async def test_a_wrong_token_ends_with_3_and_a_sentence(lab: Lab) -> None:
    lab.bot.env["JARVIS_TELEGRAM__TOKEN"] = "1000:WRONG-token"
    code, out = await lab.bot.run("run")
    assert (code, "WRONG-token" in out, "Traceback" in out) == (3, False, False)
    assert "token" in out


async def test_a_second_copy_on_the_same_home_ends_with_4(lab: Lab) -> None:
    await lab.start()
    code, out = await lab.bot.run("run")
    assert code == 4
    assert "Another Jarvis" in out
    await lab.ask("hello", ["FINAL11"], "FINAL11")


async def test_a_broken_store_ends_with_5_and_is_left_as_it_is(lab: Lab) -> None:
    await lab.start()
    await lab.bot.stop()
    for extra in lab.home.glob("jarvis.db-*"):
        extra.unlink()
    broken = b"SQLite format 3\0" + b"garbage " * 4000
    (lab.home / "jarvis.db").write_bytes(broken)
    code, out = await lab.bot.run("run")
    assert (code, "Traceback" in out) == (5, False)
    assert (lab.home / "jarvis.db").read_bytes() == broken


async def test_half_a_configuration_ends_with_2_and_names_what_is_missing(lab: Lab) -> None:
    for name in ("JARVIS_MODEL__BASE_URL", "JARVIS_MODEL__API_KEY"):
        lab.bot.env.pop(name)
    code, out = await lab.bot.run("run")
    assert code == 2
    assert "JARVIS_MODEL__BASE_URL" in out


async def test_a_model_that_isn_t_there_parks_in_a_sentence_and_a_message_wakes_it(lab: Lab) -> None:
    await lab.start()
    port = lab.model.server.port
    await lab.model.server.stop()
    sent = lab.send("go", ["FINAL12"])
    await lab.wait_text("try again", after=sent.after, timeout=20)
    assert not any("Traceback" in text or "Error" in text for text in lab.screen())
    await lab.model.server.start(port)
    await lab.ask("now?", ["FINAL13"], "FINAL13")


async def test_a_locked_store_confirms_nothing_and_stop_still_kills(lab: Lab) -> None:
    await lab.start()
    lab.send("work", [sh(lab.nap(60)), "never"])
    await lab.until(lab.naps, "never started")
    rival = sqlite3.connect(lab.home / "jarvis.db", isolation_level=None)
    rival.execute("begin immediate")
    try:
        lab.send("/stop")
        await lab.until(lambda: not lab.naps(), "the stop was held up by the store", timeout=6)
    finally:
        rival.execute("rollback")
        rival.close()
    await lab.wait_text("Stopped")
    await lab.ask("next", ["FINAL14"], "FINAL14")


async def test_sigterm_ends_it_also_while_telegram_can_t_be_reached_yet(lab: Lab) -> None:
    await lab.telegram.server.stop()
    await lab.bot.launch()
    await lab.until(lambda: "can't be reached" in lab.bot.log_tail(), "it never tried")
    assert await lab.bot.stop(grace=10) == 0
