//! A PostgreSQL database that many boards push their finished runs to, through its own client
//! `psql`. The tables are in packaging/postgresql.sql.
//!
//! A value never becomes part of a statement: what is written goes through COPY, one JSON document
//! in a row. The only exception is the ID of a run, which has hexadecimal digits alone. What comes
//! back is checked like the bundle of a stranger.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use bakeoff_model::path::printable;
use bakeoff_report::bundle::{Decoder, Head, Line, SCHEMA};
use bakeoff_report::runs::State;
use percent_encoding::percent_decode_str;

use super::{Digest, Records, RunId, StoreError, Summary, id, place};
use crate::exec::{ExecError, Spec};
use crate::signals::Cancel;
use crate::ui::say;

const LIMIT: Duration = Duration::from_secs(600);
/// Most bytes that are read from a server at once.
const ANSWER_BYTES: usize = 256 << 20;
/// One JSON document in a row, as it is: JSON has neither of these two characters.
const JSON_LINES: &str = r"(FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')";
const FIRST_LINES: usize = 3;

/// Where a server is, and the only way to it.
#[derive(Clone, Debug)]
pub struct Address(String);

impl Address {
    pub fn parse(text: &Path) -> Result<Address, StoreError> {
        let usage = |why: &str| {
            Err(StoreError::usage(format!(
                "{why}. Specify the server as postgresql://USER@HOST/DATABASE"
            )))
        };
        let Some(address) = text.to_str().filter(|_| place::is_address(text)) else {
            return usage("this is not the address of a PostgreSQL server");
        };
        let (place, query) = address.split_once('?').unwrap_or((address, ""));
        let rest = place.split_once("://").map_or("", |(_, rest)| rest);
        let has_password = rest.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'));
        let query = percent_decode_str(query).decode_utf8_lossy().to_ascii_lowercase();
        if has_password || query.contains("password=") {
            return usage(
                "the address contains a password, which all users of this machine could read. \
                 Move it to ~/.pgpass (HOST:PORT:DATABASE:USER:PASSWORD, mode 600)",
            );
        }
        Ok(Address(address.to_string()))
    }

    /// What `psql` prints for a script, which is applied whole or not at all.
    fn psql(&self, script: String) -> Result<String, StoreError> {
        let failed = |why: String| {
            StoreError::environment(format!("cannot use the server {}: {why}", self.shown()))
        };
        let argv = ["psql", "-X", "-q", "-w", "-1", "-v", "ON_ERROR_STOP=1", "-f", "-", "-d"];
        let argv = argv.into_iter().chain([self.0.as_str()]).collect::<Vec<_>>();
        let spec = Spec::tool(&argv, LIMIT).map_err(|error| match error {
            ExecError::Missing { .. } => {
                let install = say::typed("sudo apt-get install postgresql-client");
                failed(format!("{error}. Install it: {install}"))
            }
            _ => failed(error.to_string()),
        })?;
        let input = format!("SET client_encoding = 'UTF8';\n{script}").into_bytes();
        let ended = spec.input(input).keep(ANSWER_BYTES).run(&Cancel::default());
        let ended = ended.map_err(|error| failed(error.to_string()))?;
        let stderr = String::from_utf8_lossy(&ended.stderr);
        if !ended.status.success() {
            let said: Vec<&str> = stderr.lines().take(FIRST_LINES).collect();
            let advice = if stderr.contains("relation \"bakeoff") {
                ". Its owner creates the tables and roles with postgresql.sql (docs/boards.md)"
            } else {
                ""
            };
            return Err(failed(format!("{}{advice}", printable(said.join(" ").as_bytes()))));
        }
        if ended.stdout.len() >= ANSWER_BYTES {
            return Err(failed(format!("it sent more than {} MiB", ANSWER_BYTES >> 20)));
        }
        String::from_utf8(ended.stdout).map_err(|_| failed("it sent no text".to_string()))
    }

    fn rows(&self, query: &str) -> Result<Vec<String>, StoreError> {
        let rows = self.psql(format!("COPY ({query}) TO STDOUT {JSON_LINES};\n"))?;
        Ok(rows.lines().map(str::to_string).collect())
    }

    /// The runs on the server, with the number of their events.
    pub fn known(&self) -> Result<BTreeMap<String, u64>, StoreError> {
        let rows = self.rows("SELECT id || ' ' || max(events) FROM bakeoff.runs GROUP BY id")?;
        let pair = |row: &String| {
            let (id, events) = row.split_once(' ')?;
            Some((id.to_string(), events.parse().ok()?))
        };
        Ok(rows.iter().filter_map(pair).collect())
    }

