//! fio's text for people, versions 2 and 3: one block a job, and a summary a group.

use super::announced::announced;
use super::block::Open;
use super::direction;
use super::scalar::value;
use super::summary;
use super::wrapped::{Joined, Joiner};
use crate::scan::finder::{Above, Line, Reader};
use crate::scan::result::{Out, short};

/// Most jobs whose block sizes are remembered.
const ANNOUNCED: usize = 1000;
/// A job's block ends at the latest this many foreign lines after its last line.
const GAP_LINES: u64 = 40;

/// Reads fio's text.
#[derive(Debug, Default)]
pub struct Text {
    version: Option<String>,
    /// Block sizes of the jobs as they were announced: name, read, write, trim.
    announced: Vec<(String, [Option<u64>; 3])>,
    open: Option<Open>,
    summary: summary::Summary,
    joiner: Joiner,
}

impl Reader for Text {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let is_among_percentiles = self.open.as_ref().is_some_and(Open::is_among_percentiles);
        let mut is_taken = true;
        for joined in self.joiner.take(line, is_among_percentiles) {
            let is_own = self.joined(&joined, line.above, out);
            is_taken = is_own || joined.last_line != line.number;
        }
        is_taken
    }

    fn finish(&mut self, out: &mut Out) {
        if let Some(joined) = self.joiner.finish() {
            self.joined(&joined, &Above::default(), out);
        }
        self.close(out);
    }
}

/// `NAME: (groupid=0, jobs=2): err= 0: pid=7801: ...`
fn head(text: &str) -> Option<(String, u64)> {
    let (name, rest) = text.split_once(": (groupid=")?;
    let error = value(rest, "err")?.trim_end_matches(':').parse().ok()?;
    Some((short(name), error))
}

/// Whether the line has figures that are wanted and stand on one line alone.
fn has_figures(text: &str) -> bool {
    ["clat", "sync", "|", "cpu", "issued"].iter().any(|word| text.starts_with(word))
}

impl Text {
    /// Takes a line that was put together; true when it is fio's.
    fn joined(&mut self, joined: &Joined, above: &Above, out: &mut Out) -> bool {
        let text = joined.text.as_str();
        let line = &Line { number: joined.first_line, text, is_ended: true, above };
        let version = text.strip_prefix("fio-").filter(|v| v.len() < 40 && !v.contains(' '));
        if let Some(version) = version {
            self.close(out);
            self.version = Some(short(version));
            return true;
        }
        if let Some(job) = announced(text) {
            if self.announced.len() < ANNOUNCED {
                self.announced.push(job);
            }
            return true;
        }
        let is_stale = self.open.as_ref().is_some_and(|o| line.number > o.last_line + GAP_LINES);
        if is_stale || text.starts_with("Run status group") {
            self.close(out);
        }
        if let Some((name, error)) = head(text) {
            self.close(out);
            self.summary.cover(line.number);
            self.open = Some(Open::new(line.place("fio"), name, error));
            return true;
        }
        if self.summary.line(line, text, self.version.as_deref(), out) {
            return true;
        }
        if self.open.is_none() && direction::begins(text) {
            // Often nothing else is quoted.
            self.open = Some(Open::new(line.place("fio"), String::new(), 0));
        }
        let Some(open) = &mut self.open else {
            let is_latency = text.starts_with("clat") || text.starts_with("sync");
            let is_lost = is_latency && text.contains("avg=");
            if is_lost && text.contains("min=") {
                let why = "latencies of fio without the line above them that says of what";
                out.unread(joined.first_line, joined.last_line, why);
            }
            return is_lost;
        };
        let is_own = open.line(line, text);
        if is_own {
            open.last_line = joined.last_line;
            self.summary.cover(joined.last_line);
        }
        if is_own && !joined.is_whole && has_figures(text) {
            let why = "a line of fio's that is not whole: it was cut, or wrapped and goes on \
                       elsewhere";
            out.unread(joined.first_line, joined.last_line, why);
        }
        is_own
    }

    fn close(&mut self, out: &mut Out) {
        let Some(open) = self.open.take() else { return };
        let mut named = self.announced.iter().filter(|(name, _)| *name == open.name);
        // Two jobs of one name may have two block sizes.
        let blocks = match (named.next(), named.next()) {
            (Some((_, blocks)), None) => *blocks,
            (Some((_, blocks)), Some((_, other))) if blocks == other => *blocks,
            _ => [None; 3],
        };
        open.give(self.version.clone(), &blocks, out);
    }
}
