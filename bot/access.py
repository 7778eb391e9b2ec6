"""Who may talk: one function for every kind of update, by numeric ids alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from bot.channel import Arrival


class Role(IntEnum):
    """What a person may do; a higher one may do all that a lower one may."""

    VIEWER = 1  # status, read results
    OPERATOR = 2  # prompt
    ADMIN = 3  # stop anyone's run
    OWNER = 4


@dataclass(frozen=True, slots=True)
class Access:
    """The people and groups that are allowed. All ids are numeric; a name is never compared."""

    owner: int | None = None
    admins: frozenset[int] = field(default_factory=frozenset)
    operators: frozenset[int] = field(default_factory=frozenset)
    viewers: frozenset[int] = field(default_factory=frozenset)
    chats: frozenset[str] = field(default_factory=frozenset)

    def role(self, sender: int | None) -> Role | None:
        """The highest role of this id, None for a stranger."""
        if sender is None:
            return None
        if sender == self.owner:
            return Role.OWNER
        for role, ids in ((Role.ADMIN, self.admins), (Role.OPERATOR, self.operators), (Role.VIEWER, self.viewers)):
            if sender in ids:
                return role
        return None

    def judge(self, arrival: Arrival) -> Role | None:
        """The role in which this update may act, or None: no row, no download, no model call.

        A group needs both an allowed chat and an allowed sender. Whoever has no person behind it (anonymous admins,
        channels, other bots) is nobody; so is every kind of update that isn't known here.
        """
        if arrival.kind == "moved":  # a service message that no member can write
            return Role.OWNER if arrival.place.chat in self.chats else None
        if arrival.kind not in ("message", "edit", "press") or arrival.bot_sender:
            return None
        if not arrival.private and arrival.place.chat not in self.chats:
            return None
        return self.role(arrival.sender)


def trusted_everywhere() -> Access:
    """For a channel that only the owner of the machine can reach (the terminal)."""
    return Access(owner=0)
