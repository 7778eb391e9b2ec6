"""Commands on the real process: pause, sessions, forget, log, checkpoint, details, verbosity, as a chat sees them."""

from __future__ import annotations

import asyncio
import re

import pytest

from bot import words
from tests.fakes.lab import Lab
from tests.fakes.model import sh
from tests.fakes.telegram import OWNER

pytestmark = pytest.mark.e2e


def marks(lab: Lab) -> str:
    path = lab.workspace / "marks"
    return path.read_text() if path.exists() else ""


def step(number: int) -> str:
    return f"printf {number} >> marks; sleep 0.4"


async def test_a_paused_run_rests_over_a_kill_and_each_step_runs_once(lab: Lab) -> None:
    await lab.start()
    sent = lab.send("plan", [*[sh(step(each)) for each in range(5)], "FINAL"])
    await lab.until(lambda: marks(lab), "no step ran")
    lab.telegram.people.say("/pause")
    await lab.wait_text("/resume or a message lets it go on.")
    await lab.until(lambda: words.CARD_PAUSED in "\n".join(lab.screen()), "the card doesn't say that it is paused")
    before = marks(lab)
    await lab.bot.kill()
    await lab.start()
    await asyncio.sleep(1.5)
    assert marks(lab) == before != "01234"
    resume = await lab.wait_button("^Resume$")
    lab.press(resume)
    await lab.wait_text("FINAL", after=sent.after)
    assert marks(lab) == "01234"
    assert lab.faults() == []


async def test_pause_without_a_run_and_twice(lab: Lab) -> None:
    await lab.start()
    lab.telegram.people.say("/pause")
    await lab.wait_text(words.NOTHING_RUNS)
    lab.send("long", [sh(lab.nap(20)), "FINAL"])
    await lab.until(lab.naps, "the command didn't start")
    lab.telegram.people.say("/pause")
    await lab.wait_text(words.paused(True))
    lab.telegram.people.say("/pause")
    await lab.wait_text(words.PAUSED_ALREADY)
    lab.telegram.people.say("/resume")
    await lab.wait_text(words.GOES_ON_NOW)
    lab.telegram.people.say("/resume")
    await lab.wait_text(words.NOT_PAUSED)
    lab.telegram.people.say("/stop")
    await lab.wait_text(words.STOPPED)
    assert lab.naps() == []


async def test_an_older_session_is_taken_up_by_a_tap(lab: Lab) -> None:
    await lab.start()
    await lab.ask("the first talk", ["ONE"], "ONE")
    lab.telegram.people.say("/new")
    await lab.wait_text(words.NEW)
    await lab.ask("the second talk", ["TWO"], "TWO")
    lab.telegram.people.say("/sessions")
    await lab.wait_text(words.SESSIONS)
    button = await lab.wait_button("the first talk")
    assert not any("the second talk" in each.text for each in lab.buttons()), "the current one needs no button"
    lab.press(button)
    await lab.wait_text("Back in: the first talk")
    third = await lab.ask("and on", ["THREE"], "THREE")
    asked = str(lab.requests(third)[-1].body["messages"])
    assert "the first talk" in asked and "the second talk" not in asked


async def test_forget_leaves_nothing_of_the_conversation(lab: Lab) -> None:
    await lab.start()
    await lab.ask("remember the word HALIBUT", [sh("echo HALIBUT"), "HALIBUT it is"], "HALIBUT it is")
    lab.telegram.people.say("/new forget")
    button = await lab.wait_button(re.escape(words.FORGET_DO))
    lab.press(button)
    await lab.wait_text(words.FORGOTTEN)
    lab.press(button)  # a second tap finds nothing
    after = await lab.ask("what was the word?", ["NONE"], "NONE")
    assert "HALIBUT" not in str(lab.requests(after)[-1].body["messages"])
    assert b"HALIBUT" not in b"".join(path.read_bytes() for path in lab.home.glob("jarvis.db*"))
    await lab.bot.kill()
    await lab.start()
    await lab.ask("still there?", ["FINAL9"], "FINAL9")


async def test_forget_stops_the_run_and_keep_keeps(lab: Lab) -> None:
    await lab.start()
    lab.send("long", [sh(lab.nap(30)), "FINAL"])
    await lab.until(lab.naps, "the command didn't start")
    lab.telegram.people.say("/new forget")
    lab.press(await lab.wait_button(f"^{words.KEEP}$"))
    lab.telegram.people.say("/new forget")
    await lab.until(lambda: lab.copies("Delete this chat") + lab.copies("Delete all") == 2, "not offered again")
    lab.press(await lab.wait_button(re.escape(words.FORGET_DO)))
    await lab.wait_text(words.FORGOTTEN)
    assert lab.naps() == []
    await lab.ask("and now?", ["FINAL2"], "FINAL2")


