//! What of a plan is left out on a machine and its devices, and why. The words are in
//! [`crate::report::left_out`].

use thiserror::Error;

use crate::setup::lacking::Lacking;
use crate::tools::foreign::Unsupported;

/// A stack of a plan that is no candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct SkippedStack {
    /// The name it would have.
    pub name: String,
    /// Why.
    pub why: NoCandidate,
}

/// Why a stack is no candidate.
#[derive(Clone, Debug, PartialEq)]
pub enum NoCandidate {
    /// An earlier one has the same name, and is the same.
    Duplicate,
    /// It cannot be made, by none of the recipes for it: why for each.
    Impossible(Vec<NoRecipe>),
}

/// Why a recipe cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub enum NoRecipe {
    /// The region is too small for it.
    Small {
        /// The recipe's name.
        recipe: &'static str,
        /// Smallest region.
        needed_bytes: u64,
        /// The region that there is.
        region_bytes: u64,
    },
    /// The machine lacks something.
    Lacking(Lacking),
}

/// A workload of a plan that is not measured.
#[derive(Clone, Debug, PartialEq)]
pub struct DroppedWorkload {
    /// Its name.
    pub name: String,
    /// Why.
    pub why: CannotRun,
}

/// Why the tool that is to run a workload cannot.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CannotRun {
    /// It is another tool than fio, and the workload is a job file.
    #[error("only fio runs fio job files: driver = \"fio\"")]
    JobFile,
    /// It has no words for the workload.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// It cannot be used on this machine, in the words of the error.
    #[error("{0}")]
    NoTool(String),
}
