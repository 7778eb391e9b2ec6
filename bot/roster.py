"""The list of who may talk, in words. What people call themselves is shown short, in one line, and never trusted."""

from __future__ import annotations

import datetime
import re

from agent import Person
from bot import words
from bot.access import GRANTED, Access, Role
from bot.clean import clean

ASKED, IGNORED = "asked", "ignored"  # rows of people who have no role
LONGEST = 40  # characters of a name
MOST = 60  # lines of people
_UNTAPPED = {ord("/"): "⁄", ord("@"): "＠"}


def short(name: str) -> str:
    """A displayed name that can't pose as anything else: one line, no control or direction marks, not long, and no sign
    with which a client would make a command or a mention of it, to be tapped."""
    line = re.sub(r"[\s\u200b-\u200f\u2060-\u2064\ufeff]+", " ", clean(name)).strip().translate(_UNTAPPED)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def listing(access: Access, zone: datetime.tzinfo, *, private: bool = True) -> str:
    """Everybody who may talk, the role and where it comes from; allowed groups. Who has knocked in private, and who is
    ignored, is nothing for a group."""
    lines = [words.ROSTER]
    listed = access.listed
    for role, ids in (
        (Role.OWNER, () if listed.owner is None else (listed.owner,)),
        (Role.ADMIN, listed.admins),
        (Role.OPERATOR, listed.operators),
        (Role.VIEWER, listed.viewers),
    ):
        lines += [
            f"{words.ROLES[role.name.lower()]} {person} · {words.BY_SETTINGS}"
            for person in sorted(ids)
            if access.role(person) is role
        ]
    rows = [person for person in access.people if person.role not in (ASKED, IGNORED)]
    lines += [_line(access, person, zone) for person in rows]
    if len(lines) > MOST:
        lines = [*lines[:MOST], words.and_more_lines(len(lines) - MOST)]
    if access.chats:
        lines.append(words.groups(", ".join(sorted({access.chat_now(chat) for chat in access.chats}))))
    if not private:
        return "\n".join(lines)
    if waiting := [f"{p.id} {p.name}".strip() for p in access.people if p.role == ASKED]:
        lines.append(words.waiting_people(", ".join(waiting[:5])))
    if ignored := [str(p.id) for p in access.people if p.role == IGNORED]:
        lines.append(words.ignored_people(", ".join(ignored[:20]) + (" …" if len(ignored) > 20 else "")))
    return "\n".join(lines)


def described(access: Access, who: int, zone: datetime.tzinfo) -> str:
    """One person, as the head of a card."""
    person = access.person(who)
    if person is None:
        return words.about(who, "", words.MAY_NOT)
    if person.role in GRANTED:
        return words.about(
            who, person.name, f"{words.ROLES[person.role]}, {words.added(person.added_by, _day(person, zone))}"
        )
    return words.about(
        who, person.name, words.WAITS if person.role == ASKED else words.ROLES.get(person.role, person.role)
    )


def _line(access: Access, person: Person, zone: datetime.tzinfo) -> str:
    where = words.added(person.added_by, _day(person, zone))
    role = access.role(person.id)
    if role is None or role.name.lower() != person.role:
        where += f", {words.NOT_IN_FORCE}"
    return (
        f"{words.ROLES.get(person.role, person.role)} {person.id}{f' ({person.name})' if person.name else ''} · {where}"
    )


def _day(person: Person, zone: datetime.tzinfo) -> str:
    return datetime.datetime.fromtimestamp(person.at, zone).date().isoformat()