    /// Sends the lines of a run from number `from` on.
    pub fn push(&self, of: &Summary, lines: &[String], from: u64) -> Result<(), StoreError> {
        let json = serde_json::to_string(of).map_err(|e| StoreError::unstorable(0, &e))?;
        let Summary { run, events, .. } = of;
        let mut script = format!(
            "COPY bakeoff.runs (id, events, summary) FROM STDIN {JSON_LINES};\n\
             {run}\x01{events}\x01{json}\n\\.\n\
             COPY bakeoff.events (run, seq, line) FROM STDIN {JSON_LINES};\n"
        );
        for (seq, line) in (0..).zip(lines).skip_while(|(seq, _)| *seq < from) {
            script += &format!("{run}\x01{seq}\x01{line}\n");
        }
        script += "\\.\n";
        self.psql(script).map(drop)
    }

    /// Without what may be secret in its query.
    fn shown(&self) -> String {
        printable(self.0.split('?').next().unwrap_or_default().as_bytes())
    }
}

/// The runs on a server, the latest pushed first.
pub struct Server {
    address: Address,
    runs: Vec<Summary>,
}

impl Server {
    pub fn open(address: &Path) -> Result<Server, StoreError> {
        let address = Address::parse(address)?;
        let query = "SELECT summary FROM bakeoff.runs r WHERE events = \
                     (SELECT max(events) FROM bakeoff.runs o WHERE o.id = r.id) ORDER BY number DESC";
        let mut seen = BTreeSet::new();
        let rows = address.rows(query)?;
        let read = rows.iter().filter_map(|row| serde_json::from_str::<Summary>(row).ok());
        let imported = read.map(|summary| Summary { is_imported: true, ..summary });
        let runs = imported.filter(|summary| seen.insert(summary.run.clone())).collect();
        Ok(Server { address, runs })
    }
}

impl Records for Server {
    fn lines(&self, run: &RunId) -> Result<Vec<String>, StoreError> {
        let damaged = |why: String| {
            StoreError::environment(format!(
                "run {run} on the server {} is damaged or was changed: {why}. Other runs are not \
                 affected",
                self.address.shown()
            ))
        };
        let found = self.runs.iter().find(|summary| summary.run == *run);
        let summary = found.ok_or_else(|| StoreError::not_found(run.as_str(), &[]))?;
        let lines = self.address.rows(&format!(
            "SELECT line FROM bakeoff.events WHERE run = '{run}' AND seq < {} ORDER BY seq",
            summary.events
        ))?;
        if lines.len() as u64 != summary.events {
            return Err(damaged(format!("{} of {} events", lines.len(), summary.events)));
        }
        let head = Head {
            schema: SCHEMA.to_string(),
            run: run.to_string(),
            version: env!("CARGO_PKG_VERSION").to_string(),
        };
        let head = serde_json::to_string(&head).map_err(|error| damaged(error.to_string()))?;
        let mut decoder = Decoder::default();
        for line in std::iter::once(&head).chain(&lines) {
            match decoder.line(line.as_bytes()) {
                Ok(Line::Head | Line::Event) => {}
                Ok(Line::End) => return Err(damaged("it has an end of a bundle".to_string())),
                Err(error) => return Err(damaged(error.why)),
            }
        }
        Ok(lines)
    }

    fn list(&self) -> Result<Vec<Summary>, StoreError> {
        Ok(self.runs.clone())
    }

    fn find(&self, name: &str) -> Result<RunId, StoreError> {
        let ids: Vec<RunId> = self.runs.iter().map(|summary| summary.run.clone()).collect();
        id::resolve(name, &ids)
    }

    fn state(&self, _run: &RunId, _is_stopped: bool) -> Result<State, StoreError> {
        Ok(State::Stopped)
    }

    fn is_imported(&self, _run: &RunId) -> Result<bool, StoreError> {
        Ok(true)
    }

    fn set_digests(&mut self, _made: &[(RunId, Digest)]) -> Result<(), StoreError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_with_a_password_is_refused_and_not_repeated() {
        let parse = |text: &str| Address::parse(Path::new(text)).map_err(|e| e.to_string());
        for text in [
            "postgresql://pi:hunter2@db/b",
            "postgres://pi:hun/ter2@db/b",
            "postgresql://db/b?password=hunter2",
            "postgresql://db/b?sslmode=require&p%61ssword=hunter2",
        ] {
            let why = parse(text).unwrap_err();
            assert!(why.contains("~/.pgpass") && !why.contains("ter2"), "{why}");
        }
        for text in ["postgresql://pi@db:5433/b?sslkey=/k", "postgresql://pi@%2Frun:5433/b"] {
            assert!(parse(text).is_ok(), "{text}");
        }
        assert!(parse("host=db password=x").unwrap_err().contains("postgresql://USER"));
    }
}
