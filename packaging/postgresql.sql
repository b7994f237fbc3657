-- Tables and roles of a PostgreSQL database (14 or later) that boards push their runs to. As its owner:
--   createdb bakeoff && psql -X -v ON_ERROR_STOP=1 -1 -d bakeoff -f postgresql.sql
-- Then give each board and each reader a role of its own:
--   CREATE ROLE boards LOGIN PASSWORD '...' IN ROLE bakeoff_writer;
--   CREATE ROLE ada LOGIN PASSWORD '...' IN ROLE bakeoff_reader;
CREATE SCHEMA bakeoff;

-- A run and what a list shows of it. A run that was continued after it was pushed has a row for each
-- push; the one with the most events counts.
CREATE TABLE bakeoff.runs (
    number    bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id        text        NOT NULL CHECK (id ~ '^[0-9a-f]{16}$'),
    events    bigint      NOT NULL CHECK (events > 0),
    summary   json        NOT NULL,
    pushed_by name        NOT NULL DEFAULT session_user,
    pushed_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (id, events)
);

-- Every event of a run, as on the board that measured it.
CREATE TABLE bakeoff.events (
    run  text   NOT NULL CHECK (run ~ '^[0-9a-f]{16}$'),
    seq  bigint NOT NULL CHECK (seq >= 0),
    line json   NOT NULL,
    PRIMARY KEY (run, seq)
);

DO $roles$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['bakeoff_writer', 'bakeoff_reader'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
        END IF;
    END LOOP;
END
$roles$;

GRANT USAGE ON SCHEMA bakeoff TO bakeoff_writer, bakeoff_reader;
-- A board asks which runs are there, and can neither read, change nor remove any.
GRANT SELECT (id, events), INSERT (id, events, summary) ON bakeoff.runs TO bakeoff_writer;
GRANT INSERT ON bakeoff.events TO bakeoff_writer;
GRANT SELECT ON bakeoff.runs, bakeoff.events TO bakeoff_reader;
