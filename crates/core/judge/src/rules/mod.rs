//! Rules that say what a number or a claim may not be taken for.
//!
//! A rule is one file with the name of its slug. It looks at a design before it is measured
//! ([`plan`]), at a whole run ([`run`]) or at an observation: a workload that is asked for, or what
//! others measured ([`result`]); those over one cell are in [`crate::evidence::cell`], because they
//! say which cells count. Each check is a pure function that returns what it found, with its
//! evidence in numbers.

pub mod asked;
pub mod control;
pub mod limit;
pub mod place;
pub mod run;
pub mod runs;
pub mod unlike_promises;

use crate::evidence::cell;
use crate::evidence::observation::{Observation, Observing};
use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;
use bakeoff_model::finding::Finding;
use bakeoff_model::host::Host;
use bakeoff_model::verb::Verb;
use bakeoff_tools::scan::ToolResult;

pub use bakeoff_model::host::SystemDisk;

#[cfg(test)]
pub mod tests;

fn of_observations() -> impl Iterator<Item = &'static (&'static str, Observing)> {
    [cell::CHECKS, asked::OF_WORKLOADS].into_iter().flatten()
}

/// Everything that can be said before the start. What follows from the design alone is found again
/// by every analysis; what needs `system` (L10) has to be recorded.
pub fn plan<'a>(design: impl Into<Design<'a>>, system: &'a [SystemDisk]) -> Vec<Finding> {
    let design = Design { system, ..design.into() };
    let checks = [place::CHECKS, asked::CHECKS].into_iter().flatten();
    let own = checks
        .flat_map(|(rule, check)| check(design).into_iter().map(|hit| hit.finding(design, rule)));
    let workloads = design.workloads.iter().filter(|w| w.profile.is_none());
    own.chain(workloads.flat_map(|workload| {
        observed(&Observation::of_workload(workload)).into_iter().map(|(rule, hit)| Finding {
            workload: Some(workload.name.clone()),
            ..hit.finding(design, rule)
        })
    }))
    .collect()
}

/// What limits a result of another tool, as far as its own figures and command line show it; by id.
/// What nobody stated is no evidence.
pub fn result(result: &ToolResult) -> Vec<Finding> {
    let found = observed(&Observation::of_result(result)).into_iter();
    let mut found: Vec<Finding> = found.map(|(rule, hit)| hit.of_result(rule)).collect();
    found.sort_by(|a, b| a.id.cmp(&b.id));
    found
}

fn observed(observation: &Observation) -> Vec<(&'static str, Hit)> {
    of_observations().filter_map(|(rule, check)| Some((*rule, check(observation)?))).collect()
}

/// What can be said of a plan before any drive is known: it is put on one of which nothing is,
/// where everything is supported.
///
/// # Errors
/// What keeps it from being put on any.
pub fn of_plan(plan: &crate::plan::Plan) -> Result<Vec<Finding>, String> {
    let here = crate::plan::PlanMachine { supports: &|_, _| Ok(()) };
    let expanded = crate::plan::expand(plan, &[], &here)?;
    let design = Design {
        verb: &Verb::Run,
        title: &plan.title,
        plan: Some(&plan.text),
        protocol: &expanded.protocol,
        candidates: &expanded.candidates,
        workloads: &expanded.workloads,
        host: &Host::default(),
        region: None,
        more_regions: &[],
        expected_write_bytes: 0,
        system: &[],
    };
    Ok(self::plan(design, &[]))
}
