//! The controls inside a run: one candidate measured twice (A/A), which has to come out the same,
//! and one slowed down on purpose (positive control), which has to be found.

use super::finding;
use crate::decide::table::Table;
use crate::evidence::registry;
use crate::model::candidate::Candidate;
use crate::model::finding::Finding;
use crate::model::pooled::PooledControl;
use crate::model::run::Run;
use crate::stats::paired::{Interval, Paired};

/// What helps where the disk, or a candidate, differs from itself.
pub(super) const SETTLE: &str =
    "find the cause (heat, power, other programs: bakeoff check), then measure again";

/// A control with what was measured of it against its original.
struct Control<'r> {
    /// The candidate.
    candidate: &'r Candidate,
    /// Whose twin it is.
    original: &'r str,
    /// Differences inside blocks.
    paired: Paired,
    /// At the level of the run.
    interval: Interval,
}

/// What the controls say about one workload.
pub(super) fn findings(run: &Run, table: &Table, workload: u16) -> Vec<Finding> {
    let of = &run.header.workloads[usize::from(workload)];
    let judge = |control: Control| match control.candidate.slowed_ppm {
        0 => differs_from_itself(run, &control),
        _ if of.can_be_slowed() => Some(slowed(run, &control)),
        _ => None,
    };
    controls(run, table, workload).filter_map(judge).chain(of_earlier_runs(run, workload)).collect()
}

/// What the twins inside the run came to, whether they passed or not: a control that nobody sees is
/// none.
pub fn words(run: &Run, table: &Table, workload: u16) -> Option<String> {
    let twins = controls(run, table, workload).filter(|c| c.candidate.slowed_ppm == 0);
    let tell = |control: Control| {
        let is_apart = control.interval.excludes_zero();
        let passed = if is_apart { "so the control failed" } else { "which may be none" };
        format!("{}, {passed}", measured_twice(&control))
    };
    let told: Vec<String> = twins.map(tell).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

fn measured_twice(control: &Control) -> String {
    let by = in_words(control, " (95 % CI ", ")");
    format!("{} measured twice differs from itself by {by}", control.original)
}

/// L35: the twins of earlier runs on the drive, all together.
fn of_earlier_runs(run: &Run, workload: u16) -> Option<Finding> {
    let (runs, of) = pooled(run, workload)?;
    of.interval().excludes_zero().then(|| {
        let evidence = format!(
            "in {} on this drive, a candidate measured twice differs from itself by {}",
            crate::words::count(runs, "earlier run"),
            of.label()
        );
        finding(&run.header, &registry::DRIFT, evidence, SETTLE)
    })
}

/// What earlier runs saw of a workload, and how many they were.
pub(super) fn pooled(run: &Run, workload: u16) -> Option<(u32, &PooledControl)> {
    let all = run.pooled.as_ref()?;
    let name = &run.header.workloads[usize::from(workload)].name;
    let of = all.workloads.iter().find(|of| of.workload == *name)?;
    Some((all.runs.len() as u32, of))
}

fn controls<'r>(
    run: &'r Run,
    table: &'r Table,
    workload: u16,
) -> impl Iterator<Item = Control<'r>> {
    let candidates = &run.header.candidates;
    candidates.iter().zip(0u16..).filter_map(move |(candidate, twin)| {
        let name = candidate.twin_of.as_ref()?;
        let original = candidates.iter().position(|c| c.name == *name)? as u16;
        let paired = Paired::of(&table.differences(workload, twin, original))?;
        let interval = paired.interval(run.header.protocol.alpha);
        let is_enough = paired.blocks >= run.header.protocol.first_look();
        is_enough.then_some(Control { candidate, original: name, paired, interval })
    })
}

/// L35: an A/A twin whose interval excludes zero.
fn differs_from_itself(run: &Run, control: &Control) -> Option<Finding> {
    control.interval.excludes_zero().then(|| {
        let evidence = measured_twice(control);
        finding(&run.header, &registry::DRIFT, evidence, SETTLE)
    })
}

