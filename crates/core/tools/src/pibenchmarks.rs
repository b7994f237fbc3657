//! Storage.sh of PiBenchmarks: its table of figures and its score.
//!
//! The script runs hdparm, dd, fio and iozone, prints the outputs of all but fio, and then a table
//! of the figures it took from them. A row whose figure stands in such an output above is not given
//! again. Units are those of the tools: hdparm's MB are 2^20 bytes, dd's 10^6, the KB of fio and
//! iozone 2^10. Until 2023 the script wrote MB/s behind dd's number, whatever its unit was; such a
//! number below ten may be of GB and is listed.

use crate::scan::finder::{Line, Reader};
use crate::scan::quantity::{Quantity, Span};
use crate::scan::result::{Metrics, Out};
use crate::scan::{ScannedTool, ToolResult};

pub static TOOL: ScannedTool =
    ScannedTool::new("Storage.sh", &[" 4k random read ", " Cached Disk Read "], || {
        vec![Box::new(StorageSh::default())]
    });

const BLOCK_BYTES: f64 = 4096.0;
/// A smaller number of MB/s may be one of GB/s; no drive of such a table writes 10 GB/s.
const LEAST_SURE_MB: f64 = 10e6;
const FAR_LINES: u64 = 150;
const MOST_PENDING: usize = 1000;

type Units = &'static [(&'static str, u64)];

const HDPARM: Units = &[("MB/s", 1 << 20), ("MB/sec", 1 << 20)];
const DD: Units = &[("kB/s", 1000), ("MB/s", 1_000_000), ("GB/s", 1_000_000_000)];
const KIB: Units = &[("KB/s", 1 << 10)];
/// The rows of the table, what the lines between the outputs call them, the direction, the tool and
/// its units.
const ROWS: [(&str, &str, &str, &str, Units); 9] = [
    ("HDParm Disk Read", "HDParm", "read", "hdparm", HDPARM),
    ("HDParm Cached Disk Read", "HDParmCached", "cached_read", "hdparm", HDPARM),
    ("DD Disk Write", "DD Write Speed", "write", "dd", DD),
    ("FIO 4k random read", "4k RandRead", "read", "fio", KIB),
    ("FIO 4k random write", "4k RandWrite", "write", "fio", KIB),
    ("IOZone 4k read", "Read", "read", "iozone", KIB),
    ("IOZone 4k write", "Write", "write", "iozone", KIB),
    ("IOZone 4k random read", "RandRead", "read", "iozone", KIB),
    ("IOZone 4k random write", "RandWrite", "write", "iozone", KIB),
];

/// A figure, unless the output that it is of was read.
#[derive(Debug)]
struct PendingFigure {
    line: u64,
    tool: &'static str,
    number: String,
    is_in_table: bool,
    result: Option<ToolResult>,
}

#[derive(Debug, Default)]
pub struct StorageSh {
    /// The line of the last row of hdparm, when its unit was that of versions until 2023.
    old_unit: Option<u64>,
    last: Option<u64>,
    pending: Vec<PendingFigure>,
}

impl Reader for StorageSh {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        if self.pending.len() > MOST_PENDING {
            self.give(out);
        }
        let words: Vec<&str> = line.text.split_whitespace().collect();
        if words == ["Category", "Test", "Result"] {
            // The table gives once more what stands between the outputs.
            self.pending.retain(|figure| figure.is_in_table);
            self.last = Some(line.number);
            return true;
        }
        let is_near = self.last.is_some_and(|last| line.number <= last + 4);
        if let ["Score:", score] = words.as_slice()
            && is_near
            && line.is_ended
        {
            self.score(line, score, out);
            return true;
        }
        let text = words.join(" ");
        let begins = ["FIO results - ", "HDParm: ", "DD Write Speed: ", "RandRead: "];
        if begins.iter().any(|begin| text.starts_with(begin)) {
            // `RandRead: 199021 - RandWrite: 45002`, below the output of each tool.
            for (name, figures) in text.split(" - ").filter_map(|part| part.split_once(": ")) {
                if let Some(at) = ROWS.iter().position(|row| row.1 == name) {
                    self.row(line, at, figures, false);
                }
            }
            return true;
        }
        let figures =
            |row: &(&str, &str, &str, &str, Units)| text.strip_prefix(row.0)?.strip_prefix(' ');
        let found = (0..).zip(&ROWS).find_map(|(at, row)| Some((at, figures(row)?)));
        let Some((at, figures)) = found else { return false };
        self.last = Some(line.number);
        self.row(line, at, figures, true);
        true
    }

    fn finish(&mut self, out: &mut Out) {
        self.give(out);
    }
}

impl StorageSh {
    fn give(&mut self, out: &mut Out) {
        for PendingFigure { line, tool, number, result, .. } in self.pending.drain(..) {
            if out.has_printed(line.saturating_sub(FAR_LINES)..=line, tool, &number) {
                continue;
            }
            match result {
                Some(result) => out.result(result),
                None => out.unread(
                    line,
                    line,
                    "a row of Storage.sh is incomplete, contradicts itself, or has a unit that \
                     may be wrong",
                ),
            }
        }
    }

