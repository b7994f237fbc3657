//! `bakeoff plan PLAN`: what a plan comes to, before anything happens. Changes nothing.

use std::io::Write;
use std::path::PathBuf;

use bakeoff_core::decide::twin;
use bakeoff_core::model::candidate::{Candidate, Kind};
use bakeoff_core::model::event::{FlashState, Step};
use bakeoff_core::model::path::RawPath;
use bakeoff_core::model::protocol::Mode;
use bakeoff_core::plan::Expanded;
use bakeoff_core::plan::budget::{Site, Speed, estimate};
use bakeoff_core::prepare::commands::{describe, describe_undo};
use bakeoff_core::prepare::support::smallest_region_bytes;
use bakeoff_core::prepare::{precondition, steps, udev_rule, visit};
use bakeoff_core::report::plan::{Commands, EstimateView, PlanView, SpeedView, TargetView};
use bakeoff_core::units;

use super::plan_text;
use super::run::{self, Looked, check_wear, look_at, state_words};
use crate::cli::{Format, Global, Plan};
use crate::fault::{Fault, Outcome};
use crate::host;
use crate::load::scratch;
use crate::measuring::ceilings;
use crate::measuring::in_memory;
use crate::measuring::prove;
use crate::places::survey;
use crate::places::targets::Wanted;
use crate::signals::Cancel;
use crate::steps::own_place;
use crate::ui::say;

/// Stands for the id a run will have.
const RUN: &str = "RUN";
/// Stands for the loop device an image will get.
const LOOP: &str = "/dev/loopN";

/// Shows the plan; refuses what `run` would refuse, after showing it.
pub fn run(global: &Global, args: &Plan) -> Result<Outcome, Fault> {
    if !matches!(global.format, None | Some(Format::Text | Format::Json)) {
        return Err(Fault::usage("plan supports --format text or json"));
    }
    if args.time == Some(0) {
        return Err(Fault::usage("--time 0 leaves no time to measure. Try --time 2h"));
    }
    if args.targets.is_empty() {
        return print(global, &without_target(args, global.seed.unwrap_or_default())?)
            .map(|()| Outcome::Done);
    }
    let looked = look_at(global, args, None)?;
    let speeds = speeds(global, &looked)?;
    let view = on_targets(&looked, &speeds);
    print(global, &view)?;
    let (made, wanted) = (&looked.made, &looked.wanted);
    check_wear(wanted, made)?;
    let too_much = |view: &PlanView| {
        let estimate = view.estimate.as_ref()?;
        let limit = estimate.max_write_bytes?;
        (estimate.refused.is_some() && estimate.first.write_bytes > limit).then_some(limit)
    };
    match too_much(&view) {
        Some(limit) => Err(Fault::refused(format!(
            "the plan would write more than the limit of {}, which protects the drive from wear. \
             Reduce its region or its workloads, or raise the limit with --max-write",
            units::size(limit)
        ))),
        None => Ok(Outcome::Done),
    }
}

fn without_target(args: &Plan, seed: u64) -> Result<PlanView, Fault> {
    let mut asked = plan_text::load(&args.plan)?;
    asked.protocol.mode = args.mode.unwrap_or(asked.protocol.mode);
    let mut made = plan_text::expand(&asked, &[])?;
    run::apply_limits(&mut made, args.time, args.max_write.or(asked.protocol.max_write_bytes))?;
    made.protocol.prove = args.prove;
    if asked.protocol.mode == Mode::Precise {
        made.candidates.extend(twin::drawn(&made.candidates, seed));
    }
    Ok(PlanView::new(&asked, made))
}

/// Reads every region here and there, which takes seconds and changes nothing.
fn speeds(global: &Global, looked: &Looked) -> Result<Vec<SpeedView>, Fault> {
    let needed_bytes = smallest_region_bytes(&looked.made.candidates);
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let is_quiet = global.quiet || !rustix::termios::isatty(std::io::stderr());
    let mut speeds = Vec::new();
    for Wanted { target, span, .. } in &looked.wanted {
        if target.is_image {
            let why = "positions in an image do not correspond to positions on the disk";
            speeds.push(SpeedView::not_read(why));
            continue;
        }
        say::note(is_quiet, format_args!("Sampling the read speed of {}…", target.path));
        let read = survey::survey(target.path.as_path(), span.start_bytes, *span, &cancel);
        if cancel.is_set() {
            return Err(Fault::interrupted("interrupted; nothing was changed"));
        }
        speeds.push(match read {
            Ok(positions) => {
                SpeedView::new(*span, positions, target.room.granule_bytes, needed_bytes)
            }
            Err(error) => SpeedView::not_read(match error.kind() {
                std::io::ErrorKind::PermissionDenied => format!("{error}. Try sudo"),
                _ => format!("{error}. For details: bakeoff check {}", target.path),
            }),
        });
    }
    Ok(speeds)
}

