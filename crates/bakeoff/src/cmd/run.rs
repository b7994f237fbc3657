//! `bakeoff run PLAN --target T…`: a plan on drives, partitions or images.
//!
//! Everything that can be refused is refused before anything is changed: the plan, the targets, the
//! room, the wear, the consent. What happens is shown before it is asked for.

use bakeoff_judge::plan::Expanded;
use bakeoff_model::candidate::Skipped;
use bakeoff_model::event::Header;
use bakeoff_model::host::Place;
use bakeoff_model::verb::Verb;
use bakeoff_report::plan::{Span, expected, state_label};
use bakeoff_stats::units;

use super::lifecycle::{self, Ending};
use super::{consent, hopeless, scheduled, setup};
use crate::cli::{Global, OnTargets, RunArgs};
use crate::fault::{Fault, Outcome};
use crate::host;
use crate::places::targets::{self, Wanted};
use crate::planning::on_targets::{Looked, check_wear, look_at, too_large};
use crate::planning::{self, new_run};
use crate::steps::locked_target::LockedTarget;
use crate::steps::target::Target;
use crate::ui::{announce, say};

struct Ready {
    header: Header,
    wanted: Vec<Wanted>,
    /// Time and bytes to expect, and what has no room, in sentences.
    costs: Vec<String>,
}

pub fn run(global: &Global, args: &RunArgs) -> Result<Outcome, Fault> {
    check_args(&args.on)?;
    let mut ending = Ending::new(args.output.clone(), &args.beside)?;
    ending.remains = lifecycle::recover(global)?;
    if args.install {
        setup::install_missing(Some(&args.plan))?;
    }
    let mut ready = get_ready(global, args)?;
    show(global, &ready);
    let targets: Vec<&Target> = ready.wanted.iter().map(|w| &w.target).collect();
    consent::to_erase(&targets, &args.erase)?;
    let given = |token: &&String| !args.erase.contains(token);
    let tokens = ready.wanted.iter().map(|w| &w.target.token);
    let mut typed: Vec<String> = tokens.filter(given).map(|t| format!("--erase={t}")).collect();
    if args.at.is_none() {
        let places: Vec<&Place> = ready.wanted.iter().map(|w| &w.target.place).collect();
        hopeless::check(&places, args.anyway, global.quiet)?;
        typed.extend((!args.anyway).then(|| "--anyway".to_string()));
    }
    if args.detach {
        return scheduled::detach(global, &typed);
    }
    let _awake = host::awake::stay_awake();
    if let Some(time) = args.at {
        let tokens: Vec<String> = ready.wanted.iter().map(|w| w.target.token.clone()).collect();
        scheduled::wait_until(global, time)?;
        // Hours may have passed: everything is looked at anew, for the drives consented to.
        ready = get_ready(global, args)?;
        if !ready.wanted.iter().all(|w| w.target.is_consented(&tokens)) {
            return Err(Fault::refused(
                "a target drive has changed, and nothing was written. Check it with `bakeoff \
                 plan`, then start the run again",
            ));
        }
    }
    let held = hold(&args.on, &ready.wanted)?;
    let wanted = ready.wanted;
    lifecycle::run(global, ready.header, ending, |session| {
        session.held.targets = held;
        targets::prepare(session, &wanted)
    })
}

fn check_args(args: &OnTargets) -> Result<(), Fault> {
    if args.time == Some(0) {
        return Err(Fault::usage("--time 0 leaves no time to measure. Try --time 2h"));
    }
    if args.targets.is_empty() {
        return Err(Fault::usage(
            "no target given. Specify a drive, partition or image with --target. List the drives \
             with `bakeoff devices`, or create an image to try it on: truncate -s 2G disk.img",
        ));
    }
    if !rustix::process::geteuid().is_root() {
        return Err(Fault::environment(
            "creating and mounting filesystems needs root: sudo bakeoff run …. Without root, \
             compare directories: bakeoff quick DIR…",
        ));
    }
    Ok(())
}

fn get_ready(global: &Global, args: &RunArgs) -> Result<Ready, Fault> {
    let Looked { asked, made, wanted, .. } =
        look_at(global, &args.plan, &args.on, args.output.as_deref())?;
    check_wear(&wanted, &made)?;
    let mut costs = costs(&made, &wanted);
    let may_not_fit =
        |one: Skipped| format!("{} may not fit into the region: {}", one.name, one.reason);
    costs.extend(too_large(&made, &wanted).into_iter().map(may_not_fit));
    let mut regions = wanted.iter().map(Wanted::region);
    let header = Header {
        candidates: made.candidates,
        workloads: made.workloads,
        skipped: made.skipped,
        dropped_workloads: made.dropped_workloads,
        file_bytes: made.file_bytes,
        plan: Some(asked.text),
        region: regions.next(),
        more_regions: regions.collect(),
        ..new_run::header(global, Verb::Run, asked.title, made.protocol)
    };
    Ok(Ready { header, wanted, costs })
}

fn costs(made: &Expanded, wanted: &[Wanted]) -> Vec<String> {
    let costs = planning::costs::costs(made, wanted);
    let Some(costs) = costs else { return Vec::new() };
    let mut said = vec![expected(&costs, Span::blocks(made), made.protocol.mode)];
    said.extend(costs.refused.map(|why| {
        format!(
            "The time or write limit is probably too low: \
                                                 {why}"
        )
    }));
    said
}

fn show(global: &Global, ready: &Ready) {
    let note = |line: String| say::note(global.quiet, format_args!("{line}"));
    note(ready.header.title.clone());
    note(format!("  {}, on", announce::candidates(&ready.header.candidates)));
    for Wanted { target, span, flash_state, .. } in &ready.wanted {
        let state = state_label(*flash_state);
        note(format!(
            "  {}: {} at offset {}, {state}. Its contents will be lost.",
            target.describe(),
            units::size(span.size_bytes),
            units::size(span.start_bytes)
        ));
        for line in target.contents_lines() {
            note(format!("    contents: {line}"));
        }
    }
    for skipped in Skipped::together(&ready.header.skipped) {
        note(format!("  Skipped {}: {}", skipped.name, skipped.reason));
    }
    for dropped in Skipped::together(&ready.header.dropped_workloads) {
        note(format!("  Not measured ({}): {}", dropped.name, dropped.reason));
    }
    for line in &ready.costs {
        note(format!("  {line}"));
    }
}

/// Takes every target, and looks once more: what was true before the question may not be now.
fn hold(args: &OnTargets, wanted: &[Wanted]) -> Result<Vec<LockedTarget>, Fault> {
    wanted.iter().map(|w| w.target.take(args.shares_disk_with_root)).collect()
}
