"""An approval card: everything a person must see before saying yes, and what became of it. Pure.

The command is shown whole: where it doesn't fit into the card, it goes out above it in full, and the card shows its
beginning, its end and its hash, so that nothing can hide behind length, line breaks or padding.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent import causes, steps
from bot import words
from bot.access import Role
from bot.because import because
from bot.channel import Letter
from bot.clean import clean
from bot.marks import Mark, entities
from bot.roster import short

FITS = 2500  # characters of a command in the card itself
END = 700  # of a longer one: its beginning and its end
CHUNK = 3500


@dataclass(frozen=True, slots=True)
class Question:
    """What a guard asked: `tier` 1 or 2, `authors` of the run as channel:id, `asker` as a person reads it."""

    call_id: str
    reason: str
    tier: int
    command: str
    cwd: str
    session_ok: bool
    authors: tuple[str, ...]
    asker: str
    group: bool
    causes: str = ""  # of the reason, as JSON text


def question(nudged: steps.Nudged, authors: tuple[str, ...], asker: str, group: bool) -> Question:
    """Read it out of the guard's step."""
    data = json.loads(nudged.data) if nudged.data else {}
    return Question(
        call_id=nudged.about or "",
        reason=nudged.text,
        causes=causes.within(nudged.data),
        tier=int(data.get("tier", 2)),
        command=clean(str(data.get("command") or words.NOT_SHOWN)),
        cwd=clean(str(data.get("cwd", ""))),
        session_ok=bool(data.get("session_ok", False)),
        authors=authors,
        asker=asker,
        group=group,
    )


def named(author: str, name: str, reader: str) -> str:
    """channel:id with the displayed name as `reader`, a chat, reads it: never without the id, which can't be chosen; ""
    for the reader's own."""
    number = words.person(author)
    if number == reader:
        return ""
    return f"{short(name)} ({number})" if name and name != number else number


def unsettled(journal: Sequence[tuple[int, steps.Step]]) -> list[tuple[int, steps.Nudged, tuple[str, ...], str]]:
    """The questions of a journal that have no result yet: (seq, question, authors of the run, the last one's name)."""
    asked: dict[str, tuple[int, steps.Nudged]] = {}
    authors: list[str] = []
    name = ""
    for seq, step in journal:
        match step:
            case steps.Asked():
                authors.append(step.author)
                name = step.name
            case steps.Nudged(level=steps.Level.ASK, about=str(call)):
                asked[call] = (seq, step)
            case steps.Finished():
                asked.pop(step.call_id, None)
            case steps.Ended():
                asked.clear()
                authors.clear()
            case _:
                pass
    return [(seq, step, tuple(authors), name) for seq, step in asked.values()]


def above(asked: Question) -> Iterator[Letter]:
    """The whole command in messages of its own, where the card can't hold it."""
    if len(asked.command) > FITS:
        for at in range(0, len(asked.command), CHUNK):
            yield _code(asked.command[at : at + CHUNK])


def card(asked: Question) -> tuple[str, int, int]:
    """The card's text, and where the command stands in it (start, end in code points)."""
    head = f"{words.needs_ok(because(asked.reason, asked.causes))}\n"
    shown = asked.command
    if len(shown) > FITS:
        digest = hashlib.sha256(asked.command.encode()).hexdigest()[:12]
        shown = f"{shown[:END]}\n{words.in_full_above(len(asked.command), digest)}\n{shown[-END:]}"
    return f"{head}{shown}\n{words.asked_by(asked.cwd, asked.asker)}", len(head), len(head) + len(shown)


def letter(asked: Question, verdict: str = "") -> Letter:
    """The card with its command as code; `verdict` is what became of it."""
    text, start, end = card(asked)
    whole = f"{text}\n{verdict}" if verdict else text
    return Letter(whole, entities(whole, [Mark("pre", start, end)]))


def _code(text: str) -> Letter:
    return Letter(text, entities(text, [Mark("pre", 0, len(text))]), silent=True)


def refusal(asked: Question, role: Role, presser: str) -> str:
    """Why this person may not decide, in words; "" if they may.

    What leaves the box takes an admin who isn't the one that asked for it; the owner may always. What changes the
    workspace (asked for in mode ask) may also be approved by whoever asked for it.
    """
    if role == Role.OWNER:
        return ""
    mine = presser in asked.authors
    if asked.tier < 2 and mine and role >= Role.OPERATOR:
        return ""
    if role < Role.ADMIN:
        return words.ADMINS_DECIDE
    return words.SECOND_PERSON if mine else ""
