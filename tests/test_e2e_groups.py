"""Groups on the real process: an ops group of five with topics, and a group that becomes a supergroup."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing

import pytest

from bot import words
from tests.fakes.lab import Lab, Sent
from tests.fakes.model import Script, sh, use
from tests.fakes.telegram import OWNER

pytestmark = pytest.mark.e2e
OPS, WEB, DB = -100500, 31, 32  # the group and two of its topics
ADA, BEN, CAT, DAN, EVE = 21, 22, 23, 24, 25  # an admin, two operators, a viewer, a member without a role
FIVE = {
    "JARVIS_ACCESS__ADMINS": str(ADA),
    "JARVIS_ACCESS__OPERATORS": f"{BEN},{CAT}",
    "JARVIS_ACCESS__VIEWERS": str(DAN),
}


def says(lab: Lab, user: int, text: str, topic: int, script: Script | None = None) -> Sent:
    """A member writes into a topic, mentioning the bot unless it is a command."""
    name = f"{user}-{topic}-{len(lab.model.requests)}"
    tag = f" {lab.model.script(name, script)}" if script else ""
    me = lab.telegram.chats.me["username"]
    after = len(lab.telegram.calls)
    whole = f"{text}@{me}" if text.startswith("/") else f"@{me} {text}{tag}"
    update = lab.telegram.people.say(whole, OPS, user=user, topic=topic)
    return Sent(OPS, max(lab.telegram.chats.messages[OPS]), update, name, after, 0.0)


def seen(lab: Lab, topic: int) -> list[str]:
    """The bot's texts in one topic, oldest first."""
    shown = lab.telegram.chats.screen(OPS)
    return [str(each.get("text", "")) for each in shown if each.get("message_thread_id", 0) == topic]


def rows(lab: Lab, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(lab.home / "jarvis.db")) as db:
        return db.execute(query).fetchall()


@pytest.mark.lab(chats=[OPS], env=FIVE)
async def test_an_ops_group_of_five_with_two_runs_in_two_topics(lab: Lab) -> None:
    await lab.start()
    await lab.ask("the vault word is PLUM", ["KNOWN0"], "KNOWN0")  # in the owner's private chat
    web, db = lab.nap(3), lab.nap(301)
    first = says(lab, BEN, "watch the web server", WEB, [sh(web), sh("echo looked"), "DONE-WEB"])
    second = says(lab, CAT, "watch the database", DB, [sh(db), "never seen"])
    await lab.until(lambda: len(lab.naps()) >= 2, "the two runs are not at work at once")

    says(lab, CAT, "and look at the certificates too", WEB)  # another operator steers
    says(lab, EVE, "delete everything", DB)  # a member without a role is nobody
    says(lab, DAN, "/stop", DB)  # a viewer
    says(lab, BEN, "/stop", DB)  # an operator, but not who asked
    await asyncio.sleep(1)
    assert any("301" in " ".join(nap.cmdline()) for nap in lab.naps()), "someone without the right stopped it"

    stop = await lab.wait_button("Stop", OPS)
    for user in (DAN, EVE):
        lab.press(stop, user)
    await lab.telegram.bell.until(lambda: not lab.telegram.chats.presses, 10)
    pressed = [call for call in lab.telegram.calls if call.method == "answerCallbackQuery"]
    assert sorted(call.params.get("text") or "" for call in pressed) == ["", words.NOT_YOURS]
    assert len(lab.naps()) >= 1, "somebody without the right stopped it"
    says(lab, ADA, "/stop", DB)  # the admin
    await lab.until(lambda: not any(db in " ".join(nap.cmdline()) for nap in lab.naps()), "the admin could not stop it")
    await lab.wait_text("DONE-WEB", OPS)

    sent = json.dumps([each.body for each in lab.requests(first)])
    assert "look at the certificates" in sent
    assert "DONE-WEB" in "".join(seen(lab, WEB)) and "DONE-WEB" not in "".join(seen(lab, DB))
    assert len(lab.requests(second)) == 1
    assert not any(word in sent for word in ("watch the database", "delete everything", "PLUM"))
    assert "PLUM" not in json.dumps([each.body for each in lab.requests(second)])
    assert seen(lab, 0) == [], "something of a topic went to General"
    assert lab.screen(EVE) == []


