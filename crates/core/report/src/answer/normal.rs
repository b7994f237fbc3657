//! Four figures of one place in words, and the answer to "is this normal?".
//!
//! Every verdict says in the same sentence among whom a figure stands.

use crate::document::{Table, number, words as column};
use crate::layout::Tone;
use bakeoff_judge::evidence::cell::machine;
use bakeoff_machine::usual::words as usual;
use bakeoff_model::normal::{Below, Label, Medium, Normal, Normality, PlaceFigure, WhyUnknown};
use bakeoff_model::others::Among;
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_stats::phrases;
use bakeoff_stats::units;

use super::names;
use super::others;

#[derive(Clone, Debug, PartialEq)]
pub struct PlaceAnswer {
    pub said: String,
    pub figures: Vec<FigureWords>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FigureWords {
    pub name: String,
    /// MB/s without the unit.
    pub mb_per_s: String,
    pub iops: String,
    /// "p99 24.3 ms", or nothing.
    pub tail: String,
    /// "as usual for 27 microSD cards in a DDR50 slot (…)".
    pub verdict: String,
    /// Where the figures of the others are published, and the link's; or nothing.
    pub source: String,
    /// Whether there is nothing to say but that nothing is known.
    pub is_unknown: bool,
    pub tone: Tone,
}

impl FigureWords {
    pub fn is_of(&self, workload: &str) -> bool {
        self.name == phrases::capital(workload)
    }

    pub fn spoken(&self) -> String {
        let figures = [
            format!("{} MB/s", self.mb_per_s),
            format!("{} IOPS", self.iops),
            self.tail.clone(),
            self.verdict.clone(),
        ];
        let said: Vec<String> = figures.into_iter().filter(|part| !part.is_empty()).collect();
        let source = if self.source.is_empty() {
            String::new()
        } else {
            format!(" Source: {}.", self.source)
        };
        format!("{}: {}.{source}", self.name, said.join(", "))
    }
}

pub fn words(run: &Run, normal: &Normal) -> PlaceAnswer {
    let name = run.header.candidates.first().map_or(String::new(), |c| sanitize(&c.name));
    PlaceAnswer { said: said(&name, normal), figures: normal.figures.iter().map(figure).collect() }
}

fn said(name: &str, normal: &Normal) -> String {
    let tests = |wanted: &dyn Fn(&PlaceFigure) -> bool| {
        let of = normal.figures.iter().filter(|f| wanted(f));
        let named: Vec<String> = of.map(|f| names::workload(f.test.workload())).collect();
        (!named.is_empty()).then(|| phrases::list(&named))
    };
    let for_what = subject(normal).map_or(String::new(), |of| format!(" for {of}"));
    let is_slower = |f: &PlaceFigure| f.others.as_ref().is_some_and(|of| of.among.is_slower());
    let is_normal = |f: &PlaceFigure| matches!(f.normality, Normality::Normal { .. });
    let slow = tests(&|f| matches!(f.normality, Normality::Slow { .. }));
    let slower = tests(&|f| is_normal(f) && is_slower(f));
    let disturbed = tests(&|f| matches!(f.normality, Normality::Disturbed { .. }));
    let fast = tests(&|f| matches!(f.normality, Normality::Fast { .. }));
    let cached = tests(&|f| matches!(f.normality, Normality::Cached { .. }));
    let fine = tests(&|f| is_normal(f) && !is_slower(f));
    let is_open = |f: &PlaceFigure| {
        let is_low = matches!(f.normality, Normality::Slow { .. }) || is_slower(f) && is_normal(f);
        is_low && f.because.is_empty()
    };
    let mut parts = Vec::new();
    match (slow, slower, fine) {
        (None, None, Some(fine)) => {
            parts.push(format!("{name}: {fine} are normal{for_what}."));
        }
        (slow, slower, _) => {
            parts.extend(slow.map(|of| format!("{name} is slow{for_what}: {of}.")));
            parts.extend(
                slower.map(|of| format!("{name} is slower than most others{for_what}: {of}.")),
            );
        }
    }
    if normal.figures.iter().any(is_open) {
        parts.push("Find the cause: bakeoff devices DRIVE.".to_string());
    }
    if let Some(disturbed) = disturbed {
        parts.push(format!("Cannot judge {disturbed}: the measurements were disturbed."));
    }
    if let Some(fast) = fast {
        parts.push(format!("Faster than any reference figure: {fast}."));
    }
    if let Some(cached) = cached {
        parts.push(format!("Not judged, because the data may have come from a cache: {cached}."));
    }
    if parts.is_empty() {
        let why = normal.unknown.map(|why| why_unknown(why).to_string());
        let why = why.unwrap_or_else(|| few_others(normal));
        return format!("Cannot determine whether {name} is normal: {why}.");
    }
    parts.join(" ")
}

/// Why a figure of a known kind is not judged.
fn few_others(normal: &Normal) -> String {
    let is_wide = |f: &PlaceFigure| f.others.as_ref().is_some_and(|o| o.among == Among::TooWide);
    match (normal.figures.iter().any(is_wide), normal.medium) {
        (true, _) => "its figures vary too much".to_string(),
        (false, Some(of)) => format!("too few figures of others like {} are known", medium(of)),
        (false, None) => "no reference figures for it".to_string(),
    }
}

fn why_unknown(why: WhyUnknown) -> &'static str {
    match why {
        WhyUnknown::Memory => "it is in memory",
        WhyUnknown::UserSpace => "the filesystem uses a user-space driver",
        WhyUnknown::NotVisible => "the drive is not visible from here",
        WhyUnknown::SeveralDisks => "no reference figures for several drives together",
        WhyUnknown::OtherBus => "no reference figures for this kind of drive",
    }
}

