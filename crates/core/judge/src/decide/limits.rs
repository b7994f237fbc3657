//! Which workloads fit into the time and the bytes that may be written.
//!
//! Nothing is said before the first look of a mode, so the blocks up to it must fit. What does not
//! is given up from the end of the list, before the start and with its reason; one workload always
//! stays.

use serde::Serialize;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RunCost {
    pub time_ns: u64,
    pub write_bytes: u64,
}

impl RunCost {
    pub fn plus(self, other: RunCost) -> RunCost {
        RunCost {
            time_ns: self.time_ns.saturating_add(other.time_ns),
            write_bytes: self.write_bytes.saturating_add(other.write_bytes),
        }
    }

    pub fn times(self, n: u32) -> RunCost {
        RunCost {
            time_ns: self.time_ns.saturating_mul(n.into()),
            write_bytes: self.write_bytes.saturating_mul(n.into()),
        }
    }

    fn over(self, n: u32) -> RunCost {
        let n = u64::from(n.max(1));
        RunCost { time_ns: self.time_ns / n, write_bytes: self.write_bytes / n }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub name: String,
    pub cell: RunCost,
    /// Mean cost on one candidate, once in the run: finding the length of its slices.
    pub once: RunCost,
    /// Whether the bytes of a cell have a limit of their own, as slices have. Others write for a
    /// time: how much depends on how fast the drive is then.
    pub has_bound: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    pub workloads: Vec<Asked>,
    pub candidates: u32,
    /// Cost of a visit beside its cells: format, mount, lay out, unmount.
    pub visit: RunCost,
    pub first_look: u32,
    /// Blocks after which nothing more is measured.
    pub most_blocks: u32,
    pub is_of_rounds: bool,
    /// Cost once, before the first block: fill the image, calibrate.
    pub setup: RunCost,
    /// Time there is; `None` = no limit.
    pub time_ns: Option<u64>,
    /// Bytes that may be written; `None` = no limit.
    pub max_write_bytes: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithinLimits {
    /// How many of the workloads stay: the first ones.
    pub kept: usize,
    pub dropped: Vec<Dropped>,
    pub block: RunCost,
    pub once: RunCost,
    pub least: RunCost,
}

/// A block may write so much of what was expected: some of what it costs was tried but once.
const MOST_PERCENT: u64 = 125;

impl WithinLimits {
    /// Blocks that there is time and need for, and blocks that the bytes allow for certain. Without
    /// a limit of time those of the first look.
    pub fn blocks(&self, wanted: &Wanted) -> (u64, u64) {
        let first = u64::from(wanted.first_look);
        let blocks = |limit: u64, least: u64, block: u64| {
            first + limit.saturating_sub(least).checked_div(block).unwrap_or(u64::MAX - first)
        };
        let by_time = wanted.time_ns.filter(|_| !wanted.is_of_rounds);
        let by_time =
            by_time.map_or(first, |ns| blocks(ns, self.least.time_ns, self.block.time_ns));
        let by_time = by_time.min(wanted.most_blocks.into());
        let block_bytes = self.block.write_bytes.saturating_mul(MOST_PERCENT) / 100;
        let more_bytes = first * block_bytes.saturating_sub(self.block.write_bytes);
        let least_bytes = self.least.write_bytes.saturating_add(more_bytes);
        let by_bytes = wanted
            .max_write_bytes
            .map_or(u64::MAX, |bytes| blocks(bytes, least_bytes, block_bytes));
        (by_time, by_bytes)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    pub name: String,
    pub first_look: u32,
    pub is_of_rounds: bool,
    pub limit: Limit,
}

/// A limit of a run, and what exceeds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Time { needed_ns: u64, limit_ns: u64 },
    Bytes { needed_bytes: u64, limit_bytes: u64 },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OverLimit {
    Nothing,
    First(Dropped),
}

/// Drops workloads from the end until the blocks before the first look fit.
pub fn within_limits(wanted: &Wanted) -> Result<WithinLimits, OverLimit> {
    if wanted.workloads.is_empty() || wanted.candidates == 0 {
        return Err(OverLimit::Nothing);
    }
    let least_of_all = cost(wanted, wanted.workloads.len()).least;
    let mut dropped = Vec::new();
    for kept in (1..=wanted.workloads.len()).rev() {
        let Costs { block, once, least } = cost(wanted, kept);
        let over_time = wanted.time_ns.filter(|limit| least.time_ns > *limit);
        let over_bytes = wanted.max_write_bytes.filter(|limit| least.write_bytes > *limit);
        match (over_time, over_bytes) {
            (None, None) => return Ok(WithinLimits { kept, dropped, block, once, least }),
            (over_time, _) => {
                let name = wanted.workloads[kept - 1].name.clone();
                let needed = if kept == 1 { least } else { least_of_all };
                let limit = limit(wanted, needed, over_time.is_some());
                let Wanted { first_look, is_of_rounds, .. } = *wanted;
                let unfit = Dropped { name, first_look, is_of_rounds, limit };
                if kept == 1 {
                    return Err(OverLimit::First(unfit));
                }
                dropped.push(unfit);
            }
        }
    }
    Err(OverLimit::Nothing)
}

fn limit(wanted: &Wanted, needed: RunCost, is_of_time: bool) -> Limit {
    if is_of_time {
        Limit::Time { needed_ns: needed.time_ns, limit_ns: wanted.time_ns.unwrap_or_default() }
    } else {
        Limit::Bytes {
            needed_bytes: needed.write_bytes,
            limit_bytes: wanted.max_write_bytes.unwrap_or_default(),
        }
    }
}

/// What the first workloads cost: a block, what comes once, and all that must be done at least.
struct Costs {
    block: RunCost,
    once: RunCost,
    least: RunCost,
}

fn cost(wanted: &Wanted, kept: usize) -> Costs {
    let sum = |of: fn(&Asked) -> RunCost| {
        wanted.workloads[..kept].iter().fold(RunCost::default(), |sum, asked| sum.plus(of(asked)))
    };
    let cells = sum(|asked| asked.cell);
    let once = sum(|asked| asked.once).times(wanted.candidates);
    if wanted.is_of_rounds {
        let series = wanted.visit.times(kept as u32).plus(cells.times(wanted.first_look));
        let least = wanted.setup.plus(once).plus(series.times(wanted.candidates));
        return Costs { block: cells.over(kept as u32), once, least };
    }
    let block = wanted.visit.plus(cells).times(wanted.candidates);
    let least = wanted.setup.plus(once).plus(block.times(wanted.first_look));
    Costs { block, once, least }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn asked(name: &str, cell: RunCost) -> Asked {
        Asked { name: name.to_string(), cell, once: RunCost::default(), has_bound: true }
    }

    fn wanted(time_s: Option<u64>, max_mib: Option<u64>) -> Wanted {
        let cell = |s: u64, mib: u64| RunCost { time_ns: s * S, write_bytes: mib << 20 };
        let names = ["randwrite", "seqread", "randread", "seqwrite"];
        let mib = [10, 0, 0, 90];
        Wanted {
            workloads: names.iter().zip(mib).map(|(n, m)| asked(n, cell(3, m))).collect(),
            candidates: 2,
            visit: cell(2, 10),
            first_look: 5,
            most_blocks: 27,
            is_of_rounds: false,
            setup: cell(10, 0),
            time_ns: time_s.map(|s| s * S),
            max_write_bytes: max_mib.map(|m| m << 20),
        }
    }

    #[test]
    fn everything_stays_where_the_blocks_of_the_first_look_fit() {
        // A block: 2 x (2 + 4 x 3) = 28 s; with set-up 150 s.
        let fit = within_limits(&wanted(Some(150), None)).unwrap();
        assert_eq!((fit.kept, fit.dropped.len(), fit.block.time_ns), (4, 0, 28 * S));
        assert_eq!(within_limits(&wanted(None, None)).unwrap().least.write_bytes, 1100 << 20);
    }

    #[test]
    fn what_comes_once_is_paid_once_by_each_candidate() {
        let mut all = wanted(Some(158), None);
        all.workloads[0].once = RunCost { time_ns: 4 * S, write_bytes: 1 << 20 };
        let fit = within_limits(&all).unwrap();
        assert_eq!((fit.kept, fit.block.time_ns, fit.once.time_ns), (4, 28 * S, 8 * S));
        assert_eq!((fit.least.time_ns, fit.least.write_bytes), (158 * S, 1102 << 20));
        all.time_ns = Some(157 * S);
        assert_eq!(within_limits(&all).unwrap().kept, 3);
    }

    #[test]
    fn the_least_important_go_first_each_with_its_reason() {
        let fit = within_limits(&wanted(Some(100), None)).unwrap();
        assert_eq!(fit.kept, 2);
        let names: Vec<&str> = fit.dropped.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(names, ["seqwrite", "randread"]);
        let limit = Limit::Time { needed_ns: 150 * S, limit_ns: 100 * S };
        assert!(fit.dropped.iter().all(|dropped| dropped.limit == limit), "{fit:?}");
        let fit = within_limits(&wanted(None, Some(500))).unwrap();
        assert_eq!(fit.kept, 3);
        let limit = Limit::Bytes { needed_bytes: 1100 << 20, limit_bytes: 500 << 20 };
        assert_eq!(fit.dropped[0].limit, limit);
    }

    #[test]
    fn one_workload_stays_or_the_error_says_what_would_be_enough() {
        let first = |limit| {
            let name = "randwrite".to_string();
            Err(OverLimit::First(Dropped { name, first_look: 5, is_of_rounds: false, limit }))
        };
        let time = Limit::Time { needed_ns: 60 * S, limit_ns: 20 * S };
        assert_eq!(within_limits(&wanted(Some(20), None)), first(time));
        let bytes = Limit::Bytes { needed_bytes: 200 << 20, limit_bytes: 10 << 20 };
        assert_eq!(within_limits(&wanted(None, Some(10))), first(bytes));
        let three = Wanted { first_look: 3, ..wanted(Some(100), None) };
        assert_eq!(within_limits(&three).unwrap().kept, 4, "the mode looks after three blocks");
        let none = Wanted { candidates: 0, ..wanted(None, None) };
        assert_eq!(within_limits(&none), Err(OverLimit::Nothing));
    }
}
