"""Approvals on the whole service: who may decide, once, in time, over restarts, and what the card shows."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from agent.decisions import APPROVAL_S
from agent.models.scripted import call
from agent.ports import Nudge
from agent.steps import Decided, End, Ended, Finished, Level, Proposed, Step
from bot import words
from bot.access import Role
from bot.channel import Quote
from bot.question import CHUNK, FITS, Question, above, card, letter, refusal
from tests.fakes.channel import units
from tests.fakes.office import ADMIN, GROUP, OPERATOR, OWNER, Office, office

MARK = call("mark", {"word": "one"})


class Asks:
    """A guard that asks about every call, once each exact call if it was allowed for the session."""

    name, strict = "asks", True

    def __init__(self, tier: int = 2, command: str = "apt-get install -y ripgrep", session_ok: bool = False) -> None:
        self.data = {"tier": tier, "command": command, "cwd": "/work", "session_ok": session_ok}

    def observe(self, step: Step) -> Nudge | None:
        if isinstance(step, Proposed):
            return Nudge(Level.ASK, "it leaves the box (network)", event="approval.asked", data=json.dumps(self.data))
        return None


async def steps(desk: Office, kind: type[Any]) -> list[Any]:
    found = []
    for session in list(desk.store._heads):
        found += [step for _, step in await desk.store.read(session) if isinstance(step, kind)]
    return found


async def test_the_card_shows_all_and_run_once_runs_it_once(tmp_path: Path) -> None:
    async with office([[MARK], "done"], tmp_path, [Asks()]) as desk:
        await desk.channel.say("install it")
        await desk.pass_time()
        shown = desk.channel.messages[desk.showing("Needs your OK")][1].text
        for part in ("it leaves the box (network)", "apt-get install -y ripgrep", "/work", "15 min"):
            assert part in shown
        assert desk.mark.lines == []
        data = desk.button("Run once")
        await desk.channel.press(data)
        await desk.channel.press(data)
        await desk.pass_time(5)
        assert desk.mark.lines == ["one"]
        assert desk.toasts() == [words.ALLOWED, words.ALREADY]
        assert [letter.text for letter in desk.letters()][-1].startswith("done\n\n1 file")
        with pytest.raises(LookupError):
            desk.button("Run once")
        assert any("Approved by you" in letter.text for letter in desk.letters())


async def test_deny_reaches_the_model_with_its_reason(tmp_path: Path) -> None:
    async with office([[MARK], "done"], tmp_path, [Asks()]) as desk:
        await desk.channel.say("install it")
        await desk.pass_time()
        card_id = desk.showing("Needs your OK")
        await desk.channel.say("no: use the one in /opt", quote=Quote(card_id, ours=True))
        await desk.pass_time()
        (finished,) = await steps(desk, Finished)
        assert "use the one in /opt" in finished.text
        assert desk.mark.lines == []


@pytest.mark.parametrize(
    ("text", "quoted", "runs"),
    [("yes", True, 1), ("YES", True, 1), ("yes please", True, 0), ("yes", False, 0), ("no", True, 0), ("ok", True, 0)],
)
async def test_only_a_reply_with_exactly_yes_approves(tmp_path: Path, text: str, quoted: bool, runs: int) -> None:
    async with office([[MARK], "done", "done"], tmp_path, [Asks()]) as desk:
        await desk.channel.say("install it")
        await desk.pass_time()
        quote = Quote(desk.showing("Needs your OK"), ours=True) if quoted else None
        await desk.channel.say(text, quote=quote)
        await desk.pass_time()
        assert len(desk.mark.lines) == runs
        assert [step.end for step in await steps(desk, Ended)] == [End.ANSWERED]


@pytest.mark.parametrize(
    ("sender", "chat", "toast", "runs"),
    [
        (OPERATOR, GROUP, words.ADMINS_DECIDE, 0),  # another member, no admin
        (ADMIN, GROUP, words.SECOND_PERSON, 0),  # the requester himself
        (OWNER, GROUP, words.ALLOWED, 1),
        (999, GROUP, "", 0),  # a stranger gets no word; only the spinner ends
        (OWNER, str(OWNER), words.EXPIRED, 0),  # copied into another chat
    ],
)
async def test_who_may_press(tmp_path: Path, sender: int, chat: str, toast: str, runs: int) -> None:
    async with office([[MARK], "done"], tmp_path, [Asks()]) as desk:
        await desk.channel.say("install it", chat=GROUP, sender=ADMIN)
        await desk.pass_time()
        await desk.channel.press(desk.button("Run once", GROUP), chat=chat, sender=sender)
        await desk.pass_time()
        assert desk.toasts() == [toast]
        assert len(desk.mark.lines) == runs
        if not runs:  # still pending for whoever may
            await desk.channel.press(desk.button("Run once", GROUP), chat=GROUP, sender=OWNER)
            await desk.pass_time()
            assert len(desk.mark.lines) == 1


async def test_an_operators_private_run_is_asked_in_the_owners_chat(tmp_path: Path) -> None:
    async with office([[MARK], "done"], tmp_path, [Asks()]) as desk:
        await desk.channel.say("install it", chat=str(OPERATOR), sender=OPERATOR)
        await desk.pass_time()
        assert words.ASKED_ELSEWHERE in [letter.text for letter in desk.letters(str(OPERATOR))]
        await desk.channel.press(desk.button("Run once"))
        await desk.pass_time()
        assert desk.mark.lines == ["one"]


async def test_questions_go_to_the_ops_chat(tmp_path: Path) -> None:
    async with office([[MARK], "done"], tmp_path, [Asks()], env={"JARVIS_ACCESS__OPS_CHAT": f"{GROUP}:4"}) as desk:
        await desk.channel.say("install it")
        await desk.pass_time()
        assert desk.button("Run once", GROUP)
        assert {place.topic for place, _ in desk.channel.messages.values() if place.chat == GROUP} == {"4"}


async def test_a_restart_keeps_the_question_and_approves_nothing(tmp_path: Path) -> None:
    async with office([[MARK]], tmp_path, [Asks()]) as desk:
        await desk.channel.say("install it")
        await desk.pass_time()
        data, store, card_id = desk.button("Run once"), desk.store, desk.showing("Needs your OK")
    async with office(["done"], tmp_path, [Asks()], store) as desk:
        await desk.pass_time(5)
        assert desk.mark.lines == []
        desk.channel.messages[card_id] = (desk.channel.place(), letter(QUESTION))
        await desk.channel.press(data)
        await desk.pass_time(5)
        assert desk.mark.lines == ["one"]
        assert len(await steps(desk, Decided)) == 1
        await desk.channel.press(data)
        await desk.pass_time()
        assert desk.toasts()[-1] == words.ALREADY


async def test_fifty_questions_survive_a_death(tmp_path: Path) -> None:
    async with office([[MARK]] * 50, tmp_path, [Asks()]) as desk:
        for chat in range(50):
            await desk.channel.say("install it", chat=GROUP, sender=ADMIN, place=desk.channel.place(GROUP, str(chat)))
            await desk.clock.settle()
        store, sent = desk.store, sum("Needs" in each.text for each in desk.letters(GROUP))
    async with office(["done"] * 50, tmp_path, [Asks()], store) as desk:
        await desk.pass_time(300)
        assert desk.mark.lines == []
        waiting = [awake.session.todo.waits_for_decision for awake in desk.service.hub._awake.values()]
        assert len([item for item in waiting if item]) == 50
        rows = [data for letter in desk.letters(GROUP) for row in letter.buttons for data in row if "once" in data.text]
        assert sent + len(rows) == 50


@pytest.mark.parametrize(("late", "pressed"), [(-5.0, 1), (1.0, 0)])
async def test_it_works_until_its_expiry_and_then_parks(tmp_path: Path, late: float, pressed: int) -> None:
    async with office([[MARK], "done"], tmp_path, [Asks()]) as desk:
        await desk.channel.say("install it")
        await desk.pass_time()
        data = desk.button("Run once")
        await desk.pass_time(APPROVAL_S - 1 + late)
        await desk.channel.press(data)
        await desk.pass_time()
        assert len(desk.mark.lines) == pressed
        if pressed:
            return
        assert await steps(desk, Ended) == []
        await desk.channel.press(desk.button("Ask again"))
        await desk.pass_time(3)
        fresh = desk.button("Run once")
        assert fresh != data
        await desk.channel.press(data)
        await desk.pass_time()
        await desk.channel.press(fresh)
        await desk.pass_time()
        assert desk.mark.lines == ["one"]


async def test_two_clients_at_once_are_one_decision(tmp_path: Path) -> None:
    async with office([[MARK], "done"], tmp_path, [Asks()]) as desk:
        await desk.channel.say("install it")
        await desk.pass_time()
        yes, no = desk.button("Run once"), desk.button("Deny")
        await asyncio.gather(desk.channel.press(yes), desk.channel.press(no), desk.channel.press(yes))
        await desk.pass_time()
        assert len(await steps(desk, Decided)) == 1
        assert len(desk.mark.lines) <= 1


async def test_garbage_on_a_button_is_answered_and_does_nothing(tmp_path: Path) -> None:
    async with office([[MARK], "done"], tmp_path, [Asks()]) as desk:
        await desk.channel.say("install it")
        await desk.pass_time()
        for data in ("ok:nonsense", "ok:", "", "again:", "ses:x", "stop:x", "\x00" * 64):
            await desk.channel.press(data)
        await desk.pass_time()
        assert len(desk.toasts()) == 7
        assert desk.mark.lines == []


# -- the card -------------------------------------------------------------------------------------------------------
QUESTION = Question("c1", "reason", 2, "command", "/work", False, (f"fake:{ADMIN}",), "Ann", True)


@pytest.mark.parametrize("length", [10, FITS, FITS + 1, 10_000])
def test_a_long_command_is_there_in_full_and_its_end_is_on_the_card(length: int) -> None:
    command = "x" * (length - 6) + "rm -rf"
    asked = Question("c1", "r", 2, command, "/w", False, (), "", False)
    text, start, end = card(asked)
    assert text[start:end].endswith("rm -rf")
    parts = [each.text for each in above(asked)]
    assert "".join(parts) == (command if length > FITS else "")
    for each in (letter(asked), *above(asked)):
        assert units(each.text) <= 4096
    assert max(map(len, parts), default=0) <= CHUNK


@pytest.mark.parametrize(
    ("tier", "role", "presser", "may"),
    [
        (2, Role.OWNER, OWNER, True),
        (2, Role.ADMIN, OWNER, True),
        (2, Role.ADMIN, ADMIN, False),
        (2, Role.OPERATOR, OPERATOR, False),
        (1, Role.OPERATOR, ADMIN, True),
        (1, Role.OPERATOR, OPERATOR, False),
        (1, Role.ADMIN, OPERATOR, True),
        (1, Role.VIEWER, ADMIN, False),
    ],
)
def test_the_rule_of_who_decides(tier: int, role: Role, presser: int, may: bool) -> None:
    asked = Question("c1", "r", tier, "c", "/w", False, (f"fake:{ADMIN}",), "", True)
    assert (refusal(asked, role, f"fake:{presser}") == "") is may


async def test_a_yes_to_a_card_that_is_settled_is_no_prompt(tmp_path: Path) -> None:
    async with office([[MARK], "done", "never"], tmp_path, [Asks()]) as desk:
        await desk.channel.say("install it")
        await desk.pass_time()
        quote = Quote(desk.showing("Needs your OK"), ours=True)
        for text in ("no", "yes", "NO"):
            await desk.channel.say(text, quote=quote)
            await desk.pass_time(2)
        assert desk.mark.lines == [] and len(desk.model.requests) == 2
        assert [letter.text for letter in desk.letters()].count(words.ALREADY) == 2


async def test_an_edit_of_what_was_asked_for_withdraws_the_question(tmp_path: Path) -> None:
    async with office([[MARK], "done"], tmp_path, [Asks()]) as desk:
        await desk.channel.say("install b", message_id=900)
        await desk.pass_time()
        old = desk.button("Run once")
        await desk.channel.say("install c", message_id=900, kind="edit")
        await desk.pass_time(5)
        await desk.channel.press(old)
        await desk.pass_time()
        assert desk.mark.lines == [] and desk.toasts() == [words.ALREADY]
        (finished,) = await steps(desk, Finished)
        assert "install c" in finished.text
        assert [step.end for step in await steps(desk, Ended)] == [End.ANSWERED]


async def test_the_status_of_a_run_that_waits_for_an_ok_says_so(tmp_path: Path) -> None:
    async with office([[MARK]], tmp_path, [Asks()]) as desk:
        await desk.channel.say("install it")
        await desk.pass_time()
        await desk.channel.say("/status")
        await desk.pass_time()
        assert words.WAITS_FOR_OK in desk.letters()[-1].text
