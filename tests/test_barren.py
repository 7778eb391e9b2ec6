"""Zero progress across messages: the same failure at, under and over the limits, what starts the count anew, and what
never counts."""

from __future__ import annotations

import json
from itertools import count

import pytest

from agent.actions import Finish, Speak
from agent.barren import BEFORE, TIMES, Stuck
from agent.ledger import Ledger
from agent.relay import Limits, Standing, next_action
from agent.resume import Todo
from agent.steps import Asked, Call, Change, End, Ended, Finished, Outcome, Said, Step, Stream

LEG = 6
ERROR = "deploy: fatal: no route to the registry"


class Talk:
    """Messages and what was done for them, folded at once."""

    def __init__(self) -> None:
        self.ledger, self._seq, self._ids = Ledger(), count(1), count(1)

    def fold(self, *steps: Step) -> Talk:
        for step in steps:
            self.ledger.fold(next(self._seq), step)
        return self

    def call(
        self, command: str, error: str = "", out: str = "", files: tuple[Change, ...] = (), tool: str = "shell"
    ) -> Talk:
        name = f"c{next(self._ids)}"
        outcome = Outcome.FAILED if error else Outcome.OK
        return self.fold(
            Said(at=0, text="", calls=(Call(name, tool, json.dumps({"command": command})),)),
            Finished(
                at=0, call_id=name, tool=tool, outcome=outcome, text=out + error, exit_code=1 if error else 0,
                stdout=Stream(out), stderr=Stream(error), files=files,
            ),
        )  # fmt: skip

    def asked(self) -> Talk:
        return self.fold(Ended(at=0, end=End.UNRESOLVED), Asked(at=0, text="try again", author="t:1"))

    def message(self, *commands: str, error: str = ERROR) -> Talk:
        self.asked()
        for command in commands:
            self.call(command, error)
        return self

    @property
    def stuck(self) -> Stuck | None:
        return self.ledger.stuck(LEG)


@pytest.mark.parametrize(
    ("messages", "failures", "stuck", "at_once"),
    [
        (1, TIMES + 2, False, False),  # one message is the leg's own business
        (BEFORE, TIMES, False, False),  # under
        (BEFORE + 1, TIMES - 1, True, False),  # at: once more to see it, then the answer asks
        (BEFORE + 1, TIMES, True, True),
        (BEFORE + 2, TIMES - 1, True, False),  # over
        (BEFORE + 2, TIMES + 1, True, True),
    ],
)
def test_the_same_failure_message_after_message(messages: int, failures: int, stuck: bool, at_once: bool) -> None:
    talk = Talk()
    for number in range(messages - 1):
        talk.message(f"./deploy.sh -v{number}")
    talk.message(*(f"./deploy.sh --try {number}" for number in range(failures)))
    assert bool(talk.stuck) is stuck
    assert bool(talk.stuck and talk.stuck.at_once) is at_once


def test_the_earlier_attempts_are_named() -> None:
    talk = Talk().message("./deploy.sh").message("bash deploy.sh").message("sh -x deploy.sh")
    assert talk.stuck
    for word in ("3 messages", "no route to the registry", "./deploy.sh", "bash deploy.sh", "sh -x deploy.sh", "?"):
        assert word in talk.stuck.told


@pytest.mark.parametrize(
    ("replies", "earlier", "at_once"),
    [(LEG - 1, 2, False), (LEG, 2, True), (LEG + 1, 2, True), (LEG + 1, 0, False)],
)
def test_as_many_different_failures_as_a_leg_has_replies(replies: int, earlier: int, at_once: bool) -> None:
    talk = Talk().asked()
    for number in range(replies):
        if number == earlier > 0:
            talk.asked()
        talk.call(f"./tool-{number}", f"error: kind {'x' * (number + 1)}")
    assert bool(talk.stuck and talk.stuck.at_once) is at_once


def file(name: str) -> tuple[Change, ...]:
    return (Change(f"/w/{name}", "", "1"),)


