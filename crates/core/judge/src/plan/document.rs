//! A plan as its TOML declares it.

use serde::Serialize;

use super::protocol::{ProtocolRequest, RegionRequest};
use super::stack::PlannedStack;
use super::workload::PlannedWorkload;
use bakeoff_model::candidate::Knobs;

/// Most cases (candidates x workloads) before anything is left out.
pub const MOST_CASES: u64 = 100_000;

/// A comparison as its TOML declares it.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub name: String,
    pub text: String,
    pub title: String,
    pub region: RegionRequest,
    pub protocol: ProtocolRequest,
    pub stacks: Vec<PlannedStack>,
    pub workloads: Vec<PlannedWorkload>,
    pub axes: Vec<PlanAxis>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlanAxis {
    pub table: &'static str,
    pub key: &'static str,
    pub values: Vec<String>,
}

impl Plan {
    /// Filesystems that stand on one target: stacks that differ in settings alone share one.
    pub fn filesystems(&self) -> u64 {
        let bare = |stack: &PlannedStack| PlannedStack {
            name: None,
            table: 0,
            knobs: Knobs::default(),
            ..stack.clone()
        };
        let mut all: Vec<(PlannedStack, &Knobs)> = Vec::new();
        for stack in &self.stacks {
            let known = all.iter().any(|(of, knobs)| *of == bare(stack) && *knobs != &stack.knobs);
            if !known {
                all.push((bare(stack), &stack.knobs));
            }
        }
        all.len().max(1) as u64
    }
}
