//! L59 power-budget: a board cannot report under-voltage, or a Raspberry Pi port powers a hard
//! disk.

use super::{drive, is_hard_disk};
use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;
use bakeoff_model::host::Place;

const NO_DETECTOR: [&str; 2] = ["Raspberry Pi Zero", "Raspberry Pi Model B Rev"];

pub fn in_plan(design: Design<'_>, place: &Place) -> Option<Hit> {
    let model = design.host.model.as_deref().filter(|m| m.starts_with("Raspberry Pi"))?;
    let drive = drive(place)?;
    let is_fed = drive.bus.as_deref() == Some("usb") && is_hard_disk(drive);
    let is_blind = NO_DETECTOR.iter().any(|m| model.starts_with(m));
    let evidence = match (is_fed, is_blind) {
        (true, _) => format!("{} is a hard disk powered by a USB port of a {model}", drive.name),
        (_, true) => format!("a {model} cannot report under-voltage"),
        _ => return None,
    };
    let advice = "use a powered hub or enclosure, and watch dmesg for resets";
    Some(Hit::new(evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{disk_of, fires};
    use crate::testing::RunBuilder;

    #[test]
    fn l59_a_hard_disk_fed_by_a_board_and_a_board_that_cannot_tell() {
        let fed = |board: &'static str, rotational| {
            RunBuilder::directories(&["/a"])
                .place(0, |p| {
                    disk_of(p).bus = Some("usb".to_string());
                    disk_of(p).rotational = Some(rotational);
                })
                .header(|h| h.host.model = Some(board.to_string()))
                .build()
        };
        assert!(fires("L59", &fed("Raspberry Pi 4 Model B", true)));
        assert!(fires("L59", &fed("Raspberry Pi Zero W", false)));
        assert!(
            !fires("L59", &fed("Raspberry Pi 4 Model B", false)) && !fires("L59", &fed("PC", true))
        );
    }
}
