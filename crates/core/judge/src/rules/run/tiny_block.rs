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

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{fires, job};
    use crate::rules::tests::session::{has, noise};
    use crate::testing::RunBuilder;

    #[test]
    fn l22_blocks_of_512_bytes_and_of_4096() {
        assert!(fires("L22", &job(|j| j.bs = 512)) && !fires("L22", &job(|j| j.bs = 4096)));
    }

    #[test]
    fn l22_as_many_calls_whatever_the_size() {
        let run = |large: f64| {
            let builder = RunBuilder::stacks(&["a", "b"]).workloads(&["randwrite", "randrw"]);
            let builder = builder.header(|h| {
                let mut second = h.workloads[0].clone();
                second.name = "randwrite 64k".to_string();
                second.job.bs = 64 << 10;
                h.workloads[1] = second;
            });
            let rate = move |b, c, w: u16| {
                let calls = if w == 0 { 20_000.0 } else { large };
                calls * libm::exp(noise(b, c, w))
            };
            builder.play(5, rate).build()
        };
        assert!(has("L22", &run(19_000.0)) && !has("L22", &run(5_000.0)));
    }
}
