//! Sending a run: all of it or what was added since, in one transaction.
//!
//! A run is known by its id and the checksum of its lines. One that the server has the same is not
//! sent again; one that went on since (`resume`) gets parts added, if what the server has is how
//! it began; any other content is refused, as by `import`. When the connection ends in the
//! middle, the server undoes the transaction. When it ends so late that nobody knows, the next push
//! asks and finds the run there.

use std::collections::BTreeMap;

use bakeoff_judge::analyse::analyse;
use bakeoff_judge::history::facts::Facts;
use bakeoff_model::machine::Machine;
use bakeoff_model::run::Run;

use super::packed::{PackedEvents, RUN_BYTES, pack};
use super::read::unsigned;
use super::{ANSWER, Server, time_for};
use crate::store::listed::digest_of;
use crate::store::{Digest, ErrorClass, RunId, StoreError};

const FACT_CHARS: usize = 400;

/// A run with what a list of runs shows of it and finds it by.
pub struct Outgoing<'a> {
    pub id: &'a RunId,
    pub run: &'a Run,
    pub label: Option<&'a str>,
    pub digest: Digest,
    pub facts: Facts,
}

impl<'a> Outgoing<'a> {
    pub fn new(id: &'a RunId, run: &'a Run, label: Option<&'a str>) -> Outgoing<'a> {
        let (digest, facts) = digest_of(run, &analyse(run));
        Outgoing { id, run, label, digest, facts }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    number: i64,
    pub is_own: bool,
    pub content: PackedEvents,
    pub label: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// The server has it now: bytes that were sent.
    New(u64),
    Added(u64),
    Labelled,
    Already,
}

impl Server {
    /// What the server has of these runs, in their order.
    ///
    /// # Errors
    /// Of the server; a role that may not push is one.
    pub fn known(&self, runs: &[RunId]) -> Result<Vec<Option<Known>>, StoreError> {
        let ids: Vec<&str> = runs.iter().map(RunId::as_str).collect();
        let sql = "SELECT id, number, is_own, events, sha256, label FROM bakeoff.known($1)";
        let rows = self.ask(ANSWER, self.client.query(sql, &[&ids]))?;
        let places: BTreeMap<&str, usize> = ids.iter().copied().zip(0..).collect();
        let mut all = vec![None; runs.len()];
        for row in rows {
            let id: &str = row.get(0);
            let events = unsigned(row.get(3));
            let known = Known {
                number: row.get(1),
                is_own: row.get(2),
                content: PackedEvents { events, sha256: row.get(4) },
                label: row.get(5),
            };
            if let Some(at) = places.get(id) {
                all[*at] = Some(known);
            }
        }
        Ok(all)
    }

    /// Sends what the server lacks of a run with these lines.
    ///
    /// # Errors
    /// Nothing is changed then.
    pub fn send(
        &self,
        run: &Outgoing,
        lines: &[String],
        known: Option<&Known>,
    ) -> Result<Sent, StoreError> {
        if lines.iter().map(|line| line.len() as u64 + 1).sum::<u64>() > RUN_BYTES {
            let (id, most) = (run.id, RUN_BYTES >> 20);
            return Err(StoreError::environment(format!(
                "run {id} is larger than {most} MiB, the most that a server keeps of a run. Send \
                 it as a file: bakeoff show {id} --no-redact -o run.bundle"
            )));
        }
        let whole = PackedEvents::from_lines(lines);
        let Some(known) = known else {
            return match self.within(|| self.insert(run, lines, &whole)) {
                // Somebody else sent it since it was asked for.
                Err(error)
                    if error.class == ErrorClass::ServerSaid && self.has_it(run.id, &whole)? =>
                {
                    Ok(Sent::Already)
                }
                done => Ok(Sent::New(done?)),
            };
        };
        let had = usize::try_from(known.content.events).unwrap_or(usize::MAX);
        let (begun, rest) = lines.split_at(had.min(lines.len()));
        // Of somebody else's run nothing can be changed.
        let is_other = PackedEvents::from_lines(begun) != known.content;
        if is_other || (!rest.is_empty() && !known.is_own) {
            return Err(differs(run.id));
        }
        match rest.is_empty() {
            true => self.relabel(run.id, run.label, known),
            false => Ok(Sent::Added(self.within(|| self.add(run, rest, &whole, known))?)),
        }
    }

    /// Gives a run that the server has another label, if it is this role's.
    ///
    /// # Errors
    /// Of the server.
    pub fn relabel(
        &self,
        run: &RunId,
        label: Option<&str>,
        known: &Known,
    ) -> Result<Sent, StoreError> {
        let label = label.map(storable);
        if !known.is_own || known.label == label {
            return Ok(Sent::Already);
        }
        let sql = "UPDATE bakeoff.runs SET label = $2 WHERE id = $1";
        self.ask(ANSWER, self.client.execute(sql, &[&run.as_str(), &label]))?;
        Ok(Sent::Labelled)
    }

    fn has_it(&self, run: &RunId, whole: &PackedEvents) -> Result<bool, StoreError> {
        let known = self.known(std::slice::from_ref(run))?;
        Ok(known.into_iter().flatten().any(|known| known.content == *whole))
    }

    fn within<T>(&self, work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.ask(ANSWER, self.client.batch_execute("BEGIN"))?;
        let done = work().and_then(|done| {
            self.ask(ANSWER, self.client.batch_execute("COMMIT"))?;
            Ok(done)
        });
        if done.is_err() && !self.client.is_closed() {
            // A server that cannot do this either ends the transaction with the connection.
            let _ = self.ask(ANSWER, self.client.batch_execute("ROLLBACK"));
        }
        done
    }

    fn insert(
        &self,
        run: &Outgoing,
        lines: &[String],
        whole: &PackedEvents,
    ) -> Result<u64, StoreError> {
        let sql = "INSERT INTO bakeoff.runs (id, created_unix_ns, verb, title, label, version, \
                   header, events, sha256, blocks, cells, verdict, is_stopped, hostname, \
                   board_id, model, cpu, cpus, arch, kernel) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, \
                   $17, $18, $19, $20) RETURNING number";
        let [events, blocks, cells] = counts(run, whole);
        let (id, label) = (run.id.as_str(), run.label.map(storable));
        let (verb, title) = (storable(run.run.header.verb.word()), storable(&run.run.header.title));
        let (verdict, sha256) = (storable(&run.digest.verdict), &whole.sha256);
        let header = lines.first().map_or("", String::as_str);
        let version = env!("CARGO_PKG_VERSION");
        let machine = run.facts.machine.as_ref();
        let text = |of: fn(&Machine) -> Option<&String>| machine.and_then(of).map(|t| short(t));
        let (hostname, board_id) = (text(|m| Some(&m.hostname)), text(|m| m.board_id.as_ref()));
        let (model, cpu) = (text(|m| m.model.as_ref()), text(|m| m.cpu.as_ref()));
        let (cpus, arch) = (machine.map(|m| i64::from(m.cpus)), text(|m| Some(&m.arch)));
        let kernel = machine.map(|_| short(&run.facts.kernel));
        let row = self.ask(
            time_for(header.len()),
            self.client.query_one(
                sql,
                &[
                    &id,
                    &run.run.started_unix_ns,
                    &verb,
                    &title,
                    &label,
                    &version,
                    &header,
                    &events,
                    sha256,
                    &blocks,
                    &cells,
                    &verdict,
                    &run.digest.is_stopped,
                    &hostname,
                    &board_id,
                    &model,
                    &cpu,
                    &cpus,
                    &arch,
                    &kernel,
                ],
            ),
        )?;
        let number: i64 = row.get(0);
        let (kinds, texts) = rows(&run.facts);
        let sql = "INSERT INTO bakeoff.facts (run, kind, text) \
                   SELECT $1, k, t FROM unnest($2::text[], $3::text[]) AS f (k, t) \
                   ON CONFLICT DO NOTHING";
        self.ask(ANSWER, self.client.execute(sql, &[&number, &kinds, &texts]))?;
        self.put_parts(number, 0, lines)
    }

    fn add(
        &self,
        run: &Outgoing,
        rest: &[String],
        whole: &PackedEvents,
        known: &Known,
    ) -> Result<u64, StoreError> {
        let [events, blocks, cells] = counts(run, whole);
        let (id, label, had) =
            (run.id.as_str(), run.label.map(storable), known.content.events as i64);
        let (verdict, sha256) = (storable(&run.digest.verdict), &whole.sha256);
        let version = env!("CARGO_PKG_VERSION");
        let sql = "UPDATE bakeoff.runs SET label = $2, version = $3, events = $4, sha256 = $5, \
                   blocks = $6, cells = $7, verdict = $8, is_stopped = $10 \
                   WHERE id = $1 AND events = $9";
        let changed = self.ask(
            ANSWER,
            self.client.execute(
                sql,
                &[
                    &id,
                    &label,
                    &version,
                    &events,
                    sha256,
                    &blocks,
                    &cells,
                    &verdict,
                    &had,
                    &run.digest.is_stopped,
                ],
            ),
        )?;
        if changed != 1 {
            let detail = format!("another push is sending run {id}");
            return Err(StoreError::busy_server(&self.address, &detail));
        }
        let sql = "SELECT coalesce(max(part) + 1, 0) FROM bakeoff.parts WHERE run = $1";
        let row = self.ask(ANSWER, self.client.query_one(sql, &[&known.number]))?;
        self.put_parts(known.number, row.get(0), rest)
    }

    fn put_parts(&self, number: i64, from: i32, lines: &[String]) -> Result<u64, StoreError> {
        let sql = "INSERT INTO bakeoff.parts (run, part, bytes) VALUES ($1, $2, $3)";
        let statement = self.ask(ANSWER, self.client.prepare(sql))?;
        let mut bytes = 0;
        for (part, packed) in (from..).zip(pack(lines)) {
            let limit = time_for(packed.len());
            self.ask(limit, self.client.execute(&statement, &[&number, &part, &packed]))?;
            bytes += packed.len() as u64;
        }
        Ok(bytes)
    }
}

fn differs(run: &RunId) -> StoreError {
    let text = format!(
        "run {run} is already on the server with different content; it was not changed there. \
         Compare it: bakeoff show {run} --format jsonl --no-redact, here and with --store of the \
         server"
    );
    StoreError::new(ErrorClass::Differs, text)
}

/// Events, blocks and cells of a run as the server's integers.
fn counts(run: &Outgoing, whole: &PackedEvents) -> [i64; 3] {
    let most = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    [most(whole.events), run.digest.blocks.into(), most(run.digest.cells)]
}

fn rows(facts: &Facts) -> (Vec<&'static str>, Vec<String>) {
    let all = [("drive", &facts.drives), ("host", &facts.hosts), ("plan", &facts.plans)];
    let pairs = all.iter().flat_map(|(kind, texts)| texts.iter().map(|t| (*kind, short(t))));
    pairs.unzip()
}

fn short(text: &str) -> String {
    storable(text).chars().take(FACT_CHARS).collect()
}

/// PostgreSQL's text has no NUL (RFC 8259 allows one in a string, escaped).
fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}
