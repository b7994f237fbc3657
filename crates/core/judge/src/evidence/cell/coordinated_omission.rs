//! L48 coordinated-omission: latency is measured in a closed loop that stalls for over ten times
//! the median.

use super::latencies;
use crate::evidence::observation::{MeasuredCell, Observation};
use crate::evidence::rule::Hit;
use bakeoff_model::workload::Metric;
use bakeoff_stats::units;

pub fn in_cell(of: &Observation) -> Option<Hit> {
    let MeasuredCell { workload, cell, .. } = of.measured?;
    let is_closed = workload.metric == Metric::LatencyP99 && workload.is_closed_loop();
    let limit = of.limits.stall;
    let (name, l, p50) = latencies(cell).filter(|_| is_closed).find_map(|(name, _, l)| {
        let p50 = l.p50.filter(|p| l.max as f64 > limit * *p as f64)?;
        Some((name, l, p50))
    })?;
    let evidence = format!(
        "a {name} took {} (median: {}), and no requests were sent meanwhile",
        units::latency(l.max),
        units::latency(p50)
    );
    Hit::new(evidence, "send at a fixed rate: {rate_iops}").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::cell::testing::fires;
    use bakeoff_model::event::{Cell, Header};
    use bakeoff_model::profile::{Part, Profile};

    #[test]
    fn l48_a_closed_loop_that_stalls() {
        let stall = |max: u64, rate| {
            move |h: &mut Header, c: &mut Cell| {
                h.workloads[0].metric = Metric::LatencyP99;
                h.workloads[0].job.rate_iops = rate;
                let lat = &mut c.measurement.write.as_mut().unwrap().lat_ns;
                (lat.max, lat.p50, lat.p99) = (max, Some(1_000_000), Some(3_000_000));
            }
        };
        assert!(fires("L48", stall(11_000_000, None)));
        assert!(
            !fires("L48", stall(10_000_000, None)) && !fires("L48", stall(11_000_000, Some(100)))
        );
        assert!(!fires("L48", |h, c| {
            stall(11_000_000, None)(h, c);
            h.workloads[0].profile = Some(Part { profile: Profile::Desktop, part: 0 });
        }));
    }
}
