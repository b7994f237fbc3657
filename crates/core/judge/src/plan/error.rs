//! What is wrong with a plan, where, and what would be right.

use std::fmt;
use std::ops::Range;

use bakeoff_machine::prepare::words::Unaccepted;
use bakeoff_model::path::printable;

/// Most characters of a plan's line that an error repeats.
const LINE_CHARS: usize = 160;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError {
    pub plan: String,
    /// Where; `None` when it is about the plan as a whole.
    pub spot: Option<Box<PlanSpot>>,
    pub problem: PlanProblem,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanSpot {
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The line, printable, cut to a length that fits a screen.
    pub text: String,
    indent: usize,
    width: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanProblem {
    text: String,
    /// Whether doing what the plan says could reach other files or drives: more than a mistake.
    is_refusal: bool,
}

impl<T: Into<String>> From<T> for PlanProblem {
    fn from(text: T) -> PlanProblem {
        PlanProblem { text: text.into(), is_refusal: false }
    }
}

impl PlanProblem {
    pub(super) fn unaccepted(why: Unaccepted) -> PlanProblem {
        let is_refusal = matches!(why, Unaccepted::Refused(_));
        PlanProblem { text: why.to_string(), is_refusal }
    }

    pub(super) fn unknown_word(word: &str, key: &str, hint: &str) -> PlanProblem {
        format!("'{word}' is not a valid {key}; {hint}").into()
    }

    pub(super) fn too_many(what: &str, found: u64, most: u64) -> PlanProblem {
        format!(
            "the plan expands to {found} {what}, and at most {most} are allowed: shorten its lists"
        )
        .into()
    }
}

impl PlanError {
    /// Whether doing what the plan says could reach other files or drives: more than a mistake.
    pub fn is_refusal(&self) -> bool {
        self.problem.is_refusal
    }

    /// A mistake at bytes `span` of `text`.
    pub(super) fn at(
        plan: &str,
        text: &str,
        span: Range<usize>,
        problem: PlanProblem,
    ) -> PlanError {
        let plan = printable(plan.as_bytes());
        PlanError { plan, spot: Some(Box::new(PlanSpot::at(text, span))), problem }
    }
}

impl PlanSpot {
    fn at(text: &str, span: Range<usize>) -> PlanSpot {
        let start = floor_boundary(text, span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let end = floor_boundary(text, span.end.clamp(start, line_end));
        let before = &text[line_start..start];
        let line = text[..start].matches('\n').count() + 1;
        let shown = |part: &str| {
            let part = part.trim_end_matches('\r').replace('\t', " ");
            // A backslash is what the plan's author typed, not an escape of ours.
            let parts: Vec<String> = part.split('\\').map(|p| printable(p.as_bytes())).collect();
            parts.join("\\")
        };
        let indent = shown(before).chars().count();
        let width = shown(&text[start..end]).chars().count().max(1);
        let whole = shown(&text[line_start..line_end]);
        // A mistake far to the right takes its part of the line with it.
        let skip = if indent + width.min(20) > LINE_CHARS { indent.saturating_sub(20) } else { 0 };
        let cut: String = whole.chars().skip(skip).take(LINE_CHARS).collect();
        let room = cut.chars().count().saturating_sub(indent - skip).max(1);
        PlanSpot {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(before.chars().count() + 1).unwrap_or(u32::MAX),
            text: cut,
            indent: indent - skip,
            width: width.min(room),
        }
    }
}

fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(spot) = &self.spot else {
            return write!(f, "{}: {}", self.plan, self.problem.text);
        };
        writeln!(f, "{}:{}:{}: {}", self.plan, spot.line, spot.column, self.problem.text)?;
        let number = spot.line.to_string();
        let gutter = " ".repeat(number.len());
        writeln!(f, " {gutter} |")?;
        writeln!(f, " {number} | {}", spot.text)?;
        write!(f, " {gutter} | {}{}", " ".repeat(spot.indent), "^".repeat(spot.width))
    }
}

impl std::error::Error for PlanError {}
