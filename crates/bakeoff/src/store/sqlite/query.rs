//! Finding runs in the SQLite file by what is known of them, and keeping what they are found by.
//!
//! A condition is part of the statement only if it is asked for, so that each uses its index.

use bakeoff_judge::history::facts::Facts;
use bakeoff_judge::history::filter::Filter;
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
const BY_FACT: &str = "(d.run IS NULL OR r.number IN (
         SELECT f.run FROM facts f WHERE f.kind = '#' AND instr(lower(f.text), ?) > 0))";

const BY_WORD: &str = "(d.run IS NULL OR instr(r.id, ?) = 1
     OR instr(lower(r.verb || ' ' || r.title || ' ' || coalesce(r.label, '')), ?) > 0
     OR r.number IN (SELECT f.run FROM facts f WHERE instr(lower(f.text), ?) > 0))";

/// The runs that may be those wanted, the latest first.
pub(super) fn search(
    db: Db<'_>,
    filter: &Filter,
    version: &str,
) -> Result<Vec<Summary>, StoreError> {
    let (sql, values) = statement(filter, version);
    db.rows(&sql, params_from_iter(values), summary_of)
}

fn statement(filter: &Filter, version: &str) -> (String, Vec<Box<dyn ToSql>>) {
    let mut values: Vec<Box<dyn ToSql>> = vec![Box::new(version.to_string())];
    let mut conditions: Vec<String> = Vec::new();
    let facts = [("drive", &filter.drive), ("host", &filter.host), ("plan", &filter.plan)];
    for (kind, text) in facts {
        if let Some(text) = text {
            conditions.push(BY_FACT.replace('#', kind));
            values.push(Box::new(text.to_ascii_lowercase()));
        }
    }
    if let Some(label) = &filter.label {
        conditions.push("r.label IS NOT NULL AND instr(lower(r.label), ?) > 0".to_string());
        values.push(Box::new(label.to_ascii_lowercase()));
    }
    if let Some(text) = &filter.search {
        let text = text.to_ascii_lowercase();
        conditions.push(BY_WORD.to_string());
        values.extend((0..3).map(|_| Box::new(text.clone()) as Box<dyn ToSql>));
    }
    if let Some(unix_ns) = filter.since_unix_ns {
        conditions.push("r.created_unix_ns >= ?".to_string());
        values.push(Box::new(unix_ns));
    }
    let condition = match conditions.is_empty() {
        true => String::new(),
        false => format!(" WHERE {}", conditions.join(" AND ")),
    };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::open;

    #[test]
    fn every_condition_uses_its_index() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let connection = open::open(&dir.path().join("s.db")).expect("a new store").connection;
        let text = || Some("x".to_string());
        let filter = Filter {
            drive: text(),
            host: text(),
            plan: text(),
            label: text(),
            search: text(),
            since_unix_ns: Some(1),
        };
        let (sql, values) = statement(&filter, "1");
        let mut query = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("SQL");
        let rows = query.query_map(params_from_iter(values), |row| row.get::<_, String>(3));
        let plan: Vec<String> = rows.expect("a plan").collect::<Result<_, _>>().expect("readable");
        let plan = plan.join("\n");
        assert_eq!(
            plan.matches("USING COVERING INDEX facts_by_text (kind=?)").count(),
            3,
            "{plan}"
        );
        assert!(!plan.contains("SCAN e") && !plan.contains("SCAN d") && !plan.contains("SCAN f"));
    }
}
