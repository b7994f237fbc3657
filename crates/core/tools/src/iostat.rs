//! `iostat -x` of sysstat 10 to 12: a row for each device below a row of titles.
//!
//! The titles name the columns, and versions and options have others in another order. kB and MB
//! are 2^10 and 2^20 bytes (iostat.c counts sectors and divides by 2 or 2048), sizes of requests
//! are in kB from 11.7 on and in sectors before (`avgrq-sz`), times are in milliseconds. The first
//! report is an average since the machine was started, unless `-y` leaves it out: below the line
//! with the kernel it cannot be told from others without the command, and has a finding.

use crate::scan::ScannedTool;
use crate::scan::decimal::Decimal;
use crate::scan::finder::{Line, Reader};
use crate::scan::quantity::{Quantity, Span};
use crate::scan::result::{Metrics, Out, ToolResult, finding, short};
use bakeoff_model::finding::Severity;
use bakeoff_stats::tables::Table;

pub static TOOL: ScannedTool =
    ScannedTool::new("iostat", &[" r_await ", " avgqu-sz ", " aqu-sz "], || {
        vec![Box::new(Iostat::default())]
    });

#[derive(Debug, Default)]
pub struct Iostat {
    table: Option<IostatTable>,
    /// Whether the line with the kernel stands above and no table since.
    is_begun: bool,
}

#[derive(Debug)]
struct IostatTable {
    /// Titles of the columns behind the device's.
    columns: Vec<String>,
    title_line: u64,
    last_line: u64,
    is_first: bool,
    place: crate::scan::result::Place,
    has_rows: bool,
}

/// What a column has: its metric, the unit, and what one of its numbers is worth.
type IostatColumn = (&'static str, &'static str, u64);

/// The columns by their titles. `svctm` gives nothing: iostat's own manual says not to trust it.
const COLUMNS: Table<4> = Table::new(include_str!("../data/iostat_columns.csv"));

fn known(title: &str) -> Option<IostatColumn> {
    let [_, name, unit, worth] = COLUMNS.rows().find(|[known, ..]| *known == title)?;
    Some((name, unit, worth.parse().ok()?))
}

impl Reader for Iostat {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text.trim();
        if is_kernel(text) {
            self.close(out);
            self.is_begun = true;
            return false;
        }
        let mut words = text.split_whitespace();
        let first = words.next().unwrap_or("");
        if matches!(first, "Device" | "Device:") && text.ends_with("%util") {
            self.close(out);
            self.titles(line, words, out);
            return true;
        }
        let Some(table) = self.table.as_mut() else { return false };
        if text.is_empty() || table.last_line + 1 != line.number {
            self.close(out);
            return false;
        }
        let values: Vec<&str> = words.collect();
        if values.len() != table.columns.len() || !values.iter().all(|word| is_number(word)) {
            let is_row = values.iter().filter(|word| is_number(word)).count() > 2;
            if is_row {
                table.last_line = line.number;
                table.has_rows = true;
                let why = "the numbers of a row of iostat do not fit the titles above it";
                out.unread(line.number, line.number, why);
            } else {
                self.close(out);
            }
            return is_row;
        }
        table.row(line, first, &values, out);
        true
    }

    fn finish(&mut self, out: &mut Out) {
        self.close(out);
    }
}

impl Iostat {
    fn titles<'a>(&mut self, line: &Line<'_>, words: impl Iterator<Item = &'a str>, out: &mut Out) {
        let columns: Vec<String> = words.map(short).collect();
        let is_known = columns.iter().all(|title| known(title).is_some());
        let is_twice = (1..columns.len()).any(|at| columns[..at].contains(&columns[at]));
        if !is_known || is_twice {
            return out.unread(line.number, line.number, "a table of iostat has an unknown column");
        }
        let place = line.place(TOOL.name);
        let is_left_out = place
            .command
            .split_whitespace()
            .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('y'));
        self.table = Some(IostatTable {
            columns,
            title_line: line.number,
            last_line: line.number,
            is_first: std::mem::take(&mut self.is_begun) && !is_left_out,
            place,
            has_rows: false,
        });
    }

    fn close(&mut self, out: &mut Out) {
        if let Some(table) = self.table.take().filter(|table| !table.has_rows) {
            let why = "the title line of iostat -x has no readable row below it";
            out.unread(table.title_line, table.last_line, why);
        }
    }
}

impl IostatTable {
    fn row(&mut self, line: &Line<'_>, device: &str, values: &[&str], out: &mut Out) {
        (self.last_line, self.has_rows) = (line.number, true);
        let cut = self.columns.last().map(String::as_str) == Some("%util") && !line.is_ended;
        let mut metrics = Metrics::default();
        for (title, value) in self.columns.iter().zip(values) {
            let Some((name, unit, parts)) = known(title) else { continue };
            let Some(quantity) = Quantity::with_unit(value, parts) else { continue };
            // Versions before 10 print the rates in sectors and in kB.
            let is_known = name.is_empty() || metrics.get(name).is_some();
            // Without a request there is no time and no size of one.
            let is_of_request = unit == "ns" || name.ends_with("request_size");
            let is_none = is_of_request && quantity.value() == 0.0;
            if is_known || is_none || (cut && title == "%util") {
                continue;
            }
            match unit {
                "ns" => quantity.give_whole(name, unit, line.number, &mut metrics),
                unit => quantity.give_real(name, unit, line.number, &mut metrics),
            }
        }
        if self.is_torn(values) {
            let why = "the requests, the size of a request and the rate of a row of iostat \
                       contradict each other";
            return out.unread(line.number, line.number, why);
        }
        let mut result = self.place.result(TOOL.name, None, line.number, metrics);
        result.first_line = line.number;
        result.test = Some(short(device));
        self.note(&mut result);
        out.result(result);
    }

