"""How a leg opens: the prompt by tier, mode and sandbox, the user's own prompt, the notes, and the size of it all."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from agent.catalogue import tools
from agent.edges import Place
from agent.errors import ConfigError
from agent.opening import LONGEST_PROMPT, NOTES_BYTES, Opener, template_of
from agent.room import size_of
from agent.settings import load
from agent.steps import Opened
from agent.tool import spec
from bot.first import bytes_of, first_request, shown, tokens
from tests.fakes.tools import Word

SMALL_TOKENS = 2_500  # SPEC 2.1
LARGE_BYTES = 12_000


def opener(**parts: Any) -> Opener:
    given = {
        "template": template_of(None), "tools": tools(), "model": "m", "panel": "ours", "mode": "sandbox",
        "host": "box-1", "zone": UTC,
    }  # fmt: skip
    return Opener(**{**given, **parts})


def opened(tmp_path: Path, **parts: Any) -> Opened:
    return opener(**parts)("session-1", Place(str(tmp_path), "/srv/app"), 1_700_000_000.0)


def words(text: str) -> int:
    """Tokens as a word-piece tokenizer would cut them, on the safe side: words in pieces of six letters, numbers in
    threes, each other sign for itself."""
    return len(re.findall(r" ?[A-Za-z]{1,6}|[0-9]{1,3}|\n+| +|[^A-Za-z0-9\s]", text))


def plain(opened: Opened) -> str:
    return opened.prompt + "".join(f"{tool.name}{tool.description}{tool.parameters}" for tool in opened.tools)


def test_the_prompt_names_session_day_host_and_folder(tmp_path: Path) -> None:
    prompt = opened(tmp_path).prompt
    for part in ("session-1", "2023-11-14", "box-1", "/srv/app"):
        assert part in prompt
    assert not re.search(r"\{[a-z]+\}", prompt)


@pytest.mark.parametrize(
    "rule",
    [
        "which NAME",
        "range of lines",
        "find /",
        "write_file",
        "through echo",
        "timeout_s",
        "ran it and saw",
        "done",
    ],
)
@pytest.mark.parametrize("tier", ["small", "mid", "large"])
def test_every_tier_is_told_the_rules(tmp_path: Path, tier: str, rule: str) -> None:
    assert rule in opened(tmp_path, tier=tier).prompt


def test_each_tier_has_words_of_its_own(tmp_path: Path) -> None:
    assert len({opened(tmp_path, tier=tier).prompt for tier in ("small", "mid", "large")}) == 3


@pytest.mark.parametrize(
    ("box", "mode", "told"),
    [
        ("bubblewrap", "sandbox", "/tmp is the sandbox's own"),
        ("landlock", "ask", "$TMPDIR"),
        ("bubblewrap", "full", ""),
        ("", "sandbox", ""),
    ],
)
def test_the_box_is_told_where_there_is_one(tmp_path: Path, box: str, mode: str, told: str) -> None:
    prompt = opened(tmp_path, box=box, mode=mode).prompt
    assert (told in prompt) if told else ("sandbox" not in prompt)
    assert "\n\n\n" not in prompt
    assert "call to call.\n\nReading" in prompt or told  # no empty line where nothing is told


def test_the_small_tier_has_fewer_tools(tmp_path: Path) -> None:
    small = {tool.name for tool in opened(tmp_path, tier="small").tools}
    large = {tool.name for tool in opened(tmp_path, tier="large").tools}
    assert {"shell", "read_file", "write_file", "edit_file", "list_dir"} <= small < large
    assert large == {tool.name for tool in opened(tmp_path, tier="mid").tools} == {tool.name for tool in tools()}


def test_a_cramped_context_gets_the_small_tier(tmp_path: Path) -> None:
    assert opened(tmp_path, tier="large", context=4_096).tier == "small"
    assert opened(tmp_path, tier="large", context=32_768).tier == "large"


def test_the_small_tier_fits_by_both_estimates() -> None:
    """3.5 bytes a token, and a count of word pieces; tiktoken's vocabulary would have to be downloaded."""
    first = first_request(load({"HOME": "/root"}).settings, "small")
    assert tokens(bytes_of(first)) <= SMALL_TOKENS
    assert words(plain(first)) <= SMALL_TOKENS


@pytest.mark.parametrize("tier", ["mid", "large"])
def test_the_first_request_with_all_built_ins_is_short(tier: str) -> None:
    assert bytes_of(first_request(load({"HOME": "/root"}).settings, tier)) <= LARGE_BYTES


def test_the_same_leg_gives_the_same_bytes(tmp_path: Path) -> None:
    assert replace(opened(tmp_path), at=0.0) == replace(opened(tmp_path), at=0.0)


