"""A death around a command or a press, on the real process: one effect, one answer, and what was stopped stays so."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bot import words
from tests.fakes.lab import Lab
from tests.fakes.model import sh

pytestmark = pytest.mark.e2e
ANSWERS = {"/status": "Up ", "/new": words.NEW, "/sessions": words.NO_SESSIONS}


async def dies(lab: Lab) -> None:
    """It dies at its failpoint and is started again without one."""
    assert await lab.bot.wait(15) == -9, lab.bot.log_tail()
    lab.bot.env.pop("JARVIS_FAILPOINT")
    await lab.start(timeout=10)


@pytest.mark.parametrize("point", ["K1", "K13"])
async def test_a_command_is_answered_once_over_a_death(tmp_path: Path, point: str) -> None:
    """K1: stored and not confirmed; K13: sent and not marked so."""
    for command, marker in ANSWERS.items():
        if (command, point) == ("/status", "K13"):
            continue  # its answer passes the outbox
        (tmp_path / command[1:]).mkdir()
        async with Lab(tmp_path / command[1:], env={"JARVIS_FAILPOINT": point}) as lab:
            await lab.bot.launch()
            await lab.telegram.wait_poll(20, 0)
            lab.send(command)
            await dies(lab)
            await lab.until(lambda: lab.copies(marker), f"{command} is never answered")  # noqa: B023
            await lab.ask("hello", ["FINAL1"], "FINAL1")
            copies = lab.copies(marker)
            assert copies == 1 or (command == "/status" and copies == 2), (command, lab.screen())


@pytest.mark.parametrize("point", ["K1:2", "K2:2"])
@pytest.mark.parametrize("how", ["command", "button"])
async def test_a_stop_that_a_death_cuts_short_stops_what_goes_on_after_it(tmp_path: Path, how: str, point: str) -> None:
    async with Lab(tmp_path, env={"JARVIS_FAILPOINT": point}) as lab:
        await lab.start()
        sent = lab.send("work", [sh(f"echo one >> marks.txt; {lab.nap(60)}"), "never"])
        await lab.until(lab.naps, "never started")
        if how == "command":
            lab.send("/stop")
        else:
            lab.press(await lab.wait_button("Stop"))
        await dies(lab)
        await lab.until(lambda: not lab.naps(), "a command outlived its bot")
        await lab.ask("hello", ["FINAL2"], "FINAL2")
        await asyncio.sleep(1)
        assert len(lab.requests(sent)) <= 2 and lab.copies("never") == 0
        assert (lab.workspace / "marks.txt").read_text() == "one\n"
        lab.send("/status")
        await lab.wait_text("Up ")
        if how == "command":
            assert lab.copies(words.STOPPED) + lab.copies(words.NOTHING_RUNS) == 2, lab.screen()  # and the status


async def test_a_stop_that_was_handled_and_is_served_again_after_a_death_stops_nothing_new(lab: Lab) -> None:
    await lab.start()
    lab.send("one", [sh(lab.nap(60)), "never"])
    await lab.until(lab.naps, "never started")
    stop = lab.telegram.updates.make("message", lab.telegram.people.message({"text": "/stop"}))
    lab.telegram.updates.put(stop)
    await lab.wait_text(words.STOPPED)
    lab.send("two", [sh(lab.nap(4)), "FINAL3"])
    await lab.until(lab.naps, "never started")
    await lab.bot.kill()
    lab.telegram.updates.force([stop])
    await lab.start()
    await lab.wait_text("FINAL3", timeout=20)
    assert lab.copies(words.STOPPED) == 1
