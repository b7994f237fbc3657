//! Finding runs in the SQLite file by what is known of them, and keeping what they are found by.

use bakeoff_judge::history::facts::Facts;
use rusqlite::{Row, ToSql, params, params_from_iter};

use super::db::Db;
use crate::store::{Digest, RunId, StoreError, Summary};

const RUNS: &str = "WITH counted AS (
         SELECT r.*, (SELECT coalesce(max(seq) + 1, 0) FROM events e
                      WHERE e.run = r.number) AS n
         FROM runs r)
     SELECT r.id, r.created_unix_ns, r.verb, r.title, r.label, r.is_imported, r.n,
         d.blocks, d.verdict, d.is_stopped, d.cells
     FROM counted r LEFT JOIN digests d
         ON d.run = r.number AND d.version = ?1 AND d.events = r.n";
const BY_WORD: &str = "(d.run IS NULL OR instr(r.id, ?) = 1
     OR instr(lower(r.verb || ' ' || r.title || ' ' || coalesce(r.label, '')), ?) > 0
     OR r.number IN (SELECT f.run FROM facts f WHERE instr(lower(f.text), ?) > 0))";

/// The runs that may be those wanted, the latest first.
pub(super) fn search(
    db: Db<'_>,
    text: Option<&str>,
    version: &str,
) -> Result<Vec<Summary>, StoreError> {
    let (sql, values) = statement(text, version);
    db.rows(&sql, params_from_iter(values), summary_of)
}

fn statement(text: Option<&str>, version: &str) -> (String, Vec<Box<dyn ToSql>>) {
    let mut values: Vec<Box<dyn ToSql>> = vec![Box::new(version.to_string())];
    let text = text.map(str::to_ascii_lowercase);
    let condition = text.as_ref().map_or(String::new(), |_| format!(" WHERE {BY_WORD}"));
    values.extend(
        text.iter().flat_map(|text| (0..3).map(move |_| Box::new(text.clone()) as Box<dyn ToSql>)),
    );
    (format!("{RUNS}{condition} ORDER BY r.number DESC"), values)
}

pub(super) fn keep(
    db: Db<'_>,
    number: i64,
    (digest, version): (&Digest, &str),
    facts: &Facts,
) -> Result<(), StoreError> {
    let sql = "INSERT OR REPLACE INTO digests
               (run, events, version, blocks, verdict, is_stopped, cells)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let Digest { events, blocks, cells, verdict, is_stopped } = digest;
    let (events, cells) = (to_i64(*events), to_i64(*cells));
    db.change(sql, params![number, events, version, blocks, verdict, is_stopped, cells])?;
    db.change("DELETE FROM facts WHERE run = ?1", [number])?;
    let all = [("drive", &facts.drives), ("host", &facts.hosts), ("plan", &facts.plans)];
    for (kind, texts) in all {
        for text in texts {
            let sql = "INSERT OR IGNORE INTO facts (run, kind, text) VALUES (?1, ?2, ?3)";
            db.change(sql, params![number, kind, text])?;
        }
    }
    Ok(())
}

fn summary_of(row: &Row<'_>) -> rusqlite::Result<Summary> {
    let id: String = row.get(0)?;
    let run = RunId::parse(&id).ok_or(rusqlite::Error::InvalidColumnName(id))?;
    let count = |column: usize| row.get(column).map(to_u64);
    let events = count(6)?;
    let digest = match row.get::<_, Option<u32>>(7)? {
        None => None,
        Some(blocks) => Some(Digest {
            events,
            blocks,
            cells: count(10)?,
            verdict: row.get(8)?,
            is_stopped: row.get(9)?,
        }),
    };
    Ok(Summary {
        run,
        created_unix_ns: row.get(1)?,
        verb: row.get::<_, String>(2)?.into(),
        title: row.get(3)?,
        label: row.get(4)?,
        is_imported: row.get(5)?,
        events,
        digest,
    })
}

/// Sequence numbers stay far below 2^63: a run has at most 2^20 events.
pub(super) fn to_i64(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

pub(super) fn to_u64(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}