/// "an SD card (class 10, U1) over SD, sd high-speed, on a Raspberry Pi 3 Model B+".
fn subject(normal: &Normal) -> Option<String> {
    let class = normal.card_class.as_deref().map(|class| format!(" ({class})"));
    let link = normal.link.as_ref().filter(|link| link.says_more());
    let link = link.map(|link| format!(" over {link}"));
    let board = normal.board.as_deref().map(|board| format!(" on a {board}"));
    let crypt = normal.is_encrypted.then(|| " with encryption".to_string());
    let parts = [class, link, board, crypt].into_iter().flatten().collect::<String>();
    Some(sanitize(&format!("{}{parts}", medium(normal.medium?))))
}

pub fn medium(medium: Medium) -> &'static str {
    match medium {
        Medium::Sd => "an SD card",
        Medium::Emmc => "an eMMC",
        Medium::UsbStick => "a USB stick or card reader",
        Medium::UsbSsd => "an SSD on USB",
        Medium::UsbHdd => "a hard disk on USB",
        Medium::AtaHdd => "a hard disk",
        Medium::AtaSsd => "a SATA SSD",
        Medium::Nvme => "an NVMe SSD",
        Medium::Virtio => "a virtio disk",
        Medium::Virtual => "a virtual disk",
        Medium::Loop => "a disk image",
        Medium::Network => "a network filesystem",
    }
}

fn figure(of: &PlaceFigure) -> FigureWords {
    let name = phrases::capital(&names::workload(of.test.workload()));
    let tail = of.tail.map_or(String::new(), |tail| {
        let what = if tail.of_flushes { " flush" } else { "" };
        format!("p{}{what} {}", tail.percent, units::latency(tail.ns))
    });
    let others = of.others.as_ref().filter(|_| !is_from_memory(&of.normality));
    let link = of.link.as_ref().map(|link| format!("link: {}", sanitize(&link.source)));
    let is_slower = of.others.as_ref().is_some_and(|of| of.among.is_slower());
    FigureWords {
        name,
        mb_per_s: units::three_digits(of.bytes_per_s / 1e6),
        iops: units::count(of.iops),
        tail,
        verdict: verdict(of),
        source: others.map(others::source).into_iter().chain(link).collect::<Vec<_>>().join("; "),
        is_unknown: of.normality == Normality::Unknown && of.others.is_none(),
        tone: match of.normality {
            Normality::Normal { .. } if is_slower => Tone::Caution,
            Normality::Normal { .. } => Tone::Good,
            Normality::Slow { .. } => Tone::Bad,
            Normality::Unknown => Tone::Plain,
            Normality::Disturbed { .. } | Normality::Fast { .. } | Normality::Cached { .. } => {
                Tone::Caution
            }
        },
    }
}

/// Whether a figure is, or may be, none of the drive.
fn is_from_memory(of: &Normality) -> bool {
    matches!(of, Normality::Cached { .. } | Normality::Fast { is_from_cache: true })
}

/// "V30: 30.0 MB/s".
fn promise(of: &PlaceFigure, label: &Label) -> String {
    let promised = if of.test.is_in_bytes() {
        label.bytes_per_s
    } else {
        label.bytes_per_s * of.iops / of.bytes_per_s
    };
    format!("{}: {}", sanitize(&label.class), usual::rate(of.test, promised))
}