fn on_targets(looked: &Looked, speeds: &[SpeedView]) -> PlanView {
    let Looked { asked, made, wanted } = looked;
    let mut view = PlanView::new(asked, made.clone());
    let pairs = || wanted.iter().zip(speeds);
    view.targets = pairs().map(|(wanted, speed)| target_view(wanted, speed)).collect();
    view.too_large = run::too_large(made, wanted);
    view.commands = commands(made, wanted);
    view.estimate = costs(made, pairs().map(|(w, speed)| (w, speed.shrinks_to_bytes)));
    view
}

/// Time and bytes on these targets, each with what its region shrinks to where that is known.
pub fn costs<'w>(
    made: &Expanded,
    targets: impl Iterator<Item = (&'w Wanted, Option<u64>)>,
) -> Option<EstimateView> {
    let site = |(wanted, shrunk): (&Wanted, Option<u64>)| Site {
        speed: Speed::of(wanted.target.place.disks().next()),
        region_bytes: shrunk.unwrap_or(wanted.span.size_bytes),
        is_overwritten: wanted.flash_state == FlashState::Overwritten,
        is_preconditioned: is_preconditioned(made, wanted),
    };
    let sites: Vec<Site> = targets.map(site).collect();
    let limit = made.protocol.max_write_bytes;
    let slowest = sites.iter().map(|s| s.speed).min_by_key(|s| s.write_bytes_per_s);
    let (costs, speed) = estimate(made, &sites, limit).zip(slowest)?;
    Some(EstimateView::new(costs, speed, limit))
}

fn target_view(wanted: &Wanted, speed: &SpeedView) -> TargetView {
    let Wanted { target, span, flash_state, .. } = wanted;
    let (bytes, about) = (target.room.target_bytes, target.about());
    let about = match target.is_image {
        true => format!("{about} of {}", units::size(bytes)),
        false => format!("{about}, {}", units::size_decimal(bytes)),
    };
    let serial = target.drive().and_then(|disk| disk.serial.as_deref());
    let about = about + &serial.map_or(String::new(), |s| format!(", serial number {}", s.trim()));
    TargetView {
        path: target.path.to_string(),
        about,
        contents: target.contents.signs.clone(),
        contents_words: target.contents_lines(),
        erase_token: target.token.clone(),
        size_bytes: target.room.target_bytes,
        region_start_bytes: span.start_bytes,
        region_size_bytes: span.size_bytes,
        state: state_words(*flash_state),
        max_write_bytes: target.write_budget(),
        speed: speed.clone(),
    }
}

/// Everything that will be run: once, and for each candidate in each block.
fn commands(made: &Expanded, wanted: &[Wanted]) -> Vec<Commands> {
    let parent = own_place::shown();
    let ours = parent.as_path().join(RUN);
    let mount_point = RawPath::new(ours.join(scratch::MOUNT));
    let mut all = vec![once(&parent, made, wanted)];
    let in_memory = in_memory::announced(RUN, &made.candidates, &mount_point, &RawPath::new(LOOP));
    if !in_memory.is_empty() {
        let of = "Once in memory, where time and memory allow".to_string();
        all.push(as_commands(of, &in_memory));
    }
    for candidate in &made.candidates {
        let index = usize::from(candidate.region);
        if let Some(wanted) = wanted.get(index) {
            let when = match made.protocol.mode {
                Mode::Characterise => "before the rounds of each workload",
                Mode::Quick | Mode::Decide | Mode::Precise => "in every block",
            };
            let of = format!("{}, {when}", candidate.name);
            all.push(of_candidate(of, candidate, index, wanted, &mount_point));
            for changed in prove::changed(candidate).into_iter().filter(|_| made.protocol.prove) {
                let of = format!("{}, once after the answer", changed.name);
                all.push(of_candidate(of, &changed, index, wanted, &mount_point));
            }
        }
    }
    all
}

