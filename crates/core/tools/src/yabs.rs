//! YABS, yet-another-bench-script: its table of fio, and of dd where fio is missing.
//!
//! fio runs at random, half of it reads, 64 requests deep in two jobs, and the table has two block
//! sizes side by side. Its MB are 10^6 bytes since July 2026. Earlier versions divide KiB by 1000,
//! so that theirs are 1,024,000 bytes (yabs.sh, `format_speed`): requests per second times the
//! block size show which of the two a table has. Both are cut, not rounded. The rates of single
//! runs of dd are dd's own, with MB of 10^6 bytes.

use crate::scan::Tool;
use crate::scan::finder::{Line, Reader};
use crate::scan::quantity::{Quantity, Span};
use crate::scan::result::{Metrics, Out, Place};
use bakeoff_stats::distinct;

pub static TOOL: Tool = Tool {
    title: "YABS",
    ..Tool::new("yabs", &["Block Size | ", "fio Disk Speed Tests"], || {
        vec![Box::new(Yabs::default())]
    })
};

const ROWS: [&str; 3] = ["Read", "Write", "Total"];
const NAMES: [&str; 3] = ["read", "write", "total"];
/// Bytes of a KB: since July 2026, and before.
const KILOBYTES: [u64; 2] = [1000, 1024];

#[derive(Debug, Default)]
pub struct Yabs {
    version: Option<String>,
    table: Option<YabsTable>,
}

#[derive(Debug, Default)]
struct YabsTable {
    place: Place,
    version: Option<String>,
    last_line: u64,
    is_dd: bool,
    /// The block sizes of the columns that are open.
    columns: Vec<String>,
    rows: usize,
    cells: Vec<YabsFigure>,
    bad: Vec<u64>,
}

#[derive(Debug)]
struct YabsFigure {
    block: String,
    row: usize,
    rate: String,
    iops: Option<Quantity>,
    line: u64,
}

impl Reader for Yabs {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text.trim();
        if let Some(version) = banner(text) {
            self.close(out);
            self.version = Some(version.to_string());
            return true;
        }
        let is_fio = text.contains("fio Disk Speed Tests");
        if is_fio || text.contains("dd Sequential Disk Speed Tests") {
            self.close(out);
            let (place, version) = (line.place(TOOL.name), self.version.take());
            self.table = Some(YabsTable::new(place, version, line.number, !is_fio));
            return true;
        }
        let parts: Vec<&str> = text.split('|').map(str::trim).collect();
        if parts.len() > 1 && parts[0] == "Block Size" && parts[1].ends_with("(IOPS)") {
            // A paste may begin here.
            let is_far = |table: &mut YabsTable| line.number > table.last_line + 3 || table.is_dd;
            if self.table.as_mut().is_none_or(is_far) {
                self.close(out);
                let (place, version) = (line.place(TOOL.name), self.version.take());
                self.table = Some(YabsTable::new(place, version, line.number, false));
            }
        }
        let Some(table) = self.table.as_mut() else { return false };
        if line.number > table.last_line + 3 {
            self.close(out);
            return false;
        }
        let is_rule = text.len() > 8 && text.bytes().all(|byte| byte == b'-');
        if is_rule {
            table.last_line = line.number;
            return true;
        }
        if parts.len() < 2 {
            return false;
        }
        table.last_line = line.number;
        table.line(&parts, line.number);
        true
    }

    fn finish(&mut self, out: &mut Out) {
        self.close(out);
    }
}

impl Yabs {
    fn close(&mut self, out: &mut Out) {
        let Some(table) = self.table.take() else { return };
        match table.is_dd {
            true => table.give_dd(out),
            false => table.give_fio(out),
        }
    }
}

impl YabsTable {
    fn new(place: Place, version: Option<String>, line: u64, is_dd: bool) -> YabsTable {
        YabsTable { place, version, last_line: line, is_dd, ..YabsTable::default() }
    }

    fn line(&mut self, parts: &[&str], line: u64) {
        if parts[0] == "Block Size" {
            let blocks = parts[1..].iter().map(|part| part.strip_suffix("(IOPS)"));
            let blocks: Option<Vec<String>> =
                blocks.map(|block| Some(block?.trim().to_string())).collect();
            let is_new = |block: &String| {
                bytes(block).is_some() && self.cells.iter().all(|cell| cell.block != *block)
            };
            let blocks = blocks.filter(|blocks| blocks.iter().all(is_new));
            if blocks.is_none() {
                self.bad.push(line);
            }
            (self.columns, self.rows) = (blocks.unwrap_or_default(), 0);
            return;
        }
        let Some(row) = ROWS.iter().position(|row| *row == parts[0]) else {
            // The rule below the titles, the titles of dd, and the blank row between.
            let is_plain = parts.iter().all(|part| {
                part.is_empty()
                    || part.starts_with("--")
                    || part.starts_with("Test ")
                    || *part == "Avg"
            });
            if !is_plain {
                self.bad.push(line);
            }
            return;
        };
        if self.is_dd {
            return self.dd_row(row, &parts[1..], line);
        }
        // Rows stand in one order, so that none belongs to other columns.
        if row != self.rows || parts.len() - 1 != self.columns.len() || self.cells.len() > 100 {
            self.rows = usize::MAX;
            return self.bad.push(line);
        }
        self.rows += 1;
        for (block, part) in self.columns.iter().zip(&parts[1..]) {
            match YabsFigure::parse(block, row, part, line) {
                Some(cell) => self.cells.push(cell),
                None => self.bad.push(line),
            }
        }
    }

