//! A whole run on a drive of known truth: the planner chooses blocks, looks and the end, as it does
//! for the runner; only the measurements are invented.

use std::collections::BTreeMap;

use crate::catalogue::Scenario;
use crate::disk::DiskUse;
use crate::restart::{Speeds, Turns};
use bakeoff_judge::decide::{self, Clock, Next};
use bakeoff_judge::testing::cell;
use bakeoff_model::candidate::{Candidate, Kind, Stack};
use bakeoff_model::event::{Cell, Event, FlashState, Header, Region, What};
use bakeoff_model::host::{Host, Layer, Place};
use bakeoff_model::index::{BlockIx, CandidateIx, WorkloadIx};
use bakeoff_model::path::RawPath;
use bakeoff_model::protocol::Protocol;
use bakeoff_model::run::{FoldError, Run};
use bakeoff_model::slice::Slice;
use bakeoff_model::verb::Verb;
use bakeoff_model::workload::{Metric, Workload};
use bakeoff_model::workloads;
use bakeoff_stats::carry_over;

const FILESYSTEM: &str = "xfs";
/// One without a journal, which data that people keep must not be on.
const UNFIT_FILESYSTEM: &str = "ext2";
const ALL_LOOKS: f64 = 0.044;
const VISIT_NS: u64 = 1_000_000_000;

pub fn play(
    scenario: &Scenario,
    seed: u64,
) -> Result<(Run, Vec<carry_over::CarriedSlice>), FoldError> {
    let mut used = DiskUse::new(&scenario.disk, seed);
    let run = play_on(header(scenario, seed), &mut used)?;
    Ok((run, used.slices))
}

pub fn play_on(header: Header, used: &mut DiskUse) -> Result<Run, FoldError> {
    let mut turns = Turns::new(used.disk, header.seed);
    let mut session = SimulatedSession::begin(header)?;
    loop {
        match decide::next(&session.run, session.clock()) {
            Next::Look { blocks, dropped } => session.push(What::Looked { blocks, dropped })?,
            Next::Block { order, .. } => session.block(order, used, turns.as_mut())?,
            Next::Stop(stop) => {
                let note = String::new();
                session.push(What::Stopped { reason: stop.reason, note })?;
                return Ok(session.run);
            }
        }
    }
}

struct SimulatedSession {
    run: Run,
    clock_ns: u64,
    templates: Vec<Cell>,
}

impl SimulatedSession {
    fn begin(header: Header) -> Result<SimulatedSession, FoldError> {
        let templates =
            WorkloadIx::each(&header.workloads).map(|(w, of)| template(w, of)).collect();
        let what = What::Started(Box::new(header));
        let run = Run::begin(&Event { seq: 0, unix_ns: 0, elapsed_ns: 0, what })?;
        Ok(SimulatedSession { run, clock_ns: 0, templates })
    }

    fn push(&mut self, what: What) -> Result<(), FoldError> {
        let (seq, elapsed_ns) = (self.run.next_seq, self.clock_ns);
        self.run.apply(&Event { seq, unix_ns: elapsed_ns as i64, elapsed_ns, what })
    }

    fn block(
        &mut self,
        order: Vec<CandidateIx>,
        used: &mut DiskUse<'_>,
        turns: Option<&mut Turns<'_>>,
    ) -> Result<(), FoldError> {
        let block = BlockIx::new(self.run.blocks.len());
        used.block(&order);
        self.push(What::BlockStarted { block, order: order.clone(), round: None })?;
        let visits: Vec<(CandidateIx, Vec<(WorkloadIx, f64)>)> = order
            .into_iter()
            .map(|candidate| {
                used.visit(candidate);
                let all = decide::workload_order(&self.run, block).into_iter().flatten();
                (candidate, all.map(|workload| (workload, used.cell())).collect())
            })
            .collect();
        let mut slices = match turns {
            Some(turns) => self.slices(block, &visits, turns, used)?,
            None => BTreeMap::new(),
        };
        for (candidate, cells) in visits {
            self.clock_ns += VISIT_NS;
            self.push(What::VisitStarted { block, candidate, part: None })?;
            for (workload, speed) in cells {
                let mut cell = self.templates[usize::from(workload)].clone();
                slow_down(&mut cell, libm::exp(-speed));
                cell.slices = slices.remove(&candidate).unwrap_or_default();
                (cell.block, cell.candidate, cell.began_ns) = (block, candidate, self.clock_ns);
                self.clock_ns += cell.measurement.elapsed_ns;
                self.push(What::CellDone(Box::new(cell)))?;
            }
        }
        self.push(What::BlockDone { block })
    }

