//! What a place promised to keep, and what of it is there: the record of acknowledged writes, and
//! the outcome of looking for them after a crash.
//!
//! A write is acknowledged when a flush that began after it has returned. The record is text: a
//! line of JSON that says what was written, then a line `LANE OPERATIONS` after every flush, so
//! many operations of that lane being acknowledged. A last line without its end is left out: the
//! crash cut it off. Which bytes an operation wrote where follows from the job's seed.

use std::borrow::Borrow;

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;
use thiserror::Error;

use super::job::Job;

/// Name of the record's form.
pub const ACKS_SCHEMA: &str = "bakeoff/acks/1";
/// Name of the outcome's form.
pub const DURABILITY_SCHEMA: &str = "bakeoff/kept/1";
const LANES_MAX: usize = 1024;
pub const LOST_MAX: usize = 10;

/// The first line of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcksHead {
    pub schema: String,
    pub job: Job,
    pub in_turns: bool,
    /// Flushes that may have returned and not be in the record: none where the record is a file,
    /// whose every line is on its drive before the lane goes on; a pipe or port holds some back.
    pub held_back: u32,
}

/// What was acknowledged by the end of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acks {
    pub head: AcksHead,
    pub lanes: Vec<u64>,
}

/// Why a record cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AcksError {
    #[error("its first line is not the header of {ACKS_SCHEMA} ({0})")]
    Head(String),
    #[error("line {0} is not a lane number followed by a number of operations")]
    Line(u64),
}

impl AcksHead {
    pub fn new(job: &Job, in_turns: bool, held_back: u32) -> AcksHead {
        AcksHead { schema: ACKS_SCHEMA.to_string(), job: job.clone(), in_turns, held_back }
    }
}

impl Acks {
    /// Reads a record from its complete lines.
    ///
    /// # Errors
    /// [`AcksError`].
    pub fn read(lines: impl IntoIterator<Item = impl Borrow<str>>) -> Result<Acks, AcksError> {
        let mut lines = lines.into_iter();
        let first = lines.next().ok_or_else(|| AcksError::Head("it is empty".to_string()))?;
        let head: AcksHead =
            serde_json::from_str(first.borrow()).map_err(|e| AcksError::Head(e.to_string()))?;
        if head.schema != ACKS_SCHEMA {
            return Err(AcksError::Head(format!("it contains {}", head.schema)));
        }
        let mut acks = Acks { lanes: vec![0; (head.job.numjobs as usize).min(LANES_MAX)], head };
        for (line, number) in lines.zip(2..) {
            let (lane, ops) = numbers(line.borrow()).ok_or(AcksError::Line(number))?;
            let known = acks.lanes.get_mut(lane).ok_or(AcksError::Line(number))?;
            *known = ops.max(*known);
        }
        Ok(acks)
    }

    pub fn total(&self) -> u64 {
        self.lanes.iter().fold(0, |sum, ops| sum.saturating_add(*ops))
    }
}

fn numbers(line: &str) -> Option<(usize, u64)> {
    let (lane, ops) = line.split_once(' ')?;
    Some((lane.parse().ok()?, ops.parse().ok()?))
}

/// How an acknowledged write was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Loss {
    Missing,
    Torn,
    Stale,
}

impl Loss {
    pub fn word(self) -> &'static str {
        self.into()
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lost {
    pub offset: u64,
    pub lane: u32,
    /// Number of the operation in its lane, from 0.
    pub operation: u64,
    pub loss: Loss,
    pub found: String,
}

/// What of the acknowledged writes is there. Every block counts once, with the last write on it
/// that was acknowledged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Durability {
    pub schema: String,
    pub acknowledged_ios: u64,
    /// Blocks with an acknowledged write: all were read.
    pub blocks: u64,
    pub bs: u64,
    pub whole: u64,
    /// Blocks that hold a later write, whose flush had not returned.
    pub newer: u64,
    /// Blocks that hold parts of both: a later write was under way, and no promise speaks of it.
    pub unfinished: u64,
    pub missing: u64,
    pub torn: u64,
    pub stale: u64,
    /// The first losses, [`LOST_MAX`] at most.
    pub lost: Vec<Lost>,
}

impl Durability {
    pub fn is_all(&self) -> bool {
        self.missing + self.torn + self.stale == 0
    }

    /// Counts a loss, and keeps it if it is one of the first.
    pub fn lose(&mut self, lost: Lost) {
        *match lost.loss {
            Loss::Missing => &mut self.missing,
            Loss::Torn => &mut self.torn,
            Loss::Stale => &mut self.stale,
        } += 1;
        if self.lost.len() < LOST_MAX {
            self.lost.push(lost);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Rw;

    fn head() -> String {
        let job = Job { numjobs: 2, ..Job::new(Rw::RandWrite, 4096, 1 << 20) };
        serde_json::to_string(&AcksHead::new(&job, false, 0)).unwrap()
    }

    #[test]
    fn the_highest_count_of_each_lane_is_what_was_acknowledged() {
        let acks = Acks::read([head().as_str(), "0 3", "1 10", "0 7", "1 9"]).unwrap();
        assert_eq!((acks.lanes.as_slice(), acks.total()), ([7, 10].as_slice(), 17));
        assert_eq!(Acks::read([head()]).unwrap().lanes, [0, 0]);
    }

    #[test]
    fn what_is_no_record_is_refused_with_its_line() {
        let first = head();
        for (line, text) in [(2, "2 1"), (2, "-1 1"), (2, "0"), (2, ""), (2, "0 1 2")] {
            let read = Acks::read([first.as_str(), text]);
            assert_eq!(read, Err(AcksError::Line(line)), "{text}");
        }
        let other = first.replace(ACKS_SCHEMA, "bakeoff/acks/9");
        for text in ["", "{}", "0 1", &other] {
            assert!(matches!(Acks::read([text]), Err(AcksError::Head(_))), "{text}");
        }
        assert!(matches!(Acks::read([""; 0]), Err(AcksError::Head(_))));
    }
}