    fn dd_row(&mut self, row: usize, parts: &[&str], line: u64) {
        // The script's own mean is wrong where a unit changes between runs: it is left out.
        let runs = &parts[..parts.len().min(3)];
        let rates: Option<Vec<Quantity>> = runs.iter().map(|part| rate(part, 1000)).collect();
        let is_twice = self.cells.iter().any(|cell| cell.row == row);
        match rates.filter(|rates| rates.len() == 3 && !is_twice && row < 2) {
            None => self.bad.push(line),
            Some(rates) => self.cells.extend(rates.into_iter().zip(1..).map(|(rate, run)| {
                YabsFigure { block: format!("run_{run}"), row, rate: rate.raw, iops: None, line }
            })),
        }
    }

    fn give_dd(self, out: &mut Out) {
        let mut metrics = Metrics::default();
        for cell in &self.cells {
            if let Some(rate) = rate(&cell.rate, 1000) {
                let name = format!("{}.{}.throughput", NAMES[cell.row], cell.block);
                rate.give_real(&name, "bytes/s", cell.line, &mut metrics);
            }
        }
        self.give(metrics, "dd", out);
    }

    fn give_fio(mut self, out: &mut Out) {
        let fits = |cell: &YabsFigure, kilobyte: u64| cell.fits(kilobyte);
        let votes = KILOBYTES.map(|kilobyte| {
            let decides = |cell: &&YabsFigure| {
                fits(cell, kilobyte) && KILOBYTES.iter().filter(|k| fits(cell, **k)).count() == 1
            };
            self.cells.iter().filter(decides).count()
        });
        let kilobyte = match votes {
            [0, 0] => None,
            [new, old] => Some(KILOBYTES[usize::from(old > new)]),
        };
        let mut metrics = Metrics::default();
        for cell in std::mem::take(&mut self.cells) {
            let name = |what: &str| format!("{}.{}.{what}", cell.block, NAMES[cell.row]);
            let is_torn = match kilobyte {
                Some(kilobyte) => !cell.fits(kilobyte),
                None => !KILOBYTES.iter().any(|kilobyte| cell.fits(*kilobyte)),
            };
            let Some(iops) = cell.iops.as_ref().filter(|_| !is_torn) else {
                self.bad.push(cell.line);
                continue;
            };
            if let Some(rate) = kilobyte.and_then(|kilobyte| rate(&cell.rate, kilobyte)) {
                rate.give_real(&name("throughput"), "bytes/s", cell.line, &mut metrics);
            }
            iops.give_real(&name("iops"), "1/s", cell.line, &mut metrics);
        }
        if kilobyte.is_none() && !metrics.0.is_empty() {
            let why = "the MB in rates of YABS may be 1,000,000 or 1,024,000 bytes: the requests \
                       per second have too few digits to decide";
            out.unread(self.place.first_line, self.last_line, why);
        }
        self.give(metrics, "fio", out);
    }

    fn give(self, metrics: Metrics, test: &str, out: &mut Out) {
        for line in distinct::sorted(self.bad.iter().copied()) {
            let why = "a row of YABS is incomplete, is in another place, or contradicts itself";
            out.unread(line, line, why);
        }
        if metrics.0.is_empty() {
            if self.bad.is_empty() {
                let why = "the title of a table of YABS has no readable row below it";
                out.unread(self.place.first_line, self.last_line, why);
            }
            return;
        }
        let result = self.place.result(TOOL.name, self.version, self.last_line, metrics);
        out.result(result.of_test(test));
    }
}

impl YabsFigure {
    /// `542.37 MB/s (132.4k)`
    fn parse(block: &str, row: usize, text: &str, line: u64) -> Option<YabsFigure> {
        let (rate_text, iops) = text.split_once('(')?;
        let iops = iops.strip_suffix(')')?;
        let (number, unit) = match iops.strip_suffix('k') {
            Some(number) => (number, 1000),
            None => (iops, 1),
        };
        let mut iops = Quantity::with_unit(number, unit).filter(|iops| iops.value() > 0.0)?;
        iops.raw = text[text.len() - 1 - iops.raw.len() - usize::from(unit > 1)..text.len() - 1]
            .to_string();
        let rate_text = rate_text.trim().to_string();
        rate(&rate_text, 1000)?;
        Some(YabsFigure { block: block.to_string(), row, rate: rate_text, iops: Some(iops), line })
    }