    fn row(&mut self, line: &Line<'_>, at: usize, figures: &str, is_in_table: bool) {
        let (test, _, direction, tool, units) = ROWS[at];
        let number = figures.split(' ').next().unwrap_or("").to_string();
        if tool == "hdparm" {
            self.old_unit = figures.ends_with(" MB/s").then_some(line.number);
        }
        let mut metrics = Metrics::default();
        let mut give = |what: &str, unit, quantity: &Quantity| {
            quantity.give_real(&format!("{direction}.{what}"), unit, line.number, &mut metrics);
        };
        let rate = match tool {
            // `45637 IOPS (182551 KB/s)`, which must agree.
            "fio" => fio(figures).map(|(iops, rate)| {
                give("iops", "1/s", &iops);
                rate
            }),
            "iozone" if !figures.contains(' ') && !is_in_table => {
                Quantity::with_unit(figures, 1 << 10)
            }
            _ => Quantity::parse(figures, units),
        };
        let is_old = self.old_unit.is_some_and(|at| line.number <= at + 4);
        let is_sure = |rate: &Quantity| {
            let may_be_another = tool == "dd" && is_old && figures.ends_with("MB/s");
            rate.value() > 0.0 && (!may_be_another || rate.value() >= LEAST_SURE_MB)
        };
        let rate = rate.filter(|rate| line.is_ended && is_sure(rate));
        if let Some(rate) = &rate {
            give("throughput", "bytes/s", rate);
        }
        let result = rate.map(|_| result(line, test, metrics));
        let line = line.number;
        self.pending.push(PendingFigure { line, tool, number, is_in_table, result });
    }

    fn score(&mut self, line: &Line<'_>, score: &str, out: &mut Out) {
        self.last = None;
        let Some(quantity) = Quantity::with_unit(score, 1) else {
            return out.unread(line.number, line.number, "a score of Storage.sh is not a number");
        };
        let mut metrics = Metrics::default();
        quantity.give_real("score", "", line.number, &mut metrics);
        out.result(result(line, "Score", metrics));
    }
}

fn result(line: &Line<'_>, test: &str, metrics: Metrics) -> ToolResult {
    line.place(TOOL.name).result(TOOL.name, None, line.number, metrics).of_test(test)
}

fn fio(figures: &str) -> Option<(Quantity, Quantity)> {
    let (iops, rest) = figures.split_once(" IOPS (")?;
    let kib = rest.strip_suffix(" KB/s)")?;
    let (iops, rate) = (Quantity::with_unit(iops, 1)?, Quantity::with_unit(kib, 1 << 10)?);
    let product = iops.span().times(Span::exactly(BLOCK_BYTES));
    product.meets(rate.span()).then_some((iops, rate))
}

#[cfg(test)]
mod tests {
    use crate as tools;
    use crate::scan::{Finder, Imported};

    macro_rules! fixture {
        ($name:literal) => {
            include_str!(concat!("../../../../fixtures/tools/storage_sh/", $name, ".stdout"))
        };
    }

    fn read(text: &str) -> Imported {
        Finder::for_tool("Storage.sh").all_of(text.as_bytes())
    }

    const TABLE: &str = "\
        \x20    Category                  Test                      Result     \n\
        HDParm                    Disk Read                 41.50 MB/s\n\
        HDParm                    Cached Disk Read          701.22 MB/s\n\
        DD                        Disk Write                1.3 MB/s\n\
        FIO                       4k random read            2710 IOPS (10843 KB/s)\n\
        FIO                       4k random write           845 IOPS (3381 KB/s)\n\
        IOZone                    4k read                   9123 KB/s\n\
        IOZone                    4k random write           3017 KB/s\n\
        \n\
        \x20                         Score: 1234\n";

    #[test]
    fn a_table_alone_is_read_but_for_a_unit_that_may_be_wrong() {
        let found = read(TABLE);
        assert_eq!((found.results.len(), found.unread.len()), (7, 1), "{found:#?}");
        assert_eq!(found.unread[0].first_line, 4);
        let figure = |at: usize, name: &str| found.results[at].figure(&[name]);
        assert_eq!(figure(0, "read.throughput"), Some(41.5 * 1_048_576.0));
        assert_eq!(figure(2, "read.iops"), Some(2710.0));
        assert_eq!(figure(3, "write.throughput"), Some(3381.0 * 1024.0));
        assert_eq!(figure(6, "score"), Some(1234.0));
        let newer =
            TABLE.replace("41.50 MB/s", "41.50 MB/sec").replace("701.22 MB/s", "701.22 MB/sec");
        assert_eq!(read(&newer).unread, []);
    }

    #[test]
    fn a_row_that_contradicts_itself_is_listed_and_the_others_stay() {
        let found = read(&TABLE.replace("2710 IOPS", "3710 IOPS"));
        assert_eq!((found.results.len(), found.unread.len()), (6, 2));
    }

    #[test]
    fn the_outputs_above_the_table_are_read_by_their_own_readers() {
        for text in [fixture!("v2020"), fixture!("v2024")] {
            let found = tools::read(text.as_bytes());
            let tools: Vec<_> = found.results.iter().map(|r| r.tool.as_str()).collect();
            let own = ["Storage.sh"; 3];
            assert_eq!(tools, [&["hdparm", "hdparm", "dd", "iozone"], &own[..]].concat());
            assert_eq!(found.unread, []);
        }
    }

    #[test]
    fn figures_of_outputs_above_the_table_are_not_given_twice() {
        for text in [fixture!("v2020"), fixture!("v2024")] {
            let found = tools::read(text.as_bytes()).results.into_iter();
            let own = found.filter(|result| result.tool == "Storage.sh");
            let tests: Vec<_> = own.filter_map(|r| r.test).collect();
            assert_eq!(tests, ["FIO 4k random read", "FIO 4k random write", "Score"]);
        }
    }
}
