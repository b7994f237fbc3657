//! Whether bakeoff's own engine gives the numbers of the real tools: what is compared and what the
//! pairs come to.
//!
//! A tool and its native counterpart do the same work on files of the same size, one after the
//! other, in alternating order. The ratio of the two rates is the Hodges-Lehmann estimate of the
//! pairs' logarithms with its interval: a drive that stalls in one turn moves a mean, and not this.
//! A phase agrees when the interval overlaps 0.97 to 1.03 and is narrow enough to say so. How long
//! a phase lasts decides nothing but for the shortest: the interval says what it is worth. Nothing
//! here runs anything.

pub mod cases;
pub mod figure;

use serde::Serialize;

use crate::model::candidate::Skipped;
use crate::model::workload::{DriverName, Workload};
use crate::stats::hodges_lehmann;
use crate::stats::paired::{Interval, Paired};
use crate::stats::wilcoxon;
use crate::tools::foreign::ParseError;
use figure::Unit;

/// Ratios that count as the same.
pub const SAME: (f64, f64) = (0.97, 1.03);
/// An interval that reaches further to each side than this factor could not have shown a
/// difference: overlapping with it is no agreement.
pub const WIDEST: f64 = 1.10;
/// Most pairs of a phase: as many as the interval is exact for.
pub const PAIRS_MOST: u32 = wilcoxon::EXACT_MOST as u32;
/// Pairs from which on one stalled turn moves no end of the interval: with fewer, its width says
/// little about what further pairs would give.
const PAIRS_TELLING: u32 = 12;
const ALPHA: f64 = 0.05;
/// Phases below this are not judged: starting and ending the clock is a part of them.
const JUDGED_NS: u64 = 10_000_000;

/// The same work for a tool and for bakeoff: one command of the tool's, with one phase or more.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    pub tool: DriverName,
    /// For people, beside the tool's name: "1m reads, direct".
    pub name: String,
    /// What both do, in this order.
    pub phases: Vec<Compared>,
    /// Whether both read the same files, which are made once. How fast a drive reads a file that is
    /// new to it, and where it put it, would be part of each ratio otherwise.
    pub keeps_files: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    pub name: String,
    /// The work in bakeoff's hands; in the tool's it is the same with another driver.
    pub work: Workload,
    /// What is known to differ, which explains a ratio that is not 1.
    pub known: Option<Known>,
}

/// What is known to differ between a tool and bakeoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// fio uses more CPU time for each operation.
    Cpu,
    /// The kernel splits direct transfers by where their buffer lies in memory.
    Pages,
    Layout,
    /// fio mixes reads and writes by another random generator.
    Mix,
    Records,
    Calls,
    /// The threads of bonnie++ free the file while they are timed.
    Seeks,
    /// bonnie++ ends with sync(2).
    Sync,
    /// The same, and what the first tool removed costs the second one.
    Makes,
}

impl Case {
    /// The work in bakeoff's hands.
    pub fn ours(&self) -> Vec<Workload> {
        self.phases.iter().map(|phase| phase.work.clone()).collect()
    }