@pytest.mark.lab(chats=[OPS], env=FIVE)
async def test_nobody_without_a_person_behind_and_nothing_unaddressed_starts_a_run(lab: Lab) -> None:
    await lab.start()
    people, name = lab.telegram.people, lab.telegram.chats.me["username"]
    updates = lab.telegram.updates
    odd = (
        {"from": {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}},
        {"from": {"id": 777000, "is_bot": False, "first_name": "T"}, "sender_chat": {"id": -1009, "type": "channel"}},
        {"from": {"id": 555, "is_bot": True, "first_name": "Other", "username": "other_bot"}},
    )
    for fields in odd:
        content = {"text": f"@{name} go", "entities": [{"type": "mention", "offset": 0, "length": len(name) + 1}]}
        updates.put(updates.make("message", {**people.message(content, OPS), **fields}))
    people.say("just talking among ourselves", OPS, user=BEN)
    people.say("/stop@some_other_bot", OPS, user=BEN)
    await lab.ask("hello", ["DONE1"], "DONE1")
    assert [request for request in lab.model.requests if "among ourselves" in json.dumps(request.body)] == []
    assert len(lab.model.requests) == 1 and lab.screen(OPS) == [words.ANONYMOUS]


OLD, NEW = -500, -100777


@pytest.mark.lab(chats=[OLD], env={"JARVIS_RUN__MODE": "sandbox"})
async def test_a_group_that_moves_while_a_run_waits_for_an_ok_keeps_everything_over_a_kill(lab: Lab) -> None:
    await lab.start()
    await lab.ask("the word is PLUM", ["KNOWN1"], "KNOWN1", chat=OLD)
    lab.send("install it", [use("shell", {"command": "apt-get install -y cowsay"}), "DONE2"], OLD)
    await lab.wait_button("Deny", OLD)

    lab.telegram.people.migrate(OLD, NEW)
    button = await lab.wait_button("Deny", NEW)  # what waited is asked again where people are now
    await lab.bot.kill()
    await lab.start()
    lab.press(button)
    await lab.wait_text("DONE2", NEW)

    sent = await lab.ask("which word?", ["DONE3"], "DONE3", chat=NEW)
    assert "PLUM" in json.dumps(lab.requests(sent)[0].body), "the session did not move"
    assert rows(lab, "SELECT old, new FROM relocations") == [(str(OLD), str(NEW))]
    assert lab.copies("DONE2", NEW) == 1
    assert lab.copies("DONE2", OLD) == 0
    lab.send("no more", ["never"], -100778)  # another supergroup has gained nothing
    await lab.ask("still there?", ["DONE4"], "DONE4", chat=NEW)
    assert lab.screen(-100778) == []
    assert lab.bot.log.read_text().count(f"group {OLD} has moved to {NEW}") == 1


@pytest.mark.lab(chats=[OLD])
async def test_a_group_that_moves_while_a_run_works_gets_one_answer_at_its_new_address(lab: Lab) -> None:
    await lab.start()
    sent = lab.send("work", [sh(lab.nap(2)), "DONE5"], OLD)
    await lab.until(lab.naps, "never started")
    lab.telegram.people.migrate(OLD, NEW)
    await lab.wait_text("DONE5", NEW)
    assert lab.copies("DONE5", NEW) == 1 and len(lab.requests(sent)) == 2
    stop = lab.send("/status", chat=NEW)
    await lab.wait_text("Nothing is running", NEW, after=stop.after)


@pytest.mark.lab(chats=[OLD])
async def test_a_message_under_the_former_id_stays_in_the_session_and_is_answered_at_the_new_one(lab: Lab) -> None:
    await lab.start()
    await lab.ask("the word is PLUM", ["KNOWN7"], "KNOWN7", chat=OLD)
    lab.telegram.people.say(f"/verbosity@{lab.telegram.chats.me['username']} quiet", OLD)
    await lab.wait_text("quiet", OLD)
    lab.telegram.people.migrate(OLD, NEW)
    late = lab.send("which word?", ["DONE7"], OLD)  # it was written just before
    await lab.wait_text("DONE7", NEW)
    assert "PLUM" in json.dumps(lab.requests(late)[0].body)
    await lab.bot.kill()
    await lab.start()
    sent = await lab.ask("and now?", ["DONE8"], "DONE8", chat=NEW)
    assert "PLUM" in json.dumps(lab.requests(sent)[0].body)
    quiet = rows(lab, "SELECT name FROM switches WHERE name LIKE 'verbosity:%' AND value = 'quiet'")
    assert sum(f":{NEW}" in str(name) for (name,) in quiet) == 1


@pytest.mark.lab(chats=[OWNER])
async def test_a_move_of_a_group_that_was_never_allowed_allows_nothing(lab: Lab) -> None:
    await lab.start()
    lab.telegram.people.migrate(OLD, NEW)
    lab.send("hi", ["never"], NEW)
    await lab.ask("hello", ["DONE6"], "DONE6")
    assert lab.screen(NEW) == [] and lab.screen(OLD) == []
    assert rows(lab, "SELECT * FROM relocations") == []
