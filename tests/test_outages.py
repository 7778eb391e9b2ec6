"""A model that can't be reached, as a chat sees it: waits that are told and can be cancelled, and another try."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent.models.scripted import call
from agent.steps import Asked, Commanded, End, Ended, Failed, Parked, Said, Trouble, Usage
from bot import modelwords, words
from tests.fakes.office import ADMIN, GROUP, OPERATOR, OWNER, VIEWER, Office, office

AWAY = Failed(
    at=0, trouble=Trouble.WAIT, text="The model m takes no more requests for now.", status=429, retry_after=600
)
DOWN = Failed(at=0, trouble=Trouble.RETRY, text="The endpoint of the model m can't be reached.")
KEY = Failed(at=0, trouble=Trouble.USER, text="The key for the model m was rejected.", status=401)
MONEY = Failed(at=0, trouble=Trouble.USER, text="The account behind the model m has no credit left.", status=402)
FILTER = Failed(at=0, trouble=Trouble.REFUSED, text="The provider refused the request under its content policy.")
MARK = [call("mark", {"word": "one"})]


async def steps(desk: Office, kind: type[Any]) -> list[Any]:
    found = []
    for session in {desk.service.routes._sessions[key] for key in desk.service.routes._sessions}:
        found += [step for _, step in await desk.store.read(session) if isinstance(step, kind)]
    return found


async def settle(desk: Office) -> None:
    """Three seconds: whatever is to be said at once has been said, at the pace of a chat."""
    for _ in range(6):
        await desk.pass_time(0.5)


async def say(desk: Office, text: str = "go", chat: str = str(OWNER), sender: int = OWNER, **more: Any) -> None:
    await desk.channel.say(text, chat=chat, sender=sender, **more)
    await settle(desk)


def shown(desk: Office, chat: str = str(OWNER)) -> str:
    return "\n".join(letter.text for letter in desk.letters(chat))


async def test_a_wait_is_told_with_its_time_and_a_button_and_the_answer_comes_by_itself(tmp_path: Path) -> None:
    async with office([AWAY, "FINAL"], tmp_path, env={"JARVIS_TIMEZONE": "UTC"}) as desk:
        await say(desk)
        told = desk.channel.messages[desk.showing(AWAY.text)][1]
        (parked,) = await steps(desk, Parked)
        assert parked.until is not None
        when = modelwords.at_time(parked.until, parked.at, __import__("datetime").UTC)
        assert told.text == modelwords.parked(AWAY.text, when)
        assert [[button.text for button in row] for row in told.buttons] == [[modelwords.CANCEL]]
        await desk.pass_time(700)
        assert "FINAL" in shown(desk)
        told = desk.channel.messages[desk.showing(AWAY.text)][1]
        assert told.buttons == ()
        assert "I went on" in told.text


async def test_a_card_that_waits_is_not_edited_for_hours(tmp_path: Path) -> None:
    async with office([AWAY, AWAY, AWAY, "FINAL"], tmp_path) as desk:
        await say(desk)
        await desk.pass_time(10)
        before = len(desk.channel.calls)
        await desk.pass_time(580)
        assert len(desk.channel.calls) == before
        assert "⏸ waiting until" in shown(desk)


async def test_a_long_outage_is_one_message_that_is_kept_up_to_date(tmp_path: Path) -> None:
    async with office([*[DOWN] * 12, "FINAL"], tmp_path) as desk:
        await say(desk)
        await desk.pass_time(400)
        assert len(await steps(desk, Parked)) >= 3
        assert shown(desk).count("I wait and try again at") == 1
        (parked, *_) = reversed(await steps(desk, Parked))
        when = modelwords.at_time(parked.until, parked.at, desk.service.projector.zone)
        assert f"try again at {when}" in shown(desk)
        await desk.pass_time(3600)
        assert shown(desk).count("FINAL") == 1


@pytest.mark.parametrize("how", ["button", "command"])
async def test_a_wait_can_be_cancelled(how: str, tmp_path: Path) -> None:
    async with office([AWAY, "FINAL"], tmp_path) as desk:
        await say(desk)
        data = desk.button(modelwords.CANCEL)
        if how == "button":
            await desk.channel.press(data, chat=str(OWNER), sender=OWNER)
        else:
            await desk.channel.say("/stop", chat=str(OWNER), sender=OWNER, command="stop")
        await desk.pass_time(5)
        assert [ended.end for ended in await steps(desk, Ended)] == [End.STOPPED]
        if how == "button":
            assert desk.toasts() == [modelwords.CANCELLED]
        assert not any(
            button.text == modelwords.CANCEL for each in desk.letters() for row in each.buttons for button in row
        )
        await desk.pass_time(700)
        assert "FINAL" not in shown(desk)
        await desk.channel.press(data, chat=str(OWNER), sender=OWNER)
        await desk.pass_time()
        assert desk.toasts()[-1] == modelwords.NOT_WAITING


async def test_an_old_cancel_does_not_stop_a_newer_run(tmp_path: Path) -> None:
    async with office([AWAY, "one", AWAY, "two"], tmp_path) as desk:
        await say(desk)
        old = desk.button(modelwords.CANCEL)
        await desk.pass_time(700)
        await say(desk, "again")
        await desk.channel.press(old, chat=str(OWNER), sender=OWNER)
        await desk.pass_time()
        assert desk.toasts() == [modelwords.NOT_WAITING]
        assert [ended.end for ended in await steps(desk, Ended)] == [End.ANSWERED]


async def test_only_who_may_stop_may_cancel(tmp_path: Path) -> None:
    async with office([AWAY, "FINAL"], tmp_path) as desk:
        await say(desk, chat=GROUP)
        for sender, toast in ((VIEWER, words.NOT_YOURS), (OPERATOR, words.NOT_YOURS), (ADMIN, modelwords.CANCELLED)):
            await desk.channel.press(desk.button(modelwords.CANCEL, GROUP), chat=GROUP, sender=sender)
            await desk.pass_time()
            assert desk.toasts()[-1] == toast


async def test_a_wait_survives_a_restart_with_its_button(tmp_path: Path) -> None:
    async with office([AWAY], tmp_path) as desk:
        await say(desk)
        store, messages = desk.store, desk.channel.messages
        data = desk.button(modelwords.CANCEL)
    async with office(["FINAL"], tmp_path, store=store) as again:
        again.channel.messages |= messages
        await again.pass_time(5)
        assert again.model.requests == []
        await again.channel.press(data, chat=str(OWNER), sender=OWNER)
        await again.pass_time(5)
        assert again.toasts() == [modelwords.CANCELLED]
        assert [ended.end for ended in await steps(again, Ended)] == [End.STOPPED]
        assert not any(row for each in again.letters() for row in each.buttons if row[0].text == modelwords.CANCEL)


async def test_a_message_tries_at_once(tmp_path: Path) -> None:
    async with office([AWAY, "FINAL"], tmp_path) as desk:
        await say(desk)
        await say(desk, "and now?")
        await desk.pass_time(5)
        assert "FINAL" in shown(desk)


# -- try again ------------------------------------------------------------------------------------------------------
async def test_another_try_goes_on_from_where_it_was_and_answers_the_question(tmp_path: Path) -> None:
    async with office([MARK, MONEY, "FINAL"], tmp_path) as desk:
        await say(desk, "build the GREENHOUSE")
        assert MONEY.text in shown(desk)
        await desk.channel.press(desk.button(modelwords.TRY_AGAIN), chat=str(OWNER), sender=OWNER)
        await desk.pass_time(2)
        assert desk.toasts() == [modelwords.TRIES_AGAIN]
        assert desk.mark.lines == ["one"]  # what was done isn't done again
        asked = json.dumps(desk.model.requests[-1][0])
        assert "GREENHOUSE" in asked and "marked one" in asked
        goals = [todo.goal for todo in map(desk.service.hub.todo, desk.service.routes._places) if todo]
        assert goals == ["build the GREENHOUSE"]


async def test_the_answer_of_another_try_replies_to_the_question(tmp_path: Path) -> None:
    async with office([MONEY, MONEY, "FINAL"], tmp_path) as desk:
        arrival = await desk.channel.say("go", chat=str(OWNER), sender=OWNER)
        for _ in range(2):
            await desk.pass_time(2)
            await desk.channel.press(desk.button(modelwords.TRY_AGAIN), chat=str(OWNER), sender=OWNER)
        await desk.pass_time(2)
        assert desk.channel.messages[desk.showing("FINAL")][1].reply_to == arrival.message_id


async def test_a_button_tries_once_and_loses_itself(tmp_path: Path) -> None:
    async with office([MONEY, "FINAL", "never"], tmp_path) as desk:
        await say(desk)
        data = desk.button(modelwords.TRY_AGAIN)
        for _ in range(3):
            await desk.channel.press(data, chat=str(OWNER), sender=OWNER)
        await desk.pass_time(3)
        assert desk.toasts()[0] == modelwords.TRIES_AGAIN
        assert set(desk.toasts()[1:]) <= {modelwords.ALREADY_TRIED}
        assert len(desk.model.requests) == 2
        assert not any(row for each in desk.letters() for row in each.buttons)


@pytest.mark.parametrize(
    ("sender", "tries", "toast"),
    [
        (OWNER, True, modelwords.TRIES_AGAIN),
        (ADMIN, True, modelwords.TRIES_AGAIN),
        (OPERATOR, True, modelwords.TRIES_AGAIN),
        (VIEWER, False, words.VIEWERS_READ),
    ],
)
async def test_who_may_try_again(sender: int, tries: bool, toast: str, tmp_path: Path) -> None:
    async with office([MONEY, "FINAL"], tmp_path) as desk:
        await say(desk, chat=GROUP, sender=OPERATOR)
        await desk.channel.press(desk.button(modelwords.TRY_AGAIN, GROUP), chat=GROUP, sender=sender)
        await desk.pass_time(3)
        assert desk.toasts() == [toast]
        assert ("FINAL" in shown(desk, GROUP)) is tries
        if tries:
            assert (await steps(desk, Asked))[-1].author == f"fake:{sender}"


async def test_another_try_works_after_a_restart(tmp_path: Path) -> None:
    async with office([MONEY], tmp_path) as desk:
        await say(desk)
        store, data = desk.store, desk.button(modelwords.TRY_AGAIN)
    async with office(["FINAL"], tmp_path, store=store) as again:
        for _ in range(2):
            await again.channel.press(data, chat=str(OWNER), sender=OWNER)
        await again.pass_time(3)
        assert "FINAL" in shown(again)
        assert len(again.model.requests) == 1


@pytest.mark.parametrize(
    "data", ["retry:", "retry:x:y", "retry:9", "retry:2:no-such", "retry:-1:s", "retry:" + "9" * 40]
)
async def test_junk_buttons_do_nothing(data: str, tmp_path: Path) -> None:
    async with office(["one", "two"], tmp_path) as desk:
        await say(desk)
        await desk.channel.press(data, chat=str(OWNER), sender=OWNER)
        await desk.pass_time()
        assert desk.toasts() == [words.EXPIRED]
        assert len(desk.model.requests) == 1


async def test_a_button_of_another_chat_does_nothing(tmp_path: Path) -> None:
    async with office([MONEY, "FINAL"], tmp_path) as desk:
        await say(desk)
        await desk.channel.press(desk.button(modelwords.TRY_AGAIN), chat=GROUP, sender=OWNER)
        await desk.pass_time()
        assert desk.toasts() == [words.EXPIRED]


async def test_after_a_newer_run_there_is_nothing_to_try_again(tmp_path: Path) -> None:
    async with office([MONEY, "newer", "never"], tmp_path) as desk:
        await say(desk)
        data = desk.button(modelwords.TRY_AGAIN)
        await say(desk, "something else")
        await desk.channel.press(data, chat=str(OWNER), sender=OWNER)
        await desk.pass_time()
        assert desk.toasts() == [modelwords.ALREADY_TRIED]
        assert len(desk.model.requests) == 2


@pytest.mark.parametrize(
    ("failure", "button"),
    [(MONEY, True), (KEY, True), (FILTER, False), (Failed(at=0, trouble=Trouble.BUG, text="Bug."), False)],
)
async def test_a_button_only_where_it_helps(failure: Failed, button: bool, tmp_path: Path) -> None:
    async with office([failure], tmp_path) as desk:
        await say(desk)
        assert failure.text in shown(desk)
        assert any(row for each in desk.letters() for row in each.buttons) is button


# -- the key --------------------------------------------------------------------------------------------------------
async def test_a_rejected_key_is_told_to_the_owner_alone(tmp_path: Path) -> None:
    async with office([KEY, KEY], tmp_path) as desk:
        for _ in range(2):
            await say(desk, chat=GROUP, sender=OPERATOR)
        assert KEY.text not in shown(desk, GROUP)
        assert shown(desk, GROUP).count(modelwords.NEEDS_OWNER) == 2
        assert shown(desk).count(KEY.text) == 1  # once an hour
        assert GROUP in shown(desk)


async def test_without_an_owner_whoever_asks_is_told(tmp_path: Path) -> None:
    async with office([KEY], tmp_path, env={}) as desk:
        desk.service.projector.owner = lambda: None
        await say(desk, chat=GROUP, sender=OPERATOR)
        assert KEY.text in shown(desk, GROUP)


# -- /model ---------------------------------------------------------------------------------------------------------
async def command(
    desk: Office, args: str = "", sender: int = OWNER, chat: str = str(OWNER), name: str = "model"
) -> str:
    await desk.channel.say(f"/{name} {args}", chat=chat, sender=sender, command=name, args=args)
    await settle(desk)
    return desk.letters(chat)[-1].text


async def test_a_model_is_chosen_for_the_next_leg_and_back(tmp_path: Path) -> None:
    async with office(["one", "two", "three"], tmp_path) as desk:
        led: list[str] = []
        hub = desk.service.hub
        hub.edges.led_by = lambda name: led.append(name) or hub.edges.model  # type: ignore[func-returns-value]
        await say(desk)
        assert "big" in await command(desk, "big")
        await say(desk)
        assert led == ["big"]
        assert "scripted" in await command(desk, "default")
        await say(desk)
        assert led == ["big"]
        opened = [todo.opened for todo in map(hub.todo, desk.service.routes._places) if todo]
        assert [each.model for each in opened if each] == ["scripted"]
        assert [step.value for step in await steps(desk, Commanded)] == ["big", ""]


async def test_a_choice_outlives_a_restart_and_a_fresh_session(tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        await command(desk, "big")
        store = desk.store
    async with office(["one"], tmp_path, store=store) as again:
        assert "Model: big (chosen in this chat)" in await command(again)
        await command(again, name="new")
        assert "Model: big (chosen in this chat)" in await command(again)
        led: list[str] = []
        again.service.hub.edges.led_by = lambda name: led.append(name) or again.service.hub.edges.model  # type: ignore[func-returns-value]
        await say(again)
        assert led == ["big"]


async def test_another_chat_keeps_its_own(tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        await command(desk, "big")
        assert "chosen" not in await command(desk, chat=GROUP)


@pytest.mark.parametrize("sender", [VIEWER, OPERATOR])
async def test_below_admin_one_sees_only(sender: int, tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        told = await command(desk, sender=sender, chat=GROUP)
        assert "Model: scripted" in told and "32,768" in told
        assert await command(desk, "big", sender=sender, chat=GROUP) == words.only("admin")
        assert "chosen" not in await command(desk, sender=sender, chat=GROUP)


@pytest.mark.parametrize("junk", ["two words", "x" * 201, "a\x00b", "a\u202eb"])
async def test_a_junk_name_is_refused_in_a_sentence(junk: str, tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        assert modelwords.BAD_NAME in await command(desk, junk)
        assert await steps(desk, Commanded) == []


@pytest.mark.parametrize("args", ["scripted", "default", "DEFAULT"])
async def test_what_is_so_already_is_said(args: str, tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        assert await command(desk, args) == modelwords.already("scripted")


# -- a server that cuts ---------------------------------------------------------------------------------------------
async def test_a_server_that_cuts_prompts_is_told_of_once_a_session_and_model(tmp_path: Path) -> None:
    usage = Usage(prompt=2048, completion=1, expected=9000)
    cut = [Said(at=0, text=f"FINAL{n}", model=model, usage=usage) for n, model in enumerate("aaab")]
    async with office(cut, tmp_path) as desk:
        for _ in range(2):
            await say(desk)
        assert shown(desk).count("2,048 tokens of a request of about 9,000") == 1
        assert "num_ctx" in shown(desk) and "JARVIS_MODEL__CONTEXT_TOKENS" in shown(desk)
        store, before = desk.store, shown(desk)
    async with office(cut[2:], tmp_path, store=store) as again:
        await say(again)
        assert "2,048" not in shown(again)
        await say(again)
        assert "The server of b says" in shown(again)
        assert "The server of a says" in before
