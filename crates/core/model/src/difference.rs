//! In what runs differ, and which part of that may differ where runs are compared.

use serde::Serialize;
use std::fmt;
use strum::{IntoStaticStr, VariantArray};

use bakeoff_stats::distinct;
use bakeoff_stats::phrases;

/// What may differ between runs that are compared, one thing at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Factor {
    /// The machine: board, CPU, memory, settings. Another board has a kernel and drives of its own.
    Board,
    Device,
    Kernel,
}

impl Factor {
    pub const ALL: &'static [Factor] = <Factor as VariantArray>::VARIANTS;

    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether a difference that belongs to `other` may exist between runs compared across this.
    pub fn admits(self, other: Option<Factor>) -> bool {
        other == Some(self) || self == Factor::Board && other.is_some()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Respect {
    Filesystem,
    Driver,
    Device,
    Position,
    Link,
    Encryption,
    LoopDevice,
    MountOptions,
}

impl Respect {
    pub fn label(self) -> &'static str {
        match self {
            Respect::Filesystem => "filesystem",
            Respect::Driver => "driver",
            Respect::Device => "device",
            Respect::Position => "position on the drive",
            Respect::Link => "link",
            Respect::Encryption => "encryption",
            Respect::LoopDevice => "loop device",
            Respect::MountOptions => "mount options",
        }
    }
}

/// One thing that is not the same in all runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Which, printable: `kernel`, `memory`, `serial number`, ….
    pub what: String,
    /// The factor it belongs to; `None` = it may never differ.
    pub factor: Option<Factor>,
    #[serde(skip)]
    pub is_identity: bool,
    /// What it is in each run, in the order of the runs, printable and rounded as it is shown, so
    /// that what reads alike is no difference; empty where it is not known.
    pub values: Vec<String>,
}

impl Difference {
    pub fn new(what: impl Into<String>, factor: Option<Factor>, values: Vec<String>) -> Difference {
        Difference { what: what.into(), factor, is_identity: false, values }
    }
}

/// With each value once: `kernel (6.6.1 and 6.12.1)`.
impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |value: &String| {
            if value.is_empty() { "not recorded".to_string() } else { value.clone() }
        };
        let values = distinct::in_order(self.values.iter().map(shown));
        write!(out, "{} ({})", self.what, phrases::list(&values))
    }
}
