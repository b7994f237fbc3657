//! Runs beside each other: do they give the same answer?
//!
//! What is decided here is decided inside runs, block by block, where what the session did to all
//! candidates cancels: a winner that stands in every run, at an alpha divided by the number of
//! runs, stands across them. Figures of different runs were never measured side by side; their
//! ratio is an observation, whatever its size. Runs that differ in anything but the one factor the
//! user named are not ranked at all.

pub mod answer;
pub mod differences;
pub mod factor;
pub mod figures;
mod sentence;
pub mod with_study;

#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::analyse::claim;
use crate::evidence::{Rule, finding};
use crate::model::event::SHORT_ID;
use crate::model::finding::Finding;
use crate::model::path::{printable, sanitize};
use crate::model::run::Run;
use crate::model::verdict::{Analysis, Verdict};
use crate::phrases;
use crate::rules::published::{kernel_mismatch, runs_differ, tool_version};
use answer::Answer;
use factor::{Difference, Factor};

/// Most differences that are named in one sentence.
const NAMED_LIMIT: usize = 4;

/// Runs compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// The runs, in the order they were named.
    pub runs: Vec<OfRun>,
    /// The factor that may differ.
    pub across: Option<Factor>,
    /// Whether nothing else differs, so that something may be said over all runs.
    pub is_alike: bool,
    /// All in which they differ.
    pub differences: Vec<Difference>,
    /// Workloads and candidates that not every run has.
    pub left_out: Vec<String>,
    /// One for each workload that every run has.
    pub answers: Vec<Answer>,
    /// What forbids or limits a claim over these runs.
    pub findings: Vec<Finding>,
    /// The answer over all.
    pub headline: String,
    /// What to type, or to know.
    pub notes: Vec<String>,
}

/// One of the runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OfRun {
    /// Its id.
    pub run: String,
    /// As much of it as tells these runs apart.
    pub short: String,
    /// For people.
    pub title: String,
    /// When it began, nanoseconds since 1970.
    pub started_unix_ns: i64,
    /// Where and on what: region, machine, kernel.
    pub conditions: String,
    /// Complete blocks.
    pub blocks: u32,
    /// Mode.
    pub mode: &'static str,
    /// Version of bakeoff that measured.
    pub version: String,
}

/// Compares runs; `across` names what may differ.
pub fn compare(runs: &[(Run, Analysis)], across: Option<Factor>) -> Compared {
    let only: Vec<&Run> = runs.iter().map(|(run, _)| run).collect();
    let differences = differences::differences(&only);
    let unlike: Vec<&Difference> =
        differences.iter().filter(|d| across.is_none() || d.factor != across).collect();
    let labels = labels(runs);
    let mut findings = unlike_findings(&only, &unlike);
    findings.extend(versions(&only));
    let is_alike = unlike.is_empty();
    let answers = answer::all(runs, &labels, across, is_alike);
    let headline = headline(&labels, across, &differences, &unlike, &answers);
    let notes = notes(&labels, across, &differences, &unlike);
    let left_out = differences::left_out(&only, |at| format!("in {}", labels[at].short));
    Compared {
        runs: labels,
        across,
        is_alike,
        left_out,
        findings,
        headline,
        notes,
        answers,
        differences,
    }
}

impl Compared {
    /// Whether every workload has an answer over all runs.
    pub fn is_answered(&self) -> bool {
        let is_answer = |a: &Answer| matches!(a.verdict, Verdict::Beats | Verdict::Ties);
        !self.answers.is_empty() && self.answers.iter().all(is_answer)
    }
}

fn labels(runs: &[(Run, Analysis)]) -> Vec<OfRun> {
    let ids: Vec<&str> = runs.iter().map(|(run, _)| run.header.run.as_str()).collect();
    let is_unique = |digits: usize| {
        let cut = |id: &&str| id.chars().take(digits).collect::<String>();
        let mut short: Vec<String> = ids.iter().map(cut).collect();
        short.sort_unstable();
        short.windows(2).all(|pair| pair[0] != pair[1])
    };
    let digits = (SHORT_ID..16).find(|digits| is_unique(*digits)).unwrap_or(16);
    let label = |(run, analysis): &(Run, Analysis)| OfRun {
        run: sanitize(&run.header.run),
        short: sanitize(&run.header.run.chars().take(digits).collect::<String>()),
        title: sanitize(&run.header.title),
        started_unix_ns: run.started_unix_ns,
        conditions: claim::conditions(&run.header),
        blocks: analysis.blocks,
        mode: run.header.protocol.mode.name(),
        version: sanitize(&run.header.version),
    };
    runs.iter().map(label).collect()
}

