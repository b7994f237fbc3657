//! One place, one question: is what was measured there normal for this board, card and link?
//!
//! Ranges are [`boards::usual`]: published values by kind of disk, cut off at what others measured
//! over such a link on this board. They are wide on purpose: outside of them something is to be
//! looked at, inside nothing is proved. Where no figures are known, that is what is said.

use crate::boards::{self, Usual};
use crate::model::candidate::Kind;
use crate::model::host::{Layer, LayerKind, Place, PlaceClass};
use crate::model::path::sanitize;
use crate::model::run::Run;
use crate::model::verdict::WorkloadVerdict;
use crate::model::workload::Metric;
use crate::words;

use super::sentence::figure;

/// A figure beside what is usual of it.
struct Figure {
    /// `seqread at 9.10 MB/s`.
    said: String,
    /// `usually 13.0 MB/s to 52.0 MB/s`.
    usually: String,
    place: Side,
}

/// Where it lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Below,
    Inside,
    Above,
}

/// The sentence for a run of one directory, and whether the figures are in it; `None` for stacks
/// and before there is a figure.
pub fn sentence(run: &Run, verdicts: &[WorkloadVerdict]) -> Option<(bool, String)> {
    let Kind::Directory { place, .. } = &run.header.candidates.first()?.kind else { return None };
    if verdicts.iter().all(|verdict| verdict.standings.is_empty()) {
        return None;
    }
    let disk = match the_disk(place) {
        Ok(disk) => disk,
        Err(why) => return Some(unknown(&why)),
    };
    let model = run.header.host.model.as_deref();
    let Some(usual) = boards::usual(model, disk) else {
        let what = disk.bus.as_deref().map_or(String::new(), |bus| format!(" on {bus}"));
        return Some(unknown(&format!(
            "no reference figures for this board and a disk{}",
            sanitize(&what)
        )));
    };
    let figures: Vec<Figure> =
        verdicts.iter().filter_map(|verdict| beside(run, verdict, &usual)).collect();
    let is_crypt = place.chain.iter().any(|layer| layer.dm_target.as_deref() == Some("crypt"));
    let where_it_is = surroundings(model, disk, &usual, is_crypt);
    if figures.is_empty() {
        return Some(unknown(&format!(
            "no reference figures of these workloads for {where_it_is}"
        )));
    }
    Some((true, worded(&figures, &where_it_is, disk)))
}

fn unknown(why: &str) -> (bool, String) {
    (false, format!("Cannot determine whether that is normal: {why}."))
}

/// The one disk below a place, when it is the disk that was measured.
fn the_disk(place: &Place) -> Result<&Layer, String> {
    let why = match place.class {
        PlaceClass::Memory => "this is memory",
        PlaceClass::Network => "the disk is in another machine",
        PlaceClass::Fuse => "the filesystem uses a user-space driver",
        PlaceClass::Block | PlaceClass::Stacked => "",
    };
    if !why.is_empty() {
        return Err(why.to_string());
    }
    if place.chain.iter().any(|layer| matches!(layer.kind, LayerKind::Loop | LayerKind::Ram)) {
        return Err("the target is an image, not the disk".to_string());
    }
    let mut disks = place.disks();
    match (disks.next(), disks.next()) {
        (Some(disk), None) => Ok(disk),
        (None, _) => Err("the disk is not visible from here".to_string()),
        (Some(_), Some(_)) => Err("no reference figures for several disks together".to_string()),
    }
}

/// The mean of a built-in workload beside its range.
fn beside(run: &Run, verdict: &WorkloadVerdict, usual: &Usual) -> Option<Figure> {
    let mean = verdict.standings.first()?.mean;
    let workload = run.header.workloads.iter().find(|w| w.name == verdict.workload)?;
    let (low, high) = match (workload.name.as_str(), workload.metric) {
        ("seqread", Metric::Bandwidth) => usual.sequential,
        ("randread", Metric::Iops) => usual.random_read,
        ("randwrite", Metric::Iops) => usual.random_write,
        _ => return None,
    };
    let said = |value: f64| figure(workload.metric, value);
    Some(Figure {
        said: format!("{} at {}", workload.name, said(mean)),
        usually: format!("usually {} to {}", said(low), said(high)),
        place: match mean {
            mean if mean < low => Side::Below,
            mean if mean > high => Side::Above,
            _ => Side::Inside,
        },
    })
}

/// "an SD card of class A2 on a Raspberry Pi 4 Model B over SD, sd uhs DDR50, …".
fn surroundings(model: Option<&str>, disk: &Layer, usual: &Usual, is_crypt: bool) -> String {
    let board = match model.and_then(boards::find) {
        Some(board) => format!(" on a {}", board.name()),
        None => " (no reference figures for this board itself)".to_string(),
    };
    let link = disk.link.as_deref().map(|link| format!(" over {link}")).unwrap_or_default();
    let crypt = if is_crypt { " (here through dm-crypt)" } else { "" };
    sanitize(&format!("{}{link}{board}{crypt}", usual.kind))
}

