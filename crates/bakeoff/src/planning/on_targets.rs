//! A plan put on targets: regions of one size, what has room there, and what is refused. Looking
//! changes nothing.

use std::path::Path;

use bakeoff_judge::decide::twin;
use bakeoff_judge::plan;
use bakeoff_machine::prepare::{capacity, space, token};
use bakeoff_model::candidate::{Skipped, are_compared};
use bakeoff_model::event::FlashState;
use bakeoff_model::path::RawPath;
use bakeoff_model::protocol::{Isolation, Mode, Protocol};
use bakeoff_model::use_state::times_written;
use bakeoff_model::workload::{DriverName, Workload};
use bakeoff_report::left_out;
use bakeoff_report::plan::EstimateView;
use bakeoff_stats::units;

use super::costs::costs;
use super::plan_text;
use super::share::{self, Share};
use super::standing::{self, Standing};
use super::used;
use crate::cli::{Global, OnTargets};
use crate::fault::Fault;
use crate::load::foreign;
use crate::places::targets::{self, Wanted};
use crate::signals::Cancel;
use crate::steps::target::{self, Target};

const TARGETS_MAX: usize = 16;

/// A plan on its targets; nothing is changed by looking.
pub struct Looked {
    pub asked: plan::Plan,
    /// What it comes to here, twins included; `k` counts them not.
    pub made: plan::Expanded,
    pub wanted: Vec<Wanted>,
    pub visited_because: Option<String>,
}

pub fn look_at(
    global: &Global,
    plan: &Path,
    args: &OnTargets,
    output: Option<&Path>,
) -> Result<Looked, Fault> {
    let mut asked = plan_text::load(plan)?;
    asked.protocol.mode = args.mode.unwrap_or(asked.protocol.mode);
    asked.protocol.drive_use = args.drive_use.unwrap_or(asked.protocol.drive_use);
    used::change_plan(args.used, &mut asked.stacks)?;
    let found = look(global, args, output)?;
    let budget = args
        .max_write
        .or(asked.protocol.max_write_bytes)
        .or_else(|| found.iter().map(Target::write_budget).min());
    let preparations = u64::from(Protocol::for_mode(asked.protocol.mode, 0).first_look()) + 1;
    let times = times_written(asked.stacks.iter().map(|stack| stack.state), preparations);
    let time_ns = args.time.or(asked.protocol.time_ns).map(|ns| ns / times);
    let mut last = None;
    for write_share in share::WRITE_SHARES.map(|share| share * times) {
        let region = &asked.region;
        let share =
            Share { asked: region, targets: &found, write_bytes: budget, write_share, time_ns };
        let looked = on_share(global, &asked, args, &share)?;
        if has_time_to_measure(&looked) {
            return Ok(looked);
        }
        last = Some(looked);
    }
    last.ok_or_else(|| Fault::bug("no share of the target was tried"))
}

/// Whether the limits leave room for every workload and for more blocks than the first look needs,
/// as far as that is known before the run.
fn has_time_to_measure(Looked { made, wanted, .. }: &Looked) -> bool {
    let costs = costs(made, wanted);
    let enough = 2 * u64::from(made.protocol.first_look());
    let leaves_room = |costs: EstimateView| {
        costs.refused.is_none() && costs.dropped.is_empty() && costs.last_blocks >= enough
    };
    costs.is_none_or(leaves_room) || !are_compared(&made.candidates)
}

fn on_share(
    global: &Global,
    asked: &plan::Plan,
    args: &OnTargets,
    share: &Share<'_>,
) -> Result<Looked, Fault> {
    let found = share.targets;
    let stacks = asked.stacks.len().max(1) as u64;
    let mode = asked.protocol.mode;
    // How often regions are prepared follows from the workloads only where each has its rounds.
    let workloads = match mode {
        Mode::Characterise => plan_text::expand(asked, &[])?.workloads,
        Mode::Quick | Mode::Decide | Mode::Precise => Vec::new(),
    };
    let visits = targets::visits(&Protocol::for_mode(mode, 0), &workloads) + 1;
    let visited = share.one_after_the_other(visits * stacks * found.len() as u64)?;
    let filesystems = asked.filesystems();
    let standing = share.side_by_side(filesystems);
    let own_bytes = |at: usize| {
        let shared = standing.iter().map(|spans| spans[at].size_bytes / filesystems);
        shared.chain([visited[at].size_bytes]).max()
    };
    let sized: Vec<(&Target, Option<u64>)> =
        found.iter().enumerate().map(|(at, target)| (target, own_bytes(at))).collect();
    let mut made = plan_text::expand(asked, &sized)?;
    if made.candidates.is_empty() {
        let why = left_out::lines(&made.skipped);
        return Err(Fault::environment(format!(
            "cannot create any candidate of the plan here:{why}"
        )));
    }
    apply_limits(&mut made, args.time, share.write_bytes)?;
    let file_bytes = made.file_bytes.unwrap_or(space::FILE_MIN_BYTES);
    let seed = global.seed.unwrap_or_default();
    let standing = standing::standing(asked, &mut made, share, file_bytes, seed)?;
    let (parts, spans, visited_because) = match standing {
        Standing::SideBySide(parts, spans) => (parts, spans, None),
        Standing::Visits(why) => (1, visited, why),
    };
    let wanted = found.iter().cloned().zip(spans).map(|(target, span)| {
        let state = state_of(&target, made.flash_state)?;
        // A candidate that stands beside others has a region of its own for a whole block.
        let flash_state = match made.protocol.isolation {
            Isolation::Slices if state == FlashState::Overwritten => FlashState::WrittenOnce,
            Isolation::Slices | Isolation::Visit => state,
        };
        targets::check_sizes(&made.workloads, file_bytes, span.size_bytes / u64::from(parts))?;
        let is_chosen = asked.region.size_bytes.is_none();
        Ok(Wanted { target, span, parts, flash_state, is_chosen })
    });
    let wanted = wanted.collect::<Result<_, Fault>>()?;
    Ok(Looked { asked: asked.clone(), wanted, made, visited_because })
}

pub fn without_targets(
    global: &Global,
    name: &Path,
    args: &OnTargets,
) -> Result<(plan::Plan, plan::Expanded), Fault> {
    let mut asked = plan_text::load(name)?;
    asked.protocol.mode = args.mode.unwrap_or(asked.protocol.mode);
    asked.protocol.drive_use = args.drive_use.unwrap_or(asked.protocol.drive_use);
    used::change_plan(args.used, &mut asked.stacks)?;
    let mut made = plan_text::expand(&asked, &[])?;
    apply_limits(&mut made, args.time, args.max_write.or(asked.protocol.max_write_bytes))?;
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

pub fn too_large(made: &plan::Expanded, wanted: &[Wanted]) -> Vec<Skipped> {
    let regions: Vec<u64> = wanted.iter().map(|wanted| wanted.span.size_bytes).collect();
    capacity::too_large(&made.candidates, &made.workloads, made.file_bytes, &regions)
}

fn look(global: &Global, args: &OnTargets, output: Option<&Path>) -> Result<Vec<Target>, Fault> {
    let store = crate::store::place::path(global.store.as_deref())?;
    let binary = std::env::current_exe().ok();
    let here = std::env::current_dir().ok();
    let mut ours: Vec<(&str, &Path)> = vec![("the store", &store)];
    ours.extend(binary.as_deref().map(|path| ("bakeoff itself", path)));
    ours.extend(here.as_deref().map(|path| ("the working directory", path)));
    ours.extend(output.map(|path| ("the file of -o", path)));
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
    let (mode, candidates) = (made.protocol.mode, &made.candidates[..]);
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
