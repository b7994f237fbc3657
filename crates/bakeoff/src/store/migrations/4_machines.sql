-- By what a list of boards tells machines from each other. NULL: the first event has it.
ALTER TABLE digests ADD COLUMN hostname TEXT;
ALTER TABLE digests ADD COLUMN board_id TEXT;
ALTER TABLE digests ADD COLUMN model    TEXT;
ALTER TABLE digests ADD COLUMN cpu      TEXT;
ALTER TABLE digests ADD COLUMN cpus     INTEGER;
ALTER TABLE digests ADD COLUMN arch     TEXT;
ALTER TABLE digests ADD COLUMN kernel   TEXT;

-- Digests of layout 3 have none of these: they are made again from the events.
DELETE FROM digests;
