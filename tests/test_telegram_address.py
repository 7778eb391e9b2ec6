"""Whom a Telegram message is for, and which command it is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channel import Arrival
from bot.channels._telegram_address import Me, clean, cut
from bot.channels._telegram_parse import read
from tests.fakes.bot_updates import GROUP, NOW, OTHER_BOT, US, Json, entity, mention, message, ours

ME = Me(1000, "Jarvis_test_bot")


def arrival(inner: Json) -> Arrival:
    return read({"update_id": 1, "message": inner}, ME, NOW)


M = "@Jarvis_test_bot"
ADDRESSED: list[tuple[str, list[Json], bool, str]] = [
    ("hi all", [], False, "hi all"),
    (f"{M} hi", [mention(f"{M} hi")], True, "hi"),
    (f"{M}, hi", [mention(f"{M}, hi")], True, "hi"),
    (f"hi {M} there", [mention(f"hi {M} there")], True, f"hi {M} there"),
    (f"😀👨‍👩‍👧 {M} x", [mention(f"😀👨‍👩‍👧 {M} x")], True, f"😀👨‍👩‍👧 {M} x"),
    (f"{M.upper()} hi", [entity("mention", 0, len(M))], True, "hi"),
    (f"{M.lower()} hi", [entity("mention", 0, len(M))], True, "hi"),
    (f"{M}ty hi", [entity("mention", 0, len(M) + 2)], False, f"{M}ty hi"),
    (f"{M} hi", [], False, f"{M} hi"),  # Telegram didn't mark it: in a code block, say
    (f"{M} hi", [entity("code", 0, len(M))], False, f"{M} hi"),
    (f"😀{M}", [entity("mention", 1, len(M))], False, f"😀{M}"),  # an offset in code points is wrong by one
    ("Jarvis hi", [entity("text_mention", 0, 6, user=US)], True, "hi"),
    ("Other hi", [entity("text_mention", 0, 5, user=OTHER_BOT)], False, "Other hi"),
    ("hi", [entity("sparkle", 0, 2)], False, "hi"),
    ("hi", [entity("mention", 1, 500)], False, "hi"),
    ("hi", [entity("mention", -1, 2)], False, "hi"),
    (M, [mention(M)], True, ""),
]


@pytest.mark.parametrize(("text", "entities", "ours", "left"), ADDRESSED)
def test_who_a_group_message_is_for(text: str, entities: list[Json], ours: bool, left: str) -> None:
    got = arrival(message(text, GROUP, entities=entities))
    assert (got.addressed, got.text) == (ours, left)
    caption = arrival(message(None, GROUP, photo=[], caption=text, caption_entities=entities))
    assert (caption.addressed, caption.text, caption.unusable) == (ours, left, "photo")


def test_odd_offsets_are_passed_over() -> None:
    entities = [entity("mention", "0", len(M)), entity("mention", 0, 1.5), entity("mention", True, 3)]
    assert not arrival(message(f"{M} hi", GROUP, entities=entities)).addressed


COMMANDS: list[tuple[str, int, bool, str, str]] = [
    ("/stop", 7, True, "stop", ""),
    ("/STOP", 7, True, "stop", ""),
    ("/new fix the tests\nnow", 7, True, "new", "fix the tests\nnow"),
    ("/new@jarvis_TEST_bot x", 7, True, "new", "x"),
    ("/etc/hosts is gone", 7, True, "", ""),
    ("/stopé", 7, True, "", ""),
    ("/", 7, True, "", ""),
    ("// a comment", 7, True, "", ""),
    ("say /stop", 7, True, "", ""),
    ("/stop@other_bot", 7, True, "", ""),
    ("/stop", GROUP, True, "stop", ""),
    ("/stop@Jarvis_test_bot", GROUP, True, "stop", ""),
    ("/stop@other_bot", GROUP, False, "", ""),
    ("/stop@Jarvis_test_botty", GROUP, False, "", ""),
    ("/etc/hosts", GROUP, False, "", ""),
    ("/" + "x" * 64, 7, True, "x" * 64, ""),
    ("/" + "x" * 65, 7, True, "", ""),
]


@pytest.mark.parametrize(("text", "chat", "ours", "command", "args"), COMMANDS)
def test_commands(text: str, chat: int, ours: bool, command: str, args: str) -> None:
    got = arrival(message(text, chat))
    assert (got.addressed, got.command, got.args) == (ours, command, args)


def test_a_command_after_a_mention_of_us_counts() -> None:
    text = f"{M} /status now"
    got = arrival(message(text, GROUP, entities=[mention(text)]))
    assert (got.command, got.args) == ("status", "now")


def test_a_command_for_another_bot_is_not_ours_even_in_a_reply_to_us() -> None:
    got = arrival(message("/stop@other_bot", GROUP, reply_to_message=ours()))
    assert not got.addressed


@pytest.mark.parametrize("chat", [7, GROUP])
def test_a_forwarded_message_is_never_a_command(chat: int) -> None:
    origin = {"type": "hidden_user", "sender_user_name": "Mallory", "date": 1}
    got = arrival(message("/stop", chat, forward_origin=origin))
    assert (got.forwarded, got.command, got.text) == (True, "", "/stop")
    assert got.addressed is (chat == 7)


def test_a_reply_to_us_is_addressed() -> None:
    got = arrival(message("and?", GROUP, reply_to_message=ours(message_id=3)))
    assert got.addressed
    assert got.quote is not None
    assert got.quote.ours
    assert not arrival(message("and?", GROUP, reply_to_message=message("x", GROUP))).addressed


def test_broken_unicode_is_replaced_and_offsets_hold() -> None:
    raw = json.loads('"\\ud83d x\\u0000 "') + f"{M} y"
    got = arrival(message(raw, GROUP, entities=[entity("mention", 5, len(M))]))
    assert got.text == f"\ufffd x\ufffd {M} y"
    assert got.addressed
    got.text.encode()


CUTS = [
    ("abc", 0, 3, "abc"),
    ("abc", 0, 4, ""),
    ("abc", 3, 1, ""),
    ("abc", 2, 1, "c"),
    ("abc", -1, 1, ""),
    ("abc", 0, 0, ""),
    ("😀b", 2, 1, "b"),
    ("😀b", 0, 2, "😀"),
    ("😀b", 1, 1, "\ufffd"),
    ("", 0, 1, ""),
]


@pytest.mark.parametrize(("text", "offset", "length", "part"), CUTS)
def test_entities_cut_by_utf16_units(text: str, offset: int, length: int, part: str) -> None:
    assert cut(text, offset, length) == part


@given(st.text(st.characters(codec=None), max_size=50))
def test_cleaned_text_keeps_its_utf16_length_and_can_be_written(text: str) -> None:
    done = clean(text)
    done.encode()
    assert len(done.encode("utf-16-le")) == len(text.encode("utf-16-le", "surrogatepass"))
