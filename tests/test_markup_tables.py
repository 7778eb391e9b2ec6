"""bot.tables: a table is readable on a phone, and every cell of it is there."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.tables import readable


def test_a_narrow_table_is_aligned_monospace() -> None:
    assert readable("| a | **bb** |\n|:--|--:|\n| `ccc` | d |\n| 日本 | \\| |").strip() == (
        "```\na    | bb\n-----+---\nccc  | d\n日本 | |\n```"
    )


def test_a_wide_table_is_a_list_of_rows() -> None:
    rows = "| name | address | state |\n|---|---|---|\n| host1 | 2001:db8:0000:0000:0000:0000:0000:0001 | up |"
    assert readable(rows).strip() == (
        "- name: **host1**\n  address: 2001:db8:0000:0000:0000:0000:0000:0001\n  state: up"
    )


@pytest.mark.parametrize(("width", "monospace"), [(31, True), (32, True), (33, False)])
def test_thirty_six_columns_are_what_a_phone_shows(width: int, monospace: bool) -> None:
    assert ("```" in readable(f"| a | b |\n|---|---|\n| {'x' * width} | y |")) == monospace


@pytest.mark.parametrize(
    "text",
    [
        "a | b",
        "a | b\nc | d",
        "x\n---\n",
        "```\n| a | b |\n|---|---|\n| c | d |\n```",
        "~~~\n| a | b |\n|---|---|\n~~~",
        "    | a | b |\n    |---|---|",
    ],
)
def test_what_is_no_table_stays(text: str) -> None:
    assert readable(text) == text


def test_text_around_a_table_stays() -> None:
    lines = readable("before\n| a |\n|---|\n| b |\n\nafter").split("\n")
    assert (lines[0], lines[-1]) == ("before", "after")


CELL = st.text("ab1 *_`日é", max_size=12).map(str.strip)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(CELL, min_size=1, max_size=5), min_size=1, max_size=5))
def test_every_cell_is_kept(rows: list[list[str]]) -> None:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    out = readable("\n".join(lines))
    kept = [c for c in out if c.isalnum()]
    wanted = [c for row in rows for cell in row for c in cell if c.isalnum()]
    rest = iter(kept)
    if len(rows) == 1 or out.lstrip().startswith("```"):
        assert kept == wanted
    else:  # a list names the columns again in each row
        assert all(c in rest for row in rows[1:] for cell in row for c in cell if c.isalnum())
