//! The first screen's picture: candidates x workloads, each a small interval on one ratio axis.
//!
//! Drawn here and not by the script, so that it is there without one, on paper and on a phone.
//! Positions are percentages of a cell's width: the cells shrink, the symbols do not.

use std::fmt;

use crate::answer::{Matrix, MatrixCell, Place, amount};
use crate::view::View;

/// Left ends of the axis, as shares of the leader's rate; the first on which most cells are.
const ENDS: [f64; 3] = [0.5, 0.25, 0.1];
/// The axis goes so far beyond the band of equals.
const BEYOND: f64 = 1.03;
/// With more workloads they are lines and the candidates columns: a page is longer than it is wide.
const MANY: usize = 7;
const LOW: usize = 8;
const RIGHT_MAX: f64 = 1.6;
/// Space for half a symbol at both ends, in percent of the width.
const PADDING: f64 = 6.0;

/// The table as the template walks it.
pub struct MatrixPage {
    pub heads: Vec<Head>,
    pub rows: Vec<Line>,
    /// `w3` for three columns.
    pub class: String,
    pub is_tall: bool,
    pub one: Percent,
    /// Where the band of equals begins and how wide it is.
    pub band: (Percent, Percent),
    /// Where the left end of the axis is, and its share: `50 %`.
    pub end: (Percent, String),
    /// Half-width of the band: `10 %`.
    pub margin: String,
    pub has_stalls: bool,
    pub has_arrows: bool,
}

pub struct Head {
    pub name: String,
    /// The same where there is little space: "rnd writes".
    pub short: String,
    pub link: String,
    pub blocks: u32,
}

pub struct Line {
    pub name: String,
    pub style: usize,
    pub is_chosen: bool,
    pub cells: Vec<Mini>,
}

pub struct Mini {
    pub cell: MatrixCell,
    /// Address of its row in the workload's own table, if it has one.
    pub link: Option<String>,
    /// The interval: `86 to 92 %`.
    pub range: String,
    pub drawn: Option<Drawn>,
}

impl Mini {
    pub fn class(&self) -> &'static str {
        match self.cell.place {
            Place::Leader if self.cell.is_certain => "leader certain",
            Place::Leader => "leader",
            Place::Equal => "equal",
            Place::Behind => "behind",
            Place::Open => "open",
            Place::Out | Place::None => "out",
        }
    }

    /// Share of its time in stalls: `12 %`.
    pub fn stalls(&self) -> Option<String> {
        self.cell.stalls.as_ref().map(|s| amount::share(s.share))
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

/// A ratio axis, logarithmic.
struct RatioAxis {
    left_ln: f64,
    right_ln: f64,
}

impl RatioAxis {
    fn from_matrix(matrix: &Matrix) -> RatioAxis {
        let cells =
            || matrix.rows.iter().flat_map(|row| &row.cells).filter_map(MatrixCell::known_ratio);
        let total = cells().count();
        let reaches =
            |end: &&f64| cells().filter(|(mean, ..)| mean >= *end).count() * 3 >= total * 2;
        let left = ENDS.iter().find(reaches).unwrap_or(&ENDS[ENDS.len() - 1]);
        let highest = cells().map(|(_, _, high)| high).fold(1.0 + matrix.margin, f64::max);
        RatioAxis {
            left_ln: libm::log(*left),
            right_ln: libm::log((highest * BEYOND).min(RIGHT_MAX)),
        }
    }

    fn at(&self, ratio: f64) -> f64 {
        let share = (libm::log(ratio) - self.left_ln) / (self.right_ln - self.left_ln);
        PADDING + share.clamp(0.0, 1.0) * (100.0 - 2.0 * PADDING)
    }
}

impl MatrixPage {
    /// The picture of an answer; `None` where nothing is compared. `run` is the address of the run
    /// on the page of its report: `#run-0`.
    pub fn new(run: &str, view: &View, styles: &[String]) -> Option<MatrixPage> {
        let answer = &view.answer;
        let matrix = answer.matrix.as_ref()?;
        let axis = RatioAxis::from_matrix(matrix);
        let heads = matrix.columns.iter().zip(&answer.lines).enumerate();
        let heads = heads.map(|(i, (column, line))| Head {
            name: column.name.clone(),
            short: column.heading.clone(),
            link: format!("{run}-workload-{i}"),
            blocks: line.blocks,
        });
        let heads: Vec<Head> = heads.collect();
        let rows: Vec<Line> = matrix
            .rows
            .iter()
            .filter(|row| view.columns.iter().any(|c| c.name == row.name))
            .map(|row| {
                let style = super::chart::style_of(styles, &row.name);
                let cells = row.cells.iter().zip(&view.questions).zip(&heads);
                let cells = cells.map(|((cell, question), head)| {
                    let has_row = question.rows.iter().any(|r| r.candidate == row.name);
                    let link = has_row.then(|| format!("{}-c{style}", head.link));
                    Mini { link, ..mini(&axis, cell) }
                });
                Line {
                    name: row.name.clone(),
                    style,
                    is_chosen: answer.choice.candidate.as_ref() == Some(&row.name),
                    cells: cells.collect(),
                }
            })
            .collect();
        let band = (axis.at(1.0 / (1.0 + matrix.margin)), axis.at(1.0 + matrix.margin));
        let all = || rows.iter().flat_map(|row| &row.cells);
        let is_tall = matrix.columns.len() > MANY && matrix.columns.len() > rows.len();
        Some(MatrixPage {
            is_tall,
            class: match is_tall {
                true => format!("tall w{}", rows.len()),
                false if rows.len() > LOW => format!("low w{}", matrix.columns.len()),
                false => format!("w{}", matrix.columns.len()),
            },
            heads,
            one: Percent(axis.at(1.0)),
            band: (Percent(band.0), Percent(band.1 - band.0)),
            end: (Percent(axis.at(libm::exp(axis.left_ln))), left(&axis)),
            margin: amount::share(matrix.margin),
            has_stalls: all().any(|mini| mini.cell.stalls.is_some()),
            has_arrows: all().any(|mini| mini.drawn.as_ref().is_some_and(|d| d.is_off)),
            rows,
        })
    }
}

fn left(axis: &RatioAxis) -> String {
    amount::share(libm::exp(axis.left_ln))
}

fn mini(axis: &RatioAxis, cell: &MatrixCell) -> Mini {
    let interval = cell.known_ratio().filter(|(_, low, high)| low < high);
    let drawn = cell.known_ratio().map(|(mean, low, high)| Drawn {
        at: Percent(axis.at(mean)),
        low: Percent(axis.at(low)),
        high: Percent(axis.at(high)),
        is_off: libm::log(mean) < axis.left_ln,
    });
    let range = interval
        .map_or_else(String::new, |(_, low, high)| format!("{} to {} %", end(low), end(high)));
    Mini { cell: cell.clone(), link: None, range, drawn }
}

/// An end of an interval in percent; one below the leader is never rounded up to it.
fn end(share: f64) -> String {
    match share {
        s if (0.995..1.0).contains(&s) => format!("{:.1}", libm::floor(s * 1000.0) / 10.0),
        s if s < 0.1 => format!("{:.1}", s * 100.0),
        s => format!("{:.0}", s * 100.0),
    }
}
