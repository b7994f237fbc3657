//! What use changes, in sentences: "80 % full and used, btrfs loses 41 % of its random writes (33
//! to 48 %), ext4 6 % (2 to 9 %): ext4 is then fastest by at least 25 %."

use bakeoff_model::lead::fraction;
use bakeoff_model::path::sanitize;
use bakeoff_model::use_state::{UseChange, UseState};
use bakeoff_model::verdict::{Analysis, Verdict, WorkloadVerdict};

use super::{amount, names};

/// A sentence for each workload, where the same stacks were measured in several states: of the most
/// used state, the greatest loss first.
pub fn sentences(analysis: &Analysis) -> Vec<String> {
    let most = analysis.use_changes.iter().map(|change| change.state).max();
    let of = |verdict: &WorkloadVerdict| {
        let is_it = |c: &&UseChange| c.workload == verdict.workload && Some(c.state) == most;
        let mut changes: Vec<&UseChange> = analysis.use_changes.iter().filter(is_it).collect();
        changes.sort_by(|x, y| x.ratio.total_cmp(&y.ratio));
        let first = changes.first()?;
        let each: Vec<String> = changes.iter().map(|change| changed(change)).collect();
        Some(format!(
            "{}: {}, compared with {}, {}{}.",
            names::workload(&verdict.workload),
            first.state.phrase(),
            first.before_state.phrase(),
            each.join(", "),
            then(verdict, first.state)
        ))
    };
    // What forbids a verdict forbids this too.
    let may_be_told = |verdict: &&WorkloadVerdict| verdict.verdict != Verdict::Refused;
    analysis.verdicts.iter().filter(may_be_told).filter_map(of).collect()
}

/// "btrfs loses 41 % (33 to 48 %)".
fn changed(change: &UseChange) -> String {
    let name = plain(&change.candidate, change.state);
    let lost = |ratio: f64| 1.0 - ratio;
    let percent = |fraction: f64| amount::share(fraction.abs());
    if change.high < 1.0 {
        let (low, high) = (lost(change.high), lost(change.low));
        let (low, high) = (range(amount::at_least(low)), amount::at_most(high));
        return format!("{name} loses {} ({low} to {high})", percent(lost(change.ratio)));
    }
    if change.low > 1.0 {
        let low = range(amount::at_least(change.low - 1.0));
        let high = amount::at_most(change.high - 1.0);
        return format!("{name} gains {} ({low} to {high})", percent(change.ratio - 1.0));
    }
    let (down, up) = (range(amount::at_most(lost(change.low))), amount::at_most(change.high - 1.0));
    format!("{name} has no certain change (-{down} to +{up})")
}

/// The first end of "33 to 48 %".
fn range(low: String) -> String {
    low.trim_end_matches(" %").to_string()
}

/// Who is ahead among those that are as much used.
fn then(verdict: &WorkloadVerdict, state: UseState) -> String {
    let lead = verdict.lead.as_ref();
    match (verdict.verdict, &verdict.winner, lead.and_then(|lead| lead.lead_ln)) {
        (Verdict::Fastest, Some(winner), Some(ln)) if plain(winner, state) != sanitize(winner) => {
            let least = amount::at_least(fraction(ln));
            format!(": {} is then fastest by at least {least}", plain(winner, state))
        }
        _ => String::new(),
    }
}

/// A candidate's name without what it says of its state, which the sentence does.
fn plain(name: &str, state: UseState) -> String {
    sanitize(name).replacen(&format!(" · {}", state.label()), "", 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::analyse::analyse;
    use bakeoff_judge::testing::{RunBuilder, used};
    use bakeoff_model::use_state::Age;

    const USED: UseState = UseState { fill_percent: 80, age: Age::Used };

    fn said(rates: [f64; 4]) -> Vec<String> {
        let rate = |block: u32, candidate: u16, _| {
            let noise = 1.0 + 0.004 * f64::from((block * 7 + u32::from(candidate) * 3) % 5);
            rates[usize::from(candidate)] * noise
        };
        let names = ["ext4", "btrfs", "ext4 · 80% used", "btrfs · 80% used"];
        let run = RunBuilder::stacks(&names).header(|h| used(h, 2, USED)).play(27, rate).build();
        sentences(&analyse(&run))
    }

    #[test]
    fn losses_are_told_with_their_intervals_and_who_is_then_fastest() {
        let said = said([1000.0, 1200.0, 940.0, 708.0]);
        assert_eq!(said.len(), 1);
        let one = &said[0];
        assert!(
            one.starts_with(
                "random writes: 80 % full and used, compared with empty, btrfs loses 41 %"
            ),
            "{one}"
        );
        assert!(
            one.contains(", ext4 loses 6 % (")
                && one.contains(": ext4 is then fastest by at least 2"),
            "{one}"
        );
    }

    #[test]
    fn what_gains_or_does_not_change_is_said_so() {
        let said = said([1000.0, 1200.0, 1000.0, 1500.0]);
        assert!(said[0].contains("ext4 has no certain change (-"), "{said:?}");
        assert!(said[0].contains("btrfs gains 25 % ("), "{said:?}");
    }
}
