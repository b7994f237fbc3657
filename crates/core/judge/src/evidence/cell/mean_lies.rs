//! L26 mean-lies: the mean latency is above the 95th percentile.

use crate::evidence::observation::{Latencies, Observation, Source};
use crate::evidence::rule::Hit;
use bakeoff_stats::units;

pub fn hit(of: &Observation) -> Option<Hit> {
    let lie = |l: &Latencies| l.p95_ns.filter(|p95| l.mean_ns > *p95 as f64).map(|p95| (*l, p95));
    let (l, p95) = of.latencies.iter().find_map(lie)?;
    let evidence = format!(
        "mean {} {}, 95th percentile {}",
        l.name,
        units::latency(libm::round(l.mean_ns) as u64),
        units::latency(p95)
    );
    let advice = match of.source {
        Source::Ours => {
            "use the percentiles; bakeoff show -o report.html draws the whole distribution"
        }
        Source::Others => "The slowest operations dominate the mean: use the percentiles.",
    };
    Some(Hit::new(evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::evidence::cell::testing::fires;

    #[test]
    fn l26_a_mean_above_the_95th_percentile_and_one_below() {
        assert!(fires("L26", |_, c| {
            let lat = &mut c.measurement.write.as_mut().unwrap().lat_ns;
            (lat.mean, lat.p95) = (4.91e6, Some(2_320_000));
        }));
        assert!(!fires("L26", |_, c| {
            let lat = &mut c.measurement.write.as_mut().unwrap().lat_ns;
            (lat.mean, lat.p95) = (2.3e6, Some(2_320_000));
        }));
    }
}
