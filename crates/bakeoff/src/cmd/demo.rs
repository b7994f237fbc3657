//! `bakeoff demo`: every filesystem available here, on one scratch image.

use std::path::{Path, PathBuf};

use bakeoff_core::decide::twin;
use bakeoff_core::model::candidate::{Candidate, Kind, Skipped};
use bakeoff_core::model::path::RawPath;
use bakeoff_core::model::protocol::{Isolation, Mode, Protocol};
use bakeoff_core::prepare::space;
use bakeoff_core::prepare::support::{RECIPES, Recipe};
use bakeoff_core::{units, workloads};

use super::{lifecycle, quick};
use crate::cli::{Demo, Global, Quick};
use crate::fault::{Fault, Outcome};
use crate::host;
use crate::places::image;
use crate::ui::say;

/// Runs the command.
pub fn run(global: &Global, args: &Demo) -> Result<Outcome, Fault> {
    if args.time == 0 {
        return Err(Fault::usage("--time 0 leaves no time to measure. Try --time 3m"));
    }
    if !rustix::process::geteuid().is_root() {
        // Said with --quiet too: what happens is not what was typed.
        say::line(format_args!(
            "Creating and mounting filesystems needs root: `sudo bakeoff demo` compares every \
             filesystem available here.\nWithout root, this measures the current directory instead \
             (`bakeoff quick .`)."
        ));
        return without_root(global, args);
    }
    let here = std::env::current_dir()
        .map_err(|e| Fault::environment(format!("cannot determine the current directory: {e}")))?;
    let place = host::place(&here).map_err(Fault::environment)?;
    quick::check_writable(&here, &RawPath::new(&here))?;
    check_room(&here, &place)?;
    let chosen = lifecycle::choose_workloads(&args.workloads, &workloads::DEMO)?;
    let (mut candidates, skipped) = candidates();
    if candidates.is_empty() {
        let why: String = skipped.iter().map(|s| format!("\n  {}: {}", s.name, s.reason)).collect();
        return Err(Fault::environment(format!("cannot create any filesystem here:{why}")));
    }
    let mut protocol = Protocol::for_mode(Mode::Quick, candidates.len() as u32);
    let seed = global.seed.unwrap_or_else(lifecycle::fresh_u64);
    if candidates.len() > 1 {
        candidates.extend(twin::drawn(&candidates, seed));
    }
    protocol.time_ns = Some(args.time);
    protocol.isolation = Isolation::Slices;
    protocol.max_write_bytes = args.max_write.or(space::quick_write_budget(place.disks()));
    let parent = RawPath::new(&here);
    let title = format!("demo: filesystems on images in {parent}");
    let plan = lifecycle::Plan {
        verb: "demo",
        title,
        protocol,
        candidates,
        workloads: chosen,
        skipped,
        dropped_workloads: Vec::new(),
        file_bytes: None,
        plan: None,
        regions: Vec::new(),
    };
    let report =
        args.report.clone().map(lifecycle::ReportTo::File).unwrap_or(lifecycle::ReportTo::Here);
    lifecycle::run(global, plan, report, |session| image::prepare(session, &parent, place))
}

fn without_root(global: &Global, args: &Demo) -> Result<Outcome, Fault> {
    let args = Quick {
        dirs: vec![PathBuf::from(".")],
        time: args.time,
        workloads: args.workloads.clone(),
        size: None,
        report: args.report.clone(),
        max_write: args.max_write,
    };
    quick::run(global, &args)
}

fn check_room(here: &Path, place: &bakeoff_core::model::host::Place) -> Result<(), Fault> {
    let available = host::available_bytes();
    let room = space::room_bytes(place.class, place.size_bytes, place.free_bytes, available);
    if room >= image::IMAGE_BYTES {
        return Ok(());
    }
    Err(Fault::environment(format!(
        "the demo's image needs {} and bakeoff uses at most half of the free space, leaving 5 % or \
         512 MiB; {} has {} free. Change to a directory on another disk and try again",
        units::size(image::IMAGE_BYTES),
        RawPath::new(here),
        units::size(place.free_bytes)
    )))
}

/// Every filesystem of the demo that this kernel and these tools support, and why the others are
/// left out.
fn candidates() -> (Vec<Candidate>, Vec<Skipped>) {
    let mut candidates = Vec::new();
    let mut skipped: Vec<Skipped> = Vec::new();
    for recipe in RECIPES.iter().filter(|recipe| recipe.in_demo) {
        if stands_in_needlessly(recipe, &candidates) {
            continue;
        }
        match host::support(recipe) {
            Ok(()) => candidates.push(Candidate::new(recipe.name, Kind::Stack(recipe.stack()))),
            Err(missing) => {
                skipped.push(Skipped { name: recipe.name.to_string(), reason: missing.to_string() })
            }
        }
    }
    (candidates, skipped)
}

/// A user-space driver is tried only where the kernel has no driver of its own.
fn stands_in_needlessly(recipe: &Recipe, candidates: &[Candidate]) -> bool {
    recipe.stands_in_for.is_some_and(|first| candidates.iter().any(|c| c.name == first))
}
