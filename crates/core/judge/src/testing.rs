//! Runs made from tables of rates, for the tests of everything that reads a run.
//!
//! The events are real: the builder lets [`crate::decide::next`] choose blocks, looks and the end,
//! as the runner does, and folds what it records. Only the measurements are invented.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::decide::{self, Clock, Next};
use crate::plan::{self, Expanded, PlanMachine, Target};
use bakeoff_machine::setup::lacking::Lacking;
use bakeoff_model::candidate::{Candidate, Kind, Stack};
use bakeoff_model::event::{Cell, Event, FlashState, Header, Region, StopReason, What};
use bakeoff_model::finding::{Finding, Scope, Severity};
use bakeoff_model::host::{Host, Layer, LayerKind, Place};
use bakeoff_model::index::{BlockIx, CandidateIx, WorkloadIx};
use bakeoff_model::measurement::Measurement;
use bakeoff_model::path::RawPath;
use bakeoff_model::protocol::{Mode, Protocol};
use bakeoff_model::round::Round;
use bakeoff_model::run::Run;
use bakeoff_model::use_state::UseState;
use bakeoff_model::verb::Verb;
use bakeoff_model::workloads;

pub use cell::{clean_truth, measurement};

pub mod card;
pub mod causes;
pub mod cell;
pub mod ddr50;

/// Time a visit takes beside its cells.
const VISIT_NS: u64 = 1_000_000_000;

/// From candidate `first` on all are in this state.
pub fn used(header: &mut Header, first: usize, state: UseState) {
    for candidate in header.candidates.iter_mut().skip(first) {
        if let Kind::Stack(stack) = &mut candidate.kind {
            stack.state = state;
        }
    }
}

/// Makes runs; see the module.
#[derive(Clone, Debug)]
pub struct RunBuilder {
    events: Vec<Event>,
    run: Run,
    clock_ns: u64,
    change: fn(&mut Cell),
}

impl RunBuilder {
    /// Stacks on one image: what `demo` compares. Mode `decide`, workload `randwrite`.
    pub fn stacks(names: &[&str]) -> RunBuilder {
        let candidate = |name: &&str| {
            let fs = name.split([' ', ',']).next().unwrap_or(name);
            let stack = Stack::plain(fs, Vec::new(), Vec::new(), name.starts_with("ntfs"));
            Candidate::new(*name, Kind::Stack(stack))
        };
        let place = disk_place("ext4", "/", "sda");
        let region = Region {
            held: Vec::new(),
            target: RawPath::new("/var/tmp/bakeoff.img"),
            start_bytes: 0,
            size_bytes: 4 << 30,
            parts: 1,
            is_image: true,
            place,
            flash_state: FlashState::WrittenOnce,
            token: None,
        };
        let candidates = names.iter().map(candidate).collect();
        RunBuilder::new(Verb::Demo, Mode::Decide, candidates, Some(region))
    }

    /// Directories, each on a drive of its own: what `quick` compares. Mode `quick`, workload
    /// `randwrite`.
    pub fn directories(paths: &[&str]) -> RunBuilder {
        let candidate = |(i, path): (usize, &&str)| {
            let place = Box::new(disk_place("ext4", path, &format!("sd{}", letter(i))));
            Candidate::new(*path, Kind::Directory { path: RawPath::new(path), place })
        };
        let candidates = paths.iter().enumerate().map(candidate).collect();
        RunBuilder::new(Verb::Quick, Mode::Quick, candidates, None)
    }

    fn new(
        verb: Verb,
        mode: Mode,
        candidates: Vec<Candidate>,
        region: Option<Region>,
    ) -> RunBuilder {
        let names: Vec<&str> = candidates.iter().map(|c| c.name.as_str()).collect();
        let header = Header {
            schema: "bakeoff/run/1".to_string(),
            run: "0123456789abcdef".to_string(),
            version: "0.1.0".to_string(),
            title: format!("{verb}: {}", names.join(", ")),
            command: vec!["bakeoff".to_string(), verb.to_string()],
            verb,
            seed: 1,
            protocol: Protocol::for_mode(mode, candidates.len() as u32),
            candidates,
            workloads: Vec::new(),
            skipped: Vec::new(),
            dropped_workloads: Vec::new(),
            host: Host {
                hostname: "pi".to_string(),
                model: Some("Raspberry Pi 4 Model B".to_string()),
                cpus: 4,
                arch: "aarch64".to_string(),
                mem_total_bytes: 4 << 30,
                kernel: "6.12.1".to_string(),
                ..Host::default()
            },
            region,
            more_regions: Vec::new(),
            plan: None,
            expected_write_bytes: 1 << 30,
            file_bytes: None,
            applications: Vec::new(),
        };
        RunBuilder::from_header(header).workloads(&["randwrite"])
    }