    /// The slices of the first workload in a block, whose length is found before the first.
    fn slices(
        &mut self,
        block: BlockIx,
        visits: &[(CandidateIx, Vec<(WorkloadIx, f64)>)],
        turns: &mut Turns<'_>,
        used: &mut DiskUse<'_>,
    ) -> Result<BTreeMap<CandidateIx, Vec<Slice>>, FoldError> {
        let first = |(candidate, cells): &(CandidateIx, Vec<(WorkloadIx, f64)>)| {
            Some((*candidate, cells.iter().find(|(w, _)| *w == WorkloadIx::FIRST)?.1))
        };
        let speeds: Speeds = visits.iter().filter_map(first).collect();
        if turns.found.is_none() {
            let found = turns.calibrate(&self.run.header, &speeds);
            self.push(What::Calibrated(Box::new(found)))?;
        }
        let made = turns.block(&self.run.header, block, &speeds);
        let metric = self.run.header.workloads[WorkloadIx::FIRST].metric;
        for (candidate, slice) in made.iter().flat_map(|(c, all)| all.iter().map(move |s| (c, s))) {
            let Some((after, rate)) = slice.after.zip(slice.figure(metric)) else { continue };
            used.slices.push(carry_over::CarriedSlice {
                block: block.number(),
                ln_rate: libm::log(rate),
                candidate: candidate.number(),
                predecessor: after.number(),
            });
        }
        Ok(made)
    }

    fn clock(&self) -> Clock {
        let blocks = self.run.blocks.len().max(1) as u64;
        Clock {
            elapsed_ns: self.clock_ns,
            estimated_block_ns: self.clock_ns / blocks,
            written_bytes: 0,
            estimated_block_write_bytes: 0,
        }
    }
}

fn template(workload: WorkloadIx, of: &Workload) -> Cell {
    let rate = if of.metric == Metric::Bandwidth { 50e6 } else { 1000.0 };
    let measurement = cell::measurement(of, rate);
    let truth = cell::clean_truth(&measurement);
    Cell {
        beside: None,
        block: BlockIx::FIRST,
        candidate: CandidateIx::FIRST,
        workload,
        began_ns: 0,
        measurement,
        truth,
        slices: Vec::new(),
        raw: None,
        telemetry: None,
    }
}

fn slow_down(cell: &mut Cell, factor: f64) {
    let m = &mut cell.measurement;
    for time in [&mut m.elapsed_ns, &mut m.data_ns, &mut m.flush_ns, &mut m.tool_ns] {
        *time = libm::round(*time as f64 * factor) as u64;
    }
    let kinds =
        [&mut m.read, &mut m.write, &mut m.flush, &mut m.create, &mut m.stat, &mut m.unlink];
    for stats in kinds.into_iter().flatten() {
        stats.iops /= factor;
        stats.bw_bytes_per_s /= factor;
        let lat = &mut stats.lat_ns;
        lat.mean *= factor;
        let quantiles = [&mut lat.p50, &mut lat.p90, &mut lat.p95, &mut lat.p99, &mut lat.p99_9];
        let all = [&mut lat.min, &mut lat.max].into_iter().chain(quantiles.into_iter().flatten());
        all.for_each(|ns| *ns = libm::round(*ns as f64 * factor) as u64);
    }
}

fn header(scenario: &Scenario, seed: u64) -> Header {
    let candidates = scenario.disk.means.len();
    let mut protocol = Protocol::for_mode(scenario.mode, candidates as u32);
    if let Some(looks) = &scenario.looks {
        protocol.alphas = vec![ALL_LOOKS / looks.len().max(1) as f64; looks.len()];
        protocol.looks = looks.clone();
    }
    (protocol.time_ns, protocol.max_write_bytes) = (None, None);
    let stack = |i: usize| {
        let fs = if i < scenario.unfit { UNFIT_FILESYSTEM } else { FILESYSTEM };
        Stack::plain(fs, Vec::new(), Vec::new(), false)
    };
    let all = workloads::all().into_iter().take(scenario.workloads);
    Header {
        schema: "bakeoff/run/1".to_string(),
        run: "0000000000000000".to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        verb: Verb::Run,
        title: "a drive of known truth".to_string(),
        command: Vec::new(),
        seed,
        workloads: all.map(|w| workloads::with_limits(w, &protocol)).collect(),
        protocol,
        candidates: (0..candidates)
            .map(|i| Candidate::new(format!("c{i}"), Kind::Stack(stack(i))))
            .collect(),
        skipped: Vec::new(),
        dropped_workloads: Vec::new(),
        host: Host::default(),
        region: Some(region()),
        more_regions: Vec::new(),
        plan: None,
        expected_write_bytes: 0,
        file_bytes: None,
        applications: Vec::new(),
    }
}

pub fn region() -> Region {
    let disk = Layer {
        name: "sim".to_string(),
        size_bytes: 64 << 30,
        rotational: Some(false),
        ..Layer::default()
    };
    Region {
        held: Vec::new(),
        target: RawPath::new("/dev/sim"),
        start_bytes: 1 << 30,
        size_bytes: 4 << 30,
        parts: 1,
        is_image: false,
        place: Place { chain: vec![disk], ..Place::default() },
        flash_state: FlashState::WrittenOnce,
        token: None,
    }
}
