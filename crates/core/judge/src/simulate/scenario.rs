//! One question to the decision machinery.

use super::disk::Disk;
use bakeoff_model::protocol::Mode;

#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    pub name: String,
    pub disk: Disk,
    pub mode: Mode,
    pub workloads: usize,
    /// Looks other than the mode's.
    pub looks: Option<Vec<u32>>,
}

impl Scenario {
    /// In mode decide with one workload.
    pub fn new(name: impl Into<String>, disk: Disk) -> Scenario {
        Scenario { name: name.into(), disk, mode: Mode::Decide, workloads: 1, looks: None }
    }
}
