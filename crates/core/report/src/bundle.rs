//! Bundles: a whole run as one text file, to carry to another machine.
//!
//! JSON lines. The first is the [`Head`], then every event as [`public`] leaves it, one a line, and
//! last a seal: the number of events and the SHA-256 (FIPS 180-4) of everything before
//! it. The seal tells a damaged or cut file from a whole one; it does not tell who wrote it, so
//! nothing in a bundle is believed: lines and totals are bounded and every value is checked
//! ([`sound`]) before a line is handed on. This module is the encoding only; it opens no file.
//!
//! The format is documented in docs/format.md.

mod public;
mod sound;

#[cfg(test)]
pub mod tests;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use bakeoff_model::event::{Event, What};
use bakeoff_model::json;
use bakeoff_model::path::printable;
use bakeoff_model::run::{FoldError, Run};
use bakeoff_model::undo::is_run_id;

pub use public::public;

pub const SCHEMA: &str = "bakeoff/bundle/1";
pub const RUN_SCHEMA: &str = "bakeoff/run/1";
/// Longest line, without its newline. A cell of 20 s has about 100 KiB.
pub const LINE_BYTES: usize = 16 << 20;
pub const TOTAL_BYTES: u64 = 1 << 30;
pub const EVENTS: u64 = 1 << 20;

/// How the seal's line begins; no event's does.
const SEAL_START: &[u8] = b"{\"events\":";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    pub schema: String,
    pub run: String,
    pub version: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seal {
    events: u64,
    /// Of every byte before this line, in 64 small hexadecimal digits.
    sha256: String,
}

#[derive(Debug, Error, PartialEq, Eq)]
#[error("line {line}: {why}")]
pub struct BundleError {
    pub line: u64,
    pub why: String,
}

const NOT_A_BUNDLE: &str = "not a bundle; `bakeoff show RUN -o run.bundle` writes one";
const CUT: &str = "the end is missing: the bundle is truncated; copy it again";

