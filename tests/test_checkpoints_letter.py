"""A checkpoint as the chat shows it."""

from __future__ import annotations

import json

import pytest

from bot.checkpoints import letter


@pytest.mark.parametrize(
    ("cause", "said"),
    [("turns", "20 of 20 turns used"), ("context", "grew too long"), (None, "20 of 20 turns used")],
)
def test_it_says_why_the_leg_ended(cause: str | None, said: str) -> None:
    data = {"number": 2, "goal": "build it", "turns": 20, "limit": 20, **({"cause": cause} if cause else {})}
    head, goal = letter("s", 5, json.dumps(data)).text.split("\n")
    assert head.startswith("Checkpoint 2 · ")
    assert said in head
    assert "build it" in goal
