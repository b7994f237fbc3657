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
    let advice = "check the health of the drive and the kernel log (bakeoff check)";
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
    use super::super::pieces::tests::{clean, fired_percent, sliced};
    use super::*;
    use crate::analyse::analyse;
    use crate::rules::tests::told;

    /// Slices of 100 ms, of which some take so much longer.
    fn stalling(times: u64, is_stalled: impl Fn(u32, u16) -> bool) -> Run {
        let mut run = sliced(1, 10, clean(1, 0.03));
        for block in &mut run.blocks {
            for cell in &mut block.cells {
                for slice in &mut cell.slices {
                    let longer =
                        if is_stalled(cell.block.number(), slice.round) { times } else { 1 };
                    slice.elapsed_ns *= longer;
                }
            }
        }
        run
    }

    #[test]
    fn stalls_of_over_a_twentieth_of_the_time_are_named_with_the_longest() {
        let run = stalling(20, |block, slice| block % 3 == 0 && slice == 4);
        let found = told(&analyse(&run).findings, "stalls").unwrap();
        assert!(
            found.evidence.starts_with("4 stalls in 80 slices, the longest for 1.9 s"),
            "{found:?}"
        );
        assert_eq!(found.workload.as_deref(), Some("randwrite"));
    }

    #[test]
    fn rare_short_stalls_and_slices_that_are_a_little_slower_are_none() {
        assert!(check(&stalling(4, |block, slice| block == 2 && slice == 4)).is_empty());
        let mut slower = clean(6, 0.03);
        let run = sliced(1, 10, |b, c, s| slower(b, c, s) * if s == 4 { 0.6 } else { 1.0 });
        assert!(check(&run).is_empty());
    }

    #[test]
    fn clean_input_fires_in_at_most_one_run_of_a_hundred() {
        let percent = fired_percent(check);
        assert!(percent <= 1.0, "{percent} %");
    }
}
