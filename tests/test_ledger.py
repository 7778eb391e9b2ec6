"""The ledger over short journals: what opens an error and what closes it, what counts as progress, what survives."""

from __future__ import annotations

import json
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.facts import MOST
from agent.ledger import APPROACHES, COMMANDS, VERSION, Ledger, recalled
from agent.steps import Asked, Call, Change, End, Ended, Finished, Handed, Opened, Outcome, Said, Step, Stream

OK, FAILED, NO = Outcome.OK, Outcome.FAILED, Outcome.ANSWERED_NO


def asked() -> Asked:
    return Asked(at=0, text="do it", author="console:1")


def opened() -> Opened:
    return Opened(at=0, prompt="", tools=(), model="m", panel="ours", day="2026-01-01", cwd="/w", nonce="n")


class Journal:
    """Builds steps and folds them at once."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.ledger = Ledger()
        self._ids = count(1)
        self.add(asked(), opened())

    def add(self, *steps: Step) -> Journal:
        for step in steps:
            self.steps.append(step)
            self.ledger.fold(len(self.steps), step)
        return self

    def call(
        self,
        tool: str,
        arguments: dict[str, object],
        outcome: Outcome = OK,
        out: str = "",
        err: str = "",
        files: tuple[Change, ...] | None = (),
    ) -> Journal:
        name = f"c{next(self._ids)}"
        code = {OK: 0, Outcome.WARNED: 0, FAILED: 1, NO: 1}.get(outcome)
        return self.add(
            Said(at=0, text="", calls=(Call(name, tool, json.dumps(arguments)),)),
            Finished(
                at=0,
                call_id=name,
                tool=tool,
                outcome=outcome,
                text=out + err,
                exit_code=code if tool == "shell" else None,
                stdout=Stream(out) if tool == "shell" else None,
                stderr=Stream(err) if tool == "shell" else None,
                files=files,
            ),
        )

    def run(
        self, command: str, outcome: Outcome = OK, err: str = "", out: str = "", files: tuple[Change, ...] | None = ()
    ) -> Journal:
        return self.call("shell", {"command": command}, outcome, out, err, files)

    def fail(self, command: str, err: str = "error: broken") -> Journal:
        return self.run(command, FAILED, err)

    @property
    def open(self) -> list[str]:
        return [error.signature for error in self.ledger.errors_open()]


def test_a_failed_call_opens_its_error() -> None:
    journal = (
        Journal()
        .fail("make all", "main.c:1:2: error: expected ';'")
        .fail("make -j2 all", "main.c:9:7: error: expected ';'")
    )
    (error,) = journal.ledger.errors_open()
    assert error.signature == "main.c: error: expected ';'"
    assert error.salient == "main.c:1:2: error: expected ';'"
    assert error.commands == ("make all", "make -j2 all")
    assert (error.first, error.last, error.count) == (4, 6, 2)
    assert "2 times" in error.line


@pytest.mark.parametrize(
    ("outcome", "opens"),
    [
        (FAILED, True),
        (Outcome.TIMED_OUT, True),
        (Outcome.KILLED, True),
        (Outcome.NOT_STARTED, True),
        (Outcome.WARNED, False),
        (OK, False),
        (NO, False),
        (Outcome.BAD_ARGUMENTS, False),
        (Outcome.HELD, False),
        (Outcome.CANCELLED, False),
        (Outcome.INTERRUPTED, False),
    ],
)
def test_which_outcomes_open_an_error(outcome: Outcome, opens: bool) -> None:
    assert bool(Journal().run("make", outcome, "error: broken").open) is opens


@pytest.mark.parametrize(
    ("outcome", "signature"),
    [
        (FAILED, "make: exit code 1"),
        (Outcome.TIMED_OUT, "make: timed out"),
        (Outcome.KILLED, "make: killed by a signal"),
    ],
)
def test_a_silent_failure_has_an_error_too(outcome: Outcome, signature: str) -> None:
    assert Journal().run("make", outcome).open == [signature]


@pytest.mark.parametrize("command", ["cat notes.txt", "ls /nowhere | head", "grep -r x missing/", "git log v9"])
def test_a_look_that_failed_is_an_answer(command: str) -> None:
    journal = Journal().fail(command)
    assert journal.open == []
    assert [approach.count for approach in journal.ledger.approaches()] == [
        1
    ]  # not to be looked for again all the same


@pytest.mark.parametrize(
    ("failed", "error", "succeeded", "closes"),
    [
        ("make all", "error: broken", "make all", True),
        ("make all", "error: broken", "make -j4 all", True),
        ("make all", "error: broken", "cd . && make all 2>&1 | tail -3", True),
        ("make all", "error: broken", "make", True),  # the whole of it
        ("make all", "error: broken", "make clean", False),
        ("make all", "error: broken", "ls", False),
        ("make all", "error: broken", "echo make all", False),
        ("python3 a.py", "ValueError: bad", "python3 a.py", True),
        ("python3 a.py", "ValueError: bad", "python a.py --fast", True),
        ("python3 a.py", "ValueError: bad", "python3 b.py", False),
        ("cd app && npm ci && npm test", "error: broken", "npm ci", False),  # only half of it
        ("cd app && npm ci && npm test", "error: broken", "npm ci && npm test", True),
        ("pytest", "FAILED tests/test_a.py::test_x - assert 1 == 2", "pytest tests/test_a.py", True),  # its file
        ("pytest", "FAILED tests/test_a.py::test_x - assert 1 == 2", "pytest tests/test_b.py", False),
        ("pytest", "FAILED tests/test_a.py::test_x - assert 1 == 2", "cat tests/test_a.py", False),
        ("bash run.sh", "run.sh: line 3: x: command not found", "bash -n run.sh", True),
        ("python a.py", "bash: line 1: python: command not found", "python3 a.py", True),
        ("pip install flask", "bash: line 1: pip: command not found", "pip3 install flask", True),  # another way
        ("python3 a.py", "FileNotFoundError: [Errno 2] No such file or directory: 'in.csv'", "ls data/in.csv", True),
        ("python3 a.py", "FileNotFoundError: [Errno 2] No such file or directory: 'in.csv'", "ls data/out.csv", False),
        ("curl -sS localhost:80", "curl: (7) Failed to connect to localhost port 80", "curl localhost:80", True),
    ],
)
def test_what_success_closes_an_error(failed: str, error: str, succeeded: str, closes: bool) -> None:
    assert bool(Journal().fail(failed, error).run(succeeded).open) is not closes


def test_each_half_of_a_chain_may_succeed_by_itself() -> None:
    journal = Journal().fail("npm ci && npm test").run("npm ci").run("npm test")
    assert journal.open == []
    assert Journal().fail("npm ci && npm test").run("npm ci").fail("npm ci && npm test").run("npm test").open != []


def test_a_success_that_prints_the_same_error_closes_nothing() -> None:
    journal = Journal().fail("make", "error: broken").run("make", Outcome.WARNED, "error: broken")
    assert journal.open == ["broken"]
    assert journal.run("make", Outcome.WARNED, "error: another").open == []


@pytest.mark.parametrize(
    ("change", "closes"),
    [
        (Change("/w/run.sh", "aa", ""), True),  # the script is gone
        (Change("/w/run.sh", "aa", "bb"), False),
        (Change("/w/other.sh", "aa", ""), False),
        (Change("/w/data/in.csv", "", "cc"), True),  # what was missing has come
        (Change("/w/in.txt", "", "cc"), False),
    ],
)
def test_what_becomes_of_the_files_closes_an_error(change: Change, closes: bool) -> None:
    journal = Journal().fail("bash run.sh", "tail: cannot open 'data/in.csv' for reading: No such file or directory")
    assert bool(journal.run("true", files=(change,)).open) is not closes


def test_an_error_goes_with_its_plan_item() -> None:
    def plan(*items: tuple[str, str]) -> dict[str, object]:
        return {"items": [{"text": text, "status": status} for text, status in items]}

    journal = Journal().call("plan", plan(("build", "in_progress"), ("ship", "pending"))).fail("make")
    assert journal.call("plan", plan(("build", "in_progress"))).open == ["broken"]
    assert journal.call("plan", plan(("ship", "in_progress"))).open == []


def test_a_new_run_has_no_errors_yet_but_knows_what_failed() -> None:
    journal = Journal().fail("make").add(Ended(at=0, end=End.UNRESOLVED))
    assert journal.open == ["broken"]
    journal.add(asked())
    assert journal.open == []
    assert [approach.signature for approach in journal.ledger.approaches()] == ["broken"]
    assert journal.fail("make").add(asked()).open == ["broken"]  # a message to a running run changes nothing


def test_approaches_are_bounded_and_what_was_overcome_goes_first() -> None:
    journal = Journal().fail("tool-0 a0", "error: kind zero").run("tool-0 a0")
    for number in range(APPROACHES):
        journal.fail(f"tool {'x' * (number + 1)}", f"error: kind {'x' * (number + 1)}")
    assert len(journal.ledger.approaches()) == APPROACHES
    assert not any(approach.overcome for approach in journal.ledger.approaches())
    journal.fail("tool y", "error: kind y")
    assert len(journal.ledger.approaches()) == APPROACHES
    assert "kind x" not in [approach.signature for approach in journal.ledger.approaches()]


def test_the_last_commands_with_their_exit_codes() -> None:
    journal = Journal()
    for number in range(COMMANDS + 3):
        journal.run(f"echo {number}")
    journal.fail("make")
    lines = [ran.line for ran in journal.ledger.commands]
    assert len(lines) == COMMANDS
    assert lines[-2:] == [f"echo {COMMANDS + 2} -> exit 0", "make -> exit 1"]
    assert journal.ledger.commands[-1].verbs == ("make",)


PROGRESS: list[tuple[str, dict[str, object], bool]] = [
    ("nothing", {"command": "ls"}, False),
    ("new file", {"command": "true", "files": (Change("/w/a", "", "aa"),)}, True),
    ("changed file", {"command": "true", "files": (Change("/w/old", "h1", "h3"),)}, True),
    ("back to an old content", {"command": "true", "files": (Change("/w/old", "h2", "h1"),)}, False),
    ("unknown change", {"command": "cp a b", "files": None}, True),
    ("unknown, but a look", {"command": "ls", "files": None}, False),
    ("test green", {"command": "pytest tests/test_new.py"}, True),
    ("test green again", {"command": "pytest -q"}, False),
    ("error gone", {"command": "make"}, True),
    ("new fact", {"command": "which node", "out": "/usr/bin/node\n"}, True),
    ("known fact", {"command": "which git", "out": "/usr/bin/git\n"}, False),
]


@pytest.mark.parametrize(("command", "counts"), [row[1:] for row in PROGRESS], ids=[row[0] for row in PROGRESS])
def test_what_counts_as_progress(command: dict[str, object], counts: bool) -> None:
    journal = (
        Journal().run("true", files=(Change("/w/old", "h0", "h1"),)).run("true", files=(Change("/w/old", "h1", "h2"),))
    )
    journal.run("pytest -q").fail("make").run("which git", out="/usr/bin/git\n").add(opened())
    assert journal.ledger.new_in_leg() == ()
    journal.run(**command)  # type: ignore[arg-type]
    assert bool(journal.ledger.new_in_leg()) is counts


def test_a_test_that_failed_is_newly_green() -> None:
    journal = Journal().run("pytest -q").run("pytest -q", FAILED).add(opened()).run("pytest -q")
    assert "1 × test newly green" in journal.ledger.new_in_leg()


def test_a_completed_plan_item_is_progress_once() -> None:
    done: dict[str, object] = {"items": [{"text": "build", "status": "completed"}]}
    journal = Journal().call("plan", {"items": [{"text": "build", "status": "pending"}]}).add(opened())
    assert journal.call("plan", done).ledger.new_in_leg() == ("1 × plan item closed",)
    assert journal.add(opened()).call("plan", done).ledger.new_in_leg() == ()


@pytest.mark.parametrize(
    ("command", "out", "facts"),
    [
        ("which node", "/usr/bin/node\n", {"path of node": "/usr/bin/node"}),
        ("command -v git", "/usr/bin/git\n", {"path of git": "/usr/bin/git"}),
        ("python3 --version", "Python 3.11.7\n", {"version of python3": "3.11.7"}),
        ("node -v", "v20.20.2\n", {"version of node": "20.20.2"}),
        ("curl -s http://localhost:8000/health", "ok", {"port 8000": "answers"}),
        ("./serve", "Listening on http://127.0.0.1:3000\n", {"port 3000": "is listened on"}),
        ("ls -v", "a-1.2.txt", {}),
        ("cat README", "it listens nowhere", {}),
    ],
)
def test_facts(command: str, out: str, facts: dict[str, str]) -> None:
    assert Journal().run(command, out=out).ledger.facts == facts


def test_facts_never_regress() -> None:
    journal = Journal().run("which node", out="/usr/bin/node\n").fail("which node", "error: no")
    assert journal.ledger.facts == {"path of node": "/usr/bin/node"}
    journal.run("which node", out="/opt/node\n")
    assert journal.ledger.facts == {"path of node": "/opt/node"}
    for number in range(2 * MOST):
        journal.run(f"which tool{number}", out=f"/bin/tool{number}\n")
    assert len(journal.ledger.facts) == MOST
    assert journal.ledger.facts["path of node"] == "/opt/node"


def test_files_have_their_newest_hash() -> None:
    journal = Journal().call("write_file", {"path": "a"}, files=(Change("/w/a", "", "11"),))
    journal.run("rm a", files=(Change("/w/a", "11", ""), Change("/w/big", "22", None)))
    assert journal.ledger.files == {"/w/a": "", "/w/big": "?"}


COMMANDS_TRIED = st.sampled_from(
    ["make", "make all", "pytest -q", "cat x", "python3 a.py", "rm b", "which git", "plan"]
)
ERRORS = st.sampled_from(["", "error: one", "a.py:3: error: two", "cat: x: No such file or directory", "KeyError: 'k'"])
CHANGES = st.sampled_from(
    [(), None, (Change("/w/a", "", "1"),), (Change("/w/a", "1", ""),), (Change("/w/x", "", "9"),)]
)
CALLS = st.lists(
    st.tuples(COMMANDS_TRIED, st.sampled_from([OK, FAILED, NO, Outcome.WARNED]), ERRORS, CHANGES), max_size=30
)


@given(CALLS, CALLS)
def test_a_snapshot_goes_on_as_the_journal_would(
    before: list[tuple[str, Outcome, str, tuple[Change, ...] | None]],
    after: list[tuple[str, Outcome, str, tuple[Change, ...] | None]],
) -> None:
    journal = Journal()
    for command, outcome, err, files in before:
        journal.run(command, outcome, err, files=files)
    restored = Ledger.restore(journal.ledger.snapshot())
    assert restored.snapshot() == journal.ledger.snapshot()
    place = len(journal.steps)
    for command, outcome, err, files in after:
        journal.run(command, outcome, err, files=files)
    for seq, step in enumerate(journal.steps[place:], start=place + 1):
        restored.fold(seq, step)
    assert restored.snapshot() == journal.ledger.snapshot()
    assert restored.errors_open() == journal.ledger.errors_open()


def handed(journal: Journal, *, open_call: bool = False) -> None:
    """A checkpoint, as the session writes it: its state is that of a moment before, and some steps may come between."""
    if open_call:
        journal.add(Said(at=0, text="", calls=(Call("open", "shell", '{"command": "make"}'),)))
    state = journal.ledger.snapshot()
    if open_call:
        journal.add(Asked(at=0, text="meanwhile", author="console:1"))
        journal.add(Finished(at=0, call_id="open", tool="shell", outcome=FAILED, text="error: three", exit_code=2))
    journal.add(Handed(at=0, checkpoint="{}", text="", state=state))


ENDED = st.booleans()


@given(st.lists(st.tuples(CALLS, ENDED, ENDED), min_size=1, max_size=4), CALLS)
def test_a_session_opened_from_its_newest_checkpoint_has_the_ledger_of_a_full_replay(
    legs: list[tuple[list[tuple[str, Outcome, str, tuple[Change, ...] | None]], bool, bool]],
    after: list[tuple[str, Outcome, str, tuple[Change, ...] | None]],
) -> None:
    journal = Journal()
    for calls, ended, open_call in legs:
        for command, outcome, err, files in calls:
            journal.run(command, outcome, err, files=files)
        handed(journal, open_call=open_call)
        if ended:
            journal.add(Ended(at=0, end=End.LIMIT), asked())
    for command, outcome, err, files in after:
        journal.run(command, outcome, err, files=files)
    rows = list(enumerate(journal.steps, start=1))
    opened_again = recalled(rows)
    assert 0 < opened_again.seq < len(rows)
    for seq, step in rows:
        opened_again.fold(seq, step)
    assert opened_again.snapshot() == journal.ledger.snapshot()
    assert opened_again.stuck(3) == journal.ledger.stuck(3)


@pytest.mark.parametrize("state", ["", "nonsense", "[]", '{"version": 1}', f'{{"version": {VERSION}}}'])
def test_a_checkpoint_of_another_version_means_a_full_replay(state: str) -> None:
    journal = Journal().fail("make")
    journal.add(Handed(at=0, checkpoint="{}", text="", state=state))
    assert recalled(list(enumerate(journal.steps, start=1))).seq == 0


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 0}', f'{{"version": {VERSION + 1}}}', "nonsense"])
def test_a_snapshot_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        Ledger.restore(text)


def test_a_result_of_an_unknown_call_is_taken_as_it_is() -> None:
    step = Finished(at=0, call_id="x", tool="shell", outcome=FAILED, text="error: broken", exit_code=1)
    journal = Journal().add(step)
    assert journal.open == ["broken"]
