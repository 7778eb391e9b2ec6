-- One row a reply of the model, written with its step; and of each session whose run it is and where it began.
-- `spending` held sums by day that a kill could lose or double; the journal still has what went into them.

DROP TABLE spending;

CREATE TABLE usage (
    session TEXT NOT NULL,
    seq BIGINT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    person TEXT NOT NULL,
    run BIGINT NOT NULL,
    model TEXT NOT NULL,
    prompt BIGINT NOT NULL,
    completion BIGINT NOT NULL,
    cached BIGINT NOT NULL,
    money DOUBLE PRECISION,
    estimated INTEGER NOT NULL,
    PRIMARY KEY (session, seq)
);
CREATE INDEX usage_at ON usage (at);

ALTER TABLE sessions ADD COLUMN run BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN person TEXT NOT NULL DEFAULT '';
