//! Runs beside each other: do they give the same answer?
//!
//! What is decided here is decided inside runs, block by block, where what the session did to all
//! candidates cancels: a winner that stands in every run, at an alpha divided by the number of
//! runs, stands across them. Figures of different runs were never measured side by side; their
//! ratio is an observation, whatever its size. Runs that differ in anything but the one factor the
//! user named are not ranked at all.

pub mod answer;
pub mod differences;
pub mod figures;
pub mod part;

use serde::Serialize;

use crate::analyse::scope;
use crate::rules::runs;
use answer::Answer;
use bakeoff_model::difference::{Difference, Factor};
use bakeoff_model::event::SHORT_ID;
use bakeoff_model::finding::Finding;
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;
use differences::LeftOut;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    pub runs: Vec<ComparedRun>,
    pub across: Option<Factor>,
    pub is_alike: bool,
    pub differences: Vec<Difference>,
    /// Sizes of files that differ so little that rates are compared all the same.
    pub sizes: Vec<Difference>,
    #[serde(skip)]
    pub left_out: Vec<LeftOut>,
    pub answers: Vec<Answer>,
    pub findings: Vec<Finding>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ComparedRun {
    pub run: String,
    pub short: String,
    pub title: String,
    /// When it began, nanoseconds since 1970.
    pub started_unix_ns: i64,
    pub conditions: String,
    pub blocks: u32,
    pub mode: &'static str,
    pub version: String,
}

/// Compares runs; `across` names what may differ.
pub fn compare(runs: &[(Run, Analysis)], across: Option<Factor>) -> Compared {
    let only: Vec<&Run> = runs.iter().map(|(run, _)| run).collect();
    let labels = labels(runs);
    let differences = differences::differences(&only);
    let unlike = unlike(&differences, across);
    let is_alike = unlike.is_empty();
    let mut findings = Vec::from_iter(unlike_findings(&only, &unlike));
    findings.extend(runs::tool_versions(&only));
    let shorts: Vec<&str> = labels.iter().map(|run| run.short.as_str()).collect();
    let answers = answer::all(runs, &shorts, is_alike);
    let left_out = differences::left_out(&only);
    let sizes = differences::near_sizes(&only);
    Compared { runs: labels, across, is_alike, differences, sizes, left_out, answers, findings }
}

impl Compared {
    pub fn is_answered(&self) -> bool {
        !self.answers.is_empty() && self.answers.iter().all(|a| a.verdict.is_answer())
    }

    pub fn unlike(&self) -> Vec<&Difference> {
        unlike(&self.differences, self.across)
    }
}

fn unlike(differences: &[Difference], across: Option<Factor>) -> Vec<&Difference> {
    differences.iter().filter(|d| !across.is_some_and(|of| of.admits(d.factor))).collect()
}

fn labels(runs: &[(Run, Analysis)]) -> Vec<ComparedRun> {
    let ids: Vec<&str> = runs.iter().map(|(run, _)| run.header.run.as_str()).collect();
    let is_unique = |digits: usize| {
        let cut = |id: &&str| id.chars().take(digits).collect::<String>();
        let mut short: Vec<String> = ids.iter().map(cut).collect();
        short.sort_unstable();
        short.windows(2).all(|pair| pair[0] != pair[1])
    };
    let digits = (SHORT_ID..16).find(|digits| is_unique(*digits)).unwrap_or(16);
    let label = |(run, analysis): &(Run, Analysis)| ComparedRun {
        run: sanitize(&run.header.run),
        short: sanitize(&run.header.run.chars().take(digits).collect::<String>()),
        title: sanitize(&run.header.title),
        started_unix_ns: run.started_unix_ns,
        conditions: scope::conditions(&run.header),
        blocks: analysis.blocks,
        mode: run.header.protocol.mode.name(),
        version: sanitize(&run.header.version),
    };
    runs.iter().map(label).collect()
}

fn unlike_findings(runs: &[&Run], unlike: &[&Difference]) -> Option<Finding> {
    let first = runs.first().filter(|_| !unlike.is_empty())?;
    Some(runs::runs_differ(&first.header, unlike))
}
