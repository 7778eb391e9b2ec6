"""What is shaped like a key is hidden before a card, a page of details or a title cuts it: no half of one gets out."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest

from agent import steps as s
from agent.redact import Redactor
from bot.card import TITLE, Card
from bot.details import pages
from bot.hidden import hidden
from tests.test_redact import AROUND, SHAPED

LEAST = 10  # characters of a key that say something about it
MASK = Redactor([]).output
TORN = "pem cut off"  # all that follows may be part of it


def halves(text: str, key: str) -> list[str]:
    """The pieces of the key in a text, but for its published prefix."""
    secret = key[4:]
    return [secret[at : at + LEAST] for at in range(len(secret) - LEAST + 1) if secret[at : at + LEAST] in text]


@pytest.mark.parametrize("name", SHAPED)
@pytest.mark.parametrize("before", [0, 10, 30, TITLE - 8, TITLE, 290, 598])
def test_no_half_of_a_key_is_shown(name: str, before: int) -> None:
    key = SHAPED[name]
    ahead, behind = AROUND.get(name, ("", " "))
    text = f"{'w ' * (before // 2)}{ahead}{key}{behind}and more"
    call = s.Call("c1", "shell", json.dumps({"command": f"echo {text}"}))
    run: list[s.Step] = [
        s.Asked(at=0.0, text=text, author="t:7"),
        s.Said(at=0.0, text=text, calls=(call,), finish="tool_calls", model="m"),
        s.Nudged(at=0.0, guard="g", event="nudge.loop", level=s.Level.HOLD, text=text),
        s.Failed(at=0.0, trouble=s.Trouble.RETRY, text=text),
        s.Parked(at=0.0, until=None, why=text),
    ]
    card, shown = Card(20), []
    for step in run:
        card.fold(hidden(step, MASK))
        shown.append(card.text(1.0))
    card.fold(hidden(s.Finished(at=0.0, call_id="c1", tool="shell", outcome=s.Outcome.OK, text=""), MASK))
    shown += [card.text(1.0), *pages(hidden(step, MASK) for step in run)]
    assert halves("\n".join(shown), key) == []


@pytest.mark.parametrize("name", sorted(set(SHAPED) - {TORN}))
def test_arguments_stay_readable(name: str) -> None:
    ahead, behind = AROUND.get(name, ("", " "))
    said = s.Said(
        at=0.0,
        text="",
        calls=(
            s.Call("c1", "shell", json.dumps({"command": f'curl -H "{ahead}{SHAPED[name]}{behind}"', "timeout_s": 5})),
        ),
        finish="tool_calls",
        model="m",
    )
    masked = hidden(said, MASK)
    assert isinstance(masked, s.Said)
    arguments = json.loads(masked.calls[0].arguments)
    assert arguments["timeout_s"] == 5
    assert SHAPED[name] not in arguments["command"]


def test_what_holds_no_key_is_the_same_step() -> None:
    said = s.Said(at=0.0, text="plain", calls=(s.Call("c", "shell", "{}"),), finish="stop", model="m")
    same = hidden(said, MASK)
    assert all(getattr(same, each.name) == getattr(said, each.name) for each in fields(said))


def test_to_hide_it_in_what_was_cut_is_too_late() -> None:
    """What these tests would see otherwise."""
    card = Card(20)
    card.fold(s.Asked(at=0.0, text=f"{'w ' * 20}{SHAPED['github']}", author="t:7"))
    assert halves(MASK(card.text(1.0)), SHAPED["github"])
