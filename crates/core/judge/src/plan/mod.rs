//! Plans: a comparison declared in TOML, and the candidates and workloads it stands for.
//!
//! [`parse`] reads a plan strictly: an unknown key, a wrong value or a combination that cannot be
//! is refused with its place and the word that would have been right. [`expand`] puts it on
//! devices. Neither looks at the system: what is supported here is asked of the caller.

mod axes;
mod beside;
mod beside_tables;
pub mod budget;
pub mod builtin;
mod document;
mod error;
mod exclude;
mod expand;
mod from_tables;
mod job_words;
mod made;
mod names;
mod protocol;
mod read;
mod stack;
#[cfg(test)]
mod tests;
mod uses;
mod workload;

use toml::de::DeTable;

pub use beside::companion;
pub use beside_tables::{BesideTables, beside_tables};
pub use builtin::{BUILT_IN, BuiltIn, built_in, did_you_mean};
pub use document::{MOST_CASES, Plan, PlanAxis};
pub use error::{PlanError, PlanProblem, PlanSpot};
pub use expand::{Expanded, PlanMachine, Target, expand};
pub use protocol::{ProtocolRequest, RegionRequest};
pub use read::NAME_CHARS;
pub use stack::PlannedStack;
pub use workload::{Basis, PlannedWorkload};

use read::Source;

pub const TEXT_MAX_BYTES: usize = 1 << 20;

/// Reads a plan. `name` is what errors call it: its file, or a built-in plan's name.
///
/// # Errors
/// The first mistake, with its place.
pub fn parse(text: &str, name: &str) -> Result<Plan, PlanError> {
    let source = Source { plan: name, text };
    if text.len() > TEXT_MAX_BYTES {
        let what = "a plan has at most 1 MiB, and this file is larger";
        return Err(source.whole(what));
    }
    let document = DeTable::parse(text).map_err(|error| {
        let what = bakeoff_model::path::printable(error.message().as_bytes());
        match error.span() {
            Some(span) => source.error(span, what),
            None => source.whole(what),
        }
    })?;
    from_tables::plan(source, document.get_ref())
}
