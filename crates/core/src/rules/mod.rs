//! Rules that say what a number or a claim may not be taken for.
//!
//! A rule is one file with the name of its slug. It looks at the places and stacks before the start
//! ([`plan`]), at a whole run ([`run`]) or at what others measured ([`result`], [`study`]); those
//! over one cell are in [`crate::evidence::cell`], because they say which cells count. Each check
//! is a pure function that returns findings with their evidence in numbers.

pub mod asked;
pub(crate) mod control;
mod imported;
pub mod limit;
pub mod place;
mod plan;
pub mod published;
pub mod run;
pub mod unlike_promises;

use std::collections::BTreeMap;

use crate::evidence::{Rule, cell};
use crate::model::design::Design;
use crate::model::finding::Finding;
use crate::model::host::Host;
use crate::model::verb::Verb;

pub use crate::model::host::SystemDisk;
pub use imported::{result, study};
pub use plan::plan;

#[cfg(test)]
pub(crate) mod tests;

fn all_rules() -> impl Iterator<Item = &'static Rule> {
    let groups: [&[&Rule]; 4] = [&place::RULES, &asked::RULES, &cell::RULES, &published::RULES];
    groups.into_iter().flatten().copied().chain(run::rules())
}

pub fn all() -> Vec<&'static Rule> {
    let mut all: Vec<&Rule> = all_rules().collect();
    all.sort_by_key(|rule| rule.id);
    all
}

/// The paragraph about a rule, by id or slug in any case.
pub fn explain(name: &str) -> Option<&'static Rule> {
    let is_it = |word: &str| word.eq_ignore_ascii_case(name);
    all_rules().find(|rule| is_it(rule.id) || is_it(rule.slug))
}

/// What can be said of a plan before any drive is known: it is put on one of which nothing is,
/// where everything is supported. `job_files` has the texts of those it names.
///
/// # Errors
/// What keeps it from being put on any.
pub fn of_plan(
    plan: &crate::plan::Plan,
    job_files: &BTreeMap<String, String>,
) -> Result<Vec<Finding>, String> {
    let here = crate::plan::Here { supports: &|_, _| Ok(()), job_files };
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
    };
    Ok(plan::plan(design, &[]))
}
