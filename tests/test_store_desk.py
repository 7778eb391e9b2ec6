"""The contract of inbox, routes and outbox, on both stores."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from agent.errors import StoreError
from agent.steps import Asked, End, Ended
from agent.tables import Store
from tests.store_contract import STORES, asked, ended, letter, opened, update


@pytest.fixture(params=STORES)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    async with opened(request.param, tmp_path) as one:
        yield one


# -- inbox ----------------------------------------------------------------------------------------------------------
async def test_an_update_is_received_once(store: Store) -> None:
    assert await store.receive([update(2), update(1), update(2)]) == [update(2), update(1)]
    assert await store.receive([update(1), update(3)]) == [update(3)]
    assert await store.receive([]) == []
    assert await store.waiting() == [update(1), update(2), update(3)]


async def test_a_known_update_keeps_its_first_content(store: Store) -> None:
    await store.receive([update(1, payload="first")])
    assert await store.receive([update(1, payload="second")]) == []
    assert [row.payload for row in await store.waiting()] == ["first"]


async def test_bots_count_their_updates_apart(store: Store) -> None:
    rows = [update(2, bot="a"), update(1, bot="b"), update(1, bot="a")]
    assert await store.receive(rows) == rows
    await store.done("a", 1)
    assert await store.waiting() == [update(1, bot="b"), update(2, bot="a")]


async def test_what_is_done_neither_waits_nor_comes_again(store: Store) -> None:
    await store.receive([update(1), update(2)])
    await store.done("bot", 1)
    await store.done("bot", 1)
    assert await store.receive([update(1)]) == []
    assert await store.waiting() == [update(2)]


async def test_an_update_is_not_done_before_it_came(store: Store) -> None:
    await store.done("bot", 1)
    assert await store.receive([update(1)]) == [update(1)]
    assert await store.waiting() == [update(1)]


@pytest.mark.parametrize(("payload", "stored"), [("a\ud83db", "a\ufffdb"), ("a\0b", "a\ufffdb"), ("ü😀", "ü😀")])
async def test_an_update_of_any_text_is_stored(store: Store, payload: str, stored: str) -> None:
    row = replace(update(1, payload=payload), poison=payload)
    kept = replace(update(1, payload=stored), poison=stored)
    assert await store.receive([row]) == [kept]
    assert await store.waiting() == [kept]


async def test_an_update_id_may_be_large(store: Store) -> None:
    assert await store.receive([update(2**62)]) == [update(2**62)]


# -- routes ---------------------------------------------------------------------------------------------------------
async def test_a_place_leads_to_its_newest_session(store: Store) -> None:
    assert await store.route("t:1:5:") is None
    await store.move("t:1:5:", "s1")
    await store.move("t:1:5:", "s2")
    assert await store.route("t:1:5:") == "s2"
    assert await store.route("t:1:5:7") is None


async def test_a_session_knows_its_place_after_the_route_moved_on(store: Store) -> None:
    assert await store.place_of("s1") is None
    await store.move("t:1:5:", "s1")
    await store.move("t:1:5:", "s2")
    assert await store.place_of("s1") == "t:1:5:"
    await store.move("t:1:6:", "s1")
    assert await store.place_of("s1") == "t:1:6:"


async def test_session_and_history_follow_a_chat_that_moved(store: Store) -> None:
    await store.move("t:1:-5:", "s1")
    await store.move("t:1:-5:", "s2")
    await store.move("t:1:-6:", "s3")
    for _ in range(2):  # both chats report the move
        await store.rename("t:1:-5:", "t:1:-100:")
        assert await store.route("t:1:-100:") == "s2"
        assert await store.route("t:1:-5:") is None
        assert [await store.place_of(s) for s in ("s1", "s2", "s3")] == ["t:1:-100:", "t:1:-100:", "t:1:-6:"]


async def test_the_old_session_wins_over_one_that_began_in_the_new_chat(store: Store) -> None:
    await store.move("old", "s1")
    await store.move("new", "s2")
    await store.rename("old", "new")
    assert await store.route("new") == "s1"
    assert await store.place_of("s2") == "new"


@pytest.mark.parametrize(("old", "new"), [("a", "a"), ("unknown", "a")])
async def test_a_rename_that_says_nothing_changes_nothing(store: Store, old: str, new: str) -> None:
    await store.move("a", "s1")
    await store.rename(old, new)
    assert await store.route("a") == "s1"
    assert await store.place_of("s1") == "a"


async def test_a_child_session_has_its_parents_place_from_its_first_step_on(store: Store) -> None:
    await store.move("t:1:5:", "s1")
    await store.append("s1/c1", 1, "b1", Asked(at=1.0, text="task", author="t:7"))
    await store.append("s2/c1", 1, "b2", Asked(at=1.0, text="task", author="t:7"))
    assert await store.place_of("s1/c1") == "t:1:5:"
    assert await store.place_of("s2/c1") is None
    assert await store.route("t:1:5:") == "s1"
    await store.rename("t:1:5:", "t:1:-100:")
    assert await store.place_of("s1/c1") == "t:1:-100:"


async def test_the_sessions_of_a_place_are_listed_the_newest_first_without_children(store: Store) -> None:
    for number, place in enumerate(("here", "here", "there", "here"), start=1):
        await store.move(place, f"s{number}")
        asked = Asked(at=float(number), text=f"title {number}", author="t:7")
        await store.append(f"s{number}", 1, "b", asked)
    await store.append("s4/c1", 1, "b", Asked(at=9.0, text="task", author="t:7"))
    await store.append("s1", 2, "b2", Ended(at=5.0, end=End.ANSWERED))
    found = await store.sessions_at("here", 2)
    assert [(each.session, each.title, each.running) for each in found] == [
        ("s1", "title 1", False),
        ("s4", "title 4", True),
    ]
    assert [each.session for each in await store.sessions_at("here", 9)] == ["s1", "s4", "s2"]
    assert await store.sessions_at("nowhere", 9) == []


# -- outbox ---------------------------------------------------------------------------------------------------------
async def test_a_letter_is_projected_once(store: Store) -> None:
    first = [letter("s:1:answer:0"), letter("s:1:answer:1")]
    assert await store.project("s", 3, first) == first
    assert await store.project("s", 4, [letter("s:1:answer:1", body="other"), letter("s:4:notice:0")]) == [
        letter("s:4:notice:0")
    ]
    assert await store.undelivered() == [*first, letter("s:4:notice:0")]
    assert await store.find("s:1:answer:1") == letter("s:1:answer:1")
    assert await store.find("s:9:answer:0") is None


async def test_the_order_of_letters_is_that_of_their_coming(store: Store) -> None:
    await store.project("z", 1, [letter("z:1:answer:0")])
    await store.project("a", 1, [letter("a:1:answer:1"), letter("a:1:answer:0")])
    assert [row.key for row in await store.undelivered()] == ["z:1:answer:0", "a:1:answer:1", "a:1:answer:0"]


@pytest.mark.parametrize(("first", "second", "after"), [(3, 5, 5), (3, 2, 3), (3, 3, 3), (0, 0, 0)])
async def test_a_cursor_never_moves_back(store: Store, first: int, second: int, after: int) -> None:
    assert await store.cursor("s") == 0
    await store.project("s", first, [])
    await store.project("s", second, [])
    assert await store.cursor("s") == after


async def test_a_session_is_behind_while_its_journal_is_longer_than_its_cursor(store: Store) -> None:
    await store.append("late", 1, "b1", asked(at=9.0))
    await store.append("early", 1, "b2", asked(at=1.0), ended(at=2.0))
    await store.append("even", 1, "b3", asked(at=1.0))
    await store.project("even", 1, [])
    await store.project("early", 1, [])
    await store.project("no journal", 7, [])
    assert await store.behind() == ["early", "late"]
    await store.project("early", 2, [])
    await store.append("even", 2, "b4", ended(at=10.0))
    assert await store.behind() == ["late", "even"]


@pytest.mark.parametrize(("state", "waits"), [("queued", True), ("sending", True), ("sent", False), ("dead", False)])
async def test_a_letter_waits_until_it_is_sent_or_dead(store: Store, state: str, waits: bool) -> None:
    await store.project("s", 1, [letter("k")])
    await store.mark("k", state)
    assert await store.find("k") == letter("k", state=state)
    assert await store.undelivered() == ([letter("k", state=state)] if waits else [])


async def test_a_mark_keeps_the_message_id_that_is_known(store: Store) -> None:
    await store.project("s", 1, [letter("k")])
    await store.mark("k", "sent", 77)
    await store.mark("k", "dead")
    assert await store.find("k") == replace(letter("k", state="dead"), message_id=77)


async def test_a_mark_for_an_unknown_letter_is_no_letter(store: Store) -> None:
    await store.mark("k", "sent", 1)
    assert await store.find("k") is None


async def test_a_state_that_no_sender_looks_at_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="lost"):
        await store.project("s", 5, [letter("k1"), letter("k2", state="lost")])
    assert await store.find("k1") is None
    assert await store.cursor("s") == 0
    with pytest.raises(StoreError, match="lost"):
        await store.mark("k1", "lost")


async def test_a_letter_of_any_text_is_stored(store: Store) -> None:
    assert await store.project("s", 1, [letter("k", body="a\ud83d\0")]) == [letter("k", body="a\ufffd\ufffd")]
    assert await store.find("k") == letter("k", body="a\ufffd\ufffd")
