//! How often `fit` and its weekly checks say what on simulated drives: two tables of docs/truth.md.

use super::document::{Document, Table, number, words};
use super::simulate::percent;
use bakeoff_judge::simulate::checks::CheckOutcomes;
use bakeoff_judge::simulate::fit::FitOutcomes;

pub fn fits_document(fits: &[FitOutcomes], checks: &[CheckOutcomes]) -> Document {
    let mut out = Document::default();
    let columns = ["figure / limit", "runs", "yes", "no", "too close", "wrong", "covered", "after"];
    let others = ["p99 alone", "independent", "bootstrap"];
    let columns =
        std::iter::once(words("the drive")).chain(columns.into_iter().chain(others).map(number));
    let cells = |of: &FitOutcomes| {
        let asked = if of.is_rate { "rate" } else { "p99" };
        let name = format!("{asked}: {}", of.name);
        let mut cells = vec![name, format!("{:.2}", of.truth), of.runs.to_string()];
        let counts = [of.yes, of.no, of.too_close, of.wrong, of.covered];
        cells.extend(counts.map(|count| percent(of.share(count))));
        cells.push(format!("{:.0} s", of.seconds));
        let other = |count| if of.is_rate { String::new() } else { percent(of.share(count)) };
        cells.extend(of.others_wrong.map(other));
        cells
    };
    out.table(Table::new(columns, fits.iter().map(cells)));
    let columns = ["changes by", "boards", "false alarm", "found in 4 weeks", "found"];
    let columns = std::iter::once(words("a year of checks")).chain(columns.map(number));
    let cells = |of: &CheckOutcomes| {
        let mut cells = vec![of.name.clone(), format!("{:.2}", of.change), of.boards.to_string()];
        cells.extend([of.false_alarms, of.found_soon, of.found].map(|n| percent(of.share(n))));
        cells
    };
    out.table(Table::new(columns, checks.iter().map(cells)));
    out
}
