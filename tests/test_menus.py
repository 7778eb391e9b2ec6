"""Menus of commands: each person's shows what their role may, and follows it when the role changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agent import Person
from bot.access import Role
from bot.menus import MOST, PAUSE_S, SETTLE_S
from tests.fakes.lab import Lab
from tests.fakes.office import ADMIN, OPERATOR, OWNER, VIEWER, Office, office
from tests.fakes.telegram import Fault


def shown(desk: Office, who: int, language: str = "") -> frozenset[str]:
    """What a person's own menu shows, or else everybody's."""
    for audience in (str(who), ""):
        found = [names for menu, tag, names in desk.channel.menus if (menu, tag) == (audience, language)]
        if found:
            return found[-1]
    return frozenset()


def of(desk: Office, role: Role) -> frozenset[str]:
    return frozenset(desk.service.commands.names(role))


async def settle(desk: Office, people: int = 3) -> None:
    await desk.pass_time(SETTLE_S + 0.1)
    for _ in range(people):
        await desk.pass_time(PAUSE_S)


async def test_at_the_start_everybody_and_the_owner_come_first(tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        assert [menu for menu, *_ in desk.channel.menus] == ["", "", "groups", "groups", str(OWNER), str(OWNER)]
        await settle(desk)
        for who, role in ((OWNER, Role.OWNER), (ADMIN, Role.ADMIN), (OPERATOR, Role.OPERATOR), (VIEWER, Role.VIEWER)):
            for language in ("", "de"):
                assert shown(desk, who, language) == of(desk, role)
        assert len(desk.channel.menus) == 10, "a viewer's is everybody's"
        await desk.pass_time(600)
        assert len(desk.channel.menus) == 10


async def test_a_menu_follows_a_role_that_is_given_raised_lowered_and_taken_away(tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        await settle(desk)
        access = desk.service.gate.access
        for name, role in (("operator", Role.OPERATOR), ("admin", Role.ADMIN), ("viewer", Role.VIEWER)):
            before = len(desk.channel.menus)
            await access.admit(Person(99, name))
            await settle(desk, 1)
            assert shown(desk, 99) == of(desk, role)
            assert desk.channel.menus[before:] == [("99", "", of(desk, role)), ("99", "de", of(desk, role))]
        await access.admit(Person(99, "operator"))
        await settle(desk, 1)
        await access.dismiss(99)
        await settle(desk, 1)
        assert shown(desk, 99) == of(desk, Role.VIEWER)


async def test_changes_that_come_together_are_one_and_those_that_change_no_role_none(tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        await settle(desk)
        before, access = len(desk.channel.menus), desk.service.gate.access
        for name in ("operator", "admin", "viewer", "operator"):
            await access.admit(Person(99, name))
        await access.admit(Person(98, "asked"))
        await access.admit(Person(97, "ignored"))
        await access.admit(Person(VIEWER, "admin"))  # the settings count
        await settle(desk)
        assert [menu for menu, *_ in desk.channel.menus[before:]] == ["99", "99"]


async def test_a_change_while_menus_are_being_published_is_not_missed(tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        await desk.pass_time(SETTLE_S + 0.1)  # the first of several people's is out
        await desk.service.gate.access.admit(Person(99, "admin"))
        await settle(desk)
        await settle(desk)
        assert shown(desk, 99) == of(desk, Role.ADMIN)


async def test_the_lock_takes_everybodys_menu_but_the_owners_and_gives_it_back(tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        await settle(desk)
        await desk.channel.say("/lock")
        await settle(desk)
        for who in (ADMIN, OPERATOR, VIEWER):
            assert shown(desk, who) == of(desk, Role.VIEWER)
        assert shown(desk, OWNER) == of(desk, Role.OWNER)
        await desk.channel.say("/lock off")
        await settle(desk)
        assert (shown(desk, ADMIN), shown(desk, OPERATOR)) == (of(desk, Role.ADMIN), of(desk, Role.OPERATOR))


async def test_so_many_people_have_a_menu_of_their_own_the_most_powerful_first(tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        await settle(desk)
        access = desk.service.gate.access
        for number in range(MOST + 5):
            await access.admit(Person(1000 + number, "operator", at=number))
        await access.admit(Person(2000, "admin"))
        await settle(desk, MOST + 5)
        own = {menu for menu, *_ in desk.channel.menus if menu.isdigit()}
        assert len(own) <= MOST + 1 and {"2000", str(OWNER), str(ADMIN)} <= own


@pytest.mark.e2e
@pytest.mark.parametrize("refused", [False, True])
async def test_on_the_real_process_a_tap_changes_the_menu_and_a_refusal_harms_nothing(lab: Lab, refused: bool) -> None:
    def menu_of(who: int) -> Callable[[], bool]:
        return lambda: any(
            f'"chat_id": {who}' in scope and {"undo", "new"} <= {each["command"] for each in commands}
            for scope, commands in lab.telegram.chats.commands.items()
        )

    await lab.start()
    lab.telegram.chats.chat(99)
    await lab.until(menu_of(OWNER), "the owner has no menu")
    lab.telegram.people.say("/start", 99)
    button = await lab.wait_button("Operator")
    assert not menu_of(99)()
    if refused:
        lab.telegram.faults.add(Fault(method="setMyCommands", times=2, status=500))
    lab.press(button)
    if not refused:
        await lab.until(menu_of(99), "no menu for the newcomer")
    await lab.wait_text("let you in as operator", 99)
    await lab.ask("still here?", ["FINAL1"], "FINAL1")
