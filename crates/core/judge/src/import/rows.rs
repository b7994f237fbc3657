//! Tables made for people, Markdown or fixed-width, once somebody has said what their columns are.
//!
//! A blank label is the one above it; a cell may hold several numbers with `/` between them and a
//! unit of its own; a row may be wrapped over two lines. A row is taken whole or not at all. One
//! with `1.234` in it waits until another number shows that a point begins a fraction there.

use std::collections::BTreeMap;

use super::cell::{DecimalMark, Number, is_blank, numbers, words};
use super::cells::{Gap, cells};
use super::columns::{Column, Columns};
use super::tables::titles;
use bakeoff_tools::scan::finder::{Line, Reader};
use bakeoff_tools::scan::result::{Metrics, Out, ToolResult};

const WAITING: usize = 10_000;

/// A row: its first line, its last line, and what it gives.
type ReadRow = (u64, u64, Vec<ToolResult>);

#[derive(Debug, Default)]
pub struct Rows {
    columns: Columns,
    labels: Vec<String>,
    half: Option<(u64, Vec<String>)>,
    /// The last line of the table so far: a row, or the rule below the titles of one with bars.
    last: Option<u64>,
    mark: Option<DecimalMark>,
    waiting: Vec<ReadRow>,
    /// The last line so far of a table whose titles say something else.
    other: Option<u64>,
}

impl Rows {
    pub fn new(columns: Columns) -> Rows {
        let labels = vec![String::new(); columns.0.len()];
        Rows { columns, labels, ..Rows::default() }
    }
}

impl Reader for Rows {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text;
        let is_rule = text.chars().all(|c| "|-:+= \t".contains(c));
        if is_rule && text.contains("|-") {
            self.last = Some(line.number);
        }
        let cells = if is_rule { Vec::new() } else { self.cells(text) };
        let is_next_of_other = self.other.is_some_and(|last| last + 1 == line.number);
        if titles::contradict(&self.columns, &cells)
            || is_next_of_other && (is_rule || cells.len() > 1)
        {
            self.other = Some(line.number);
            return false;
        }
        if let Some((first, half)) = self.half.take() {
            let whole: Vec<String> = half.iter().chain(&cells).cloned().collect();
            if whole.len() == self.columns.0.len() && self.row(first, line, &whole, out) {
                self.last = Some(line.number);
                return true;
            }
            self.drop_half(first, &half, out);
        }
        let is_next = self.last.is_some_and(|last| last + 1 == line.number);
        let is_text = !text.contains('|') && cells.iter().all(|cell| numbers(cell, "").is_empty());
        if is_next && is_text && !cells.is_empty() && text.starts_with([' ', '\t']) {
            let why =
                "the text below a row may continue one of its labels: write the row on one line";
            out.unread(line.number, line.number, why);
            return true;
        }
        if cells.len() == self.columns.0.len() {
            let is_taken = self.row(line.number, line, &cells, out)
                || is_next && self.without_figure(text, &cells, line.number, out);
            self.last = is_taken.then_some(line.number).or(self.last);
            return is_taken;
        }
        if cells.len() > 1 && cells.len() < self.columns.0.len() {
            self.half = Some((line.number, cells));
        }
        false
    }

    fn row(&mut self, line: &Line<'_>, out: &mut Out) {
        self.line(line, out);
    }

    fn finish(&mut self, out: &mut Out) {
        if let Some((first, half)) = self.half.take() {
            self.drop_half(first, &half, out);
        }
        self.end_waiting(out);
    }
}

impl Rows {
    /// A row of the table without any number that can be read: its labels count for those below,
    /// and what is no blank is listed. False when it is no row.
    fn without_figure(&mut self, text: &str, cells: &[String], line: u64, out: &mut Out) -> bool {
        let columns = self.columns.0.iter().zip(cells);
        let values = columns.filter(|(column, _)| matches!(column, Column::Value { .. }));
        let strange: Vec<&String> = values.map(|(_, c)| c).filter(|c| !is_blank(c)).collect();
        let has_digit = |cell: &&String| cell.contains(|c: char| c.is_numeric());
        if !text.contains('|') && !strange.is_empty() && !strange.iter().any(has_digit) {
            return false;
        }
        if !strange.is_empty() {
            out.unread(line, line, "the row has a cell that is not a number, or is incomplete");
        }
        remember(&self.columns, &mut self.labels, cells);
        true
    }

    fn drop_half(&self, first: u64, half: &[String], out: &mut Out) {
        let numbers = half.iter().filter(|cell| !numbers(cell, "").is_empty()).count();
        if numbers > 1 {
            let (cells, columns) = (half.len(), self.columns.0.len());
            let why = format!("the row has {cells} cells, but the table has {columns} columns");
            out.unread(first, first, why);
        }
    }

