"""All SQL that runs against the tables, in the words that SQLite and PostgreSQL share, with `?` for a value."""

from __future__ import annotations

# -- journal --------------------------------------------------------------------------------------------------------
HEAD = "SELECT head, asked, title, created, updated, run, person FROM sessions WHERE session = ?"
SAVE_HEAD = """
    INSERT INTO sessions (session, head, asked, title, created, updated, run, person) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (session) DO UPDATE SET
        head = excluded.head, asked = excluded.asked, title = excluded.title, updated = excluded.updated,
        run = excluded.run, person = excluded.person
"""
ADD_STEP = """
    INSERT INTO steps (session, seq, batch, kind, version, body, ref) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING RETURNING seq
"""
BATCHES = "SELECT batch FROM steps WHERE session = ? AND seq >= ? AND seq < ? ORDER BY seq"
READ = "SELECT seq, kind, version, body FROM steps WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?"
UNFINISHED = "SELECT session FROM sessions WHERE asked IS NOT NULL ORDER BY asked, session"
FIND_REF = "SELECT session, seq FROM steps WHERE ref = ?"

# -- inbox ----------------------------------------------------------------------------------------------------------
RECEIVE = """
    INSERT INTO inbox (bot, update_id, chat, payload, received, poison) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING RETURNING update_id
"""
WAITING = """
    SELECT bot, update_id, chat, payload, received, poison FROM inbox WHERE done = 0 ORDER BY update_id, bot
"""
DONE = "UPDATE inbox SET done = 1 WHERE bot = ? AND update_id = ?"

# -- routes ---------------------------------------------------------------------------------------------------------
ROUTE = "SELECT session FROM routes WHERE place = ?"
MOVE = """
    INSERT INTO routes (place, session) VALUES (?, ?)
    ON CONFLICT (place) DO UPDATE SET session = excluded.session
"""
FORGET_ROUTE = "DELETE FROM routes WHERE place = ?"
PLACE_OF = "SELECT place FROM places WHERE session = ?"
REMEMBER_PLACE = """
    INSERT INTO places (session, place) VALUES (?, ?)
    ON CONFLICT (session) DO UPDATE SET place = excluded.place
"""
INHERIT_PLACE = """
    INSERT INTO places (session, place) SELECT ?, place FROM places WHERE session = ?
    ON CONFLICT (session) DO NOTHING
"""
SESSIONS_AT = """
    SELECT sessions.session, sessions.title, sessions.updated, CASE WHEN sessions.asked IS NULL THEN 0 ELSE 1 END
    FROM places JOIN sessions ON sessions.session = places.session
    WHERE places.place = ? AND sessions.session NOT LIKE '%/%'
    ORDER BY sessions.updated DESC, sessions.session DESC LIMIT ?
"""
SESSIONS_BUT = "SELECT session FROM places WHERE place = ? AND session <> ?"
OVERWRITE = "PRAGMA secure_delete = ON"  # what is deleted is zeroed in the file, too
WRITE_BACK = "PRAGMA wal_checkpoint(TRUNCATE)"
FORGET_SESSION = (
    "DELETE FROM steps WHERE session = ?",
    "DELETE FROM sessions WHERE session = ?",
    "DELETE FROM cursors WHERE session = ?",
    "DELETE FROM places WHERE session = ?",
)
# A status card's row has no session of its own. The range is for the index, and holds more than the prefix nowhere.
FORGET_SENT = "DELETE FROM outbox WHERE key >= ? AND key < ? AND substr(key, 1, ?) = ?"
FORGET_TEXTS = "UPDATE inbox SET payload = '{}' WHERE chat = ? AND done = 1"
RENAME_PLACES = "UPDATE places SET place = ? WHERE place = ?"

# -- outbox ---------------------------------------------------------------------------------------------------------
LAST_NR = "SELECT COALESCE(MAX(nr), 0) FROM outbox"
ADD_OUTGOING = """
    INSERT INTO outbox (key, chat, body, role, state, message_id, nr, session, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (key) DO NOTHING RETURNING nr
"""
MOVE_CURSOR = """
    INSERT INTO cursors (session, seq) VALUES (?, ?)
    ON CONFLICT (session) DO UPDATE SET seq = excluded.seq WHERE excluded.seq > cursors.seq
"""
CURSOR = "SELECT seq FROM cursors WHERE session = ?"
BEHIND = """
    SELECT sessions.session FROM sessions LEFT JOIN cursors ON cursors.session = sessions.session
    WHERE sessions.head > COALESCE(cursors.seq, 0) ORDER BY sessions.updated, sessions.session
"""
MARK = "UPDATE outbox SET state = ?, message_id = COALESCE(?, message_id) WHERE key = ?"
UNDELIVERED = """
    SELECT key, chat, body, role, state, message_id FROM outbox WHERE state IN ('queued', 'sending') ORDER BY nr
"""
FIND_OUTGOING = "SELECT key, chat, body, role, state, message_id FROM outbox WHERE key = ?"

