"""Shellwrite: which commands write a file of their own words, and how often that is said."""

from __future__ import annotations

import pytest

from agent.guards.shellwrite import Shellwrite, written
from agent.steps import Level
from tests.fakes.course import Course


@pytest.mark.parametrize(
    ("command", "how"),
    [
        ("echo hi > a.txt", "echo"),
        ("echo hi >> a.txt", "echo"),
        ("cd x && printf '%s\\n' a b > a.txt", "printf"),
        ("cat > a.sh <<'EOF'\necho $X\nEOF", "a heredoc"),
        ("cat <<EOF > a.sh\nx\nEOF\nchmod +x a.sh", "a heredoc"),
        ("echo hi | tee a.txt", "tee"),
        ("echo hi | sudo tee -a /etc/a", "tee"),
        ("tee a.txt <<EOF\nx\nEOF", "tee"),
        ("sed -i s/a/b/ a.txt", "sed -i"),
        ("find . -name '*.c' | xargs sed -i 's/a/b/'", "sed -i"),
        ("echo hi", ""),
        ("echo hi > /dev/null", ""),
        ("echo hi >&2", ""),
        ("echo hi > /tmp/flag", ""),
        ("python train.py > log.txt", ""),  # saved output
        ("make 2>&1 | tee build.log", ""),
        ("cat a b > c", ""),
        ("sed -n 1,5p a.txt", ""),
        ("sed s/a/b/ a.txt > b.txt", ""),
        ("grep -i x a.txt", ""),
        ("git commit -m 'echo x > y'", ""),
    ],
)
def test_what_writes_a_file_through_the_shell(command: str, how: str) -> None:
    assert written(command) == how
    assert bool(Course(Shellwrite()).shell(command)) == bool(how)


@pytest.mark.parametrize(
    ("command", "tool"), [("echo hi > a", "Use write_file rather than echo"), ("sed -i s/a/b/ a", "Use edit_file")]
)
def test_one_line_that_names_the_tool(command: str, tool: str) -> None:
    (nudge,) = Course(Shellwrite()).shell(command)
    assert tool in nudge.text
    assert (nudge.event, nudge.level, nudge.slot) == ("nudge.shellwrite", Level.NOTE, None)
    assert "\n" not in nudge.text
    assert len(nudge.text.encode()) <= 400


@pytest.mark.parametrize(("calls", "times"), [(1, 1), (5, 1), (6, 2), (11, 3)])
def test_at_most_once_in_five_calls(calls: int, times: int) -> None:
    course = Course(Shellwrite())
    for number in range(calls):
        course.shell(f"echo {number} > a")
    assert len(course.nudges) == times


def test_it_is_silent_where_there_is_no_such_tool() -> None:
    assert not Course(Shellwrite(), tools=("shell",)).shell("echo hi > a")
