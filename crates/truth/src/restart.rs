//! A drive on which a turn costs the candidate something at the start of its slice: the rate along
//! slices, and the slices of a run. How long they are is found as in every run.

use std::collections::BTreeMap;
use std::convert::Infallible;

use crate::disk::{SLICES, SimulatedDisk};
use bakeoff_judge::decide::cell_trial::Natural;
use bakeoff_judge::decide::search::{Level, Search, TriedSlice};
use bakeoff_judge::decide::turns;
use bakeoff_model::calibration::{Calibration, Settled};
use bakeoff_model::event::Header;
use bakeoff_model::index::{BlockIx, CandidateIx, WorkloadIx};
use bakeoff_model::slice::{STRETCHES, Slice, Stretch};
use bakeoff_model::slice_length::{self, Least, Length};
use bakeoff_stats::prng::{NormalDeviates, SplitMix64};

/// The price of a turn, in the time of so many operations. The first operation of a slice takes
/// five times as long, the next ones less, and after as many operations 98 % of the price is paid.
#[derive(Clone, Debug, PartialEq)]
pub struct Restart {
    pub price: Vec<f64>,
    /// The candidate after whose slices it is paid; `None` = after everybody's.
    pub after: Option<CandidateIx>,
    /// Operations a second at the speed of 0.
    pub per_s: f64,
    pub settles: bool,
}

/// Operations in which the unpaid part shrinks to 1/e, as a share of the price.
const PAID: f64 = 0.25;
const SCATTER: f64 = 0.2;

/// A drive while candidates take turns on it.
pub struct Turns<'a> {
    restart: &'a Restart,
    random: NormalDeviates,
    pub found: Option<Calibration>,
    before: Option<CandidateIx>,
}

/// `ln` of the speed of each candidate in a block.
pub type Speeds = BTreeMap<CandidateIx, f64>;

