//! YABS, yet-another-bench-script: its table of fio, and of dd where fio is missing.
//!
//! fio runs at random, half of it reads, 64 requests deep in two jobs, and the table has two block
//! sizes side by side. Its MB are 10^6 bytes since July 2026. Earlier versions divide KiB by 1000,
//! so that theirs are 1,024,000 bytes (yabs.sh, `format_speed`): requests per second times the
//! block size show which of the two a table has. Both are cut, not rounded. The rates of single
//! runs of dd are dd's own, with MB of 10^6 bytes.

use crate::scan::ScannedTool;
use crate::scan::finder::{Line, Reader};
use crate::scan::quantity::{Quantity, Span};
use crate::scan::result::{Metrics, Out, Place};
use bakeoff_stats::distinct;

pub static TOOL: ScannedTool = ScannedTool {
    title: "YABS",
    ..ScannedTool::new("yabs", &["Block Size | ", "fio Disk Speed Tests"], || {
        vec![Box::new(Yabs::default())]
    })
};

const ROWS: [(&str, &str); 3] = [("Read", "read"), ("Write", "write"), ("Total", "total")];
/// Bytes of a KB: since July 2026, and before.
const KILOBYTES: [u64; 2] = [1000, 1024];
const FIGURES: usize = 100;

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
    columns: Vec<String>,
    rows: usize,
    figures: Vec<YabsFigure>,
    bad: Vec<u64>,
}

#[derive(Debug)]
struct YabsFigure {
    name: String,
    rates: [Quantity; 2],
    /// Requests per second, and the bytes of each; dd has none.
    requests: Option<(Quantity, u64)>,
    is_sum: bool,
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
            self.begin(line, !is_fio, out);
            return true;
        }
        let parts: Vec<&str> = text.split('|').map(str::trim).collect();
        let is_title = parts.len() > 1 && parts[0] == "Block Size" && parts[1].ends_with("(IOPS)");
        // A paste may begin here.
        let is_far = |table: &YabsTable| line.number > table.last_line + 3 || table.is_dd;
        if is_title && self.table.as_ref().is_none_or(is_far) {
            self.begin(line, false, out);
        }
        let Some(table) = self.table.as_mut() else { return false };
        if line.number > table.last_line + 3 {
            self.close(out);
            return false;
        }
        let is_rule = text.len() > 8 && text.bytes().all(|byte| byte == b'-');
        if !is_rule && parts.len() < 2 {
            return false;
        }
        table.last_line = line.number;
        if !is_rule && !table.line(&parts, line.number) {
            table.bad.push(line.number);
        }
        true
    }

    fn finish(&mut self, out: &mut Out) {
        self.close(out);
    }
}

impl Yabs {
    fn begin(&mut self, line: &Line<'_>, is_dd: bool, out: &mut Out) {
        self.close(out);
        let (place, version) = (line.place(TOOL.name), self.version.take());
        let last_line = line.number;
        self.table = Some(YabsTable { place, version, last_line, is_dd, ..YabsTable::default() });
    }

    fn close(&mut self, out: &mut Out) {
        if let Some(table) = self.table.take() {
            table.give(out);
        }
    }
}

impl YabsTable {
    /// Takes a line with bars; false when something of it cannot be read.
    fn line(&mut self, parts: &[&str], line: u64) -> bool {
        if parts[0] == "Block Size" {
            let blocks = parts[1..].iter().map(|part| part.strip_suffix("(IOPS)"));
            let blocks: Option<Vec<String>> =
                blocks.map(|block| Some(block?.trim().to_string())).collect();
            let is_new = |block: &String| {
                let begin = format!("{block}.");
                bytes(block).is_some() && self.figures.iter().all(|f| !f.name.starts_with(&begin))
            };
            let blocks = blocks.filter(|blocks| blocks.iter().all(is_new));
            let is_read = blocks.is_some();
            (self.columns, self.rows) = (blocks.unwrap_or_default(), 0);
            return is_read;
        }
        let Some(row) = ROWS.iter().position(|(title, _)| *title == parts[0]) else {
            // The rule below the titles, the titles of dd, and the blank row between.
            let is_plain = |part: &&str| {
                matches!(*part, "" | "Avg") || part.starts_with("--") || part.starts_with("Test ")
            };
            return parts.iter().all(is_plain);
        };
        if self.is_dd {
            return self.dd_row(ROWS[row].1, &parts[1..], line).filter(|_| row < 2).is_some();
        }
        // Rows stand in one order, so that none belongs to other columns.
        let has_room = self.figures.len() <= FIGURES;
        if row != self.rows || parts.len() - 1 != self.columns.len() || !has_room {
            self.rows = usize::MAX;
            return false;
        }
        self.rows += 1;
        let columns = self.columns.iter().zip(&parts[1..]);
        let read = columns.map(|(block, part)| YabsFigure::parse(block, row, part, line));
        let read: Vec<Option<YabsFigure>> = read.collect();
        let is_whole = read.iter().all(Option::is_some);
        self.figures.extend(read.into_iter().flatten());
        is_whole
    }