fn verdict(of: &PlaceFigure) -> String {
    let link = of.link.as_ref();
    let among = of.others.as_ref().map(|others| usual::place(of.test, others, link));
    let why =
        others::causes(&of.because).map_or(String::new(), |causes| format!(", because {causes}"));
    match &of.normality {
        Normality::Normal { at_link_limit } => {
            let limit = link.filter(|_| *at_link_limit).map(|link| {
                let limit = units::rate(link.practice_bytes_per_s);
                format!("normal, the link is the limit ({limit})")
            });
            let said = among.or(limit).unwrap_or_else(|| "normal".to_string());
            let is_above = |label: &&Label| of.bytes_per_s > label.bytes_per_s;
            let label = of.label.as_ref().filter(is_above).map_or(String::new(), |label| {
                format!(", faster than the label ({})", promise(of, label))
            });
            format!("{said}{label}{why}")
        }
        Normality::Slow { below } => {
            let than = match below {
                Below::Others => among,
                Below::Label => {
                    let label = of.label.as_ref();
                    label.map(|label| format!("below the label ({})", promise(of, label)))
                }
            };
            let why = if why.is_empty() { ", cause unknown" } else { &why };
            format!("slow: {}{why}", than.unwrap_or_default())
        }
        Normality::Disturbed { by } => {
            let by: Vec<String> = by.iter().map(|id| disturbance(id)).collect();
            format!("not judged: low, but disturbed by {}", phrases::list(&by))
        }
        Normality::Fast { is_from_cache: true } => {
            "faster than the link: the data came from a cache".to_string()
        }
        Normality::Fast { is_from_cache: false } => {
            "faster than any reference figure, possibly from a cache".to_string()
        }
        Normality::Cached { is_certain: true } => {
            "not judged: the data came from memory".to_string()
        }
        Normality::Cached { is_certain: false } => {
            "not judged: cannot determine whether the data came from a cache".to_string()
        }
        Normality::Unknown => {
            among.unwrap_or_else(|| "cannot determine: too few figures of others".to_string())
        }
    }
}

fn disturbance(id: &str) -> String {
    let known = [
        (machine::BACKGROUND, "other processes"),
        (machine::THROTTLED, "throttling"),
        (machine::SWAP, "swapping"),
        (machine::SUSPENDED, "suspending the machine"),
        (machine::LAZYINIT, "a filesystem that is still initialising"),
    ];
    let what = known.iter().find(|(rule, _)| *rule == id).map_or("a finding", |(_, what)| what);
    format!("{what} ({})", sanitize(id))
}

/// The figures, a row each; with their verdicts where those are not said beside it.
pub fn table(of: &PlaceAnswer, has_verdicts: bool) -> Table {
    let numbers = ["MB/s", "IOPS", "latency"].map(number);
    let verdict = has_verdicts.then(|| column("verdict"));
    let columns = std::iter::once(column("test")).chain(numbers).chain(verdict);
    let cells = |f: &FigureWords| {
        let cells = [&f.name, &f.mb_per_s, &f.iops, &f.tail].into_iter();
        cells.chain(has_verdicts.then_some(&f.verdict)).cloned().collect()
    };
    Table::new(columns, of.figures.iter().map(cells))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::tests::sample_normal::normal;
    use crate::{TextOptions, screen};
    use bakeoff_judge::analyse::analyse;
    use bakeoff_judge::testing::RunBuilder;

    /// What a reader sees of a card in a Raspberry Pi 4 and of a virtual disk, on 24 lines of 80
    /// columns.
    #[test]
    fn the_screen_says_it_in_24_lines() {
        let shown = |bus: &str, link: Option<&str>, class: Option<&str>, rates: [f64; 4]| {
            let run = RunBuilder::directories(&["/srv"])
                .workloads(&["seqread", "seqwrite", "randread", "randwrite"])
                .header(|h| h.host.model = Some("Raspberry Pi 4 Model B Rev 1.4".into()));
            let run = run.place(0, |place| {
                let drive = &mut place.chain[1];
                drive.bus = Some(bus.to_string());
                drive.link = link.map(Into::into);
                drive.card_class = class.map(str::to_string);
            });
            let rate =
                move |b: u32, _, w: u16| rates[usize::from(w)] * (1.0 + f64::from(b % 2) * 0.002);
            let run = run.play(9, rate).build();
            let text = screen(&run, &analyse(&run), &TextOptions::default(), None);
            assert!(text.lines().count() <= 24, "{}: {text}", text.lines().count());
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
            text
        };
        let (link, class) = ("SD, sd uhs DDR50, 50 MHz, 4 bits", "class 10, U3, V30, A2");
        let card = |rates| shown("mmc", Some(link), Some(class), rates);
        insta::assert_snapshot!("card", card([43e6, 33e6, 2400.0, 200.0]));
        insta::assert_snapshot!("slow_card", card([43e6, 20e6, 300.0, 200.0]));
        insta::assert_snapshot!("virtio", shown("virtio", None, None, [9e8, 4e8, 8e3, 1500.0]));
    }

    #[test]
    fn every_verdict_has_its_words_and_hostile_text_is_harmless() {
        let run = RunBuilder::directories(&["/mnt/\u{1b}[2Jx"]).build();
        let mut of = normal();
        of.card_class = Some("\u{1b}]0;x\u{7}".to_string());
        of.figures.iter_mut().for_each(|f| {
            f.label.as_mut().unwrap().class = "\u{1b}[1m".to_string();
            f.others.as_mut().unwrap().others.sources = vec!["a\u{202e}b".to_string()];
        });
        let words = words(&run, &of);
        let all = format!("{words:#?}");
        assert!(!all.contains('\u{1b}') && !all.contains("\\u{1b}[1m"), "{all}");
        insta::assert_snapshot!("every_verdict", {
            let lines = words.figures.iter().map(|f| format!("{} | {}", f.verdict, f.source));
            format!("{}\n{}", words.said, lines.collect::<Vec<_>>().join("\n"))
        });
    }
}
