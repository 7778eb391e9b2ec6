"""The menus of commands: everybody's shows what a viewer may, that of groups and of each person what their role may."""

from __future__ import annotations

from dataclasses import dataclass

from bot import words
from bot.access import Access, Role
from bot.channel import Channel
from bot.commands import Commands

MOST = 20  # people with a menu of their own: each takes a call a language


@dataclass(frozen=True, slots=True)
class Menus:
    channel: Channel
    commands: Commands
    access: Access

    async def announce(self) -> None:
        """Publish those of everybody, of groups and of the owner. Cosmetic: never raises."""
        owner = {person: role for person, role in self._own().items() if role == Role.OWNER}
        await self._publish({"": Role.VIEWER, "groups": Role.OPERATOR, **owner})

    async def announce_people(self) -> None:
        """Publish those of the others who may do more than a viewer. Cosmetic: never raises."""
        await self._publish({person: role for person, role in self._own().items() if role != Role.OWNER})

    async def _publish(self, menus: dict[str, Role]) -> None:
        for audience, role in menus.items():
            for language in words.SHOWN:
                with words.speaking(language):
                    menu = self.commands.menu(role)
                code = "" if language == words.DEFAULT else language
                await self.channel.announce_commands(menu, audience, code)

    def _own(self) -> dict[str, Role]:
        """The chats of those who may do more than a viewer, the most powerful first."""
        ids = {*self.access.listed.everyone(), *(person.id for person in self.access.people)}
        roles = {person: self.access.role(person) for person in ids}
        able = sorted((-role, person) for person, role in roles.items() if role and role > Role.VIEWER)
        return {str(person): Role(-role) for role, person in able[:MOST]}
