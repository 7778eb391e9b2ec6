-- Who may talk beside those in the settings, what was switched by chat, and what buttons mean.

CREATE TABLE people (
    person BIGINT PRIMARY KEY,
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    added_by BIGINT,
    at DOUBLE PRECISION NOT NULL
);

CREATE TABLE relocations (
    old TEXT PRIMARY KEY,
    new TEXT NOT NULL
);

CREATE TABLE switches (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    until DOUBLE PRECISION,
    changed_by TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL
);

CREATE TABLE refs (
    ref TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    expires DOUBLE PRECISION NOT NULL,
    used INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX refs_expires ON refs (expires);
