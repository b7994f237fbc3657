//! stalls: single slices of a candidate take at least twice as long as their work takes otherwise,
//! together over 5 % of its time, or one of them over a second.

use super::pieces::{Course, hits};
use crate::decide::figure;
use crate::evidence::rule::Hit;
use bakeoff_model::run::Run;
use bakeoff_stats::phrases;
use bakeoff_stats::units;

/// Share of the time from which on stalls belong into the answer (the protocol's limit).
const SHARE: f64 = 0.05;
const LONG_NS: u64 = 1_000_000_000;
/// And it stands out of its own slice: not merely one slow slice of a slow drive.
const LONG_SHARE: f64 = 0.01;

pub fn check(run: &Run) -> Vec<Hit> {
    let advice =
        "check the health of the drive and the kernel log (bakeoff devices DRIVE, sudo dmesg)";
    hits(run, advice, |course, _| stalls(course))
}

fn stalls(course: &Course) -> Option<String> {
    let all = figure::stalls(course.of.metric, course.cells.iter().copied());
    let slices: usize = course.pieces().iter().map(Vec::len).sum();
    let share = all.share();
    let is_long = all.longest_ns >= LONG_NS && share >= LONG_SHARE;
    (all.number > 0 && (share >= SHARE || is_long)).then(|| {
        let stalls = phrases::count(all.number, "stall");
        format!(
            "{stalls} in {slices} slices, the longest for {}: {:.0} % of the time",
            units::duration(all.longest_ns),
            share * 100.0
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::pieces::tests::fired_percent;
    use super::*;

    #[test]
    fn clean_input_fires_in_at_most_one_run_of_a_hundred() {
        let percent = fired_percent(check);
        assert!(percent <= 1.0, "{percent} %");
    }
}
