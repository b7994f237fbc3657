//! Reading runs back from a server. What comes is judged like a bundle from a stranger.

use std::time::Duration;

use bakeoff_judge::history::facts::Facts;
use bakeoff_judge::history::filter::Filter;
use bakeoff_model::event::Event;
use bakeoff_report::bundle::{Head, SCHEMA};
use bakeoff_report::runs::State;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::packed::{PackedEvents, Unpacker};
use super::{ANSWER, Server};
use crate::store::error::read_event;
use crate::store::{Digest, Latest, Machines, Records, RunId, StoreError, Summary, id};

/// Time for a part of a run, which may have 20 MiB.
const PART: Duration = Duration::from_secs(600);
/// Most runs whose first events are asked for at once, and the largest first event.
const FIRSTS: usize = 32;
const FIRST_BYTES: i32 = 1 << 20;
const SHOWN: &str = "(r.cells > 0 OR r.label IS NOT NULL OR NOT r.is_stopped)";
/// Columns of a summary. Long text is cut: a board must not fill the memory of who reads.
const SUMMARY: &str = "SELECT r.id, r.created_unix_ns, left(r.verb, 400), left(r.title, 2000), \
                       left(r.label, 2000), r.events, r.blocks, r.cells, left(r.verdict, 4000), \
                       r.is_stopped FROM bakeoff.runs r";
const FEW: usize = 1_000;

type Values = Vec<Box<dyn ToSql + Sync>>;

impl Records for Server {
    fn lines(&self, run: &RunId) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT number, events, sha256, left(version, 400), left(label, 2000) \
                   FROM bakeoff.runs WHERE id = $1";
        let row = self.ask(ANSWER, self.client.query_opt(sql, &[&run.as_str()]))?;
        let row = row.ok_or_else(|| none(run.as_str()))?;
        let (number, events): (i64, i64) = (row.get(0), row.get(1));
        let content = PackedEvents { events: events.cast_unsigned(), sha256: row.get(2) };
        let head = Head {
            schema: SCHEMA.to_string(),
            run: run.to_string(),
            version: row.get(3),
            label: row.get(4),
        };
        let altered = |why| self.altered(run, why);
        let mut unpacker = Unpacker::new(&head, content.events).map_err(altered)?;
        // One part at a time: each is judged before the next one takes memory.
        let sql = "SELECT part, bytes FROM bakeoff.parts WHERE run = $1 AND part > $2 \
                   ORDER BY part LIMIT 1";
        let mut last = -1;
        while let Some(row) = self.ask(PART, self.client.query_opt(sql, &[&number, &last]))? {
            last = row.get(0);
            unpacker.add(row.get(1)).map_err(altered)?;
        }
        let lines = unpacker.finish();
        if PackedEvents::from_lines(&lines) != content {
            let why = "its lines do not match its checksum. Delete it as the administrator (DELETE \
                       FROM bakeoff.runs WHERE id = ...), then push it again from its board";
            return Err(altered(why.to_string()));
        }
        Ok(lines)
    }

    fn role(&self, run: &RunId) -> Result<Option<String>, StoreError> {
        let sql = "SELECT owner::text FROM bakeoff.runs WHERE id = $1";
        let row = self.ask(ANSWER, self.client.query_opt(sql, &[&run.as_str()]))?;
        Ok(Some(row.ok_or_else(|| none(run.as_str()))?.get(0)))
    }

    fn firsts(&self, runs: &[RunId]) -> Result<Vec<Result<Event, StoreError>>, StoreError> {
        let mut all = Vec::with_capacity(runs.len());
        let sql = "SELECT CASE WHEN octet_length(r.header) <= $2 THEN r.header END, r.id \
                   FROM unnest($1::text[]) WITH ORDINALITY AS w (id, at) \
                   LEFT JOIN bakeoff.runs r ON r.id = w.id ORDER BY w.at";
        for wanted in runs.chunks(FIRSTS) {
            let ids: Vec<&str> = wanted.iter().map(RunId::as_str).collect();
            let rows = self.ask(ANSWER, self.client.query(sql, &[&ids, &FIRST_BYTES]))?;
            all.extend(wanted.iter().zip(rows).map(|(run, row)| {
                let (line, id): (Option<String>, Option<String>) = (row.get(0), row.get(1));
                let line = line.ok_or_else(|| match id {
                    None => none(run.as_str()),
                    Some(_) => self.altered(run, "its first event is too large".into()),
                })?;
                read_event(run, 0, std::slice::from_ref(&line), &line)
            }));
        }
        Ok(all)
    }

    fn search(&self, filter: &Filter) -> Result<Vec<Summary>, StoreError> {
        let (parts, values) = conditions(filter);
        self.summaries(&format!("{SUMMARY}{} ORDER BY r.number DESC", all_of(&parts)), &values)
    }

    fn latest(&self, filter: &Filter, most: u64, all: bool) -> Result<Latest, StoreError> {
        let (mut parts, values) = conditions(filter);
        let counted = format!(
            "SELECT count(*) FILTER (WHERE {SHOWN}), count(*) FROM bakeoff.runs r{}",
            all_of(&parts)
        );
        let row = self.ask(ANSWER, self.client.query_one(&counted, &refs(&values)))?;
        let (shown, found) = (unsigned(row.get(0)), unsigned(row.get(1)));
        if !all {
            parts.push(SHOWN.to_string());
        }
        let sql = format!("{SUMMARY}{} ORDER BY r.number DESC LIMIT {most}", all_of(&parts));
        let summaries = self.summaries(&sql, &values)?;
        let (listed, unmeasured) = if all { (found, 0) } else { (shown, found - shown) };
        let more = listed.saturating_sub(summaries.len() as u64);
        Ok(Latest { summaries, more, unmeasured })
    }

    fn find(&self, name: &str) -> Result<RunId, StoreError> {
        let rows = match id::range(name) {
            _ if name == "last" => {
                let sql = "SELECT id FROM bakeoff.runs ORDER BY number DESC LIMIT 1";
                self.ask(ANSWER, self.client.query(sql, &[]))?
            }
            Some((start, end)) => {
                let sql = "SELECT id FROM bakeoff.runs WHERE id >= $1 AND id < $2 \
                           ORDER BY number DESC LIMIT $3";
                self.ask(ANSWER, self.client.query(sql, &[&start, &end, &id::NAMED]))?
            }
            None => return Err(none(name)),
        };
        let ids: Vec<RunId> = rows.iter().filter_map(|row| RunId::parse(row.get(0))).collect();
        id::resolve(name, &ids)
    }

    fn machines(&self) -> Result<Machines, StoreError> {
        self.seen()
    }

    fn short_digits(&self, runs: &[RunId]) -> Result<usize, StoreError> {
        let of = "SELECT w.id, (SELECT max(id) FROM bakeoff.runs r WHERE r.id < w.id), \
                  (SELECT min(id) FROM bakeoff.runs r WHERE r.id > w.id) \
                  FROM unnest($1::text[]) AS w (id)";
        let all = "SELECT id, lag(id) OVER (ORDER BY id), NULL::text FROM bakeoff.runs";
        let rows = match runs.len() <= FEW {
            true => {
                let ids: Vec<&str> = runs.iter().map(RunId::as_str).collect();
                self.ask(ANSWER, self.client.query(of, &[&ids]))?
            }
            false => self.ask(ANSWER, self.client.query(all, &[]))?,
        };
        let digits = rows.iter().filter_map(|row| {
            let neighbours: [Option<&str>; 2] = [row.get(1), row.get(2)];
            Some(id::digits(&RunId::parse(row.get(0))?, neighbours.iter().flatten()))
        });
        Ok(digits.fold(id::FEWEST_DIGITS, usize::max))
    }

    fn state(&self, _run: &RunId, is_stopped: bool) -> Result<State, StoreError> {
        Ok(if is_stopped { State::Stopped } else { State::Unfinished })
    }

    fn is_imported(&self, _run: &RunId) -> Result<bool, StoreError> {
        Ok(true)
    }

    fn set_digests(&mut self, _made: &[(RunId, Digest, Facts)]) -> Result<(), StoreError> {
        Ok(())
    }
}

