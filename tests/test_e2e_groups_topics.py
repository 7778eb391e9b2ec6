"""Topics and leaks on the real process: everything keeps its topic, General is one, nothing private comes out."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from bot import filewords, words
from tests.fakes.lab import Lab
from tests.fakes.model import Script, sh, use
from tests.fakes.telegram import OWNER, Fault
from tests.test_e2e_chat_faults import refusal
from tests.test_e2e_groups import ADA, BEN, CAT, DAN, DB, EVE, FIVE, OPS, WEB, rows, says, seen

pytestmark = pytest.mark.e2e


def general(lab: Lab, text: str, script: Script, *, thread: int | None) -> str:
    """Ben writes into the General topic, with or without the thread id that some servers give it."""
    name = f"general-{len(lab.model.requests)}-{thread}"
    chats, updates = lab.telegram.chats, lab.telegram.updates
    chats.chat(OPS)["is_forum"] = True
    text = f"@{chats.me['username']} {text} {lab.model.script(name, script)}"
    marks = [{"type": "mention", "offset": 0, "length": len(chats.me["username"]) + 1}]
    content: dict[str, Any] = {"text": text, "entities": marks}
    if thread:
        content["message_thread_id"] = thread
    updates.put(updates.make("message", lab.telegram.people.message(content, OPS, user=BEN)))
    return name


@pytest.mark.lab(chats=[OPS], env=FIVE)
async def test_everything_that_belongs_to_a_topic_goes_there(lab: Lab) -> None:
    await lab.start()
    after = len(lab.telegram.calls)
    whole = "\n".join(f"{n:05d} lorem ipsum dolor" for n in range(1500))
    says(lab, BEN, "long", WEB, [sh("echo a; sleep 1"), sh("echo b"), f"{whole} DONE1"])
    await lab.wait_text("DONE1", OPS, timeout=25)
    for text, marker in (("/status", "Up "), ("/help", "/stop"), ("/stop", "Nothing is running"), ("/plan", "no plan")):
        says(lab, BEN, text, WEB)
        await lab.wait_text(marker, OPS, timeout=25)
    made = [call for call in lab.telegram.calls[after:] if call.chat == OPS and call.method.startswith("send")]
    assert {call.method for call in made} >= {"sendMessage", "sendDocument", "sendChatAction"}
    assert {call.params.get("message_thread_id") for call in made} == {WEB}


@pytest.mark.lab(chats=[OPS], env=FIVE)
async def test_general_is_a_place_of_its_own_and_no_thread_to_write_to(lab: Lab) -> None:
    await lab.start()
    says(lab, BEN, "the web word is PEAR", WEB, ["KNOWN1"])
    await lab.wait_text("KNOWN1", OPS)
    first = general(lab, "the general word is FIG", ["KNOWN2"], thread=1)
    await lab.wait_text("KNOWN2", OPS)
    second = general(lab, "which word?", ["DONE2"], thread=None)
    await lab.wait_text("DONE2", OPS)
    assert seen(lab, 0) == ["KNOWN2", "DONE2"]
    asked = json.dumps(lab.model.main(second)[0].body)
    assert "FIG" in asked and "PEAR" not in asked and "PEAR" not in json.dumps(lab.model.main(first)[0].body)


GONE = {
    "deleted": "Bad Request: message thread not found",
    "closed": "Bad Request: TOPIC_CLOSED",
}


@pytest.mark.lab(chats=[OPS], env=FIVE)
@pytest.mark.parametrize("row", GONE)
async def test_t21_a_topic_that_goes_away_during_a_run_loses_no_answer(lab: Lab, row: str) -> None:
    await lab.start()
    sent = says(lab, BEN, "look", WEB, [sh(f"echo one >> marks.txt; {lab.nap(2)}"), "DONE3"])
    await lab.until(lab.naps, "never started")
    there = lambda call: call.params.get("message_thread_id") == WEB  # noqa: E731
    lab.telegram.faults.add(Fault(times=1000, match=there, **refusal(400, GONE[row])))
    await lab.wait_text("DONE3", OPS)
    await asyncio.sleep(0.5)
    (answer,) = [text for text in seen(lab, 0) if "DONE3" in text]
    assert words.TOPIC_GONE in answer
    assert len(lab.requests(sent)) == 2 and (lab.workspace / "marks.txt").read_text() == "one\n"
    says(lab, CAT, "and the database", DB, ["DONE4"])  # the other topics go on
    await lab.wait_text("DONE4", OPS)
    assert "DONE4" in seen(lab, DB)[0] and lab.copies("DONE3", OPS) == 1
    assert lab.copies("can't write to chat", OWNER) == 0


@pytest.mark.lab(chats=[OPS], env=FIVE)
async def test_t25_a_token_revoked_in_the_middle_of_two_runs_keeps_both_for_later(lab: Lab) -> None:
    await lab.start()
    web, db = lab.nap(2), lab.nap(3)
    says(lab, BEN, "web", WEB, [sh(f"echo web >> marks.txt; {web}"), "DONE5"])
    says(lab, CAT, "db", DB, [sh(f"echo db >> marks.txt; {db}"), "DONE6"])
    await lab.until(lambda: len(lab.naps()) >= 2, "never started")
    good, lab.telegram.token = lab.telegram.token, "1000:REVOKED"
    lab.telegram.people.say("wakes the poll", 99)
    assert await lab.bot.wait(20) == 3
    assert "BotFather" in lab.bot.log_tail() and good not in lab.bot.log_tail(10**6)
    assert lab.naps() == [], "a command outlives the bot"
    lab.telegram.token = good
    await lab.start()
    await lab.wait_text("DONE5", OPS, timeout=30)
    await lab.wait_text("DONE6", OPS, timeout=30)
    assert "DONE5" in "".join(seen(lab, WEB)) and "DONE6" in "".join(seen(lab, DB)) and seen(lab, 0) == []
    assert (lab.copies("DONE5", OPS), lab.copies("DONE6", OPS)) == (1, 1)
    assert sorted((lab.workspace / "marks.txt").read_text().split()) == ["db", "web"], "a command ran again"


@pytest.mark.lab(chats=[-500], env=FIVE)
async def test_t15_a_move_that_is_told_by_a_refusal_alone_takes_everything_along(lab: Lab) -> None:
    old, new = -500, -100777
    await lab.start()
    await lab.ask("the word is PLUM", ["KNOWN7"], "KNOWN7", chat=old)
    lab.send("work", [sh(lab.nap(2)), "DONE7"], old)
    await lab.until(lab.naps, "never started")
    lab.telegram.chats.chat(new, "supergroup")
    lab.telegram.chats.migrated[old] = new  # no notice comes
    await lab.wait_text("DONE7", new)
    later = await lab.ask("which word?", ["DONE8"], "DONE8", chat=new)
    assert "PLUM" in json.dumps(lab.requests(later)[0].body)
    assert rows(lab, "SELECT old, new FROM relocations") == [(str(old), str(new))]
    assert lab.copies("DONE7", new) == 1


@pytest.mark.lab(chats=[-500], env={**FIVE, "JARVIS_RUN__WORKSPACE_PER_CHAT": "true"})
async def test_a_group_that_moves_keeps_its_folder(lab: Lab) -> None:
    old, new = -500, -100777
    await lab.start()
    await lab.ask("write", [sh("echo PLUM > word.txt"), "KNOWN9"], "KNOWN9", chat=old)
    lab.telegram.people.migrate(old, new)
    lab.send("/new", chat=new)
    await lab.wait_text(words.NEW, new)
    await lab.bot.kill()
    await lab.start()
    later = await lab.ask("read", [sh("cat word.txt"), "DONE9"], "DONE9", chat=new)
    assert "PLUM" in lab.results(later)[0]


@pytest.mark.lab(chats=[OPS], env=FIVE)
async def test_t10_edits_in_a_topic_correct_or_are_said_to_come_too_late(lab: Lab) -> None:
    await lab.start()
    people, me = lab.telegram.people, lab.telegram.chats.me["username"]
    sent = says(lab, BEN, "look at host ALPHA", WEB, [sh(lab.nap(2)), "DONE10"])
    await lab.until(lab.naps, "never started")
    people.edit(OPS, sent.message_id, f"@{me} look at host BRAVO")
    await lab.wait_text("DONE10", OPS)
    assert "BRAVO" in json.dumps(lab.requests(sent)[-1].body) and len(lab.requests(sent)) == 2
    people.edit(OPS, sent.message_id, f"@{me} look at host CHARLIE")
    await lab.wait_text(words.TOO_LATE, OPS)
    people.say("no name here", OPS, user=BEN, topic=WEB)
    number = max(lab.telegram.chats.messages[OPS])
    people.edit(OPS, number, f"@{me} no name here")
    await lab.wait_text(filewords.EDIT_STARTS_NOTHING, OPS)
    assert len(lab.requests(sent)) == 2 and seen(lab, 0) == []


@pytest.mark.lab(chats=[OPS], env=FIVE)
async def test_nothing_of_a_private_chat_comes_out_in_the_group(lab: Lab) -> None:
    await lab.start()
    await lab.ask("remember PLUMPLUM", [sh("echo PLUMPLUM"), "PLUMPLUM it is"], "PLUMPLUM it is")
    lab.send("private work", [sh(f"echo PLUMPLUM; {lab.nap(30)}"), "never"])
    await lab.until(lab.naps, "never started")
    looks = [use("recent_sessions", {}), use("session_log", {}), "DONE11"]
    sent = says(lab, ADA, "what did we do before?", WEB, looks)
    await lab.wait_text("DONE11", OPS)
    for text, marker in (
        ("/sessions", words.SESSIONS), ("/log", "steps"), ("/usage", "his chat"), ("/status", "Up "),
        ("/plan", "no plan"), ("/stop", "Nothing is running"), ("/checkpoint", "Goal"), ("/tools", "Built in"),
        ("/users", "telegram"), ("/undo", "othing"), ("/model", "Model"),
    ):  # fmt: skip
        before = len(seen(lab, WEB))
        says(lab, ADA, text, WEB)
        await lab.until(lambda: len(seen(lab, WEB)) > before, f"no answer to {text} ({marker})", timeout=30)  # noqa: B023
    shown = json.dumps(lab.telegram.chats.screen(OPS))
    files = [each.data.decode(errors="replace") for each in lab.telegram.chats.files.values()]
    assert "PLUMPLUM" not in shown and not any("PLUMPLUM" in text for text in files)
    assert "PLUMPLUM" not in json.dumps([each.body for each in lab.requests(sent)])
    assert lab.naps(), "somebody in the group stopped a private run"
    assert lab.screen(EVE) == [] and lab.screen(DAN) == []
