//! Lines that only a tool prints and nobody read: something was put in front of them, or the whole
//! text onto one line. They are listed, so that nothing is lost without a word.

use super::result::Out;

/// What only these tools print, in one spelling each, whatever stands in front of it or behind it.
const MARKS: [(&str, &[&str]); 13] = [
    ("dd", &["+0 records in", "+0 records out", " bytes transferred in ", "B) copied, "]),
    ("sysbench", &["Requests/sec executed", "Total transferred ", "total number of events:"]),
    ("bonnie++", &["-Per Chr- --Block--", ",1.97,1.9", "1.97,1.97,", "1.98,2.00", "1.98,1.98,"]),
    ("bonnie++", &PHASES),
    ("iozone", &["Children see throughput", " reclen ", "\"Writer report\""]),
    ("ioping", &[" ioping statistics ---", " requests completed in "]),
    ("f3", &["Average reading speed:", "Average writing speed:", "*Usable* size:", "Data LOST:"]),
    ("iostat", &[" r_await ", " avgqu-sz ", " aqu-sz "]),
    ("CrystalDiskMark", &["iB (Q=", "Sequential Read (", "Sequential Write ("]),
    ("YABS", &["Block Size | ", "fio Disk Speed Tests"]),
    ("agnostics", &["seq-write;0;0;", "rand-4k-write;0;0;", "write speed - "]),
    ("Storage.sh", &[" 4k random read ", " Cached Disk Read "]),
    ("fio", &["clat percentiles", ": IOPS=", "fio version", "jobname", " aggrb=", ";fio-3."]),
];
/// What bonnie++ says of its phases: all that one that was interrupted prints.
const PHASES: [&str; 2] = ["Writing a byte at a time...", "Writing intelligently..."];
/// Lines of one output with others between them.
const GAP_LINES: u64 = 60;
/// Most places that are remembered.
const PLACES: usize = 1000;

/// The lines.
#[derive(Debug, Default)]
pub struct Overlooked {
    /// Which of the marks, first line, last line.
    places: Vec<(usize, u64, u64)>,
}

impl Overlooked {
    /// Looks at a line that was nobody's.
    pub fn look(&mut self, number: u64, text: &str) {
        let is_marked = |marks: &&[&str]| marks.iter().any(|mark| text.contains(mark));
        let Some(mark) = MARKS.iter().position(|(_, marks)| is_marked(marks)) else { return };
        let has_room = self.places.len() < PLACES;
        match self.places.iter_mut().rev().find(|(known, ..)| *known == mark) {
            Some((_, _, last)) if number <= *last + GAP_LINES => *last = number,
            _ if has_room => self.places.push((mark, number, number)),
            _ => {}
        }
    }

    /// Lists what nothing was read or listed of.
    pub fn give(self, out: &mut Out) {
        for (mark, first_line, last_line) in self.places {
            let near = (first_line.saturating_sub(GAP_LINES), last_line + GAP_LINES);
            if !out.has_between(near.0, near.1) {
                let (tool, marks) = MARKS[mark];
                let why = match *marks == PHASES {
                    true => format!(
                        "{tool} printed its phases without a figure: it was interrupted, or its \
                         figures are in its other output"
                    ),
                    false => format!(
                        "the lines look like output of {tool}, but cannot be read: remove the text \
                         before each line, restore the line breaks, or import the complete output"
                    ),
                };
                out.unread(first_line, last_line, why);
            }
        }
    }
}
