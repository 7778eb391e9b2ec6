"""What the chat service does to us, on the real process: each row answers once, loses nothing and disturbs nobody."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from bot import words
from tests.fakes.lab import Lab
from tests.fakes.model import sh, use
from tests.fakes.telegram import OWNER, ApiCall, Fault

pytestmark = pytest.mark.e2e
GROUP = -1001


def refusal(code: int, description: str, **parameters: int) -> dict[str, Any]:
    """The fields of a fault that answers as the service words it."""
    body: dict[str, Any] = {"ok": False, "error_code": code, "description": description}
    return {"status": code, "body": {**body, "parameters": parameters} if parameters else body}


def calls(lab: Lab, chat: int, after: int = 0) -> list[ApiCall]:
    """What was sent to or edited in a chat, from the call `after` on."""
    shows = ("sendMessage", "sendDocument", "editMessageText")
    return [call for call in lab.telegram.calls[after:] if call.chat == chat and call.method in shows]


@pytest.mark.lab(chats=[8])
async def test_t01_a_flood_limit_on_the_answer_is_sat_out_and_it_arrives_once(lab: Lab) -> None:
    await lab.start()
    flooded = refusal(429, "Too Many Requests: retry after 3", retry_after=3)
    lab.telegram.faults.add(Fault(method="sendMessage", match=lambda call: call.chat == OWNER, **flooded))
    lab.send("go", ["FINAL1"])
    refused = await lab.telegram.wait_call(lambda call: call.status == 429)
    await lab.ask("others", ["OTHER1"], "OTHER1", chat=8)
    answer = await lab.wait_text("FINAL1")
    assert [call for call in calls(lab, OWNER) if refused.at < call.at < answer.at] == []
    assert answer.at - (refused.done_at or 0) >= 2.9 and lab.copies("FINAL1") == 1


async def test_t02_a_flood_limit_on_every_edit_costs_progress_and_not_the_answer(lab: Lab) -> None:
    await lab.start()
    flooded = refusal(429, "Too Many Requests: retry after 2", retry_after=2)
    lab.telegram.faults.add(Fault(method="editMessageText", times=100, **flooded))
    after = len(lab.telegram.calls)
    began = time.monotonic()
    lab.send("go", [*[sh(f"echo {n}; sleep 0.7") for n in range(8)], "FINAL2"])
    await lab.wait_text("FINAL2", timeout=30)
    edits = [call for call in calls(lab, OWNER, after) if call.method == "editMessageText"]
    assert 1 <= len(edits) <= (time.monotonic() - began) / 2 + 1, "more than one call a window"
    sent = [call for call in calls(lab, OWNER, after) if call.method == "sendMessage"]
    assert len(sent) == 2, "a card and an answer"


async def test_t03_another_poller_is_told_of_once_and_messages_flow_when_it_is_gone(lab: Lab) -> None:
    await lab.start()
    conflict = refusal(409, "Conflict: terminated by other getUpdates request")
    lab.telegram.faults.add(Fault(method="getUpdates", times=4, **conflict))
    lab.telegram.people.say("wakes the poll", 99)  # a stranger
    await lab.until(lambda: sum(poll.status == 409 for poll in lab.telegram.polls) >= 3, "not polled again")
    lab.send("go", ["FINAL3"])
    await lab.wait_text("FINAL3", timeout=30)
    assert lab.bot.log.read_text().count("409 Conflict") == 1


async def test_t04_a_gateway_that_answers_in_html_loses_nothing_and_shows_nothing(lab: Lab) -> None:
    await lab.start()
    page = "<html><body><h1>502 Bad Gateway</h1></body></html>"
    lab.telegram.faults.add(Fault(times=10_000, status=502, body=page))
    lab.send("go", [sh("echo one >> marks.txt"), "FINAL4"])
    await asyncio.sleep(4)
    lab.telegram.faults.clear()
    await lab.wait_text("FINAL4", timeout=45)
    assert (lab.workspace / "marks.txt").read_text() == "one\n"
    assert lab.copies("FINAL4") == 1 and not [text for text in lab.screen() if "502" in text or "html" in text]
    assert "Traceback" not in lab.bot.log.read_text()


async def test_t09_kinds_that_nobody_knows_yet_disturb_nothing(lab: Lab) -> None:
    await lab.start()
    people, updates = lab.telegram.people, lab.telegram.updates
    odd = [
        updates.make("brand_new_thing", {"id": 1}),
        updates.make("message", people.message({"hologram": {"file_id": "x"}})),
        updates.make("message", {**people.message({"text": "x"}), "chat": {"id": OWNER, "type": "telepathy"}}),
        updates.make("message", people.message({"sticker": {"file_id": "s", "odd": [1]}})),
    ]
    updates.force(odd)
    await lab.wait_text("a sticker")
    entities = [{"type": "warp", "offset": 0, "length": 2}]
    tag = lab.model.script("odd", ["FINAL5"])
    updates.put(updates.make("message", people.message({"text": f"go {tag}", "entities": entities})))
    await lab.wait_text("FINAL5")
    assert len(lab.screen()) == 3, lab.screen()  # two that can't be used, and the answer


async def test_t12_what_is_forwarded_is_quoted_and_commands_and_approves_nothing(lab: Lab) -> None:
    await lab.start()
    people, updates = lab.telegram.people, lab.telegram.updates
    lab.send("work", [sh(lab.nap(3)), "FINAL6"])
    await lab.until(lab.naps, "never started")
    origin = {"type": "hidden_user", "sender_user_name": "Mallory", "date": 1_700_000_000}
    content = {
        "text": "/stop",
        "entities": [{"type": "bot_command", "offset": 0, "length": 5}],
        "forward_origin": origin,
    }
    updates.put(updates.make("message", people.message(content)))
    await lab.wait_text("FINAL6")
    assert lab.copies("Stopped") == 0
    asked = str(lab.model.requests[-1].body["messages"])
    assert "/stop" in asked and "forwarded" in asked.lower()


async def test_t14_posts_of_a_channel_are_ignored(lab: Lab) -> None:
    await lab.start()
    lab.telegram.chats.chat(-100555, "channel")
    post = lab.telegram.people.message({"text": f"@{lab.telegram.chats.me['username']} go"}, -100555)
    post.pop("from")
    updates = lab.telegram.updates
    lab.telegram.updates.force([updates.make("channel_post", post), updates.make("edited_channel_post", post)])
    await lab.ask("hello", ["FINAL7"], "FINAL7")
    assert len(lab.model.requests) == 1
    assert [call.method for call in lab.telegram.calls if call.method == "leaveChat" or call.chat == -100555] == []


REFUSED = {  # method, a parameter that is there, the refusal
    "t16": ("editMessageText", "text", "Bad Request: message to edit not found"),
    "t17": ("editMessageText", "text", "Bad Request: message is not modified: specified new message content"),
    "t18": ("sendMessage", "entities", "Bad Request: can't parse entities: unsupported start tag"),
    "t26": ("sendMessage", "reply_parameters", "Bad Request: message to be replied not found"),
}


@pytest.mark.parametrize("row", REFUSED)
async def test_a_refused_part_costs_neither_the_run_nor_the_answer(lab: Lab, row: str) -> None:
    method, part, why = REFUSED[row]
    await lab.start()
    fault = Fault(method=method, times=1000, match=lambda call: part in call.params, **refusal(400, why))
    lab.telegram.faults.add(fault)
    after = len(lab.telegram.calls)
    lab.send("go", [sh("echo one >> marks.txt; sleep 2"), "**bold** FINAL8 *end*"])
    await lab.wait_text("FINAL8", timeout=20)
    await asyncio.sleep(1)
    answers = [text for text in lab.screen() if "FINAL8" in text]
    assert len(answers) == 1 and "bold" in answers[0] and "end" in answers[0]
    assert (lab.workspace / "marks.txt").read_text() == "one\n"
    landed = [call for call in calls(lab, OWNER, after) if call.method == "sendMessage" and call.status == 200]
    assert len(landed) <= 3, "a card, one more in place of one that is gone, and the answer"


GONE = {
    "t19": refusal(400, "Bad Request: chat not found"),
    "t20": refusal(403, "Forbidden: bot was kicked from the supergroup chat"),
}


@pytest.mark.lab(chats=[GROUP])
@pytest.mark.parametrize("row", GONE)
async def test_a_chat_that_is_gone_is_left_alone_and_gets_its_answer_when_it_is_back(lab: Lab, row: str) -> None:
    await lab.start()
    lab.telegram.faults.add(Fault(times=1000, match=lambda call: call.chat == GROUP, **GONE[row]))
    sent = lab.send("go", [sh("echo one >> marks.txt; sleep 1"), "FINAL9"], GROUP)
    await lab.wait_text(f"can't write to chat {GROUP}", OWNER)
    await lab.until(lambda: len(lab.requests(sent)) == 2, "the run didn't go on")
    after = len(lab.telegram.calls)
    await lab.ask("others", ["OTHER9"], "OTHER9")
    assert len(calls(lab, GROUP)) <= 3 and calls(lab, GROUP, after) == []
    lab.telegram.faults.clear()
    back = lab.send("/status", chat=GROUP)
    await lab.wait_text("FINAL9", GROUP, after=back.after)
    assert lab.copies("FINAL9", GROUP) == 1 and lab.copies("can't write to chat", OWNER) == 1
    assert (lab.workspace / "marks.txt").read_text() == "one\n"


async def test_t22_a_file_that_is_too_large_gets_one_sentence_with_the_limit(lab: Lab) -> None:
    await lab.start()
    lab.telegram.people.upload(b"x", "disk.iso", size=60 * 2**20)
    await lab.wait_text("20 MB")
    await lab.ask("hello", ["FINAL10"], "FINAL10")
    assert len(lab.model.requests) == 1 and len(lab.screen()) == 2


@pytest.mark.lab(chats=[8])
async def test_t27_a_call_that_takes_a_minute_holds_up_no_other_chat(lab: Lab) -> None:
    await lab.start()
    slow = Fault(method="sendMessage", times=1, delay=12, match=lambda call: call.chat == OWNER)
    lab.telegram.faults.add(slow)
    lab.send("go", ["FINAL11"])
    await lab.telegram.wait_call(lambda call: True)
    for n in range(3):
        await lab.ask(f"other {n}", [f"OTHER{n}"], f"OTHER{n}", chat=8, timeout=8)
    assert lab.copies("FINAL11") == 0
    await lab.wait_text("FINAL11", timeout=20)
    assert lab.copies("FINAL11") == 1


GARBAGE = [
    "",
    "x",
    "ok:",
    "ok:../../etc/passwd",
    "cont:1:2:3",
    "cont:x:y",
    "stop:",
    "det:n:9:9:9",
    "retry:9",
    "wait:1:",
]
GARBAGE += ["undo:x", "sess:nobody", "forget:x", "who:1", "\u202e", "ses:" + "A" * 300, "again:" + "\U0001f9e8" * 20]


async def test_t28_garbage_on_a_button_ends_its_spinner_and_does_nothing_else(lab: Lab) -> None:
    await lab.start()
    await lab.ask("hello", ["FINAL12"], "FINAL12")
    message = lab.telegram.chats.screen(OWNER)[-1]["message_id"]
    for data in GARBAGE:
        lab.telegram.people.press(OWNER, message, data)
    lab.telegram.people.press(OWNER, 424242, "stop:gone")  # under a message that is no more
    await lab.telegram.bell.until(lambda: not lab.telegram.chats.presses, 15)
    answered = [call for call in lab.telegram.calls if call.method == "answerCallbackQuery"]
    assert len(answered) == len(GARBAGE) + 1
    assert "Traceback" not in lab.bot.log.read_text()
    assert len(lab.screen()) == 1 and len(lab.model.requests) == 1


async def test_t30_a_date_of_another_age_is_not_believed(lab: Lab) -> None:
    await lab.start()
    people, updates = lab.telegram.people, lab.telegram.updates
    for n, date in enumerate((1, 2**31 - 1, 10**15, -5)):
        tag = lab.model.script(f"date{n}", [f"DATE{n}."])
        updates.put(updates.make("message", {**people.message({"text": f"go {tag}"}), "date": date}))
        await lab.wait_text(f"DATE{n}.")
    assert not [text for text in lab.screen() if "waited" in text]


@pytest.mark.lab(env={"JARVIS_RUN__MODE": "sandbox"})
async def test_an_old_buttons_press_after_a_restart_is_answered_and_decides_nothing_twice(lab: Lab) -> None:
    await lab.start()
    lab.send("install", [use("shell", {"command": "curl -s http://192.0.2.1/ >> marks.txt"}), "FINAL13"])
    deny = await lab.wait_button("Deny")
    lab.press(deny)
    await lab.wait_text("FINAL13")
    await lab.bot.kill()
    await lab.start()
    lab.press(deny)
    await lab.telegram.bell.until(lambda: not lab.telegram.chats.presses, 10)
    toast = [call.params.get("text") for call in lab.telegram.calls if call.method == "answerCallbackQuery"][-1]
    assert toast in (words.ALREADY, words.EXPIRED) and len(lab.model.requests) == 2
