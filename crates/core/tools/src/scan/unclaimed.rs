//! Lines that no reader took and that are a tool's all the same, so that nothing is lost without a
//! word: of a tool with a reader, because something was put in front of them or the whole text onto
//! one line; of one that people of this field post and that has no reader.

use super::result::Out;
use super::tool::ScannedTool;

/// A tool without a reader, and what one of its lines has, all of them.
type Stranger = (&'static str, &'static [&'static str]);

/// One line of each that nothing else prints. Sources: the tools' own outputs and scripts.
const STRANGERS: [Stranger; 7] = [
    ("iozone -Q", &["Offset in kBytes", "Latency in microseconds"]),
    ("iozone -R", &["\"Writer report\""]),
    ("ioping -json", &["\"stat\": {"]),
    ("CrystalDiskMark or KDiskMark", &["SEQ1M Q8T1", "RND4K"]),
    ("iostat without -x", &["Device", " tps ", "read/s"]),
    ("hyperfine --export-json", &["\"exit_codes\": ["]),
    ("hyperfine", &["Time (mean ±", "[User:"]),
];
const GAP_LINES: u64 = 60;
const STRANGER_GAP_LINES: u64 = 40;
const OUTPUTS: usize = 1000;

/// An output: what it is of, its first line, its last line.
type Output<T> = (T, u64, u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct KnownLine {
    title: &'static str,
    is_phase: bool,
}

#[derive(Debug, Default)]
pub struct Unclaimed {
    known: Vec<Output<KnownLine>>,
    strange: Vec<Output<&'static str>>,
}

/// Adds a line to the last output of its kind, or begins one where that is too far above.
fn add<T: PartialEq>(outputs: &mut Vec<Output<T>>, of: T, number: u64, gap_lines: u64) {
    let has_room = outputs.len() < OUTPUTS;
    match outputs.iter_mut().rev().find(|(known, ..)| *known == of) {
        Some((.., last)) if number <= *last + gap_lines => *last = number,
        _ if has_room => outputs.push((of, number, number)),
        _ => {}
    }
}

fn known(tools: &[&ScannedTool], text: &str) -> Option<KnownLine> {
    let has = |marks: &[&str]| marks.iter().any(|mark| text.contains(mark));
    tools.iter().find_map(|tool| {
        let is_phase = !has(tool.marks);
        (!is_phase || has(tool.phases)).then_some(KnownLine { title: tool.title, is_phase })
    })
}

impl Unclaimed {
    /// Looks at a line that was nobody's.
    pub fn look(&mut self, tools: &[&ScannedTool], number: u64, text: &str) {
        if let Some(known) = known(tools, text) {
            add(&mut self.known, known, number, GAP_LINES);
        }
        let is_marked = |(_, marks): &&Stranger| marks.iter().all(|mark| text.contains(mark));
        if let Some((tool, _)) = STRANGERS.iter().find(is_marked) {
            add(&mut self.strange, *tool, number, STRANGER_GAP_LINES);
        }
    }

    /// Lists the outputs of tools without a reader.
    pub fn give_strange(&mut self, out: &mut Out) {
        for (tool, first_line, last_line) in self.strange.drain(..) {
            out.unread(first_line, last_line, format!("{tool}: bakeoff cannot read its output"));
        }
    }

    /// Lists the outputs of known tools near which nothing was read or listed.
    pub fn give_known(&mut self, out: &mut Out) {
        for (KnownLine { title, is_phase }, first_line, last_line) in self.known.drain(..) {
            if out.has_between(first_line.saturating_sub(GAP_LINES), last_line + GAP_LINES) {
                continue;
            }
            let why = if is_phase {
                format!(
                    "{title} printed its phases without a figure: it was interrupted, or its \
                     figures are in its other output"
                )
            } else {
                format!(
                    "the lines look like output of {title}, but cannot be read: remove the text \
                     before each line, restore the line breaks, or use the complete output"
                )
            };
            out.unread(first_line, last_line, why);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate as tools;

    #[test]
    fn an_output_of_a_tool_without_a_reader_is_listed_by_its_name() {
        for (tool, text) in [
            ("hyperfine", "  Time (mean ± σ):      1.5 ms ±   0.3 ms    [User: 1.0 ms]\n"),
            ("ioping -json", "  \"stat\": {\n    \"count\": 3,\n"),
            ("CrystalDiskMark or KDiskMark", "SEQ1M Q8T1 3420 3100 RND4K Q32T1 500\n"),
            ("iostat without -x", "Device             tps    kB_read/s    kB_wrtn/s    kB_read\n"),
            ("hyperfine --export-json", "      \"exit_codes\": [\n        0,\n      ]\n"),
        ] {
            let found = tools::read(format!("A page\n\n{text}").as_bytes());
            let why = found.unread.iter().map(|part| &part.why).collect::<Vec<_>>();
            assert_eq!(why, [&format!("{tool}: bakeoff cannot read its output")], "{text}");
            assert_eq!(found.unread[0].first_line, 3);
        }
    }

    #[test]
    fn ordinary_sentences_are_nobodys() {
        let text = "The device is fast: it reads and writes.\nCategory of disks.\nRun 1 of 3\n";
        assert_eq!(tools::read(text.as_bytes()).unread, []);
    }
}
