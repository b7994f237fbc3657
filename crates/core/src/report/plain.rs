//! The report for a screen reader or a pipe: the same facts, one a line, no table, no colour.

use super::view::{FindingView, Question, View};

/// Lays out a view.
pub fn write(view: &View) -> String {
    let mut lines = vec![view.headline.clone()];
    lines.extend(view.context.clone());
    lines.extend(view.advice.iter().map(|a| format!("To do: {a}")));
    lines.push(format!("Run: {}", view.title));
    lines.push(format!("Extent: {}", view.extent));
    lines.extend(view.ending.clone());
    let figures = view.place.iter().flat_map(|place| &place.figures);
    lines.extend(figures.map(|figure| figure.spoken()));
    for question in &view.questions {
        lines.push(String::new());
        lines.extend(answer(question, view));
    }
    let mut tail: Vec<String> = view.findings.iter().map(finding).collect();
    tail.extend(view.invalid.iter().map(|line| format!("Discarded: {line}")));
    tail.extend(view.missing.iter().map(|(n, why)| format!("Not measured: {n}: {why}")));
    tail.extend(view.recipe.iter().map(|line| format!("To use it: {line}")));
    tail.push(view.interval_note.clone());
    tail.extend(view.closed_loop_note.map(str::to_string));
    tail.push(format!("Run id: {}, started {}", view.run, view.started));
    tail.push(format!("To repeat: {}", view.repeat));
    lines.push(String::new());
    lines.extend(tail);
    lines.join("\n") + "\n"
}

fn answer(question: &Question, view: &View) -> Vec<String> {
    let mut lines = vec![
        format!("Workload {}: {}", question.workload, question.summary),
        format!("Verdict: {}. {}", question.verdict_word, question.sentence),
    ];
    for row in &question.rows {
        let mut facts = Vec::new();
        if let Some(tier) = &row.tier {
            facts.push(format!("tier {tier}"));
        }
        facts.push(format!("{} {}", row.rate, question.unit));
        if let (Some(rate), Some(unit)) = (&row.binary_rate, question.binary_unit) {
            facts.push(format!("{rate} {unit}"));
        }
        if let (Some(change), Some(reference)) = (&row.change, &question.reference) {
            let interval = format!("interval {} to {} %", change.low, change.high);
            facts.push(format!("{} % against {reference}, {interval}", change.mid));
        }
        facts.extend(row.p99.as_ref().map(|p| format!("99th percentile {p}")));
        facts.push(super::view::plural(row.cells.into(), "cell"));
        facts.extend(row.dropped.clone());
        lines.push(format!("{}: {}", row.candidate, facts.join(", ")));
    }
    let unit = question.unit;
    lines.extend(question.rounds.iter().map(|r| format!("Rounds, {unit}: {}", r.line())));
    lines.extend(question.control.iter().map(|c| format!("A/A control: {c}")));
    lines.extend(question.bottleneck.iter().map(|b| format!("Bottleneck: {b}")));
    lines.extend(question.energy.iter().map(|energy| format!("Energy: {energy}")));
    lines.extend(view.own_findings(question).map(finding));
    lines
}

fn finding(f: &FindingView) -> String {
    format!(
        "Finding, {}, about {}: {} {} Code {}.",
        f.severity_word,
        f.about(),
        f.evidence(),
        f.advice,
        f.id
    )
}
