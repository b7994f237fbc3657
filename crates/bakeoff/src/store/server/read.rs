//! Reading runs back from a server. What comes is judged like a bundle from a stranger.

use std::time::Duration;

use bakeoff_core::bundle::{Decoder, Head, SCHEMA};
use bakeoff_core::history::facts::Facts;
use bakeoff_core::history::filter::Filter;
use bakeoff_core::model::event::Event;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::packed::{Unpacker, checksum};
use super::{ANSWER, Server, ServerError};
use crate::store::error::read_event;
use crate::store::{Digest, Records, RunId, StoreError, Summary, id};

/// Time for the lines of a run, which may be a GiB.
const LINES: Duration = Duration::from_secs(3_600);
/// Most runs whose first events are asked for at once.
const FIRSTS: usize = 500;
/// Most runs that a message about the start of an id needs.
const NAMED: i64 = 20;

type Values = Vec<Box<dyn ToSql + Sync>>;

impl Records for Server {
    fn lines(&self, run: &RunId) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT number, events, sha256, version, label FROM bakeoff.runs WHERE id = $1";
        let row = self.ask(ANSWER, self.client.query_opt(sql, &[&run.as_str()]))?;
        let row = row.ok_or_else(|| none(run.as_str()))?;
        let (number, events, sha256): (i64, i64, String) = (row.get(0), row.get(1), row.get(2));
        let sql = "SELECT bytes FROM bakeoff.parts WHERE run = $1 ORDER BY part";
        let rows = self.ask(LINES, self.client.query(sql, &[&number]))?;
        let mut unpacker = Unpacker::default();
        let unpacked = rows.iter().try_for_each(|row| unpacker.add(row.get(0)));
        let lines = unpacked.map(|()| unpacker.finish()).map_err(|why| self.altered(run, why))?;
        if lines.len() as i64 != events || checksum(&lines) != sha256 {
            let why = "its lines do not match its checksum. Push it again from its board after an \
                       administrator deleted it: DELETE FROM bakeoff.runs WHERE id = ...";
            return Err(self.altered(run, why.to_string()).into());
        }
        let head = Head {
            schema: SCHEMA.to_string(),
            run: run.to_string(),
            version: row.get(3),
            label: row.get(4),
        };
        check(&head, &lines).map_err(|why| self.altered(run, why))?;
        Ok(lines)
    }

    fn first(&self, run: &RunId) -> Result<Event, StoreError> {
        let mut found = self.firsts(std::slice::from_ref(run))?;
        found.pop().unwrap_or_else(|| Err(none(run.as_str())))
    }

    fn firsts(&self, runs: &[RunId]) -> Result<Vec<Result<Event, StoreError>>, StoreError> {
        let mut all = Vec::with_capacity(runs.len());
        let sql = "SELECT r.header FROM unnest($1::text[]) WITH ORDINALITY AS w (id, at) \
                   LEFT JOIN bakeoff.runs r ON r.id = w.id ORDER BY w.at";
        for wanted in runs.chunks(FIRSTS) {
            let ids: Vec<&str> = wanted.iter().map(RunId::as_str).collect();
            let rows = self.ask(ANSWER, self.client.query(sql, &[&ids]))?;
            all.extend(wanted.iter().zip(rows).map(|(run, row)| {
                let line: Option<String> = row.get(0);
                let line = line.ok_or_else(|| none(run.as_str()))?;
                read_event(run, 0, std::slice::from_ref(&line), &line)
            }));
        }
        Ok(all)
    }

    fn search(&self, filter: &Filter) -> Result<Vec<Summary>, StoreError> {
        let (condition, values) = condition(filter);
        let sql = format!(
            "SELECT r.id, r.created_unix_ns, r.verb, r.title, r.label, r.events, r.blocks, \
             r.cells, r.verdict FROM bakeoff.runs r{condition} ORDER BY r.number DESC"
        );
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| &**value).collect();
        let rows = self.ask(ANSWER, self.client.query(&sql, &values))?;
        Ok(rows.iter().filter_map(summary).collect())
    }

    fn find(&self, name: &str) -> Result<RunId, StoreError> {
        let (start, most) = match name {
            "last" => (String::new(), 1),
            name => (name.to_ascii_lowercase(), NAMED),
        };
        // Only digits are part of an id; a pattern's signs are not.
        if !start.bytes().all(|byte| byte.is_ascii_hexdigit())
            || (name != "last" && start.is_empty())
        {
            return Err(none(name));
        }
        let sql = "SELECT id FROM bakeoff.runs WHERE id LIKE $1 || '%' \
                   ORDER BY number DESC LIMIT $2";
        let rows = self.ask(ANSWER, self.client.query(sql, &[&start, &most]))?;
        let ids: Vec<RunId> = rows.iter().filter_map(|row| RunId::parse(row.get(0))).collect();
        id::resolve(name, &ids)
    }

    fn short_digits(&self) -> Result<usize, StoreError> {
        let sql = "SELECT id FROM bakeoff.runs ORDER BY id";
        let rows = self.ask(ANSWER, self.client.query(sql, &[]))?;
        Ok(id::digits(rows.iter().map(|row| row.get::<_, &str>(0))))
    }

    /// What a server has is over.
    fn is_held(&self, _run: &RunId) -> Result<bool, StoreError> {
        Ok(false)
    }

    /// Every run came with its digest.
    fn set_digests(&mut self, _made: &[(RunId, Digest, Facts)]) -> Result<(), StoreError> {
        Ok(())
    }
}

