//! `bakeoff quick [DIR]...`: measure the place behind one directory, or compare several.

use bakeoff_machine::prepare::space;
use bakeoff_model::candidate::Candidate;
use bakeoff_model::event::Header;
use bakeoff_model::host::Place;
use bakeoff_model::job::Mem;
use bakeoff_model::protocol::{Isolation, Mode, Protocol};
use bakeoff_model::verb::Verb;
use bakeoff_model::workload::DriverName;
use bakeoff_model::workloads;
use bakeoff_stats::units;

use super::lifecycle;
use crate::cli::{Global, Quick};
use crate::fault::{Fault, Outcome};
use crate::places::directories;
use crate::planning::{self, new_run, on_targets};

const ONE_NS: u64 = 60_000_000_000;
const SEVERAL_NS: u64 = 3 * ONE_NS;

pub fn run(global: &Global, args: &Quick) -> Result<Outcome, Fault> {
    let mut workloads = new_run::choose_workloads(&args.chosen.workloads, &usual(&args.tools))?;
    if args.time == Some(0) {
        return Err(Fault::usage("--time 0 leaves no time to measure. Try --time 3m"));
    }
    if let Some(size) = args.size.filter(|size| *size < space::FILE_MIN_BYTES) {
        return Err(Fault::usage(format!(
            "--size {} is too small to measure a drive beyond its cache. Use --size {} or more",
            units::block_size(size),
            units::block_size(space::FILE_MIN_BYTES)
        )));
    }
    let mut candidates = planning::directories::candidates(&args.dirs)?;
    let mut dropped_workloads = Vec::new();
    if !args.tools.is_empty() {
        candidates = planning::directories::with_tools(&candidates, &args.tools)?;
        on_targets::drop_unusable(&mut workloads, &mut dropped_workloads, &args.tools)?;
        // As the tools have them: huge pages make a direct transfer one request.
        workloads.iter_mut().for_each(|workload| workload.job.mem = Mem::Malloc);
    }
    let places: Vec<&Place> = candidates.iter().filter_map(Candidate::place).collect();
    let budget = space::quick_write_budget_of(&places);
    let names: Vec<&str> = candidates.iter().map(|c| c.name.as_str()).collect();
    let title = format!("quick: {}", names.join(", "));
    let mut protocol = Protocol::for_mode(Mode::Quick, candidates.len() as u32);
    let usual_ns = if candidates.len() > 1 { SEVERAL_NS } else { ONE_NS };
    protocol.time_ns = Some(args.time.unwrap_or(usual_ns));
    protocol.isolation = if args.tools.is_empty() { Isolation::Slices } else { Isolation::Visit };
    protocol.drive_use = args.chosen.drive_use.unwrap_or_default();
    if let Some(blocks) = args.blocks {
        if candidates.len() > 1 {
            return Err(Fault::usage(
                "--blocks is for one directory. Several are compared until the answer is known",
            ));
        }
        protocol.looks = vec![blocks];
        protocol.alphas.truncate(1);
    }
    protocol.max_write_bytes = args.chosen.max_write.or(budget);
    let header = Header {
        candidates,
        workloads,
        dropped_workloads,
        file_bytes: args.size,
        ..new_run::header(global, Verb::Quick, title, protocol)
    };
    let mut ending = lifecycle::Ending::new(args.output.clone(), &args.beside)?;
    ending.remains = lifecycle::recover(global)?;
    lifecycle::run(global, header, ending, directories::prepare)
}

/// What is measured where nobody says otherwise: what a tool is known for, if it can do little else.
fn usual(tools: &[DriverName]) -> Vec<&'static str> {
    let of = |tool: &DriverName| match tool {
        DriverName::Native | DriverName::Fio => workloads::QUICK.to_vec(),
        DriverName::Sysbench => workloads::SYSBENCH.to_vec(),
        DriverName::Bonnie | DriverName::Iozone | DriverName::Dd => workloads::DD.to_vec(),
    };
    tools.first().map_or(workloads::QUICK.to_vec(), of)
}
