-- When a message was put into the outbox, so that it can go when it is old; what stands there is as old as the newest run.

ALTER TABLE outbox ADD COLUMN at DOUBLE PRECISION NOT NULL DEFAULT 0;
UPDATE outbox SET at = COALESCE((SELECT MAX(updated) FROM sessions), 0);
CREATE INDEX outbox_at ON outbox (at);
CREATE INDEX inbox_received ON inbox (bot, received);
