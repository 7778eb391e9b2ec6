"""How calls ended, over real outputs; what command lines mean to do; failures told from text alone."""

from __future__ import annotations

import json

import pytest

from agent.commandline import simple_commands
from agent.intent import Effect, intent
from agent.outcome import error_shaped, failed_text, judge
from agent.steps import Outcome
from tests.outputs import Output, outputs

READ, RUN, MUTATE = Effect.READ, Effect.RUN, Effect.MUTATE


@pytest.mark.parametrize("output", outputs(), ids=lambda output: output.id)
def test_the_outcome_of_a_real_output(output: Output) -> None:
    arguments = json.dumps({"command": output.command})
    judged = judge("shell", arguments, output.exit, output.signal, output.stdout, output.stderr)
    assert judged.outcome.value == output.outcome


def test_the_table_is_broad_and_real() -> None:
    assert len(outputs()) >= 120
    assert len({output.ran.split()[0] for output in outputs()}) >= 40
    assert all(len(output.ran.split()) == 2 for output in outputs())
    assert {"C.UTF-8", "de_DE.UTF-8", "fr_FR.UTF-8"} <= {output.locale for output in outputs()}
    assert len({output.id for output in outputs()}) == len(outputs())


@pytest.mark.parametrize(
    ("command", "verbs"),
    [
        ("git -C /x push origin main 2>&1 | tail -3", ("git push", "tail")),
        ("cd a && FOO=1 sudo -u bob env A=b timeout -s TERM 5 python3 -m pytest -q", ("cd", "pytest")),
        ("bash -lc 'rm -rf x && make all'", ("rm", "make")),
        ("find . | xargs -n1 rm -f", ("find", "rm")),
        ("npx jest a.test.js", ("jest",)),
        ("uv run python train.py --lr 1", ("train.py",)),
        ("bash -x ./deploy.sh", ("deploy.sh",)),
        ("./deploy.sh", ("deploy.sh",)),
        ("python3 -c 'print(1)'", ("python3 -c",)),
        ("npm run build", ("npm run build",)),
        ("for i in 1 2; do grep $i f; done", ("grep",)),
        ("cat > f.py <<'EOF'\nrm -rf /\nEOF\npython3 f.py", ("cat", "f.py")),
        ("2>/dev/null ls", ("ls",)),
        ("echo 'open", ()),
        ("", ()),
    ],
)
def test_verbs(command: str, verbs: tuple[str, ...]) -> None:
    assert intent("shell", json.dumps({"command": command})).verbs == verbs
    assert intent("bash", command).verbs == verbs


@pytest.mark.parametrize(
    ("command", "writes"),
    [("a > b", ("b",)), ("a >>b 2>&1", ("b",)), ("a >/dev/null 2>&1", ()), ("a &> c", ("c",)), ("a < b", ())],
)
def test_redirections(command: str, writes: tuple[str, ...]) -> None:
    assert simple_commands(command)[0].writes == writes


