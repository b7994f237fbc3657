//! What a p99 of a closed loop leaves out: one sentence for each screen that shows such a figure.
//!
//! Source: Gil Tene, "How NOT to Measure Latency" (coordinated omission); rule L48 fires where such
//! a latency decides.

use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;

pub(super) const NOTE: &str = "Each p99 is from a load that waits for each answer and sends \
    nothing during a stall (coordinated omission, L48). Independent clients can wait longer. To \
    measure that, send at a fixed rate (rate_iops).";

/// The note, where a p99 of the run is one of a closed loop.
pub(super) fn note(run: &Run, analysis: &Analysis) -> Option<&'static str> {
    let is_closed = |name: &str| {
        let mut workloads = run.header.workloads.iter();
        workloads.any(|workload| workload.name == name && workload.is_closed_loop())
    };
    let mut of_closed = analysis.verdicts.iter().filter(|verdict| is_closed(&verdict.workload));
    let has_p99 = of_closed.any(|verdict| {
        verdict.standings.iter().any(|standing| standing.p99_ns.is_some_and(f64::is_finite))
    });
    has_p99.then_some(NOTE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::analyse::analyse;
    use bakeoff_judge::testing::RunBuilder;

    fn of(rate_iops: Option<u64>) -> Option<&'static str> {
        let run = RunBuilder::stacks(&["ext4", "xfs"]);
        let run = run.header(|h| h.workloads[0].job.rate_iops = rate_iops);
        let run = run.play(5, |_, _, _| 5000.0).build();
        note(&run, &analyse(&run))
    }

    #[test]
    fn explains_p99_of_closed_loop_and_not_of_fixed_rate() {
        assert_eq!(of(None), Some(NOTE));
        assert_eq!(of(Some(100)), None);
    }
}