/// The first few in words, and how many more there are: all of them are listed besides.
fn named(differences: &[&Difference]) -> String {
    let mut all: Vec<String> = differences.iter().take(NAMED_LIMIT).map(|d| d.label()).collect();
    match differences.len().saturating_sub(NAMED_LIMIT) {
        0 => {}
        1 => all.push("one more property".to_string()),
        more => all.push(format!("{more} more properties")),
    }
    phrases::list(&all)
}

/// What forbids ranking runs that are not alike.
fn unlike_findings(runs: &[&Run], unlike: &[&Difference]) -> Vec<Finding> {
    let Some(first) = runs.first().filter(|_| !unlike.is_empty()) else { return Vec::new() };
    let of = |rule: &Rule, evidence: String, advice: &str| {
        finding(&first.header, rule, evidence, advice)
    };
    let advice = "measure again with only one change, and specify it with --across";
    let mut all = vec![of(&runs_differ::RULE, named(unlike), advice)];
    if let Some(kernel) = unlike.iter().find(|d| d.factor == Some(Factor::Kernel)) {
        let advice = "measure on one kernel, or compare kernels with --across kernel";
        all.push(of(&kernel_mismatch::RULE, kernel.label(), advice));
    }
    all
}

/// Versions of bakeoff and of the tools it ran.
fn versions(runs: &[&Run]) -> Option<Finding> {
    let of = |run: &&Run| {
        let mut all = vec![format!("bakeoff {}", run.header.version)];
        for tool in run.complete_cells().filter_map(|cell| cell.measurement.tool.as_ref()) {
            let text = format!("{} {}", tool.driver.name(), tool.version);
            if !all.contains(&text) && all.len() < 32 {
                all.push(text);
            }
        }
        all.sort_unstable();
        all.join(", ")
    };
    let each: Vec<String> = runs.iter().map(of).collect();
    let first = runs.first().filter(|_| each.iter().any(|v| *v != each[0]))?;
    let shown: Vec<String> = each.iter().map(|v| printable(v.as_bytes())).collect();
    let advice = "measure all runs with the same versions of bakeoff and of the tools";
    Some(finding(&first.header, &tool_version::RULE, shown.join("; "), advice))
}

fn headline(
    runs: &[OfRun],
    across: Option<Factor>,
    differences: &[Difference],
    unlike: &[&Difference],
    answers: &[Answer],
) -> String {
    if !unlike.is_empty() {
        return format!("Not ranked: these runs differ in {}.", named(unlike));
    }
    if answers.is_empty() {
        return "Nothing to compare: these runs share no workload with two candidates in common."
            .to_string();
    }
    let allowed: Vec<&Difference> = differences.iter().collect();
    let over = match (across, allowed.is_empty()) {
        (Some(factor), false) => {
            format!("{} runs that differ in {} only", runs.len(), named_factor(factor, &allowed))
        }
        (_, _) => format!("{} runs that differ only in when they were measured", runs.len()),
    };
    format!("Over {over}: {}", sentence::summary(answers))
}

fn named_factor(factor: Factor, differences: &[&Difference]) -> String {
    match differences {
        [one] => one.label(),
        several => format!("the {}: {}", factor.name(), named(several)),
    }
}

fn notes(
    runs: &[OfRun],
    across: Option<Factor>,
    differences: &[Difference],
    unlike: &[&Difference],
) -> Vec<String> {
    let mut notes = Vec::new();
    let factors: Vec<Option<Factor>> = {
        let mut all: Vec<Option<Factor>> = differences.iter().map(|d| d.factor).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    match (across, factors.as_slice()) {
        (_, [Some(factor)]) if !unlike.is_empty() => {
            let ids: Vec<&str> = runs.iter().map(|run| run.short.as_str()).collect();
            notes.push(format!(
                "All of these differences belong to one factor. To compare across it: bakeoff \
                 compare {} --across {}",
                ids.join(" "),
                factor.name()
            ));
        }
        (Some(factor), []) if factor != Factor::Time => notes.push(format!(
            "The {} is the same in all runs: they repeat one measurement.",
            factor.name()
        )),
        _ => {}
    }
    if unlike.is_empty() && across.is_some_and(|factor| factor != Factor::Time) {
        notes.push(
            "They were measured at different times, so changes over time are included.".to_string(),
        );
    }
    notes
}
