//! no-progress: no operation completed within a cell.

use crate::evidence::observation::{MeasuredCell, Observation};
use crate::evidence::rule::Hit;
use bakeoff_stats::units;

pub fn in_cell(of: &Observation) -> Option<Hit> {
    let MeasuredCell { workload, cell, .. } = of.measured?;
    let m = &cell.measurement;
    workload.metric.value(m).is_none().then(|| {
        let evidence = format!("no operation completed in {}", units::duration(m.elapsed_ns));
        Hit::new(evidence, "check for device errors with dmesg")
    })
}

#[cfg(test)]
mod tests {
    use crate::evidence::cell::testing::found;
    use bakeoff_model::event::{Cell, Header};

    #[test]
    fn no_progress_is_no_number() {
        let nothing = |_: &mut Header, c: &mut Cell| c.measurement.read = None;
        assert_eq!(found("seqread", 50e6, nothing), ["no-progress", "L25"]);
    }
}
