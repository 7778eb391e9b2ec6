"""The lab drives a real process from the first poll to kill -9 and back."""

from __future__ import annotations

import signal
import sys

import pytest

from tests.fakes import standin
from tests.fakes.lab import Lab
from tests.fakes.model import sh
from tests.fakes.process import NotStarted
from tests.fakes.telegram import OWNER

STANDIN = [sys.executable, "-P", standin.__file__]  # -P: else our http.py hides the standard one


@pytest.mark.lab(chats=[8, -100], command=STANDIN)
async def test_messages_tools_kill_and_restart(lab: Lab) -> None:
    await lab.start()
    sent = await lab.ask("six times seven?", [sh("echo $((6*7))"), "FINAL1"], "FINAL1")
    assert lab.results(sent) == ["42\n"] and lab.screen() == ["FINAL1"] and lab.copies("FINAL1", 8) == 0
    assert [call.method for call in lab.telegram.calls[sent.after :]] == ["sendMessage"]
    await lab.ask("hello", ["FINAL2"], "FINAL2", chat=-100)
    assert lab.bot.memory_mb() > 5
    lab.send("sleep", [sh(lab.nap(60)), "FINAL3"], chat=8)
    await lab.until(lab.naps, "the command runs")
    await lab.bot.kill()
    assert not lab.naps() and not lab.bot.alive
    await lab.start()
    await lab.ask("again", ["FINAL4"], "FINAL4")
    assert await lab.bot.stop() == -signal.SIGTERM and not lab.faults()


@pytest.mark.lab(command=[sys.executable, "-c", "print('no home, no bot'); raise SystemExit(2)"])
async def test_a_process_that_ends_early_says_why(lab: Lab) -> None:
    with pytest.raises(NotStarted, match=r"exited with 2\n.*no home, no bot"):
        await lab.start()


@pytest.mark.lab(command=[sys.executable, "-c", "import time; time.sleep(60)"])
async def test_a_process_that_never_polls_is_named(lab: Lab) -> None:
    with pytest.raises(NotStarted, match=r"no poll within 0.2 s"):
        await lab.start(timeout=0.2)


@pytest.mark.lab(command=STANDIN, env={"JARVIS_RUN__TURNS": "4", "JARVIS_MODEL__PARALLEL": ""})
async def test_settings_are_the_fixed_names_and_the_tests_own(lab: Lab) -> None:
    settings = lab.settings()
    assert settings["JARVIS_ACCESS__OWNER"] == str(OWNER) and settings["JARVIS_RUN__TURNS"] == "4"
    assert "JARVIS_MODEL__PARALLEL" not in settings and "JARVIS_ACCESS__CHATS" not in settings


@pytest.mark.lab(command=STANDIN)
async def test_what_did_not_come_is_told_with_what_did(lab: Lab) -> None:
    await lab.start()
    await lab.ask("hello", ["something else"], "something else")
    with pytest.raises(AssertionError, match=r"no 'FINAL' in chat 7 .* shows \['something else'\]"):
        await lab.wait_text("FINAL", timeout=0.05)