impl BundleError {
    pub fn not_a_bundle() -> BundleError {
        BundleError { line: 1, why: NOT_A_BUNDLE.to_string() }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Sealer {
    hash: Sha256,
    lines: u64,
}

impl Sealer {
    pub fn add(&mut self, line: &[u8]) {
        self.hash.update(line);
        self.hash.update(b"\n");
        self.lines += 1;
    }

    pub fn seal(self) -> String {
        let sha256 = self.hash.finalize().iter().map(|b| format!("{b:02x}")).collect::<String>();
        format!("{{\"events\":{},\"sha256\":\"{sha256}\"}}", self.lines.saturating_sub(1))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// The head; [`Decoder::head`] has it.
    Head,
    Event,
    End,
}

/// Reads a bundle line by line, in memory for one line and the light parts of the run.
#[derive(Default)]
pub struct Decoder {
    line: u64,
    bytes: u64,
    sealer: Sealer,
    head: Option<Head>,
    run: Option<Run>,
    sealed: bool,
}

impl Decoder {
    pub fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    pub fn line(&mut self, text: &[u8]) -> Result<Line, BundleError> {
        self.line += 1;
        self.take(text).map_err(|why| BundleError { line: self.line, why })
    }

    pub fn finish(&self) -> Result<(), BundleError> {
        match (self.sealed, self.line) {
            (true, _) => Ok(()),
            (false, 0) => Err(BundleError::not_a_bundle()),
            (false, line) => Err(BundleError { line, why: CUT.to_string() }),
        }
    }

    fn take(&mut self, text: &[u8]) -> Result<Line, String> {
        self.bytes = self.bytes.saturating_add(text.len() as u64 + 1);
        if self.sealed {
            return Err(
                "data follows the end of the bundle; import one bundle at a time".to_string()
            );
        }
        if text.len() > LINE_BYTES {
            let most = LINE_BYTES >> 20;
            return Err(format!("a line is longer than {most} MiB, the maximum"));
        }
        if self.bytes > TOTAL_BYTES || self.line > EVENTS + 2 {
            let most = TOTAL_BYTES >> 20;
            return Err(format!(
                "the bundle is larger than {most} MiB or has more than {EVENTS} events"
            ));
        }
        let Some(head) = &self.head else {
            self.head = Some(read_head(text)?);
            self.sealer.add(text);
            return Ok(Line::Head);
        };
        if text.starts_with(SEAL_START) {
            self.check_seal(text)?;
            self.sealed = true;
            return Ok(Line::End);
        }
        let mut event = read_event(text, &head.version)?;
        sound::check(&event).map_err(absurd)?;
        if let What::Started(header) = &event.what {
            check_header(&header.schema, &header.run, &head.run)?;
        }
        lighten(&mut event);
        match &mut self.run {
            None => self.run = Some(Run::begin(&event).map_err(|error| error.to_string())?),
            Some(run) => run.apply(&event).map_err(|error| error.to_string())?,
        }
        self.sealer.add(text);
        Ok(Line::Event)
    }

    fn check_seal(&self, text: &[u8]) -> Result<(), String> {
        const BAD_SEAL: &str =
            "the last line is not the checksum line; copy the bundle again in binary mode";
        let seal: Seal = json::read(text).map_err(|_| BAD_SEAL)?;
        let ours: Seal = serde_json::from_str(&self.sealer.clone().seal()).map_err(|_| BAD_SEAL)?;
        if seal != ours {
            let why = "checksum mismatch: the bundle was changed or damaged; copy it again";
            return Err(why.to_string());
        }
        if self.run.is_none() {
            return Err(FoldError::Empty.to_string());
        }
        Ok(())
    }
}

fn read_head(text: &[u8]) -> Result<Head, String> {
    let head: Head = json::read(text).map_err(|_| NOT_A_BUNDLE)?;
    if head.schema != SCHEMA {
        let is_ours = head.schema.starts_with("bakeoff/bundle/");
        return Err(if is_ours { newer(&head.schema) } else { NOT_A_BUNDLE.to_string() });
    }
    if !is_run_id(&head.run) {
        let run = printable(head.run.as_bytes());
        return Err(format!("'{run}' is not a run ID (16 lower-case hexadecimal digits)"));
    }
    Ok(head)
}

fn read_event(text: &[u8], version: &str) -> Result<Event, String> {
    json::read(text).map_err(|error| {
        // Only a line that was cut ends too early.
        if error.is_eof() {
            return CUT.to_string();
        }
        let message = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        format!(
            "column {}: {} (written by bakeoff {}; if that is newer than this one, update bakeoff)",
            error.column(),
            printable(message.strip_suffix(&place).unwrap_or(&message).as_bytes()),
            printable(version.as_bytes()),
        )
    })
}

fn newer(schema: &str) -> String {
    let shown = printable(schema.as_bytes());
    format!("the schema is '{shown}', and this bakeoff reads {SCHEMA}: update bakeoff to read it")
}

fn absurd(what: &str) -> String {
    format!("{what}: not possible in a measurement; the bundle is damaged or was edited")
}

fn check_header(schema: &str, run: &str, head_run: &str) -> Result<(), String> {
    if schema != RUN_SCHEMA {
        return Err(newer(schema));
    }
    if run != head_run {
        return Err(absurd("the head and the first event name different runs"));
    }
    Ok(())
}

/// Drops what the fold does not look at, so that memory stays small whatever the bundle's size.
fn lighten(event: &mut Event) {
    if let What::StepDone(done) = &mut event.what {
        done.output = String::new();
    }
    let What::CellDone(cell) = &mut event.what else { return };
    cell.raw = None;
    let m = &mut cell.measurement;
    m.windows = Vec::new();
    m.findings = Vec::new();
    let ops = [&mut m.read, &mut m.write, &mut m.flush, &mut m.create, &mut m.stat, &mut m.unlink];
    for stats in ops.into_iter().flatten() {
        stats.histogram.buckets = Vec::new();
    }
}

/// Reads a whole bundle in memory; for small ones, tests and fuzzing.
pub fn decode(bytes: &[u8]) -> Result<Head, BundleError> {
    let mut decoder = Decoder::default();
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    if !bytes.is_empty() {
        for line in body.split(|b| *b == b'\n') {
            decoder.line(line)?;
        }
    }
    decoder.finish()?;
    decoder.head.ok_or_else(BundleError::not_a_bundle)
}

/// Writes a whole bundle in memory, from events as the store keeps them.
pub fn encode(head: &Head, events: &[String]) -> Result<String, serde_json::Error> {
    let mut sealer = Sealer::default();
    let mut text = String::new();
    let first = serde_json::to_string(head)?;
    for line in std::iter::once(&first).chain(events) {
        sealer.add(line.as_bytes());
        text.push_str(line);
        text.push('\n');
    }
    text.push_str(&sealer.seal());
    text.push('\n');
    Ok(text)
}
