//! The header that the record of a new run begins with.

use bakeoff_model::event::Header;
use bakeoff_model::path::RawPath;
use bakeoff_model::protocol::Protocol;
use bakeoff_model::secrets;
use bakeoff_model::verb::Verb;
use bakeoff_model::workload::Workload;
use bakeoff_model::workloads;
use bakeoff_stats::prng::SplitMix64;

use crate::cli::Global;
use crate::exec::internal;
use crate::fault::Fault;
use crate::host;

pub fn header(global: &Global, verb: Verb, title: String, protocol: Protocol) -> Header {
    // What to type to repeat it: where the binary lay is of no interest to anyone else, nor that a
    // detached run is started by a word of ours.
    let typed = internal::typed_args().into_iter().skip(1);
    let arguments = typed.map(|word| RawPath::new(word).to_string());
    let command = secrets::command(std::iter::once("bakeoff".to_string()).chain(arguments));
    Header {
        schema: "bakeoff/run/1".to_string(),
        run: format!("{:016x}", fresh_u64()),
        version: env!("CARGO_PKG_VERSION").to_string(),
        verb,
        title,
        command,
        // 53 bits: a seed survives a detour through a reader that knows only doubles.
        seed: global.seed.unwrap_or_else(|| fresh_u64() >> 11),
        protocol,
        candidates: Vec::new(),
        workloads: Vec::new(),
        skipped: Vec::new(),
        dropped_workloads: Vec::new(),
        host: host::fingerprint(),
        region: None,
        more_regions: Vec::new(),
        plan: None,
        expected_write_bytes: 0,
        file_bytes: None,
        applications: Vec::new(),
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
