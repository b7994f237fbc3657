//! Rules over what the page concludes: L29 and L44.

use super::{Study, found};
use crate::model::finding::{Finding, Severity};

/// How far behind the named winner may be in a test before the data speak against it.
const BEHIND: f64 = 0.9;

/// All rules of this file.
pub fn findings(study: &Study) -> Vec<Finding> {
    [workload_mismatch(study), against_the_data(study)].into_iter().flatten().collect()
}

fn workload_mismatch(study: &Study) -> Option<Finding> {
    let fact = study.facts.get("asks")?;
    let is_random = |test: &str| test.starts_with("rnd");
    let record = study.configured("record_size").into_iter().reduce(f64::min);
    let is_missed = match fact.value.as_str() {
        "sequential speed" => study.cells.iter().all(|cell| is_random(cell.test)),
        "small random writes" => record.is_some_and(|bytes| bytes >= 1048576.0),
        _ => false,
    };
    let advice = "Measure the pattern that the question is about.";
    is_missed.then(|| found("L29", Severity::Warn, fact.says.clone(), advice))
}

fn against_the_data(study: &Study) -> Option<Finding> {
    let advice = "Conclude what the figures show, and nothing that was not measured.";
    let winner = study.facts.get("winner").and_then(|fact| {
        let mine = study.cells.iter().filter(|c| c.fs == fact.value);
        mine.filter_map(|c| {
            let same = study.cells.iter().filter(|o| {
                (o.host, o.device, o.tool, o.test, o.block)
                    == (c.host, c.device, c.tool, c.test, c.block)
            });
            let best = same.max_by(|a, b| a.rate.total_cmp(&b.rate))?;
            (c.rate < best.rate * BEHIND).then(|| {
                let percent = (1.0 - c.rate / best.rate) * 100.0;
                (percent, format!("{} is {percent:.0} % behind {} in {}", c.fs, best.fs, c.test))
            })
        })
        .max_by(|a, b| a.0.total_cmp(&b.0))
    });
    let claimed = study.facts.get("claims").filter(|fact| {
        !study.results.iter().flat_map(|r| &r.metrics).any(|m| m.name.contains(&fact.value))
    });
    let evidence = match (winner, claimed) {
        (Some((_, behind)), Some(fact)) => format!("{behind}; {}", fact.says),
        (Some((_, behind)), None) => behind,
        (None, Some(fact)) => fact.says.clone(),
        (None, None) => return None,
    };
    Some(found("L44", Severity::Refuse, evidence, advice))
}
