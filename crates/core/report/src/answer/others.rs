//! Where a figure stands among those of other drives, in words.

use bakeoff_machine::usual::words::{place, rate};
use bakeoff_model::normal::{Because, LeaderFigure, PlaceFigure};
use bakeoff_model::others::AmongOthers;
use bakeoff_model::path::sanitize;
use bakeoff_stats::phrases;

use super::names;

/// The figure of a comparison's leader, for those who ask whether the drive is as it should be.
#[derive(Clone, Debug, PartialEq)]
pub struct OthersWords {
    /// "Random reads: 1210/s, slower than 9 in 10 of 20 microSD cards in a DDR50 slot."
    pub sentence: String,
    /// Whether it is slower than nine in ten of the others.
    pub is_slower: bool,
    pub source: String,
}

pub fn words(of: &LeaderFigure) -> Option<OthersWords> {
    let among = of.figure.others.as_ref()?;
    let whose = sanitize(&of.candidate);
    Some(OthersWords {
        sentence: sentence(&of.figure, among, Some(&whose)),
        is_slower: among.among.is_slower(),
        source: source(among),
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
