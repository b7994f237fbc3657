//! L52 background: other processes transferred over 5 % of the cell's data (at least 1 MiB), or
//! used over 5 % of the CPUs while the load waited for one.

use crate::evidence::observation::{MeasuredCell, Observation};
use crate::evidence::rule::Hit;
use bakeoff_stats::phrases;
use bakeoff_stats::units;

pub const ID: &str = "L52";

/// Foreign bytes that are never worth a word: one journal commit of a quiet system.
const FOREIGN_FLOOR_BYTES: u64 = 1 << 20;

/// Share of the time the load waits for a CPU from which on it is felt: the smallest tie margin.
const WAITED_SHARE: f64 = 0.02;

pub fn moved(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let m = &cell.measurement;
    let foreign = cell.truth.foreign_bytes?;
    let own: u64 = m.ops().map(|(_, s)| s.io_bytes).sum();
    let is_much = foreign as f64 > own as f64 * of.limits.foreign && foreign >= FOREIGN_FLOOR_BYTES;
    is_much.then(|| {
        let evidence = format!(
            "other processes{} transferred {} while the cell transferred {}",
            by_whom(&cell.truth.foreign_by),
            units::size(foreign),
            units::size(own)
        );
        Hit::common(evidence, "stop other programs that use the drive (see: iotop -o)")
    })
}

/// L52 of the CPUs: others ran, and the load had to wait for them. What runs beside it on a CPU of
/// its own takes nothing from a drive.
pub fn computed(of: &Observation) -> Option<Hit> {
    let MeasuredCell { design, cell, .. } = of.measured?;
    let (m, cpus) = (&cell.measurement, design.host.cpus.max(1));
    let busy = cell.truth.foreign_cpus?;
    let waited = m.waited_ns.map(|ns| ns as f64 / m.elapsed_ns.max(1) as f64);
    let is_much = busy > f64::from(cpus) * of.limits.foreign_cpu;
    (is_much && waited.is_none_or(|share| share > WAITED_SHARE)).then(|| {
        let had_to_wait = waited.map_or(String::new(), |share| {
            format!(", and the load waited for one for {:.0} % of the time", share * 100.0)
        });
        let evidence = format!(
            "other processes{} kept {busy:.1} of {} busy{had_to_wait}",
            by_whom(&cell.truth.foreign_cpus_by),
            phrases::count(cpus, "CPU"),
        );
        Hit::common(evidence, "stop other programs (see: top), then measure again")
    })
}

/// ` (rsync (4711))`: names come from the system and are made harmless where they are read.
fn by_whom(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(" ({})", phrases::list(names)) }
}

#[cfg(test)]
mod tests {
    use crate::evidence::cell;
    use crate::evidence::cell::testing::found;
    use crate::testing::{RunBuilder, clean_cell, measurement};
    use bakeoff_model::event::{Cell, Header};

    #[test]
    fn l52_others_on_the_disk() {
        let foreign = |b: u64| move |_: &mut Header, c: &mut Cell| c.truth.foreign_bytes = Some(b);
        // The cell moves 100 MB.
        assert_eq!(found("seqread", 50e6, foreign(5_300_000)), ["L52"]);
        assert!(found("seqread", 50e6, foreign(4_900_000)).is_empty());
        // A commit of a quiet system is more than 5 % of a cell of small reads, and not worth
        // a word.
        assert!(found("randread", 900.0, foreign(900_000)).is_empty());
    }

    #[test]
    fn l52_others_on_the_cpus_and_others_on_cpus_of_their_own() {
        let busy = |cpus: f64, waited: Option<f64>| {
            move |h: &mut Header, c: &mut Cell| {
                h.host.cpus = 4;
                c.truth.foreign_cpus = Some(cpus);
                c.truth.foreign_cpus_by = vec!["rustc (812)".to_string()];
                let ns = |share| (c.measurement.elapsed_ns as f64 * share) as u64;
                c.measurement.waited_ns = waited.map(ns);
            }
        };
        assert_eq!(found("randread", 900.0, busy(0.21, Some(0.03))), ["L52"]);
        assert_eq!(found("randread", 900.0, busy(0.21, None)), ["L52"]);
        // A little of the CPUs, or as much as you like of CPUs that nobody else wanted.
        assert!(found("randread", 900.0, busy(0.19, Some(0.03))).is_empty());
        assert!(found("randread", 900.0, busy(2.5, Some(0.01))).is_empty());
        let run = RunBuilder::directories(&["/a", "/b"]).workloads(&["randread"]).build();
        let (mut header, measured) =
            (run.header, measurement(&bakeoff_model::workloads::find("randread").unwrap(), 900.0));
        let mut one = clean_cell(measured);
        busy(2.5, Some(0.41))(&mut header, &mut one);
        assert_eq!(
            cell(&header, &one)[0].evidence,
            "other processes (rustc (812)) kept 2.5 of 4 CPUs busy, and the load waited for one \
             for 41 % of the time"
        );
    }
}
