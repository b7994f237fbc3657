//! `dd`: its three lines of statistics, in any language it was translated to.
//!
//! GNU coreutils print `N bytes (X MB, Y MiB) copied, T s, R MB/s` in the locale's words, word
//! order and decimal mark; versions before 6.1 spell out `seconds`; BSD prints `N bytes transferred
//! in T secs (R bytes/sec)`. R has two or three digits, so the rate is taken from N and T, and R
//! and the sizes in parentheses are only used to see that the line is whole. Source: coreutils
//! `src/dd.c`, and the binaries' own message catalogues.

mod line;

use self::line::Stats;
use crate::scan::ScannedTool;
use crate::scan::finder::{Line, Reader};
use crate::scan::result::{Metrics, Out, Place, ToolResult, finding, short};
use bakeoff_model::finding::Severity;

pub static TOOL: ScannedTool = ScannedTool::new(
    "dd",
    &["+0 records in", "+0 records out", " bytes transferred in ", "B) copied, "],
    || vec![Box::new(Dd::default())],
);

/// Statistics follow the record lines at once, but for a warning or a count of cut records.
const RECORDS_GAP_LINES: u64 = 2;
const ERROR_GAP_LINES: u64 = 6;
/// For this many lines, record lines may belong to a run whose own were lost.
const STRAY_LINES: u64 = 200;
const PROGRESS_GAP_LINES: u64 = 4;

#[derive(Debug, Default)]
pub struct Dd {
    /// Record lines directly above, with their full and partial counts.
    records: Vec<(u64, [u64; 2], String)>,
    place: Option<Place>,
    /// A line of statistics without record lines: a progress line, unless nothing follows.
    loose: Option<(Place, u64, Stats)>,
    is_display: bool,
    error: Option<(u64, String)>,
    /// The last line of records that no statistics followed: those of another run may stand
    /// between, and records further down may be the other's.
    stray_line: Option<u64>,
}

impl Reader for Dd {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        if !line.text.bytes().any(|byte| byte.is_ascii_digit()) {
            self.note_error(line, out);
            self.leave_records(line.number, out);
            return false;
        }
        if let Some(counts) = line::records(line.text) {
            if self.records.is_empty() {
                self.place = Some(line.place("dd"));
            }
            if self.records.len() < 5 {
                self.records.push((line.number, counts, line.text.trim().to_string()));
            }
            return true;
        }
        self.note_error(line, out);
        self.statistics(line, out)
    }

    fn finish(&mut self, out: &mut Out) {
        self.end_of_records(out);
        self.give_loose(out);
        self.give_error(out);
    }
}

impl Dd {
    fn note_error(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.text.trim_start().starts_with("dd: ") && line.text.matches(": ").count() > 1 {
            self.give_error(out);
            self.error = Some((line.number, short(line.text)));
        }
        let is_past = |at: u64| line.number > at + ERROR_GAP_LINES;
        if self.error.as_ref().is_some_and(|(at, _)| is_past(*at)) {
            self.give_error(out);
        }
    }

    fn give_error(&mut self, out: &mut Out) {
        if let Some((at, text)) = self.error.take() {
            out.unread(at, at, format!("dd failed: {text}"));
        }
    }

    /// A line with digits that is no record line: statistics, or nothing.
    fn statistics(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let Some(stats) = line::stats(line.text) else {
            if line::is_like(line.text) {
                let why = "this looks like statistics of dd, but the words or units are not those \
                           of dd";
                out.unread(line.number, line.number, why);
            }
            self.leave_records(line.number, out);
            return false;
        };
        if let Some(why) = &stats.contradiction {
            out.unread(line.number, line.number, why.clone());
            self.records.clear();
            self.place = None;
            return true;
        }
        if self.records.is_empty() {
            self.replace_loose(line.place("dd"), line.number, stats, out)
        } else {
            self.give(line.number, stats, out)
        }
        true
    }