    /// The cells of a line, by bars, wide gaps or blanks, whichever fits.
    fn cells(&self, text: &str) -> Vec<String> {
        let wanted = self.columns.0.len();
        let (gap, mut cells) = cells(text);
        if gap == Gap::Bars {
            return cells;
        }
        if cells.len() != wanted {
            let narrow = words(text.trim());
            if narrow.len() == wanted || cells.len() < 2 {
                cells = narrow;
            }
        }
        // Labels are blank from the left: the line then begins with blanks.
        let labels = self.columns.0.iter().take_while(|c| matches!(c, Column::Label(_))).count();
        let missing = wanted.saturating_sub(cells.len());
        if text.starts_with([' ', '\t']) && missing > 0 && missing <= labels {
            let blanks = std::iter::repeat_n(String::new(), missing);
            cells = blanks.chain(cells).collect();
        }
        cells
    }

    /// Takes a whole row; false when it is none.
    fn row(&mut self, first: u64, line: &Line<'_>, cells: &[String], out: &mut Out) -> bool {
        let mut found = Vec::new();
        let mut bad = 0;
        for (column, cell) in self.columns.0.iter().zip(cells) {
            let Column::Value { tests, unit, setup } = column else { continue };
            if is_blank(cell) {
                continue;
            }
            let numbers = numbers(cell, unit);
            if numbers.len() != tests.len() {
                bad += 1;
                continue;
            }
            found.extend(tests.iter().zip(numbers).map(|(test, number)| (test, number, setup)));
        }
        if found.is_empty() {
            // The titles, or no row at all.
            return false;
        }
        remember(&self.columns, &mut self.labels, cells);
        if bad > 0 || !line.is_ended {
            let why = "the row has a cell that is not a number, or is incomplete";
            out.unread(first, line.number, why);
            return true;
        }
        let labels: BTreeMap<String, String> = self
            .columns
            .0
            .iter()
            .zip(&self.labels)
            .filter_map(|(column, label)| {
                let Column::Label(name) = column else { return None };
                (!label.is_empty()).then(|| (name.clone(), label.clone()))
            })
            .collect();
        let marks: Vec<DecimalMark> =
            found.iter().filter_map(|(_, number, _)| number.mark).collect();
        let result = |(test, number, setup): (&String, Number, &BTreeMap<String, String>)| {
            let mut metrics = Metrics::default();
            number.give(first, &mut metrics);
            let mut place = line.place("");
            place.first_line = first;
            let mut all = labels.clone();
            all.extend(setup.clone());
            let tool = all.remove("tool").unwrap_or_default();
            let mut result = place.result(&tool, None, line.number, metrics);
            result.test = Some(test.clone());
            result.setup = all;
            result
        };
        let results = found.into_iter().map(result).collect();
        self.give((first, line.number, results), &marks, out);
        true
    }

    /// Gives a row, unless it has to wait for a number that shows what its points are.
    fn give(&mut self, row: ReadRow, marks: &[DecimalMark], out: &mut Out) {
        if marks.contains(&DecimalMark::Comma) {
            self.mark = Some(DecimalMark::Comma);
        } else if marks.contains(&DecimalMark::Point) {
            self.mark.get_or_insert(DecimalMark::Point);
        }
        if self.mark.is_some() {
            self.end_waiting(out);
        }
        let is_unclear = marks.contains(&DecimalMark::Unclear);
        if is_unclear && self.mark.is_none() && self.waiting.len() < WAITING {
            self.waiting.push(row);
        } else {
            tell(row, !is_unclear || self.mark == Some(DecimalMark::Point), out);
        }
    }

    fn end_waiting(&mut self, out: &mut Out) {
        let is_clear = self.mark == Some(DecimalMark::Point);
        std::mem::take(&mut self.waiting).into_iter().for_each(|row| tell(row, is_clear, out));
    }
}

fn tell((first, last, results): ReadRow, is_clear: bool, out: &mut Out) {
    match is_clear {
        true => {
            for result in results {
                out.result(result);
            }
        }
        false => out.unread(
            first,
            last,
            "the point before three digits may be a thousands \
                                          separator, and no other number of the table shows that \
                                          it is a decimal point: write the number with more or \
                                          fewer digits",
        ),
    }
}

