//! L35 drift: the raw read before each block drifts over time by more than 3 % and the margin, or
//! the A/A control differs from its twin.

use super::{ALPHA, ComparedRun, FEWEST};
use crate::decide::compare::Comparison;
use crate::evidence::rule::Hit;
use crate::rules::control::{Control, SETTLE, controls, pooled};
use bakeoff_model::index::WorkloadIx;
use bakeoff_model::run::Run;
use bakeoff_model::thresholds;
use bakeoff_stats::sample;
use bakeoff_stats::spearman::spearman;
use bakeoff_stats::units;

/// The raw read at the start of each block. Drift is common to all and cancels inside blocks,
/// so it is reported where it is large against the margin of the mode, too.
pub fn sentinel(&ComparedRun { run, table, .. }: &ComparedRun) -> Option<Hit> {
    let reads: Vec<f64> =
        table.blocks_of(run).filter_map(|b| b.sentinel.filter(|s| *s > 0.0)).collect();
    if reads.len() < FEWEST {
        return None;
    }
    let half = reads.len() / 2;
    let early = sample::median(&reads[..half])?;
    let late = sample::median(&reads[reads.len() - half..])?;
    let drift = late / early - 1.0;
    let limit = thresholds::SENTINEL.max(run.header.protocol.tie_margin);
    (drift.abs() > limit && follows_time(&reads)).then(|| {
        let evidence = format!(
            "the raw read speed before each block changed from {} to {} ({:+.1} %)",
            units::rate(early),
            units::rate(late),
            drift * 100.0
        );
        Hit::common(evidence, SETTLE)
    })
}

fn follows_time(series: &[f64]) -> bool {
    let time: Vec<f64> = (0..series.len()).map(|i| i as f64).collect();
    let limit = thresholds::CORRELATION;
    spearman(&time, series).is_some_and(|s| s.rho.abs() > limit && s.p < ALPHA)
}

pub fn twins(of: &ComparedRun, compared: &Comparison) -> Vec<Hit> {
    let own = controls(of.run, of.table, compared.workload);
    let own = own.filter_map(|control| differs_from_itself(&control));
    own.chain(of_earlier_runs(of.run, compared.workload)).collect()
}

fn differs_from_itself(control: &Control) -> Option<Hit> {
    control.interval.excludes_zero().then(|| {
        let evidence = control.measured_twice();
        Hit::new(evidence, SETTLE)
    })
}

fn of_earlier_runs(run: &Run, workload: WorkloadIx) -> Option<Hit> {
    let (runs, of) = pooled(run, workload)?;
    of.interval().excludes_zero().then(|| {
        let evidence = format!(
            "in {} on this drive, two measurements of one candidate differ by {}",
            bakeoff_stats::phrases::count(runs, "earlier run"),
            of.label()
        );
        Hit::new(evidence, SETTLE)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::analyse;
    use crate::rules::run::tests::steady;
    use crate::rules::tests::session::{has, sentinels};
    use crate::rules::tests::told;
    use crate::testing::RunBuilder;
    use bakeoff_model::finding::Severity;
    use bakeoff_model::protocol::Mode;
    use bakeoff_model::verdict::{Analysis, Verdict};

    #[test]
    fn l35_a_disk_that_slows_down_and_one_that_scatters() {
        assert!(has("L35", &sentinels(|b| 90e6 * (1.0 - 0.012 * f64::from(b)))));
        assert!(!has("L35", &sentinels(|b| 90e6 * (1.0 - 0.004 * f64::from(b)))), "3 % in all");
        assert!(!has("L35", &sentinels(|b| 90e6 * if b % 2 == 0 { 1.0 } else { 0.9 })));
    }

    #[test]
    fn advice_about_drift_names_what_to_type() {
        let drifts = sentinels(|b| 90e6 * (1.0 - 0.012 * f64::from(b)));
        let advice = told(&analyse(&drifts).findings, "L35").unwrap().advice;
        assert!(advice.contains("bakeoff check"), "{advice}");
    }

    fn with_twin(gap: f64) -> Run {
        let builder = RunBuilder::stacks(&["a", "b", "a again"]);
        let builder = builder.header(|h| h.candidates[2].twin_of = Some("a".to_string()));
        let rate = move |b, c, w| steady(b, c, w) * if c == 2 { 1.0 + gap } else { 1.0 };
        builder.mode(Mode::Precise).play(5, rate).build()
    }

    #[test]
    fn l35_a_twin_that_differs_is_an_error_and_no_refusal() {
        let failed = analyse(&with_twin(0.10));
        let found = failed.findings.iter().find(|f| f.id == "L35").expect("the control failed");
        assert_eq!(found.severity, Severity::Error);
        assert!(found.evidence.starts_with("two measurements of a differ by"));
        assert_ne!(failed.verdicts[0].verdict, Verdict::Refused);
        let passed = analyse(&with_twin(0.005));
        assert!(!passed.findings.iter().any(|f| f.id == "L35"));
        let differs =
            |analysis: &Analysis| analysis.verdicts[0].twins[0].interval().excludes_zero();
        assert!(differs(&failed) && !differs(&passed));
    }
}
