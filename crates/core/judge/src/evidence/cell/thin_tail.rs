//! L47 thin-tail: a percentile has fewer than ten operations beyond it.

use super::latencies;
use crate::evidence::observation::Observation;
use crate::evidence::rule::Hit;

pub fn in_cell(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let (name, count, quantile) = latencies(cell).find_map(|(name, stats, l)| {
        let quantiles = [(0.95, l.p95), (0.99, l.p99), (0.999, l.p99_9), (0.9999, l.p99_99)];
        let thin = quantiles.into_iter().find(|(q, value)| {
            value.is_some() && (stats.total_ios as f64) < 10.0 / (1.0 - q) - 1e-6
        })?;
        Some((name, stats.total_ios, thin.0))
    })?;
    let evidence = format!("the {} percentile of {count} {name} operations", quantile * 100.0);
    let advice = "measure longer: {runtime=60s}, or use a lower percentile";
    Some(Hit::new(evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::evidence::cell::testing::fires;
    use bakeoff_model::event::{Cell, Header};

    #[test]
    fn l47_a_tail_of_nine_operations_and_one_of_ten() {
        let tail = |n: u64| {
            move |_: &mut Header, c: &mut Cell| {
                let write = c.measurement.write.as_mut().unwrap();
                write.total_ios = n;
                write.lat_ns.p99_9 = Some(9_000_000);
            }
        };
        assert!(fires("L47", tail(9_999)) && !fires("L47", tail(10_000)));
    }
}
