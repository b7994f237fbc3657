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
use crate::scan::{Tool, ToolResult};

pub static TOOL: Tool =
    Tool::new("Storage.sh", &[" 4k random read ", " Cached Disk Read "], || {
        vec![Box::new(StorageSh::default())]
    });

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const BLOCK_BYTES: f64 = 4096.0;
/// A smaller number of MB/s may be one of GB/s; no drive of such a table writes 10 GB/s.
const LEAST_SURE_MB: f64 = 10e6;
/// Lines between an output and the table that repeats it.
const FAR_LINES: u64 = 150;
/// Most figures of outputs that are remembered.
const MOST_FIGURES: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq)]
enum FigureSource {
    Hdparm,
    Dd,
    Fio,
    Iozone,
}

struct Row {
    category: &'static str,
    test: &'static str,
    direction: &'static str,
    source: FigureSource,
}

const fn row(
    category: &'static str,
    test: &'static str,
    direction: &'static str,
    source: FigureSource,
) -> Row {
    Row { category, test, direction, source }
}

const ROWS: [Row; 9] = [
    row("HDParm", "Disk Read", "read", FigureSource::Hdparm),
    row("HDParm", "Cached Disk Read", "cached_read", FigureSource::Hdparm),
    row("DD", "Disk Write", "write", FigureSource::Dd),
    row("FIO", "4k random read", "read", FigureSource::Fio),
    row("FIO", "4k random write", "write", FigureSource::Fio),
    row("IOZone", "4k read", "read", FigureSource::Iozone),
    row("IOZone", "4k write", "write", FigureSource::Iozone),
    row("IOZone", "4k random read", "read", FigureSource::Iozone),
    row("IOZone", "4k random write", "write", FigureSource::Iozone),
];

/// What the lines between the outputs call the rows.
const NAMES: [&str; 9] = [
    "HDParm",
    "HDParmCached",
    "DD Write Speed",
    "4k RandRead",
    "4k RandWrite",
    "Read",
    "Write",
    "RandRead",
    "RandWrite",
];

#[derive(Debug, Default)]
pub struct StorageSh {
    above: Vec<(FigureSource, String, u64)>,
    /// The line of the last row of hdparm, when its unit was that of versions until 2023.
    old_unit: Option<u64>,
    last: Option<u64>,
    /// What stands between the outputs, which the table below gives once more.
    pending: Vec<ToolResult>,
}

impl Reader for StorageSh {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        if words == ["Category", "Test", "Result"] {
            self.pending.clear();
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
            self.told_between(line, text.trim_start_matches("FIO results - "), out);
            return true;
        }
        let known = ROWS.iter().find_map(|row| {
            let rest = text.strip_prefix(row.category)?.strip_prefix(' ')?;
            Some((row, rest.strip_prefix(row.test)?.strip_prefix(' ')?))
        });
        let Some((row, figures)) = known else {
            self.remember(&words, line.number);
            return false;
        };
        self.last = Some(line.number);
        self.row(line, row, figures, out);
        true
    }

    fn finish(&mut self, out: &mut Out) {
        self.pending.drain(..).for_each(|result| {
            out.result(result);
        });
    }
}

impl StorageSh {
    /// `RandRead: 199021 - RandWrite: 45002`, below the output of each tool.
    fn told_between(&mut self, line: &Line<'_>, text: &str, out: &mut Out) {
        for (name, figures) in text.split(" - ").filter_map(|part| part.split_once(": ")) {
            let at = NAMES.iter().position(|known| *known == name);
            let Some(row) = at.and_then(|at| ROWS.get(at)) else { continue };
            let is_bare = row.source == FigureSource::Iozone && !figures.contains(' ');
            let figures = if is_bare { format!("{figures} KB/s") } else { figures.to_string() };
            let mut found = Out::default();
            self.row(line, row, &figures, &mut found);
            let found = found.finish(line.number);
            self.pending.extend(found.results);
            found.unread.into_iter().for_each(|unread| {
                out.unread(unread.first_line, unread.last_line, unread.why);
            });
        }
    }

