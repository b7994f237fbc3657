//! What a companion adds to the time and bytes of a cell.

use super::limits::RunCost;
use bakeoff_model::companions;
use bakeoff_model::workload::Workload;

/// For a cell of `pieces` slices (one where it is not cut) that measures for `measured_ns` on a
/// drive of so many bytes a second; nothing for a workload without a companion.
pub fn cost(workload: &Workload, measured_ns: u64, pieces: u32, bytes_per_s: u64) -> RunCost {
    let Some(companion) = &workload.beside else { return RunCost::default() };
    let lead_ns = companions::LEAD_NS.saturating_mul(pieces.into());
    let layout_bytes = companions::layout_bytes(companion);
    let at_work_ns = u128::from(measured_ns.saturating_add(lead_ns));
    let written = u128::from(companions::write_bytes_per_s(companion)) * at_work_ns / 1_000_000_000;
    let layout_ns = u128::from(layout_bytes) * 1_000_000_000 / u128::from(bytes_per_s.max(1));
    let whole = |amount: u128| u64::try_from(amount).unwrap_or(u64::MAX);
    RunCost {
        time_ns: lead_ns.saturating_add(whole(layout_ns)),
        write_bytes: whole(written).saturating_add(layout_bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_model::workloads;

    #[test]
    fn a_companion_costs_what_it_writes_and_lays_out() {
        let of = |name: &str| {
            let beside = companions::built_in(name).map(Box::new);
            let workload = Workload { beside, ..workloads::find("randread").unwrap() };
            cost(&workload, 900_000_000, 1, 32 << 20)
        };
        let none = RunCost::default();
        assert_eq!(of("none"), none);
        assert_eq!(of("logs"), RunCost { time_ns: 100_000_000, write_bytes: 40960 });
        assert_eq!(of("backup"), RunCost { time_ns: 1_100_000_000, write_bytes: 32 << 20 });
    }
}
