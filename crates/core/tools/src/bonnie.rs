//! `bonnie++`: its tables and its CSV lines, versions 1.03 to 2.00.
//!
//! The CSV line repeats the table with the real rates: the table of 1.98 to 2.00a prints a
//! leftover integer where the rates of small files should be (a floating value given to an
//! integer conversion), so those are read from the CSV only. Rates in K/sec are KiB/s; `+++++`
//! means that the phase took less than half a second and is not a number. Source: bonnie++ 1.97
//! and 2.00a, `bonnie++.cpp` and `bon_csv2txt.cpp`.

mod cells;
mod csv;
mod plain;
mod row;
mod table;
#[cfg(test)]
mod tests;

use self::cells::Cells;
pub use self::cells::TESTS;
use self::table::BonnieTable;
use crate::scan::ScannedTool;
use crate::scan::finder::{Line, Reader};
use crate::scan::result::{Out, Place, finding};
use bakeoff_model::finding::Severity;

pub static TOOL: ScannedTool = ScannedTool {
    phases: &["Writing a byte at a time...", "Writing intelligently..."],
    ..ScannedTool::new(
        "bonnie++",
        &["-Per Chr- --Block--", ",1.97,1.9", "1.97,1.97,", "1.98,2.00", "1.98,1.98,"],
        || vec![Box::new(Bonnie::default()), plain::GRAMMAR.reader()],
    )
};

const CSV_GAP_LINES: u64 = 12;

#[derive(Debug, Default)]
pub struct Bonnie {
    table: Option<BonnieTable>,
}

impl Reader for Bonnie {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        self.csv(line, out) || self.of_table(line, out)
    }

    fn finish(&mut self, out: &mut Out) {
        self.close(out);
    }
}

impl Bonnie {
    fn of_table(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let is_stale =
            self.table.as_ref().is_some_and(|t| line.number > t.last_line + CSV_GAP_LINES);
        if is_stale {
            self.close(out);
        }
        let second = || self.table.as_ref().and_then(|table| table.second_header(line.text));
        if let Some(header) = table::header(line.text).or_else(second) {
            let goes_on = self.table.as_ref().is_some_and(|table| table.goes_on_with(&header));
            if !goes_on {
                self.close(out);
                self.table = Some(BonnieTable::new(line.place("bonnie++"), &header));
            }
            if let Some(table) = &mut self.table {
                table.begin(header, line.number);
            }
            return true;
        }
        self.table.as_mut().is_some_and(|table| table.line(line))
    }

    fn csv(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text.trim();
        if csv::is_header(text) {
            return true;
        }
        if let Some(cells) = csv::read(text, line.is_ended, line.number) {
            self.give_csv(line.place("bonnie++"), line.number, cells, out);
            return true;
        }
        let is_cut = csv::begins(text);
        if is_cut {
            out.unread(line.number, line.number, csv::INCOMPLETE);
        }
        is_cut
    }

    fn close(&mut self, out: &mut Out) {
        let Some(table) = self.table.take() else { return };
        let (place, last) = (table.place.clone(), table.last_line);
        if let Some(line) = table.leftover_line {
            let why = "bonnie++ 1.98 to 2.00 print wrong rates for small files; the correct rates \
                       are in its CSV line";
            out.unread(line, line, why);
        }
        if let Some(line) = table.cut_line {
            out.unread(line, line, "a latency of a bonnie++ table was cut");
        }
        match table.cells() {
            Ok(cells) => emit(&place, last, &cells, out),
            Err(why) => out.unread(place.first_line, last, why),
        }
    }

    fn give_csv(&mut self, mut place: Place, last: u64, mut cells: Cells, out: &mut Out) {
        let Some(table) = self.table.take() else { return emit(&place, last, &cells, out) };
        if place.first_line > table.last_line + CSV_GAP_LINES || !table.is_named(&cells.name) {
            self.table = Some(table);
            self.close(out);
            return emit(&place, last, &cells, out);
        }
        let above = table.place.clone();
        if let Ok(table) = table.cells() {
            if table.disagrees_with(&cells) {
                let why = "the table and the CSV line below it contradict each other";
                return out.unread(above.first_line, last, why);
            }
            // The CSV line of 1.98 leaves the chunk size out.
            cells.chunk_size = cells.chunk_size.take().or(table.chunk_size);
        }
        place.first_line = above.first_line;
        emit(&place, last, &cells, out);
    }
}

const TOO_SHORT: &str = "L25";

fn emit(place: &Place, last: u64, cells: &Cells, out: &mut Out) {
    let metrics = cells.metrics();
    let short = TESTS.iter().zip(&cells.tests).filter(|(_, cell)| cell.is_too_short);
    let short: Vec<String> = short.map(|(test, _)| test.title.to_lowercase()).collect();
    let has_figures = metrics.0.iter().any(|metric| metric.name.contains('.'));
    if !has_figures && short.is_empty() {
        let why = "the bonnie++ output has no figure";
        return out.unread(place.first_line, last, why);
    }
    let version = Some(cells.version.clone()).filter(|version| !version.is_empty());
    let mut result = place.result("bonnie++", version, last, metrics).of_test(&cells.name);
    if !short.is_empty() {
        let evidence = format!("+++++ for {}: each took less than 0.5 s", short.join(", "));
        let advice = "Measure with a larger file (-s) or more files (-n).";
        result.findings.push(finding(TOO_SHORT, Severity::Error, evidence, advice));
    }
    out.result(result);
}
