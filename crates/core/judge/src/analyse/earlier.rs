//! What earlier runs of a store say of the place of a new one: its figures on the same drive, and
//! on other drives of the same kind.
//!
//! Only figures that nobody doubts are taken: no cached read, and nothing of a disturbed machine.

use crate::decide::pooled::is_same_drive;
use bakeoff_machine::usual::medium;
use bakeoff_model::boards;
use bakeoff_model::event::Header;
use bakeoff_model::host::Layer;
use bakeoff_model::link::Link;
use bakeoff_model::normal::{Earlier, EarlierFigure, EarlierFigures, Normal, Normality, Test};
use bakeoff_model::run::Run;
use bakeoff_stats::sample;

use super::analyse;

/// Figures of the stored runs, the latest first; `None` where none is about such a place.
pub fn figures(header: &Header, stored: &[Run]) -> Option<EarlierFigures> {
    let ours = kind_of(header)?;
    let measured: Vec<(bool, &Run, Normal)> = stored
        .iter()
        .filter_map(|run| {
            let is_same_drive = is_same_drive(header, &run.header);
            let is_same_kind = kind_of(&run.header).as_ref() == Some(&ours);
            let normal = (is_same_drive || is_same_kind).then(|| analyse(run).normal)??;
            Some((is_same_drive, run, normal))
        })
        .collect();
    let of = |test: Test, wanted: bool| {
        let runs = measured.iter().filter(|(is_same_drive, ..)| *is_same_drive == wanted);
        let figures = runs.filter_map(|(_, run, normal)| {
            let is_sound = |n: &Normality| {
                matches!(n, Normality::Normal { .. } | Normality::Slow { .. } | Normality::Unknown)
            };
            let of = normal.figures.iter().find(|f| f.test == test && is_sound(&f.normality))?;
            Some((run.header.run.clone(), of.rate()))
        });
        let figures: Vec<(String, f64)> = figures.collect();
        let (low, high) = sample::range(figures.iter().map(|(_, rate)| *rate))?;
        Some(Earlier { low, high, runs: figures.into_iter().map(|(run, _)| run).collect() })
    };
    let figure = |test| {
        let (same_drive, same_kind) = (of(test, true), of(test, false));
        let is_any = same_drive.is_some() || same_kind.is_some();
        is_any.then_some(EarlierFigure { test, same_drive, same_kind })
    };
    let workloads: Vec<EarlierFigure> = Test::ALL.iter().copied().filter_map(figure).collect();
    (!workloads.is_empty()).then_some(EarlierFigures { workloads })
}

#[derive(PartialEq)]
struct LikeDrive {
    medium: bakeoff_model::normal::Medium,
    classes: Vec<String>,
    link: Option<Link>,
    board: Option<&'static str>,
    machine: Option<String>,
}

/// The kind of the one directory of a run; `None` for stacks, several directories, and places that
/// are no one drive.
fn kind_of(header: &Header) -> Option<LikeDrive> {
    let [only] = header.candidates.as_slice() else { return None };
    let (medium, disk) = medium::of_place(only.place()?).ok()?;
    let model = header.host.model.as_deref();
    let board = model.and_then(boards::find).map(|board| board.name());
    let link = |disk: &Layer| disk.link.clone();
    Some(LikeDrive {
        medium,
        classes: disk.map(medium::classes).unwrap_or_default(),
        link: disk.and_then(link),
        board,
        // Machines that the tables do not know are alike when they say the same of themselves.
        machine: header.host.model.clone().filter(|_| board.is_none()),
    })
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
    fn the_same_drive_and_others_of_its_kind_are_told_apart() {
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
        assert_eq!(of.same_kind.as_ref().unwrap().runs, ["02"]);
    }

    #[test]
    fn other_kinds_and_comparisons_say_nothing() {
        let now = measured("04", "mine", 1.0);
        let two = RunBuilder::directories(&["/a", "/b"]).play(5, |_, _, _| 10.0).build();
        let stack = RunBuilder::stacks(&["ext4"]).play(5, |_, _, _| 10.0).build();
        assert_eq!(figures(&now.header, &[two, stack]), None);
        assert_eq!(figures(&now.header, &[]), None);
    }
}
