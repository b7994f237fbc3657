-- A run is its events; the columns of `runs` beside `id` are what finding and listing need.
CREATE TABLE runs (
    number          INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order they came into this store
    id              TEXT    NOT NULL UNIQUE,
    created_unix_ns INTEGER NOT NULL,
    verb            TEXT    NOT NULL,
    title           TEXT    NOT NULL,
    is_imported     INTEGER NOT NULL,                  -- 1: measured on another machine
    label           TEXT
) STRICT;

-- `json` is the whole event, byte for byte as it was written first, here or on another machine;
-- `kind` is the name of its variant, so that what is left to undo is found without reading all.
CREATE TABLE events (
    run  INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    seq  INTEGER NOT NULL,
    kind TEXT    NOT NULL,
    json TEXT    NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT;

CREATE INDEX events_by_kind ON events (kind, run, seq);

-- What a listing shows of a run and what it is found by, as JSON, so that a list need not read every
-- event of every run. A row counts only while `events` and `version` are those of the run and of the
-- reader; it can be deleted.
CREATE TABLE digests (
    run     INTEGER PRIMARY KEY REFERENCES runs (number) ON DELETE CASCADE,
    events  INTEGER NOT NULL,
    version TEXT    NOT NULL,
    json    TEXT    NOT NULL
) STRICT;
