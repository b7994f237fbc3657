//! What the log of the kernel says went wrong with storage or the supply.

use serde::{Deserialize, Serialize};

/// What a message says went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogProblem {
    Reset,
    Timeout,
    /// Bytes could not be read or written.
    IoError,
    /// A filesystem reported damage or went read-only.
    Filesystem,
    /// The supply's voltage is too low.
    Voltage,
}

impl LogProblem {
    pub fn label(self) -> &'static str {
        match self {
            LogProblem::Reset => "a reset",
            LogProblem::Timeout => "a timeout",
            LogProblem::IoError => "an I/O error",
            LogProblem::Filesystem => "a filesystem error",
            LogProblem::Voltage => "low voltage",
        }
    }

    pub fn spoils(self) -> bool {
        self != LogProblem::Voltage
    }
}
