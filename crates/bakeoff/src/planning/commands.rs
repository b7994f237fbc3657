//! Every command that a plan comes to: once, and for each candidate in each block.

use std::path::PathBuf;

use bakeoff_judge::plan::Expanded;
use bakeoff_machine::prepare::commands::{describe, describe_undo};
use bakeoff_machine::prepare::stand_in::StandIn;
use bakeoff_machine::prepare::{steps, udev_rule, visit};
use bakeoff_model::candidate::{Candidate, Kind};
use bakeoff_model::event::Step;
use bakeoff_model::index::CandidateIx;
use bakeoff_model::path::RawPath;
use bakeoff_model::protocol::{Isolation, Mode};
use bakeoff_model::stands;
use bakeoff_report::plan::Commands;

use crate::host;
use crate::load::scratch;
use crate::measuring::ceilings;
use crate::places::targets::Wanted;
use crate::steps::own_place;

const RUN: &str = StandIn::Run.word();

/// Everything that will be run: once, and for each candidate in each block.
pub fn commands(made: &Expanded, wanted: &[Wanted]) -> Vec<Commands> {
    let parent = own_place::shown();
    let ours = parent.as_path().join(RUN);
    let mount_point = RawPath::new(ours.join(scratch::MOUNT));
    let mut all = vec![once(&parent, wanted)];
    let stands = match made.protocol.isolation {
        Isolation::Slices => {
            stands::shared(&made.candidates, CandidateIx::all(made.candidates.len()))
        }
        Isolation::Visit => Vec::new(),
    };
    for (number, candidate) in CandidateIx::each(&made.candidates) {
        let shared = stands.iter().find(|shared| shared[1..].contains(&number));
        let index = usize::from(candidate.region);
        if let Some(wanted) = wanted.get(index) {
            let when = match made.protocol.mode {
                Mode::Characterise => "before the rounds of each workload",
                Mode::Quick | Mode::Decide | Mode::Precise => "in every block",
            };
            let of = match shared {
                Some(shared) => {
                    let first = &made.candidates[shared[0]].name;
                    format!("{}, on the filesystem of {first}", candidate.name)
                }
                None => format!("{}, {when}", candidate.name),
            };
            let mut own = of_candidate(of, candidate, index, wanted, &mount_point);
            if shared.is_some() {
                own = settings_alone(own, candidate, wanted);
            }
            all.push(own);
        }
    }
    all
}

fn once(parent: &RawPath, wanted: &[Wanted]) -> Commands {
    let mut taken: Vec<Step> = vec![steps::make_mount_points(0, RUN, parent)];
    let names: Vec<String> =
        wanted.iter().flat_map(|w| w.target.kernel_names.iter().cloned()).collect();
    if host::udev_runs() && !names.is_empty() {
        taken.push(udev_rule::add(0, RUN, &names));
    }
    let mut last = Vec::new();
    for (index, wanted) in wanted.iter().enumerate() {
        let device = device(index, wanted);
        taken.push(if by_mapper(wanted) {
            steps::map_region(0, RUN, index as u16, &wanted.target.path, wanted.span)
        } else {
            let sector = wanted.target.sector_bytes;
            steps::attach_region(0, &wanted.target.path, wanted.span, sector)
        });
        taken.push(steps::overwrite(0, &device, wanted.span.size_bytes, true));
        let parts = if wanted.parts > 1 { wanted.parts } else { 0 };
        taken.extend((0..parts).map(|part| attach_part(index, part, wanted)));
        last.push(describe(&steps::wipe(0, &device).action));
    }
    // What the processor alone reaches, where there is time for it.
    taken.push(ceilings::memory_scratch(0, RUN));
    let is_by_loop = wanted.iter().any(|wanted| !by_mapper(wanted));
    let stand_ins = std::iter::once(StandIn::Run).chain(is_by_loop.then_some(StandIn::Loop));
    let mut commands = as_commands("Once".to_string(), &taken, stand_ins);
    commands.undo.splice(0..0, last);
    commands
}

fn attach_part(index: usize, part: u16, wanted: &Wanted) -> Step {
    let (path, span) = (&wanted.target.path, wanted.part(part));
    let number = (index * scratch::MOST_STANDS) as u16 + part;
    if by_mapper(wanted) {
        steps::map_region(0, RUN, number, path, span)
    } else {
        steps::attach_region(0, path, span, wanted.target.sector_bytes)
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
        return as_commands(of, &[], []);
    };
    let device = device(index, wanted);
    let named = wanted.target.knob_disk();
    let is_by_loop = !by_mapper(wanted) || named.is_none();
    let knob_disk = named.unwrap_or_else(|| StandIn::Loop.word().to_string());
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
    let settings = visit::settings(stack, &knob_disk, &policies, &setting);
    let stand_ins = [
        Some(StandIn::Run),
        is_by_loop.then_some(StandIn::Loop),
        settings.has_unknown.then_some(StandIn::Before),
    ];
    let mut taken = settings.steps;
    taken.extend(visit::made(&candidate.name, stack, &target_set).steps);
    as_commands(of, &taken, stand_ins.into_iter().flatten())
}

/// Of the commands of a candidate those that change settings: they come first, and are undone last.
fn settings_alone(all: Commands, candidate: &Candidate, wanted: &Wanted) -> Commands {
    let Kind::Stack(stack) = &candidate.kind else { return all };
    let disk = wanted.target.knob_disk().unwrap_or_else(|| StandIn::Loop.word().to_string());
    let setting = |path: &RawPath| host::setting(path.as_path());
    let own = visit::settings(stack, &disk, &host::cpufreq_policies(), &setting).steps;
    let undone_of_them = own.iter().filter(|step| step.undo.is_some()).count();
    let before = all.undo.len().saturating_sub(undone_of_them);
    Commands {
        run: all.run.into_iter().take(own.len()).collect(),
        undo: all.undo.into_iter().skip(before).collect(),
        ..all
    }
}

fn undone(step: &Step) -> Option<String> {
    step.undo.as_ref().map(|undo| describe_undo(undo, RUN, step.step))
}

fn as_commands(
    of: String,
    taken: &[Step],
    stand_ins: impl IntoIterator<Item = StandIn>,
) -> Commands {
    Commands {
        of,
        run: taken.iter().map(|step| describe(&step.action)).collect(),
        undo: taken.iter().rev().filter_map(undone).collect(),
        stand_ins: stand_ins.into_iter().collect(),
    }
}

fn by_mapper(wanted: &Wanted) -> bool {
    !wanted.target.is_image && host::dm_runs()
}

fn device(index: usize, wanted: &Wanted) -> RawPath {
    if by_mapper(wanted) {
        RawPath::new(PathBuf::from("/dev/mapper").join(steps::region_mapper(RUN, index as u16)))
    } else {
        loop_device()
    }
}

fn loop_device() -> RawPath {
    RawPath::new(PathBuf::from("/dev").join(StandIn::Loop.word()))
}
