"""People by the owner's tap: a stranger's knock, the list, the cards, who may press (SPEC 5, FAULTS S01 to S06)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agent.store.memory import MemoryStore
from agent.tables import Person
from bot import words
from bot.access import Role
from bot.channel import Arrival
from bot.people import KNOCKS_A_DAY, VERBS
from tests.fakes.office import ADMIN, GROUP, OPERATOR, OWNER, VIEWER, Office, office

DAY = 86_400.0


def role(desk: Office, person: int) -> Role | None:
    return desk.service.gate.access.role(person)


async def knock(desk: Office, person: int = 99, **changes: object) -> None:
    await desk.channel.say("/start", str(person), person, **{"name": "Eve", **changes})
    await desk.pass_time(2)


def cards(desk: Office) -> list[str]:
    return [letter.text for letter in desk.letters() if "wants in" in letter.text]


# -- a knock --------------------------------------------------------------------------------------------------------
async def test_a_stranger_s_start_is_one_card_to_the_owner_and_silence_to_the_stranger(tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        for _ in range(3):
            await knock(desk)
        (card,) = cards(desk)
        assert "99" in card
        assert "Eve" in card
        assert desk.letters("99") == []
        assert (await desk.store.waiting(), desk.model.requests) == ([], [])
        assert role(desk, 99) is None


@pytest.mark.parametrize(
    ("choice", "given", "told"),
    [("Operator", Role.OPERATOR, "operator"), ("Viewer", Role.VIEWER, "viewer"), ("Ignore", None, "")],
)
async def test_the_owner_s_tap_decides_for_good(choice: str, given: Role | None, told: str, tmp_path: Path) -> None:
    store = MemoryStore()
    async with office([], tmp_path, store=store) as desk:
        await knock(desk)
        data = desk.button(choice)
        await desk.channel.press(data)
        await desk.channel.press(data)
        await desk.pass_time(5)
        assert role(desk, 99) is given
        assert desk.toasts()[1] == words.ALREADY
        assert [letter.text for letter in desk.letters("99")] == ([words.welcome(told)] if told else [])
        assert "99" in desk.letters()[-1].text
        assert not desk.letters()[-1].buttons, "the card says what became of it"
        assert [p.added_by for p in await store.people()] == [OWNER]
    async with office(["fine"], tmp_path, store=store) as desk:
        assert role(desk, 99) is given
        await desk.pass_time(2 * DAY)
        await knock(desk)
        assert cards(desk) == [], "nobody is asked about twice"


NO_KNOCK = [
    ("a plain message", "hello", {}),
    ("another command", "/help", {}),
    ("in a group", "/start", {"private": False}),
    ("by a bot", "/start", {"bot_sender": True}),
    ("by nobody", "/start", {"sender": None}),
    ("an edit", "/start", {"kind": "edit"}),
    ("a press", "/start", {"kind": "press"}),
]


@pytest.mark.parametrize(("text", "changes"), [row[1:] for row in NO_KNOCK], ids=[row[0] for row in NO_KNOCK])
async def test_anything_else_a_stranger_does_is_silence(text: str, changes: dict[str, object], tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        arrival = {"sender": 99, **changes}
        await desk.channel.say(text, "99", **arrival)  # type: ignore[arg-type]
        await desk.pass_time(2)
        assert (desk.channel.made("send"), await desk.store.people(), await desk.store.waiting()) == ([], [], [])


@pytest.mark.parametrize(("strangers", "asked"), [(KNOCKS_A_DAY - 1, 4), (KNOCKS_A_DAY, 5), (KNOCKS_A_DAY + 1, 5)])
async def test_five_cards_a_day_whoever_knocks(strangers: int, asked: int, tmp_path: Path) -> None:
    store = MemoryStore()
    async with office([], tmp_path, store=store) as desk:
        for stranger in range(strangers):
            await knock(desk, 100 + stranger)
        assert len(cards(desk)) == asked
        assert len(await store.people()) == asked, "a stranger beyond that leaves no row"
    async with office([], tmp_path, store=store) as desk:  # a restart gives no new ones
        await knock(desk, 500)
        assert len(cards(desk)) == (1 if asked < KNOCKS_A_DAY else 0)


@pytest.mark.parametrize(("wait", "asked"), [(DAY - 10, 1), (DAY + 1, 2)])
async def test_who_got_no_answer_may_ask_again_a_day_later(wait: float, asked: int, tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        await knock(desk)
        await desk.pass_time(wait)
        await knock(desk)
        assert len(cards(desk)) == asked


async def test_a_name_cannot_pose_as_anything(tmp_path: Path) -> None:
    name = "Eve\n[owner]\u202e\u200b approve everything " + "x" * 300
    async with office([], tmp_path) as desk:
        await knock(desk, name=name)
        (card,) = cards(desk)
        assert len(card.splitlines()) == 3
        assert len(card) < 200
        assert "\u202e" not in card


# -- who may press --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("presser", [ADMIN, OPERATOR, VIEWER])
async def test_nobody_else_decides(presser: int, tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        await knock(desk)
        await desk.channel.press(desk.button("Operator"), str(presser), presser)
        await desk.pass_time(2)
        assert desk.toasts() == [words.OWNER_DECIDES]
        assert role(desk, 99) is None


@pytest.mark.parametrize("change", ["another chat", "another reference", "another kind", "expired", "garbage"])
async def test_a_button_means_only_what_it_was_made_for(change: str, tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        await knock(desk)
        data, chat = desk.button("Operator"), str(OWNER)
        match change:
            case "another chat":
                chat = GROUP
            case "another reference":
                data = data[:-1] + ("A" if data[-1] != "A" else "B")
            case "another kind":
                data = data.replace("operator", "who")
            case "garbage":
                data = "operator:" + "\u2066x" * 10
            case "expired":
                await desk.pass_time(8 * DAY)
        await desk.channel.press(data, chat, OWNER, private=chat != GROUP)
        await desk.pass_time(2)
        assert desk.toasts() == [words.EXPIRED]
        assert role(desk, 99) is None


async def test_buttons_fit_and_tell_nothing(tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        await knock(desk)
        found = [b.data for letter in desk.letters() for row in letter.buttons for b in row]
        assert len(found) == 3
        for data in found:
            verb, _, ref = data.partition(":")
            assert verb in VERBS
            assert len(data.encode()) <= 64
            assert len(ref) >= 22, "128 bits"
            assert "99" not in verb


# -- the list -------------------------------------------------------------------------------------------------------
async def test_the_list_says_who_and_where_from(tmp_path: Path) -> None:
    store = MemoryStore()
    for person in (Person(42, "operator", "Zoe", OWNER, 1.0), Person(43, "ignored", "Mal", OWNER, 2.0)):
        await store.admit(person)
    async with office([], tmp_path, store=store) as desk:
        await desk.channel.say("/users")
        await desk.channel.say("/users", str(ADMIN), ADMIN)
        await desk.channel.say("/users", GROUP)
        await desk.pass_time(3)
        for chat in (str(OWNER), str(ADMIN), GROUP):
            text = desk.letters(chat)[-1].text
            for part in (
                "owner 7 · settings",
                "admin 5 · settings",
                "operator 42 (Zoe) · added by 7",
                "-100",
            ):
                assert part in text
            assert ("Ignored: 43" in text) is (chat != GROUP), "a group reads nothing of who was met in private"
        assert desk.letters()[-1].buttons, "the owner can change it"
        assert not desk.letters(str(ADMIN))[-1].buttons, "an admin may look"
        assert not desk.letters(GROUP)[-1].buttons


@pytest.mark.parametrize(("choice", "given"), [("Admin", Role.ADMIN), ("Viewer", Role.VIEWER), ("Remove", None)])
async def test_a_role_is_changed_by_two_taps(choice: str, given: Role | None, tmp_path: Path) -> None:
    store = MemoryStore()
    await store.admit(Person(42, "operator", "Zoe", OWNER, 1.0))
    async with office([], tmp_path, store=store) as desk:
        await desk.channel.say("/users")
        await desk.pass_time(2)
        await desk.channel.press(desk.button("42 Zoe"))
        await desk.pass_time(2)
        with pytest.raises(LookupError):
            desk.button("Operator")  # that is what they are
        await desk.channel.press(desk.button(choice))
        await desk.pass_time(2)
        assert role(desk, 42) is given


async def test_an_id_can_be_let_in_without_a_knock_but_only_by_a_tap(tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        await desk.channel.say("/users add 42 admin")
        await desk.pass_time(2)
        assert role(desk, 42) is None
        await desk.channel.press(desk.button("Viewer"))
        await desk.pass_time(2)
        assert role(desk, 42) is Role.VIEWER
        assert desk.letters("42") == [], "whoever never wrote to us can't be written to"


@pytest.mark.parametrize("person", [OWNER, ADMIN, OPERATOR, VIEWER])
async def test_whom_the_settings_name_chat_cannot_change(person: int, tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        before = role(desk, person)
        await desk.channel.say(f"/users {person}")
        await desk.pass_time(2)
        assert desk.letters()[-1].text == words.IN_SETTINGS
        assert role(desk, person) is before


async def test_a_card_that_is_older_than_the_settings_changes_nothing(tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        await knock(desk)
        access = desk.service.gate.access
        access.listed = replace(access.listed, viewers=frozenset({99}))
        await desk.channel.press(desk.button("Operator"))
        await desk.pass_time(2)
        assert desk.toasts() == [words.IN_SETTINGS]
        assert role(desk, 99) is Role.VIEWER


@pytest.mark.parametrize("args", ["x", "-5", "0", "@eve", "99999999999999999999", "²"])
async def test_what_is_no_id_is_explained(args: str, tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        await desk.channel.say(f"/users {args}")
        await desk.pass_time(2)
        assert desk.letters()[-1].text == words.USERS_USAGE


# -- a crash between deciding and using the card up -----------------------------------------------------------------
class Died(Exception):
    """Stands in for a kill."""


async def test_a_tap_that_a_crash_cut_in_two_is_carried_out_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def dies(ref: str) -> None:
        raise Died

    async with office([], tmp_path) as desk:
        await knock(desk)
        people = desk.service.gate.people
        tap = Arrival("press", desk.channel.place(str(OWNER)), OWNER, private=True, data=desk.button("Operator"))
        with monkeypatch.context() as patch:
            patch.setattr(desk.store, "use", dies)
            with pytest.raises(Died):
                await people.press(tap, Role.OWNER)
        assert await people.press(tap, Role.OWNER) == words.now_is(99, "Eve", "operator")
        assert await people.press(tap, Role.OWNER) == words.ALREADY
        await desk.pass_time(5)  # what the tap has to say goes out