@pytest.mark.parametrize(
    ("tool", "arguments", "effect"),
    [
        ("shell", "ls -la && cat x | grep y", READ),
        ("shell", "rm -rf build", MUTATE),
        ("shell", "echo x > f", MUTATE),
        ("shell", "echo x > /dev/null", READ),
        ("shell", "cat a | tee b", MUTATE),
        ("shell", "sed 's/a/b/' f", READ),
        ("shell", "sed -i 's/a/b/' f", MUTATE),
        ("shell", "find . -name x", READ),
        ("shell", "find . -name x -delete", MUTATE),
        ("shell", "find . -exec rm {} +", MUTATE),
        ("shell", "git status", READ),
        ("shell", "git commit -m x", MUTATE),
        ("shell", "git branch", RUN),
        ("shell", "git branch topic", MUTATE),
        ("shell", "pip install x", MUTATE),
        ("shell", "pip list", READ),
        ("shell", "tar -tzf a.tgz", READ),
        ("shell", "tar -xzf a.tgz", MUTATE),
        ("shell", "curl -s http://x/", READ),
        ("shell", "curl -fsSLo a http://x/", MUTATE),
        ("shell", "sqlite3 a.db 'select 1'", RUN),
        ("shell", "sqlite3 a.db 'DROP TABLE x'", MUTATE),
        ("shell", 'python3 -c \'open("a", "w")\'', MUTATE),
        ("shell", "python3 train.py", RUN),
        ("shell", "node --version", READ),
        ("shell", "pytest -q", RUN),
        ("write_file", '{"path": "a", "content": "b"}', MUTATE),
        ("edit_file", '{"path": "a"}', MUTATE),
        ("read_file", '{"path": "a"}', READ),
        ("str_replace_editor", '{"command": "create", "path": "a"}', MUTATE),
        ("str_replace_editor", '{"command": "view", "path": "a"}', READ),
        ("editor", "edit 1:2\nx\nend_of_edit", MUTATE),
        ("editor", "open a.py 10", READ),
        ("sql", "SELECT a FROM b", READ),
        ("sql", "UPDATE b SET a = 1", MUTATE),
        ("python", "df.to_csv('x.csv')", MUTATE),
        ("python", "print(1)", RUN),
        ("get_user_details", '{"user_id": "x"}', READ),
        ("cancel_reservation", "{}", MUTATE),
        ("shell", "not ' readable", RUN),
        ("shell", '{"command": "ls"', RUN),
    ],
)
def test_effects(tool: str, arguments: str, effect: Effect) -> None:
    assert intent(tool, arguments).effect is effect


def test_a_failed_mutation_changed_nothing() -> None:
    assert judge("shell", "rm x", 0).mutated
    assert not judge("shell", "rm x", 1, stderr="rm: cannot remove 'x'").mutated
    assert not judge("shell", "ls", 0).mutated


@pytest.mark.parametrize(
    ("tool", "arguments", "observation", "failed"),
    [
        ("shell", "ls", "a\nb\n", False),
        ("shell", "ls", "", False),
        ("shell", "make", "cc -c a.c\nexit code: 2", True),
        ("shell", "make", "error: nothing\nExit code: 0", False),
        ("shell", "foo", "bash: foo: command not found", True),
        ("shell", "ls x", "ls: cannot access 'x': No such file or directory", True),
        ("shell", "awk '{' f", "awk: line 1: syntax error at or near end of line", True),
        ("shell", "python a.py", "loading\nTraceback (most recent call last):\n  File \"a.py\"\nKeyError: 'x'", True),
        ("shell", "cat notes.md", "how to read errors\n" * 60 + "x: command not found\n" + "more\n" * 200, False),
        ("shell", "cat a.py", "try:\n    x()\nexcept KeyError:\n    pass\n", False),
        ("shell", "pip install x", "Collecting x\n" * 30 + "\nERROR: No matching distribution found for x", True),
        ("editor", "edit 1:1\nx", "Your proposed edit has introduced new syntax error(s).", True),
        ("sql", "select 1", "Error executing query: 1054", True),
        ("book_reservation", "{}", "Error: flight HAT001 not available", True),
        ("get_user_details", "{}", '{"name": "Error Smith"}', False),
    ],
)
def test_failure_from_text_alone(tool: str, arguments: str, observation: str, failed: bool) -> None:
    assert failed_text(observation, intent(tool, arguments)) is failed
    expected = Outcome.FAILED if failed else Outcome.OK
    assert judge(tool, arguments, stdout=observation).outcome is expected


def test_what_a_tool_said_of_its_own_failure_decides() -> None:
    assert judge("edit_file", '{"path": "a"}', error="The text to replace isn't in the file.").outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("stderr", "shaped"),
    [
        ("Compiling thiserror v1.0", False),
        ("main.c:2:9: warning: unused variable 'a'", False),
        ("WARNING: Running pip as root", False),
        ("10 errors", False),
        ("Finished with 0 errors", False),
        ("x.sh: 1: [[: not found", True),
        ("ERROR:root:retrying", True),
        ("Fehler: nichts geht", True),
        ("erreur : rien ne va", True),
    ],
)
def test_an_exit_of_zero_may_carry_a_warning(stderr: str, shaped: bool) -> None:
    assert error_shaped(stderr) is shaped
