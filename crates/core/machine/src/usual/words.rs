//! In words, where a figure stands among those of other drives.

use bakeoff_model::normal::{LinkLimit, Medium, Test};
use bakeoff_model::others::{Among, AmongOthers, Others};
use bakeoff_stats::units;

/// "slower than 9 in 10 of 20 microSD cards in a DDR50 slot (limit of the slot: 46.0 MB/s)".
pub fn place(test: Test, of: &AmongOthers, link: Option<&LinkLimit>) -> String {
    let others = drives(&of.others);
    let (low, high) = of.others.middle();
    let middle = format!("8 in 10: {}", range(test, low, high));
    let end = |value: f64| rate(test, value);
    let [lowest, .., highest] = of.others.tenths;
    let (said, bracket) = match of.among {
        Among::SlowerThanAll => {
            (format!("slower than all of {others}"), Some(format!("lowest: {}", end(lowest))))
        }
        Among::SlowerThanMost => (format!("slower than 9 in 10 of {others}"), None),
        Among::LowEnd => (format!("at the low end of {others}"), Some(middle)),
        Among::Usual => (format!("as usual for {others}"), Some(middle)),
        Among::HighEnd => (format!("at the high end of {others}"), Some(middle)),
        Among::FasterThanMost => (format!("faster than 9 in 10 of {others}"), None),
        Among::FasterThanAll => {
            (format!("faster than all of {others}"), Some(format!("highest: {}", end(highest))))
        }
        Among::TooWide => (format!("too variable to compare with {others}"), None),
    };
    let link = link.map(|link| limit(of.others.medium, link));
    let brackets: Vec<String> = bracket.into_iter().chain(link).collect();
    if brackets.is_empty() { said } else { format!("{said} ({})", brackets.join("; ")) }
}

/// "limit of the slot: 46.0 MB/s".
pub fn limit(medium: Medium, link: &LinkLimit) -> String {
    let what = if medium == Medium::Sd { "slot" } else { "link" };
    format!("limit of the {what}: {}", units::rate(link.practice_bytes_per_s))
}

/// "20 microSD cards in a DDR50 slot".
pub fn drives(of: &Others) -> String {
    let kind = match of.medium {
        Medium::Sd => "microSD cards",
        Medium::Emmc => "eMMC chips",
        Medium::UsbStick => "USB sticks",
        Medium::UsbSsd => "SSDs",
        Medium::UsbHdd | Medium::AtaHdd => "hard disks",
        Medium::AtaSsd => "SATA SSDs",
        Medium::Nvme => "NVMe SSDs",
        Medium::Virtio | Medium::Virtual => "virtual disks",
        Medium::Loop => "disk images",
        Medium::Network => "network filesystems",
    };
    let link = match (of.link.as_deref(), of.medium) {
        (Some("sd-hs"), _) => " in a high-speed slot",
        (Some("sd-sdr50"), _) => " in an SDR50 slot",
        (Some("sd-ddr50"), _) => " in a DDR50 slot",
        (Some("sd-sdr104"), _) => " in an SDR104 slot",
        (Some("usb2"), _) => " on USB 2",
        (Some("usb3"), _) => " on USB 3",
        (Some("pcie2-x1"), _) => " on PCIe 2 x1",
        (Some("pcie3-x1"), _) => " on PCIe 3 x1",
        (None, Medium::Sd) => " in slots of any kind",
        (None, Medium::UsbSsd | Medium::UsbStick) => " on USB 2 and USB 3",
        _ => "",
    };
    format!("{} {kind}{link}", of.n)
}

/// "43.0 MB/s", "1210/s".
pub fn rate(test: Test, value: f64) -> String {
    if test.is_in_bytes() { units::rate(value) } else { format!("{}/s", units::count(value)) }
}

/// "42.3 to 46.1 MB/s": the unit once where it is the same.
pub fn range(test: Test, low: f64, high: f64) -> String {
    let (low, high) = (rate(test, low), rate(test, high));
    let number = |text: &str| text.find([' ', '/']).map(|at| (text[..at].to_string(), at));
    match (number(&low), number(&high)) {
        (Some((number, at)), Some((_, other))) if low[at..] == high[other..] => {
            format!("{number} to {high}")
        }
        _ => format!("{low} to {high}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usual::others;

    fn among(link: &str, test: Test, low: f64, high: f64) -> AmongOthers {
        let of = others::find(Medium::Sd, Some(link), test).unwrap();
        AmongOthers::new(of, low, (low, high))
    }

    #[test]
    fn a_place_says_among_whom_and_what_is_usual() {
        let said =
            |low, high| place(Test::RandRead, &among("sd-ddr50", Test::RandRead, low, high), None);
        let of = "20 microSD cards in a DDR50 slot";
        assert_eq!(said(1190.0, 1230.0), format!("slower than 9 in 10 of {of}"));
        assert_eq!(said(300.0, 310.0), format!("slower than all of {of} (lowest: 395/s)"));
        assert_eq!(said(1900.0, 2000.0), format!("as usual for {of} (8 in 10: 1654 to 2630/s)"));
        assert_eq!(said(1000.0, 9000.0), format!("too variable to compare with {of}"));
        let link = LinkLimit { practice_bytes_per_s: 46e6, source: "a table".into() };
        let read = among("sd-ddr50", Test::SeqRead, 42.9e6, 43.1e6);
        let read = place(Test::SeqRead, &read, Some(&link));
        assert_eq!(
            read,
            "as usual for 27 microSD cards in a DDR50 slot (8 in 10: 42.3 to 46.1 MB/s; limit of \
             the slot: 46.0 MB/s)"
        );
    }
}