    /// Statistics with no record lines above: kept until it is clear what they are.
    fn replace_loose(&mut self, place: Place, line: u64, stats: Stats, out: &mut Out) {
        if let Some((before, last, old)) = self.loose.take() {
            let goes_on = stats.bytes >= old.bytes && stats.elapsed_ns >= old.elapsed_ns;
            let is_same_line = last == line;
            self.is_display = is_same_line;
            if is_same_line || (goes_on && old.is_progress && last + 1 == line) {
                self.loose = Some((Place { first_line: before.first_line, ..place }, line, stats));
                return;
            }
            self.loose = Some((before, last, old));
            self.give_loose(out);
        }
        self.is_display = false;
        self.loose = Some((place, line, stats));
    }

    fn give_loose(&mut self, out: &mut Out) {
        let Some((place, line, stats)) = self.loose.take() else { return };
        if stats.is_progress {
            let why =
                "this is a progress line of dd: the run continued after it, and its end is missing";
            out.unread(place.first_line, line, why);
            return;
        }
        out.result(self.result(&place, line, &stats, None));
    }

    fn give(&mut self, line: u64, stats: Stats, out: &mut Out) {
        let records = std::mem::take(&mut self.records);
        let Some(mut place) = self.place.take() else { return };
        let start = place.first_line;
        if let Some((before, last, old)) = self.loose.take() {
            let is_near = last + PROGRESS_GAP_LINES >= start;
            let goes_on = stats.bytes >= old.bytes && stats.elapsed_ns >= old.elapsed_ns;
            if is_near && goes_on {
                // A display that began its line again is one for sure.
                if !old.is_progress && !self.is_display {
                    let why = "statistics of dd are directly above those of a run: they are a \
                               progress line, or the other lines of their run are missing";
                    out.unread(before.first_line, last, why);
                } else {
                    place.first_line = before.first_line;
                }
            } else {
                self.loose = Some((before, last, old));
                self.give_loose(out);
            }
        }
        if records.len() != 2 {
            self.stray_line = Some(line);
        }
        let is_clear = self.stray_line.is_none_or(|at| line > at + STRAY_LINES);
        let is_one_run = records.len() == 2 && line <= start + 4 && is_clear;
        let block = records.first().filter(|_| is_one_run).and_then(|first| {
            let [full, partial] = first.1;
            let same = records[1].1 == first.1;
            let whole = partial == 0 && full > 0 && stats.bytes.is_multiple_of(full);
            (same && whole).then(|| (stats.bytes / full, first.2.clone(), first.0))
        });
        out.result(self.result(&place, line, &stats, block));
    }

    fn result(
        &mut self,
        place: &Place,
        line: u64,
        stats: &Stats,
        block: Option<(u64, String, u64)>,
    ) -> ToolResult {
        let mut metrics = Metrics::default();
        metrics.whole("bytes", stats.bytes, "bytes", (&stats.bytes_raw, line));
        metrics.whole("elapsed", stats.elapsed_ns, "ns", (&stats.elapsed_raw, line));
        if stats.bytes > 0 && stats.elapsed_ns > 0 {
            let rate = stats.bytes as f64 * 1e9 / stats.elapsed_ns as f64;
            metrics.real("throughput", rate, "bytes/s", (&stats.rate_raw, line));
        }
        if let Some((size_bytes, raw, at)) = block.filter(|block| block.0 > 0) {
            metrics.whole("block_size", size_bytes, "bytes", (&raw, at));
        }
        let mut result = place.result("dd", None, line, metrics);
        if let Some((at, text)) = self.error.take().filter(|(at, _)| at + ERROR_GAP_LINES >= line) {
            let advice = "Fix the error that dd reports and run it again.";
            let evidence = format!("line {at}: {text}");
            result.findings.push(finding("tool-error", Severity::Error, evidence, advice));
        }
        result
    }

    /// A line that is neither: too far below the record lines, nothing can belong to them.
    fn leave_records(&mut self, number: u64, out: &mut Out) {
        let last = self.records.last().map(|record| record.0);
        if last.is_some_and(|last| number > last + RECORDS_GAP_LINES) {
            self.end_of_records(out);
        }
    }

    fn end_of_records(&mut self, out: &mut Out) {
        let Some(last) = self.records.last().map(|record| record.0) else { return };
        let first = self.records[0].0;
        self.records.clear();
        self.place = None;
        self.stray_line = Some(last);
        let why =
            "the record counts of dd have no time: busybox, a version before 5.3 or status=noxfer";
        out.unread(first, last, why);
    }
}