    /// Whether requests times their size are not the rate. Before 11.7 reads and writes have one
    /// size together.
    fn is_torn(&self, values: &[&str]) -> bool {
        let of = |titles: &[&str]| {
            let at = self.columns.iter().position(|title| titles.contains(&title.as_str()))?;
            Some(Quantity::with_unit(values[at], known(&self.columns[at])?.2)?.span())
        };
        let sum = |a: Option<Span>, b: Option<Span>| Some(a?.plus(b?));
        let reads = [of(&["r/s"]), of(&["rsec/s", "rkB/s", "rMB/s"]), of(&["rareq-sz"])];
        let writes = [of(&["w/s"]), of(&["wsec/s", "wkB/s", "wMB/s"]), of(&["wareq-sz"])];
        let all = [of(&["tps"]), of(&["kB/s", "MB/s"]), of(&["areq-sz"])];
        let both = [sum(reads[0], writes[0]), sum(reads[1], writes[1]), of(&["avgrq-sz"])];
        let is_torn = |side: [Option<Span>; 3]| match side {
            [Some(count), Some(rate), Some(size)] => !count.times(size).meets(rate),
            _ => false,
        };
        [reads, writes, all, both].into_iter().any(is_torn)
    }

    fn note(&self, result: &mut ToolResult) {
        if self.is_first {
            let evidence = "the first report of iostat is the average since the machine started, \
                            unless -y left it out";
            let advice = "take a later report, or run iostat with -y";
            let id = "since-boot";
            result.findings.push(finding(id, Severity::Warn, evidence.to_string(), advice));
        }
    }
}

/// `Linux 6.1.0 (pi)`, a date, and at the end `(2 CPU)`.
fn is_kernel(text: &str) -> bool {
    text.starts_with("Linux ") && text.ends_with(" CPU)")
}

fn is_number(word: &str) -> bool {
    Decimal::parse(word).is_some()
}

#[cfg(test)]
mod tests {
    use crate::scan::{Finder, Imported};

    macro_rules! fixture {
        ($name:literal) => {
            include_str!(concat!("../../../../fixtures/tools/iostat/", $name, ".stdout"))
        };
    }

    fn read(text: &str) -> Imported {
        Finder::for_tool("iostat").all_of(text.as_bytes())
    }

    fn figure(found: &Imported, at: usize, name: &str) -> Option<f64> {
        found.results[at].figure(&[name])
    }

    #[test]
    fn every_report_is_a_result_and_the_first_has_a_finding() {
        let found = read(fixture!("v126_x"));
        assert_eq!((found.results.len(), found.unread.len()), (3, 0), "{found:#?}");
        assert_eq!(found.results[0].findings[0].id, "since-boot");
        assert!(found.results[1].findings.is_empty() && found.results[2].findings.is_empty());
        assert_eq!(found.results[1].test.as_deref(), Some("sda1"));
        assert_eq!(figure(&found, 1, "read.iops"), Some(6863.0));
        assert_eq!(figure(&found, 1, "read.throughput"), Some(109_808.0 * 1024.0));
        assert_eq!(figure(&found, 1, "write.latency_avg"), Some(40_000.0));
        assert_eq!(figure(&found, 1, "write.request_size"), Some(25.28 * 1024.0));
        assert_eq!(figure(&found, 1, "queue_depth"), Some(0.45));
        assert_eq!(figure(&found, 1, "busy"), Some(24.4));
    }

    #[test]
    fn titles_of_older_versions_and_of_megabytes_are_known() {
        for (text, read_bytes_per_s) in [
            (fixture!("v100_xk"), 762_432.0 * 1024.0),
            (fixture!("v110_xm"), 719.48 * 1_048_576.0),
            (fixture!("v117_x"), 743_232.0 * 1024.0),
        ] {
            let found = read(text);
            assert_eq!((found.results.len(), found.unread.len()), (2, 0), "{found:#?}");
            assert_eq!(figure(&found, 1, "read.throughput"), Some(read_bytes_per_s));
        }
        let found = read(fixture!("v110_x"));
        assert_eq!(figure(&found, 1, "request_size"), Some(32.0 * 512.0));
    }

    #[test]
    fn tables_without_the_extended_columns_are_named() {
        let found = read(fixture!("v126_d"));
        assert_eq!((found.results.len(), found.unread.len()), (0, 1));
    }

    #[test]
    fn a_trimmed_paste_has_no_first_report() {
        let all: Vec<&str> = fixture!("v126_x").lines().collect();
        let rows: String = all[12..14].iter().map(|line| format!("> {line}\n")).collect();
        let found = read(&rows);
        assert_eq!((found.results.len(), found.unread.len()), (1, 0), "{rows}{found:#?}");
        assert!(found.results[0].findings.is_empty());
    }

    #[test]
    fn a_row_that_contradicts_itself_is_listed_and_the_others_stay() {
        let found = read(&fixture!("v126_x").replace("109808.00", "209808.00"));
        assert_eq!((found.results.len(), found.unread.len()), (2, 1));
        let found = read(&fixture!("v110_x").replace("746560.00", "1746560.00"));
        assert_eq!((found.results.len(), found.unread.len()), (1, 1));
        let found = read(&fixture!("v126_x").replace(" 24.40\n", "\n"));
        assert_eq!((found.results.len(), found.unread.len()), (2, 1));
    }
}