    /// Whether the rate is that of the requests, with a KB of so many bytes.
    fn fits(&self, kilobyte: u64) -> bool {
        let parts = (rate(&self.rate, kilobyte), self.iops.as_ref(), bytes(&self.block));
        let (Some(rate), Some(iops), Some(bytes)) = parts else { return false };
        // A total is the sum of two that were cut.
        let cut = if self.row == 2 { iops.slack() } else { 0.0 };
        let iops = iops.span().plus(Span::between(0.0, cut));
        let cut = if self.row == 2 { rate.slack() } else { 0.0 };
        rate.span().plus(Span::between(0.0, cut)).meets(iops.times(Span::exactly(bytes as f64)))
    }
}

/// `3.09 GB/s` with a KB of so many bytes.
fn rate(text: &str, kilobyte: u64) -> Option<Quantity> {
    let units =
        [("kB", 1000), ("KB", kilobyte), ("MB", kilobyte * 1000), ("GB", kilobyte * 1_000_000)];
    let mut rate = Quantity::parse(text.strip_suffix("/s")?, &units)?;
    rate.raw = text.to_string();
    Some(rate)
}

/// `4k`, `1m`
fn bytes(block: &str) -> Option<u64> {
    let units = [("k", 1u64 << 10), ("m", 1 << 20)];
    Quantity::suffixed(block, &units)?.whole()
}

/// The date of `#   v2026-07-03   #`.
fn banner(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('#')?.strip_suffix('#')?.trim().strip_prefix('v')?;
    let is_date = inner.len() == 10 && inner.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    is_date.then_some(inner)
}

#[cfg(test)]
mod tests {
    use crate::scan::{Finder, Imported};

    macro_rules! fixture {
        ($name:literal) => {
            include_str!(concat!("../../../../fixtures/tools/yabs/", $name, ".stdout"))
        };
    }

    fn read(text: &str) -> Imported {
        Finder::for_tool("yabs").all_of(text.as_bytes())
    }

    fn figure(found: &Imported, name: &str) -> Option<f64> {
        found.results[0].figure(&[name])
    }

    #[test]
    fn a_table_is_read_with_the_megabytes_of_its_version() {
        let found = read(fixture!("v2026_fio"));
        assert_eq!((found.results.len(), found.unread.len()), (1, 0), "{found:#?}");
        assert_eq!(found.results[0].version.as_deref(), Some("2026-07-03"));
        assert_eq!(found.results[0].metrics.len(), 24);
        assert_eq!(figure(&found, "4k.read.throughput"), Some(542.37e6));
        assert_eq!(figure(&found, "4k.read.iops"), Some(132_400.0));
        assert_eq!(figure(&found, "1m.total.throughput"), Some(7.74e9));
        let found = read(fixture!("v2020_fio"));
        let text = fixture!("v2020_fio");
        let row = text.lines().find(|line| line.starts_with("Read ")).unwrap();
        let rate: f64 = row.split_whitespace().nth(2).unwrap().parse().unwrap();
        let given = figure(&found, "4k.read.throughput").unwrap();
        assert!((given - rate * 1_024_000.0).abs() < 1.0, "{given} {row}");
    }

    #[test]
    fn the_table_of_dd_gives_its_runs_and_not_its_mean() {
        let found = read(fixture!("v2001_dd"));
        assert_eq!((found.results.len(), found.unread.len()), (1, 0), "{found:#?}");
        assert_eq!(figure(&found, "write.run_3.throughput"), Some(887e6));
        assert_eq!(found.results[0].metrics.len(), 6);
    }

    #[test]
    fn a_table_without_figures_is_listed() {
        let found = read(fixture!("v2020_failed"));
        assert_eq!(found.results, []);
        assert!(!found.unread.is_empty());
    }

    #[test]
    fn a_trimmed_and_quoted_paste_is_read() {
        let text = "> Block Size | 4k            (IOPS) | 64k           (IOPS)\n\
                    >   ------   | ---            ----  | ----           ----\n\
                    > Read       | 127.20 MB/s  (31.8k) | 1.06 GB/s    (16.6k)\n\
                    > Write      | 127.54 MB/s  (31.8k) | 1.06 GB/s    (16.7k)\n";
        let found = read(text);
        assert_eq!((found.results.len(), found.unread.len()), (1, 0), "{found:#?}");
        assert_eq!(figure(&found, "4k.read.throughput"), Some(127.2 * 1_024_000.0));
    }

    #[test]
    fn a_cell_that_contradicts_itself_is_listed_and_the_others_stay() {
        let found = read(&fixture!("v2026_fio").replace("(132.4k)", "(232.4k)"));
        assert_eq!((found.results.len(), found.unread.len()), (1, 1), "{found:#?}");
        assert_eq!(figure(&found, "4k.read.iops"), None);
        assert_eq!(found.results[0].metrics.len(), 22);
    }
}