    /// The work in the tool's.
    pub fn theirs(&self) -> Vec<Workload> {
        let of = |phase: &Compared| Workload { driver: self.tool, ..phase.work.clone() };
        self.phases.iter().map(of).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// bakeoff's rate, in the unit of the phase, above 0.
    pub native: f64,
    /// The tool's, above 0.
    pub foreign: f64,
    pub elapsed_ns: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    pub tool: &'static str,
    pub phase: String,
    pub pairs: u32,
    pub unit: Unit,
    /// The tool's rate, estimated as the ratio is; `None` without a pair.
    pub rate: Option<f64>,
    /// bakeoff's rate over the tool's; `None` without a pair.
    pub ratio: Option<f64>,
    /// Lower end of the 95 % interval; `None` with fewer than two pairs.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// The tool's lowest and highest rate; `None` without a pair.
    pub rates: Option<(f64, f64)>,
    pub elapsed_ns: u64,
    pub agreement: Agreement,
    /// Why it does not agree, or is not judged; `None` when it agrees.
    #[serde(skip)]
    pub why: Option<Why>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoFigure {
    Ours,
    Theirs,
    /// The tool's, because its output has none.
    Unread(ParseError),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    Missing(NoFigure),
    Short,
    NoPair,
    OnePair,
    /// Its interval is wide, because the tool's own rate scatters from one turn to the next.
    Wide {
        /// The tool's highest rate in units of its lowest.
        factor: f64,
        /// Pairs that would narrow it, where they are more than there may be.
        wanted: Option<f64>,
    },
    /// The ratio is not 1: what is known to differ.
    Differs(Option<Known>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// The interval overlaps 0.97 to 1.03, and is no wider than 10 % to each side.
    Agrees,
    Differs,
    /// It lasted less than 10 ms, there are too few pairs, or they scatter too much.
    NotJudged,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Table {
    /// Phases in the order they were first measured.
    pub rows: Vec<Row>,
    pub versions: Vec<(String, String)>,
    pub skipped: Vec<Skipped>,
}

impl Row {
    /// From the pairs of a phase; `missing` says why a turn gave none.
    pub fn from_pairs(
        tool: DriverName,
        phase: &Compared,
        pairs: &[Pair],
        missing: Option<&NoFigure>,
    ) -> Row {
        let of_pairs = |of: fn(&Pair) -> f64| -> Vec<f64> { pairs.iter().map(of).collect() };
        let logs = of_pairs(|pair| libm::log(pair.native / pair.foreign));
        let total: u64 = pairs.iter().map(|p| p.elapsed_ns).sum();
        let elapsed_ns = total / (pairs.len() as u64).max(1);
        let interval = interval(&logs);
        let not = |why| (Agreement::NotJudged, Some(why));
        let is_same = |i: &Interval| i.low <= libm::log(SAME.1) && i.high >= libm::log(SAME.0);
        let (agreement, why) = match (interval, missing) {
            (None, Some(missing)) => not(Why::Missing(missing.clone())),
            (Some(_) | None, _) if !pairs.is_empty() && elapsed_ns < JUDGED_NS => not(Why::Short),
            (None, None) if pairs.is_empty() => not(Why::NoPair),
            (None, None) => not(Why::OnePair),
            (Some(i), _) if is_same(&i) && is_wide(&i) => not(too_wide(&i, pairs)),
            (Some(i), _) if is_same(&i) => (Agreement::Agrees, None),
            (Some(_), _) => (Agreement::Differs, Some(Why::Differs(phase.known))),
        };
        let middle = |logs: &[f64]| hodges_lehmann::estimate(logs).map(libm::exp);
        Row {
            tool: tool.name(),
            phase: phase.name.clone(),
            pairs: logs.len() as u32,
            unit: figure::unit(&phase.work),
            rate: middle(&of_pairs(|pair| libm::log(pair.foreign))),
            ratio: middle(&logs),
            low: interval.map(|i| libm::exp(i.low)),
            high: interval.map(|i| libm::exp(i.high)),
            rates: lowest_and_highest(pairs),
            elapsed_ns,
            agreement,
            why,
        }
    }

    /// Whether more pairs are not needed: the interval is narrow enough, or is beside what counts
    /// as the same, or the phase is too short to be judged, or as many pairs as there may be would
    /// not narrow the interval enough.
    pub fn is_settled(&self) -> bool {
        let (Some(low), Some(high)) = (self.low, self.high) else { return true };
        let is_beside = low > SAME.1 || high < SAME.0;
        let interval = Interval { low: libm::log(low), high: libm::log(high) };
        let is_hopeless = hopeless(&interval, self.pairs).is_some();
        !is_wide(&interval) || is_beside || is_hopeless || self.elapsed_ns < JUDGED_NS
    }
}

/// The interval of the middle of logarithms; of so few that ranks give none, the t interval of
/// their mean.
fn interval(logs: &[f64]) -> Option<Interval> {
    hodges_lehmann::interval(logs, ALPHA)
        .or_else(|| Paired::from_differences(logs).map(|paired| paired.interval(ALPHA)))
}

/// Whether an interval could not have shown a difference.
fn is_wide(interval: &Interval) -> bool {
    half_width(interval) > libm::log(WIDEST)
}

fn half_width(interval: &Interval) -> f64 {
    (interval.high - interval.low) / 2.0
}

/// How many pairs would make an interval of so many `pairs` narrow enough, if that is more than
/// there may be: its width falls with the square root of their number.
fn hopeless(interval: &Interval, pairs: u32) -> Option<f64> {
    let ratio = half_width(interval) / libm::log(WIDEST);
    let wanted = f64::from(pairs) * ratio * ratio;
    (pairs >= PAIRS_TELLING && wanted > f64::from(PAIRS_MOST)).then_some(wanted)
}

fn lowest_and_highest(pairs: &[Pair]) -> Option<(f64, f64)> {
    let first = pairs.first()?.foreign;
    let widen = |(low, high): (f64, f64), pair: &Pair| {
        (f64::min(low, pair.foreign), f64::max(high, pair.foreign))
    };
    Some(pairs.iter().fold((first, first), widen))
}

fn too_wide(interval: &Interval, pairs: &[Pair]) -> Why {
    let factor = lowest_and_highest(pairs).map_or(1.0, |(low, high)| high / low);
    Why::Wide { factor, wanted: hopeless(interval, pairs.len() as u32) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::job::{Job, Rw};
    use crate::model::workload::{Metric, Phase};

    fn row_of(pairs: &[(f64, f64)], seconds: f64, known: Option<Known>) -> Row {
        let elapsed_ns = (seconds * 1e9) as u64;
        let pair = |(native, foreign): &(f64, f64)| Pair {
            native: *native,
            foreign: *foreign,
            elapsed_ns,
        };
        let pairs: Vec<Pair> = pairs.iter().map(pair).collect();
        let job = Job::new(Rw::Write, 4096, 4096);
        let work = Workload::native("write", "", Phase::Overwrite, Metric::Bandwidth, job);
        let phase = Compared { name: "write".to_string(), work, known };
        let missing = pairs.is_empty().then_some(&NoFigure::Theirs);
        Row::from_pairs(DriverName::Dd, &phase, &pairs, missing)
    }

    fn row(pairs: &[(f64, f64)], seconds: f64) -> Row {
        row_of(pairs, seconds, Some(Known::Calls))
    }

    #[test]
    fn an_interval_that_overlaps_agrees_and_one_beside_says_why_not() {
        let near = row(&[(99.0, 100.0), (102.0, 100.0), (100.0, 101.0)], 2.0);
        assert_eq!((near.agreement, near.why), (Agreement::Agrees, None));
        let pairs = [(80.0, 100.0), (81.0, 100.0), (80.5, 100.0)];
        let far = row(&pairs, 2.0);
        assert_eq!(far.agreement, Agreement::Differs);
        assert_eq!(far.why, Some(Why::Differs(Some(Known::Calls))));
        assert!(far.high.unwrap() < 0.83 && far.low.unwrap() > 0.78);
        assert_eq!(far.rate.unwrap().round(), 100.0);
        assert_eq!(row_of(&pairs, 2.0, None).why, Some(Why::Differs(None)));
    }

    #[test]
    fn an_interval_so_wide_that_it_overlaps_anything_is_no_agreement() {
        let wide = row(&[(60.0, 100.0), (100.0, 60.0), (100.0, 100.0)], 2.0);
        assert!(wide.low.unwrap() < 0.97 && wide.high.unwrap() > 1.03);
        assert_eq!(wide.agreement, Agreement::NotJudged);
        assert!(matches!(wide.why, Some(Why::Wide { .. })), "{:?}", wide.why);
    }

    /// A drive that stalled once made 47 of 59 phases tell nothing.
    #[test]
    fn one_turn_in_which_the_disk_stalled_moves_no_ratio() {
        let mut pairs = vec![(100.0, 100.0); 9];
        pairs.extend([(101.0, 100.0), (99.0, 100.0), (5.0, 100.0)]);
        let row = row(&pairs, 2.0);
        assert_eq!((row.agreement, row.ratio.unwrap().round()), (Agreement::Agrees, 1.0));
    }

    /// Time goes to the phases that scatter, and none to those that are told.
    #[test]
    fn a_phase_is_settled_when_more_pairs_would_say_the_same() {
        let narrow = row(&[(100.0, 100.0), (101.0, 100.0), (100.0, 101.0)], 2.0);
        let beside = row(&[(50.0, 100.0), (60.0, 100.0), (55.0, 100.0)], 2.0);
        let short = row(&[(60.0, 100.0), (100.0, 60.0), (100.0, 100.0)], 0.009);
        assert!([narrow, beside, short].iter().all(Row::is_settled));
        let wide = row(&[(85.0, 100.0), (100.0, 85.0), (100.0, 100.0), (90.0, 100.0)], 2.0);
        assert!(!wide.is_settled());
        assert_eq!(wide.rates, Some((85.0, 100.0)));
        let Some(Why::Wide { factor, wanted: None }) = wide.why else { panic!("{:?}", wide.why) };
        assert!((factor - 1.18).abs() < 0.005, "{factor}");
    }

    /// Small files of one drive were made 14 times faster in one turn than in the next; all the
    /// time that was left went there.
    #[test]
    fn no_time_goes_to_a_phase_that_as_many_pairs_as_there_may_be_would_not_settle() {
        let pairs = [(60.0, 100.0), (100.0, 60.0), (100.0, 100.0)];
        assert!(!row(&pairs, 2.0).is_settled());
        let hopeless = row(&pairs.repeat(4), 2.0);
        assert!(hopeless.is_settled());
        assert_eq!(hopeless.agreement, Agreement::NotJudged);
        let is_told = matches!(hopeless.why, Some(Why::Wide { wanted: Some(_), .. }));
        assert!(is_told, "{:?}", hopeless.why);
    }

    #[test]
    fn a_short_phase_and_a_single_pair_are_not_judged() {
        let short = row(&[(80.0, 100.0), (81.0, 100.0)], 0.009);
        assert_eq!(short.agreement, Agreement::NotJudged);
        let second = row(&[(80.0, 100.0), (81.0, 100.0)], 0.9);
        assert_eq!(second.agreement, Agreement::Differs);
        let single = row(&[(100.0, 100.0)], 5.0);
        assert_eq!(
            (single.agreement, single.ratio, single.low),
            (Agreement::NotJudged, Some(1.0), None)
        );
        let none = row(&[], 5.0);
        assert_eq!((none.ratio, none.why), (None, Some(Why::Missing(NoFigure::Theirs))));
    }
}