async def test_the_log_comes_as_a_file_and_hides_keys(lab: Lab) -> None:
    await lab.start()
    await lab.ask("work", [sh("echo out-put; exit 3"), "FINAL"], "FINAL")
    lab.telegram.people.say("/log")
    call = await lab.telegram.wait_call(lambda call: call.method == "sendDocument" and call.status == 200, 10)
    assert "steps of this session" in call.shown


async def test_a_checkpoint_by_command_is_gone_on_from_later(lab: Lab) -> None:
    await lab.start()
    lab.telegram.people.say("/checkpoint")
    await lab.wait_text(words.NO_CHECKPOINT)
    await lab.ask("write the marks", [sh("echo 1 > marks"), "FINAL"], "FINAL")
    lab.telegram.people.say("/checkpoint")
    await lab.wait_text(words.CHECKPOINT_NOW)
    lab.press(await lab.wait_button("^Continue$"))
    await lab.until(lambda: "checkpoint" in str(lab.model.requests[-1].body["messages"]), "nothing went on")


async def test_details_page_through_the_steps_of_a_run(lab: Lab) -> None:
    await lab.start()
    steps = [sh(f"echo line-{each}; printf 'word %.0s' $(seq 200)") for each in range(12)]
    await lab.ask("work", [*steps, "FINAL"], "FINAL")
    button = await lab.wait_button("^Details$")
    lab.press(button)
    await lab.wait_text("Details")
    older = await lab.wait_button("Older")
    lab.press(older)
    await lab.wait_text("page 1 of")
    assert any("line-0" in text for text in lab.screen())
    assert len([text for text in lab.screen() if text.startswith("Details")]) == 1, "pages turn in place"
    assert all(len(each.data.encode()) <= 64 for each in lab.buttons())


@pytest.mark.lab(chats=[8])
async def test_verbosity_holds_over_a_restart_and_is_the_chat_s_own(lab: Lab) -> None:
    await lab.start()
    lab.telegram.people.say("/verbosity loud")
    await lab.wait_text(words.VERBOSITY_USAGE)
    lab.telegram.people.say("/verbosity quiet")
    await lab.wait_text(words.verbosity_is("quiet"))
    await lab.bot.kill()
    await lab.start()
    fails = [sh(f"echo {each}; python3 -c 'import nonesuch'") for each in range(6)]
    await lab.ask("work", [*fails, "FINAL"], "FINAL")
    assert not any(text.startswith("⚠ Told the model") for text in lab.screen()), "quiet"
    assert not any(" · " in text and "command" in text for text in lab.screen() if "FINAL" in text), "no footer"
    lab.send("work", [*fails, "FINAL"], chat=8)
    await lab.wait_text("FINAL", chat=8)
    await lab.wait_text("⚠ Told the model", chat=8)
    told = [text for text in lab.screen(8) if text.startswith("⚠ Told the model")]
    assert len(told) == len({text.split(":")[0] for text in told}) >= 1, "one message a kind, counted in place"


@pytest.mark.lab(chats=[8], env={"JARVIS_ACCESS__VIEWERS": "9"})
async def test_help_and_nearest_are_those_of_the_role(lab: Lab) -> None:
    await lab.start()
    lab.telegram.chats.chat(9)
    lab.telegram.people.say("/help", 9)
    shown = (await lab.wait_text("/status", 9)).shown
    assert "/stop" not in shown and "/users" not in shown
    lab.telegram.people.say("/help")
    shown = (await lab.wait_text("/doctor")).shown
    assert shown.count("\n/") == len(words.HELP) == 20
    lab.telegram.people.say("/stats")
    await lab.wait_text("Did you mean /status?")
    lab.telegram.people.say("/user", 8)
    await lab.wait_text("I don't know /user.", 8)


@pytest.mark.lab(chats=[8], env={"JARVIS_ACCESS__VIEWERS": "9"})
async def test_each_menu_shows_what_its_readers_may(lab: Lab) -> None:
    await lab.start()
    await lab.until(lambda: [c for c in lab.telegram.calls if c.method == "setMyCommands"][7:], "no menus")
    made = {}
    for call in [c for c in lab.telegram.calls if c.method == "setMyCommands"]:
        scope = call.params.get("scope") or {}
        made[scope.get("chat_id", scope.get("type", "")), call.params.get("language_code", "")] = [
            each["command"] for each in call.params["commands"]
        ]
    assert len(made[OWNER, ""]) == 20 and {"stop", "users", "doctor"} <= set(made[OWNER, ""])
    assert "stop" in made["all_group_chats", ""] and "users" not in made["all_group_chats", ""]
    assert {"status", "help"} <= set(made["", ""]) and "stop" not in made["", ""]
    assert (9, "") not in made and "users" not in made[8, ""]
