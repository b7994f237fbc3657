//! Exports of bakeoff itself that are no bundle. The line to paste in them is read, or else the
//! table of a first screen. Those without either are named, and lead to the bundle, which is the
//! only one that has a whole run.

use super::pasted::PastedLines;
use super::screen::Screen;
use bakeoff_model::undo::is_run_id;
use bakeoff_tools::scan::finder::{Line, Reader};
use bakeoff_tools::scan::result::Out;

/// The first titles of the CSV of a run (docs/format.md).
const TITLES: &str = "run,block,counts,candidate,workload,metric,";

#[derive(Debug, Default)]
pub struct Own {
    found: Option<(&'static str, u64, u64)>,
    lines: PastedLines,
    screen: Screen,
}

fn format(text: &str) -> Option<&'static str> {
    if text.starts_with(TITLES) {
        return Some("csv");
    }
    let (before, rest) = text.split_once("\"schema\"")?;
    let is_run = rest.trim_start_matches([':', ' ', '"']).starts_with("bakeoff/run/");
    // An event has it inside; in a document it is a key of the outermost object.
    let format = if before.contains("\"seq\"") { "jsonl" } else { "json" };
    is_run.then_some(format)
}

pub fn run_of_events(text: &str) -> Option<&str> {
    let line = text.lines().next().filter(|line| format(line) == Some("jsonl"))?;
    let mut ids = line.split("\"run\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    ids.find(|id| is_run_id(id))
}

impl Reader for Own {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let is_pasted = self.lines.line(line, out) | self.screen.line(line);
        if let Some((_, _, last)) = &mut self.found {
            *last = line.number;
        } else if let Some(format) = format(line.text.trim()) {
            self.found = Some((format, line.number, line.number));
        }
        is_pasted
    }

    fn finish(&mut self, out: &mut Out) {
        self.lines.finish(out);
        // A block has both, and the line says more.
        if !self.lines.has_any() {
            self.screen.finish(out);
        }
        let without_line = self.found.filter(|_| !self.lines.has_any());
        let Some((format, first, last)) = without_line else { return };
        let why = format!(
            "this is a run of bakeoff that was exported as {format}. import needs a complete run: \
             create it with `bakeoff show RUN -o run.bundle` where the run was measured"
        );
        out.unread(first, last, why);
    }
}
