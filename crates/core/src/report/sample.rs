//! Small runs and analyses for the tests of the writers, made by hand: the writers decide nothing.

use crate::model::candidate::{Candidate, Kind, Stack};
use crate::model::event::{Cell, Event, Header, Step, StepDone, StopReason, Truth, What};
use crate::model::finding::{Finding, Scope, Severity};
use crate::model::host::Host;
use crate::model::index::{BlockIx, CandidateIx, WorkloadIx};
use crate::model::job::{Job, Rw};
use crate::model::measurement::{Latency, Measurement, OpStats, SCHEMA, Window};
use crate::model::path::RawPath;
use crate::model::protocol::{Mode, Protocol};
use crate::model::run::Run;
use crate::model::verb::Verb;
use crate::model::verdict::{Analysis, Effect, Standing, Verdict, WorkloadVerdict};
use crate::model::workload::{Metric, Phase, Workload};
use crate::prepare::steps;
use crate::stats::histogram::Histogram;

pub const SECOND: u64 = 1_000_000_000;

/// A cell's numbers: `ios` writes of 4 KiB in one second, flushed each.
pub fn measurement(ios: u64) -> Measurement {
    let mut job = Job::new(Rw::RandWrite, 4096, 1 << 30);
    job.fsync = 1;
    let stats = |io_bytes: u64, lat_ns: u64| OpStats {
        total_ios: ios,
        io_bytes,
        iops: ios as f64,
        bw_bytes_per_s: io_bytes as f64,
        lat_ns: Latency {
            min: lat_ns / 2,
            mean: lat_ns as f64 * 1.1,
            max: lat_ns * 40,
            p50: Some(lat_ns),
            p90: Some(lat_ns * 2),
            p95: Some(lat_ns * 3),
            p99: Some(lat_ns * 10),
            p99_9: None,
            p99_99: None,
        },
        histogram: Histogram { buckets: vec![(lat_ns, ios - ios / 100), (lat_ns * 10, ios / 100)] },
    };
    let window = |i: u64| Window {
        start_ns: i * SECOND / 10,
        len_ns: SECOND / 10,
        read_bytes: 0,
        write_bytes: ios * 4096 / 10,
        ios: ios / 5,
    };
    // By way of JSON, as the engine's report comes: fields with a default may be left out.
    serde_json::from_value(serde_json::json!({
        "schema": SCHEMA,
        "job": job,
        "engine": "psync",
        "elapsed_ns": SECOND,
        "data_ns": SECOND / 5,
        "flush_ns": SECOND * 7 / 10,
        "close_ns": SECOND / 100,
        "write": stats(ios * 4096, 20_000),
        "flush": stats(0, 700_000),
        "usr_cpu_ns": 12_000_000,
        "sys_cpu_ns": 48_000_000,
        "windows": (0..10).map(window).collect::<Vec<_>>(),
        "tool_ns": 4_000_000,
        "mem": "malloc",
        "findings": [],
    }))
    .unwrap()
}

pub fn stack(name: &str, fs: &str, mkfs: &[&str]) -> Candidate {
    let mkfs = mkfs.iter().map(|w| w.to_string()).collect();
    let stack = Stack::plain(fs, mkfs, vec!["noatime".to_string()], false);
    Candidate::new(name, Kind::Stack(stack))
}

pub fn header(candidates: Vec<Candidate>) -> Header {
    let k = candidates.len() as u32;
    Header {
        schema: "bakeoff/run/1".to_string(),
        run: "0123456789abcdef".to_string(),
        version: "0.1.0".to_string(),
        verb: Verb::Demo,
        title: "demo: which filesystem on this image?".to_string(),
        command: vec!["bakeoff".to_string(), "demo".to_string()],
        seed: 7,
        protocol: Protocol {
            mode: Mode::Quick,
            tie_margin: 0.1,
            looks: vec![5, 8],
            alpha: 0.0134,
            alphas: Vec::new(),
            alpha_after: 0.0,
            k,
            time_ns: Some(300 * SECOND),
            cell_min_ns: 2 * SECOND,
            cell_max_ns: Some(20 * SECOND),
            cell_min_ios: 50,
            max_write_bytes: None,
            thresholds: Default::default(),
            prove: false,
            precondition: None,
            rules: Default::default(),
            isolation: Default::default(),
            rounds: 0,
            slice_bytes: 0,
            weights: Default::default(),
        },
        candidates,
        workloads: vec![Workload::native(
            "randwrite",
            "4k random writes, each flushed",
            Phase::Overwrite,
            Metric::Iops,
            measurement(100).job,
        )],
        skipped: Vec::new(),
        dropped_workloads: Vec::new(),
        host: Host {
            hostname: "pi".to_string(),
            model: Some("Raspberry Pi 4 Model B Rev 1.4".to_string()),
            cpu: Some("Cortex-A72".to_string()),
            cpus: 4,
            arch: "aarch64".to_string(),
            mem_total_bytes: 4 << 30,
            kernel: "6.12.0".to_string(),
            ..Host::default()
        },
        region: None,
        more_regions: Vec::new(),
        plan: None,
        expected_write_bytes: 1 << 30,
        file_bytes: None,
    }
}

