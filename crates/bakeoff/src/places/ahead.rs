//! What is ahead of a run, from what was tried of it: the time and bytes of cells, and what it
//! costs to find the length of slices.
//!
//! What was not tried is taken from a model of the drive. What fits is for `core::decide` to say.

use bakeoff_judge::decide::beside;
use bakeoff_judge::decide::cell_trial::{CellTrial, Expected, Natural, expected_length};
use bakeoff_judge::decide::limits::{Asked, RunCost, Wanted};
use bakeoff_judge::decide::pace::{self, Demand, MeasuredPace};
use bakeoff_judge::decide::write_limit::LimitedSlices;
use bakeoff_model::profile::Part;
use bakeoff_model::profiles::{self, PartSpec, Writes};
use bakeoff_model::protocol::{Isolation, Mode, Protocol};
use bakeoff_model::slice_length::{self, Least, Length, SHORTEST_NS};
use bakeoff_model::workload::{Phase, Workload};

use super::try_cells::CellTrials;

/// Starting the engine, counters, the record: beside every cell.
const CELL_OVERHEAD_NS: u64 = 150_000_000;

/// What a slice takes on average: calibration seldom stops at the shortest.
const USUAL_SLICE_NS: u64 = 100_000_000;
/// Units of work that it takes to find how long a drive settles: one and two of them, and as many
/// that count.
const SETTLING_UNITS: u32 = 6;
const SLICE_OVERHEAD_NS: u64 = 4_000_000;
const START_NS: u64 = 30_000_000;
/// Between the rehearsal and the first cell: starting to watch the machine, asking the drives, the
/// sentinel. A limit that ends before that would end a run that measured nothing.
const FIRST_BLOCK_NS: u64 = 400_000_000;

#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// Durable sequential writing, bytes a second.
    pub bytes_per_s: f64,
    pub flushed_write_ns: u64,
    pub visit: RunCost,
    pub wears: bool,
    pub charges: bool,
    /// What a few slices of each workload took, in the order of the header's workloads.
    pub cells: CellTrials,
}

/// What is ahead of a run that has tried everything once.
pub struct Ahead<'a> {
    pub protocol: Protocol,
    workloads: &'a [Workload],
    trials: &'a [&'a Trial],
    setup: RunCost,
    pub visit: RunCost,
    pub pace: MeasuredPace,
    lengths: Vec<Expected>,
    /// Slices of a cell that do not count, as settings of the disk have changed before them.
    unsettled: u32,
}

/// Times that the settings of a candidate are made while a workload is measured once.
const SWITCHES: u32 = 2;

