"""A model that gets nowhere, on the real process: over a user's messages, and over a handoff and a restart (D73)."""

from __future__ import annotations

import asyncio

import pytest

from tests.fakes.lab import Lab
from tests.fakes.model import Step, Turn, sh

pytestmark = pytest.mark.e2e


async def test_the_same_failure_asked_for_again_and_again_is_stopped_and_asked_about(lab: Lab) -> None:
    await lab.start()
    deploy = lab.workspace / "deploy.sh"
    deploy.write_text("echo 'fatal: no route to the registry' >&2; exit 3\n")
    await lab.ask("deploy it", [sh("bash deploy.sh"), "It failed, ONE"], "ONE")
    await lab.ask("try again", [sh("bash ./deploy.sh"), "It failed, TWO"], "TWO")
    third = lab.send("again", [*[sh(f"bash deploy.sh -v{number}") for number in range(9)], "It failed, THREE"])
    shown = await lab.wait_text("In 3 messages the same error", after=third.after)
    for word in ("no route to the registry", "bash deploy.sh", "bash ./deploy.sh", "what shall I try instead?"):
        assert word in shown.shown
    assert len(lab.requests(third)) == 2  # once to see it, once more, and no further
    deploy.write_text("echo done > deployed.txt\n")
    await lab.ask("now?", [sh("bash deploy.sh"), "It went well, FOUR"], "FOUR")
    assert not lab.faults()


@pytest.mark.lab(env={"JARVIS_RUN__TURNS": "3"})
@pytest.mark.parametrize("killed", [False, True])
async def test_a_loop_that_goes_on_after_a_handoff_is_stopped_soon_after(lab: Lab, killed: bool) -> None:
    (lab.workspace / "notes.txt").write_text("nothing here\n")
    await lab.start()
    made: list[str] = []

    def reply(turn: Turn) -> Step:
        """Something new first, so that the leg is handed on; then the same call for ever."""
        made.append(turn.script)
        return sh("date > begun.txt" if len(made) == 1 else "python3 -c 'import time; time.sleep(0.2)'; cat notes.txt")

    sent = lab.send("read the notes", reply)
    if killed:
        await lab.until(lambda: len(made) > 3, "the leg was not handed on")
        await lab.bot.kill()
        await lab.start()
    shown = await lab.wait_text("I stopped", timeout=30)
    assert "cat notes.txt" in shown.shown
    requests = lab.requests(sent)
    assert any("after checkpoint" in request.raw.decode() for request in requests)
    assert len(requests) <= 8
    assert not lab.faults()


async def test_a_quick_run_trails_at_most_two_messages_of_what_it_was_told(lab: Lab) -> None:
    (lab.workspace / "scan.sh").write_text("$ZAP_CMD() { :; }\n\\$ZAP_CMD -x\n")
    await lab.start()
    script = [sh(f"{how} scan.sh") for how in ("bash", "sh", "bash -x", "PATH=$PATH:/opt bash", "env A=1 bash", ". ./")]
    sent = lab.send("run scan.sh", [*script, "It failed. DONE1"])
    await lab.wait_text("Checkpoint 1", after=sent.after, timeout=30)
    await lab.until(lambda: [text for text in lab.screen() if "Told the model" in text], "the chat isn't told")
    await asyncio.sleep(6)
    told = [text for text in lab.screen() if "Told the model" in text]
    assert len(told) <= 2 and sum(text.count("Told the model") for text in told) >= 2
    assert not lab.faults()
