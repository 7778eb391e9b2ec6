"""The live answer in the real process: a slow model's words grow in a private chat, and the answer comes once."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from bot.lane import DRAFT_S, EDIT_S
from tests.fakes.lab import DRAFT, Lab, Sent
from tests.fakes.model import KEY, End, Http, Say, Sse, chunk, sh
from tests.fakes.telegram import ApiCall, Fault

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]
GROUP = -100900
WORDS = "".join(f"Sentence number {n} of a slow answer. " for n in range(40))
SLOW = Say(WORDS + "FINAL1", pieces=40, pause=0.15)


def drafts(lab: Lab, sent: Sent) -> list[ApiCall]:
    return [call for call in lab.telegram.calls[sent.after :] if call.method == DRAFT and call.chat == sent.chat]


def texts(calls: list[ApiCall]) -> list[str]:
    return [str(call.params["text"]) for call in calls]


async def test_a_slow_answer_grows_and_is_given_once(lab: Lab) -> None:
    await lab.start()
    sent = await lab.ask("tell me", [SLOW], "FINAL1", timeout=40)
    shown = drafts(lab, sent)
    assert len(shown) >= 2
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(texts(shown)))
    assert (WORDS + "FINAL1").startswith(texts(shown)[-1].rstrip())
    # what reaches the service is later than what was meant to go by the way there
    assert all(later.at - earlier.at >= DRAFT_S - 0.3 for earlier, later in itertools.pairwise(shown))
    assert {call.status for call in shown} == {200}
    assert len({call.params["draft_id"] for call in shown}) == 1
    await asyncio.sleep(2)
    assert lab.copies("FINAL1") == 1
    assert drafts(lab, sent) == shown


@pytest.mark.lab(chats=[GROUP])
async def test_quick_answers_and_groups_get_none(lab: Lab) -> None:
    await lab.start()
    quick = await lab.ask("hi", ["hello FINAL1"], "FINAL1", timeout=40)
    slow = await lab.ask("tell us", [SLOW], "FINAL1", GROUP, timeout=40)
    assert drafts(lab, quick) == drafts(lab, slow) == []


async def test_in_a_topic_of_a_private_chat_it_grows_in_that_topic(lab: Lab) -> None:
    await lab.start()
    sent = lab.send("tell me", [SLOW], topic=5)
    await lab.wait_text("FINAL1", timeout=40, after=sent.after)
    assert {call.params.get("message_thread_id") for call in drafts(lab, sent)} == {5}


@pytest.mark.parametrize(
    ("status", "why"), [(404, "Not Found: method not found"), (400, "Bad Request: TEXTDRAFT_PEER_INVALID")]
)
async def test_a_server_without_them_is_asked_once(lab: Lab, status: int, why: str) -> None:
    body = {"ok": False, "error_code": status, "description": why}
    lab.telegram.faults.add(Fault(method=DRAFT, times=99, status=status, body=body))
    await lab.start()
    before = await lab.ask("tell me", [SLOW], "FINAL1", timeout=40)
    after = await lab.ask("and again", [SLOW, "never"], "FINAL1", timeout=40)
    assert len(drafts(lab, before)) == 1
    assert drafts(lab, after) == drafts(lab, before)[1:] == []
    assert "when they are whole" in lab.bot.log_tail(8000)
    assert not [text for text in lab.screen() if "FINAL1" not in text and "Done" not in text and "turn" not in text]


async def test_what_a_broken_reply_showed_is_taken_back_before_the_next_one(lab: Lab) -> None:
    wrong = [item for n in range(20) for item in (chunk({"content": f"All {n} tests pass. "}), 0.15)]
    await lab.start()
    right = Say("Two tests fail. FINAL1", delay=4)
    sent = await lab.ask("how is it?", [[Sse((*wrong, End.CUT)), Http(503), right]], "FINAL1", timeout=40)
    shown = texts(drafts(lab, sent))
    assert "All 0 tests pass." in shown[0]
    assert shown[-1] == "…"
    assert lab.copies("FINAL1") == 1
    assert lab.copies("tests pass") == 0


async def test_a_stopped_answer_shows_nothing_more(lab: Lab) -> None:
    await lab.start()
    sent = lab.send("tell me", [Say(WORDS, pieces=200, pause=0.1), "never"])
    await lab.telegram.wait_call(lambda call: call.method == DRAFT, timeout=40, after=sent.after)
    stop = lab.send("/stop")
    await lab.wait_text("topped", after=stop.after)
    after = len(lab.telegram.calls)
    await asyncio.sleep(3)
    assert [call.method for call in lab.telegram.calls[after:] if call.method == DRAFT] == []


async def test_a_run_that_talks_and_works_paces_its_card_and_its_drafts_each(lab: Lab) -> None:
    await lab.start()
    talk = "I look at the next part of it now. " * 8
    turns = [Say(f"{turn}: {talk}", (sh(f"echo {turn}"),), pieces=12, pause=0.15) for turn in range(6)]
    sent = await lab.ask("work", [*turns, "FINAL1"], "FINAL1", timeout=60)
    for method, gap in ((DRAFT, DRAFT_S), ("editMessageText", EDIT_S)):
        calls = [call for call in lab.telegram.calls[sent.after :] if call.method == method]
        took = calls[-1].at - calls[0].at
        assert 2 <= len(calls) <= took / gap + 2, (method, took)
    assert len({call.params["draft_id"] for call in drafts(lab, sent)}) >= 2  # a reply of its own each


async def test_keys_that_are_cut_in_pieces_are_not_shown(lab: Lab) -> None:
    text = f"The key is {KEY} and the token {lab.telegram.token}, another ghp_{'a1B2' * 9}. " * 6
    await lab.start()
    sent = await lab.ask("which key?", [Say(text + "FINAL1", pieces=len(text) // 4, pause=0.02)], "FINAL1", timeout=40)
    shown = "".join(texts(drafts(lab, sent)))
    assert "The key is" in shown
    for secret in (KEY, lab.telegram.token, "ghp_"):
        assert secret[: len(secret) // 2] not in shown


async def test_a_reply_that_calls_a_tool_shows_its_words_alone(lab: Lab) -> None:
    look = [item for n in range(20) for item in (chunk({"content": f"looking {n} "}), 0.15)]
    call = chunk({"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": sh_call("echo hidden")}]})
    await lab.start()
    sent = await lab.ask("look", [Sse((*look, call, chunk({}, "tool_calls"))), "FINAL1"], "FINAL1", timeout=40)
    shown = "".join(texts(drafts(lab, sent)))
    assert "looking" in shown
    assert "hidden" not in shown


def sh_call(command: str) -> dict[str, str]:
    made = sh(command)
    return {"name": made.name, "arguments": made.arguments}
