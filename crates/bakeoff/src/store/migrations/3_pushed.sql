-- Servers that acknowledged a run (`bakeoff fleet push`): with so many events, whose lines have
-- this checksum. Only says what need not be sent again; may be deleted.
CREATE TABLE pushed (
    run     INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    server  TEXT    NOT NULL,                          -- the UUID in its table `bakeoff.server`
    events  INTEGER NOT NULL,
    sha256  TEXT    NOT NULL,
    unix_ns INTEGER NOT NULL,
    PRIMARY KEY (run, server)
) STRICT, WITHOUT ROWID;
