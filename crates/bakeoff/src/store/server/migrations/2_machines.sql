-- By what a list of boards tells machines from each other, so that it need not read the header of
-- every run. NULL: sent by a bakeoff of layout 1, the header has it.
ALTER TABLE bakeoff.runs
    ADD COLUMN hostname text,
    ADD COLUMN board_id text,
    ADD COLUMN model    text,
    ADD COLUMN cpu      text,
    ADD COLUMN cpus     bigint,
    ADD COLUMN arch     text,
    ADD COLUMN kernel   text,
    -- False: its end has not arrived. Until layout 2, only ended runs were sent.
    ADD COLUMN is_stopped boolean NOT NULL DEFAULT true;

-- Lists read the other columns of many rows and the header of few: it is kept beside the table.
ALTER TABLE bakeoff.runs SET (toast_tuple_target = 1024);
-- A board sees only its own runs, and finds them without reading those of others.
CREATE INDEX runs_by_owner ON bakeoff.runs (owner, id);

GRANT INSERT (hostname, board_id, model, cpu, cpus, arch, kernel, is_stopped) ON bakeoff.runs
    TO bakeoff_writer;
GRANT UPDATE (is_stopped) ON bakeoff.runs TO bakeoff_writer;
