//! L14 sync-outside-latency: a tenth of the time or more is outside the operations with a reported
//! latency.

use crate::evidence::observation::{Observation, Source};
use crate::evidence::rule::Hit;

pub fn hit(of: &Observation) -> Option<Hit> {
    let share = of.outside.filter(|share| *share > 1.0 - of.limits.covered)?;
    let evidence =
        format!("{:.1} % of the time is outside operations with a latency", share * 100.0);
    let advice = match of.source {
        Source::Ours => {
            "interpret throughput and latency separately, or use driver = \"native\" in a plan"
        }
        Source::Others => {
            "Interpret throughput and latencies separately, or use sysbench 1.0.15 or later, which \
             counts flushes."
        }
    };
    Some(Hit::new(evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::evidence::cell::testing::{fires, of_sysbench};

    #[test]
    fn l14_a_quarter_of_the_time_outside_operations_and_a_twentieth() {
        assert!(fires("L14", |h, c| of_sysbench(h, &mut c.measurement, 0.75, 0.10)));
        assert!(!fires("L14", |h, c| of_sysbench(h, &mut c.measurement, 0.75, 0.20)));
    }
}
