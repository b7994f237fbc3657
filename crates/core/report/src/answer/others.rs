//! Where a figure stands among those of other drives, in words.

use bakeoff_model::normal::Because;
use bakeoff_model::others::AmongOthers;
use bakeoff_model::path::sanitize;
use bakeoff_stats::phrases;

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
