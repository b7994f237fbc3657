//! One candidate, which is measured and not compared.

use crate::report::layout::cut;

use super::Line;
use super::matrix::figure_words;

/// What it did on one workload, in `width` characters: "1240/s (1180/s to 1300/s)".
pub fn words(line: &Line, width: usize) -> String {
    let Some(own) = line.verdict.standings.first() else {
        return match &line.discarded {
            Some(reason) => cut(&format!("Discarded: {reason}."), width),
            None => "Not measured yet.".to_string(),
        };
    };
    let figure = |value| figure_words(line.metric, value);
    let range = match own.cells {
        0 | 1 => String::new(),
        _ => format!(" (lowest {}, highest {})", figure(own.min), figure(own.max)),
    };
    cut(&format!("{}{range}", figure(own.mean)), width)
}
