"""A debate between several answers of a model to one question: what each voice is asked, and how their last lines are
counted. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent.ports import Message
from agent.room import squeezed

MARK = "FINAL:"
FINAL = 300  # characters of a last line
ARGUED = 1_200  # bytes of each other voice that a voice reads
_LINE = re.compile(r"^(?:[^\S\n]|[>*_#-])*+FINAL[\s*_]*+:[ \t*_]*+(.*)$", re.IGNORECASE | re.MULTILINE)
_FILLER = re.compile(r"^(?:(?:so|thus|hence),?\s+)?(?:the\s+)?(?:final\s+)?answer\s*(?:is\b\s*:?|:)\s*", re.IGNORECASE)
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)

RULES = f"""You are one of several voices that answer the same question. Think for yourself, be brief and concrete.
End with exactly one line that begins with {MARK} and holds your whole answer, without a reason."""


@dataclass(frozen=True, slots=True)
class Voice:
    """What one voice said in a round, and its last line; "" where it gave none."""

    text: str = ""
    final: str = ""


@dataclass(frozen=True, slots=True)
class Counted:
    """`leaders` are those with the most votes, as first worded; more than one: a tie."""

    leaders: tuple[str, ...]
    votes: int
    of: int


def voice(text: str) -> Voice:
    """A reply as a voice; the last line that is marked counts."""
    plain = _THOUGHT.sub("", text)
    found = [" ".join(line.split())[:FINAL].strip("*_` ") for line in _LINE.findall(plain)]
    named = [line for line in found if normal(line)]
    return Voice(plain.strip(), named[-1] if named else "")


def opening(question: str, number: int, of: int) -> list[Message]:
    """The first round's request to voice `number` of so many."""
    return [{"role": "system", "content": RULES}, {"role": "user", "content": f"Voice {number} of {of}.\n\n{question}"}]


def again(question: str, number: int, voices: Sequence[Voice]) -> list[Message]:
    """A later round's request: what the others said, and what this voice said itself."""
    said = [
        f"{'You' if n == number else f'Voice {n}'} said:\n{squeezed(each.text, ARGUED)}"
        for n, each in enumerate(voices, start=1)
        if each.text
    ]
    ask = "Weigh the arguments, not the number of voices. Keep your answer or change it, and say why in a sentence."
    body = "\n\n".join([f"Voice {number} of {len(voices)}.\n\n{question}", *said, ask])
    return [{"role": "system", "content": RULES}, {"role": "user", "content": body}]


def normal(final: str) -> str:
    """The same answer, differently written, gives the same text: case, blanks, quotes, marks and a last full stop."""
    text = _FILLER.sub("", " ".join(final.split())).casefold().strip("\"'`*_.!?()[]{}<>«»„“”‘’ ")
    number = re.fullmatch(
        r"([+-]?[0-9]{1,18})(?:\.0+)?", text.replace(",", "") if re.fullmatch(r"[\d,.+-]+", text) else text
    )
    return number[1].lstrip("+") if number else text


def counted(voices: Sequence[Voice]) -> Counted | None:
    """The vote; None where no voice gave a last line."""
    first: dict[str, str] = {}
    votes: dict[str, int] = {}
    for each in voices:
        if key := normal(each.final):
            first.setdefault(key, each.final)
            votes[key] = votes.get(key, 0) + 1
    if not votes:
        return None
    most = max(votes.values())
    return Counted(tuple(first[key] for key, n in votes.items() if n == most), most, sum(votes.values()))
