//! What may differ between runs that are compared, one thing at a time.

use serde::Serialize;
use strum::{IntoStaticStr, VariantArray};

/// A factor of a comparison between runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Factor {
    /// The machine: board, CPU, memory, settings.
    Host,
    /// The drive with its link and the place on it.
    Device,
    /// The kernel.
    Kernel,
    /// Nothing but when it was measured.
    Time,
}

impl Factor {
    /// All, in the order help lists them.
    pub const ALL: &'static [Factor] = <Factor as VariantArray>::VARIANTS;

    /// The word of `--across`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// One thing that is not the same in all runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// `kernel`, `memory`, `serial number`, ….
    pub what: String,
    /// The factor it belongs to; `None` = it may never differ.
    pub factor: Option<Factor>,
    /// What it is in each run, in the order of the runs; empty where it is not known.
    pub values: Vec<String>,
}

impl Difference {
    /// In words: `kernel (6.6.1 and 6.12.1)`.
    pub fn label(&self) -> String {
        let mut seen: Vec<String> = Vec::new();
        for value in &self.values {
            let value = if value.is_empty() { "not recorded" } else { value };
            if !seen.iter().any(|known| known == value) {
                seen.push(value.to_string());
            }
        }
        format!("{} ({})", self.what, crate::phrases::list(&seen))
    }
}
