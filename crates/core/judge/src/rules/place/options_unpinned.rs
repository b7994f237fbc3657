//! L60 options-unpinned: the scheduler or read-ahead of the drive under test is unknown.

use super::drive;
use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;
use bakeoff_model::host::Place;
use bakeoff_model::setting::Setting;

pub fn in_plan(design: Design<'_>, place: &Place) -> Option<Hit> {
    let is_device = matches!(Setting::of(design), Setting::Decide | Setting::Precise);
    let drive = drive(place).filter(|_| is_device)?;
    let mut unknown = Vec::new();
    if drive.scheduler.is_none() {
        unknown.push("I/O scheduler");
    }
    if drive.read_ahead_bytes.is_none() {
        unknown.push("read-ahead");
    }
    (!unknown.is_empty()).then(|| {
        let evidence = format!("{} of {} unknown", unknown.join(" and "), drive.name);
        let advice = "set them for all candidates: [axes] scheduler and read_ahead_kb";
        Hit::new(evidence, advice)
    })
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{disk_of, fires, with};

    #[test]
    fn l60_a_device_whose_scheduler_is_not_known() {
        let known = |scheduler: Option<&str>| {
            with(|h| {
                let region = h.region.as_mut().expect("a region");
                region.is_image = false;
                disk_of(&mut region.place).scheduler = scheduler.map(str::to_string);
                disk_of(&mut region.place).read_ahead_bytes = Some(128 << 10);
            })
        };
        assert!(fires("L60", &known(None)) && !fires("L60", &known(Some("none"))));
    }
}
