//! `bakeoff demo`: every filesystem available here, on one scratch image.

use std::path::PathBuf;

use bakeoff_judge::decide::twin;
use bakeoff_machine::prepare::space;
use bakeoff_model::event::Header;
use bakeoff_model::path::RawPath;
use bakeoff_model::protocol::{Isolation, Mode, Protocol};
use bakeoff_model::verb::Verb;
use bakeoff_model::workloads;
use bakeoff_report as report;
use bakeoff_stats::phrases;

use super::{hopeless, lifecycle, quick, setup};
use crate::cli::{Demo, Global, Quick};
use crate::fault::{Fault, Outcome};
use crate::host;
use crate::places::image;
use crate::planning::{self, filesystems, new_run};
use crate::ui::say;

pub fn run(global: &Global, args: &Demo) -> Result<Outcome, Fault> {
    if args.time == 0 {
        return Err(Fault::usage("--time 0 leaves no time to measure. Try --time 3m"));
    }
    if !rustix::process::geteuid().is_root() {
        // Said with --quiet too: what happens is not what was typed.
        say::line(format_args!(
            "Creating and mounting filesystems needs root: `sudo bakeoff demo` compares every \
             filesystem available here.\nWithout root, bakeoff now measures the current directory \
             instead (`bakeoff quick .`)."
        ));
        return without_root(global, args);
    }
    if args.install {
        setup::install_missing(None)?;
    }
    let here = std::env::current_dir()
        .map_err(|e| Fault::environment(format!("cannot determine the current directory: {e}")))?;
    let place = host::place(&here).map_err(Fault::environment)?;
    planning::directories::check_writable(&here, &RawPath::new(&here))?;
    filesystems::check_room(&here, &place)?;
    let chosen = new_run::choose_workloads(&args.chosen.workloads, &workloads::DEMO)?;
    let (mut candidates, skipped, lacking) = filesystems::candidates();
    if lacking > 0 {
        say::note(
            global.quiet,
            format_args!(
                "Skipped because a program is missing: {}. To install it first: --install",
                phrases::count(lacking, "filesystem")
            ),
        );
    }
    if candidates.is_empty() {
        let why = report::left_out::lines(&skipped);
        return Err(Fault::environment(format!("cannot create any filesystem here:{why}")));
    }
    let mut protocol = Protocol::for_mode(Mode::Quick, candidates.len() as u32);
    let seed = global.seed.unwrap_or_else(new_run::fresh_u64);
    if candidates.len() > 1 {
        candidates.extend(twin::drawn(&candidates, seed));
    }
    protocol.time_ns = Some(args.time);
    protocol.isolation = Isolation::Slices;
    protocol.drive_use = args.chosen.drive_use.unwrap_or_default();
    protocol.max_write_bytes =
        args.chosen.max_write.or_else(|| space::quick_write_budget(place.disks()));
    let parent = RawPath::new(&here);
    let title = format!("demo: filesystems on images in {parent}");
    let header = Header {
        candidates,
        workloads: chosen,
        skipped,
        ..new_run::header(global, Verb::Demo, title, protocol)
    };
    let mut ending = lifecycle::Ending::new(args.output.clone(), &args.beside)?;
    ending.output.get_or_insert_with(|| format!("bakeoff-{}.html", header.run).into());
    ending.remains = lifecycle::recover(global)?;
    hopeless::warn(&place, global.quiet)?;
    lifecycle::run(global, header, ending, |session| image::prepare(session, &parent, place))
}

fn without_root(global: &Global, args: &Demo) -> Result<Outcome, Fault> {
    let args = Quick {
        blocks: None,
        dirs: vec![PathBuf::from(".")],
        time: Some(args.time),
        chosen: args.chosen.clone(),
        tools: Vec::new(),
        size: None,
        output: args.output.clone(),
        beside: args.beside.clone(),
    };
    quick::run(global, &args)
}
