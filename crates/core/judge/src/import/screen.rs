//! The first screen of a run of ours, as somebody copied it from a terminal: figures only, for it
//! has no intervals. Candidates are below their workloads; the leader has a figure, the others a
//! share of it. One directory has a line for each workload.

use super::pasted::{NAME, pattern};
use bakeoff_model::workloads::{self, IN_WORDS};
use bakeoff_tools::scan::RESULTS_LIMIT;
use bakeoff_tools::scan::finder::Line;
use bakeoff_tools::scan::result::{Metrics, Out, Place, ToolResult};

const COLUMNS: usize = 32;
/// Lines below a table that say the same in words.
const BELOW: u64 = 16;
const CERTAIN: &str = "* certain";
const BARS: [char; 8] = ['█', '▉', '▊', '▋', '▌', '▍', '▎', '▏'];
const MARKS: [char; 3] = ['*', '=', '!'];
const NO_FIGURE: [&str; 5] = ["-", "memory", "memory?", "unknown", "too"];
/// What one of a unit is, and the unit of results; a share of the leader's has none.
const UNITS: [(&str, f64, Option<&str>); 12] = [
    ("%", 0.01, None),
    ("GB/s", 1e9, Some("bytes/s")),
    ("MB/s", 1e6, Some("bytes/s")),
    ("kB/s", 1e3, Some("bytes/s")),
    ("B/s", 1.0, Some("bytes/s")),
    ("M/s", 1e6, Some("1/s")),
    ("k/s", 1e3, Some("1/s")),
    ("/s", 1.0, Some("1/s")),
    ("µs", 1e3, Some("ns")),
    ("us", 1e3, Some("ns")),
    ("ms", 1e6, Some("ns")),
    ("s", 1e9, Some("ns")),
];

#[derive(Debug, Default)]
pub(super) struct Screen {
    workloads: Vec<String>,
    rows: Vec<ScreenRow>,
    is_place: bool,
    found: Vec<ToolResult>,
}

#[derive(Debug)]
struct ScreenRow {
    line: u64,
    candidate: String,
    cells: Vec<ScreenCell>,
}

#[derive(Clone, Debug, Default)]
struct ScreenCell {
    /// A figure with its unit, or a share of the leader's without one; `None` for words.
    value: Option<(f64, Option<&'static str>)>,
    raw: String,
}

/// The workloads of a table's head; `None` for any other line.
fn head(text: &str) -> Option<Vec<String>> {
    let mut rest = text.trim_start();
    let is_ours = rest.starts_with(CERTAIN) || IN_WORDS.iter().any(|w| rest.starts_with(w.2));
    rest = rest.strip_prefix(CERTAIN).unwrap_or(rest).trim();
    let mut names = Vec::new();
    while !rest.is_empty() {
        let known = IN_WORDS.iter().find(|w| rest.starts_with(w.2));
        let word = rest.split_whitespace().next().unwrap_or(rest);
        let (name, length) = known.map_or((word, word.len()), |w| (w.0, w.2.len()));
        names.push(name.to_string());
        rest = rest[length..].trim_start();
    }
    (is_ours && (1..=COLUMNS).contains(&names.len())).then_some(names)
}

/// A candidate and its cells in as many columns.
fn row(text: &str, columns: usize) -> Option<(String, Vec<ScreenCell>)> {
    let text = text.replace(BARS, " ");
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let cells: Option<Vec<ScreenCell>> = (0..columns).map(|_| cell(&mut words)).collect();
    let cells = cells?.into_iter().rev().collect();
    (!words.is_empty()).then(|| (words.join(" "), cells))
}

/// The last cell of a line: `1230/s`, `41.2 MB/s*`, `92 %=`, `~98 % ?`, `<8 %`, `memory`.
fn cell(words: &mut Vec<&str>) -> Option<ScreenCell> {
    let mut last = words.pop()?;
    if last == "?" || last == "few" {
        last = words.pop()?;
    }
    let last = last.trim_end_matches(MARKS);
    if NO_FIGURE.contains(&last) {
        return Some(ScreenCell::default());
    }
    let (unit, scale, name) = UNITS.iter().find(|(unit, ..)| last.ends_with(unit))?;
    let (number, raw) = match last.strip_suffix(unit)? {
        "" => words.pop().map(|number| (number, format!("{number} {unit}")))?,
        number => (number, last.to_string()),
    };
    let value = number.trim_start_matches(['~', '<']).parse::<f64>().ok()? * scale;
    let value = (!number.starts_with('<')).then_some((value, *name));
    Some(ScreenCell { value, raw })
}

impl Screen {
    pub(super) fn line(&mut self, line: &Line<'_>) -> bool {
        let is_full = self.rows.len() + self.found.len() >= RESULTS_LIMIT;
        let columns = Some(self.workloads.len()).filter(|columns| *columns > 0 && !is_full);
        if let Some((candidate, cells)) = columns.and_then(|columns| row(line.text, columns)) {
            self.rows.push(ScreenRow { line: line.number, candidate, cells });
            return true;
        }
        self.end();
        self.workloads = head(line.text).unwrap_or_default();
        if let Some(found) = self.of_place(line).filter(|_| !is_full) {
            self.found.push(found);
            return true;
        }
        let text = line.text.trim();
        // Its head and its lines follow each other.
        self.is_place =
            text.starts_with("test ") && text.contains(" MB/s ") && text.contains("IOPS");
        self.is_place || !self.workloads.is_empty()
    }

