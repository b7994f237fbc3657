//! What is usual for a kind of storage: `data/usual.csv` and `data/links.csv`, published figures
//! and specifications, each line with its source.
//!
//! A line is about a medium, and if it says so about a class of card, a link or a board; the line
//! that says most is the one that counts. A range has no upper end where only the link ends it:
//! [`links`] has what links carry. `data/README.md` says how far they carry; nothing in them was
//! measured by bakeoff.

pub mod links;
pub mod medium;
pub mod others;

use strum::EnumString;

use bakeoff_model::normal::{Confidence, Label, Medium, Test, Usual};
use bakeoff_stats::tables::rows;

const TABLE: &str = include_str!("../../data/usual.csv");

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum LineKind {
    Range,
    Promise,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub medium: Medium,
    /// A class of card; empty = any.
    pub class: &'static str,
    /// A link by its key; empty = any.
    pub link: &'static str,
    /// A board by its name in `data/boards.csv`; empty = any.
    pub board: &'static str,
    pub test: Test,
    /// Lowest, bytes or operations a second.
    pub low: f64,
    pub high: Option<f64>,
    pub kind: LineKind,
    pub confidence: Confidence,
    pub source: &'static str,
}

/// What a place is, for the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsualSubject<'a> {
    pub medium: Medium,
    pub classes: &'a [String],
    pub link: Option<&'a str>,
    pub board: Option<&'a str>,
}

pub fn lines() -> Vec<Line> {
    rows(TABLE).filter_map(line).collect()
}

fn line(fields: [&'static str; 10]) -> Option<Line> {
    let [medium, class, link, board, metric, low, high, kind, confidence, source] = fields;
    let test = metric.parse::<Test>().ok()?;
    let scale = if test.is_in_bytes() { 1e6 } else { 1.0 };
    let number = |text: &str| text.parse::<f64>().ok().map(|value| value * scale);
    Some(Line {
        medium: medium.parse().ok()?,
        class,
        link,
        board,
        test,
        low: number(low)?,
        high: number(high),
        kind: kind.parse().ok()?,
        confidence: confidence.parse().ok()?,
        source,
    })
}

fn closeness(line: &Line, subject: &UsualSubject) -> Option<u32> {
    let classes = |class: &str| subject.classes.iter().any(|of| of == class);
    let part = |wanted: &str, is_it: bool, weight: u32| match (wanted.is_empty(), is_it) {
        (true, _) => Some(0),
        (false, true) => Some(weight),
        (false, false) => None,
    };
    let class = part(line.class, classes(line.class), 2)?;
    let link = part(line.link, subject.link == Some(line.link), 1)?;
    let board = part(line.board, subject.board == Some(line.board), 4)?;
    (line.medium == subject.medium).then_some(class + link + board)
}

/// The usual range of a figure by the closest line. Where two lines are as close, the first counts.
pub fn range(subject: &UsualSubject, test: Test) -> Option<Usual> {
    let all = lines().into_iter().filter(|l| l.test == test && l.kind == LineKind::Range);
    let close = all.filter_map(|line| Some((closeness(&line, subject)?, line)));
    let best = close.reduce(|best, next| if next.0 > best.0 { next } else { best })?.1;
    Some(Usual {
        low: best.low,
        high: best.high,
        confidence: best.confidence,
        source: best.source.to_string(),
        widened_by: Vec::new(),
    })
}

/// The highest promise of a card's labels about a figure.
pub fn label(subject: &UsualSubject, test: Test) -> Option<Label> {
    let all = lines().into_iter().filter(|l| l.test == test && l.kind == LineKind::Promise);
    let ours = all.filter(|line| closeness(line, subject).is_some());
    let best = ours.max_by(|x, y| x.low.total_cmp(&y.low))?;
    Some(Label {
        class: best.class.to_string(),
        bytes_per_s: best.low,
        source: best.source.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject<'a>(
        medium: Medium,
        classes: &'a [String],
        link: Option<&'a str>,
    ) -> UsualSubject<'a> {
        UsualSubject { medium, classes, link, board: None }
    }

    #[test]
    fn every_line_is_read_and_is_a_range_with_a_source() {
        assert_eq!(lines().len(), TABLE.lines().count() - 1);
        let boards: Vec<&str> = bakeoff_model::boards::all().iter().map(|b| b.name()).collect();
        for line in lines() {
            assert!(line.low > 0.0 && line.high.is_none_or(|high| high > line.low), "{line:?}");
            assert!(line.source.len() > 15, "{line:?}");
            assert!(line.board.is_empty() || boards.contains(&line.board), "{line:?}");
            assert!(line.link.is_empty() || links::find(line.link).is_some(), "{line:?}");
        }
    }

    #[test]
    fn every_medium_has_a_range_for_every_figure() {
        for &medium in Medium::ALL {
            for &test in Test::ALL {
                let found = range(&subject(medium, &[], None), test);
                assert!(found.is_some(), "{medium:?} {test:?}");
            }
        }
    }

    #[test]
    fn every_class_of_card_promises_something() {
        for class in
            ["C2", "C4", "C6", "C10", "U1", "U3", "V6", "V10", "V30", "V60", "V90", "A1", "A2"]
        {
            let classes = [class.to_string()];
            assert!(label(&subject(Medium::Sd, &classes, None), Test::SeqWrite).is_some());
        }
        let all = ["C10", "U3", "V60", "A2"].map(str::to_string);
        let best = label(&subject(Medium::Sd, &all, None), Test::SeqWrite).unwrap();
        assert_eq!((best.class.as_str(), best.bytes_per_s), ("V60", 60e6));
        assert_eq!(label(&subject(Medium::Sd, &[], None), Test::SeqWrite), None);
    }

    #[test]
    fn the_line_that_says_most_counts() {
        let low = |classes: &[String], link, board| {
            let subject = UsualSubject { medium: Medium::Sd, classes, link, board };
            let of = range(&subject, Test::RandRead).unwrap();
            (of.low, of.high.unwrap())
        };
        let a1 = ["C10".to_string(), "A1".to_string()];
        assert_eq!(low(&[], None, None), (350.0, 8000.0));
        assert_eq!(low(&[], Some("sd-hs"), None), (350.0, 2600.0));
        assert_eq!(low(&a1, Some("sd-hs"), None), (750.0, 8000.0));
        let pi1 = UsualSubject {
            medium: Medium::Sd,
            classes: &a1,
            link: Some("sd-hs"),
            board: Some("Raspberry Pi 1 Model B"),
        };
        assert_eq!(range(&pi1, Test::SeqRead).unwrap().high, Some(23e6));
    }
}
