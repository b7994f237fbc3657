//! Lines that only a tool prints and nobody read: something was put in front of them, or the whole
//! text onto one line. They are listed, so that nothing is lost without a word.

use super::result::Out;

/// What only these tools print, in one spelling each, whatever stands in front of it or behind it.
const MARKS: [(&str, &[&str]); 5] = [
    ("dd", &["+0 records in", "+0 records out", " bytes transferred in "]),
    ("sysbench", &["Requests/sec executed", "Total transferred ", "total number of events:"]),
    ("bonnie++", &["-Per Chr- --Block--", ",1.97,1.9", "1.97,1.97,", "1.98,2.00", "1.98,1.98,"]),
    ("iozone", &["Children see throughput", " reclen ", "\"Writer report\""]),
    ("fio", &["clat percentiles", ": IOPS=", "fio version", "jobname", " aggrb=", ";fio-3."]),
];
/// Lines of one output with others between them.
const GAP_LINES: u64 = 60;
/// Most places that are remembered.
const PLACES: usize = 1000;

/// The lines.
#[derive(Debug, Default)]
pub struct Overlooked {
    /// Tool, first line, last line.
    places: Vec<(&'static str, u64, u64)>,
}

impl Overlooked {
    /// Looks at a line that was nobody's.
    pub fn look(&mut self, number: u64, text: &str) {
        let is_marked = |marks: &&[&str]| marks.iter().any(|mark| text.contains(mark));
        let Some((tool, _)) = MARKS.iter().find(|(_, marks)| is_marked(marks)) else { return };
        let has_room = self.places.len() < PLACES;
        match self.places.iter_mut().rev().find(|(known, ..)| known == tool) {
            Some((_, _, last)) if number <= *last + GAP_LINES => *last = number,
            _ if has_room => self.places.push((*tool, number, number)),
            _ => {}
        }
    }

    /// Lists what nothing was read or listed of.
    pub fn give(self, out: &mut Out) {
        for (tool, first_line, last_line) in self.places {
            let near = (first_line.saturating_sub(GAP_LINES), last_line + GAP_LINES);
            if !out.has_between(near.0, near.1) {
                let why = format!(
                    "lines as {tool} prints them, and nothing could be read of them: take off \
                     what stands in front of each, put the breaks between lines back, or give \
                     the whole output"
                );
                out.unread(first_line, last_line, why);
            }
        }
    }
}
