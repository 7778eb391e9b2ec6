"""The slash commands: who may use each, and what carries it out. A handler returns the words of the reply."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from bot import words
from bot.access import Role
from bot.channel import Arrival

Handler = Callable[[Arrival, Role], Awaitable[str]]  # "" = it was sent already
Press = Callable[[Arrival, Role], Awaitable[str | None]]  # the toast; None = not one of its buttons

# Carried out by the desk, at intake; here for the menu, the help and the nearest name.
AT_INTAKE = {"stop": Role.OPERATOR, "pause": Role.OPERATOR, "resume": Role.OPERATOR, "status": Role.VIEWER}


@dataclass(frozen=True, slots=True)
class Command:
    least: Role
    run: Handler


@dataclass(frozen=True, slots=True)
class Commands:
    table: Mapping[str, Command]
    presses: Sequence[Press]

    async def run(self, arrival: Arrival, role: Role) -> str:
        """Carry out the arrival's command and return the reply, "" if it was sent already. Raises StoreError."""
        command = self.table.get(arrival.command)
        if command is None:
            near = nearest(arrival.command, self.names(role))
            if near is None and not arrival.private and "@" not in arrival.text.split(maxsplit=1)[0]:
                return ""  # another bot's, most likely
            return words.unknown_command(arrival.command[:64], near)
        if role >= command.least:
            return await command.run(arrival, role)
        return words.VIEWERS_READ if command.least is Role.OPERATOR else words.only(command.least.name.lower())

    async def press(self, arrival: Arrival, role: Role) -> str | None:
        """A button of a command's answer was pressed: the toast. None: it isn't one of ours. Raises StoreError."""
        for press in self.presses:
            if (toast := await press(arrival, role)) is not None:
                return toast
        return None

    def names(self, role: Role) -> list[str]:
        """The commands that this role may use, in the order of the help."""
        least = {**AT_INTAKE, **{name: command.least for name, command in self.table.items()}}
        return [name for name in words.HELP if name in least and role >= least[name]]

    def menu(self, role: Role) -> list[tuple[str, str]]:
        """Each of them with its line, in the language of now."""
        return [(name, words.HELP[name]) for name in self.names(role)]


def nearest(name: str, known: Sequence[str]) -> str | None:
    """The command that was probably meant."""
    starts = [each for each in known if len(name) > 1 and each.startswith(name)]
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return next(iter([*close, *starts]), None)
