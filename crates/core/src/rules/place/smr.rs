//! L08 smr: a hard disk that may use overlapping tracks (SMR), and less than 25 GB to write.

use super::{disk, is_hard_disk};
use crate::evidence::finding;
use crate::evidence::rule::{CLAIMS, Check, E, Rule, Stated, W, When};
use crate::model::event::Header;
use crate::model::finding::Finding;
use crate::model::host::Place;
use crate::units;

/// The rule.
pub static RULE: Rule = Rule {
    id: "L08",
    slug: "smr",
    when: &[When::Plan, When::Import],
    severity: [W, W, W, E],
    scope: CLAIMS,
    condition: "a hard disk that may use overlapping tracks (SMR), and less than 25 GB to write",
    explain: "Many large 2.5-inch disks write overlapping tracks and hide this behind a cache of \
        several GB on the platter. The 5 TB disk of one study is an example. Short writes go to \
        that cache and look fast; rewriting comes later. To measure the disk, write more than the \
        cache can store, or wait until it is empty.",
    checks: &[
        Check::Place(in_plan),
        Check::Stated(Stated {
            key: "recording",
            value: "smr",
            severity: None,
            advice: "Write tens of gigabytes: less lands in the drive's cache.",
        }),
    ],
};

/// From this size on a hard disk behind USB is likely to overlap its tracks.
const LARGE_BYTES: u64 = 1_000_000_000_000;

fn in_plan(header: &Header, place: &Place) -> Option<Finding> {
    let disk = disk(place).filter(|d| is_hard_disk(d))?;
    let is_suspect = disk.bus.as_deref() == Some("usb") && disk.size_bytes >= LARGE_BYTES;
    let cache = header.protocol.thresholds.media_cache_bytes;
    let written = header.expected_write_bytes;
    (is_suspect && written > 0 && written < cache).then(|| {
        let evidence = format!(
            "a hard disk of {} behind USB, and only {} to write",
            units::size(disk.size_bytes),
            units::size(written)
        );
        let advice = "write more than its media cache can store: --size 4g and --max-write 30g";
        finding(header, &RULE, evidence, advice)
    })
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
