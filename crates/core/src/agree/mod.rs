//! Whether bakeoff's own engine gives the numbers of the real tools: what is compared and what the
//! pairs come to.
//!
//! A tool and its native counterpart do the same work on the same files, one after the other, in
//! alternating order; the ratio of the two rates is the mean of the pairs' logarithms with its t
//! interval. A phase agrees when the interval overlaps 0.97 to 1.03. Phases that last less than a
//! second are shown and not judged. Nothing here runs anything.

pub mod cases;
pub mod render;

use serde::Serialize;

use crate::model::candidate::Skipped;
use crate::model::workload::{DriverName, Workload};
use crate::stats::paired::Paired;

/// Ratios that count as the same.
pub const SAME: (f64, f64) = (0.97, 1.03);
/// Two-sided error of the interval.
const ALPHA: f64 = 0.05;
/// Phases below this are not judged.
const JUDGED_NS: u64 = 1_000_000_000;

/// The same work for a tool and for bakeoff.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// For people: "1m sequential reads, direct".
    pub name: String,
    /// The tool.
    pub tool: DriverName,
    /// The work in the tool's hands.
    pub foreign: Workload,
    /// The work in bakeoff's.
    pub native: Workload,
    /// What is known to differ, for the line below a ratio that is not 1.
    pub known: &'static str,
}

/// One turn of both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// bakeoff's rate, in the unit of the phase.
    pub native: f64,
    /// The tool's.
    pub foreign: f64,
    /// The shorter of the two times.
    pub elapsed_ns: u64,
}

/// What one phase came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The tool's name.
    pub tool: &'static str,
    /// The phase.
    pub phase: String,
    /// Turns.
    pub pairs: u32,
    /// bakeoff's rate over the tool's; `None` without a pair.
    pub ratio: Option<f64>,
    /// Lower end of the 95 % interval; `None` with fewer than two pairs.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Mean of the shorter times.
    pub elapsed_ns: u64,
    /// How it is judged.
    pub agreement: Agreement,
    /// Why it does not agree, or is not judged; empty when it agrees.
    pub why: String,
}

/// How a phase is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// The interval overlaps 0.97 to 1.03.
    Agrees,
    /// It does not.
    Differs,
    /// It lasted less than a second, or there are too few pairs.
    NotJudged,
}

/// Everything measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Table {
    /// Phases in the order they were first measured.
    pub rows: Vec<Row>,
    /// The tools' versions by name.
    pub versions: Vec<(String, String)>,
    /// What could not be compared, and why.
    pub skipped: Vec<Skipped>,
}

impl Row {
    /// From the pairs of a phase.
    pub fn of(tool: DriverName, phase: &str, known: &str, pairs: &[Pair]) -> Row {
        let is_usable = |p: &&Pair| p.native > 0.0 && p.foreign > 0.0;
        let logs: Vec<f64> =
            pairs.iter().filter(is_usable).map(|p| libm::log(p.native / p.foreign)).collect();
        let count = logs.len() as u64;
        let mean = crate::stats::sample::mean(&logs);
        let total: u64 = pairs.iter().map(|p| p.elapsed_ns).sum();
        let elapsed_ns = total / (pairs.len() as u64).max(1);
        let interval = Paired::of(&logs).map(|paired| paired.interval(ALPHA));
        let (agreement, why) = match interval {
            None => (Agreement::NotJudged, format!("{count} pairs give no interval: --time more")),
            Some(_) if elapsed_ns < JUDGED_NS => {
                (Agreement::NotJudged, "it lasts less than a second here".to_string())
            }
            Some(i) if i.low <= libm::log(SAME.1) && i.high >= libm::log(SAME.0) => {
                (Agreement::Agrees, String::new())
            }
            Some(_) => (Agreement::Differs, known.to_string()),
        };
        Row {
            tool: tool.name(),
            phase: phase.to_string(),
            pairs: logs.len() as u32,
            ratio: mean.map(libm::exp),
            low: interval.map(|i| libm::exp(i.low)),
            high: interval.map(|i| libm::exp(i.high)),
            elapsed_ns,
            agreement,
            why,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pairs: &[(f64, f64)], seconds: f64) -> Row {
        let elapsed_ns = (seconds * 1e9) as u64;
        let pair = |(native, foreign): &(f64, f64)| Pair {
            native: *native,
            foreign: *foreign,
            elapsed_ns,
        };
        let pairs: Vec<Pair> = pairs.iter().map(pair).collect();
        Row::of(DriverName::Dd, "write", "zeros are cheap", &pairs)
    }

    #[test]
    fn an_interval_that_overlaps_agrees_and_one_beside_says_why_not() {
        let near = row(&[(99.0, 100.0), (102.0, 100.0), (100.0, 101.0)], 2.0);
        assert_eq!((near.agreement, near.why.as_str()), (Agreement::Agrees, ""));
        let far = row(&[(80.0, 100.0), (81.0, 100.0), (80.5, 100.0)], 2.0);
        assert_eq!((far.agreement, far.why.as_str()), (Agreement::Differs, "zeros are cheap"));
        assert!(far.high.unwrap() < 0.83 && far.low.unwrap() > 0.78);
    }

    #[test]
    fn a_short_phase_and_a_single_pair_are_not_judged() {
        let short = row(&[(80.0, 100.0), (81.0, 100.0)], 0.9);
        assert_eq!(short.agreement, Agreement::NotJudged);
        let single = row(&[(100.0, 100.0)], 5.0);
        assert_eq!(
            (single.agreement, single.ratio, single.low),
            (Agreement::NotJudged, Some(1.0), None)
        );
        assert_eq!(row(&[(0.0, 100.0)], 5.0).ratio, None);
    }
}
