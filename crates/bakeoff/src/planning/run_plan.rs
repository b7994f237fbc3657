//! What a new run is about, and the header that its record begins with.

use bakeoff_core::model::candidate::{Candidate, Skipped};
use bakeoff_core::model::event::{Header, Region};
use bakeoff_core::model::path::RawPath;
use bakeoff_core::model::protocol::Protocol;
use bakeoff_core::model::secrets;
use bakeoff_core::model::verb::Verb;
use bakeoff_core::model::workload::Workload;
use bakeoff_core::prng::SplitMix64;
use bakeoff_core::workloads;

use crate::cli::Global;
use crate::exec::internal;
use crate::fault::Fault;
use crate::host;

pub struct RunPlan {
    pub verb: Verb,
    pub title: String,
    pub protocol: Protocol,
    pub candidates: Vec<Candidate>,
    pub workloads: Vec<Workload>,
    pub skipped: Vec<Skipped>,
    /// Workloads that are not measured: a tool is missing or has no words for them.
    pub dropped_workloads: Vec<Skipped>,
    /// Size of the data file that was asked for.
    pub file_bytes: Option<u64>,
    pub plan: Option<String>,
    pub regions: Vec<Region>,
    pub power_command: Option<String>,
}

impl RunPlan {
    pub fn new(verb: Verb, title: String, protocol: Protocol) -> RunPlan {
        RunPlan {
            verb,
            title,
            protocol,
            candidates: Vec::new(),
            workloads: Vec::new(),
            skipped: Vec::new(),
            dropped_workloads: Vec::new(),
            file_bytes: None,
            plan: None,
            regions: Vec::new(),
            power_command: None,
        }
    }

    pub fn header(self, global: &Global) -> Header {
        // What to type to repeat it: where the binary lay is of no interest to anyone else, nor
        // that a detached run is started by a word of ours.
        let typed = internal::typed_args().into_iter().skip(1);
        let arguments = typed.map(|word| RawPath::new(word).to_string());
        let command = secrets::command(std::iter::once("bakeoff".to_string()).chain(arguments));
        let fresh = fresh_u64();
        let mut regions = self.regions.into_iter();
        Header {
            schema: "bakeoff/run/1".to_string(),
            run: format!("{:016x}", fresh_u64()),
            version: env!("CARGO_PKG_VERSION").to_string(),
            verb: self.verb,
            title: self.title,
            command,
            // 53 bits: a seed survives a detour through a reader that knows only doubles.
            seed: global.seed.unwrap_or(fresh >> 11),
            protocol: self.protocol,
            candidates: self.candidates,
            workloads: self.workloads,
            skipped: self.skipped,
            dropped_workloads: self.dropped_workloads,
            host: host::fingerprint(),
            region: regions.next(),
            more_regions: regions.collect(),
            plan: self.plan,
            expected_write_bytes: 0,
            file_bytes: self.file_bytes,
        }
    }
}

pub fn choose_workloads(named: &[String], default: &[&str]) -> Result<Vec<Workload>, Fault> {
    let mut chosen: Vec<Workload> = Vec::new();
    let default: Vec<String> = default.iter().map(|name| name.to_string()).collect();
    for name in if named.is_empty() { &default } else { named } {
        for workload in workloads::named(name).map_err(Fault::usage)? {
            if !chosen.iter().any(|w| w.name == workload.name) {
                chosen.push(workload);
            }
        }
    }
    Ok(chosen)
}

/// 64 bits nobody had before: from the kernel's generator, or the clock and our pid without one.
pub fn fresh_u64() -> u64 {
    let mut bytes = [0; 8];
    match rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty()) {
        Ok(8) => u64::from_le_bytes(bytes),
        _ => SplitMix64::new(host::unix_ns() as u64 ^ u64::from(std::process::id())).next_u64(),
    }
}