impl<'a> Ahead<'a> {
    pub fn from_trials(
        protocol: Protocol,
        workloads: &'a [Workload],
        trials: &'a [&'a Trial],
        setup: RunCost,
    ) -> Ahead<'a> {
        let visit = mean(trials.iter().map(|t| t.visit));
        let visited = u32::try_from(trials.len()).unwrap_or(u32::MAX);
        let demand = demand(workloads, visited, visit.time_ns, protocol.time_ns, setup.time_ns);
        let pace = pace::pace(&demand, USUAL_SLICE_NS);
        let is_sliced = protocol.isolation == Isolation::Slices;
        let rounds = if is_sliced { pace.rounds } else { protocol.rounds };
        let lengths = expected_lengths(workloads, trials, pace);
        let protocol = Protocol { rounds, ..protocol };
        Ahead { protocol, workloads, trials, setup, visit, pace, lengths, unsettled: 0 }
    }

    /// The same where candidates have so many different settings of the disk.
    pub fn with_settings(self, settings: usize) -> Self {
        Ahead { unsettled: if settings > 1 { SWITCHES } else { 0 }, ..self }
    }

    fn numbered(&self) -> impl Iterator<Item = (usize, &Workload)> {
        self.workloads.iter().enumerate()
    }

    fn is_sliced(&self, workload: &Workload) -> bool {
        self.protocol.isolation == Isolation::Slices && workload.can_be_sliced()
    }

    fn tried(&self, at: usize) -> impl Iterator<Item = &CellTrial> {
        self.trials.iter().filter_map(move |trial| trial.cells.get(at)?.as_ref())
    }

    pub fn largest_bytes(&self) -> u64 {
        let writes = |w: &Workload| self.is_sliced(w) && w.job.rw.writes();
        let moved = |(at, w): (usize, &Workload)| {
            let tried = self.tried(at).map(|t| t.moved_bytes(self.lengths[at].length_ns)).max();
            let assumed =
                || self.trials.iter().map(|t| written_in(USUAL_SLICE_NS, w, t)).max().unwrap_or(0);
            tried.unwrap_or_else(assumed)
        };
        self.numbered().filter(|(_, w)| writes(w)).map(moved).max().unwrap_or(0)
    }

    pub fn slices(&self, protocol: &Protocol, kept: usize) -> LimitedSlices {
        let (k, looked) = (self.trials.len() as u64, u64::from(protocol.first_look()));
        let mut all =
            LimitedSlices { count: 0, write_bytes: 0, largest_bytes: self.largest_bytes() };
        let kept = self.numbered().take(kept);
        for (at, workload) in kept.filter(|(_, w)| self.is_sliced(w) && w.job.rw.writes()) {
            let found = u64::from(slice_length::TRIES) * self.lengths[at].tried_ns.len() as u64;
            let rounds = self.expected((at, workload), protocol).1;
            let cells = self.cell((at, workload), protocol).write_bytes.saturating_mul(looked);
            let once = self.once((at, workload), protocol).write_bytes;
            all.count += k * (looked * u64::from(rounds) + found);
            all.write_bytes = all.write_bytes.saturating_add((cells + once).saturating_mul(k));
        }
        all
    }

    pub fn wanted(&self, protocol: &Protocol) -> Wanted {
        let asked = |(at, w): (usize, &Workload)| Asked {
            name: w.name.clone(),
            cell: self.cell((at, w), protocol),
            once: self.once((at, w), protocol),
            has_bound: self.is_sliced(w),
        };
        Wanted {
            workloads: self.numbered().map(asked).collect(),
            candidates: u32::try_from(self.trials.len()).unwrap_or(u32::MAX),
            visit: self.visit,
            first_look: protocol.first_look(),
            most_blocks: protocol.most_blocks(self.trials.len() > 1),
            is_of_rounds: protocol.mode == Mode::Characterise,
            setup: self.setup.plus(RunCost { time_ns: FIRST_BLOCK_NS, write_bytes: 0 }),
            time_ns: protocol.time_ns,
            max_write_bytes: protocol.max_write_bytes,
        }
    }

    fn cell(&self, (at, workload): (usize, &Workload), protocol: &Protocol) -> RunCost {
        let is_sliced = self.is_sliced(workload);
        let most_bytes = slice_length::most_bytes(&workload.job, protocol.slice_bytes);
        let (length_ns, (units, rounds), most_bytes) = if is_sliced {
            let expected = self.expected((at, workload), protocol);
            (self.lengths[at].length_ns, expected, most_bytes)
        } else {
            (timed_ns(workload, protocol), (self.pieces(workload), 1), 0)
        };
        let unsettled = if is_sliced && units == 1 { self.unsettled } else { 0 };
        let slices = rounds * units + unsettled;
        // Whole cells of a job last as long as they are asked to, however long they were tried.
        let is_known = is_sliced || workload.profile.is_some();
        let tried = self.tried(at).filter(|_| is_known);
        let known: Vec<RunCost> =
            tried.filter_map(|t| t.cell(length_ns, slices, most_bytes)).collect();
        // A candidate that it was not tried on is taken for one of the others.
        let own = match is_sliced {
            _ if !known.is_empty() => mean(known.into_iter()),
            true => mean(self.trials.iter().map(|t| sliced_cost(workload, protocol, t))),
            false => {
                mean(self.trials.iter().map(|t| cell_cost(workload, protocol, t).times(units)))
            }
        };
        let rates = self.trials.iter().map(|trial| trial.bytes_per_s);
        let slowest = rates.fold(f64::INFINITY, f64::min).max(1.0) as u64;
        own.plus(beside::cost(workload, own.time_ns, rounds, slowest))
    }

    fn once(&self, (at, workload): (usize, &Workload), protocol: &Protocol) -> RunCost {
        if !self.is_sliced(workload) {
            return RunCost::default();
        }
        let most_bytes = slice_length::most_bytes(&workload.job, protocol.slice_bytes);
        let lengths = &self.lengths[at].tried_ns;
        match self.expected((at, workload), protocol).0 {
            1 => mean(
                self.tried(at).map(|t| t.calibration(lengths, slice_length::TRIES, most_bytes)),
            ),
            _ => mean(self.tried(at).filter_map(|t| {
                let unit = t.slice(SHORTEST_NS, most_bytes)?;
                let units = SETTLING_UNITS * slice_length::tries(2 * unit.time_ns);
                Some(unit.times(units))
            })),
        }
    }

    /// Units of a slice and rounds of a cell, by the slowest that was tried: a slow drive has to
    /// settle, and long slices are fewer.
    fn expected(&self, (at, workload): (usize, &Workload), protocol: &Protocol) -> (u32, u32) {
        let Natural { slice_ns, unit_ns } = self.natural(at);
        let charges = self.trials.iter().any(|trial| trial.charges);
        let is_slow = slice_length::is_slow(&workload.job, unit_ns, charges);
        let length = Length { unit_ns, settling: u32::from(is_slow) };
        let slice_ns = if is_slow {
            unit_ns.saturating_mul(length.units().into())
        } else {
            slice_ns.max(self.lengths[at].length_ns)
        };
        let granted_ns = self.lengths[at].granted_ns;
        let (job, slice_bytes) = (&workload.job, protocol.slice_bytes);
        let planned = slice_length::sparing_rounds(protocol.rounds, job, slice_bytes);
        (length.units(), slice_length::rounds(planned, granted_ns, slice_ns))
    }

    /// How often the work of a cell in one piece is done: once more where the drive settles first.
    fn pieces(&self, workload: &Workload) -> u32 {
        let takes_turns = self.protocol.isolation == Isolation::Slices
            && self.trials.iter().any(|trial| trial.charges);
        if takes_turns && profiles::settles(workload) { 2 } else { 1 }
    }

    /// How long work takes on the slowest candidate; nothing where it was not tried.
    pub fn natural(&self, at: usize) -> Natural {
        self.tried(at).map(CellTrial::natural).fold(Natural::default(), Natural::max)
    }
}

