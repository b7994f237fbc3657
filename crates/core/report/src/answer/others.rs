//! Where a figure stands among those of other drives, in words and as a strip.

use bakeoff_machine::usual::words::{drives, place, rate};
use bakeoff_model::normal::{Because, LeaderFigure, PlaceFigure, Test};
use bakeoff_model::others::AmongOthers;
use bakeoff_model::path::sanitize;
use bakeoff_stats::phrases;

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
    use bakeoff_model::normal::Medium;

    #[test]
    fn a_strip_has_everything_inside_and_in_order() {
        for (low, high) in [(1190.0, 1230.0), (0.0, f64::INFINITY), (9000.0, 9100.0)] {
            let others = others::find(Medium::Sd, Some("sd-hs"), Test::RandRead).unwrap();
            let of = AmongOthers::new(others, low, (low, high));
            let strip = Strip::new(Test::RandRead, 1210.0, &of);
            assert!(strip.tenths.is_sorted(), "{strip:?}");
            let all = strip.tenths.into_iter().chain([strip.low, strip.at, strip.high]);
            assert!(all.into_iter().all(|at| (0.0..=1.0).contains(&at)), "{strip:?}");
            assert!(strip.said.contains("median 1399/s, highest 2574/s; this one 1210/s"));
        }
    }
}
