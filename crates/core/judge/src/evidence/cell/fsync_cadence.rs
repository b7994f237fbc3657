//! L19 fsync-cadence: over 30 % of the time is spent flushing at an interval that the tool chose.

use crate::evidence::observation::{Observation, Source};
use crate::evidence::rule::Hit;

pub fn hit(of: &Observation) -> Option<Hit> {
    let share = of.flushing.filter(|share| *share > of.limits.flushing)?;
    let evidence = format!(
        "{:.0} % of the time is spent flushing, at an interval chosen by {}",
        share * 100.0,
        of.tool
    );
    let advice = match of.source {
        Source::Ours => {
            "set the flush interval of your own work: fsync = 1 in the workload of a plan"
        }
        Source::Others => "Set --file-fsync-freq to the flush interval of your own work.",
    };
    Some(Hit::new(evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::evidence::cell::testing::{fires, of_sysbench};

    #[test]
    fn l19_a_third_of_the_time_in_flushes_and_a_quarter() {
        assert!(fires("L19", |h, c| of_sysbench(h, &mut c.measurement, 0.60, 0.35)));
        assert!(!fires("L19", |h, c| of_sysbench(h, &mut c.measurement, 0.70, 0.25)));
    }
}