/// How long a part of a profile measures at least: one that goes through its files once may take
/// longer.
pub fn timed_ns(workload: &Workload, protocol: &Protocol) -> u64 {
    let spec = workload.profile.and_then(profiles::part_spec);
    let asked_ns = workload.job.runtime_ns.unwrap_or(0).max(protocol.cell_min_ns);
    let measured_ns = spec.map_or(0, |spec| spec.least_ns.max(asked_ns));
    measured_ns.min(protocol.cell_max_ns.unwrap_or(u64::MAX))
}

fn expected_lengths(
    workloads: &[Workload],
    trials: &[&Trial],
    pace: MeasuredPace,
) -> Vec<Expected> {
    let sliced = workloads.iter().filter(|w| w.can_be_sliced()).count();
    let (mut lengths, mut chosen_ns, mut done) = (Vec::new(), 0, 0);
    for (at, workload) in workloads.iter().enumerate() {
        if !workload.can_be_sliced() {
            lengths.push(Expected::default());
            continue;
        }
        let left = u32::try_from(sliced - done).unwrap_or(u32::MAX);
        let tried: Vec<&CellTrial> =
            trials.iter().filter_map(|t| t.cells.get(at)?.as_ref()).collect();
        let granted_ns = pace.longest_slice_ns(chosen_ns, left);
        let expected = expected_length(&tried, granted_ns);
        (chosen_ns, done) = (chosen_ns + expected.length_ns, done + 1);
        lengths.push(expected);
    }
    lengths
}

fn mean(costs: impl Iterator<Item = RunCost>) -> RunCost {
    let (mut sum, mut n) = (RunCost::default(), 0u64);
    for cost in costs {
        sum.time_ns += cost.time_ns;
        sum.write_bytes += cost.write_bytes;
        n += 1;
    }
    RunCost { time_ns: sum.time_ns / n.max(1), write_bytes: sum.write_bytes / n.max(1) }
}

fn demand(
    workloads: &[Workload],
    candidates: u32,
    visit_ns: u64,
    time_ns: Option<u64>,
    elapsed_ns: u64,
) -> Demand {
    let sliced = workloads.iter().filter(|w| w.can_be_sliced()).count();
    Demand {
        prepare_ns: visit_ns.saturating_mul(candidates.into()),
        candidates,
        workloads: u32::try_from(sliced).unwrap_or(u32::MAX),
        whole_ns: 0,
        time_ns: time_ns.map(|limit| limit.saturating_sub(elapsed_ns)),
    }
}

