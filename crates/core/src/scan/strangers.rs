//! Outputs of tools that people of this field post and that have no reader here: they are listed by
//! their names, so that a text never seems to be empty.

use super::result::Out;

/// A tool and what one of its lines has, all of them.
struct Stranger {
    tool: &'static str,
    marks: &'static [&'static str],
}

const fn stranger(tool: &'static str, marks: &'static [&'static str]) -> Stranger {
    Stranger { tool, marks }
}

/// One line of each that nothing else prints. Sources: the tools' own outputs and scripts.
const STRANGERS: [Stranger; 7] = [
    stranger("ioping -json", &["\"stat\": {"]),
    stranger("CrystalDiskMark or KDiskMark", &["SEQ1M Q8T1", "RND4K"]),
    stranger("iostat without -x", &["Device", " tps ", "read/s"]),
    stranger("bench.sh", &["I/O Speed(", "MB/s"]),
    stranger("bonnie", &["---Sequential Output (sync)"]),
    stranger("hyperfine --export-json", &["\"exit_codes\": ["]),
    stranger("hyperfine", &["Time (mean ±", "[User:"]),
];
/// Lines of one output with others between them.
const GAP_LINES: u64 = 40;
/// Most outputs that are remembered.
const PLACES: usize = 1000;

/// The outputs.
#[derive(Debug, Default)]
pub struct Strangers {
    /// The tool, first line, last line.
    places: Vec<(&'static str, u64, u64)>,
}

impl Strangers {
    /// Looks at a line that was nobody's.
    pub fn look(&mut self, number: u64, text: &str) {
        let is_marked = |s: &&Stranger| s.marks.iter().all(|mark| text.contains(mark));
        let Some(tool) = STRANGERS.iter().find(is_marked).map(|stranger| stranger.tool) else {
            return;
        };
        let is_near =
            |place: &&mut (&str, u64, u64)| place.0 == tool && number <= place.2 + GAP_LINES;
        let is_full = self.places.len() >= PLACES;
        match self.places.iter_mut().rev().find(is_near) {
            Some(place) => place.2 = number,
            None if is_full => {}
            None => self.places.push((tool, number, number)),
        }
    }

    /// Lists them.
    pub fn give(self, out: &mut Out) {
        for (tool, first_line, last_line) in self.places {
            out.unread(first_line, last_line, format!("{tool}: bakeoff cannot read its output"));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::import::Finder;

    #[test]
    fn an_output_of_a_tool_without_a_reader_is_listed_by_its_name() {
        for (tool, text) in [
            ("hyperfine", "  Time (mean ± σ):      1.5 ms ±   0.3 ms    [User: 1.0 ms]\n"),
            ("bench.sh", " I/O Speed(1st run) : 1.2 GB/s, 900 MB/s\n"),
            ("ioping -json", "  \"stat\": {\n    \"count\": 3,\n"),
            ("CrystalDiskMark", "SEQ1M Q8T1 3420 3100 RND4K Q32T1 500\n"),
            ("iostat without -x", "Device             tps    kB_read/s    kB_wrtn/s    kB_read\n"),
            ("hyperfine --export-json", "      \"exit_codes\": [\n        0,\n      ]\n"),
            (
                "bonnie",
                "              ---Sequential Output (sync)----- ---Sequential Input-- --Rnd\n",
            ),
        ] {
            let found = Finder::all(format!("A page\n\n{text}").as_bytes());
            let why = found.unread.iter().map(|part| part.why.as_str()).collect::<Vec<_>>();
            assert!(why.len() == 1 && why[0].starts_with(tool), "{text}: {why:?}");
            assert_eq!(found.unread[0].first_line, 3);
        }
    }

    #[test]
    fn ordinary_sentences_are_nobodys() {
        let text = "The device is fast: it reads and writes.\nCategory of disks.\nRun 1 of 3\n";
        assert_eq!(Finder::all(text.as_bytes()).unread, []);
    }
}
