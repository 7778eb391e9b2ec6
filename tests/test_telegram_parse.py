"""What Telegram updates mean to the rest of the program."""

from __future__ import annotations

import pytest

from bot.channel import Arrival, Attached, Quote
from bot.channels._telegram_address import Me
from bot.channels._telegram_parse import EARLIEST, SERVICE, UNUSABLE, read
from tests.fakes.bot_updates import ADA, FILE, GROUP, NOW, OTHER_BOT, Json, message, ours, press

ME = Me(1000, "Jarvis_test_bot")


def arrival(inner: Json, kind: str = "message") -> Arrival:
    return read({"update_id": 1, kind: inner}, ME, NOW)


def test_a_private_message() -> None:
    got = arrival(message("hello"))
    assert got.kind == "message"
    assert got.place.key == "telegram:1000:7:"
    assert got.ref == "telegram:1000:7:5"
    assert (got.sender, got.name, got.bot_sender, got.private, got.addressed) == (7, "Ada L", False, True, True)
    assert (got.text, got.date, got.unusable, got.command, got.quote) == ("hello", NOW, "", "", None)


def test_an_edit_keeps_the_message_id() -> None:
    got = arrival(message("hello there", edit_date=int(NOW)), "edited_message")
    assert (got.kind, got.message_id, got.text) == ("edit", 5, "hello there")


ANONYMOUS = {"id": 1087968824, "is_bot": True, "first_name": "Group"}
LINKED = {"id": 777000, "is_bot": False, "first_name": "Telegram"}
CHANNEL = {"id": -2, "type": "channel", "title": "Owner"}
SENDERS: list[tuple[Json, int | None]] = [
    ({}, 7),
    ({"from": ANONYMOUS, "sender_chat": {"id": GROUP, "type": "supergroup"}}, None),
    ({"from": ANONYMOUS}, None),
    ({"from": LINKED, "sender_chat": CHANNEL}, None),
    ({"from": LINKED}, None),
    ({"from": ADA, "sender_chat": CHANNEL}, None),
    ({"from": None}, None),
]


@pytest.mark.parametrize(("who", "sender"), SENDERS)
def test_only_a_person_is_a_sender(who: Json, sender: int | None) -> None:
    assert arrival(message("hi", GROUP, extra=who)).sender == sender


def test_a_message_without_from_has_no_sender() -> None:
    inner = message("hi", GROUP)
    del inner["from"]
    assert arrival(inner).sender is None


def test_a_private_chat_is_private_only_for_its_own_person() -> None:
    assert arrival(message("hi", 7)).private
    stranger = arrival(message("hi", 8))
    assert (stranger.private, stranger.addressed) == (False, False)
    assert not arrival(message("hi", 7, kind="group")).private


def test_other_bots_are_named_as_such() -> None:
    assert arrival(message("hi", GROUP, extra={"from": OTHER_BOT})).bot_sender


TOPICS: list[tuple[int, Json, Json, str]] = [
    (GROUP, {"is_forum": True}, {"message_thread_id": 55, "is_topic_message": True}, "55"),
    (GROUP, {"is_forum": True}, {"message_thread_id": 1, "is_topic_message": True}, ""),
    (GROUP, {"is_forum": True}, {"message_thread_id": 1}, ""),
    (GROUP, {"is_forum": True}, {}, ""),
    (GROUP, {"is_forum": True}, {"message_thread_id": 55}, "55"),
    (GROUP, {}, {"message_thread_id": 55}, ""),  # a thread of replies
    (GROUP, {}, {"message_thread_id": 55, "is_topic_message": True}, "55"),
    (7, {}, {"message_thread_id": 55, "is_topic_message": True}, "55"),
    (7, {"is_forum": True}, {"message_thread_id": 55}, ""),
]


@pytest.mark.parametrize(("chat", "forum", "thread", "topic"), TOPICS)
def test_topics(chat: int, forum: Json, thread: Json, topic: str) -> None:
    inner = message("hi", chat, **thread)
    inner["chat"].update(forum)
    assert arrival(inner).place.topic == topic


def test_a_quote_names_author_text_and_the_marked_part() -> None:
    original = message("first ORANGE then LEMON", message_id=3)
    got = arrival(message("this", reply_to_message=original, quote={"text": "LEMON", "position": 18}))
    assert got.quote == Quote(3, "Ada L", "first ORANGE then LEMON", "LEMON", ours=False)


def test_a_quote_from_another_chat_keeps_its_text() -> None:
    outside = {"origin": {"type": "hidden_user", "sender_user_name": "X", "date": 1}, "message_id": 9}
    got = arrival(message("this", external_reply=outside, quote={"text": "LEMON", "position": 0}))
    assert got.quote == Quote(9, selected="LEMON")


def test_the_first_message_of_a_topic_is_no_quote() -> None:
    first = ours(forum_topic_created={"name": "api", "icon_color": 1})
    got = arrival(message("hi", GROUP, reply_to_message=first))
    assert (got.quote, got.addressed) == (None, False)


CONTENT: dict[str, tuple[Json, str]] = {
    "sticker": ({"sticker": {**FILE, "type": "regular", "is_animated": False, "is_video": False}}, "sticker"),
    "video note": ({"video_note": FILE}, "video_note"),
    "location": ({"location": {"latitude": 1.5, "longitude": 2.5}}, "location"),
    "contact": ({"contact": {"phone_number": "1", "first_name": "C"}}, "contact"),
    "poll of a later API": ({"poll": {"id": "1", "question": "q"}}, "poll"),
    "unheard of": ({"hologram": {"x": 1}}, "other"),
}


