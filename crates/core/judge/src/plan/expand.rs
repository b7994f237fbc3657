//! A plan on its devices: candidates and workloads as a run takes them.

use super::document::Plan;
use super::names;
use super::protocol::RegionRequest;
use super::read::NAME_CHARS;
use super::stack::PlannedStack;
use super::workload::{self, Basis, PlannedWorkload};
use bakeoff_machine::prepare::recipe::Recipe;
use bakeoff_machine::setup::lacking::Lacking;
use bakeoff_model::candidate::{Candidate, Kind, Skipped, Stack};
use bakeoff_model::event::FlashState;
use bakeoff_model::index::RegionIx;
use bakeoff_model::protocol::{Mode, Protocol};
use bakeoff_model::run::{MOST_CANDIDATES, MOST_WORKLOADS};
use bakeoff_model::sweep;
use bakeoff_model::workload::Workload;
use bakeoff_stats::units;

/// Most characters that a device takes of a candidate's name.
const SUFFIX_CHARS: usize = 20;

/// A device or image that candidates are put on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Short, unique among the targets: `sda`, `disk.img`.
    pub name: String,
    pub region_bytes: Option<u64>,
}

pub struct PlanMachine<'a> {
    /// Whether a stack can be made on the target of that index (0 where none is named); what is
    /// lacking when not.
    pub supports: &'a dyn Fn(&Stack, usize) -> Result<(), Lacking>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Expanded {
    pub candidates: Vec<Candidate>,
    pub workloads: Vec<Workload>,
    pub region: RegionRequest,
    /// The rules; `k` is the number of candidates.
    pub protocol: Protocol,
    pub flash_state: FlashState,
    pub file_bytes: Option<u64>,
    pub skipped: Vec<Skipped>,
    pub dropped_workloads: Vec<Skipped>,
}

/// Puts a plan on targets; with none, on one that is not known yet.
///
/// # Errors
/// When the devices or profiles make it too large, or names meet.
pub fn expand(plan: &Plan, targets: &[Target], here: &PlanMachine) -> Result<Expanded, String> {
    let asked = plan.stacks.len() * targets.len().max(1);
    if plan.protocol.mode == Mode::Characterise && asked > 1 {
        return Err(format!(
            "mode 'characterise' measures one candidate over time, but this plan has {asked}. Keep \
             one [[stack]] with one value in each of its lists and one --target; or compare them with mode = \"decide\""
        ));
    }
    let mut chosen = ExpandedCandidates::default();
    for region in 0..targets.len().max(1) {
        on_target(plan, targets, region, here, &mut chosen);
    }
    let ExpandedCandidates { candidates, skipped } = chosen;
    let too_many = |what, found, most| {
        format!(
            "the plan expands to {found} {what} on these devices; a run may have at most {most}"
        )
    };
    if candidates.len() > MOST_CANDIDATES {
        return Err(too_many("candidates", candidates.len(), MOST_CANDIDATES));
    }
    let protocol = plan.protocol.protocol(u32::try_from(candidates.len()).unwrap_or(u32::MAX));
    let (workloads, dropped_workloads) = workloads(plan)?;
    if workloads.len() > MOST_WORKLOADS {
        return Err(too_many("workloads", workloads.len(), MOST_WORKLOADS));
    }
    let file_bytes = file_bytes(&workloads);
    Ok(Expanded {
        candidates,
        workloads,
        region: plan.region,
        protocol,
        flash_state: plan.protocol.flash_state,
        file_bytes,
        skipped,
        dropped_workloads,
    })
}

/// The largest size asked for by a workload that uses the data file. Where none uses it, it need
/// not be larger than what the others ask for.
fn file_bytes(workloads: &[Workload]) -> Option<u64> {
    let is_used = workloads.iter().any(Workload::uses_data_file);
    let counts = |w: &&Workload| w.sized && w.uses_data_file() == is_used;
    workloads.iter().filter(counts).map(|w| w.job.size).max()
}

#[derive(Default)]
struct ExpandedCandidates {
    candidates: Vec<Candidate>,
    skipped: Vec<Skipped>,
}