/// Whether an effect of known size was found at its size.
fn slowed(run: &Run, control: &Control) -> Finding {
    let ppm = control.candidate.slowed_ppm;
    let truth = libm::log1p(-f64::from(ppm) / 1e6);
    let Interval { low, high } = control.interval;
    let measured = in_words(control, " (95 % CI ", ")");
    let blocks = control.paired.blocks;
    let what = format!(
        "{}, slowed down by {} % on purpose, measured {measured} in {blocks} blocks",
        control.original,
        f64::from(ppm) / 1e4
    );
    if control.interval.excludes_zero() && low <= truth && truth <= high {
        return finding(&run.header, &registry::CONTROL_FOUND, what, "no action needed");
    }
    let (why, advice) = if control.interval.excludes_zero() {
        let advice = "measure longer cells (cell_min) on an otherwise idle machine, then run again";
        ("the run measures effects at the wrong size", advice)
    } else {
        let advice = "measure again with longer cells (cell_min in the plan) on a quiet machine";
        ("the run cannot detect effects of that size", advice)
    };
    finding(&run.header, &registry::CONTROL_MISSED, format!("{what}: {why}"), advice)
}

/// `-4.8 % (95 % CI -5.6 to -4.0 %)`.
fn in_words(control: &Control, open: &str, close: &str) -> String {
    let percent = |y: f64| libm::expm1(y) * 100.0;
    format!(
        "{:.1} %{open}{:.1} to {:.1} %{close}",
        percent(control.paired.mean),
        percent(control.interval.low),
        percent(control.interval.high)
    )
}

#[cfg(test)]
mod tests {
    use crate::analyse::analyse;
    use crate::model::finding::Severity;
    use crate::model::profile::{Part, Profile};
    use crate::model::verdict::Verdict;
    use crate::prng::SplitMix64;
    use crate::simulate::disk::Normal;
    use crate::testing::{RunBuilder, Version01};

    fn noise(block: u32, candidate: u16, workload: u16) -> f64 {
        let words = [block.into(), candidate.into(), workload.into()];
        Normal(SplitMix64::derive(31, &words)).deviate()
    }

    /// `a`, `b` a tenth ahead, and `a` slowed down by a twentieth, which makes `slower` of it.
    fn with_control(slower: f64, sd: f64, profile: Option<Part>) -> RunBuilder {
        let rate = move |b, c: u16, w| {
            let speed = [1.0, 1.1, 1.0 - slower][usize::from(c)];
            1e8 * speed * libm::exp(sd * noise(b, c, w))
        };
        Version01::stacks(&["a", "b", "a slowed"])
            .header(|h| {
                h.candidates[2].twin_of = Some("a".to_string());
                h.candidates[2].slowed_ppm = 50_000;
                h.workloads[0].profile = profile;
            })
            .play(5, rate)
    }

    fn told(slower: f64, sd: f64, profile: Option<Part>) -> Vec<(String, String, Severity)> {
        let run = with_control(slower, sd, profile);
        let found = analyse(&run.build()).verdicts[0].findings.clone();
        let is_control = |id: &str| id.starts_with("control-") || id == "L35";
        let all = found.into_iter().filter(|f| is_control(&f.id));
        all.map(|f| (f.id, f.evidence, f.severity)).collect()
    }

    #[test]
    fn an_effect_of_known_size_is_found_at_its_size() {
        let found = told(0.05, 0.01, None);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].0.as_str(), found[0].2), ("control-found", Severity::Info));
        let words = "a, slowed down by 5 % on purpose, measured -";
        assert!(found[0].1.starts_with(words), "{}", found[0].1);
    }

    #[test]
    fn one_that_is_lost_in_noise_or_comes_out_at_another_size_is_missed() {
        let lost = told(0.05, 0.2, None);
        assert_eq!(lost[0].0, "control-missed");
        assert!(lost[0].1.ends_with("cannot detect effects of that size"), "{}", lost[0].1);
        let other = told(0.15, 0.01, None);
        assert_eq!(other[0].0, "control-missed");
        assert!(other[0].1.ends_with("at the wrong size"), "{}", other[0].1);
    }

    #[test]
    fn a_control_is_no_candidate() {
        let verdict = &analyse(&with_control(0.05, 0.01, None).build()).verdicts[0];
        assert_eq!((verdict.verdict, verdict.winner.as_deref()), (Verdict::Beats, Some("b")));
    }

    #[test]
    fn nothing_is_said_where_it_cannot_be_slowed_down() {
        let part = Part { profile: Profile::Boot, part: 0 };
        assert_eq!(told(0.0, 0.001, Some(part)), []);
    }
}
