"""The contract of retention, on both stores: what is old goes, and nothing that somebody may still need."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from sqlite3 import connect

import pytest

from agent.steps import Asked, Call, Commanded, Finished, Handed, Opened, Outcome, Purged, Said, Step, Usage
from agent.store.memory import MemoryStore
from agent.store.migrate import packaged
from agent.store.pruning import NEWEST
from agent.store.sqlite import SqliteStore
from agent.tables import Outgoing, Store
from tests.store_contract import STORES, ended, letter, update

DAY = 86_400.0
NOW = 1_000 * DAY
OLD = NOW - 90 * DAY  # what was before then goes
HERE = "telegram:1:7:"


class Ticking:
    """Wall time that a test sets."""

    def __init__(self) -> None:
        self.at = NOW

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture(params=STORES)
async def store(request: pytest.FixtureRequest, tmp_path: Path, clock: Ticking) -> AsyncIterator[Store]:
    one: Store = SqliteStore(tmp_path / "jarvis.db", now=clock) if request.param == "sqlite" else MemoryStore(clock)
    await one.open()
    yield one
    await one.close()


def leg(at: float, model: str = "m") -> Opened:
    return Opened(at=at, prompt="p", tools=(), model=model, panel="ours", day="d", cwd="/w", nonce="n")


def run(at: float, name: str = "q") -> list[Step]:
    """Four steps."""
    call = Call(f"c-{name}", "shell", "{}")
    return [
        Asked(at=at, text=name, author="t:7", ref=f"telegram:1:7:{name}"),
        Said(at=at, text="", calls=(call,), usage=Usage(10, 1)),
        Finished(at=at, call_id=call.id, tool="shell", outcome=Outcome.OK, text="out"),
        ended(at),
    ]


async def seqs(store: Store, session: str = "s") -> list[int]:
    return [seq for seq, _ in await store.read(session)]


# -- updates --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("received", "done", "gone"),
    [(OLD - 1, True, 1), (OLD, True, 0), (OLD + 1, True, 0), (OLD - 1, False, 0)],
)
async def test_an_update_goes_when_it_is_done_and_old(store: Store, received: float, done: bool, gone: int) -> None:
    await store.receive([replace(update(1), received=received)])
    await store.receive([replace(update(number), received=NOW) for number in range(2, NEWEST + 2)])
    if done:
        await store.done("bot", 1)
    assert await store.prune_updates(OLD) == gone
    assert len(await store.receive([update(1)])) == gone, "what is kept is known again"


async def test_the_newest_updates_stay_however_old_they_are(store: Store) -> None:
    """Telegram may serve the newest batch again, for as long as no later one was fetched: also after a jump of the
    clock, by which all of them look old."""
    for number in range(NEWEST + 3):
        await store.receive([replace(update(number), received=float(number))])
        await store.done("bot", number)
    await store.receive([replace(update(5, bot="another"), received=5.0)])
    await store.done("another", 5)
    assert await store.prune_updates(OLD) == 3
    assert await store.receive([update(number) for number in range(3, NEWEST + 3)]) == []
    assert await store.receive([update(5, bot="another")]) == []


# -- messages -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("at", "state", "gone"),
    [
        (OLD - 1, "sent", 1),
        (OLD - 1, "dead", 1),
        (OLD - 1, "queued", 0),
        (OLD - 1, "sending", 0),
        (OLD, "sent", 0),
        (NOW, "sent", 0),
    ],
)
async def test_a_message_goes_when_it_is_delivered_and_old(
    store: Store, clock: Ticking, at: float, state: str, gone: int
) -> None:
    clock.at = at
    await store.project("desk", 0, [letter("k", state=state)])
    assert await store.prune_letters(OLD) == gone
    assert (await store.find("k") is None) == bool(gone)


async def test_the_messages_of_a_run_that_goes_on_stay(store: Store, clock: Ticking) -> None:
    """Its card is edited, its question answered, also when it was parked for months."""
    await store.append("parked", 1, "b1", run(1.0, "a")[0])
    await store.append("over", 1, "b2", *run(1.0, "b"))
    clock.at = OLD - 1
    await store.project("cards", 0, [letter("parked:1:card", "sent"), letter("over:1:card", "sent")])
    assert await store.prune_letters(OLD) == 1
    assert await store.find("parked:1:card") is not None


# -- usage ----------------------------------------------------------------------------------------------------------
async def test_old_replies_no_longer_count(store: Store) -> None:
    await store.append("s", 1, "b1", *run(OLD - 1, "a"), *run(OLD, "b"), *run(NOW, "c"))
    assert await store.prune_usage(OLD) == 1
    assert sum(row.calls for row in await store.spent(0, NOW + 1)) == 2


# -- whole sessions -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("at", "rests"), [(OLD - 1, True), (OLD, False), (NOW, False)])
async def test_a_session_rests_when_nothing_was_added_for_long(store: Store, at: float, rests: bool) -> None:
    await store.append("s", 1, "b1", *run(at))
    assert await store.resting(OLD) == ["s"] * rests


async def test_what_goes_on_or_waits_for_its_chat_doesn_t_rest(store: Store) -> None:
    await store.append("running", 1, "b1", run(1.0, "a")[0])
    await store.append("running/c1", 1, "b2", *run(1.0, "b"))
    await store.append("unsent", 1, "b3", *run(1.0, "c"))
    await store.project("unsent", 4, [letter("unsent:4:answer:0")])
    assert await store.resting(OLD) == []
    assert await store.running_since() == 1.0
    for session in ("running", "running/c1"):
        await store.retire(session, 0.5)
    assert await seqs(store, "running") == [1] and len(await seqs(store, "running/c1")) == 4


async def test_a_session_goes_in_two_rounds(store: Store) -> None:
    """First no message finds its way to it any more: one that is just coming in still finds the session."""
    await store.move(HERE, "s")
    await store.append("s", 1, "b1", leg(1.0), *run(1.0))
    await store.project("s", 5, [letter("s:5:answer:0", "sent")])
    await store.project("cards", 0, [letter("s:2:card", "sent"), letter("s2:2:card", "sent")])
    assert await store.retire("s", OLD) is False
    assert await store.route(HERE) is None
    assert await store.place_of("s") == HERE and len(await seqs(store)) == 5
    assert await store.retire("s", OLD) is False
    assert await seqs(store) == [] and await store.place_of("s") is None and await store.cursor("s") == 0
    assert await store.find("s:5:answer:0") is None and await store.find("s:2:card") is None
    assert await store.find("s2:2:card") is not None
    assert await store.find_ref("telegram:1:7:q") is None
    assert await store.resting(OLD) == [] == await store.behind()


@pytest.mark.parametrize("added", [run(NOW, "b"), run(NOW, "b")[:1]])
async def test_a_session_that_came_to_life_meanwhile_stays(store: Store, added: list[Step]) -> None:
    await store.move(HERE, "s")
    await store.append("s", 1, "b1", *run(1.0, "a"))
    await store.retire("s", OLD)
    await store.append("s", 5, "b2", *added)
    assert await store.retire("s", OLD) is False
    assert len(await seqs(store)) == 4 + len(added) and await store.place_of("s") == HERE


async def test_a_session_that_is_not_there_is_no_trouble(store: Store) -> None:
    assert await store.retire("nobody", OLD) is False and await store.shorten("nobody", OLD, NOW) is False


async def test_many_runs_go_in_pieces(tmp_path: Path, clock: Ticking) -> None:
    store = SqliteStore(tmp_path / "jarvis.db", now=clock)
    await store.open()
    await store.append("s", 1, "b1", *[step for number in range(400) for step in run(1.0, str(number))])
    left = []
    while await store.retire("s", OLD):
        left.append(len(await seqs(store)))
    assert left[:2] == [1_400, 1_200] and left[-1] < 8 and await seqs(store) == []
    await store.close()


# -- the oldest runs of a session that is in use --------------------------------------------------------------------
async def test_the_runs_that_ended_long_ago_go_and_a_step_says_so(store: Store) -> None:
    await store.append("s", 1, "b1", leg(1.0), *run(1.0, "a"), *run(OLD - 1, "b"), *run(OLD, "c"), *run(NOW, "d"))
    await store.project("s", 17, [])
    assert await store.growing(OLD) == ["s"]
    assert await store.shorten("s", OLD, NOW) is True
    assert await seqs(store) == [1, *range(10, 19)]
    assert (await store.read("s"))[-1] == (18, Purged(at=NOW, upto=9, what="conversation"))
    assert await store.behind() == [], "there is nothing to show"
    assert await store.shorten("s", OLD, NOW) is False
    await store.append("s", 19, "b2", *run(NOW, "e"))
    assert await seqs(store) == [1, *range(10, 23)]


@pytest.mark.parametrize(("oldest", "goes"), [(OLD - DAY - 1, True), (OLD - DAY, False), (OLD - 1, False)])
async def test_it_is_done_once_a_day(store: Store, oldest: float, goes: bool) -> None:
    await store.append("s", 1, "b1", *run(oldest, "a"), *run(OLD - 1, "b"), *run(NOW, "c"))
    assert await store.shorten("s", OLD, NOW) is goes
    assert await seqs(store) == ([9, 10, 11, 12, 13] if goes else list(range(1, 13)))


async def test_a_run_that_goes_on_is_left_alone(store: Store) -> None:
    await store.append("s", 1, "b1", *run(1.0, "a"), *run(NOW, "b")[:2])
    assert await store.growing(OLD) == [] and await store.shorten("s", OLD, NOW) is False
    assert len(await seqs(store)) == 6


async def test_the_leg_and_the_chosen_model_stay_and_an_older_word_of_a_purge_goes(store: Store) -> None:
    chosen = [Commanded(at=1.0, command=name, by="t:7", value=name) for name in ("model", "pause")]
    handed = Handed(at=1.0, checkpoint="{}", text="t")
    await store.append("s", 1, "b1", leg(1.0), *run(1.0, "a"), leg(1.0, "n"), *chosen, handed, *run(1.0, "b"))
    await store.append("s", 14, "b2", *run(OLD + 2 * DAY, "c"), *run(NOW, "d"))
    assert await store.shorten("s", OLD, NOW)
    assert await seqs(store) == [6, 7, *range(14, 23)]
    assert await store.shorten("s", OLD + 4 * DAY, NOW + 4 * DAY)
    assert await seqs(store) == [6, 7, *range(18, 22), 23]


async def test_the_messages_of_what_went_are_unknown_and_those_of_the_rest_are_not(store: Store) -> None:
    await store.append("s", 1, "b1", *run(1.0, "a"), *run(NOW, "b"))
    await store.shorten("s", OLD, NOW)
    assert await store.find_ref("telegram:1:7:a") is None
    assert await store.find_ref("telegram:1:7:b") == ("s", 5)


async def test_many_old_runs_go_in_pieces_and_leave_one_step(tmp_path: Path, clock: Ticking) -> None:
    store = SqliteStore(tmp_path / "jarvis.db", now=clock)
    await store.open()
    await store.append("s", 1, "b1", *[step for number in range(120) for step in run(1.0, str(number))])
    await store.append("s", 481, "b2", *run(NOW, "new"))
    pieces = 0
    while await store.shorten("s", OLD, NOW):
        pieces += 1
    assert pieces == 3 and await seqs(store) == [481, 482, 483, 484, 487]
    await store.close()


async def test_what_a_former_release_put_into_the_outbox_is_as_old_as_the_newest_run(tmp_path: Path) -> None:
    path, former = tmp_path / "jarvis.db", packaged()[:3]
    store = SqliteStore(path, migrations=former)
    await store.open()
    await store.append("s", 1, "b1", *run(OLD))
    await store.close()
    with closing(connect(path)) as db:
        db.execute("INSERT INTO outbox VALUES ('s:1:card', 1, 'cards', '7', '{}', 'card', 'sent', 5)")
        db.commit()
    store = SqliteStore(path)
    await store.open()
    assert await store.prune_letters(OLD) == 0
    assert await store.find("s:1:card") == Outgoing("s:1:card", "7", "{}", "card", "sent", 5)
    assert await store.prune_letters(OLD + 1) == 1
    await store.close()
