//! A plan put on targets: regions of one size, what has room there, and what is refused. Looking
//! changes nothing.

use std::path::Path;

use bakeoff_judge::decide::twin;
use bakeoff_judge::plan;
use bakeoff_machine::prepare::{capacity, region, space, token};
use bakeoff_model::candidate::Skipped;
use bakeoff_model::event::FlashState;
use bakeoff_model::path::RawPath;
use bakeoff_model::protocol::{Isolation, Mode, Protocol};
use bakeoff_model::workload::{DriverName, Workload};
use bakeoff_report::left_out;
use bakeoff_stats::units;

use super::{plan_text, standing};
use crate::cli::{Global, OnTargets};
use crate::fault::Fault;
use crate::load::foreign;
use crate::places::targets::{self, Wanted};
use crate::signals::Cancel;
use crate::steps::target::{self, Target};

/// Most targets of a device axis.
const TARGETS_MAX: usize = 16;

/// A plan on its targets; nothing is changed by looking.
pub struct Looked {
    pub asked: plan::Plan,
    /// What it comes to here, twins included; `k` counts them not.
    pub made: plan::Expanded,
    pub wanted: Vec<Wanted>,
}

/// Reads the plan and looks at the targets; changes nothing.
pub fn look_at(
    global: &Global,
    plan: &Path,
    args: &OnTargets,
    report: Option<&Path>,
) -> Result<Looked, Fault> {
    let mut asked = plan_text::load(plan)?;
    if let Some(mode) = args.mode {
        asked.protocol.mode = mode;
    }
    let found = look(global, args, report)?;
    let budget = args
        .max_write
        .or(asked.protocol.max_write_bytes)
        .or_else(|| found.iter().map(Target::write_budget).min());
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
        let why = left_out::lines(&made.skipped);
        return Err(Fault::environment(format!(
            "cannot create any candidate of the plan here:{why}"
        )));
    }
    apply_limits(&mut made, args.time, budget)?;
    made.protocol.prove = args.prove;
    let file_bytes = made.file_bytes.unwrap_or(space::FILE_MIN_BYTES);
    let seed = global.seed.unwrap_or_default();
    let parts = standing::parts(&asked, &mut made, (&found, &spans), file_bytes, seed)?;
    let wanted = found.into_iter().zip(spans).map(|(target, span)| {
        let state = state_of(&target, made.flash_state)?;
        // A candidate that stands beside others has a region of its own for a whole block.
        let flash_state = match made.protocol.isolation {
            Isolation::Slices if state == FlashState::Overwritten => FlashState::WrittenOnce,
            Isolation::Slices | Isolation::Visit => state,
        };
        targets::check_sizes(&made.workloads, file_bytes, span.size_bytes / u64::from(parts))?;
        Ok(Wanted { target, span, parts, flash_state })
    });
    let wanted = wanted.collect::<Result<_, Fault>>()?;
    Ok(Looked { asked, wanted, made })
}

pub fn without_targets(
    global: &Global,
    name: &Path,
    args: &OnTargets,
) -> Result<(plan::Plan, plan::Expanded), Fault> {
    let mut asked = plan_text::load(name)?;
    asked.protocol.mode = args.mode.unwrap_or(asked.protocol.mode);
    let mut made = plan_text::expand(&asked, &[])?;
    apply_limits(&mut made, args.time, args.max_write.or(asked.protocol.max_write_bytes))?;
    made.protocol.prove = args.prove;
    if asked.protocol.mode == Mode::Precise {
        made.candidates.extend(twin::drawn(&made.candidates, global.seed.unwrap_or_default()));
    }
    Ok((asked, made))
}

/// What the tools that are installed here leave over, and limits from the command line.
fn apply_limits(
    made: &mut plan::Expanded,
    time_ns: Option<u64>,
    max_write_bytes: Option<u64>,
) -> Result<(), Fault> {
    drop_unusable(&mut made.workloads, &mut made.dropped_workloads, &[])?;
    made.protocol.time_ns = time_ns.or(made.protocol.time_ns);
    made.protocol.max_write_bytes = max_write_bytes;
    Ok(())
}

/// Takes out the workloads whose own tool or one of `tools` cannot do them here.
///
/// # Errors
/// When none is left.
pub fn drop_unusable(
    workloads: &mut Vec<Workload>,
    dropped: &mut Vec<Skipped>,
    tools: &[DriverName],
) -> Result<(), Fault> {
    // Nothing is to be cleaned up yet: Ctrl-C ends bakeoff, and the tool with it.
    let unusable = foreign::without_unusable(workloads, tools, &Cancel::default());
    dropped.extend(unusable.map_err(Fault::environment)?);
    if workloads.is_empty() {
        let why = left_out::lines(&Skipped::together(&*dropped));
        return Err(Fault::environment(format!("cannot measure any workload here:{why}")));
    }
    Ok(())
}

/// What has no room on its candidate.
pub fn too_large(made: &plan::Expanded, wanted: &[Wanted]) -> Vec<Skipped> {
    let regions: Vec<u64> = wanted.iter().map(|wanted| wanted.span.size_bytes).collect();
    capacity::too_large(&made.candidates, &made.workloads, made.file_bytes, &regions)
}

/// Looks at every target and refuses what must not be written.
fn look(global: &Global, args: &OnTargets, report: Option<&Path>) -> Result<Vec<Target>, Fault> {
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
        // Bound to another directory, or in a filesystem that ignores case.
        let is_same = |other: &&Target| target.file.is_some() && other.file == target.file;
        if let Some(other) = found.iter().find(is_same).filter(|other| other.path != target.path) {
            return Err(Fault::usage(format!(
                "{} and {} are the same file under two names. Name it once",
                other.path, target.path
            )));
        }
        if found.iter().any(|other| other.disk == target.disk) {
            return Err(Fault::usage(format!(
                "{} is on the same drive as another target, and the two would disturb each other",
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
        "{} write at least {}, more than the limit of {} that protects the drive from wear. Reduce \
         the plan's region, or raise the limit with --max-write {}m",
        match mode {
            Mode::Characterise => "the preparations of the workloads",
            Mode::Quick | Mode::Decide | Mode::Precise => "the blocks that an answer needs",
        },
        units::size(least),
        units::size(budget),
        least.div_ceil(1 << 20)
    )))
}
