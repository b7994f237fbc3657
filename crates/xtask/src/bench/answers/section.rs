//! The figures as a section of docs/performance.md.

use std::collections::{BTreeMap, BTreeSet};

use super::Answers;
use super::measured::{Answer, Measured};
use crate::bench::spread::Spread;
use crate::page::{
    self,
    Column::{Left, Right},
};

/// The section.
pub fn section(machine: &[(&str, String)], answers: &Answers) -> String {
    let mut text = String::from(
        "\n## How soon bakeoff answers\n\nWritten by `cargo xtask bench --answers`. Demos of three \
         minutes on this machine, one after the other:\n\n",
    );
    let facts: Vec<String> = machine.iter().take(4).map(|(n, v)| format!("{n}: {v}")).collect();
    text += &format!("{}.\n\n", facts.join("; "));
    let mut rows = Vec::new();
    let mut row = |figure: &str, measured: String, wanted: &str| {
        rows.push([figure.to_owned(), measured, wanted.to_owned()]);
    };
    for (when, demos, wanted) in
        [("quiet", &answers.quiet, "4 %"), ("beside a compiler", &answers.compiler, "10 %")]
    {
        if demos.is_empty() {
            continue;
        }
        let figure = format!("how much faster another could be, {when}, {} demos", demos.len());
        row(&figure, percent(demos.iter().filter_map(bound)), &format!("at most {wanted}"));
        row(&format!("blocks, {when}"), plain(demos.iter().map(|d| d.blocks as f64)), "-");
        row(&format!("seconds, {when}"), plain(demos.iter().map(|d| d.seconds)), "-");
        row(&format!("answers, {when}"), verdicts(demos), "-");
    }
    if answers.quiet.len() > 1 {
        let differing = differing(&answers.quiet).to_string();
        row("workloads on which two quiet demos name different winners", differing, "0");
    }
    if !answers.quick_s.is_empty() {
        let seconds = plain(answers.quick_s.iter().copied());
        row(
            "`quick` on two directories, random writes, seconds to its answer",
            seconds,
            "at most 20",
        );
    }
    if !answers.pairs.is_empty() {
        let ratios = answers.pairs.iter().flat_map(|(ours, earlier)| ratios(ours, earlier));
        let figure = format!(
            "noise of a block to that of cells in one piece, with two other programs on the drive, \
             {} pairs",
            answers.pairs.len()
        );
        row(&figure, factor(ratios), "at most 0.3");
    }
    text += &page::table([Left("figure"), Right("measured"), Right("wanted")], rows);
    text += "\nFigures are medians, with the smallest and the largest in brackets. How much faster \
             another one could be is the\nmedian over the workloads of a demo whose lead is \
             negative.\n";
    text
}

/// Median over the workloads of the bound where the lead is negative.
fn bound(demo: &Measured) -> Option<f64> {
    let negative = demo.answers.values().filter_map(|a| a.lead).filter(|lead| *lead < 0.0);
    let bounds: Vec<f64> = negative.map(|lead| -lead).collect();
    (!bounds.is_empty()).then(|| Spread::from_values(bounds).median)
}

fn verdicts(demos: &[Measured]) -> String {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for answer in demos.iter().flat_map(|demo| demo.answers.values()) {
        *count.entry(answer.verdict.as_str()).or_default() += 1;
    }
    count.iter().map(|(verdict, n)| format!("{n} `{verdict}`")).collect::<Vec<_>>().join(", ")
}

/// Workloads on which two demos are certain of different winners.
fn differing(demos: &[Measured]) -> usize {
    let mut winners: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (workload, answer) in demos.iter().flat_map(|demo| &demo.answers) {
        if let Answer { verdict, leader: Some(leader), .. } = answer
            && verdict == "fastest"
        {
            winners.entry(workload).or_default().insert(leader);
        }
    }
    winners.values().filter(|names| names.len() > 1).count()
}

/// Noise of ours to that of the earlier program, by workload.
fn ratios(ours: &Measured, earlier: &Measured) -> Vec<f64> {
    let of = |(workload, answer): (&String, &Answer)| {
        Some(answer.noise? / earlier.answers.get(workload)?.noise?)
    };
    ours.answers.iter().filter_map(of).collect()
}

fn told(values: impl Iterator<Item = f64>, show: impl Fn(f64) -> String) -> String {
    let values: Vec<f64> = values.collect();
    if values.is_empty() {
        return "none".to_string();
    }
    let Spread { median, low, high } = Spread::from_values(values);
    format!("{} ({} to {})", show(median), show(low), show(high))
}

fn percent(values: impl Iterator<Item = f64>) -> String {
    told(values, |x| format!("{:.1} %", x * 100.0))
}

fn plain(values: impl Iterator<Item = f64>) -> String {
    told(values, |x| format!("{x:.0}"))
}

fn factor(values: impl Iterator<Item = f64>) -> String {
    told(values, |x| format!("{x:.2}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demo(answers: &[(&str, &str, &str, f64)]) -> Measured {
        let answer = |(workload, verdict, leader, lead): &(&str, &str, &str, f64)| {
            let answer = Answer {
                verdict: verdict.to_string(),
                leader: Some(leader.to_string()),
                lead: Some(*lead),
                noise: Some(0.1),
            };
            (workload.to_string(), answer)
        };
        Measured { seconds: 1.0, blocks: 3, answers: answers.iter().map(answer).collect() }
    }

    #[test]
    fn bounds_are_of_negative_leads_and_winners_of_certain_ones() {
        let one = demo(&[("a", "fastest", "xfs", 0.2), ("b", "as_fast", "xfs", -0.04)]);
        let other = demo(&[("a", "fastest", "ext4", 0.1), ("b", "leads", "ext4", -0.2)]);
        assert_eq!((bound(&one), bound(&other)), (Some(0.04), Some(0.2)));
        assert_eq!(differing(&[one.clone(), other]), 1);
        assert_eq!(ratios(&one, &one), [1.0, 1.0]);
    }
}
