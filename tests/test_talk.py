"""What a checkpoint keeps of the conversation."""

from __future__ import annotations

import json

import pytest

from agent.steps import Asked, Call, Corrected, Handed, Said, Step
from agent.talk import LINE, LINES, Talk


def talk(*steps: Step) -> Talk:
    view = Talk()
    for seq, step in enumerate(steps, start=1):
        view.fold(seq, step)
    return view


def asked(text: str) -> Asked:
    return Asked(at=1, text=text, author="t:7")


def handed(*lines: str, fresh: bool = True) -> Handed:
    return Handed(at=2, checkpoint=json.dumps({"talk": lines}), text="c", fresh=fresh)


def test_words_are_kept_and_calls_are_not() -> None:
    call = Said(at=1, text="let me see", calls=(Call("c", "shell", "{}"),))
    view = talk(asked("why\nis it full?"), call, Said(at=1, text="It's the log."), Said(at=1, text=" "))
    assert view.until(9) == ("User: why is it full?", "You: It's the log.")


def test_an_edit_is_told() -> None:
    assert talk(Corrected(at=1, text="no, this", author="t:7", ref="r")).until(9) == ("User: no, this",)


def test_lines_up_to_a_step() -> None:
    assert talk(asked("one"), asked("two")).until(1) == ("User: one",)


@pytest.mark.parametrize(("size", "cut"), [(LINE, False), (LINE + 1, True)])
def test_a_line_is_short(size: int, cut: bool) -> None:
    [line] = talk(asked("x" * size)).until(9)
    assert len(line) == LINE + len("User: ")
    assert line.endswith("…") is cut


def test_the_newest_lines_are_kept() -> None:
    lines = talk(*[asked(str(number)) for number in range(LINES + 1)]).until(99)
    assert (len(lines), lines[0], lines[-1]) == (LINES, "User: 1", f"User: {LINES}")


def test_a_checkpoint_brings_its_own_lines_whatever_was_folded_before() -> None:
    assert talk(handed("User: old", "You: yes"), asked("new")).until(9) == ("User: old", "You: yes", "User: new")
    assert talk(asked("old"), asked("waits"), handed("User: old")).until(9) == ("User: old", "User: waits")
    assert talk(asked("old"), handed("User: other", fresh=False)).until(9) == ("User: old",)


def test_a_checkpoint_of_an_older_release_brings_none() -> None:
    assert talk(asked("old"), Handed(at=2, checkpoint="{}", text="c")).until(9) == ("User: old",)