# -- usage ----------------------------------------------------------------------------------------------------------
ADD_USAGE = """
    INSERT INTO usage (session, seq, at, person, run, model, prompt, completion, cached, money, estimated)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
SPENT = """
    SELECT COALESCE(places.place, ''), usage.person, usage.model, COUNT(*), SUM(usage.prompt), SUM(usage.completion),
        SUM(usage.cached), COALESCE(SUM(usage.money), 0.0), COUNT(usage.money), SUM(usage.estimated)
    FROM usage LEFT JOIN places ON places.session = usage.session
    WHERE usage.at >= ? AND usage.at < ? GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""

# -- people, switches, refs -----------------------------------------------------------------------------------------
ADMIT = """
    INSERT INTO people (person, role, name, added_by, at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (person) DO UPDATE SET
        role = excluded.role, name = excluded.name, added_by = excluded.added_by, at = excluded.at
"""
DISMISS = "DELETE FROM people WHERE person = ?"
PEOPLE = "SELECT person, role, name, added_by, at FROM people ORDER BY at, person"
RELOCATE = "INSERT INTO relocations (old, new) VALUES (?, ?) ON CONFLICT (old) DO NOTHING"
RELOCATIONS = "SELECT old, new FROM relocations"
SWITCH = """
    INSERT INTO switches (name, value, until, changed_by, at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET
        value = excluded.value, until = excluded.until, changed_by = excluded.changed_by, at = excluded.at
"""
SWITCHES = "SELECT name, value, until, changed_by, at FROM switches ORDER BY name"
REMEMBER = "INSERT INTO refs (ref, kind, body, expires) VALUES (?, ?, ?, ?) ON CONFLICT (ref) DO NOTHING"
RECALL = "SELECT ref, kind, body, expires, used FROM refs WHERE ref = ?"
USE = "UPDATE refs SET used = 1 WHERE ref = ? AND used = 0 RETURNING ref, kind, body, expires, used"
FORGET_REFS = "DELETE FROM refs WHERE expires < ?"

# -- retention ------------------------------------------------------------------------------------------------------
BOTS = "SELECT DISTINCT bot FROM inbox"
NTH_NEWEST_UPDATE = "SELECT received FROM inbox WHERE bot = ? ORDER BY received DESC LIMIT 1 OFFSET ?"
PRUNE_UPDATES = """
    DELETE FROM inbox WHERE bot = ? AND update_id IN
        (SELECT update_id FROM inbox WHERE bot = ? AND received < ? AND done = 1 ORDER BY received LIMIT ?)
    RETURNING update_id
"""
# A run that goes on may still want its own, whoever keeps them: a `_` in the name of a session only keeps more.
PRUNE_LETTERS = """
    DELETE FROM outbox WHERE key IN (
        SELECT key FROM outbox WHERE at < ? AND state IN ('sent', 'dead') AND NOT EXISTS
            (SELECT 1 FROM sessions WHERE sessions.asked IS NOT NULL AND outbox.key LIKE sessions.session || ':%')
        ORDER BY at LIMIT ?)
    RETURNING key
"""
PRUNE_USAGE = """
    DELETE FROM usage WHERE (session, seq) IN (SELECT session, seq FROM usage WHERE at < ? ORDER BY at LIMIT ?)
    RETURNING seq
"""
RUNNING_SINCE = "SELECT MIN(asked) FROM sessions WHERE asked IS NOT NULL"
RESTING = """
    SELECT session FROM sessions WHERE asked IS NULL AND updated < ? AND NOT EXISTS
        (SELECT 1 FROM outbox WHERE outbox.session = sessions.session AND outbox.state IN ('queued', 'sending'))
    AND NOT EXISTS
        (SELECT 1 FROM sessions AS parent WHERE parent.asked IS NOT NULL AND
            sessions.session LIKE parent.session || '/%')
    ORDER BY updated, session
"""
GROWING = "SELECT session FROM sessions WHERE asked IS NULL AND created < ? AND updated >= ? ORDER BY session"
LEAVE_PLACES = "DELETE FROM routes WHERE session = ? RETURNING place"
ENDS = "SELECT seq, version, body FROM steps WHERE session = ? AND kind = 'ended' ORDER BY seq LIMIT ?"
NEWEST_OPENED = "SELECT MAX(seq) FROM steps WHERE session = ? AND seq <= ? AND kind = 'opened'"
COMMANDS = """
    SELECT seq, version, body FROM steps WHERE session = ? AND seq <= ? AND kind = 'commanded' ORDER BY seq DESC
"""
FORGET_PURGES = "DELETE FROM steps WHERE session = ? AND kind = 'purged'"
PRUNE_STEPS = "DELETE FROM steps WHERE session = ? AND seq <= ? AND seq <> ? AND seq <> ?"


def keys_of(session: str) -> tuple[str, str, int, str]:
    """The values of FORGET_SENT: what begins with the session's name and a colon."""
    return f"{session}:", f"{session};", len(session) + 1, f"{session}:"
