//! Rules that say what a number or a claim may not be taken for.
//!
//! A rule looks at the places and stacks before the start ([`plan`]) or at a whole run ([`run`]);
//! those over one cell are in [`crate::evidence`], because they say which cells count. Each is a
//! pure function that returns findings with their evidence in numbers.

pub mod carry_over;
pub mod cause;
pub mod claim;
pub(crate) mod control;
pub mod device;
pub mod disks;
pub mod drift;
pub mod limit;
pub mod outcome;
pub mod pattern;
pub mod plan;
pub mod run;
pub mod series;
pub mod stack;
pub mod wander;

use std::collections::BTreeMap;

use crate::evidence::{about, finding};
use crate::model::event::Header;
use crate::model::finding::Finding;

pub use plan::{SystemDisk, plan};

#[cfg(test)]
mod tests;

/// What can be said of a plan before any device is known: it is put on a disk of which nothing is.
/// `job_files` has the texts of those it names.
///
/// # Errors
/// What keeps it from being put on any.
pub fn of_plan(
    plan: &crate::plan::Plan,
    job_files: &BTreeMap<String, String>,
) -> Result<Vec<Finding>, crate::plan::ExpandError> {
    Ok(plan::plan(&unplaced(plan, job_files)?, &[]))
}

/// The run of a plan on a disk of which nothing is known, where everything is supported.
///
/// # Errors
/// What keeps it from being put on any.
pub fn unplaced(
    plan: &crate::plan::Plan,
    job_files: &BTreeMap<String, String>,
) -> Result<Header, crate::plan::ExpandError> {
    let here = crate::plan::Here { supports: &|_, _| Ok(()), job_files };
    let expanded = crate::plan::expand(plan, &[], &here)?;
    Ok(plan::header(plan, expanded))
}
