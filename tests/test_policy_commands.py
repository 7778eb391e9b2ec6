"""Commands and their tiers: a table of strings, in every wrapping, and mutated."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agent.policy import Tier
from agent.policy.grammar import tree
from tests.fakes.commands import judged, leaving, pieces, rows, wrapped

ROWS, LEAVING = rows(), leaving()
AROUND = (*pieces("quoted"), *pieces("plain"))
MARKS = (*"'\"`$(){};|&<>\\\n #~*?[]=!-/", "$(", "<<E", "")


def test_the_table_is_long_and_has_every_tier() -> None:
    assert len(ROWS) >= 800
    assert all(sum(tier == row[0] for row in ROWS) >= 70 for tier in Tier)


@pytest.mark.parametrize("first", range(0, len(ROWS), 50))
def test_each_command_has_its_tier_and_its_reason(first: int) -> None:
    wrong = []
    for tier, why, command in ROWS[first : first + 50]:
        found = judged(command)
        named = why in ("-", "once") or why in found.reason
        if found.tier != tier or not named or (why == "once" and found.session_ok):
            wrong.append((command, tier, why, int(found.tier), found.reason))
    assert wrong == []


@pytest.mark.parametrize("template", AROUND)
def test_a_wrapper_never_lowers_the_tier(template: str) -> None:
    for command in LEAVING[::9]:
        around = wrapped(template, command)
        assert judged(around).tier >= Tier.LEAVE, around


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(LEAVING), st.lists(st.sampled_from(AROUND), min_size=1, max_size=4))
@example("touch /etc/x", ["\\bash -c {}", "true\n{}"])  # the grammar takes the line break into the word
def test_wrappers_around_wrappers_never_lower_the_tier(command: str, templates: list[str]) -> None:
    around = command
    for template in templates:
        around = wrapped(template, around)
    assert judged(around).tier >= Tier.LEAVE


@pytest.mark.parametrize("prefix", pieces("prefix"))
@pytest.mark.parametrize("second", ["", "env", "timeout 5"])
def test_a_prefix_is_taken_off(prefix: str, second: str) -> None:
    end = " \\;" if prefix.startswith("find") else ""
    for command in pieces("simple"):
        around = f"{prefix} {second} {command}{end}"
        assert judged(around).tier >= Tier.LEAVE, around


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from([command for _, _, command in ROWS]),
    st.lists(st.tuples(st.integers(0, 60), st.sampled_from(MARKS)), max_size=3),
    st.integers(0, 80),
)
@example("touch /etc/x", [(5, "\\\n")], 80)
def test_a_mutated_command_parses_or_asks(command: str, changes: list[tuple[int, str]], cut: int) -> None:
    text = command[:cut]
    for at, char in changes:
        text = text[:at] + char + text[at + (not char) :]
    found = judged(text)
    assert found.tier in Tier
    assert tree(text) is not None or found.tier >= Tier.LEAVE


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80))
@example("{\U0010c868")  # unguarded, it ends the process inside of the grammar
def test_any_text_is_judged(text: str) -> None:
    assert judged(text).tier in Tier


@pytest.mark.parametrize("end", range(1, 48))
def test_a_cut_command_parses_or_asks(end: int) -> None:
    text = 'bash -c "touch \'/etc/x\'" && echo $(cat <<< "a")'[:end]
    assert tree(text) is not None or judged(text).tier >= Tier.LEAVE


LARGE = {
    "pipes": "a|" * 30_000,
    "here-documents": "<<" * 30_000,
    "substitutions": "$(" * 20_000,
    "quoted substitutions": '"$(' * 6_000,
    "words": "x " * 9_000,
    "commands": "a=b;" * 4_900,
    "loops": "for x in y; do " * 600 + "ls;" + "done;" * 600,
    "functions": "f(){ " * 1_000,
    "negations": "! " * 9_000 + "ls",
    "redirections": "ls " + ">a " * 1_400,
    "variables": "$a" * 9_000,
    "braces": "{a,b}" * 3_000,
    "folders": "cd a;" * 3_000 + "touch " + "x " * 1_000,
    "awk": "awk '" + "print" * 3_000 + "'",
    "sed": "sed '" + "s/a/b/;" * 2_500 + "'",
    "globs": "cat " + "*?" * 9_000,
    "paths": "cat " + "../" * 6_000,
    "escapes": "echo $'" + "\\x41" * 4_000 + "'",
}


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE.keys())
@pytest.mark.timeout(20)
def test_a_large_command_is_judged_before_long(text: str) -> None:
    assert judged(text).tier in Tier