def test_another_model_and_a_smaller_context_can_be_asked_for(tmp_path: Path) -> None:
    leg = opener(context=32_768)("s", Place(str(tmp_path), "/"), 0.0, "other", 8_000)
    assert (leg.model, leg.context) == ("other", 8_000)
    assert opener(context=4_000)("s", Place(str(tmp_path), "/"), 0.0, "", 8_000).context == 4_000
    assert opener()("s", Place(str(tmp_path), "/"), 0.0, "", 8_000).context == 8_000


def test_what_was_learnt_of_a_model_counts(tmp_path: Path) -> None:
    opens = opener(context=32_768)
    opens.window.refused("m", 20_000, 8_192)
    opens.window.heard("m", 4_000, 2_000)
    leg = opens("s", Place(str(tmp_path), "/"), 0.0)
    assert (leg.context, leg.ratio) == (8_192, 2.0)
    assert opens("s", Place(str(tmp_path), "/"), 0.0, "other").context == 32_768


@pytest.mark.parametrize(("size", "shown"), [(0, 0), (NOTES_BYTES, NOTES_BYTES), (NOTES_BYTES + 1, NOTES_BYTES)])
def test_notes_are_shown_up_to_their_limit(tmp_path: Path, size: int, shown: int) -> None:
    without = size_of(opened(tmp_path).prompt)
    (tmp_path / "NOTES.md").write_text("n" * size)
    told = size_of(opened(tmp_path).prompt) - without
    assert shown <= told <= shown + 120


def test_notes_leave_room_in_a_small_context(tmp_path: Path) -> None:
    (tmp_path / "NOTES.md").write_text("n" * NOTES_BYTES)
    assert opened(tmp_path, context=4_096).prompt.count("n" * 1_000) == 1


def test_notes_that_hold_our_placeholders_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "NOTES.md").write_text("use {nonce} and {host}")
    assert "use {nonce} and {host}" in opened(tmp_path).prompt


def test_tools_of_the_user_take_no_more_than_a_quarter(tmp_path: Path) -> None:
    class Wide:
        effect, description, arguments = "read", "d" * 3_000, Word

        def __init__(self, number: int) -> None:
            self.name = f"wide{number}"

    more = [Wide(number) for number in range(20)]
    names = {tool.name for tool in opened(tmp_path, context=8_192, more=lambda: more).tools}
    assert names & {tool.name for tool in more} == {"wide0"}
    assert names > {tool.name for tool in tools()}
    assert len(opened(tmp_path, more=lambda: more).tools) == len(tools()) + 20


def test_a_prompt_of_the_users_replaces_ours(tmp_path: Path) -> None:
    file = tmp_path / "prompt.md"
    file.write_text('Obey {host}. JSON like {"a": {}} and {unknown} stay.\n{notes}\n', "utf-8")
    prompt = opened(tmp_path, template=template_of(file)).prompt
    assert prompt == 'Obey box-1. JSON like {"a": {}} and {unknown} stay.'


def fifo(file: Path) -> None:
    os.mkfifo(file)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda file: None, "can't be read"),
        (Path.mkdir, "can't be read"),
        (fifo, "is empty"),
        (lambda file: file.write_bytes(b"\xff\xfe\x00bad"), "UTF-8"),
        (lambda file: file.write_text(" \n"), "is empty"),
        (lambda file: file.write_text("x" * (LONGEST_PROMPT + 1)), str(LONGEST_PROMPT)),
    ],
    ids=["missing", "folder", "pipe", "binary", "blank", "long"],
)
def test_a_prompt_file_that_is_none_refuses_the_start_in_a_sentence(tmp_path: Path, make: Any, why: str) -> None:
    file = tmp_path / "prompt.md"
    make(file)
    with pytest.raises(ConfigError, match=re.escape(why)) as raised:
        template_of(file)
    assert str(file) in str(raised.value)
    assert "JARVIS_RUN__PROMPT_FILE" in str(raised.value)


def test_a_prompt_file_at_its_limit_is_taken(tmp_path: Path) -> None:
    (tmp_path / "prompt.md").write_text("x" * LONGEST_PROMPT)
    assert template_of(tmp_path / "prompt.md") == "x" * LONGEST_PROMPT


def test_the_listing_shows_prompt_schemas_and_sizes() -> None:
    settings = load({"HOME": "/root"}).settings
    text = shown(settings)
    assert "You are Jarvis" in text
    for tool in tools():
        assert spec(tool).parameters in text
    for tier in ("small", "mid", "large"):
        assert f"# sizes, tier {tier}" in text
    first = first_request(settings, "mid")
    assert re.search(rf"in all +{bytes_of(first)} +{tokens(bytes_of(first))}\n", text)
    assert "# sizes, tier large" not in shown(settings, "small")
