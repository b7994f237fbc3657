//! L57 link-degraded: the link of the drive is slower than drive and port support.

use super::drive;
use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;
use bakeoff_model::host::Place;

pub const ID: &str = "L57";

pub fn in_plan(_: Design<'_>, place: &Place) -> Option<Hit> {
    let drive = drive(place)?;
    let (link, best) = (drive.link.as_ref()?, drive.best_link.as_ref()?);
    let capacity = bakeoff_model::boards::link::capacity_bytes_per_s;
    (capacity(link)? < 0.95 * capacity(best)?).then(|| {
        let evidence = format!("{} runs at {link}, but supports {best}", drive.name);
        Hit::new(evidence, "try another port, slot or cable; check the link with bakeoff devices")
    })
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{disk_of, fires, places};

    #[test]
    fn l57_a_link_below_what_both_ends_can() {
        let link = |l: &'static str| {
            places(|p| {
                disk_of(p).link = Some(l.into());
                disk_of(p).best_link = Some("PCIe 8.0 GT/s x4".into());
            })
        };
        assert!(
            fires("L57", &link("PCIe 8.0 GT/s x2")) && !fires("L57", &link("PCIe 8.0 GT/s x4"))
        );
    }
}