@pytest.mark.parametrize(
    ("news", "anew"),
    [
        ({"command": "./edit.py", "files": file("a.py")}, True),
        ({"command": "pytest -q tests"}, True),
        ({"command": "which node", "out": "/usr/bin/node\n"}, True),
        ({"command": "./deploy.sh"}, True),  # it works: its error is gone
        ({"command": "cat notes.txt", "out": "a note"}, False),
        ({"command": "ls"}, False),
    ],
)
def test_what_starts_the_count_anew(news: dict[str, object], anew: bool) -> None:
    talk = Talk().message("./deploy.sh").message("./deploy.sh")
    talk.call(**news)  # type: ignore[arg-type]
    talk.message("./deploy.sh", "./deploy.sh")
    assert (talk.stuck is None) is anew


def test_an_error_that_was_overcome_and_came_back_counts_from_there() -> None:
    talk = Talk().message("./deploy.sh").call("./deploy.sh")
    for _ in range(BEFORE):
        talk.message("./deploy.sh").call("./deploy.sh")  # gone again: no news the second time, and no barren message
    assert talk.message("./deploy.sh").stuck is None


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("", ""),  # plain talk
        ("systemctl status web", ""),  # asked again and again, and it runs
        ("cat missing.txt", "cat: missing.txt: No such file or directory"),  # an answer
        ("grep -r needle .", "grep: x: No such file or directory"),
    ],
)
def test_questions_may_be_asked_for_ever(command: str, error: str) -> None:
    talk = Talk()
    for _ in range(4 * LEG):
        talk.message(*[command] if command else [], error=error)
        talk.fold(Said(at=0, text="So it is."))
        assert talk.stuck is None


def test_different_failures_of_many_messages_under_a_leg_are_no_standstill() -> None:
    talk = Talk()
    for number in range(LEG - 1):
        talk.message(f"./tool-{number}", error=f"error: kind {'x' * (number + 1)}")
    assert talk.stuck is None


def test_several_calls_of_one_reply_are_one_try() -> None:
    talk = Talk().message("./a", error="error: kind x").asked()
    calls = tuple(Call(f"p{number}", "shell", json.dumps({"command": f"./b{number}"})) for number in range(LEG))
    talk.fold(Said(at=0, text="", calls=calls))
    for number, call in enumerate(calls):
        err = Stream(f"error: kind {'y' * (number + 1)}")
        talk.fold(
            Finished(at=0, call_id=call.id, tool="shell", outcome=Outcome.FAILED, text="", exit_code=1, stderr=err)
        )
    assert talk.stuck is None


def test_it_survives_a_snapshot() -> None:
    talk = Talk().message("./deploy.sh").message("./deploy.sh")
    talk.ledger = Ledger.restore(talk.ledger.snapshot())
    assert (
        talk.message("./deploy.sh", "./deploy.sh").stuck
        == Talk().message("./deploy.sh").message("./deploy.sh").message("./deploy.sh", "./deploy.sh").stuck
    )


# -- what comes of it --------------------------------------------------------------------------------------------------
CALL = Call("c1", "shell", "{}")
STUCK, SOON = Stuck("The same again.", True), Stuck("The same again.", False)


def todo(*steps: Step) -> Todo:
    made = Todo()
    for seq, step in enumerate((Asked(at=0, text="again", author="t:1"), *steps), start=1):
        made.fold(seq, step)
    return made


WORKED = (Said(at=0, text="", calls=(CALL,), upto=1), Finished(at=0, call_id="c1", tool="shell", outcome=Outcome.FAILED, text=""))  # fmt: skip  # noqa: E501


@pytest.mark.parametrize(
    ("steps", "standing", "action"),
    [
        (WORKED, Standing(), Speak()),
        (WORKED, Standing(stuck=SOON), Speak()),
        (WORKED, Standing(stuck=STUCK), Finish(End.UNRESOLVED, STUCK.told)),
        ((*WORKED, Asked(at=0, text="look at b instead", author="t:1")), Standing(stuck=STUCK), Speak()),  # steered
        (
            (Said(at=0, text="It fails.", upto=1),),
            Standing(("boom",), stuck=SOON),
            Finish(End.UNRESOLVED, SOON.told),
        ),
        ((Said(at=0, text="It works.", upto=1),), Standing(stuck=SOON), Finish(End.ANSWERED)),
    ],
)
def test_what_the_relay_makes_of_it(steps: tuple[Step, ...], standing: Standing, action: object) -> None:
    assert next_action(todo(*steps), Limits(), standing) == action
