"""Opening: files that are damaged, foreign, newer or open to others, and the way back (FAULTS H18)."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from agent.errors import StoreBroken, StoreError
from agent.steps import Asked
from agent.store.codec import encode
from agent.store.migrate import Migration, packaged
from agent.store.sqlite import SqliteStore
from tests.store_contract import ONE_OF_EACH, asked

NOW = len(packaged())  # the newest schema
NEXT = Migration(NOW + 1, "mood", "CREATE TABLE moods (mood TEXT);\nINSERT INTO moods (mood) VALUES ('good');")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "jarvis.db"


async def filled(path: Path, migrations: tuple[Migration, ...] = packaged()) -> None:
    store = SqliteStore(path, migrations=migrations)
    await store.open()
    await store.append("s", 1, "b1", *ONE_OF_EACH)
    for number in range(60):
        await store.append(f"s{number}", 1, "b1", asked("x" * 500))
    await store.close()


async def opens(path: Path, migrations: tuple[Migration, ...] = packaged()) -> int:
    store = SqliteStore(path, migrations=migrations)
    await store.open()
    try:
        return len(await store.read("s"))
    finally:
        await store.close()


def cut(size: int) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        os.truncate(path, size if size >= 0 else path.stat().st_size + size)

    return damage


def flip(place: int, count: int = 1) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        data = bytearray(path.read_bytes())
        for at in range(place, place + count):
            data[at] ^= 0xFF
        path.write_bytes(data)

    return damage


def replaced(content: bytes) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        path.write_bytes(content)

    return damage


def of_another_program(path: Path) -> None:
    path.unlink()
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE recipes (name TEXT)")
    db.close()


def newer(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("INSERT INTO schema_version (version, name) VALUES (99, 'from the future')")
    db.commit()
    db.close()


def without_its_log(path: Path) -> None:
    path.unlink()
    path.with_name("jarvis.db-wal").write_bytes(b"the newest steps")


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(cut(0), id="zero length"),
        pytest.param(cut(7), id="shorter than the magic"),
        pytest.param(cut(100), id="header only"),
        pytest.param(cut(4096), id="one page"),
        pytest.param(cut(-4096), id="last page gone"),
        pytest.param(cut(-1), id="last byte gone"),
        pytest.param(cut(-2000), id="half a page gone"),
        pytest.param(flip(0), id="magic flipped"),
        pytest.param(flip(16, 2), id="page size flipped"),
        pytest.param(flip(100, 8), id="schema page flipped"),
        pytest.param(flip(3 * 4096, 12), id="a page's header flipped"),
        pytest.param(replaced(b"Dear diary, this is no database at all."), id="not a database"),
        pytest.param(replaced(bytes(8192)), id="all zero"),
        pytest.param(of_another_program, id="another program's"),
        pytest.param(newer, id="newer"),
        pytest.param(without_its_log, id="gone, but for its log"),
    ],
)
async def test_what_is_no_sound_store_is_refused_and_left_as_it_is(path: Path, damage: Callable[[Path], None]) -> None:
    await filled(path)
    damage(path)
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    with pytest.raises(StoreBroken) as caught:
        await opens(path)
    after = {file.name: file.read_bytes() for file in path.parent.iterdir() if not file.name.endswith("-shm")}
    assert {name: data for name, data in after.items() if data} == {n: d for n, d in before.items() if d}
    assert caught.value.exit_code == 5
    assert str(path) in str(caught.value)
    assert "move" in str(caught.value)
    assert "backup" in str(caught.value)


@pytest.mark.parametrize("damage", [flip(0), flip(8192, 12)], ids=["magic", "a page"])
async def test_the_log_beside_a_damaged_file_is_left_as_it_is(path: Path, damage: Callable[[Path], None]) -> None:
    await filled(path)
    store = SqliteStore(path)
    await store.open()
    await store.append("s", len(ONE_OF_EACH) + 1, "b2", asked("only in the log so far"))
    crashed = path.parent / "crashed" / path.name
    crashed.parent.mkdir()
    log = crashed.with_name("jarvis.db-wal")
    shutil.copy(path, crashed)
    shutil.copy(path.with_name(log.name), log)
    await store.close()
    newest = log.read_bytes()
    damage(crashed)
    damaged = crashed.read_bytes()
    with pytest.raises(StoreBroken):
        await opens(crashed)
    assert (crashed.read_bytes(), log.read_bytes()) == (damaged, newest)
    damage(crashed)  # flipped twice is as it was
    assert await opens(crashed) == len(ONE_OF_EACH) + 1


async def test_any_flipped_byte_is_survived_or_refused_in_words(path: Path) -> None:
    await filled(path)
    sound = path.read_bytes()
    rng = random.Random(5)
    outcomes: set[object] = set()
    for _ in range(40):
        place = rng.choice([rng.randrange(100), rng.randrange(len(sound))])
        path.write_bytes(sound)
        flip(place)(path)
        try:
            outcomes.add(await opens(path) > 0)
        except StoreError as error:
            outcomes.add(type(error))
    assert {True, StoreBroken} <= outcomes


async def test_a_damaged_page_that_only_reading_finds_is_told_as_such(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(path)
    pages = path.stat().st_size // 4096
    text = [page for page in range(pages) if b"x" * 400 in path.read_bytes()[page * 4096 : (page + 1) * 4096]]
    for page in text:  # the steps, but not the schema and its version
        flip(page * 4096, 4096)(path)
    monkeypatch.setattr("agent.store.opening.CHECKED", 0)
    store = SqliteStore(path)
    await store.open()
    with pytest.raises(StoreBroken, match="is damaged"):
        for number in range(60):
            await store.read(f"s{number}")
        await store.read("s")
    await store.close()


async def test_a_step_that_cannot_be_read_is_told_as_such(path: Path) -> None:
    await filled(path)
    db = sqlite3.connect(path)
    db.execute("UPDATE steps SET body = CAST(x'ff80' AS TEXT) WHERE session = 's'")
    db.execute("UPDATE steps SET kind = 'dreamt' WHERE session = 's1'")
    db.commit()
    db.close()
    store = SqliteStore(path)
    await store.open()
    for session in ("s", "s1"):
        with pytest.raises(StoreBroken):
            await store.read(session)
    assert len(await store.read("s2")) == 1
    await store.close()


@pytest.mark.parametrize("folder", ["", "nowhere"])
async def test_a_place_that_is_no_file_is_refused_in_words(tmp_path: Path, folder: str) -> None:
    target = tmp_path if not folder else tmp_path / folder / "jarvis.db"
    with pytest.raises(StoreError, match="can't be opened"):
        await opens(target)


async def test_a_first_start_that_was_cut_short_begins_anew(path: Path) -> None:
    for name in ("jarvis.db.new", "jarvis.db.new-wal", "jarvis.db.new-shm"):
        path.with_name(name).write_bytes(b"half a databa")
    await filled(path)
    assert await opens(path) == len(ONE_OF_EACH)
    assert [file.name for file in path.parent.iterdir()] == ["jarvis.db"]


# -- migrations -----------------------------------------------------------------------------------------------------
def test_migrations_are_numbered_without_a_gap() -> None:
    assert [migration.version for migration in packaged()] == list(range(1, len(packaged()) + 1))


async def test_a_migration_keeps_a_copy_of_what_was_and_the_copy_works(path: Path) -> None:
    await filled(path)
    assert await opens(path, (*packaged(), NEXT)) == len(ONE_OF_EACH)
    backup = path.with_name(f"jarvis.db.v{NOW:03}.backup")
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert rows(path, "SELECT mood FROM moods") == [("good",)]
    assert rows(path, "SELECT version, name FROM schema_version") == [
        *[(m.version, m.name) for m in packaged()],
        (NOW + 1, "mood"),
    ]

    flip(0)(path)
    with pytest.raises(StoreBroken, match=str(backup)):
        await opens(path, (*packaged(), NEXT))
    path.rename(path.with_name("aside.db"))
    shutil.copy(backup, path)
    assert await opens(path) == len(ONE_OF_EACH)
    assert await opens(path, (*packaged(), NEXT)) == len(ONE_OF_EACH)


async def test_each_migration_has_its_copy(path: Path) -> None:
    await filled(path)
    third = Migration(NOW + 2, "pace", "ALTER TABLE moods ADD COLUMN pace TEXT;")
    await opens(path, (*packaged(), NEXT, third))
    copies = sorted(path.parent.glob("*.backup"))
    assert [file.name for file in copies] == [f"jarvis.db.v{NOW:03}.backup", f"jarvis.db.v{NOW + 1:03}.backup"]
    assert rows(copies[1], "SELECT mood FROM moods") == [("good",)]


async def first_release(path: Path) -> None:
    """A store as the first release left it: its schema, and rows by its statements."""
    await opens(path, packaged()[:1])
    with closing(sqlite3.connect(path)) as db:
        db.execute("INSERT INTO sessions VALUES ('s', ?, NULL, 'hello', 1.5, 10.0)", (len(ONE_OF_EACH),))
        for seq, step in enumerate(ONE_OF_EACH, 1):
            values = ("s", seq, "b1", *encode(step), step.ref if isinstance(step, Asked) else None)
            db.execute(
                "INSERT INTO steps (session, seq, batch, kind, version, body, ref) VALUES (?,?,?,?,?,?,?)", values
            )
        db.commit()


async def test_a_store_of_the_first_release_is_brought_up_to_date(path: Path) -> None:
    await first_release(path)
    assert await opens(path) == len(ONE_OF_EACH)
    assert rows(path, "SELECT MAX(version) FROM schema_version") == [(NOW,)]
    assert rows(path.with_name("jarvis.db.v001.backup"), "SELECT version, name FROM schema_version") == [(1, "first")]


async def test_a_new_store_needs_no_copy(path: Path) -> None:
    await filled(path, (*packaged(), NEXT))
    assert not list(path.parent.glob("*.backup"))


@pytest.mark.parametrize("script", ["CREATE TABLE half (x TEXT);\nCREATE TABLE steps (x TEXT);", "CREATE TABL"])
async def test_a_migration_that_fails_leaves_all_as_it_was(path: Path, script: str) -> None:
    await filled(path)
    with pytest.raises(StoreError):
        await opens(path, (*packaged(), Migration(NOW + 1, "broken", script)))
    assert rows(path, "SELECT MAX(version) FROM schema_version") == [(NOW,)]
    assert rows(path, "SELECT name FROM sqlite_master WHERE name = 'half'") == []
    assert await opens(path) == len(ONE_OF_EACH)


def rows(path: Path, statement: str) -> list[tuple[object, ...]]:
    db = sqlite3.connect(path)
    try:
        return db.execute(statement).fetchall()
    finally:
        db.close()


# -- who may read it ------------------------------------------------------------------------------------------------
@pytest.fixture
def wide_open() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("wide_open")
async def test_only_the_owner_may_read_it_whatever_the_umask(path: Path) -> None:
    store = SqliteStore(path)
    await store.open()
    await store.append("s", 1, "b1", asked())
    assert modes(path) == {"jarvis.db": 0o600, "jarvis.db-wal": 0o600, "jarvis.db-shm": 0o600}
    await store.close()
    await opens(path, (*packaged(), NEXT))
    assert set(modes(path).values()) == {0o600}


@pytest.mark.usefixtures("wide_open")
async def test_a_file_that_others_may_read_is_closed_to_them(path: Path) -> None:
    await filled(path)
    path.chmod(0o664)
    await opens(path)
    assert set(modes(path).values()) == {0o600}


def modes(path: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
