//! What a run reached: one level for each workload and candidate, without its cells. It is all that
//! another run is compared by ([`crate::gate`]), and all that a line to paste carries ([`line`]),
//! so that the two are compared in one way.
//!
//! There is nothing private in [`public_levels`]: no serial numbers and host names, and directories
//! are named by their filesystem and their order.

mod base64;
mod from_run;
pub mod line;
pub mod side_by_side;
mod sound;
mod wire;

use bakeoff_model::difference::{Difference, Factor};
use bakeoff_model::normal::{Medium, Test};
use bakeoff_model::verdict::Verdict;
use bakeoff_model::workload::Metric;
use bakeoff_model::workloads;
use bakeoff_stats::distinct;
use bakeoff_stats::level::Level;
pub use from_run::{levels, public_levels, public_names, without_paths};

#[derive(Clone, Debug, PartialEq)]
pub struct RunLevels {
    /// First eight digits of the run ID.
    pub short: String,
    pub version: String,
    /// Days since 1970, UTC.
    pub day: u32,
    pub elapsed_s: u32,
    pub mode: String,
    pub board: String,
    pub kernel: String,
    pub drives: Vec<LevelDrive>,
    pub candidates: Vec<LevelCandidate>,
    pub workloads: Vec<WorkloadLevels>,
    /// Candidates for which the line had no space.
    pub left_out: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelDrive {
    /// How it is connected, such as `mmc` or `nvme`; `disk` where that is not known.
    pub class: String,
    pub model: String,
    pub size_mb: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelCandidate {
    pub name: String,
    pub filesystem: String,
    pub is_encrypted: bool,
    /// Position among the drives.
    pub drive: Option<usize>,
    /// The kind of storage; `None` where it cannot be told, and in lines of earlier versions.
    pub medium: Option<Medium>,
    /// The link of its drive by its key in `data/links.csv`; `None` as for the kind.
    pub link: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadLevels {
    pub name: String,
    pub metric: Metric,
    /// First four bytes of the SHA-256 of what it does, its size and seed left out.
    pub definition: u32,
    pub size_kib: u64,
    /// What the run said; `None` where nothing was compared.
    pub verdict: Option<Verdict>,
    /// Position among the candidates of the leader.
    pub leader: Option<usize>,
    /// Whether a finding of the run forbids claims about this workload.
    pub is_forbidden: bool,
    /// One for each candidate: scores ([`Metric::to_score`]), of which more is better.
    pub levels: Vec<Option<Level>>,
}

impl RunLevels {
    pub fn level(&self, workload: &str, candidate: &str) -> Option<Level> {
        let at = self.candidates.iter().position(|c| c.name == candidate)?;
        self.workload(workload)?.levels.get(at).copied().flatten()
    }

    pub fn workload(&self, name: &str) -> Option<&WorkloadLevels> {
        self.workloads.iter().find(|workload| workload.name == name)
    }

    /// Vendor, model and size of each drive: `SD32G 32 GB`.
    pub fn drive_names(&self) -> Vec<String> {
        self.drives.iter().map(LevelDrive::name).collect()
    }
}

impl WorkloadLevels {
    /// The usual figure that this is: the name alone could be that of a plan's own workload.
    pub fn test(&self) -> Option<Test> {
        let test: Test = self.name.parse().ok()?;
        let built_in = workloads::find(test.workload()).ok()?;
        (from_run::definition(&built_in) == self.definition).then_some(test)
    }
}

impl LevelDrive {
    pub fn name(&self) -> String {
        let size = bakeoff_stats::units::size_decimal(self.size_mb.saturating_mul(1_000_000));
        format!("{} {size}", self.model).trim().to_string()
    }
}

/// In what runs differ as far as their levels say: what a line carries is less than a record.
pub fn differences(runs: &[&RunLevels]) -> Vec<Difference> {
    let aspect = |what: &str, factor, value: &dyn Fn(&RunLevels) -> String| {
        let values: Vec<String> = runs.iter().map(|run| value(run)).collect();
        let is_same = values.iter().all(|value| *value == values[0]);
        (!is_same).then(|| Difference::new(what, factor, values))
    };
    let mut all = vec![
        aspect("board", Some(Factor::Board), &|run| run.board.clone()),
        aspect("kernel", Some(Factor::Kernel), &|run| run.kernel.clone()),
        aspect("drive", Some(Factor::Device), &|run| run.drive_names().join(", ")),
        aspect("mode", None, &|run| run.mode.clone()),
    ];
    let names = runs.iter().flat_map(|run| &run.workloads).map(|workload| workload.name.as_str());
    for name in distinct::in_order(names) {
        let of: Option<Vec<&WorkloadLevels>> = runs.iter().map(|run| run.workload(name)).collect();
        let Some(of) = of else { continue };
        if of.iter().any(|workload| workload.definition != of[0].definition) {
            let values = of.iter().map(|w| format!("{:08x}", w.definition)).collect();
            all.push(Some(Difference::new(format!("definition of {name}"), None, values)));
        }
    }
    all.into_iter().flatten().collect()
}
