//! What a measured pace says: against what is usual for such storage, and against the marks on a
//! card.

use super::exam::{ExamAnswer, ExamPart, PartSeen};
use super::pace::{PaceVerdict, PieceRates, SHARE_OF_MARK};
use crate::usual::words::{self, rate};
use crate::usual::{labels, links, medium, others};
use bakeoff_model::host::Place;
use bakeoff_model::normal::{Label, LinkLimit, Medium, Test};
use bakeoff_model::others::AmongOthers;
use bakeoff_stats::units;

/// From this share of what a link carries on, the link is what limits.
const AT_LIMIT: f64 = 0.9;
/// From this share of empty blocks on, a drive may have answered without reading its flash.
const EMPTY: f64 = 0.5;
/// Operations a second that class A1 promises; A2 promises more only with a command queue. SD
/// Physical Layer Simplified Specification 4.16, application performance class.
const A1_READS: f64 = 1500.0;
const A1_WRITES: f64 = 500.0;
/// Cards of class A1 of known makers do 942 to 2470 random reads a second in boards, because a part
/// of each is the board's: only half of the promise is asked of a card.
const SHARE_OF_APP_CLASS: f64 = 0.5;

/// What is known of drives of the same kind.
#[derive(Clone, Debug, Default)]
pub struct AlikeDrives {
    medium: Option<Medium>,
    classes: Vec<String>,
    link_key: Option<&'static str>,
    link: Option<LinkLimit>,
    /// Whether the machine itself was slowed down meanwhile, by heat or its supply.
    pub is_throttled: bool,
}

/// How something was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeasuredPace {
    pub pace: PieceRates,
    /// Bytes of other programs as a share of ours; `None` = not known.
    pub foreign: Option<f64>,
    /// Share of the bytes read that were zero.
    pub empty: f64,
    /// Reads that failed: where, and whether they succeeded when they were repeated.
    pub failed: Vec<(u64, bool)>,
}

impl AlikeDrives {
    /// `place` is the drive, `model` the board.
    pub fn new(place: &Place, model: Option<&str>) -> AlikeDrives {
        let kind = medium::of_place(place).ok();
        let drive = kind.and_then(|(_, drive)| drive);
        let key = |drive| links::key(drive).or_else(|| links::slot_key(model, drive));
        AlikeDrives {
            medium: kind.map(|(medium, _)| medium),
            classes: drive.map(medium::classes).unwrap_or_default(),
            link_key: drive.and_then(key),
            link: drive.and_then(|drive| links::limit(model, drive)),
            is_throttled: false,
        }
    }

    /// The highest promise of sequential writing, as far as the link can carry it.
    pub fn write_mark(&self) -> Option<Label> {
        let label = labels::best(&self.classes, Test::SeqWrite)?;
        let carries =
            self.link.as_ref().is_none_or(|of| of.practice_bytes_per_s > label.bytes_per_s);
        carries.then_some(label)
    }

    pub fn app_class(&self) -> Option<&str> {
        self.classes.iter().map(String::as_str).find(|class| matches!(*class, "A1" | "A2"))
    }

    pub fn reads(&self, test: Test, measured: &MeasuredPace) -> PartSeen {
        let part =
            if test.is_in_bytes() { ExamPart::SequentialReads } else { ExamPart::RandomReads };
        if let Some((at, recovered)) = measured.failed.first() {
            return failed(part, *at, *recovered, measured.failed.len());
        }
        let Some((middle, words)) = figure(test, &measured.pace) else {
            return PartSeen::fine(part, "too little could be read in the time");
        };
        let words = match self.app_class().filter(|_| test == Test::RandRead) {
            Some(class) if middle.0 >= A1_READS => format!("{words}, as class {class} promises"),
            Some(class) => {
                format!("{words}, of the {A1_READS:.0} that class {class} promises")
            }
            None => words,
        };
        let found = self.medium.and_then(|medium| others::find(medium, self.link_key, test));
        let Some(others) = found else {
            return PartSeen::fine(part, format!("{words}; too few others are known to judge it"));
        };
        let (rate, low, high) = middle;
        let slow_below = others.slow_below();
        let among = AmongOthers::new(others, rate, (low, high));
        let link = self.link.as_ref().filter(|_| test.is_in_bytes());
        let usual = words::place(test, &among, link);
        match measured.pace.against(slow_below, self.foreign(measured)) {
            PaceVerdict::Below => {
                PartSeen::wrong(part, ExamAnswer::Slow, format!("{words}; {usual}"))
            }
            PaceVerdict::NotJudged => {
                PartSeen::fine(part, format!("{words}; {}", not_judged(&usual)))
            }
            PaceVerdict::Reached => {
                let note = if link.is_some_and(|of| rate >= of.practice_bytes_per_s * AT_LIMIT) {
                    ": the link is the limit"
                } else if measured.empty >= EMPTY {
                    ". Most of what was read is empty, which a drive may answer without its flash"
                } else {
                    ""
                };
                PartSeen::fine(part, format!("{words}; {usual}{note}"))
            }
        }
    }