    pub(super) fn finish(&mut self, out: &mut Out) {
        self.end();
        for found in std::mem::take(&mut self.found) {
            out.known(found.first_line..=found.last_line + BELOW);
            out.result(found);
        }
    }

    /// A line of one directory: `Random writes  4.49  1096  p99 flush 13.8 ms`.
    fn of_place(&self, line: &Line<'_>) -> Option<ToolResult> {
        let text = line.text.trim_start();
        let known = |w: &&(&str, &str, &str)| {
            let start = text.get(..w.1.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(w.1))
        };
        let workload = IN_WORDS.iter().find(known).filter(|_| self.is_place)?;
        let raw = text[workload.1.len()..].split_whitespace().next()?;
        let rate = raw.parse::<f64>().ok()? * 1e6;
        Some(result(workload.0, None, (rate, "bytes/s", raw), line.number))
    }

    fn end(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        for (at, workload) in self.workloads.iter().enumerate() {
            let figure = |row: &ScreenRow| match row.cells[at].value {
                Some((figure, Some(unit))) => Some((figure, unit)),
                _ => None,
            };
            let leader = rows.iter().find_map(figure);
            for row in &rows {
                let cell = &row.cells[at];
                let (value, unit) = match (cell.value, leader) {
                    (Some((figure, Some(unit))), _) => (figure, unit),
                    (Some((share, None)), Some((figure, "ns"))) => (figure / share, "ns"),
                    (Some((share, None)), Some((figure, unit))) => (figure * share, unit),
                    _ => continue,
                };
                let figure = (value, unit, cell.raw.as_str());
                self.found.push(result(workload, Some(&row.candidate), figure, row.line));
            }
        }
    }
}

fn result(
    workload: &str,
    candidate: Option<&str>,
    (figure, unit, raw): (f64, &'static str, &str),
    line: u64,
) -> ToolResult {
    let known = workloads::find(workload).ok();
    let test = known.and_then(|known| pattern(known.job.rw)).unwrap_or(workload);
    let mut metrics = Metrics::default();
    let name = match unit {
        "bytes/s" => "throughput",
        "ns" => "latency_p99",
        _ => "rate",
    };
    metrics.real(name, figure, unit, (raw, line));
    let candidate = candidate.map(|name| ("candidate".to_string(), name.to_string()));
    let workload = ("workload".to_string(), workload.to_string());
    let place = Place { first_line: line, context: String::new(), command: String::new() };
    ToolResult {
        test: Some(test.to_string()),
        setup: std::iter::once(workload).chain(candidate).collect(),
        ..place.result(NAME, None, line, metrics)
    }
}

#[cfg(test)]
mod tests {
    use crate::import;

    fn read(text: &str) -> Vec<String> {
        let found = import::all(text.as_bytes());
        assert!(found.unread.is_empty(), "{:?}", found.unread);
        let one = |r: &bakeoff_tools::scan::ToolResult| {
            let of = ["workload", "candidate"].map(|key| r.setup.get(key).cloned());
            let metric = &r.metrics[0];
            let value = metric.value.as_f64();
            format!("{of:?} {} {value} {}: {}", metric.name, metric.unit, metric.raw)
        };
        found.results.iter().map(one).collect()
    }

    #[test]
    fn a_screen_gives_every_figure() {
        let text = "$ sudo bakeoff demo\nUse xfs for Linux data.\n\n\
            * certain            rnd writes small files rnd reads  seq reads  seq writes\n\
            xfs                     3180/s        95 %       92 %      100 %= 2.22 GB/s*\n\
            ext4 without journal      95 %      ~99 % ?    memory       98 %*      <8 %*\n\
            ext4                      85 %*     1540/s    12.3k/s  2.40 GB/s       66 %*\n\
            = equally fast\nWear: bakeoff show d80fe56c --by wear\n";
        insta::assert_debug_snapshot!(read(text));
    }

    #[test]
    fn bars_and_the_figures_of_one_directory_are_read() {
        let bars = "* certain              rnd writes           seq reads\n\
            /mnt/usb stick ███████▉      98 %* ████████  90.4 MB/s\n";
        assert_eq!(read(bars).len(), 1, "{:?}", read(bars));
        let place = " test           MB/s  IOPS            latency\n\
             Random writes  4.49  1096  p99 flush 13.8 ms\n\nIs this normal?\n\
             Random writes: normal\n  usual: 30.0 MB/s to 12.0 GB/s (an estimate)\n";
        assert_eq!(read(place), ["[Some(\"randwrite\"), None] throughput 4490000 bytes/s: 4.49"]);
    }
}