    /// Keeps the figures of an output, which the table repeats.
    fn remember(&mut self, words: &[&str], number: u64) {
        let is_figure = |word: &str| Quantity::with_unit(word, 1).is_some();
        let (source, kept): (FigureSource, Vec<&str>) = match words {
            ["Timing", .., rate, "MB/sec" | "kB/sec"] => (FigureSource::Hdparm, vec![*rate]),
            [.., rate, _] if words.contains(&"copied,") => (FigureSource::Dd, vec![*rate]),
            // A row of iozone's table: KiB, record size, and the rates.
            [_, "4", ..] if words.len() >= 6 && words.iter().all(|word| is_figure(word)) => {
                (FigureSource::Iozone, words[2..].to_vec())
            }
            _ => return,
        };
        for word in kept {
            if self.above.len() >= MOST_FIGURES {
                self.above.remove(0);
            }
            self.above.push((source, word.to_string(), number));
        }
    }

    fn is_repeated(&self, source: FigureSource, value: &str, number: u64) -> bool {
        self.above
            .iter()
            .any(|(known, word, at)| *known == source && word == value && number <= at + FAR_LINES)
    }

    fn row(&mut self, line: &Line<'_>, row: &Row, figures: &str, out: &mut Out) {
        let value = figures.split(' ').next().unwrap_or("");
        if row.source == FigureSource::Hdparm {
            self.old_unit = figures.ends_with(" MB/s").then_some(line.number);
        }
        if self.is_repeated(row.source, value, line.number) {
            return;
        }
        let mut metrics = Metrics::default();
        let throughput = format!("{}.throughput", row.direction);
        let rate = match row.source {
            FigureSource::Hdparm => rate(figures, &[("MB/s", MIB), ("MB/sec", MIB)]),
            FigureSource::Dd => self.dd(figures, line.number),
            FigureSource::Iozone => rate(figures, &[("KB/s", KIB)]),
            FigureSource::Fio => {
                let of = fio(figures);
                if let Some((iops, _)) = &of {
                    let name = format!("{}.iops", row.direction);
                    iops.give_real(&name, "1/s", line.number, &mut metrics);
                }
                of.map(|(_, rate)| rate)
            }
        };
        let Some(rate) = rate.filter(|rate| rate.value() > 0.0 && line.is_ended) else {
            let why = "a row of Storage.sh is incomplete, contradicts itself, or has a unit that \
                       may be wrong";
            return out.unread(line.number, line.number, why);
        };
        rate.give_real(&throughput, "bytes/s", line.number, &mut metrics);
        give(line, &format!("{} {}", row.category, row.test), metrics, out);
    }

    fn dd(&self, figures: &str, number: u64) -> Option<Quantity> {
        let is_old = self.old_unit.is_some_and(|at| number <= at + 4);
        let units = [("kB/s", 1000), ("MB/s", 1_000_000), ("GB/s", 1_000_000_000)];
        let is_sure = |rate: &Quantity| rate.value() >= LEAST_SURE_MB || !figures.ends_with("MB/s");
        rate(figures, &units).filter(|rate| !is_old || is_sure(rate))
    }

    fn score(&mut self, line: &Line<'_>, score: &str, out: &mut Out) {
        self.last = None;
        let Some(quantity) = Quantity::with_unit(score, 1) else {
            return out.unread(line.number, line.number, "a score of Storage.sh is not a number");
        };
        let mut metrics = Metrics::default();
        quantity.give_real("score", "", line.number, &mut metrics);
        give(line, "Score", metrics, out);
    }
}

fn give(line: &Line<'_>, test: &str, metrics: Metrics, out: &mut Out) {
    let result = line.place(TOOL.name).result(TOOL.name, None, line.number, metrics);
    out.result(result.of_test(test));
}

/// `473.71 MB/sec`
fn rate(figures: &str, units: &[(&str, u64)]) -> Option<Quantity> {
    Quantity::parse(figures, units)
}

/// `45637 IOPS (182551 KB/s)`, which must agree.
fn fio(figures: &str) -> Option<(Quantity, Quantity)> {
    let (iops, rest) = figures.split_once(" IOPS (")?;
    let kib = rest.strip_suffix(" KB/s)")?;
    let (iops, rate) = (Quantity::with_unit(iops, 1)?, Quantity::with_unit(kib, KIB)?);
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
            let tests: Vec<_> = read(text).results.into_iter().filter_map(|r| r.test).collect();
            assert_eq!(tests, ["FIO 4k random read", "FIO 4k random write", "Score"]);
        }
    }
}
