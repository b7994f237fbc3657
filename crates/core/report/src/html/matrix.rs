//! The first screen's picture: candidates x workloads, each a small interval on one ratio axis.
//!
//! Drawn here and not by the script, so that it is there without one, on paper and on a phone.
//! Positions are percentages of a cell's width: the cells shrink, the symbols do not.

use std::fmt;

use crate::answer::{Matrix, MatrixCell, MatrixRow, Place, amount};
use crate::run_document::RunDocument;

/// Left ends of the axis, as shares of the leader's rate; the first on which most cells are.
const ENDS: [f64; 3] = [0.5, 0.25, 0.1];
const BEYOND: f64 = 1.03;
/// With more workloads they are lines and the candidates columns: a page is longer than it is wide.
const MANY: usize = 7;
const LOW: usize = 8;
const RIGHT_MAX: f64 = 1.6;
/// Space for half a symbol at both ends, in percent of the width.
const PADDING: f64 = 6.0;

/// The table of an answer on a page, with the axis that is the same in all its cells.
pub struct MatrixPage<'a> {
    pub table: &'a Matrix,
    /// Whether it shows what candidates cost the flash.
    pub is_wear: bool,
    run: &'a RunDocument,
    /// Address of the run on the page of its report: `#run-0`.
    link: String,
    /// Ends of the axis, logarithms of ratios.
    left_ln: f64,
    right_ln: f64,
}

impl MatrixPage<'_> {
    /// `None` where nothing is compared.
    pub fn new<'a>(link: &str, run: &'a RunDocument) -> Option<MatrixPage<'a>> {
        let table = run.answer.matrix.as_ref()?;
        Some(MatrixPage::of(table, (link, run), run.answer.is_by_wear))
    }

    /// The same of what candidates cost the flash, beside that of their speed.
    pub fn of_wear<'a>(link: &str, run: &'a RunDocument) -> Option<MatrixPage<'a>> {
        Some(MatrixPage::of(run.answer.wear.as_ref()?, (link, run), true))
    }

    fn of<'a>(
        table: &'a Matrix,
        (link, run): (&str, &'a RunDocument),
        is_wear: bool,
    ) -> MatrixPage<'a> {
        let cells =
            || table.rows.iter().flat_map(|row| &row.cells).filter_map(MatrixCell::known_ratio);
        let total = cells().count();
        let reaches =
            |end: &&f64| cells().filter(|(mean, ..)| mean >= *end).count() * 3 >= total * 2;
        let left = ENDS.iter().find(reaches).unwrap_or(&ENDS[ENDS.len() - 1]);
        let highest = cells().map(|(_, _, high)| high).fold(1.0 + table.margin, f64::max);
        let right_ln = libm::log((highest * BEYOND).min(RIGHT_MAX));
        let (link, left_ln) = (link.to_string(), libm::log(*left));
        MatrixPage { table, is_wear, run, link, left_ln, right_ln }
    }

    fn at(&self, ratio: f64) -> f64 {
        let share = (libm::log(ratio) - self.left_ln) / (self.right_ln - self.left_ln);
        PADDING + share.clamp(0.0, 1.0) * (100.0 - 2.0 * PADDING)
    }

    pub fn one(&self) -> Percent {
        Percent(self.at(1.0))
    }

    pub fn band(&self) -> (Percent, Percent) {
        let margin = 1.0 + self.table.margin;
        let (from, to) = (self.at(1.0 / margin), self.at(margin));
        (Percent(from), Percent(to - from))
    }

    /// Where the left end of the axis is, and its share: `50 %`.
    pub fn end(&self) -> (Percent, String) {
        let left = libm::exp(self.left_ln);
        (Percent(self.at(left)), amount::share(left))
    }

    /// Half-width of the band: `10 %`.
    pub fn margin(&self) -> String {
        amount::share(self.table.margin)
    }

    pub fn is_tall(&self) -> bool {
        let Matrix { columns, rows, .. } = self.table;
        columns.len() > MANY && columns.len() > rows.len()
    }

    /// `w3` for three columns.
    pub fn class(&self) -> String {
        let Matrix { columns, rows, .. } = self.table;
        match self.is_tall() {
            true => format!("tall w{}", rows.len()),
            false if rows.len() > LOW => format!("low w{}", columns.len()),
            false => format!("w{}", columns.len()),
        }
    }

    fn cells(&self) -> impl Iterator<Item = &MatrixCell> {
        self.table.rows.iter().flat_map(|row| &row.cells)
    }

    pub fn has_stalls(&self) -> bool {
        self.cells().any(|cell| cell.stalls.is_some())
    }

    /// Whether anything of a workload is drawn.
    pub fn is_drawn(&self, at: &usize) -> bool {
        let drawn = |row: &MatrixRow| row.cells.get(*at).is_some_and(|c| self.drawn(c).is_some());
        self.table.rows.iter().any(drawn)
    }

    pub fn has_arrows(&self) -> bool {
        self.cells().any(|cell| self.drawn(cell).is_some_and(|drawn| drawn.is_off))
    }

    pub fn is_chosen(&self, row: &MatrixRow) -> bool {
        self.run.answer.choice.candidate.as_ref() == Some(&row.name)
    }

    pub fn question(&self, at: &usize) -> String {
        format!("{}-workload-{at}", self.link)
    }

    /// Where a candidate is in the workload's own table, if it is there.
    pub fn link(&self, at: &usize, row: &MatrixRow) -> Option<String> {
        let has_row = self.run.questions.get(*at)?.rows.iter().any(|r| r.index == row.index);
        has_row.then(|| format!("{}-c{}", self.question(at), row.index))
    }

    pub fn drawn(&self, cell: &MatrixCell) -> Option<Drawn> {
        cell.drawn_ratio().map(|(mean, low, high)| Drawn {
            at: Percent(self.at(mean)),
            low: Percent(self.at(low)),
            high: Percent(self.at(high)),
            is_off: libm::log(mean) < self.left_ln,
        })
    }
}

/// A position in percent of a cell's width.
#[derive(Clone, Copy, Debug)]
pub struct Percent(pub f64);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:.1}%", self.0)
    }
}

pub struct Drawn {
    pub at: Percent,
    pub low: Percent,
    pub high: Percent,
    /// Whether the symbol is left of the axis; then an arrow stands for it.
    pub is_off: bool,
}

/// The interval of a share: `86 to 92 %`.
pub fn range(cell: &MatrixCell) -> String {
    let interval = cell.known_ratio().filter(|(_, low, high)| low < high);
    interval.map_or_else(String::new, |(_, low, high)| format!("{} to {} %", end(low), end(high)))
}

pub fn class(cell: &MatrixCell) -> &'static str {
    match cell.place {
        Place::Leader if cell.is_certain => "leader certain",
        Place::Leader => "leader",
        Place::Equal => "equal",
        Place::Behind => "behind",
        Place::Open => "open",
        Place::Out | Place::None => "out",
    }
}

/// The share of its time in which a candidate stalled.
pub fn stalls(cell: &MatrixCell) -> Option<String> {
    cell.stalls.as_ref().map(|stalls| amount::share(stalls.share))
}

/// An end of an interval in percent; one below the leader is never rounded up to it.
fn end(share: f64) -> String {
    match share {
        s if (0.995..1.0).contains(&s) => format!("{:.1}", libm::floor(s * 1000.0) / 10.0),
        s if s < 0.1 => format!("{:.1}", s * 100.0),
        s => format!("{:.0}", s * 100.0),
    }
}
