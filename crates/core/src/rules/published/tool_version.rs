//! L31 tool-version: tools of different versions or defaults between candidates.

use crate::evidence::of_study;
use crate::evidence::rule::{Check, RUN, Rule, W, When};
use crate::model::finding::Finding;
use crate::study::{Cell, Study};

/// The rule.
pub static RULE: Rule = Rule {
    id: "L31",
    slug: "tool-version",
    when: &[When::Analysis, When::Import],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "tools of different versions or defaults between candidates",
    explain: "sysbench 0.4 leaves flushes out of its latencies and 1.0.15 counts them; fio 2 and 3 \
        count kilobytes differently. Candidates measured with different versions differ by the \
        tool as well. Use one version for all.",
    checks: &[Check::Elsewhere("compare"), Check::Study(in_study)],
};

/// The word of a tool's name that begins with a digit: `sysbench 0.4.12 fileio`.
fn version<'a>(cell: &Cell<'a>) -> Option<&'a str> {
    cell.tool.split(' ').find(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

fn in_study(study: &Study) -> Option<Finding> {
    let tool = |cell: &Cell| cell.tool.split(' ').next().map(str::to_string);
    let is_other = |a: &Cell, b: &Cell| {
        let same = (a.host, a.device, a.test, tool(a)) == (b.host, b.device, b.test, tool(b));
        let versions = version(a).zip(version(b));
        same && a.candidate() != b.candidate() && versions.is_some_and(|(a, b)| a != b)
    };
    let pair = study.cells.iter().enumerate().find_map(|(at, a)| {
        let b = study.cells[at + 1..].iter().find(|b| is_other(a, b))?;
        Some((a, b))
    });
    let (a, b) = pair?;
    let evidence = format!("{} with {}, {} with {}", a.candidate(), a.tool, b.candidate(), b.tool);
    Some(of_study(&RULE, evidence, "Measure every candidate with one version of the tool."))
}
