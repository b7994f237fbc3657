//! L22 tiny-block: buffered blocks are under 4 KiB, or the calls per second do not change with the
//! block size.

use super::ComparedRun;
use crate::evidence::observation::{Observation, Source};
use crate::evidence::rule::Hit;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::thresholds;
use bakeoff_stats::sample;
use bakeoff_stats::units;

pub fn hit(of: &Observation) -> Option<Hit> {
    let small =
        of.access.filter(|a| a.is_buffered && a.block_bytes < thresholds::SMALL_BLOCK_BYTES)?;
    let evidence =
        format!("buffered blocks of {} bytes measure the cost of calls", small.block_bytes);
    let advice = match of.source {
        Source::Ours => "use {bs=4k} or more",
        Source::Others => "Below 4 KiB the figure is the cost of a system call: use bs=4k or more.",
    };
    Some(Hit::new(evidence, advice))
}

/// As many calls a second whatever the block size.
pub fn calls(&ComparedRun { run, table, .. }: &ComparedRun) -> Option<Hit> {
    let workloads = &run.header.workloads;
    let rate = |w: WorkloadIx| -> Option<f64> {
        let of = &workloads[w];
        let candidates = CandidateIx::all(run.header.candidates.len());
        let means = candidates.filter_map(|c| {
            let figure = of.metric.from_score(sample::mean(&table.scores(w, c))?);
            let is_rate = of.metric == bakeoff_model::workload::Metric::Bandwidth;
            Some(if is_rate { figure / of.job.bs as f64 } else { figure })
        });
        sample::mean(&means.collect::<Vec<_>>())
    };
    for (i, a) in workloads.iter().enumerate() {
        for (j, b) in workloads.iter().enumerate().skip(i + 1) {
            let alike = a.job.rw == b.job.rw && !a.job.direct && !b.job.direct;
            let sizes = (a.job.bs.min(b.job.bs), a.job.bs.max(b.job.bs));
            let far = sizes.1 >= 8 * sizes.0 && a.profile.is_none() && b.profile.is_none();
            let (Some(x), Some(y)) = (rate(WorkloadIx::new(i)), rate(WorkloadIx::new(j))) else {
                continue;
            };
            if alike && far && a.driver == b.driver && (x / y - 1.0).abs() < 0.2 {
                let evidence = format!(
                    "{x:.0} calls per second at {} and {y:.0} at {}",
                    units::size(a.job.bs),
                    units::size(b.job.bs)
                );
                let advice =
                    "this measures calls, not the drive: use {direct=true} or larger blocks";
                return Some(Hit::new(evidence, advice));
            }
        }
    }
    None
}