    /// Sequential writes against the mark on the card; `None` without one.
    pub fn marked_writes(&self, measured: &MeasuredPace) -> Option<PartSeen> {
        let mark = self.write_mark()?;
        let promise = (mark.class.as_str(), mark.bytes_per_s, SHARE_OF_MARK);
        let of = (ExamPart::SequentialWrites, Test::SeqWrite);
        self.promised(of, promise, measured)
    }

    /// Random writes against class A1 or A2; `None` without one.
    pub fn marked_random_writes(&self, measured: &MeasuredPace) -> Option<PartSeen> {
        let promise = (self.app_class()?, A1_WRITES, SHARE_OF_APP_CLASS);
        self.promised((ExamPart::RandomWrites, Test::RandWrite), promise, measured)
    }

    fn promised(
        &self,
        (part, test): (ExamPart, Test),
        (class, promise, share): (&str, f64, f64),
        measured: &MeasuredPace,
    ) -> Option<PartSeen> {
        let ((middle, ..), words) = figure(test, &measured.pace)?;
        let promised = format!("{class} promises {}", rate(test, promise));
        let found = format!("{words}; {promised}");
        Some(match measured.pace.against(promise * share, self.foreign(measured)) {
            PaceVerdict::Reached if middle >= promise * SHARE_OF_MARK => {
                PartSeen::fine(part, format!("{found}: kept"))
            }
            PaceVerdict::Reached => {
                PartSeen::fine(part, format!("{found}: not reached here, which proves nothing"))
            }
            PaceVerdict::NotJudged => {
                PartSeen::fine(part, format!("{words}; {}", not_judged(&promised)))
            }
            PaceVerdict::Below => {
                PartSeen::wrong(part, ExamAnswer::Slow, format!("{found}: not kept")).advise(
                    "a card that is full or was never trimmed writes more slowly: trim it with \
                     `fstrim`, and probe it once more in another reader before you complain",
                )
            }
        })
    }

    fn foreign(&self, measured: &MeasuredPace) -> Option<f64> {
        measured.foreign.filter(|_| !self.is_throttled)
    }
}

fn not_judged(what: &str) -> String {
    format!(
        "{what}, but other programs used the drive or the board was throttled, so nothing is \
         called slow"
    )
}

pub fn failed(part: ExamPart, at: u64, recovered: bool, count: usize) -> PartSeen {
    let place = units::size_decimal(at);
    let times = bakeoff_stats::phrases::count(count, "read");
    let (found, advice) = if recovered {
        (
            format!("{times} failed and succeeded when repeated, the first at {place}"),
            "try another reader, cable or port and power supply, and probe again",
        )
    } else {
        (
            format!("{times} failed, the first at {place} twice"),
            "back up what can be read, and replace the drive",
        )
    };
    PartSeen::wrong(part, ExamAnswer::Failing, found).advise(advice)
}

