//! `sysbench fileio`: the reports of 0.4, 0.5, 1.0 and the development version 1.1.
//!
//! 0.4 and 0.5 print how many requests were made, so bytes are requests times block size; 1.0 and
//! 1.1 print rates only, and the finer of two is used. "Kb", "Mb" and "Gb" of the old versions are
//! powers of 1024 bytes. Every figure that can be had from two others has to agree with them, or
//! the report is two reports mixed up and is listed as unread. Source: sysbench
//! `tests/fileio/sb_fileio.c` and `sysbench.c` at 0.4.12, 1.0.20 and master.

pub mod command;
mod field;
mod measured;
mod report;

use self::field::{Field, Key};
use crate::scan::Tool;
use crate::scan::finder::{Line, Reader};
use crate::scan::result::{Out, Place};

pub static TOOL: Tool = Tool::new(
    "sysbench",
    &["Requests/sec executed", "Total transferred ", "total number of events:"],
    || vec![Box::new(Sysbench::default())],
);

/// A report ends at the latest this many foreign lines after its last line.
const GAP_LINES: u64 = 60;
/// Most fields of a report; a report has about thirty.
const FIELDS: usize = 80;
/// Fewest fields of a report that was trimmed: rates or counts of reads, writes and flushes.
const TRIMMED_FIELDS: usize = 3;

/// One report while it is gathered.
#[derive(Debug, Default)]
struct Open {
    place: Place,
    last_line: u64,
    version: Option<String>,
    fields: Vec<Field>,
    /// Line of a field that came before: two reports are mixed.
    twice: Option<u64>,
    fatal: Option<String>,
    is_over: bool,
    /// Another run's output is around: the settings may be the other's.
    is_in_doubt: bool,
    has_head: bool,
}

#[derive(Debug, Default)]
pub struct Sysbench {
    open: Option<Open>,
    /// Where a run above ended before its result, for no reason it gave.
    was_cut: Option<u64>,
}

impl Reader for Sysbench {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        if let Some(version) = header(line.text) {
            self.close(out);
            let open = Open {
                place: line.place("sysbench"),
                last_line: line.number,
                version: Some(version.to_string()),
                is_in_doubt: self.was_cut.is_some_and(|at| line.number <= at + GAP_LINES),
                has_head: true,
                ..Open::default()
            };
            self.open = Some(open);
            return true;
        }
        let is_stale = self.open.as_ref().is_some_and(|o| line.number > o.last_line + GAP_LINES);
        if is_stale {
            self.close(out);
        }
        let in_latency = self.open.as_ref().is_some_and(Open::is_in_latency);
        let fields = field::read(line, in_latency);
        if fields.is_empty() {
            // The title of the first part, where the paste begins with it: nobody's heading.
            let is_title = line.text.trim() == "File operations:";
            return is_title || self.open.as_mut().is_some_and(|open| open.other(line));
        }
        if self.open.as_ref().is_some_and(|open| open.is_as_trimmed(&fields[0])) {
            self.close(out);
        }
        if self.open.as_ref().is_none_or(|open| open.is_over) {
            let opens = fields.iter().any(|field| field.key.opens());
            match &mut self.open {
                // A report whose head is not here: the one above may have taken it.
                Some(open) if opens => open.is_in_doubt = true,
                // A part of a report: the one above may have taken the rest.
                Some(open) => {
                    open.twice.get_or_insert(line.number);
                    return true;
                }
                None if opens => {}
                None => return false,
            }
            self.close(out);
            self.open = Some(Open { place: line.place("sysbench"), ..Open::default() });
        }
        if let Some(open) = &mut self.open {
            fields.into_iter().for_each(|field| open.add(field, line.number));
        }
        true
    }

    fn finish(&mut self, out: &mut Out) {
        self.close(out);
    }
}

impl Sysbench {
    fn close(&mut self, out: &mut Out) {
        if let Some(open) = self.open.take() {
            let has_run = open.fields.iter().any(|field| field.key == Key::Threads);
            let is_cut = open.has_head && !open.is_over && open.fatal.is_none();
            let is_prepare = open.fields.iter().any(|field| field.key.rank() > 17);
            let is_begun = has_run || open.fields.is_empty();
            self.was_cut = (is_cut && is_begun && !is_prepare).then_some(open.last_line);
            report::give(open, out);
        }
    }
}

impl Open {
    fn is_in_latency(&self) -> bool {
        self.fields.last().is_some_and(|field| field.key.is_latency())
    }

    /// Whether a field begins another report that was trimmed as this one was: its first field
    /// comes again after a good part of it.
    fn is_as_trimmed(&self, field: &Field) -> bool {
        let is_first = self.fields.first().is_some_and(|first| first.key == field.key);
        is_first && !self.has_head && self.fields.len() >= TRIMMED_FIELDS
    }

    fn add(&mut self, field: Field, line: u64) {
        self.last_line = line;
        let is_known = self.fields.iter().any(|known| known.key == field.key);
        let is_back = self.fields.last().is_some_and(|last| last.key.rank() > field.key.rank());
        if is_known || is_back || self.fields.len() >= FIELDS {
            self.twice.get_or_insert(line);
            return;
        }
        self.is_over = field.key == Key::FairnessTime;
        self.fields.push(field);
    }

    /// A line of sysbench's without a figure, or somebody else's.
    fn other(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim();
        if self.is_over {
            return false;
        }
        if text.starts_with("FATAL: ") && self.fatal.is_none() {
            self.fatal = Some(text.to_string());
            self.last_line = line.number;
            return true;
        }
        const OWN: [&str; 17] = [
            "Running the test",
            "Threads started",
            "Initializing",
            "Done.",
            "File operations:",
            "Throughput:",
            "General statistics:",
            "Latency (ms):",
            "Threads fairness:",
            "Test execution summary:",
            "per-request statistics:",
            "response time:",
            "WARNING: ",
            "Creating file",
            "Latency histogram",
            "Target transaction",
            "Report intermediate",
        ];
        let is_interval = text.starts_with('[') && text.contains(" reads: ");
        let is_histogram = text.contains(" |*") || text.contains("- distribution -");
        let is_own = is_interval || is_histogram || OWN.iter().any(|own| text.starts_with(own));
        if is_own {
            self.last_line = line.number;
        }
        is_own
    }
}

/// The version of a report's first line.
fn header(text: &str) -> Option<&str> {
    let rest = &text[text.find("sysbench ")? + "sysbench ".len()..];
    let version = rest.split([' ', ':']).next()?;
    let is_version = version.starts_with(|c: char| c.is_ascii_digit()) && version.contains('.');
    let has_tail = rest.contains(":  multi-threaded") || rest.contains("(using ");
    (is_version && has_tail).then_some(version)
}

#[cfg(test)]
mod tests {
    use crate::scan::Finder;

    const RUN: &str =
        include_str!("../../../../fixtures/tools/sysbench/v1_rndrw_default_fsync.stdout");

    /// Two pastes without their first lines were called mixed up.
    #[test]
    fn pastes_that_were_trimmed_alike_are_two_reports() {
        let from = RUN.find("File operations:").unwrap();
        let to = RUN.find("General statistics:").unwrap();
        let paste = &RUN[from..to];
        let both = format!("ext4:\n{paste}\nAnd with xfs:\n{paste}");
        let found = Finder::for_tool("sysbench").all_of(both.as_bytes());
        assert_eq!((found.results.len(), found.unread.len()), (2, 0), "{found:#?}");
        let contexts: Vec<_> = found.results.iter().map(|r| r.context.as_deref()).collect();
        assert_eq!(contexts, [Some("ext4"), Some("And with xfs")]);
    }
}