impl Server {
    fn altered(&self, run: &RunId, why: String) -> ServerError {
        ServerError::Altered { server: self.address.to_string(), run: run.clone(), why }
    }
}

fn none(name: &str) -> StoreError {
    StoreError::NotFound { name: name.to_string(), near: Vec::new() }
}

/// Judges the lines as those of a bundle.
fn check(head: &Head, lines: &[String]) -> Result<(), String> {
    let mut decoder = Decoder::default();
    let head = serde_json::to_string(head).map_err(|error| error.to_string())?;
    decoder.line(head.as_bytes()).map_err(|error| error.why.to_string())?;
    for (event, line) in lines.iter().enumerate() {
        decoder.line(line.as_bytes()).map_err(|error| format!("event {event}: {}", error.why))?;
    }
    Ok(())
}

/// The condition of a statement; a part of it only if it is asked for.
fn condition(filter: &Filter) -> (String, Values) {
    let (mut parts, mut values): (Vec<String>, Values) = (Vec::new(), Vec::new());
    let mut add = |part: &str, value: Box<dyn ToSql + Sync>| {
        values.push(value);
        parts.push(part.replace('#', &format!("${}", values.len())));
    };
    let facts = [("drive", &filter.drive), ("host", &filter.host), ("plan", &filter.plan)];
    for (kind, text) in facts {
        if let Some(text) = text {
            let part = format!(
                "r.number IN (SELECT f.run FROM bakeoff.facts f WHERE f.kind = '{kind}' \
                 AND position(# IN lower(f.text)) > 0)"
            );
            add(&part, Box::new(text.to_ascii_lowercase()));
        }
    }
    if let Some(label) = &filter.label {
        add("position(# IN lower(r.label)) > 0", Box::new(label.to_ascii_lowercase()));
    }
    if let Some(text) = &filter.search {
        let part = "(position(# IN lower(r.verb || ' ' || r.title)) > 0 OR starts_with(r.id, #))";
        add(part, Box::new(text.to_ascii_lowercase()));
    }
    if let Some(unix_ns) = filter.since_unix_ns {
        add("r.created_unix_ns >= #", Box::new(unix_ns));
    }
    if let Some(unix_ns) = filter.before_unix_ns {
        add("r.created_unix_ns < #", Box::new(unix_ns));
    }
    match parts.is_empty() {
        true => (String::new(), values),
        false => (format!(" WHERE {}", parts.join(" AND ")), values),
    }
}

/// A row as a summary; one whose id is none is left out.
fn summary(row: &Row) -> Option<Summary> {
    let count = |column: usize| u64::try_from(row.get::<_, i64>(column)).unwrap_or(0);
    let events = count(5);
    Some(Summary {
        run: RunId::parse(row.get(0))?,
        created_unix_ns: row.get(1),
        verb: row.get(2),
        title: row.get(3),
        label: row.get(4),
        is_imported: true,
        events,
        digest: Some(Digest {
            events,
            blocks: u32::try_from(count(6)).unwrap_or(u32::MAX),
            cells: count(7),
            verdict: row.get(8),
            is_stopped: true,
        }),
    })
}
