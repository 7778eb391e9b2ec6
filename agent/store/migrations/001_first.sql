-- Types and statements that SQLite and PostgreSQL both know.

CREATE TABLE schema_version (
    version INTEGER PRIMARY KEY,
    name TEXT NOT NULL
);

CREATE TABLE sessions (
    session TEXT PRIMARY KEY,
    head BIGINT NOT NULL,
    asked DOUBLE PRECISION,
    title TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    updated DOUBLE PRECISION NOT NULL
);
CREATE INDEX sessions_unfinished ON sessions (asked) WHERE asked IS NOT NULL;

CREATE TABLE steps (
    session TEXT NOT NULL REFERENCES sessions (session) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    batch TEXT NOT NULL,
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    ref TEXT,
    body TEXT NOT NULL,
    PRIMARY KEY (session, seq)
);
CREATE UNIQUE INDEX steps_ref ON steps (ref) WHERE ref IS NOT NULL;

CREATE TABLE inbox (
    bot TEXT NOT NULL,
    update_id BIGINT NOT NULL,
    chat TEXT NOT NULL,
    payload TEXT NOT NULL,
    received DOUBLE PRECISION NOT NULL,
    poison TEXT NOT NULL,
    done INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (bot, update_id)
);
CREATE INDEX inbox_waiting ON inbox (update_id, bot) WHERE done = 0;

CREATE TABLE routes (
    place TEXT PRIMARY KEY,
    session TEXT NOT NULL
);

CREATE TABLE places (
    session TEXT PRIMARY KEY,
    place TEXT NOT NULL
);
CREATE INDEX places_place ON places (place);

CREATE TABLE cursors (
    session TEXT PRIMARY KEY,
    seq BIGINT NOT NULL
);

CREATE TABLE outbox (
    key TEXT PRIMARY KEY,
    nr BIGINT NOT NULL,
    session TEXT NOT NULL,
    chat TEXT NOT NULL,
    body TEXT NOT NULL,
    role TEXT NOT NULL,
    state TEXT NOT NULL,
    message_id BIGINT
);
CREATE UNIQUE INDEX outbox_nr ON outbox (nr);
CREATE INDEX outbox_undelivered ON outbox (nr) WHERE state IN ('queued', 'sending');

CREATE TABLE spending (
    day TEXT NOT NULL,
    session TEXT NOT NULL,
    person TEXT NOT NULL,
    prompt BIGINT NOT NULL,
    completion BIGINT NOT NULL,
    calls BIGINT NOT NULL,
    PRIMARY KEY (day, session, person)
);
