//! What was simulated, for a terminal of 80 columns; docs/truth.md has the same as wide tables.

use crate::report::layout::wrap;
use crate::simulate::bound::looks;
use crate::simulate::{Bound, Outcome, Rivalry, Simulation};

/// Columns that are filled at most.
const WIDTH: usize = 80;

/// What the columns of the first table are.
const LEGEND: &str = "wrong: runs that name a false winner on the first workload; headline: on any \
                      workload, in the statement about all of them; right: runs that name the true \
                      winner; equal: as fast as any; open: leads so far; true: no candidate is \
                      faster by more than the lead says; cells: mean per run, and its share of 27 \
                      blocks (20 in quick). docs/truth.md describes what is guaranteed and what is \
                      not.";

/// Three tables, each scenario, disk and wave with a line of its own above its figures.
pub fn simulate_text(simulation: &Simulation) -> String {
    let runs = simulation.outcomes.first().map_or(0, |o| o.runs);
    let error = 200.0 * libm::sqrt(0.05 * 0.95 / f64::from(runs.max(1)));
    let mut out = wrap(
        &format!(
            "Simulated disks with known differences, {runs} runs of each, seed {}. With this many \
             runs, a share of 5 % is accurate to within {error:.1} % (two standard errors).",
            simulation.seed
        ),
        WIDTH,
        "",
        "",
    );
    out.push_str(
        "\n  k  W   wrong headline   right   equal    open refused    true  cells of all\n",
    );
    for same in simulation.outcomes.chunk_by(|a, b| a.name == b.name) {
        out.extend(same.first().map(|o| format!("\n{}\n", o.name)));
        out.extend(same.iter().map(outcome));
    }
    out.push('\n');
    out.push_str(&wrap(LEGEND, WIDTH, "", ""));
    out.push_str("\nOther rules on such disks\n");
    out.push_str("                                           wrong   right  right*  cells\n");
    for same in simulation.rivals.chunk_by(|a, b| a.disk == b.disk) {
        out.extend(same.first().map(|r| format!("\n{}\n", r.disk)));
        out.extend(same.iter().map(rival));
    }
    out.push_str(
        "\n* if it were wrong in only 5 % of runs, which a real measurement cannot ensure\n",
    );
    out.push_str(&bounds(&simulation.bounds));
    out
}

fn outcome(o: &Outcome) -> String {
    let share = |count| percent(o.share(count));
    format!(
        "{:>3}{:>3}{:>8}{:>9}{:>8}{:>8}{:>8}{:>8}{:>8}{:>7.0}{:>7}\n",
        o.k,
        o.w,
        share(o.false_beats),
        share(o.false_headline),
        share(o.right_winner),
        share(o.as_fast),
        share(o.leads),
        share(o.refused),
        share(o.lead_true),
        o.cells_used,
        percent(o.cells_used / o.cells_fixed_design.max(1.0)),
    )
}

fn rival(r: &Rivalry) -> String {
    let share = |count| percent(r.share(count));
    format!(
        "  {:<38}{:>8}{:>8}{:>8}{:>7.1}\n",
        r.rule,
        share(r.false_winner),
        share(r.right_winner),
        share(r.right_at_equal_error),
        r.cells_used
    )
}

/// A line for each wave and kind of test, a column for each number of blocks.
fn bounds(all: &[Bound]) -> String {
    let mut out =
        "\nHow often the best possible test detects a wave of one candidate\n".to_string();
    let blocks = looks(all);
    out.push_str(&format!("{:<32}", "after this many blocks"));
    out.extend(blocks.iter().map(|b| format!("{b:>8}")));
    out.push('\n');
    for wave in all.chunk_by(|a, b| (a.lag1, a.wave_percent) == (b.lag1, b.wave_percent)) {
        let name = wave.first().map(|b| format!("{:.0} % (lag-1 {})", b.wave_percent, b.lag1));
        out.extend(name.map(|name| format!("\n{name}\n")));
        let knows = |what: &str, share: fn(&Bound) -> f64| {
            let shares: String = wave.iter().map(|b| format!("{:>8}", percent(share(b)))).collect();
            format!("  {what:<30}{shares}\n")
        };
        out.push_str(&knows("knowing the wave and the noise", |b| b.knows_noise));
        out.push_str(&knows("knowing only the wave", |b| b.knows_wave_only));
        out.push_str(&knows("the same, at 10 % false alarms", |b| b.knows_wave_going_on));
    }
    out
}

fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::index::CandidateIx;
    use crate::simulate::{bound::bound, catalogue, disk::Own, rivals::RULES};

    #[test]
    fn every_scenario_has_its_figures_and_no_line_is_wider_than_a_terminal() {
        let all = catalogue::all();
        let disk = &all[0].disk;
        let own = Own { candidate: CandidateIx::new(1), lag1: 0.8, sd: 0.1 };
        let simulation = Simulation {
            seed: 7,
            outcomes: all.iter().map(|scenario| scenario.play(2, 7).unwrap()).collect(),
            rivals: RULES.map(|rule| rule.play(("a disk", disk), 0.06, 3, 7)).to_vec(),
            bounds: [5, 8, 12, 18, 27].map(|blocks| bound(own, 0.02, blocks, 20, 7)).to_vec(),
        };
        let text = simulate_text(&simulation);
        for line in text.lines() {
            assert!(line.chars().count() <= WIDTH, "{line}");
        }
        for scenario in &all {
            assert!(text.contains(&format!("\n{}\n", scenario.name)), "{text}");
        }
        let figures = text.lines().filter(|line| line.contains('%')).count();
        assert!(figures > all.len() + simulation.rivals.len(), "{text}");
    }
}