/// A run with `blocks` complete blocks in which candidate i does `ios[i]` operations a second.
pub fn run(header: Header, blocks: u32, ios: &[u64]) -> Run {
    let candidates = CandidateIx::all(header.candidates.len());
    let mut record = Record { events: Vec::new() };
    record.push(What::Started(Box::new(header)));
    let mut step = steps::fill(0, &RawPath::new("/mnt/a b/image"), 1 << 30);
    step.destroys = None;
    record.push(What::StepPlanned(Step { ..step }));
    let output = "done\u{1b}[31m\n".to_string();
    record.push(What::StepDone(StepDone { step: 0, took_ns: 5 * SECOND, status: 0, output }));
    for block in BlockIx::all(blocks as usize) {
        record.push(What::BlockStarted { block, order: candidates.clone().collect(), round: None });
        record.push(What::Sentinel { block, bytes_per_s: 90e6 });
        for candidate in candidates.clone() {
            record.push(What::VisitStarted { block, candidate, cooled: None, part: None });
            let ios = ios[usize::from(candidate)] + u64::from(block.number());
            record.push(What::CellDone(Box::new(Cell {
                block,
                candidate,
                workload: WorkloadIx::FIRST,
                began_ns: 0,
                measurement: measurement(ios),
                truth: Truth::default(),
                slices: Vec::new(),
                raw: None,
                telemetry: None,
            })));
        }
        record.push(What::BlockDone { block });
    }
    record.push(What::Stopped { reason: StopReason::Decided, note: String::new() });
    Run::fold(&record.events).unwrap()
}

struct Record {
    events: Vec<Event>,
}

impl Record {
    fn push(&mut self, what: What) {
        let seq = self.events.len() as u64;
        let elapsed_ns = seq * SECOND;
        let unix_ns = 1_795_183_380_000_000_000 + elapsed_ns as i64;
        self.events.push(Event { seq, unix_ns, elapsed_ns, what });
    }
}

pub fn effect(a: &str, b: &str, ratio: f64, (low, high): (f64, f64), verdict: Verdict) -> Effect {
    Effect { a: a.into(), b: b.into(), ratio, low, high, blocks: 5, verdict }
}

pub fn standing(candidate: &str, mean: f64) -> Standing {
    Standing {
        candidate: candidate.to_string(),
        mean,
        min: mean * 0.95,
        max: mean * 1.05,
        cells: 5,
        sd_log: 0.02,
        p99_ns: Some(7e6),
        dropped_after: None,
        energy: None,
    }
}

pub fn warning() -> Finding {
    Finding {
        id: "L10".to_string(),
        severity: Severity::Warn,
        scope: Scope::Place,
        workload: None,
        candidate: None,
        evidence: "/mnt is on the disk that also holds /.".to_string(),
        advice: "Use a disk of its own for a verdict about the disk.".to_string(),
    }
}

/// An analysis with one verdict about `randwrite`.
pub fn analysis(verdict: Verdict, names: &[&str]) -> Analysis {
    let rates = [1200.0, 900.0, 880.0];
    let standings = names.iter().zip(rates).map(|(n, r)| standing(n, r)).collect();
    let tiers = match verdict {
        Verdict::Beats => names.iter().map(|n| vec![n.to_string()]).collect(),
        Verdict::Refused => Vec::new(),
        Verdict::Fastest
        | Verdict::AsFast
        | Verdict::Leads
        | Verdict::Alone
        | Verdict::Ties
        | Verdict::NotResolved => vec![names.iter().map(|n| n.to_string()).collect()],
    };
    let pair = match names {
        [a, b, ..] if verdict == Verdict::Beats => {
            vec![effect(a, b, 1.33, (1.25, 1.42), verdict)]
        }
        [a, b, ..] => vec![effect(a, b, 1.01, (0.97, 1.05), verdict)],
        [] | [_] => Vec::new(),
    };
    Analysis {
        blocks: 5,
        cells: 5 * names.len() as u32,
        void_cells: 0,
        compares: names.len() > 1,
        verdicts: vec![WorkloadVerdict {
            workload: "randwrite".to_string(),
            metric: "iops".to_string(),
            verdict,
            winner: (verdict == Verdict::Beats).then(|| names[0].to_string()),
            tiers,
            effects: pair,
            standings,
            held_back: Vec::new(),
            rounds: None,
            findings: Vec::new(),
            twins: Vec::new(),
            resolve_ns: None,
            lead: None,
        }],
        findings: vec![warning()],
        recommendation: None,
        normal: None,
    }
}
