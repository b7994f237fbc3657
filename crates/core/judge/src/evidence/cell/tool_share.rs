//! tool-share: generating data and bookkeeping took over 5 % of the cell's time.

use crate::evidence::observation::Observation;
use crate::evidence::rule::Hit;
use bakeoff_model::job::Rw;

/// Blocks that are large enough for the cost of a call not to count.
const ENOUGH_BYTES: u64 = 64 << 10;

pub fn in_cell(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let m = &cell.measurement;
    let share = m.tool_ns as f64 / m.elapsed_ns.max(1) as f64;
    (share > of.limits.tool).then(|| {
        let evidence =
            format!("{:.0} % of the time was spent generating data and counting", share * 100.0);
        let advice = match m.job.bs < ENOUGH_BYTES && m.job.rw != Rw::SmallFiles {
            true => "use a larger block size: {bs=64k}",
            false => {
                "the target is nearly as fast as the load generator: treat the figure as a \
                     minimum. To measure the load generator: bakeoff check --engine"
            }
        };
        Hit::new(evidence, advice)
    })
}

#[cfg(test)]
mod tests {
    use crate::evidence::cell;
    use crate::evidence::cell::testing::found;
    use crate::testing::{RunBuilder, clean_cell, measurement};
    use bakeoff_model::event::{Cell, Header};
    use bakeoff_model::verb::Verb;

    #[test]
    fn the_tools_share() {
        let share = |s: f64| {
            move |_: &mut Header, c: &mut Cell| {
                c.measurement.tool_ns = (c.measurement.elapsed_ns as f64 * s) as u64;
            }
        };
        assert_eq!(found("seqwrite", 5e7, share(0.06)), ["tool-share"]);
        assert!(found("seqwrite", 5e7, share(0.049)).is_empty());
        let advice = |bs: u64, verb: Verb| {
            let mut run = RunBuilder::directories(&["/a", "/b"]).build();
            run.header.verb = verb;
            let measured = measurement(&run.header.workloads[0], 900.0);
            let mut one = clean_cell(measured);
            one.measurement.job.bs = bs;
            share(0.06)(&mut run.header, &mut one);
            let mut all = cell(&run.header, &one).into_iter().filter(|f| f.id == "tool-share");
            all.next().unwrap().advice
        };
        assert!(advice(4096, Verb::Bench).ends_with("--bs 64k"));
        // A block that is as large already is not to be made as large.
        for verb in [Verb::Bench, Verb::Run, Verb::Quick] {
            let said = advice(64 << 10, verb.clone());
            assert!(
                said.ends_with("bakeoff check --engine") && !said.contains("bs"),
                "{verb}: {said}"
            );
        }
    }
}