    /// The runs of dd. The script's own mean is wrong where a unit changes between runs: it is left
    /// out.
    fn dd_row(&mut self, row: &str, parts: &[&str], line: u64) -> Option<()> {
        let begin = format!("{row}.");
        let is_twice = self.figures.iter().any(|figure| figure.name.starts_with(&begin));
        let runs = parts.get(..3).filter(|_| !is_twice)?;
        let figure = |(run, part): (u32, &&str)| {
            let (name, rates) = (format!("{row}.run_{run}"), rates(part)?);
            Some(YabsFigure { name, rates, requests: None, is_sum: false, line })
        };
        let runs: Option<Vec<YabsFigure>> = (1..).zip(runs).map(figure).collect();
        self.figures.extend(runs?);
        Some(())
    }

    fn give(mut self, out: &mut Out) {
        let (first, last) = (self.place.first_line, self.last_line);
        let votes = [0, 1].map(|kilobyte: usize| {
            let is_vote = |f: &&YabsFigure| f.fits(kilobyte) && !f.fits(1 - kilobyte);
            self.figures.iter().filter(is_vote).count()
        });
        let kilobyte = match votes {
            _ if self.is_dd => Some(0),
            [0, 0] => None,
            [new, old] => Some(usize::from(old > new)),
        };
        let mut metrics = Metrics::default();
        for figure in &self.figures {
            let YabsFigure { name, rates, requests, line, .. } = figure;
            let fits = |at: usize| kilobyte.is_none_or(|known| known == at) && figure.fits(at);
            if !fits(0) && !fits(1) {
                self.bad.push(*line);
                continue;
            }
            if let Some(kilobyte) = kilobyte {
                let name = format!("{name}.throughput");
                rates[kilobyte].give_real(&name, "bytes/s", *line, &mut metrics);
            }
            if let Some((iops, _)) = requests {
                iops.give_real(&format!("{name}.iops"), "1/s", *line, &mut metrics);
            }
        }
        let is_empty = metrics.0.is_empty();
        if kilobyte.is_none() && !is_empty {
            let why = "the MB in rates of YABS may be 1,000,000 or 1,024,000 bytes: the requests \
                       per second have too few digits to decide";
            out.unread(first, last, why);
        }
        if is_empty && self.bad.is_empty() {
            let why = "the title of a table of YABS has no readable row below it";
            out.unread(first, last, why);
        }
        for line in distinct::sorted(self.bad) {
            let why = "a row of YABS is incomplete, is in another place, or contradicts itself";
            out.unread(line, line, why);
        }
        if !is_empty {
            let result = self.place.result(TOOL.name, self.version, last, metrics);
            out.result(result.of_test(if self.is_dd { "dd" } else { "fio" }));
        }
    }
}

impl YabsFigure {
    /// `542.37 MB/s (132.4k)`
    fn parse(block: &str, row: usize, text: &str, line: u64) -> Option<YabsFigure> {
        let (rate, iops) = text.split_once('(')?;
        let iops = Quantity::suffixed(iops.strip_suffix(')')?, &[("k", 1000), ("", 1)])?;
        let requests = Some((iops, bytes(block)?)).filter(|(iops, _)| iops.value() > 0.0);
        let name = format!("{block}.{}", ROWS[row].1);
        let (rates, requests, is_sum) = (rates(rate)?, Some(requests?), row == 2);
        Some(YabsFigure { name, rates, requests, is_sum, line })
    }

    fn fits(&self, kilobyte: usize) -> bool {
        let Some((iops, bytes)) = &self.requests else { return true };
        let span = |quantity: &Quantity| {
            let cut = if self.is_sum { quantity.slack() } else { 0.0 };
            quantity.span().plus(Span::between(0.0, cut))
        };
        span(&self.rates[kilobyte]).meets(span(iops).times(Span::exactly(*bytes as f64)))
    }
}

/// `3.09 GB/s`, with either KB.
fn rates(text: &str) -> Option<[Quantity; 2]> {
    let rate = |kilobyte: u64| {
        let [mega, giga] = [kilobyte * 1000, kilobyte * 1_000_000];
        let units = [("kB/s", 1000), ("KB/s", kilobyte), ("MB/s", mega), ("GB/s", giga)];
        Quantity::parse(text, &units)
    };
    let [new, old] = KILOBYTES.map(rate);
    Some([new?, old?])
}

/// `4k`, `1m`
fn bytes(block: &str) -> Option<u64> {
    Quantity::suffixed(block, &[("k", 1 << 10), ("m", 1 << 20)])?.whole()
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
