"""The menus of commands: everybody's shows what a viewer may, that of groups and of each person what their role may."""

from __future__ import annotations

import asyncio

from agent import Clock
from bot import words
from bot.access import Access, Role
from bot.channel import Channel
from bot.commands import Commands

MOST = 20  # people with a menu of their own: each takes a call a language
SETTLE_S = 2.0  # after the start, for whoever writes meanwhile; after a change, for others that come with it
PAUSE_S = 0.5  # between two people's


class Menus:
    """Publishes what differs from what was published. Cosmetic: a menu that can't be published is left as it is."""

    def __init__(self, channel: Channel, commands: Commands, access: Access, clock: Clock) -> None:
        self._channel, self._commands, self._access, self._clock = channel, commands, access, clock
        self._published: dict[str, Role] = {}  # audience -> whose commands it is shown
        self._changed = asyncio.Event()
        access.changed = self._changed.set

    async def run(self) -> None:
        """Publish those of everybody, of groups and of the owner, a little later those of the others who may do more
        than a viewer, and until cancelled whatever changes."""
        owner = {person: role for person, role in self._own().items() if role == Role.OWNER}
        for audience, role in {"": Role.VIEWER, "groups": Role.OPERATOR, **owner}.items():
            await self._publish(audience, role)
        while True:
            self._changed.clear()
            await self._clock.sleep(SETTLE_S)
            await self._differences()
            await self._changed.wait()

    async def _differences(self) -> None:
        """Who has lost a role comes first: a command that is refused is worse than one that isn't shown yet."""
        own = self._own()
        lost = {person: Role.VIEWER for person in self._able() if person not in own}
        for person, role in {**lost, **own}.items():
            if self._published.get(person) != role:
                await self._publish(person, role)
                await self._clock.sleep(PAUSE_S)

    def _able(self) -> list[str]:
        """The chats that are shown more than a viewer's commands."""
        return [person for person, role in self._published.items() if person.isdigit() and role > Role.VIEWER]

    async def _publish(self, audience: str, role: Role) -> None:
        self._published[audience] = role
        for language in words.SHOWN:
            with words.speaking(language):
                menu = self._commands.menu(role)
            code = "" if language == words.DEFAULT else language
            await self._channel.announce_commands(menu, audience, code)

    def _own(self) -> dict[str, Role]:
        """The chats of those who may do more than a viewer, the most powerful first; while locked, the owner's."""
        ids = {*self._access.listed.everyone(), *(person.id for person in self._access.people), self._access.owner}
        roles = {person: self._access.role(person) for person in ids if person is not None}
        least = Role.OWNER if self._access.locked else Role.OPERATOR
        able = sorted((-role, person) for person, role in roles.items() if role and role >= least)
        return {str(person): Role(-role) for role, person in able[:MOST]}
