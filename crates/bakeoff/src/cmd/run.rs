//! `bakeoff run PLAN --target T…`: a plan on disks, partitions or images.
//!
//! Everything that can be refused is refused before anything is changed: the plan, the targets, the
//! room, the wear, the consent. What happens is shown before it is asked for.

use std::path::Path;

use bakeoff_core::model::candidate::{Candidate, Skipped};
use bakeoff_core::model::event::FlashState;
use bakeoff_core::model::path::RawPath;
use bakeoff_core::model::protocol::{Isolation, Mode, Protocol};
use bakeoff_core::prepare::region;
use bakeoff_core::prepare::{room, space, token};
use bakeoff_core::report::plan::{Span, expected};
use bakeoff_core::{plan, units};

use super::lifecycle::{self, ReportTo};
use super::{consent, plan_text, scheduled, standing};
use crate::cli::{Global, Plan, Run};
use crate::fault::{Fault, Outcome};
use crate::host;
use crate::load::foreign;
use crate::places::targets::{self, Wanted};
use crate::signals::Cancel;
use crate::steps::locked_target::LockedTarget;
use crate::steps::target::{self, Target};
use crate::ui::say;

/// Most targets of a device axis.
const TARGETS_MAX: usize = 16;

/// A run that was looked at from all sides and not begun.
struct Ready {
    plan: lifecycle::Plan,
    wanted: Vec<Wanted>,
    /// Time and bytes to expect, and what has no room, in sentences.
    costs: Vec<String>,
}

/// A plan on its targets; nothing is changed by looking.
pub struct Looked {
    /// The plan as read.
    pub asked: plan::Plan,
    /// What it comes to here, twins included; `k` counts them not.
    pub made: plan::Expanded,
    /// Where.
    pub wanted: Vec<Wanted>,
}

/// Runs the command.
pub fn run(global: &Global, args: &Run) -> Result<Outcome, Fault> {
    check_args(&args.on)?;
    refuse_store(global, &args.on)?;
    lifecycle::recover(global)?;
    let mut ready = get_ready(global, args)?;
    show(global, &ready);
    let targets: Vec<&Target> = ready.wanted.iter().map(|w| &w.target).collect();
    consent::to_erase(&targets, &args.erase)?;
    if args.detach {
        let given = |token: &&String| !args.erase.contains(token);
        let tokens: Vec<&String> = ready.wanted.iter().map(|w| &w.target.token).collect();
        let typed: Vec<String> = tokens.into_iter().filter(given).cloned().collect();
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
                "a target drive has changed; nothing was written. Check it with `bakeoff plan`, \
                 then start the run again",
            ));
        }
    }
    let held = hold(&args.on, &ready.wanted)?;
    let wanted = ready.wanted;
    let report = ReportTo::from_option(args.report.clone());
    lifecycle::run(global, ready.plan, report, |session| {
        session.held = held;
        targets::prepare(session, &wanted)
    })
}

