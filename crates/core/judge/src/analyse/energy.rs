//! The energy of a candidate's work: joules for a gigabyte and for 1,000 operations, by the most
//! telling meter that was read in every cell.

use bakeoff_model::event::Cell;
use bakeoff_model::power::{Energy, MeterScope, PowerSeries};

/// What the cells took together; `None` where a cell has no meter, or the energy is too little to
/// be told from nothing.
pub fn from_cells(cells: &[&Cell]) -> Option<Energy> {
    let meter = meter(cells)?;
    let (mut joules, mut seconds, mut bytes, mut ios) = (0.0, 0.0, 0u64, 0u64);
    let mut names: Vec<String> = Vec::new();
    for cell in cells {
        let told = cell.telemetry.as_ref()?;
        let ours = told.power.iter().filter(|series| series.of.meter == meter);
        for series in ours {
            joules += series.energy_uj.iter().map(|uj| *uj as f64 / 1e6).sum::<f64>();
            if !names.contains(&series.of.name) {
                names.push(series.of.name.clone());
            }
        }
        let began_ns = told.slow_start_ns;
        let ended_ns = told.slow_ns.last().map_or(began_ns, |ns| *ns as i64);
        seconds += ended_ns.saturating_sub(began_ns).max(0) as f64 / 1e9;
        let data = [&cell.measurement.read, &cell.measurement.write].into_iter().flatten();
        for stats in data {
            bytes = bytes.saturating_add(stats.io_bytes);
            ios = ios.saturating_add(stats.total_ios);
        }
    }
    (joules > 0.0 && seconds > 0.0).then(|| Energy {
        meter,
        names,
        watts: joules / seconds,
        joules_per_gb: (bytes > 0).then(|| joules * 1e9 / bytes as f64),
        joules_per_1000_ios: (ios > 0).then(|| joules * 1000.0 / ios as f64),
    })
}

fn meter(cells: &[&Cell]) -> Option<MeterScope> {
    let of = |cell: &&Cell| -> Vec<MeterScope> {
        let power = cell.telemetry.as_ref().map(|told| told.power.as_slice()).unwrap_or_default();
        let has_values = |series: &&PowerSeries| !series.energy_uj.is_empty();
        power.iter().filter(has_values).map(|series| series.of.meter).collect()
    };
    let mut common = of(cells.first()?);
    for cell in cells {
        let here = of(cell);
        common.retain(|meter| here.contains(meter));
    }
    common.into_iter().min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{clean_cell, measurement};
    use bakeoff_model::power::MeterName;
    use bakeoff_model::telemetry::Telemetry;
    use bakeoff_model::workloads;

    fn cell(power: &[(MeterScope, &str, &[u64])]) -> Cell {
        let workload = workloads::find("seqread").unwrap();
        let mut cell = clean_cell(measurement(&workload, 100e6));
        let series = power.iter().map(|(meter, name, energy_uj)| PowerSeries {
            of: MeterName { meter: *meter, name: name.to_string() },
            energy_uj: energy_uj.to_vec(),
        });
        let power = series.collect();
        cell.telemetry = Some(Box::new(Telemetry {
            slow_start_ns: 0,
            slow_ns: vec![1_000_000_000, 2_000_000_000],
            power,
            ..Telemetry::default()
        }));
        cell
    }

    #[test]
    fn energy_is_told_for_a_gigabyte_and_a_thousand_operations() {
        let packages: [(MeterScope, &str, &[u64]); 3] = [
            (MeterScope::Package, "package-0", &[3_000_000, 1_000_000]),
            (MeterScope::Package, "package-1", &[2_000_000, 2_000_000]),
            (MeterScope::Memory, "dram", &[9_000_000, 9_000_000]),
        ];
        let one = cell(&packages);
        let read = one.measurement.read.clone().unwrap();
        let energy = from_cells(&[&one, &one]).unwrap();
        assert_eq!((energy.meter, energy.names.len()), (MeterScope::Package, 2));
        assert!((energy.watts - 4.0).abs() < 1e-9, "{energy:?}");
        let joules = 8.0 * 1e9 / read.io_bytes as f64;
        assert!((energy.joules_per_gb.unwrap() - joules).abs() < 1e-6, "{energy:?}");
        let joules = 8.0 * 1e3 / read.total_ios as f64;
        assert!((energy.joules_per_1000_ios.unwrap() - joules).abs() < 1e-9, "{energy:?}");
    }

    #[test]
    fn the_most_telling_meter_of_all_cells_counts_and_none_is_none() {
        let both: [(MeterScope, &str, &[u64]); 2] = [
            (MeterScope::Package, "p", &[1, 1]),
            (MeterScope::Command, "c", &[5_000_000, 5_000_000]),
        ];
        let package = cell(&both[..1]);
        assert_eq!(from_cells(&[&cell(&both)]).unwrap().meter, MeterScope::Command);
        assert_eq!(from_cells(&[&cell(&both), &package]).unwrap().meter, MeterScope::Package);
        assert_eq!(from_cells(&[&cell(&both), &cell(&[])]), None);
        assert_eq!(from_cells(&[]), None);
        assert_eq!(from_cells(&[&cell(&[(MeterScope::Package, "p", &[0, 0])])]), None);
    }
}