@pytest.mark.parametrize("what", CONTENT)
def test_content_that_is_no_text_is_named(what: str) -> None:
    content, words = CONTENT[what]
    got = arrival(message(None, extra=content))
    assert (got.kind, got.unusable, got.text, got.attached) == ("message", words, "", ())


NAMED = {**FILE, "file_name": "../a.txt", "file_size": 7, "mime_type": "text/plain"}
SIZES = [{**FILE, "file_id": name, "width": w, "height": w} for name, w in (("s", 90), ("xl", 1280), ("m", 320))]
FILES: dict[str, tuple[Json, Attached]] = {
    "voice": ({"voice": FILE}, Attached("voice", "F")),
    "photo, its largest": ({"photo": SIZES}, Attached("photo", "xl")),
    "document": ({"document": NAMED}, Attached("document", "F", "../a.txt", 7, "text/plain")),
    "audio": ({"audio": NAMED}, Attached("audio", "F", "../a.txt", 7, "text/plain")),
    "video": ({"video": FILE}, Attached("video", "F")),
    "animation with its document": ({"animation": FILE, "document": FILE}, Attached("animation", "F")),
    "odd numbers": (
        {"document": {**FILE, "file_size": -1, "file_name": "\ud800"}},
        Attached("document", "F", "\ufffd"),
    ),
}


@pytest.mark.parametrize("what", FILES)
def test_a_file_is_told_of_with_what_its_sender_says(what: str) -> None:
    content, file = FILES[what]
    got = arrival(message(None, extra={**content, "caption": "see", "media_group_id": "G"}))
    assert (got.attached, got.unusable, got.text, got.album) == ((file,), "", "see", "G")
    quoting = arrival(message("this", reply_to_message=message(None, message_id=3, extra=content)))
    assert quoting.quote is not None
    assert (quoting.attached, quoting.quote.attached) == ((), (file,))


@pytest.mark.parametrize("notice", ["pinned_message", "new_chat_title", "group_chat_created", "video_chat_started"])
def test_service_messages_are_ignored(notice: str) -> None:
    value = {"new_chat_title": "T", "group_chat_created": True, "video_chat_started": {}, "pinned_message": message()}
    assert arrival(message(None, GROUP, extra={notice: value[notice]})).kind == "ignored"


def test_what_people_send_is_no_service_message() -> None:
    assert not SERVICE & set(UNUSABLE)
    assert not SERVICE & {"text", "caption", "from", "chat", "date", "message_id", "entities", "reply_to_message"}
    assert {"forum_topic_created", "new_chat_members", "left_chat_member", "migrate_from_chat_id"} <= SERVICE


def test_a_group_that_moved_says_where() -> None:
    got = arrival(message(None, -5001, kind="group", migrate_to_chat_id=-1005001))
    assert (got.kind, got.place.chat, got.text) == ("moved", "-5001", "-1005001")
    assert arrival(message(None, -1005001, migrate_from_chat_id=-5001)).kind == "ignored"


@pytest.mark.parametrize(
    "kind", ["channel_post", "edited_channel_post", "message_reaction", "brand_new", "my_chat_member"]
)
def test_other_updates_are_ignored(kind: str) -> None:
    got = arrival(message("@Jarvis_test_bot /stop", -100555, "channel"), kind)
    assert (got.kind, got.place.chat, got.sender, got.command) == ("ignored", "-100555", None, "")


@pytest.mark.parametrize("kind", ["channel", "galaxy"])
def test_other_kinds_of_chat_are_ignored(kind: str) -> None:
    assert arrival(message("hi", 55, kind)).kind == "ignored"


DAY = 86_400
DATES = [
    (int(NOW), NOW),
    (int(NOW) + DAY, NOW + DAY),
    (int(NOW) + DAY + 1, NOW),
    (2**31 - 1, NOW),
    (2**60, NOW),
    (-5, NOW),
    (0, NOW),
    (EARLIEST - 1, NOW),
    (EARLIEST, float(EARLIEST)),
]


@pytest.mark.parametrize(("date", "taken"), DATES)
def test_an_absurd_date_gives_way_to_the_time_of_receipt(date: int, taken: float) -> None:
    assert arrival(message("hi", date=date)).date == taken


def test_a_press_of_a_button() -> None:
    card = ours(message_thread_id=55, is_topic_message=True)
    got = arrival(press(message=card), "callback_query")
    assert (got.kind, got.press_id, got.data, got.sender, got.message_id) == ("press", "cb1", "stop", 7, 5)
    assert (got.place.key, got.private, got.addressed, got.date) == (f"telegram:1000:{GROUP}:55", False, True, NOW)
    assert arrival(press(message=ours(7)), "callback_query").private


@pytest.mark.parametrize("data", ["", "zzz", "\U0001f600" * 16, "x" * 500, "stop|../../x"])
def test_any_button_data_is_passed_on(data: str) -> None:
    assert arrival(press(data=data), "callback_query").data == data


def test_presses_under_old_and_inline_messages() -> None:
    old = arrival(
        press(message={"message_id": 5, "chat": {"id": GROUP, "type": "supergroup"}, "date": 0}), "callback_query"
    )
    assert (old.kind, old.message_id, old.date) == ("press", 5, NOW)
    inline = press(inline_message_id="i1")
    del inline["message"]
    assert arrival(inline, "callback_query").kind == "ignored"
