"""Test runs: which command lines are some, and what runners' outputs say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent import testruns
from agent.intent import intent
from agent.testruns import empty, failing, green, passed, red


@pytest.mark.parametrize(
    ("command", "tested"),
    [
        ("pytest -q", True),
        ("cd x && python -m pytest tests/test_a.py | tail -5", True),
        ("uv run pytest", True),
        ("node --test", True),
        ("tsc && node --test dist/", True),
        ("npm test", True),
        ("npm run test:unit", True),
        ("npx vitest run", True),
        ("go test ./...", True),
        ("cargo test", True),
        ("make test", True),
        ("python -m unittest discover", True),
        ("python manage.py test", True),
        ("python test_x.py", True),
        ("./run_tests.sh", True),
        ("python3 -c 'import test_sums; test_sums.test_two()'", True),
        ("python3 -c 'print(\"test\")'", False),
        ("cat test_x.py", False),
        ("ls tests", False),
        ("rm -r tests", False),
        ("touch tests/a.py", False),
        ("grep -rn test .", False),
        ("echo 'All tests passed'", False),
        ("git commit -m 'add tests'", False),
        ("pip install pytest", False),
        ("npm install --save-dev jest", False),
        ("ruff check tests", False),
        ("python report.py", False),
        ("latest.sh", False),
        ("", False),
    ],
)
def test_a_command_that_tests(command: str, tested: bool) -> None:
    assert testruns.tests(intent("shell", command)) is tested


PYTEST_RED = (
    "F.\n=== FAILURES ===\nFAILED tests/test_a.py::test_sum[1-2] - assert 1 == 2\nERROR tests/test_b.py\n"
    "=== 1 failed, 3 passed, 1 error in 0.20s ==="
)
NODE_SPEC = "✔ one (0.5ms)\n✖ sum of two (0.8ms)\nℹ tests 2\nℹ pass 1\nℹ fail 1\n\n✖ failing tests:\n"
TAP = "TAP version 13\nok 1 - one\nnot ok 2 - sum of two\n# tests 2\n# pass 1\n# fail 1\n"
JEST = "  ● sums › adds two\n\nTests:       1 failed, 1 passed, 2 total\n"
GO = "--- FAIL: TestSum (0.00s)\nFAIL\nFAIL\texample.com/sums\t0.002s\n"
CARGO = "test one ... ok\ntest sums::two ... FAILED\ntest result: FAILED. 1 passed; 1 failed\n"
UNITTEST = "FAIL: test_two (test_sums.Sums)\nRan 2 tests in 0.001s\n\nFAILED (failures=1)\n"


@pytest.mark.parametrize(
    ("output", "names", "count"),
    [
        (PYTEST_RED, ("tests/test_a.py::test_sum[1-2]", "tests/test_b.py"), 3),
        (NODE_SPEC, ("sum of two",), 1),
        (TAP, ("sum of two",), 1),
        (JEST, ("sums › adds two",), 1),
        (GO, ("TestSum",), None),
        (CARGO, ("sums::two",), 1),
        (UNITTEST, ("test_two",), 2),
    ],
    ids=["pytest", "node", "TAP", "jest", "go", "cargo", "unittest"],
)
def test_a_red_output_names_what_failed(output: str, names: tuple[str, ...], count: int | None) -> None:
    assert failing(output) == names
    assert red(output)
    assert passed(output) == count
    assert not green(True, output)


@pytest.mark.parametrize(
    "output",
    [
        "==== 4 passed in 0.12s ====",
        "==== 4 passed, 1 warning in 0.12s ====",
        "ℹ tests 1\nℹ pass 1\nℹ fail 0\n",
        "Tests:       2 passed, 2 total\n",
        "ok  \texample.com/sums\t0.002s\n?   \texample.com/x\t[no test files]\n",
        "test result: ok. 2 passed; 0 failed; 0 ignored\n",
        "Ran 2 tests in 0.001s\n\nOK\n",
        "",
        "checked that a wrong login fails as it should\n",
    ],
    ids=["pytest", "with a warning", "node", "jest", "go", "cargo", "unittest", "silent", "words"],
)
def test_a_green_one_counts_only_with_exit_code_0(output: str) -> None:
    assert green(True, output)
    assert not green(False, output)


@pytest.mark.parametrize(
    "output",
    [
        "no tests ran in 0.01s",
        "collected 0 items",
        "ℹ tests 0\nℹ pass 0\n",
        "# tests 0\n# pass 0\n",
        "No tests found, exiting with code 1",
        "?   \texample.com/x\t[no test files]\n",
        "Ran 0 tests in 0.000s",
    ],
)
def test_nothing_tested_is_not_green(output: str) -> None:
    assert empty(output)
    assert not green(True, output)


@given(st.text(alphabet="F FAILED✖●not ok1:-\n.", max_size=4_000))
def test_any_output_is_read(output: str) -> None:
    assert len(failing(output)) <= 8
    green(True, output)