fn written_in(measured_ns: u64, workload: &Workload, trial: &Trial) -> u64 {
    let seconds = measured_ns as f64 / 1e9;
    let bytes = match (workload.phase, trial.flushed_write_ns) {
        _ if !trial.wears => 0.0,
        (Phase::ColdRead, _) => 0.0,
        (Phase::Append, _) => trial.bytes_per_s * seconds,
        (_, ns) => seconds * 1e9 / ns.max(1) as f64 * workload.job.bs as f64,
    };
    bytes as u64
}

fn sliced_cost(workload: &Workload, protocol: &Protocol, trial: &Trial) -> RunCost {
    let least = Least::for_job(&workload.job, trial.charges);
    let moved_bytes = least.moved_bytes(&workload.job);
    let moved_ns = (moved_bytes as f64 / trial.bytes_per_s.max(1.0) * 1e9) as u64;
    let flushed_ns = least.flushes(&workload.job).saturating_mul(trial.flushed_write_ns);
    let least_ns = moved_ns.saturating_add(flushed_ns);
    // What is in flight when a slice ends is waited for.
    let in_flight = u64::from(workload.job.iodepth) * u64::from(workload.job.numjobs);
    let in_flight_bytes = in_flight.saturating_mul(workload.job.bs);
    let in_flight_ns = (in_flight_bytes as f64 / trial.bytes_per_s.max(1.0) * 1e9) as u64;
    let slice_ns = USUAL_SLICE_NS.max(least_ns).min(slice_length::LIMIT_NS).max(in_flight_ns);
    let rounds = u64::from(protocol.rounds.max(1));
    let bytes = written_in(slice_ns, workload, trial);
    let most = match slice_length::most_bytes(&workload.job, protocol.slice_bytes) {
        0 => bytes,
        most => bytes.min(most),
    };
    let time_ns = rounds * (slice_ns + SLICE_OVERHEAD_NS) + START_NS;
    RunCost { time_ns, write_bytes: most * rounds }
}

fn cell_cost(workload: &Workload, protocol: &Protocol, trial: &Trial) -> RunCost {
    if let Some(spec) = workload.profile.and_then(profiles::part_spec) {
        return part_cost(workload, &spec, protocol, trial);
    }
    let flushed = workload.job.fsync > 0 && workload.job.bs <= 64 << 10;
    let slowest = if flushed { protocol.cell_min_ios / 2 * trial.flushed_write_ns } else { 0 };
    let measured_ns =
        protocol.cell_min_ns.max(slowest).min(protocol.cell_max_ns.unwrap_or(u64::MAX));
    let write_bytes = written_in(measured_ns, workload, trial);
    RunCost { time_ns: measured_ns + CELL_OVERHEAD_NS, write_bytes }
}

/// What one part of a profile is expected to cost at most: it is timed or goes through its files
/// as a whole, is cut off like any cell, and the first may have to lay the files out.
fn part_cost(workload: &Workload, spec: &PartSpec, protocol: &Protocol, trial: &Trial) -> RunCost {
    let whole_ns = workload.job.size as f64 / trial.bytes_per_s.max(1.0) * 1e9;
    let limit_ns = protocol.cell_max_ns.unwrap_or(u64::MAX);
    let least_ns = protocol.cell_min_ns.max(spec.least_ns);
    let through_ns = if spec.is_timed { 0 } else { (whole_ns as u64).min(limit_ns) };
    let measured_ns = least_ns.max(through_ns);
    let lays_out = |part: Part| part.part == 0 && profiles::lays_out(part.profile);
    let layout_ns = if workload.profile.is_some_and(lays_out) { whole_ns as u64 } else { 0 };
    let writing_ns = if spec.rw.writes() { measured_ns + layout_ns } else { layout_ns };
    let writing_s = if trial.wears { writing_ns as f64 / 1e9 } else { 0.0 };
    let bytes_per_s = match spec.writes {
        Writes::Flushed(bytes) => bytes as f64 / (trial.flushed_write_ns.max(1) as f64 / 1e9),
        Writes::Streamed => trial.bytes_per_s,
    };
    RunCost {
        time_ns: measured_ns + layout_ns + CELL_OVERHEAD_NS,
        write_bytes: (bytes_per_s.min(trial.bytes_per_s) * writing_s) as u64,
    }
}
