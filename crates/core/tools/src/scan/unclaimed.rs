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
/// Lines from one figure of a block to the next, and most words of such a line.
const NEAR_LINES: u64 = 3;
const MOST_WORDS: usize = 18;
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
    /// Blocks with a unit of speed: the first line, the last, and whether there is a figure.
    figures: Vec<(u64, u64, bool)>,
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

/// Whether a word ends with a unit of speed: `850MB/s`, `K/sec`, `IOPS:`.
fn is_speed(word: &str) -> bool {
    let word = word.trim_end_matches([':', '.']).to_ascii_lowercase();
    let is_rate = word.strip_suffix("/s").or_else(|| word.strip_suffix("/sec"));
    let unit = |rate: &str| rate.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
    is_rate.is_some_and(|rate| unit(rate) <= 6 && !rate.ends_with("bit")) || word.ends_with("iops")
}

/// A line of fio's own logs: milliseconds, value, direction, block size, offset.
fn is_log_of_fio(words: &[&str]) -> bool {
    let is_whole = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let block = words.get(3).and_then(|word| word.parse::<u32>().ok());
    (4..=6).contains(&words.len())
        && words[..4].iter().all(is_whole)
        && ["0", "1", "2"].contains(&words[2])
        && block.is_some_and(|block| block >= 512 && block % 512 == 0)
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
        self.look_at_figures(number, text);
    }

    /// Looks whether the line has a unit of speed, or figures below one.
    fn look_at_figures(&mut self, number: u64, text: &str) {
        let words: Vec<&str> = text
            .split(|c: char| c.is_whitespace() || "()[]|,;=<>\"".contains(c))
            .filter(|word| !word.is_empty())
            .collect();
        let is_long = words.len() > MOST_WORDS && text.matches(',').count() < MOST_WORDS / 2;
        let is_prose = is_long || text.ends_with(['.', '!', '?']);
        let is_command = text.trim_start().starts_with(['$', '#', '{', '"', '+', '/']);
        if is_prose || is_command || text.contains("://") || text.contains("[eta ") {
            return;
        }
        let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
        let has_figure = words.iter().any(is_number);
        let has_unit = words.iter().any(|word| is_speed(word)) || is_log_of_fio(&words);
        let has_room = self.figures.len() < OUTPUTS;
        let near = self.figures.last_mut().filter(|(_, last, _)| number <= *last + NEAR_LINES);
        if let Some((_, last, is_figure)) = near {
            if has_unit || has_figure {
                (*last, *is_figure) = (number, *is_figure || has_figure);
            }
        } else if has_unit && has_room {
            self.figures.push((number, number, has_figure));
        }
    }

    pub fn give_figures(&mut self, out: &mut Out) {
        for (first_line, last_line, has_figure) in self.figures.drain(..) {
            if has_figure && !out.has_between(first_line, last_line) {
                let why = "these lines have figures and a unit of speed, but bakeoff knows no tool \
                           that prints them: use the tool's own output";
                out.unread(first_line, last_line, why);
            }
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

    /// Each vanished without a word, or would be named twice.
    #[test]
    fn a_block_of_figures_that_nobody_took_is_named() {
        for (text, lines) in [
            ("Write Bandwidth:   44.35 MiB/s (46.50 MB/s)\nWrite Latency:     0.059 ms\n", (1, 2)),
            ("1000, 25400, 0, 4096, 0\n2000, 25211, 0, 4096, 0\n", (1, 2)),
            ("see\n\nRates in MiB/sec\n   Random:   90000 / 80000\n\nmore text\n", (3, 4)),
        ] {
            let found = tools::read(text.as_bytes());
            let named: Vec<_> = found.unread.iter().map(|u| (u.first_line, u.last_line)).collect();
            assert_eq!((found.results.len(), named), (0, vec![lines]), "{text}");
        }
        for text in [
            "My card does about 90 MB/s here, and that is what I expected of it after all.\n",
            "# fio --rate=90MB/s\n",
            "read: IOPS=100, BW=400KiB/s (410kB/s)(4000KiB/10000msec)\n",
        ] {
            assert_eq!(tools::read(text.as_bytes()).unread, [], "{text}");
        }
    }

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
