//! L09 short-stroke: random access covers less than a tenth of a hard disk.

use super::{drive, is_hard_disk};
use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;
use bakeoff_model::host::Place;
use bakeoff_stats::units;

pub fn in_plan(design: Design<'_>, place: &Place) -> Option<Hit> {
    let drive = drive(place).filter(|d| is_hard_disk(d) && d.size_bytes > 0)?;
    let random = design.workloads.iter().filter(|w| w.job.rw.is_random());
    let span = random.map(|w| w.job.size).max()?;
    let share = span as f64 / drive.size_bytes as f64;
    (share < design.protocol.thresholds.span).then(|| {
        let evidence = format!(
            "random access over {} of {}: {:.2} % of the drive",
            units::size(span),
            units::size(drive.size_bytes),
            share * 100.0
        );
        Hit::new(evidence, "use a larger {size}; seeks over the whole drive are longer")
    })
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{behind_usb, disk_of, fires};
    use bakeoff_model::candidate::Kind;

    #[test]
    fn l09_seeks_over_a_part_of_a_hard_disk_and_over_an_eighth() {
        assert!(fires("L09", &behind_usb(1_000_000_000_000, 1)));
        assert!(!fires("L09", &behind_usb(2 << 30, 1)), "an eighth of the drive");
        // An image on a virtual disk was said to have short seeks.
        let mut virtual_disk = behind_usb(1_000_000_000_000, 1);
        let Kind::Directory { place, .. } = &mut virtual_disk.header.candidates[0].kind else {
            panic!("a directory")
        };
        disk_of(place).bus = Some("virtio".to_string());
        assert!(!fires("L09", &virtual_disk));
    }
}