fn check_args(args: &Plan) -> Result<(), Fault> {
    if args.time == Some(0) {
        return Err(Fault::usage("--time 0 leaves no time to measure. Try --time 2h"));
    }
    if args.targets.is_empty() {
        return Err(Fault::usage(
            "no target given. Name a disk, partition or image with --target. List the drives with \
             `bakeoff devices`, or create an image to try it on: truncate -s 2G disk.img",
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

/// Before the store is opened: a target is no damaged store, to be moved away.
fn refuse_store(global: &Global, args: &Plan) -> Result<(), Fault> {
    let store = crate::store::place::path(global.store.as_deref())?;
    match args.targets.iter().find(|target| host::is_same_file(target, &store)) {
        None => Ok(()),
        Some(target) => Err(Fault::refused(format!(
            "the store ({}) is the target {}, which is erased: keep it elsewhere",
            RawPath::new(&store),
            RawPath::new(target)
        ))),
    }
}

/// Reads the plan and looks at the targets; changes nothing.
pub fn look_at(global: &Global, args: &Plan, report: Option<&Path>) -> Result<Looked, Fault> {
    let mut asked = plan_text::load(&args.plan)?;
    if let Some(mode) = args.mode {
        asked.protocol.mode = mode;
    }
    let found = look(global, args, report)?;
    let budget = args
        .max_write
        .or(asked.protocol.max_write_bytes)
        .or_else(|| found.iter().filter_map(Target::write_budget).min());
    let stacks = asked.stacks.len().max(1) as u64 * found.len() as u64;
    let mode = asked.protocol.mode;
    // How often regions are prepared follows from the workloads only where each has its rounds.
    let workloads = match mode {
        Mode::Characterise => plan_text::expand(&asked, &[])?.workloads,
        Mode::Quick | Mode::Decide | Mode::Precise => Vec::new(),
    };
    let visits = targets::visits(&Protocol::for_mode(mode, 0), &workloads);
    let spans = spans(&asked.region, &found, budget, stacks * (visits + 1))?;
    let sized: Vec<(&Target, Option<u64>)> =
        found.iter().zip(&spans).map(|(t, span)| (t, Some(span.size_bytes))).collect();
    let mut made = plan_text::expand(&asked, &sized)?;
    if made.candidates.is_empty() {
        let why = made.skipped.iter().map(|s| format!("\n  {}: {}", s.name, s.reason));
        let why: String = why.collect();
        return Err(Fault::environment(format!(
            "cannot create any candidate of the plan here:{why}"
        )));
    }
    apply_limits(&mut made, args.time, budget)?;
    made.protocol.prove = args.prove;
    let state = match made.flash_state {
        plan::FlashState::Overwritten => FlashState::Overwritten,
        plan::FlashState::Trimmed => FlashState::Trimmed,
    };
    let file_bytes = made.file_bytes.unwrap_or(space::FILE_MIN_BYTES);
    let seed = global.seed.unwrap_or_default();
    let parts = standing::parts(&asked, &mut made, (&found, &spans), file_bytes, seed)?;
    let wanted = found.into_iter().zip(spans).map(|(target, span)| {
        let state = state_of(&target, state)?;
        // A candidate that stands beside others has a region of its own for a whole block.
        let flash_state = match (made.protocol.isolation, state) {
            (Isolation::Slices, FlashState::Overwritten) => FlashState::WrittenOnce,
            _ => state,
        };
        targets::check_sizes(&made.workloads, file_bytes, span.size_bytes / u64::from(parts))?;
        Ok(Wanted { target, span, parts, flash_state })
    });
    let wanted = wanted.collect::<Result<_, Fault>>()?;
    Ok(Looked { asked, wanted, made })
}

/// What the tools that are installed here leave over, and limits from the command line.
pub fn apply_limits(
    made: &mut plan::Expanded,
    time_ns: Option<u64>,
    max_write_bytes: Option<u64>,
) -> Result<(), Fault> {
    // Nothing is to be cleaned up yet: Ctrl-C ends bakeoff, and the tool with it.
    let unusable = foreign::without_unusable(&mut made.workloads, &Cancel::default());
    made.dropped_workloads.extend(unusable.map_err(Fault::environment)?);
    if made.workloads.is_empty() {
        let why = Skipped::together(&made.dropped_workloads);
        let why = why.iter().map(|s| format!("\n  {}: {}", s.name, s.reason));
        let why: String = why.collect();
        return Err(Fault::environment(format!("cannot measure any workload here:{why}")));
    }
    made.protocol.time_ns = time_ns.or(made.protocol.time_ns);
    made.protocol.max_write_bytes = max_write_bytes;
    Ok(())
}

/// What is needed to begin, once it is known that it does not write too much.
fn get_ready(global: &Global, args: &Run) -> Result<Ready, Fault> {
    let Looked { asked, made, wanted } = look_at(global, &args.on, args.report.as_deref())?;
    check_wear(&wanted, &made)?;
    let mut costs = costs(&made, &wanted);
    let may_not_fit = |one: Skipped| format!("May not fit: {}: {}", one.name, one.reason);
    costs.extend(too_large(&made, &wanted).into_iter().map(may_not_fit));
    let plan = lifecycle::Plan {
        verb: "run",
        title: asked.title,
        protocol: made.protocol,
        candidates: made.candidates,
        workloads: made.workloads,
        skipped: made.skipped,
        dropped_workloads: made.dropped_workloads,
        file_bytes: made.file_bytes,
        plan: Some(asked.text),
        regions: wanted.iter().map(Wanted::region).collect(),
    };
    Ok(Ready { plan, wanted, costs })
}

/// What has no room on its candidate.
pub fn too_large(made: &plan::Expanded, wanted: &[Wanted]) -> Vec<Skipped> {
    let regions: Vec<u64> = wanted.iter().map(|wanted| wanted.span.size_bytes).collect();
    room::too_large(&made.candidates, &made.workloads, made.file_bytes, &regions)
}

/// What it will probably cost, for who is asked to consent.
fn costs(made: &plan::Expanded, wanted: &[Wanted]) -> Vec<String> {
    let costs = super::plan::costs(made, wanted.iter().map(|wanted| (wanted, None)));
    let Some(costs) = costs else { return Vec::new() };
    let mut said = vec![expected(&costs, Span::blocks(made), made.protocol.mode)];
    said.extend(costs.refused.map(|why| format!("This will probably not fit: {why}")));
    said
}

/// Looks at every target and refuses what must not be written.
fn look(global: &Global, args: &Plan, report: Option<&Path>) -> Result<Vec<Target>, Fault> {
    let store = crate::store::place::path(global.store.as_deref())?;
    let binary = std::env::current_exe().ok();
    let here = std::env::current_dir().ok();
    let mut ours: Vec<(&str, &Path)> = vec![("the store", &store)];
    ours.extend(binary.as_deref().map(|path| ("bakeoff itself", path)));
    ours.extend(here.as_deref().map(|path| ("the working directory", path)));
    ours.extend(report.map(|path| ("the report", path)));
    if args.targets.len() > TARGETS_MAX {
        return Err(Fault::usage(format!("too many targets: a run has at most {TARGETS_MAX}")));
    }
    let mut found: Vec<Target> = Vec::new();
    for path in &args.targets {
        let target = target::look(path, args.shares_disk_with_root)?;
        if found.iter().any(|other| other.disk == target.disk) {
            return Err(Fault::usage(format!(
                "{} is on the same disk as another target, and the two would disturb each other",
                RawPath::new(path)
            )));
        }
        let is_alike = |other: &&Target| token::are_alike(&other.token, &target.token);
        if let Some(other) = found.iter().find(is_alike) {
            return Err(Fault::refused(format!(
                "{} and {} have the same erase token {}, so the token does not identify one \
                 target. Rename one of them",
                other.path, target.path, target.token
            )));
        }
        target.refuse_ours(&ours)?;
        found.push(target);
    }
    Ok(found)
}

/// The region on each target, of one size.
fn spans(
    asked: &plan::RegionRequest,
    found: &[Target],
    budget: Option<u64>,
    visits: u64,
) -> Result<Vec<region::Span>, Fault> {
    // Half for the state of the region, half for what is measured.
    let most = budget.map_or(u64::MAX, |bytes| bytes / 2 / visits);
    let choose = |target: &Target, size| {
        region::choose(target.room, asked.start_bytes, size, most)
            .map_err(|error| Fault::usage(format!("{}: {error}", target.path)))
    };
    let first: Vec<region::Span> =
        found.iter().map(|target| choose(target, asked.size_bytes)).collect::<Result<_, _>>()?;
    let smallest = first.iter().map(|span| span.size_bytes).min();
    found.iter().map(|target| choose(target, smallest)).collect()
}

/// What spins is as fast whatever was on it before; it is written once. An image is never
/// discarded: that would make holes in it.
fn state_of(target: &Target, asked: FlashState) -> Result<FlashState, Fault> {
    match (target.is_rotational(), target.is_image, asked) {
        (true, ..) => Ok(FlashState::WrittenOnce),
        (_, true, _) => Ok(FlashState::Overwritten),
        (.., FlashState::Trimmed) if !target.can_discard() => Err(Fault::environment(format!(
            "the kernel cannot discard a region of {}, as the plan requires. Set flash_state = \
             \"overwritten\" in the plan",
            target.path
        ))),
        (.., asked) => Ok(asked),
    }
}

/// Refuses a plan that writes more than the device should take, before anything is written.
pub fn check_wear(wanted: &[Wanted], made: &plan::Expanded) -> Result<(), Fault> {
    let Some(budget) = made.protocol.max_write_bytes else { return Ok(()) };
    let (mode, candidates) = (made.protocol.mode, made.candidates.len() as u64);
    let visits = targets::visits(&made.protocol, &made.workloads);
    let least = targets::least_write_bytes(wanted, candidates, visits);
    if least <= budget {
        return Ok(());
    }
    Err(Fault::refused(format!(
        "{} write at least {}, above the limit of {} that protects the drive from wear. Reduce the \
         plan's region, or raise the limit with --max-write {}m",
        match mode {
            Mode::Characterise => "the preparations of the workloads",
            Mode::Quick | Mode::Decide | Mode::Precise => "the blocks that an answer needs",
        },
        units::size(least),
        units::size(budget),
        least.div_ceil(1 << 20)
    )))
}

/// Says what will happen.
fn show(global: &Global, ready: &Ready) {
    let note = |line: String| say::note(global.quiet, format_args!("{line}"));
    note(format!("{}: {} on", ready.plan.title, names(&ready.plan.candidates)));
    for Wanted { target, span, flash_state, .. } in &ready.wanted {
        let state = state_words(*flash_state);
        note(format!(
            "  {}: {} from {} on, {state}. Its contents will be lost.",
            target.describe(),
            units::size(span.size_bytes),
            units::size(span.start_bytes)
        ));
        for line in target.contents_lines() {
            note(format!("    on it: {line}"));
        }
    }
    for skipped in Skipped::together(&ready.plan.skipped) {
        note(format!("  Left out: {}: {}", skipped.name, skipped.reason));
    }
    for dropped in Skipped::together(&ready.plan.dropped_workloads) {
        note(format!("  Not measured: {}: {}", dropped.name, dropped.reason));
    }
    for line in &ready.costs {
        note(format!("  {line}"));
    }
}

/// What is done to a region.
pub fn state_words(state: FlashState) -> &'static str {
    match state {
        FlashState::WrittenOnce => "written once",
        FlashState::Overwritten => "written in full before every visit",
        FlashState::Trimmed => "discarded before every visit",
    }
}

fn names(candidates: &[Candidate]) -> String {
    candidates.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Takes every target, and looks once more: what was true before the question may not be now.
fn hold(args: &Plan, wanted: &[Wanted]) -> Result<Vec<LockedTarget>, Fault> {
    wanted.iter().map(|w| w.target.take(args.shares_disk_with_root)).collect()
}
