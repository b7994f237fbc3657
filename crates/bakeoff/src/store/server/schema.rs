//! The layout of a server's database, as numbered migrations, and the script that brings a
//! database to the latest one.
//!
//! The owner of the database runs the script; boards and readers never change the layout, so
//! their roles need no right to.

use std::fmt::Write;

/// Each brings a database of the layout before to the next; never changed once released.
const MIGRATIONS: &[&str] =
    &[include_str!("migrations/1_runs.sql"), include_str!("migrations/2_machines.sql")];
pub const KNOWN: i32 = MIGRATIONS.len() as i32;

/// A script for psql that creates or updates the tables and roles. All or nothing, and without
/// effect on a database that is up to date or newer.
pub fn script() -> String {
    let mut text = format!(
        "-- bakeoff {}: tables and roles for `bakeoff fleet push`, layout {KNOWN}.\n\
         -- Run it as the owner of the database: bakeoff fleet schema | psql DATABASE\n\
         \\set ON_ERROR_STOP on\n\
         DO $bakeoff$\nDECLARE\n    layout integer := 0;\nBEGIN\n    \
         PERFORM pg_advisory_xact_lock(1650551653);\n    \
         IF to_regclass('bakeoff.migrations') IS NOT NULL THEN\n        \
         SELECT coalesce(max(version), 0) INTO layout FROM bakeoff.migrations;\n    END IF;\n",
        env!("CARGO_PKG_VERSION")
    );
    for (number, sql) in (1..).zip(MIGRATIONS) {
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "    IF layout < {number} THEN\nEXECUTE $migration$\n{sql}$migration$;\n        \
             INSERT INTO bakeoff.migrations (version) VALUES ({number});\n        \
             layout := {number};\n    END IF;\n"
        );
    }
    text + "    RAISE NOTICE 'bakeoff: layout %', layout;\nEND\n$bakeoff$;\n"
}
