//! L08 smr: a hard disk may use overlapping tracks (SMR), and the run writes less than 25 GB.

use super::{drive, is_hard_disk};
use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;
use bakeoff_model::host::{Layer, Place, ZoneModel};
use bakeoff_stats::units;

/// From this size on a hard disk behind USB is likely to overlap its tracks.
const LARGE_BYTES: u64 = 1_000_000_000_000;

/// Beginnings of the models that their makers list as SMR (Seagate, Western Digital and Toshiba
/// published lists in April 2020; seagate.com/products/cmr-smr-list).
const FAMILIES: &str = "ST500LM030 ST1000LM048 ST2000LM015 ST3000LM024 ST4000LM024 ST5000LM000 \
    ST2000DM005 ST2000DM008 ST3000DM007 ST4000DM004 ST6000DM003 ST8000DM004 ST5000AS0011 \
    ST6000AS0002 ST8000AS0002 WD20EFAX WD30EFAX WD40EFAX WD60EFAX WD20EZAZ WD60EZAZ WD10SPZX \
    WD20SPZX WD10SPSX HDWD240 HDWD260 HDWL110 HDWL120 MQ04ABF100 MQ04ABD200 DT02ABA400 DT02ABA600";

/// Why a hard disk overlaps its tracks, or may do so.
fn suspicion(drive: &Layer) -> Option<&'static str> {
    let is_listed = |word: &str| FAMILIES.split(' ').any(|family| word.starts_with(family));
    match drive.zoned {
        Some(ZoneModel::HostManaged) => Some(" with host-managed zones (SMR)"),
        Some(ZoneModel::HostAware) => Some(" with zones (SMR)"),
        Some(ZoneModel::None) | None => match &drive.model {
            Some(model) if model.split_whitespace().any(is_listed) => {
                Some(" that its manufacturer lists as SMR")
            }
            _ => (drive.bus.as_deref() == Some("usb") && drive.size_bytes >= LARGE_BYTES)
                .then_some(" behind USB"),
        },
    }
}

pub fn in_plan(design: Design<'_>, place: &Place) -> Option<Hit> {
    let drive = drive(place).filter(|d| is_hard_disk(d))?;
    let cache = design.protocol.thresholds.media_cache_bytes;
    let written = design.expected_write_bytes;
    let why = suspicion(drive).filter(|_| written > 0 && written < cache)?;
    let evidence = format!(
        "a hard disk of {}{why}, and only {} to write",
        units::size(drive.size_bytes),
        units::size(written)
    );
    let advice = "write more than its media cache can store: {size=4g} and --max-write 30g";
    Some(Hit::new(evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{behind_usb, fires};

    #[test]
    fn l08_little_written_to_a_large_hard_disk_behind_usb_and_much() {
        let tb = 1_000_000_000_000;
        assert!(fires("L08", &behind_usb(5 * tb, 2 << 30)));
        assert!(!fires("L08", &behind_usb(5 * tb, 26 << 30)));
        assert!(!fires("L08", &behind_usb(tb / 2, 2 << 30)));
    }
}