    /// A run with this header.
    pub fn from_header(header: Header) -> RunBuilder {
        let what = What::Started(Box::new(header));
        let started = Event { seq: 0, unix_ns: 0, elapsed_ns: 0, what };
        let run = Run::begin(&started).expect("the event is a header");
        RunBuilder { events: vec![started], run, clock_ns: 1_000_000_000, change: |_| {} }
    }

    /// Changes the header; before the first block.
    pub fn header(mut self, change: impl FnOnce(&mut Header)) -> RunBuilder {
        let What::Started(header) = &mut self.events[0].what else { unreachable!("see new()") };
        change(header);
        self.run.header = (**header).clone();
        self
    }

    /// The seed of the run.
    pub fn seed(self, seed: u64) -> RunBuilder {
        self.header(|h| h.seed = seed)
    }

    /// The mode; its protocol replaces the one so far. Twins are not counted.
    pub fn mode(self, mode: Mode) -> RunBuilder {
        self.header(|h| {
            let k = h.candidates.iter().filter(|c| c.twin_of.is_none()).count();
            h.protocol = Protocol::for_mode(mode, k as u32);
        })
    }

    /// Built-in workloads by name.
    pub fn workloads(self, names: &[&str]) -> RunBuilder {
        self.header(|h| {
            let limited = |n: &&str| {
                let found = workloads::find(n).unwrap_or_else(|e| panic!("{e}"));
                workloads::with_limits(found, &h.protocol)
            };
            h.workloads = names.iter().map(limited).collect();
        })
    }

    /// Changes the place behind directory `candidate`.
    pub fn place(self, candidate: usize, change: impl FnOnce(&mut Place)) -> RunBuilder {
        self.header(|h| match &mut h.candidates[candidate].kind {
            Kind::Directory { place, .. } => change(place),
            Kind::Stack(_) => panic!("candidate {candidate} is no directory"),
        })
    }

    /// Changes every cell from here on, after its measurement was made.
    pub fn cells(mut self, change: fn(&mut Cell)) -> RunBuilder {
        self.change = change;
        self
    }

    /// Records a finding.
    pub fn finding(self, finding: Finding) -> RunBuilder {
        self.event(What::Found(finding))
    }

    /// Records anything.
    pub fn event(mut self, what: What) -> RunBuilder {
        self.push(what);
        self
    }

    /// Lets the decision run until it stops or `most` blocks are complete. `rate(block, candidate,
    /// workload)` in the metric's unit: bytes, operations or files a second.
    pub fn play(mut self, most: u32, mut rate: impl FnMut(u32, u16, u16) -> f64) -> RunBuilder {
        loop {
            match decide::next(&self.run, self.clock()) {
                Next::Look { blocks, dropped } => self.push(What::Looked { blocks, dropped }),
                Next::Stop(stop) => {
                    self.push(What::Stopped { reason: stop.reason, note: stop.note });
                    return self;
                }
                Next::Block { .. } if self.run.complete_blocks().count() as u32 >= most => {
                    return self;
                }
                Next::Block { order, round } => self.round(&order, round, &mut rate),
            }
        }
    }

    /// One whole block in this order.
    pub fn block(&mut self, order: Vec<u16>, rate: &mut impl FnMut(u32, u16, u16) -> f64) {
        let order: Vec<CandidateIx> =
            order.into_iter().map(|candidate| CandidateIx::new(candidate.into())).collect();
        self.round(&order, None, rate);
    }

    fn round(
        &mut self,
        order: &[CandidateIx],
        round: Option<Round>,
        rate: &mut impl FnMut(u32, u16, u16) -> f64,
    ) {
        let block = BlockIx::new(self.run.blocks.len());
        self.push(What::BlockStarted { block, order: order.to_vec(), round });
        self.push(What::Sentinel { block, bytes_per_s: 90e6 });
        for &candidate in order {
            self.clock_ns += VISIT_NS;
            self.push(What::VisitStarted { block, candidate, part: None });
            for workload in decide::workload_order(&self.run, block).concat() {
                let rate = rate(block.number(), candidate.number(), workload.number());
                self.cell(block, candidate, workload, rate);
            }
        }
        self.push(What::BlockDone { block });
    }

    fn cell(&mut self, block: BlockIx, candidate: CandidateIx, workload: WorkloadIx, rate: f64) {
        let of = &self.run.header.workloads[workload];
        let measurement = measurement(of, rate);
        let mut cell =
            Cell { block, candidate, workload, began_ns: self.clock_ns, ..clean_cell(measurement) };
        (self.change)(&mut cell);
        self.clock_ns += cell.measurement.elapsed_ns;
        self.push(What::CellDone(Box::new(cell)));
    }

