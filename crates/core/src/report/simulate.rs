//! What was simulated, for programs and for docs/truth.md.

use serde_json::json;

use crate::simulate::bound::looks;
use crate::simulate::{Bound, Outcome, Rivalry, Simulation};

/// One JSON document: `bakeoff/simulate/1`.
pub fn simulate_json(simulation: &Simulation) -> String {
    json!({
        "schema": "bakeoff/simulate/1",
        "seed": simulation.seed,
        "scenarios": simulation.outcomes,
        "rivals": simulation.rivals,
        "bounds": simulation.bounds,
    })
    .to_string()
}

/// Three tables in Markdown.
pub fn simulate_markdown(simulation: &Simulation) -> String {
    let mut rows = vec![
        [
            "the truth",
            "noise",
            "k",
            "W",
            "runs",
            "false winner",
            "in the headline",
            "right winner",
            "in the headline",
            "as fast",
            "leads",
            "refused",
            "lead true",
            "settled",
            "coverage",
            "cells",
            "of all",
        ]
        .map(str::to_string)
        .to_vec(),
    ];
    rows.extend(simulation.outcomes.iter().map(outcome));
    let mut others = vec![
        ["disk", "rule", "false winner", "right winner", "right at 5 % error", "cells"]
            .map(str::to_string)
            .to_vec(),
    ];
    others.extend(simulation.rivals.iter().map(rival));
    format!("{}\n{}\n{}", table(&rows), table(&others), table(&bounds(&simulation.bounds)))
}

fn outcome(o: &Outcome) -> Vec<String> {
    let share = |count| percent(o.share(count));
    vec![
        o.name.clone(),
        format!("{:.0} %", o.noise_percent),
        o.k.to_string(),
        o.w.to_string(),
        o.runs.to_string(),
        share(o.false_beats),
        share(o.false_headline),
        share(o.right_winner),
        share(o.headline_right),
        share(o.as_fast),
        share(o.leads),
        share(o.refused),
        share(o.lead_true),
        share(o.headline_settled),
        share(o.coverage),
        format!("{:.0}", o.cells_used),
        percent(o.cells_used / o.cells_fixed_design.max(1.0)),
    ]
}

fn rival(r: &Rivalry) -> Vec<String> {
    let share = |count| percent(r.share(count));
    vec![
        r.disk.clone(),
        r.rule.clone(),
        share(r.false_winner),
        share(r.right_winner),
        share(r.right_at_equal_error),
        format!("{:.1}", r.cells_used),
    ]
}

/// What one kind of test finds.
type Share = fn(&Bound) -> f64;

/// A row for each wave and kind of test, a column for each number of blocks.
fn bounds(all: &[Bound]) -> Vec<Vec<String>> {
    let blocks = looks(all);
    let mut head = vec!["the wave".to_string(), "the best test that knows".to_string()];
    head.extend(blocks.iter().map(|b| format!("{b} blocks")));
    let mut rows = vec![head];
    for wave in all.chunk_by(|a, b| (a.lag1, a.wave_percent) == (b.lag1, b.wave_percent)) {
        let Some(first) = wave.first() else { continue };
        let name = format!("{:.0} % (lag-1 {})", first.wave_percent, first.lag1);
        let knows_all: Share = |b| b.knows_noise;
        let knows_wave: Share = |b| b.knows_wave_only;
        let going_on: Share = |b| b.knows_wave_going_on;
        let tests = [
            ("wave and noise", knows_all),
            ("the wave only", knows_wave),
            ("the wave only, 10 % alarms", going_on),
        ];
        for (knows, share) in tests {
            let mut row = vec![name.clone(), knows.to_string()];
            row.extend(wave.iter().map(|b| percent(share(b))));
            rows.push(row);
        }
    }
    rows
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Rows of equal length as a table, the first one its head; text to the left, numbers to the right.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let is_text =
        |c: usize| rows.iter().skip(1).any(|r| !r[c].starts_with(|x: char| x.is_ascii_digit()));
    let texts: Vec<bool> = (0..columns).map(is_text).collect();
    let width = |c: usize| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(|c| width(c).max(3)).collect();
    let line = |row: &Vec<String>| {
        let cell = |c: usize| match texts[c] {
            true => format!("{:<1$}", row[c], widths[c]),
            false => format!("{:>1$}", row[c], widths[c]),
        };
        format!("| {} |\n", (0..columns).map(cell).collect::<Vec<_>>().join(" | "))
    };
    let rule = |c: usize| match texts[c] {
        true => "-".repeat(widths[c]),
        false => format!("{}:", "-".repeat(widths[c] - 1)),
    };
    let rule = format!("| {} |\n", (0..columns).map(rule).collect::<Vec<_>>().join(" | "));
    let mut lines = rows.iter().map(line);
    let head = lines.next().unwrap_or_default();
    format!("{head}{rule}{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::index::CandidateIx;
    use crate::simulate::{bound::bound, catalogue, disk::Own, rivals::Rule};

    #[test]
    fn keys_are_those_that_were_promised_and_tables_have_a_row_each() {
        let scenario = &catalogue::all()[0];
        let simulation = Simulation {
            seed: 7,
            outcomes: vec![scenario.play(3, 7).unwrap()],
            rivals: vec![Rule::TTest.play(("a disk", &scenario.disk), 0.06, 3, 7)],
            bounds: vec![bound(
                Own { candidate: CandidateIx::new(1), lag1: 0.8, sd: 0.1 },
                0.02,
                5,
                100,
                7,
            )],
        };
        let value: serde_json::Value = serde_json::from_str(&simulate_json(&simulation)).unwrap();
        assert_eq!(value["schema"], "bakeoff/simulate/1");
        let keys: Vec<&str> =
            value["scenarios"][0].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            keys,
            [
                "as_fast",
                "carry_over_found",
                "cells_fixed_design",
                "cells_used",
                "coverage",
                "drift_percent",
                "false_beats",
                "false_headline",
                "gaps_percent",
                "headline_right",
                "headline_settled",
                "k",
                "lag1",
                "lead_true",
                "leads",
                "name",
                "noise_percent",
                "refused",
                "right_winner",
                "runs",
                "w"
            ]
        );
        let text = simulate_markdown(&simulation);
        assert_eq!(text.lines().filter(|l| l.starts_with('|')).count(), 11);
        assert!(text.contains("| equal, quiet disk |"), "{text}");
    }
}
