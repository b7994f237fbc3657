//! Readers as data: the lines of a tool, with names where its figures stand.
//!
//! A line is written as the tool prints it. A blank stands for any number of them, and what is in
//! braces for what changes:
//!
//! - `{name:kind}`: a figure, in one of the units of that [`Kind`]; a name that begins with `_` is
//!   held against the others and not given; a `$` at the end makes its text a part of the test,
//! - `{$context}`, `{$version}`, `{$test}`: words about the result; what follows a colon there has
//!   to stand in front of them, without a blank in them (`{$context:/dev/}`),
//! - `{}`: anything; `{#}`: digits, which stand in the names of figures for their `#`.
//!
//! What a result's figures say together is in [`Law`]s. A line that breaks one in every form that
//! it has, or that has the words of a form and not its figures, is listed and gives nothing.

mod pattern;
mod reader;

use self::reader::Grammatical;
use super::finder::Reader;
use super::result::{FoundMetric, ToolResult};

/// The lines of a tool.
pub struct Grammar {
    pub tool: &'static str,
    pub kinds: &'static [Kind],
    /// What its lines look like; the first that fits is taken.
    pub forms: &'static [LineForm],
    pub laws: &'static [Law],
    pub gap_lines: u64,
    /// Adds what is said of a result that is ready, and tells why it is none. Figures that are not
    /// given are there too.
    pub note: fn(&mut ToolResult) -> Option<String>,
}

/// In which units a figure is printed.
#[derive(Debug)]
pub struct Kind {
    pub name: &'static str,
    /// The unit of the figure that is given: `bytes`, `ns` and `count` are whole.
    pub unit: &'static str,
    /// The tool's units, and what one is worth in that unit.
    pub units: &'static [(&'static str, u64)],
    /// With how many decimals it is printed at least: a number with fewer was cut.
    pub decimals: usize,
    /// What the tool may have lost beside rounding, in the unit of the figure.
    pub slack: u32,
}

pub const fn kind(
    name: &'static str,
    unit: &'static str,
    units: &'static [(&'static str, u64)],
) -> Kind {
    Kind { name, unit, units, decimals: 0, slack: 0 }
}

/// One kind of line.
pub struct LineForm {
    pattern: &'static str,
    prefix: &'static str,
    test: &'static str,
    /// Bytes of one operation, `_block` in laws; 0 = unknown.
    block: u64,
    mark: &'static str,
    /// Whether its words are everybody's: it is one only where a result is open.
    is_inside: bool,
    /// Whether it is listed unless the form in front of it was the last one of its result.
    is_next: bool,
    role: Role,
}

/// Stands for the words that the head above puts in front of names; without it a line is listed.
pub const OF_HEAD: &str = "^";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    Head,
    /// It stands above a result, which it is not without: the sentence is why.
    Before(&'static str),
    Figures,
    First,
    Last,
    Alone,
    /// The same, unless its figures stand in a result above.
    Again,
    /// The same as alone, where the laws hold; else it is no line of the tool.
    Guess,
    Own,
    Fault,
    Unread(&'static str),
}

impl LineForm {
    const fn new(pattern: &'static str, role: Role) -> LineForm {
        let (prefix, test, mark) = ("", "", "");
        LineForm { pattern, prefix, test, block: 0, mark, is_inside: false, is_next: false, role }
    }

    pub const fn named(self, prefix: &'static str) -> LineForm {
        LineForm { prefix, ..self }
    }

    pub const fn of_test(self, test: &'static str) -> LineForm {
        LineForm { test, ..self }
    }

    pub const fn marks(self, mark: &'static str) -> LineForm {
        LineForm { mark, ..self }
    }

    /// With words that anything may print: it counts only where a result is open.
    pub const fn inside(self) -> LineForm {
        LineForm { is_inside: true, ..self }
    }

    pub const fn next(self) -> LineForm {
        LineForm { is_next: true, ..self }
    }

    /// Of operations of so many bytes.
    pub const fn of_bytes(self, block: u64) -> LineForm {
        LineForm { block, ..self }
    }
}

macro_rules! roles {
    ($($(#[$doc:meta])* $name:ident: $role:ident;)*) => {
        $($(#[$doc])* pub const fn $name(pattern: &'static str) -> LineForm {
            LineForm::new(pattern, Role::$role)
        })*
    };
}

roles! {
    head: Head;
    figures: Figures;
    first: First;
    last: Last;
    alone: Alone;
    /// A line that is a result where none above has its figures.
    again: Again;
    /// A line without words, which is a result where the laws hold.
    guess: Guess;
    own: Own;
    fault: Fault;
}

/// A line above a result; `why` is said where no result follows.
pub const fn before(pattern: &'static str, why: &'static str) -> LineForm {
    LineForm::new(pattern, Role::Before(why))
}

pub const fn unread(pattern: &'static str, why: &'static str) -> LineForm {
    LineForm::new(pattern, Role::Unread(why))
}

/// Two products of figures that are the same. A `*` in front of a name stands for what the form of
/// the line puts there, and a number for itself.
pub struct Law {
    left: &'static [&'static str],
    right: &'static [&'static str],
    what: &'static str,
    is_most: bool,
}

pub const fn law(
    left: &'static [&'static str],
    right: &'static [&'static str],
    what: &'static str,
) -> Law {
    Law { left, right, what, is_most: false }
}

pub const fn at_most(
    left: &'static [&'static str],
    right: &'static [&'static str],
    what: &'static str,
) -> Law {
    Law { left, right, what, is_most: true }
}

impl Grammar {
    pub fn reader(&'static self) -> Box<dyn Reader> {
        Box::new(Grammatical::new(self))
    }
}

pub fn no_note(_: &mut ToolResult) -> Option<String> {
    None
}

/// Takes latencies of zero out: they were rounded to it, and say nothing.
pub fn no_zeros(result: &mut ToolResult) -> Option<String> {
    let is_zero = |metric: &FoundMetric| metric.unit == "ns" && metric.value.as_f64() == 0.0;
    result.metrics.retain(|metric| !(metric.name.contains("latency") && is_zero(metric)));
    None
}