    /// Ends the run.
    pub fn stopped(mut self, reason: StopReason, note: &str) -> RunBuilder {
        self.push(What::Stopped { reason, note: note.to_string() });
        self
    }

    /// Records anything.
    pub fn push(&mut self, what: What) {
        let elapsed_ns = self.clock_ns;
        let event = Event { seq: self.run.next_seq, unix_ns: elapsed_ns as i64, elapsed_ns, what };
        self.run.apply(&event).unwrap_or_else(|e| panic!("{e}"));
        self.events.push(event);
    }

    fn clock(&self) -> Clock {
        let complete = self.run.complete_blocks().count() as u64;
        Clock {
            elapsed_ns: self.clock_ns,
            estimated_block_ns: self.clock_ns / complete.max(1),
            written_bytes: 0,
            estimated_block_write_bytes: 0,
        }
    }

    /// The run so far.
    pub fn build(self) -> Run {
        self.run
    }

    /// The events so far, header first.
    pub fn events(self) -> Vec<Event> {
        self.events
    }
}

/// A cell of the first visit, with nothing to say against it.
pub fn clean_cell(measurement: Measurement) -> Cell {
    Cell {
        beside: None,
        block: BlockIx::FIRST,
        candidate: CandidateIx::FIRST,
        workload: WorkloadIx::FIRST,
        began_ns: 0,
        truth: clean_truth(&measurement),
        measurement,
        slices: Vec::new(),
        raw: None,
        telemetry: None,
    }
}

/// A place on a partition of drive `drive`.
pub fn disk_place(fs: &str, mount_point: &str, drive: &str) -> Place {
    let layer = |name: String, kind, dev: String| Layer {
        name,
        kind,
        dev,
        size_bytes: 64 << 30,
        ..Layer::default()
    };
    let number = drive.bytes().last().unwrap_or(b'a') - b'a';
    let mut whole = layer(drive.to_string(), LayerKind::Disk, format!("8:{}", number * 16));
    whole.model = Some(format!("Disk {}", letter(usize::from(number)).to_ascii_uppercase()));
    whole.rotational = Some(false);
    let dev = format!("8:{}", number * 16 + 1);
    Place {
        mount_point: RawPath::new(mount_point),
        fs: fs.to_string(),
        options: vec!["rw".to_string(), "relatime".to_string()],
        source: format!("/dev/{drive}1"),
        dev: dev.clone(),
        size_bytes: 64 << 30,
        free_bytes: 32 << 30,
        chain: vec![layer(format!("{drive}1"), LayerKind::Partition, dev), whole],
        ..Place::default()
    }
}

fn letter(i: usize) -> char {
    char::from(b'a' + (i % 26) as u8)
}

/// A warning about stacks.
pub fn warning(id: &str, evidence: &str, advice: &str) -> Finding {
    Finding {
        id: id.to_string(),
        severity: Severity::Warn,
        scope: Scope::Stack,
        workload: None,
        candidate: None,
        evidence: evidence.to_string(),
        advice: advice.to_string(),
    }
}

/// A finding that forbids what a run says about stacks.
pub fn too_fast() -> Finding {
    Finding { severity: Severity::Refuse, ..warning("L15", "faster than the wire", "") }
}

/// Every stack can be made.
pub fn anything(_: &Stack, _: usize) -> Result<(), Lacking> {
    Ok(())
}

/// A plan put on targets, where every stack can be made.
pub fn expanded(text: &str, targets: &[Target]) -> Expanded {
    let plan = plan::parse(text, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    let here = PlanMachine { supports: &anything };
    plan::expand(&plan, targets, &here).unwrap_or_else(|error| panic!("{error}"))
}

/// Every key of every object inside.
pub fn keys(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| keys(item, into)),
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            into.insert(key.clone());
            keys(value, into);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A rehearsal after which everything of `header` is as before, and that cost nothing.
pub fn rehearsal(header: &bakeoff_model::event::Header) -> bakeoff_model::event::Rehearsal {
    let header = header.clone();
    bakeoff_model::event::Rehearsal {
        protocol: header.protocol,
        candidates: header.candidates,
        workloads: header.workloads,
        skipped: Vec::new(),
        dropped_workloads: Vec::new(),
        region: header.region,
        more_regions: Vec::new(),
        file_bytes: 0,
        visit_ns: 0,
        block_ns: 0,
        calibration_ns: 0,
        block_write_bytes: 0,
        expected_write_bytes: 0,
    }
}
