-- What boards sent. A run is its events, kept packed in `parts`; the columns of `runs` and the
-- rows of `facts` are what lists and searches need. `owner` is the role that sent a run.
CREATE SCHEMA bakeoff;

CREATE TABLE bakeoff.migrations (
    version integer     PRIMARY KEY,
    applied timestamptz NOT NULL DEFAULT now()
);

-- One row: by this ID a board knows the server again, whatever its address.
CREATE TABLE bakeoff.server (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    id       uuid    NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO bakeoff.server DEFAULT VALUES;

CREATE TABLE bakeoff.runs (
    number          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id              text        COLLATE "C" NOT NULL UNIQUE CHECK (id ~ '^[0-9a-f]{16}$'),
    owner           name        NOT NULL DEFAULT session_user,
    received        timestamptz NOT NULL DEFAULT now(),
    created_unix_ns bigint      NOT NULL,
    verb            text        NOT NULL,
    title           text        NOT NULL,
    label           text,
    version         text        NOT NULL,
    header          text        NOT NULL CHECK (octet_length(header) <= 16777216),
    events          bigint      NOT NULL CHECK (events BETWEEN 1 AND 1048576),
    sha256          text        NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    blocks          bigint      NOT NULL,
    cells           bigint      NOT NULL,
    verdict         text        NOT NULL,
    UNIQUE (number, owner)
);
CREATE INDEX runs_by_time ON bakeoff.runs (created_unix_ns);
CREATE INDEX runs_by_label ON bakeoff.runs (label) WHERE label IS NOT NULL;

-- Whole lines of a run in order, as zlib (RFC 1950). The pair of run and owner is that of the run:
-- nobody adds to a run of somebody else.
CREATE TABLE bakeoff.parts (
    run   bigint  NOT NULL,
    owner name    NOT NULL DEFAULT session_user,
    part  integer NOT NULL CHECK (part >= 0),
    bytes bytea   NOT NULL CHECK (octet_length(bytes) <= 20971520),
    PRIMARY KEY (run, part),
    FOREIGN KEY (run, owner) REFERENCES bakeoff.runs (number, owner) ON DELETE CASCADE
);
-- They are packed already.
ALTER TABLE bakeoff.parts ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE bakeoff.facts (
    run   bigint NOT NULL,
    owner name   NOT NULL DEFAULT session_user,
    kind  text   COLLATE "C" NOT NULL CHECK (kind IN ('drive', 'host', 'plan')),
    text  text   COLLATE "C" NOT NULL CHECK (char_length(text) <= 400),
    PRIMARY KEY (run, kind, text),
    FOREIGN KEY (run, owner) REFERENCES bakeoff.runs (number, owner) ON DELETE CASCADE
);
CREATE INDEX facts_by_text ON bakeoff.facts (kind, text, run);

-- Whether runs with these IDs are here, whoever sent them: IDs are 64 random bits, so only who has
-- a run can ask for it. Gives away nothing that is in it.
CREATE FUNCTION bakeoff.known(wanted text[])
    RETURNS TABLE (id text, number bigint, is_own boolean, events bigint, sha256 text, label text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $known$
    SELECT r.id, r.number, r.owner = session_user, r.events, r.sha256,
        CASE WHEN r.owner = session_user THEN r.label END
    FROM bakeoff.runs r WHERE r.id = ANY (wanted)
$known$;
REVOKE ALL ON FUNCTION bakeoff.known(text[]) FROM PUBLIC;

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
GRANT SELECT ON bakeoff.migrations, bakeoff.server, bakeoff.runs, bakeoff.parts, bakeoff.facts
    TO bakeoff_writer, bakeoff_reader;
GRANT EXECUTE ON FUNCTION bakeoff.known(text[]) TO bakeoff_writer;
GRANT INSERT (id, created_unix_ns, verb, title, label, version, header, events, sha256, blocks,
    cells, verdict) ON bakeoff.runs TO bakeoff_writer;
GRANT UPDATE (label, version, events, sha256, blocks, cells, verdict) ON bakeoff.runs
    TO bakeoff_writer;
GRANT INSERT (run, part, bytes) ON bakeoff.parts TO bakeoff_writer;
GRANT INSERT (run, kind, text) ON bakeoff.facts TO bakeoff_writer;

ALTER TABLE bakeoff.runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE bakeoff.parts ENABLE ROW LEVEL SECURITY;
ALTER TABLE bakeoff.facts ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON bakeoff.runs FOR SELECT TO bakeoff_reader USING (true);
CREATE POLICY reader ON bakeoff.parts FOR SELECT TO bakeoff_reader USING (true);
CREATE POLICY reader ON bakeoff.facts FOR SELECT TO bakeoff_reader USING (true);
CREATE POLICY own ON bakeoff.runs TO bakeoff_writer
    USING (owner = session_user) WITH CHECK (owner = session_user);
CREATE POLICY own ON bakeoff.parts TO bakeoff_writer
    USING (owner = session_user) WITH CHECK (owner = session_user);
CREATE POLICY own ON bakeoff.facts TO bakeoff_writer
    USING (owner = session_user) WITH CHECK (owner = session_user);
