//! L54 observer: monitoring took over 2 % of a CPU.

use crate::evidence::observation::Observation;
use crate::evidence::rule::Hit;

pub fn in_cell(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let share = cell.telemetry.as_ref()?.cost_share()?;
    (share > of.limits.watching).then(|| {
        let evidence = format!("monitoring took {:.1} % of a CPU", share * 100.0);
        Hit::new(evidence, "stop other monitors, which make /proc slower to read")
    })
}

#[cfg(test)]
mod tests {
    use crate::evidence::cell::testing::{fires, watched};
    use bakeoff_model::telemetry::Cost;

    #[test]
    fn l54_a_costly_observer() {
        let cost = |cpu_ns| Cost { cpu_ns, ..Cost::default() };
        assert!(fires("L54", |_, c| c.telemetry = watched(|t| t.cost = cost(60_000_000))));
        assert!(!fires("L54", |_, c| c.telemetry = watched(|t| t.cost = cost(30_000_000))));
    }
}