/// The median of the pieces with its interval, and that in words.
fn figure(test: Test, pace: &PieceRates) -> Option<((f64, f64, f64), String)> {
    let middle = pace.median()?;
    let words = format!("{} ({})", rate(test, middle.0), words::range(test, middle.1, middle.2));
    Some((middle, words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_model::host::{Layer, LayerKind};

    fn card(class: &str, mode: &str) -> AlikeDrives {
        let drive = Layer {
            kind: LayerKind::Disk,
            bus: Some("mmc".into()),
            link: Some(mode.into()),
            card_class: Some(class.into()),
            ..Layer::default()
        };
        let place = Place { chain: vec![drive], ..Place::default() };
        AlikeDrives::new(&place, Some("Raspberry Pi 4 Model B Rev 1.4"))
    }

    fn at(rate: f64) -> MeasuredPace {
        let rates = (0..40).map(|i| rate * (1.0 + f64::from(i % 5) / 100.0));
        MeasuredPace { pace: PieceRates::new(rates), foreign: Some(0.0), ..MeasuredPace::default() }
    }

    const DDR50: &str = "SD, sd uhs DDR50, 50 MHz, 4 bits";

    #[test]
    fn reads_are_judged_by_what_is_usual_and_never_while_others_read() {
        let card = card("class 10, U3, A1", DDR50);
        let reads = |test, measured: &MeasuredPace| card.reads(test, measured).answer;
        assert_eq!(reads(Test::SeqRead, &at(44e6)), ExamAnswer::NothingWrongFound);
        assert!(card.reads(Test::SeqRead, &at(44e6)).found.ends_with("the link is the limit"));
        assert_eq!(reads(Test::SeqRead, &at(2e6)), ExamAnswer::Slow);
        assert_eq!(reads(Test::RandRead, &at(2000.0)), ExamAnswer::NothingWrongFound);
        assert_eq!(reads(Test::RandRead, &at(100.0)), ExamAnswer::Slow);
        let busy = MeasuredPace { foreign: Some(0.5), ..at(100.0) };
        assert_eq!(reads(Test::RandRead, &busy), ExamAnswer::NothingWrongFound);
        let throttled = AlikeDrives { is_throttled: true, ..card.clone() };
        let seen = throttled.reads(Test::RandRead, &at(100.0));
        assert_eq!(seen.answer, ExamAnswer::NothingWrongFound);
        assert!(seen.found.contains("throttled"), "{seen:?}");
        let failed = MeasuredPace { failed: vec![(1 << 30, false)], ..at(44e6) };
        assert_eq!(reads(Test::SeqRead, &failed), ExamAnswer::Failing);
    }

    #[test]
    fn storage_without_figures_of_others_is_never_slow() {
        let nothing = AlikeDrives::new(&Place::default(), None);
        assert_eq!(nothing.reads(Test::SeqRead, &at(1.0)).answer, ExamAnswer::NothingWrongFound);
        let drive = Layer { kind: LayerKind::Disk, bus: Some("virtio".into()), ..Layer::default() };
        let place = Place { chain: vec![drive], ..Place::default() };
        let seen = AlikeDrives::new(&place, None).reads(Test::RandRead, &at(1.0));
        assert_eq!(seen.answer, ExamAnswer::NothingWrongFound);
        assert!(seen.found.contains("too few others"), "{seen:?}");
    }

    #[test]
    fn marks_are_kept_or_not_and_only_judged_where_the_link_carries_them() {
        let v30 = card("class 10, U3, V30, A2", DDR50);
        let writes = |of: &AlikeDrives, rate| of.marked_writes(&at(rate)).map(|seen| seen.answer);
        assert_eq!(writes(&v30, 33e6), Some(ExamAnswer::NothingWrongFound));
        assert_eq!(writes(&v30, 21e6), Some(ExamAnswer::Slow));
        assert_eq!(writes(&card("class 10, V90", DDR50), 30e6), None, "the link is slower");
        assert_eq!(writes(&card("", DDR50), 1e6), None);
        let random = |rate| v30.marked_random_writes(&at(rate)).unwrap();
        assert!(random(600.0).found.ends_with("kept"));
        let between = random(300.0);
        assert_eq!(between.answer, ExamAnswer::NothingWrongFound);
        assert!(between.found.ends_with("proves nothing"), "{between:?}");
        assert_eq!(random(100.0).answer, ExamAnswer::Slow);
    }
}
