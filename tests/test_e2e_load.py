"""Load on the real process: counts and order; times only as bounds that a hang alone would break."""

from __future__ import annotations

import pytest

from bot.lane import EDIT_S, GROUP_EDIT_S
from tests.fakes.lab import Lab
from tests.fakes.telegram import OWNER, Fault
from tests.load_bench import GROUP, busy, edits, flood, short, signed, streams, told

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]
MANY = [2000 + n for n in range(40)]
FEW = [1000 + n for n in range(8)]
HOURS = 4 * 3600
WIDE = {"JARVIS_MODEL__PARALLEL": "64"}


@pytest.mark.lab(chats=MANY, env=WIDE)
async def test_a_flood_over_many_chats_is_answered_in_order_and_draws_no_refusals_after_ten_seconds(lab: Lab) -> None:
    await lab.start()
    came = await flood(lab, MANY, 5)
    assert (came.unanswered, came.unordered, came.refused_late) == ((), (), 0)


@pytest.mark.lab(chats=FEW, env=WIDE)
async def test_while_chats_are_busy_a_person_sees_a_sign_and_status_and_stop_answer(lab: Lab) -> None:
    await lab.start()
    await busy(lab, FEW)
    sent = lab.send("are you there?", ["YES1"])
    assert await signed(lab, sent) < 10
    assert await told(lab, "/status", "Nothing is running") < 10
    for chat in FEW:
        assert await told(lab, "/stop", "topped", chat) < 10
    await lab.until(lambda: not lab.naps(), "alive after /stop")


@pytest.mark.lab(chats=FEW, env=WIDE)
async def test_answers_that_are_written_in_many_chats_at_once_draw_no_refusals_and_all_come(lab: Lab) -> None:
    await lab.start()
    drafts, refused, _ = await streams(lab, FEW, 5)
    assert refused == 0
    assert drafts >= len(FEW)


@pytest.mark.lab(chats=[GROUP])
async def test_sixty_calls_edit_their_card_no_more_often_than_a_chat_allows(lab: Lab) -> None:
    await lab.start()
    for chat, gap in ((OWNER, EDIT_S), (GROUP, GROUP_EDIT_S)):
        count, took = await edits(lab, chat)
        assert 1 <= count <= took / gap + 1, (chat, count, took)
    assert 60 / GROUP_EDIT_S <= 15


async def test_a_short_answer_takes_at_most_three_calls(lab: Lab) -> None:
    await lab.start()
    assert await short(lab) <= 3


@pytest.mark.lab(chats=[8])
async def test_a_chat_that_is_banned_for_hours_gets_no_call_and_others_are_untouched(lab: Lab) -> None:
    await lab.start()
    body = {"ok": False, "error_code": 429, "description": "Too Many Requests", "parameters": {"retry_after": HOURS}}
    lab.telegram.faults.add(Fault(method="sendMessage", status=429, body=body, match=lambda call: call.chat == 8))
    lab.send("banned", ["KEPT1"], 8)
    await lab.telegram.wait_call(lambda call: call.chat == 8 and call.status == 429)
    after = len(lab.telegram.calls)
    for number in range(3):
        await lab.ask(f"free {number}", [f"FREE{number}"], f"FREE{number}")
    lab.send("still banned", ["KEPT2"], 8)
    await lab.ask("and now", ["FREE9"], "FREE9")
    assert [call.method for call in lab.telegram.calls[after:] if call.chat == 8] == []