fn remember(columns: &Columns, labels: &mut [String], cells: &[String]) {
    for ((column, label), cell) in columns.0.iter().zip(labels).zip(cells) {
        if matches!(column, Column::Label(_)) && !cell.is_empty() {
            label.clone_from(cell);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::import;

    fn read(columns: &str, text: &str) -> Vec<String> {
        let imported = import::of_columns(columns.parse().unwrap()).all_of(text.as_bytes());
        let mut lines: Vec<String> = imported
            .results
            .iter()
            .map(|r| {
                let setup: Vec<_> = r.setup.values().map(String::as_str).collect();
                let (m, test) = (&r.metrics[0], r.test.as_deref().unwrap_or(""));
                format!("{} {test} {} {}", setup.join("+"), m.value.as_f64(), m.unit)
            })
            .collect();
        lines.extend(imported.unread.iter().map(|u| format!("{}: {}", u.first_line, u.why)));
        lines
    }

    #[test]
    fn two_numbers_in_a_cell_and_blanks_carried_down() {
        let columns =
            "host,device,write/read MB/s filesystem=ext4,write/read MB/s filesystem=btrfs";
        let text = "| | | ext4 | btrfs |\n|---|---|---|---|\n\
            | laptop | disk | 104/124 | 96,5/82.2 |\n| | stick | 27.1/159 MiB/s | - |\n\
            | | card | 1,234/5 | 3/4 |\n";
        let expected = [
            "disk+ext4+laptop write 104000000 bytes/s",
            "disk+ext4+laptop read 124000000 bytes/s",
            "disk+btrfs+laptop write 96500000 bytes/s",
            "disk+btrfs+laptop read 82200000 bytes/s",
            "stick+ext4+laptop write 28416409.6 bytes/s",
            "stick+ext4+laptop read 166723584 bytes/s",
            "5: the row has a cell that is not a number, or is incomplete",
        ];
        assert_eq!(read(columns, text), expected);
    }

    #[test]
    fn fixed_width_rows_wrapped_over_two_lines() {
        let columns = "block_size_bytes,write MiB/s filesystem=ext2,write MiB/s filesystem=vfat";
        let text = "bs    ext2   vfat\n8     0.2    0.8\n1M    20.9\n16.9\n64 2.5 Mib/s 3.1\nThe \
                    end of it\n";
        let expected = [
            "8+ext2 write 209715.2 bytes/s",
            "8+vfat write 838860.8 bytes/s",
            "1M+ext2 write 21915238.4 bytes/s",
            "1M+vfat write 17720934.4 bytes/s",
            "64+ext2 write 2.5 Mib/s",
            "64+vfat write 3250585.6 bytes/s",
        ];
        assert_eq!(read(columns, text), expected);
    }

    #[test]
    fn rows_without_a_number_are_listed_and_their_labels_count() {
        let text = "| host | fs | speed |\n|---|---|---|\n| pi | ext4 | fast |\n\
            | pi | xfs | 7 |\n| laptop | ext4 | - |\n| | f2fs | 5 |\n| | vfat | 1,234 |\n\
            \nbars | elsewhere | here\n";
        let expected = [
            "xfs+pi write 7000000 bytes/s",
            "f2fs+laptop write 5000000 bytes/s",
            "3: the row has a cell that is not a number, or is incomplete",
            "7: the row has a cell that is not a number, or is incomplete",
        ];
        assert_eq!(read("host,filesystem,write MB/s", text), expected);
    }

    #[test]
    fn text_below_a_row_of_fixed_width_is_listed() {
        let text = "usb  sequential  31 MiB/s\n     write\n\n  Thanks for reading\n";
        let read = read("device,test,write MB/s", text);
        assert_eq!(read.len(), 2, "{read:?}");
        assert!(read[1].starts_with("2: the text below a row may continue"));
    }

    /// A thousand of a German table was read as one and a bit.
    #[test]
    fn a_point_in_front_of_three_digits_waits_for_a_number_that_shows_what_it_is() {
        let of = |rows: &str| read("filesystem,write MB/s,read MB/s", rows);
        let german = of("| ext4 | 987 | 1.234 |\n| xfs | 12,5 | 88 |\n| f2fs | 2.345 | 1 |\n");
        let figures = german.iter().filter(|line| !line.contains("thousands separator")).count();
        assert_eq!((figures, german.len()), (2, 4), "{german:?}");
        let english = of("| ext4 | 987 | 1.234 |\n| xfs | 12.5 | 88 |\n| f2fs | 2.345 | 1 |\n");
        assert!(english.contains(&"ext4 read 1234000 bytes/s".to_string()), "{english:?}");
        assert_eq!(english.len(), 6, "{english:?}");
        let nobody_knows = of("| ext4 | 987 | 1.234 |\n");
        assert!(nobody_knows[0].starts_with("1: the point before three digits"));
        let mixed = of("| ext4 | 9.5 | 1.234 |\n| xfs | 12,5 | 1.234 |\n");
        assert_eq!(mixed.len(), 3, "{mixed:?}");
    }
}
