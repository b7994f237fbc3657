//! What earlier runs of a store measured on the drive of a new one.
//!
//! Only figures that nobody doubts are taken: no cached read, and nothing of a disturbed machine.

use crate::decide::pooled::is_same_drive;
use bakeoff_model::event::Header;
use bakeoff_model::normal::{Earlier, EarlierFigure, EarlierFigures, Normal, Normality, Test};
use bakeoff_model::run::Run;
use bakeoff_stats::sample;

use super::analyse;

/// Figures of the stored runs, the latest first; `None` where none is about such a place.
pub fn figures(header: &Header, stored: &[Run]) -> Option<EarlierFigures> {
    let [only] = header.candidates.as_slice() else { return None };
    only.place()?;
    let ours = stored.iter().filter(|run| is_same_drive(header, &run.header));
    let measured: Vec<(&Run, Normal)> =
        ours.filter_map(|run| Some((run, analyse(run).normal?))).collect();
    let of = |test: Test| {
        let figures = measured.iter().filter_map(|(run, normal)| {
            let is_sound = |n: &Normality| {
                matches!(n, Normality::Normal { .. } | Normality::Slow { .. } | Normality::Unknown)
            };
            let of = normal.figures.iter().find(|f| f.test == test && is_sound(&f.normality))?;
            Some((run.header.run.clone(), of.rate()))
        });
        let figures: Vec<(String, f64)> = figures.collect();
        let (low, high) = sample::range(figures.iter().map(|(_, rate)| *rate))?;
        let runs = figures.into_iter().map(|(run, _)| run).collect();
        Some(EarlierFigure { test, same_drive: Some(Earlier { low, high, runs }) })
    };
    let workloads: Vec<EarlierFigure> = Test::ALL.iter().copied().filter_map(of).collect();
    (!workloads.is_empty()).then_some(EarlierFigures { workloads })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;

    fn measured(id: &str, drive: &str, rate: f64) -> Run {
        let run = RunBuilder::directories(&["/mnt"]).header(|h| h.run = id.to_string());
        let run = run.place(0, |place| {
            place.chain[1].bus = Some("ata".to_string());
            place.chain[1].serial = Some(drive.to_string());
        });
        run.play(9, |block, _, _| rate * (1.0 + f64::from(block % 2) * 0.01)).build()
    }

    #[test]
    fn only_the_same_drive_counts() {
        let stored = [
            measured("03", "mine", 900.0),
            measured("02", "another", 700.0),
            measured("01", "mine", 1000.0),
        ];
        let now = measured("04", "mine", 1.0);
        let figures = figures(&now.header, &stored).unwrap();
        let [of] = figures.workloads.as_slice() else { panic!("{figures:?}") };
        assert_eq!(of.test, Test::RandWrite);
        let own = of.same_drive.as_ref().unwrap();
        assert_eq!(own.runs, ["03", "01"]);
        assert!((890.0..910.0).contains(&own.low) && own.high > 990.0, "{own:?}");
    }

    #[test]
    fn comparisons_say_nothing() {
        let now = measured("04", "mine", 1.0);
        let two = RunBuilder::directories(&["/a", "/b"]).play(5, |_, _, _| 10.0).build();
        let stack = RunBuilder::stacks(&["ext4"]).play(5, |_, _, _| 10.0).build();
        assert_eq!(figures(&now.header, &[two, stack]), None);
        assert_eq!(figures(&now.header, &[]), None);
    }
}