fn worded(figures: &[Figure], where_it_is: &str, disk: &Layer) -> String {
    let of = |side: Side, with_range: bool| {
        let here = figures.iter().filter(|f| f.place == side);
        let said = here.map(|f| match with_range {
            true => format!("{} ({})", f.said, f.usually),
            false => f.said.clone(),
        });
        words::list(&said.collect::<Vec<_>>())
    };
    let (below, above) = (of(Side::Below, true), of(Side::Above, true));
    let inside = of(Side::Inside, false);
    let mut parts = Vec::new();
    if !below.is_empty() {
        parts.push(format!("{below}: slow for {where_it_is}: {}", look_at(disk)));
    }
    if !above.is_empty() {
        let for_what = if below.is_empty() { format!(" {where_it_is}") } else { " it".to_string() };
        parts.push(format!(
            "{above}: more than any reference figure of{for_what}, possibly from a cache"
        ));
    }
    match (inside.is_empty(), parts.is_empty()) {
        (false, true) => parts.push(format!("That is normal for {where_it_is}: {inside}")),
        (false, false) => parts.push(format!("normal: {inside}")),
        (true, _) => {}
    }
    parts.join("; ") + "."
}

/// What to look at when a disk is slow.
fn look_at(disk: &Layer) -> &'static str {
    match disk.bus.as_deref() {
        Some("mmc") => {
            "check `sudo bakeoff check` (mode, power, heat), then the card's age and authenticity"
        }
        Some("usb") => {
            "check `sudo bakeoff check` (port, cable, UAS, power), then the drive's health"
        }
        _ => "check `sudo bakeoff check` (link, health, other users of the drive)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::analyse;
    use crate::testing::RunBuilder;

    fn disk(bus: &str, link: &str) -> Layer {
        Layer {
            kind: LayerKind::Disk,
            bus: Some(bus.into()),
            link: (!link.is_empty()).then(|| link.into()),
            rotational: Some(false),
            ..Layer::default()
        }
    }

    /// What is said of a Raspberry Pi 4 whose randread came to `iops`.
    fn said(disk: Layer, iops: f64) -> String {
        on_board("Raspberry Pi 4 Model B Rev 1.4", disk, "randread", iops)
    }

    /// What is said of a machine of that model on which a workload came to `rate`.
    fn on_board(model: &str, disk: Layer, workload: &str, rate: f64) -> String {
        let run = RunBuilder::directories(&["/home"]).workloads(&[workload]);
        let model = (!model.is_empty()).then(|| model.to_string());
        let run =
            run.header(|header| header.host.model = model).place(0, |place| place.chain[1] = disk);
        analyse(&run.play(99, |block, _, _| rate * (1.0 + f64::from(block % 2) * 0.01)).build())
            .headline
    }

    #[test]
    fn a_card_that_is_normal_slow_or_too_fast() {
        let card = || disk("mmc", "SD, sd uhs DDR50, 50 MHz, 4 bits");
        insta::assert_snapshot!([2000.0, 90.0, 90_000.0].map(|n| said(card(), n)).join("\n"));
    }

    #[test]
    fn board_class_and_link_are_named_with_what_to_look_at() {
        let (pi1, pi3, pi5) = (
            "Raspberry Pi Model B Rev 2",
            "Raspberry Pi 3 Model B Plus Rev 1.3",
            "Raspberry Pi 5 Model B Rev 1.0",
        );
        let card = |class: &str| Layer {
            card_class: Some(class.into()),
            ..disk("mmc", "SD, sd high-speed, 50 MHz, 4 bits")
        };
        let spinning = Layer { rotational: Some(true), ..disk("ata", "SATA 6.0 Gb/s") };
        let stick = || disk("usb", "USB 480 Mb/s, BOT");
        let all = [
            on_board(pi1, stick(), "seqread", 22e6),
            on_board(pi1, stick(), "seqread", 1e6),
            on_board(pi3, card("class 10, U1, A1"), "randread", 600.0),
            on_board(pi3, card("class 10, U1"), "randread", 600.0),
            on_board(pi3, card("class 10, U1, A1"), "seqread", 90e6),
            on_board(pi5, disk("nvme", "PCIe 5.0 GT/s x1"), "seqread", 420e6),
            on_board("", spinning, "randwrite", 3.0),
        ];
        insta::assert_snapshot!(all.join("\n"));
    }

    #[test]
    fn what_no_figures_are_known_for_is_said() {
        let unknown = said(disk("virtio", ""), 2000.0);
        assert!(unknown.contains("no reference figures for this board and a disk on virtio"));
        let hostile = said(disk("\u{1b}[2J", ""), 2000.0);
        assert!(!hostile.contains('\u{1b}'), "{hostile}");
    }
}
