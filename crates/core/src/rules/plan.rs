//! Rules that can be known before the first block, applied to a design.

use super::place::places;
use crate::evidence::finding;
use crate::evidence::observation::Observation;
use crate::evidence::rule::{Check, Rule, checks};
use crate::model::candidate::Stack;
use crate::model::design::Design;
use crate::model::event::Region;
use crate::model::finding::Finding;
use crate::model::host::{Place, SystemDisk};
use crate::model::workload::Workload;

/// Everything that can be said before the start. What follows from the design alone is found again
/// by every analysis; what needs `system` (L10) has to be recorded.
pub fn plan<'a>(design: impl Into<Design<'a>>, system: &[SystemDisk]) -> Vec<Finding> {
    let design = design.into();
    let stacks: Vec<(&str, &Stack)> = design.stacks().collect();
    let mut all = found(|_, check| {
        let Check::Design(check) = check else { return None };
        check(design)
    });
    all.extend(design.regions().flat_map(|region| of_region(design, region)));
    all.extend(places(design).into_iter().flat_map(|of| of_place(design, of, system)));
    let own = design.workloads.iter().filter(|w| w.profile.is_none());
    all.extend(own.flat_map(|workload| of_workload(design, workload)));
    all.extend(found(|_, check| {
        let Check::Stacks(check) = check else { return None };
        check(design, &stacks)
    }));
    all.extend(stacks.iter().flat_map(|stack| of_stack(design, stack)));
    all
}

fn found(ask: impl Fn(&Rule, &Check) -> Option<Finding>) -> Vec<Finding> {
    checks(super::all().into_iter()).filter_map(|(rule, check)| ask(rule, check)).collect()
}

fn of_region(design: Design<'_>, region: &Region) -> Vec<Finding> {
    found(|_, check| {
        let Check::Region(check) = check else { return None };
        check(design, region)
    })
}

fn of_place(
    design: Design<'_>,
    (candidate, place): (Option<&str>, &Place),
    system: &[SystemDisk],
) -> Vec<Finding> {
    let about = |found| Finding { candidate: candidate.map(str::to_string), ..found };
    let of_check = |check: &Check| {
        if let Check::System(check) = check {
            return check(design, place, system);
        }
        let Check::Place(check) = check else { return None };
        check(design, place)
    };
    found(|_, check| of_check(check).map(about))
}

fn of_workload(design: Design<'_>, workload: &Workload) -> Vec<Finding> {
    let observation = Observation::of_workload(design, workload);
    let about = |found| Finding { workload: Some(workload.name.clone()), ..found };
    let of_check = |rule: &Rule, check: &Check| {
        if let Check::Workload(check) = check {
            return check(design, workload);
        }
        let seen = check.observed(&observation)?;
        Some(finding(design, rule, seen.evidence, seen.advice))
    };
    found(|rule, check| of_check(rule, check).map(about))
}

fn of_stack(design: Design<'_>, (name, stack): &(&str, &Stack)) -> Vec<Finding> {
    let about = |found| Finding { candidate: Some((*name).to_string()), ..found };
    found(|_, check| {
        let Check::Stack(check) = check else { return None };
        check(design, stack).map(about)
    })
}
