//! Rules that can be known before the first block, applied to a header.

use super::place::places;
use crate::evidence::finding;
use crate::evidence::observation::Observation;
use crate::evidence::rule::{Check, Rule, checks};
use crate::model::candidate::{Kind, Stack};
use crate::model::event::{Header, Region};
use crate::model::finding::Finding;
use crate::model::host::{Host, Place, SystemDisk};
use crate::model::workload::Workload;

/// Everything that can be said before the start. What follows from the header alone is found again
/// by every analysis; what needs `system` (L10) has to be recorded.
pub fn plan(header: &Header, system: &[SystemDisk]) -> Vec<Finding> {
    let stacks: Vec<(&str, &Stack)> = header
        .candidates
        .iter()
        .filter_map(|c| match &c.kind {
            Kind::Stack(stack) => Some((c.name.as_str(), stack)),
            Kind::Directory { .. } => None,
        })
        .collect();
    let mut all = found(|_, check| match check {
        Check::Header(check) => check(header),
        _ => None,
    });
    all.extend(header.regions().flat_map(|region| of_region(header, region)));
    all.extend(places(header).into_iter().flat_map(|of| of_place(header, of, system)));
    let own = header.workloads.iter().filter(|w| w.profile.is_none());
    all.extend(own.flat_map(|workload| of_workload(header, workload)));
    all.extend(found(|_, check| match check {
        Check::Stacks(check) => check(header, &stacks),
        _ => None,
    }));
    all.extend(stacks.iter().flat_map(|stack| of_stack(header, stack)));
    all
}

/// What the checks of all rules find, by the ids of the rules.
fn found(ask: impl Fn(&Rule, &Check) -> Option<Finding>) -> Vec<Finding> {
    checks(super::all().into_iter()).filter_map(|(rule, check)| ask(rule, check)).collect()
}

fn of_region(header: &Header, region: &Region) -> Vec<Finding> {
    found(|_, check| match check {
        Check::Region(check) => check(header, region),
        _ => None,
    })
}

fn of_place(
    header: &Header,
    (candidate, place): (Option<&str>, &Place),
    system: &[SystemDisk],
) -> Vec<Finding> {
    let about = |found| Finding { candidate: candidate.map(str::to_string), ..found };
    found(|_, check| match check {
        Check::Place(check) => check(header, place).map(about),
        Check::System(check) => check(header, place, system).map(about),
        _ => None,
    })
}

fn of_workload(header: &Header, workload: &Workload) -> Vec<Finding> {
    let observation = Observation::of_workload(header, workload);
    let about = |found| Finding { workload: Some(workload.name.clone()), ..found };
    found(|rule, check| match check {
        Check::Workload(check) => check(header, workload).map(about),
        Check::Observed(check) => {
            check(&observation).map(|seen| about(finding(header, rule, seen.evidence, seen.advice)))
        }
        _ => None,
    })
}

fn of_stack(header: &Header, (name, stack): &(&str, &Stack)) -> Vec<Finding> {
    found(|_, check| match check {
        Check::Stack(check) => check(header, stack)
            .map(|found| Finding { candidate: Some((*name).to_string()), ..found }),
        _ => None,
    })
}

/// A plan as the header of a run on a disk of which nothing is known.
pub(super) fn header(plan: &crate::plan::Plan, expanded: crate::plan::Expanded) -> Header {
    Header {
        schema: "bakeoff/run/1".to_string(),
        run: "0000000000000000".to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        verb: "run".to_string(),
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
