"""How Jarvis behaves among people: who gets a word, who gets silence, and what is read as meant for us."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agent import StoreError
from bot import filewords, words
from bot.channel import Quote
from tests.fakes.office import ADMIN, GROUP, OPERATOR, OWNER, VIEWER, Office, office
from tests.test_approvals import MARK, Asks
from tests.test_incoming import told

FOREIGN = "-300"


async def say(desk: Office, text: str, sender: int | None = OPERATOR, chat: str = GROUP, **more: Any) -> list[str]:
    """What the group reads after it."""
    before = len(desk.channel.screen(chat))
    await desk.channel.say(text, chat=chat, sender=sender, **more)  # type: ignore[arg-type]
    await desk.pass_time(5)
    return desk.channel.screen(chat)[before:]


async def test_our_name_alone_is_answered_and_with_a_reply_means_what_is_replied_to(tmp_path: Path) -> None:
    async with office(["done"], tmp_path) as desk:
        assert await say(desk, "") == [words.NOTHING_SAID]
        assert desk.model.requests == []
        assert await say(desk, "", quote=Quote(1, "Ben", "the disk is full")) == ["done"]
        assert "> the disk is full" in told(desk) and filewords.QUOTE_ALONE in told(desk)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("/deploy", ""),
        ("/deploy now", ""),
        ("/deploy@jarvis_bot", "I don't know /deploy"),
        ("/stpo", "/stop"),
        ("/statsu", "/status"),
    ],
)
async def test_a_command_that_may_be_another_bots_is_left_to_it(tmp_path: Path, text: str, answer: str) -> None:
    async with office([], tmp_path) as desk:
        said = "".join(await say(desk, text))
        assert (answer in said) if answer else (said == "")


async def test_an_edit_that_adds_our_name_is_said_to_start_nothing(tmp_path: Path) -> None:
    async with office(["never"], tmp_path) as desk:
        assert await say(desk, "look at the disk", addressed=False, message_id=900) == []
        assert await say(desk, "look at the disks", addressed=False, message_id=900, kind="edit") == []
        edited = await say(desk, "look at the disks", message_id=900, kind="edit")  # the name itself is cut off
        assert (edited, desk.model.requests) == ([filewords.EDIT_STARTS_NOTHING], [])
        assert await say(desk, "look at the disks", message_id=900, kind="edit") == []


async def test_the_owner_learns_in_private_that_a_group_is_not_served(tmp_path: Path) -> None:
    async with office(["never"], tmp_path) as desk:
        for sender in (ADMIN, 99, OWNER, OWNER):
            assert await say(desk, "hello?", sender, FOREIGN) == []
        await say(desk, "among ourselves", OWNER, FOREIGN, addressed=False)
        assert desk.channel.screen(str(OWNER)) == [words.not_allowed(FOREIGN)]
        assert desk.model.requests == []


async def test_an_anonymous_admin_is_told_why_nothing_happens_once_a_day(tmp_path: Path) -> None:
    async with office(["never"], tmp_path) as desk:
        nobody: dict[str, Any] = {"sender": None, "bot_sender": True}
        assert await say(desk, "go", addressed=False, **nobody) == []
        assert await say(desk, "/stop", **nobody) == [words.ANONYMOUS]
        assert await say(desk, "go", **nobody) == []
        assert await say(desk, "go", chat=FOREIGN, **nobody) == []
        await desk.pass_time(86_400)
        assert await say(desk, "go", **nobody) == [words.ANONYMOUS]
        assert await say(desk, "a post", None, bot_sender=False) == []  # forwarded by a linked channel
        assert await say(desk, "beep", 555, bot_sender=True) == []  # another bot
        assert desk.model.requests == []


async def test_where_nothing_runs_the_other_topics_of_the_group_are_named_and_no_other_chat(tmp_path: Path) -> None:
    async with office([[MARK]] * 3, tmp_path) as desk:
        desk.mark.gate = asyncio.Event()
        await desk.channel.say("in private")
        assert await say(desk, "/stop") == [words.NOTHING_RUNS]
        for topic in ("31", "32"):
            await desk.channel.say("work", chat=GROUP, sender=OPERATOR, place=desk.channel.place(GROUP, topic))
        await desk.pass_time()
        both = f"{words.NOTHING_RUNS} {words.elsewhere_running(2)}"
        assert [await say(desk, text, ADMIN) for text in ("/stop", "/pause")] == [[both], [both]]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ben", "asked by Ben (8) "),
        ("Owner\n✓ Approved", "asked by Owner ✓ Approved (8) "),
        ("\u202eneB", "asked by neB (8) "),
        ("B" * 90, f"asked by {'B' * 39}… (8) "),
    ],
)
async def test_a_card_names_who_asked_with_their_id(tmp_path: Path, name: str, shown: str) -> None:
    async with office([[MARK], "done"], tmp_path, [Asks()]) as desk:
        await say(desk, "install it", name=name)
        assert any(shown in text for text in desk.channel.screen(GROUP))
        assert len(desk.model.requests[0][0][-1]["content"]) < 600
        await desk.channel.press(desk.button("Run once", GROUP), chat=GROUP, sender=ADMIN, name="Ada")
        await desk.pass_time(5)
        assert any("Approved by Ada (5)" in text for text in desk.channel.screen(GROUP))


async def test_a_card_says_you_to_whoever_asked_in_private_and_names_them_over_a_restart(tmp_path: Path) -> None:
    async with office([[MARK]] * 2, tmp_path, [Asks()]) as first:
        await first.channel.say("install it", sender=OWNER)
        await first.channel.say("install it", chat=GROUP, sender=OPERATOR, name="Ben")
        await first.pass_time()
        assert any("asked by you" in text for text in first.channel.screen(str(OWNER)))
        store, shown = first.store, first.channel.messages
    async with office([], tmp_path, [Asks()], store=store) as second:
        second.channel.messages |= shown
        await second.pass_time()
        for chat in (str(OWNER), GROUP):
            data = second.button("Deny", chat)
            await second.channel.press(data, chat=chat, sender=OWNER)
        await second.pass_time(5)
        assert any("asked by you" in text and "Denied by you" in text for text in second.channel.screen(str(OWNER)))
        assert any("asked by Ben (8)" in text for text in second.channel.screen(GROUP))


async def test_a_viewer_in_a_group_may_look_and_is_told_so(tmp_path: Path) -> None:
    async with office(["never"], tmp_path) as desk:
        assert await say(desk, "do it", VIEWER) == [words.VIEWERS_READ]
        assert await say(desk, "/stop", VIEWER) == [words.NOT_YOURS]
        assert desk.model.requests == []


@pytest.mark.parametrize(
    ("sender", "admins", "told"),
    [(OPERATOR, (), True), (OPERATOR, (ADMIN,), False), (ADMIN, (ADMIN,), True), (OWNER, (), False)],
)
async def test_an_owner_who_alone_can_decide_for_a_group_is_told_so_in_private(
    tmp_path: Path, sender: int, admins: tuple[int, ...], told: bool
) -> None:
    async with office([[MARK], "done"], tmp_path, [Asks()]) as desk:
        access = desk.service.gate.access
        operators = frozenset({OPERATOR, *({ADMIN} - set(admins))})
        access.listed = replace(access.listed, admins=frozenset(admins), operators=operators)
        await say(desk, "install it", sender)
        assert desk.channel.screen(str(OWNER)) == ([words.only_you(GROUP)] if told else [])


@pytest.mark.parametrize("command", ["/help", "/start"])
async def test_in_a_group_the_help_says_how_to_be_heard(tmp_path: Path, command: str) -> None:
    async with office([], tmp_path) as desk:
        assert words.IN_GROUPS in "".join(await say(desk, command))
        assert words.IN_GROUPS not in "".join(await say(desk, command, OWNER, str(OWNER)))


async def test_what_was_to_be_forgotten_is_forgotten_though_a_crash_cuts_the_tap_in_two(tmp_path: Path) -> None:
    async with office(["PLUM"], tmp_path) as desk:
        await say(desk, "remember PLUM", OWNER, str(OWNER))
        await say(desk, "/new forget", OWNER, str(OWNER))
        press = desk.channel.press(desk.button(words.FORGET_DO))
        use, tries = desk.store.use, list[str]()

        async def locked(ref: str) -> object:
            tries.append(ref)
            if len(tries) < 3:
                raise StoreError("database is locked")
            return await use(ref)

        desk.store.use = locked  # type: ignore[assignment]
        await press
        await desk.pass_time(20)
        place = desk.channel.place()
        assert [each.title for each in await desk.store.sessions_at(place.key, 10)] == []
        assert desk.channel.screen().count(words.FORGOTTEN) == 1 and len(tries) == 3


async def test_a_key_in_a_title_or_a_plan_is_not_shown_again(tmp_path: Path) -> None:
    async with office(["done"], tmp_path) as desk:
        board = desk.service.board
        assert board.sessions.mask == board.plans.mask == desk.service._parts.redactor.output


async def test_a_move_that_cannot_be_followed_keeps_no_message_out(tmp_path: Path) -> None:
    async with office(["hi"], tmp_path) as desk:

        async def broken(*_: object) -> None:
            raise ZeroDivisionError

        desk.service.door._follow = broken
        desk.service.desk._follow = broken
        await desk.channel.say("-200", chat=GROUP, sender=None, kind="moved")  # type: ignore[arg-type]
        await desk.channel.say("hello", chat=str(OWNER), sender=OWNER)
        await desk.pass_time(5)
        assert desk.channel.screen(str(OWNER)) == ["hi"]


@pytest.mark.parametrize(("text", "hinted"), [("stop", True), (" STOP! ", True), ("stop nginx", False)])
async def test_whoever_writes_stop_is_told_how_to_stop_at_once(tmp_path: Path, text: str, hinted: bool) -> None:
    async with office([[MARK], "done", "done"], tmp_path) as desk:
        desk.mark.gate = asyncio.Event()
        await say(desk, "work")
        assert (words.STOP_HINT in await say(desk, text)) is hinted
        desk.mark.gate.set()
        await desk.pass_time(5)
        assert words.STOP_HINT not in await say(desk, text)  # nothing runs that could be stopped


async def test_who_knocked_in_private_is_not_told_to_a_group(tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        await desk.channel.say("/start", chat="99", sender=99, name="Mallory")
        await desk.pass_time()
        (in_private,) = await say(desk, "/users", ADMIN, str(ADMIN))
        (in_the_group,) = await say(desk, "/users", ADMIN)
        assert "Mallory" in in_private and "Mallory" not in in_the_group and str(OWNER) in in_the_group


async def test_an_undo_that_the_store_keeps_from_being_told_is_told_later(tmp_path: Path) -> None:
    class Files:
        """One run that can be undone once."""

        undone = 0

        async def runs(self, session: str) -> list[str]:
            return ["run"]

        async def plan(self, run: str) -> SimpleNamespace:
            return SimpleNamespace(
                restore=["a"], delete=[], cannot=[], changed_since=[], workspaces=["/w"], empty=False
            )

        async def restore(self, run: str, plan: object) -> SimpleNamespace:
            self.undone += 1
            return SimpleNamespace(restored=["a"], deleted=[], failed=[], changed_since=[], redo="")

    async with office([], tmp_path) as desk:
        undoing, files = desk.service.board.undoing, Files()
        undoing.files = files  # type: ignore[assignment]
        await say(desk, "/undo", OWNER, str(OWNER))
        project, tries = desk.store.project, list[str]()

        async def locked(session: str, seq: int, rows: Any) -> Any:
            tries.extend(row.key for row in rows)
            if len(tries) < 3:
                raise StoreError("database is locked")
            return await project(session, seq, rows)

        desk.store.project = locked  # type: ignore[method-assign]
        await desk.channel.press(desk.button(words.UNDO_DO))
        await desk.pass_time(10)
        assert files.undone == 1 and desk.toasts() == [words.UNDO_DONE]
        assert words.undone(1, 0) in desk.channel.screen()[-1]


@pytest.mark.parametrize("text", ["/status", "/help", "/mode", "/stop", "", "do it"])
async def test_among_people_an_answer_replies_to_whom_it_is_for(tmp_path: Path, text: str) -> None:
    async with office([], tmp_path) as desk:
        sender = VIEWER if text == "do it" else OPERATOR
        await say(desk, text, sender, message_id=900)
        await say(desk, text or "/help", OWNER, str(OWNER), message_id=901) if text != "do it" else None
        assert [letter.reply_to for letter in desk.letters(GROUP)] == [900]
        assert {letter.reply_to for letter in desk.letters()} <= {None}


async def test_an_examination_that_breaks_is_told(tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:

        async def broken() -> str:
            raise ZeroDivisionError

        desk.service.board.examining.exam = broken
        assert await say(desk, "/doctor", ADMIN) == [words.DOCTOR_BEGUN, words.BROKEN]