impl<'a> Turns<'a> {
    /// A new session on the drive; `None` where turns cost nothing.
    pub fn new(disk: &'a SimulatedDisk, seed: u64) -> Option<Turns<'a>> {
        let random = NormalDeviates(SplitMix64::derive(seed, &[0x7475_726e]));
        let restart = disk.restart.as_ref()?;
        Some(Turns { restart, random, found: None, before: None })
    }

    /// Finds how long slices are, with the program's own search.
    pub fn calibrate(&mut self, header: &Header, speeds: &Speeds) -> Calibration {
        let (protocol, workload) = (&header.protocol, &header.workloads[WorkloadIx::FIRST]);
        let slowest = speeds.values().copied().fold(f64::INFINITY, f64::min);
        let unit_ns = |settles: bool| {
            let least = least(Least::for_job(&workload.job, settles), 1);
            (least as f64 * self.op_ns(slowest)) as u64
        };
        let natural = Natural { slice_ns: unit_ns(false), unit_ns: unit_ns(true) };
        let is_slow = slice_length::is_slow(&workload.job, natural.unit_ns, self.restart.settles);
        let search = Search {
            workload: WorkloadIx::FIRST,
            planned: SLICES,
            margin: protocol.tie_margin,
            granted_ns: slice_length::LONGEST_NS,
            most_ns: u64::MAX,
            natural,
            charges: self.restart.settles,
            is_slow: is_slow && self.restart.settles,
            tried: Vec::new(),
        };
        let found = search.run::<Infallible>(|length, tries| {
            let mut level = Level::new();
            for _ in 0..tries {
                for (&candidate, &speed) in speeds {
                    let work = Least::for_job(&workload.job, length.settling > 0);
                    let slice = self.slice((candidate, speed), (length, 1), work);
                    let tried = TriedSlice::of(&slice, workload.metric);
                    level.entry(candidate).or_default().push(tried);
                }
            }
            Ok(level)
        });
        let Ok(found) = found;
        self.found.insert(found).clone()
    }

    pub fn block(
        &mut self,
        header: &Header,
        block: BlockIx,
        speeds: &Speeds,
    ) -> BTreeMap<CandidateIx, Vec<Slice>> {
        let mut slices: BTreeMap<CandidateIx, Vec<Slice>> = BTreeMap::new();
        let Some(found) = self.found.clone() else { return slices };
        let job = &header.workloads[WorkloadIx::FIRST].job;
        let work = Least::for_job(job, found.settled != Settled::Quick);
        let standing: Vec<CandidateIx> = speeds.keys().copied().collect();
        let all = turns::times_of(&found, header.protocol.mode, block);
        self.before = None;
        for (round, times) in (0..).zip(all) {
            let round_ix = u32::from(round);
            let order = turns::turns(header.seed, block, WorkloadIx::FIRST, round_ix, &standing);
            for (turn, candidate) in (0..).zip(order) {
                let asked = slice_length::asked(found.length, times);
                let after = self.before;
                let slice = self.slice((candidate, speeds[&candidate]), asked, work);
                slices.entry(candidate).or_default().push(Slice {
                    round,
                    turn,
                    after,
                    times,
                    ..slice
                });
            }
        }
        slices
    }

    /// One slice of a candidate at a speed, of at least that work in each unit.
    fn slice(
        &mut self,
        (candidate, speed): (CandidateIx, f64),
        (length, times): (Length, u8),
        work: Least,
    ) -> Slice {
        let is_due = self.restart.after.is_none_or(|after| self.before == Some(after));
        let is_turn = self.before != Some(candidate);
        let price =
            if is_due && is_turn { self.restart.price[usize::from(candidate)] } else { 0.0 };
        let op_ns = self.op_ns(speed);
        let mut part = |from: u64, units: u32| {
            let time_ns = length.unit_ns.saturating_mul(units.into()) as f64;
            let due = cost(price, from) + time_ns / op_ns;
            let to = (from + least(work, units)).max(reached(price, due));
            let ends: Vec<u64> = cuts(from, to);
            let pairs = ends.windows(2);
            let stretches: Vec<Stretch> =
                pairs.map(|w| self.stretch((w[0], w[1]), price, op_ns)).collect();
            (stretches, to)
        };
        let (settling, from) = match length.settling {
            0 => (Vec::new(), 0),
            units => part(0, units),
        };
        let (along, _) = part(from, length.counted().saturating_mul(times.into()));
        let all = Stretch::sum(&along);
        self.before = Some(candidate);
        Slice {
            elapsed_ns: all.elapsed_ns,
            ios: all.ios,
            bytes: all.bytes,
            flushes: all.flushes as u32,
            flush_ns: all.flush_ns,
            settling,
            along,
            ..Slice::default()
        }
    }

    fn stretch(&mut self, (from, to): (u64, u64), price: f64, op_ns: f64) -> Stretch {
        let ios = to - from;
        let error = SCATTER / libm::sqrt(ios as f64) * self.random.deviate();
        let time = (cost(price, to) - cost(price, from)) * op_ns * (1.0 + error).max(0.1);
        let elapsed_ns = libm::round(time) as u64;
        Stretch { elapsed_ns, ios, bytes: ios * 4096, flushes: ios, flush_ns: elapsed_ns / 2 }
    }

    fn op_ns(&self, speed: f64) -> f64 {
        1e9 / self.restart.per_s * libm::exp(-speed)
    }
}

/// Operations of so many units of flushed writes.
fn least(work: Least, units: u32) -> u64 {
    work.ios.max(work.flushes).max(1) * u64::from(units)
}

/// Time of the first `ios` of a slice, in those of an operation.
fn cost(price: f64, ios: u64) -> f64 {
    let paid = if price > 0.0 { -libm::expm1(-(ios as f64) / (price * PAID)) } else { 0.0 };
    ios as f64 + price * paid
}

/// Operations after which the first of a slice have taken `time` of them.
fn reached(price: f64, time: f64) -> u64 {
    let (mut low, mut high) = (0, libm::ceil(time) as u64);
    while low < high {
        let middle = (low + high) / 2;
        if cost(price, middle) < time { low = middle + 1 } else { high = middle }
    }
    low
}

fn cuts(from: u64, to: u64) -> Vec<u64> {
    let pieces = (to - from).clamp(1, STRETCHES as u64);
    (0..=pieces).map(|i| from + (to - from) * i / pieces).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_price_is_paid_once_and_mostly_at_the_start() {
        assert_eq!(cost(0.0, 50), 50.0);
        assert!((cost(50.0, 1000) - 1050.0).abs() < 1e-9, "all of it");
        let first = cost(50.0, 50) - 50.0;
        assert!((first / 50.0 - 0.98).abs() < 0.01, "{first}");
        assert_eq!((reached(0.0, 7.0), reached(0.0, 6.5), reached(50.0, 0.0)), (7, 7, 0));
        let enough = reached(200.0, 500.0);
        assert!(cost(200.0, enough) >= 500.0 && cost(200.0, enough - 1) < 500.0);
        assert_eq!(cuts(50, 52), [50, 51, 52]);
        assert_eq!(cuts(0, 100).len(), 1 + STRETCHES);
    }
}
