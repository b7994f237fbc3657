-- What runs are found by. A row counts only as long as the digest of its run does.
-- `text` is what people know the thing by: a drive by vendor, model and serial number.
CREATE TABLE facts (
    run  INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    kind TEXT    NOT NULL,                             -- drive, host, plan
    text TEXT    NOT NULL,
    PRIMARY KEY (run, kind, text)
) STRICT, WITHOUT ROWID;

CREATE INDEX facts_by_text ON facts (kind, text, run);
CREATE INDEX runs_by_time ON runs (created_unix_ns);
CREATE INDEX runs_by_label ON runs (label) WHERE label IS NOT NULL;

-- Digests of layout 1 have no facts beside them: they are made again from the events.
DELETE FROM digests;
ALTER TABLE digests ADD COLUMN cells INTEGER NOT NULL DEFAULT 0;