impl Server {
    fn summaries(&self, sql: &str, values: &Values) -> Result<Vec<Summary>, StoreError> {
        let rows = self.ask(ANSWER, self.client.query(sql, &refs(values)))?;
        Ok(rows.iter().filter_map(summary).collect())
    }

    fn altered(&self, run: &RunId, why: String) -> StoreError {
        StoreError::server(format!(
            "run {run} on the server {} is damaged or was changed: {why}. Other runs are not \
             affected",
            self.address
        ))
    }
}

fn none(name: &str) -> StoreError {
    StoreError::not_found(name, &[])
}

fn refs(values: &Values) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| &**value).collect()
}

fn all_of(parts: &[String]) -> String {
    match parts.is_empty() {
        true => String::new(),
        false => format!(" WHERE {}", parts.join(" AND ")),
    }
}

fn conditions(filter: &Filter) -> (Vec<String>, Values) {
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
    (parts, values)
}

pub(super) fn unsigned(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}

fn summary(row: &Row) -> Option<Summary> {
    let count = |column: usize| unsigned(row.get(column));
    let events = count(5);
    Some(Summary {
        run: RunId::parse(row.get(0))?,
        created_unix_ns: row.get(1),
        verb: row.get::<_, String>(2).into(),
        title: row.get(3),
        label: row.get(4),
        is_imported: true,
        events,
        digest: Some(Digest {
            events,
            blocks: u32::try_from(count(6)).unwrap_or(u32::MAX),
            cells: count(7),
            verdict: row.get(8),
            is_stopped: row.get(9),
        }),
    })
}