fn on_target(
    plan: &Plan,
    targets: &[Target],
    region: usize,
    here: &PlanMachine,
    chosen: &mut ExpandedCandidates,
) {
    let ExpandedCandidates { candidates, skipped } = chosen;
    let target = targets.get(region);
    let room = target.and_then(|t| t.region_bytes).or(plan.region.size_bytes);
    let suffix = suffix(targets, region);
    let choices: Vec<RecipeChoice> =
        plan.stacks.iter().map(|stack| RecipeChoice::of(stack, region, room, here)).collect();
    let sayable = choices.iter().map(|choice| names::of_stack(choice.stack, choice.recipe));
    let room = NAME_CHARS - suffix.chars().count();
    let names = names::names(&sayable.collect::<Vec<_>>(), room);
    for (choice, name) in choices.into_iter().zip(names) {
        let name = name + &suffix;
        let taken = candidates.iter().any(|c| c.name == name);
        if !choice.tried.is_empty() {
            skipped.push(Skipped::new(name, choice.tried.join("; ")));
        } else if taken {
            let why = "identical to the earlier candidate of that name";
            skipped.push(Skipped::new(name, why));
        } else {
            let kind = Kind::Stack(choice.stack.stack(choice.recipe));
            let region = RegionIx::new(region);
            candidates.push(Candidate { region, ..Candidate::new(name, kind) });
        }
    }
}

/// What a device adds to the names of its candidates, where there are several; room for the rest
/// is left whatever it is called.
fn suffix(targets: &[Target], at: usize) -> String {
    let cut = |t: &Target| format!(" on {}", t.name).chars().take(SUFFIX_CHARS).collect::<String>();
    let own = targets.get(at).map(cut).unwrap_or_default();
    match targets.iter().filter(|other| cut(other) == own).count() {
        _ if targets.len() < 2 => String::new(),
        1 => own,
        _ => format!(" on #{}", at + 1),
    }
}

/// The recipe a stack is made by here, or the first one and why there is none.
struct RecipeChoice<'p> {
    stack: &'p PlannedStack,
    recipe: &'static Recipe,
    /// Why each recipe cannot be used; empty where one can.
    tried: Vec<String>,
}

impl<'p> RecipeChoice<'p> {
    fn of(
        stack: &'p PlannedStack,
        target: usize,
        room: Option<u64>,
        here: &PlanMachine,
    ) -> RecipeChoice<'p> {
        let supports = |recipe: &Recipe| {
            (here.supports)(&stack.stack(recipe), target).map_err(|lacking| lacking.to_string())
        };
        let mut tried = Vec::new();
        let recipes = stack.recipes();
        for recipe in &recipes {
            match fits(recipe, room).and_then(|()| supports(recipe)) {
                Ok(()) => return RecipeChoice { stack, recipe, tried: Vec::new() },
                Err(why) => tried.push(why),
            }
        }
        let recipe =
            recipes.first().copied().unwrap_or(&bakeoff_machine::prepare::recipe::RECIPES[0]);
        RecipeChoice { stack, recipe, tried }
    }
}

fn fits(recipe: &Recipe, room: Option<u64>) -> Result<(), String> {
    let Recipe { name, min_bytes, .. } = *recipe;
    match room.filter(|room| *room < min_bytes) {
        None => Ok(()),
        Some(region_bytes) => Err(format!(
            "{name} needs a region of {}; this one has {}",
            units::size(min_bytes),
            units::size(region_bytes)
        )),
    }
}

fn workloads(plan: &Plan) -> Result<(Vec<Workload>, Vec<Skipped>), String> {
    let sayable = plan.workloads.iter().map(names::of_workload);
    let names = names::names(&sayable.collect::<Vec<_>>(), NAME_CHARS);
    let mut made: Vec<Workload> = Vec::new();
    let mut dropped = Vec::new();
    for (workload, name) in plan.workloads.iter().zip(names) {
        if let Some(why) = workload.unsupported() {
            dropped.push(Skipped::new(name, why));
            continue;
        }
        for one in of_one(workload, &name) {
            if made.iter().any(|other| other.name == one.name) {
                return Err(format!("two workloads are named '{}'; rename one of them", one.name));
            }
            let one = workload.accompanied(one);
            match workload::can(&one) {
                Ok(()) => made.push(one),
                Err(why) => dropped.push(Skipped::new(one.name, why)),
            }
        }
    }
    Ok((in_order_of_worth(made), dropped))
}

/// As the plan has them, but of a long sweep first the values that show its shape: what does not
/// fit into the time is given up from the end.
fn in_order_of_worth(made: Vec<Workload>) -> Vec<Workload> {
    let order = sweep::coarse_first(&made);
    let mut left: Vec<Option<Workload>> = made.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| left[at].take()).collect()
}

fn of_one(planned: &PlannedWorkload, name: &str) -> Vec<Workload> {
    match &planned.basis {
        Basis::Words | Basis::BuiltIn(_) => vec![planned.workload(name)],
        Basis::Profile(_) => planned.parts(name),
    }
}