fn once(parent: &RawPath, made: &Expanded, wanted: &[Wanted]) -> Commands {
    let mut taken: Vec<Step> = vec![steps::make_mount_points(0, RUN, parent)];
    let names: Vec<String> =
        wanted.iter().flat_map(|w| w.target.kernel_names.iter().cloned()).collect();
    if host::udev_runs() && !names.is_empty() {
        taken.push(udev_rule::add(0, RUN, &names));
    }
    let mut last = Vec::new();
    for (index, wanted) in wanted.iter().enumerate() {
        let device = device(index, wanted);
        taken.push(match by_mapper(wanted) {
            true => steps::map_region(0, RUN, index as u16, &wanted.target.path, wanted.span),
            false => {
                let sector = wanted.target.sector_bytes;
                steps::attach_region(0, &wanted.target.path, wanted.span, sector)
            }
        });
        taken.push(steps::overwrite(0, &device, wanted.span.size_bytes, true));
        let parts = if wanted.parts > 1 { wanted.parts } else { 0 };
        taken.extend((0..parts).map(|part| attach_part(index, part, wanted)));
        last.push(describe(&steps::wipe(0, &device).action));
    }
    // What the processor alone reaches, where there is time for it.
    taken.push(ceilings::memory_scratch(0, RUN));
    let mut commands = as_commands("Once".to_string(), &taken);
    if wanted.iter().any(|wanted| is_preconditioned(made, wanted)) {
        // Before what is made in memory.
        let at = commands.run.len().saturating_sub(1);
        commands.run.insert(at, precondition::announce(&made.protocol, &made.workloads));
    }
    commands.undo.splice(0..0, last);
    commands
}

/// What puts one of the regions side by side on a device of its own.
fn attach_part(index: usize, part: u16, wanted: &Wanted) -> Step {
    let (path, span) = (&wanted.target.path, wanted.part(part));
    let number = (index * scratch::MOST_STANDS) as u16 + part;
    match by_mapper(wanted) {
        true => steps::map_region(0, RUN, number, path, span),
        false => steps::attach_region(0, path, span, wanted.target.sector_bytes),
    }
}

fn of_candidate(
    of: String,
    candidate: &Candidate,
    index: usize,
    wanted: &Wanted,
    mount_point: &RawPath,
) -> Commands {
    let Kind::Stack(stack) = &candidate.kind else {
        return Commands { of, run: Vec::new(), undo: Vec::new() };
    };
    let device = device(index, wanted);
    let knob_disk = wanted.target.knob_disk().unwrap_or_else(|| LOOP[5..].to_string());
    let policies = host::cpufreq_policies();
    let target_set = visit::StackTarget {
        run: RUN,
        slot: 0,
        device: &device,
        region_bytes: wanted.part(0).size_bytes,
        flash_state: wanted.flash_state,
        mount_point,
    };
    let setting = |path: &RawPath| host::setting(path.as_path());
    let mut taken = visit::settings(stack, &knob_disk, &policies, &setting);
    taken.extend(visit::made(&candidate.name, stack, &target_set).steps);
    as_commands(of, &taken)
}

/// How a step of the plan is undone, in a line.
fn undone(step: &Step) -> Option<String> {
    step.undo.as_ref().map(|undo| describe_undo(undo, RUN, step.step))
}

fn as_commands(of: String, taken: &[Step]) -> Commands {
    Commands {
        of,
        run: taken.iter().map(|step| describe(&step.action)).collect(),
        undo: taken.iter().rev().filter_map(undone).collect(),
    }
}

fn is_preconditioned(made: &Expanded, wanted: &Wanted) -> bool {
    precondition::is_wanted(&made.protocol, &made.workloads, &wanted.region())
}

fn by_mapper(wanted: &Wanted) -> bool {
    !wanted.target.is_image && host::dm_runs()
}

fn device(index: usize, wanted: &Wanted) -> RawPath {
    match by_mapper(wanted) {
        true => {
            RawPath::new(PathBuf::from("/dev/mapper").join(steps::region_mapper(RUN, index as u16)))
        }
        false => RawPath::new(LOOP),
    }
}

fn print(global: &Global, view: &PlanView) -> Result<(), Fault> {
    let text = match global.format {
        Some(Format::Json) => view.json().map_err(Fault::bug)?,
        _ => view.text(),
    };
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}
