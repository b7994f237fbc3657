//! Rules that can be known before the first block, applied to a header.

use super::place::places;
use crate::evidence::finding;
use crate::evidence::observation::Observation;
use crate::evidence::rule::{Check, Rule, checks};
use crate::model::candidate::Stack;
use crate::model::event::{Header, Region};
use crate::model::finding::Finding;
use crate::model::host::{Host, Place, SystemDisk};
use crate::model::verb::Verb;
use crate::model::workload::Workload;

/// Everything that can be said before the start. What follows from the header alone is found again
/// by every analysis; what needs `system` (L10) has to be recorded.
pub fn plan(header: &Header, system: &[SystemDisk]) -> Vec<Finding> {
    let stacks: Vec<(&str, &Stack)> = header.stacks().collect();
    let mut all = found(|_, check| {
        let Check::Header(check) = check else { return None };
        check(header)
    });
    all.extend(header.regions().flat_map(|region| of_region(header, region)));
    all.extend(places(header).into_iter().flat_map(|of| of_place(header, of, system)));
    let own = header.workloads.iter().filter(|w| w.profile.is_none());
    all.extend(own.flat_map(|workload| of_workload(header, workload)));
    all.extend(found(|_, check| {
        let Check::Stacks(check) = check else { return None };
        check(header, &stacks)
    }));
    all.extend(stacks.iter().flat_map(|stack| of_stack(header, stack)));
    all
}

/// What the checks of all rules find, by the ids of the rules.
fn found(ask: impl Fn(&Rule, &Check) -> Option<Finding>) -> Vec<Finding> {
    checks(super::all().into_iter()).filter_map(|(rule, check)| ask(rule, check)).collect()
}

fn of_region(header: &Header, region: &Region) -> Vec<Finding> {
    found(|_, check| {
        let Check::Region(check) = check else { return None };
        check(header, region)
    })
}

fn of_place(
    header: &Header,
    (candidate, place): (Option<&str>, &Place),
    system: &[SystemDisk],
) -> Vec<Finding> {
    let about = |found| Finding { candidate: candidate.map(str::to_string), ..found };
    let of_check = |check: &Check| {
        if let Check::System(check) = check {
            return check(header, place, system);
        }
        let Check::Place(check) = check else { return None };
        check(header, place)
    };
    found(|_, check| of_check(check).map(about))
}

fn of_workload(header: &Header, workload: &Workload) -> Vec<Finding> {
    let observation = Observation::of_workload(header, workload);
    let about = |found| Finding { workload: Some(workload.name.clone()), ..found };
    let of_check = |rule: &Rule, check: &Check| {
        if let Check::Workload(check) = check {
            return check(header, workload);
        }
        let seen = check.observed(&observation)?;
        Some(finding(header, rule, seen.evidence, seen.advice))
    };
    found(|rule, check| of_check(rule, check).map(about))
}

fn of_stack(header: &Header, (name, stack): &(&str, &Stack)) -> Vec<Finding> {
    let about = |found| Finding { candidate: Some((*name).to_string()), ..found };
    found(|_, check| {
        let Check::Stack(check) = check else { return None };
        check(header, stack).map(about)
    })
}

/// A plan as the header of a run on a drive of which nothing is known.
pub(super) fn header(plan: &crate::plan::Plan, expanded: crate::plan::Expanded) -> Header {
    Header {
        schema: "bakeoff/run/1".to_string(),
        run: "0000000000000000".to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        verb: Verb::Run,
        title: plan.title.clone(),
        command: Vec::new(),
        seed: 0,
        protocol: expanded.protocol,
        candidates: expanded.candidates,
        workloads: expanded.workloads,
        skipped: expanded.skipped,
        dropped_workloads: expanded.dropped_workloads,
        host: Host::default(),
        region: None,
        more_regions: Vec::new(),
        plan: Some(plan.text.clone()),
        expected_write_bytes: 0,
        file_bytes: expanded.file_bytes,
    }
}
