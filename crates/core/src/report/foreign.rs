//! What a foreign tool did not print, in words.

use crate::tools::foreign::{ParseError, Said};

/// Why an output has not the figures that were asked for: one sentence without the last full stop.
pub fn parse_error(error: &ParseError) -> String {
    match error {
        ParseError::Failed { tool, said: what } => format!("{tool} failed: {}", said(what)),
        ParseError::Results { tool, count, said: what } => {
            format!("{tool} printed {count} results where one was expected: {}", said(what))
        }
        ParseError::TooShort { tool } => format!(
            "{tool} printed +++++ instead of a result: the test took less than half a second"
        ),
        ParseError::Figure { tool, figure } => format!("{tool} printed no {figure}"),
    }
}

fn said(said: &Said) -> String {
    match said {
        Said::Unread(words) | Said::Words(words) => words.clone(),
        Said::Nothing => "it printed nothing".to_string(),
    }
}
