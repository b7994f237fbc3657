//! Where a figure stands among those of other drives, in words and as a strip.

use bakeoff_model::normal::{Because, LeaderFigure, LinkLimit, Medium, PlaceFigure, Test};
use bakeoff_model::others::{Among, AmongOthers, Others};
use bakeoff_model::path::sanitize;
use bakeoff_stats::{phrases, units};

use super::names;

/// Room on both sides of a strip, as a factor.
const ROOM: f64 = 1.06;

/// The figure of a comparison's leader, for those who ask whether the drive is as it should be.
#[derive(Clone, Debug, PartialEq)]
pub struct OthersWords {
    /// "Random reads: 1210/s, slower than 9 in 10 of 20 microSD cards in a DDR50 slot."
    pub sentence: String,
    /// Whether it is slower than nine in ten of the others.
    pub is_slower: bool,
    pub source: String,
    pub strip: Strip,
}

/// The tenths of the others and the figure on an axis from 0 to 1, which is logarithmic.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    pub tenths: [f64; 11],
    pub at: f64,
    /// Its interval.
    pub low: f64,
    pub high: f64,
    /// What it shows, for those who do not see it.
    pub said: String,
    /// The lowest, the median and the highest.
    pub ends: [String; 3],
}

pub fn words(of: &LeaderFigure) -> Option<OthersWords> {
    let among = of.figure.others.as_ref()?;
    let whose = sanitize(&of.candidate);
    Some(OthersWords {
        sentence: sentence(&of.figure, among, Some(&whose)),
        is_slower: among.among.is_slower(),
        source: source(among),
        strip: Strip::new(of.figure.test, of.figure.rate(), among),
    })
}

/// One sentence about a figure, with the likely cause where it is low and one is known.
pub fn sentence(figure: &PlaceFigure, among: &AmongOthers, whose: Option<&str>) -> String {
    let name = phrases::capital(&names::workload(figure.test.workload()));
    let whose = whose.map_or(String::new(), |whose| format!(" ({whose})"));
    let rate = rate(figure.test, figure.rate());
    let place = place(figure.test, among, figure.link.as_ref());
    let because = match causes(&figure.because) {
        Some(causes) => format!(" Likely cause: {causes}."),
        None => String::new(),
    };
    format!("{name}{whose}: {rate}, {place}.{because}")
}

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
    match brackets.is_empty() {
        true => said,
        false => format!("{said} ({})", brackets.join("; ")),
    }
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

pub fn source(of: &AmongOthers) -> String {
    let sources = &of.others.sources;
    sanitize(&format!("{}: {}", phrases::count(sources.len(), "source"), sources.join("; ")))
}

/// The likely causes together; `None` = none is known.
pub fn causes(all: &[Because]) -> Option<String> {
    let all: Vec<String> = all.iter().map(|because| reason(*because).to_string()).collect();
    (!all.is_empty()).then(|| phrases::list(&all))
}

fn reason(because: Because) -> &'static str {
    match because {
        Because::SlowLink => "drive and port use a slower link than both support",
        Because::SlowMode => "the card runs in a slower mode than card and slot support",
        Because::NoUas => "the USB drive runs without UAS",
        Because::LinkBelowLabel => "the link is slower than the label promises",
        Because::Encryption => "the filesystem is encrypted",
        Because::Full => "less than a tenth of the filesystem is free",
        Because::Health => "the drive reports wear or errors",
        Because::Fake => "the card's identity is typical of counterfeits",
    }
}

/// "43.0 MB/s", "1210/s".
pub fn rate(test: Test, value: f64) -> String {
    match test.is_in_bytes() {
        true => units::rate(value),
        false => format!("{}/s", units::count(value)),
    }
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

impl Strip {
    pub fn new(test: Test, rate_now: f64, of: &AmongOthers) -> Strip {
        let [lowest, .., highest] = of.others.tenths;
        let within = |value: f64, else_at: f64| if value.is_normal() { value } else { else_at };
        let (low, high) = (within(of.low, rate_now), within(of.high, rate_now));
        let left = libm::log(lowest.min(low).min(rate_now) / ROOM);
        let right = libm::log(highest.max(high).max(rate_now) * ROOM);
        let at = |value: f64| (libm::log(value) - left) / (right - left);
        let ends = [lowest, of.others.median(), highest].map(|value| rate(test, value));
        let [least, half, most] = &ends;
        Strip {
            tenths: of.others.tenths.map(at),
            at: at(rate_now),
            low: at(low),
            high: at(high),
            said: format!(
                "{} of {}: lowest {least}, median {half}, highest {most}; this one {}",
                phrases::capital(&names::workload(test.workload())),
                drives(&of.others),
                rate(test, rate_now)
            ),
            ends,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_machine::usual::others;

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

    #[test]
    fn a_strip_has_everything_inside_and_in_order() {
        for (low, high) in [(1190.0, 1230.0), (0.0, f64::INFINITY), (9000.0, 9100.0)] {
            let of = among("sd-hs", Test::RandRead, low, high);
            let strip = Strip::new(Test::RandRead, 1210.0, &of);
            assert!(strip.tenths.is_sorted(), "{strip:?}");
            let all = strip.tenths.into_iter().chain([strip.low, strip.at, strip.high]);
            assert!(all.into_iter().all(|at| (0.0..=1.0).contains(&at)), "{strip:?}");
            assert!(strip.said.contains("median 1399/s, highest 2574/s; this one 1210/s"));
        }
    }
}
