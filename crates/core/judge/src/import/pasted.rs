//! Lines that bakeoff made to be pasted ([`crate::levels::line`]), wherever they stand: quoted,
//! wrapped, in HTML, in a document of ours. What the finder takes off a line is gone already; here
//! are the ends of lines, and what mail programs put there.

use std::cell::RefCell;
use std::rc::Rc;

use crate::levels::RunLevels;
use crate::levels::line::{self, LineError};
use bakeoff_tools::scan::Finder;
use bakeoff_tools::scan::finder::{Line, Reader};
use bakeoff_tools::scan::result::Out;

/// Most runs of a text.
pub const RUNS_LIMIT: usize = 64;
const NAME: &str = "bakeoff";
/// Lines over which one of ours may be wrapped: one of twelve columns is unlikely.
const MOST_LINES: u64 = 64;
/// Lines of a document of ours above its line.
const DOCUMENT_LINES: u64 = 400;

/// The runs whose lines are in a text, and what is wrong with other lines of ours, each with the
/// number of the line.
pub fn runs_of(text: &[u8]) -> (Vec<RunLevels>, Vec<(u64, LineError)>) {
    let kept = Rc::new(RefCell::new(KeptLines::default()));
    let reader = PastedLines { kept: Rc::clone(&kept), ..PastedLines::default() };
    Finder::with(&[], vec![Box::new(reader)]).all_of(text);
    let KeptLines { runs, errors } = kept.take();
    (runs, errors)
}

#[derive(Debug, Default)]
struct KeptLines {
    runs: Vec<RunLevels>,
    errors: Vec<(u64, LineError)>,
}

#[derive(Debug, Default)]
pub(super) struct PastedLines {
    open: Option<OpenLine>,
    seen: Vec<String>,
    /// The last line of the text that has been given an account of.
    last: u64,
    kept: Rc<RefCell<KeptLines>>,
}

/// A line of ours whose end has not come yet.
#[derive(Debug)]
struct OpenLine {
    version: u32,
    first: u64,
    text: String,
}

impl OpenLine {
    /// Takes characters up to the end of the line of ours; what is left of the text, and whether
    /// something else stands before the end.
    fn take<'t>(&mut self, text: &'t str) -> (&'t str, bool) {
        for (at, c) in text.char_indices() {
            if self.is_whole() {
                return (&text[at..], false);
            }
            // Soft hyphens, spaces without width, and the end of a line in quoted-printable.
            let is_soft = matches!(c, '\u{ad}' | '\u{200b}' | '\\') || c.is_whitespace();
            let is_soft = is_soft || c == '=' && text[at + 1..].trim().is_empty();
            match c {
                c if line::is_digit(c) => self.text.push(c),
                _ if is_soft => {}
                _ => return (&text[at..], true),
            }
        }
        ("", false)
    }

    fn is_whole(&self) -> bool {
        line::length(&self.text).is_some_and(|of| self.text.len() >= of + 2)
    }
}

impl PastedLines {
    fn close(&mut self, last: u64, out: &mut Out) {
        let Some(open) = self.open.take() else { return };
        // Quoted in an answer it stands there once more.
        if self.seen.contains(&open.text) {
            return;
        }
        let read = match open.version {
            1 if self.seen.len() >= RUNS_LIMIT => Err(LineError::TooMany(RUNS_LIMIT)),
            1 => line::decode(&open.text),
            later => Err(LineError::Later(later)),
        };
        match read {
            Ok(run) => {
                // The block or document above it says the same in words.
                let above = open.first.saturating_sub(DOCUMENT_LINES).max(self.last + 1);
                out.known(above..=last);
                self.seen.push(open.text);
                self.kept.borrow_mut().runs.push(run);
            }
            Err(error) => {
                out.unread(open.first, last, error.to_string());
                let errors = &mut self.kept.borrow_mut().errors;
                if errors.len() < RUNS_LIMIT {
                    errors.push((open.first, error));
                }
            }
        }
        self.last = last;
    }
}

impl Reader for PastedLines {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let mut is_ours = false;
        let mut text = line.text;
        loop {
            let Some(open) = &mut self.open else {
                let Some((version, rest)) = beginning(text) else { return is_ours };
                self.open = Some(OpenLine { version, first: line.number, text: String::new() });
                text = rest;
                continue;
            };
            is_ours = true;
            let (rest, is_cut) = open.take(text);
            let is_long = line.number >= open.first + MOST_LINES;
            if !open.is_whole() && !is_cut && !is_long {
                return is_ours;
            }
            self.close(line.number, out);
            text = rest;
        }
    }

    fn finish(&mut self, out: &mut Out) {
        let last = self.open.as_ref().map_or(0, |open| open.first);
        self.close(last, out);
    }
}

/// The version of a line of ours, and what stands behind its colon.
fn beginning(text: &str) -> Option<(u32, &str)> {
    let mut rest = text;
    while let Some(at) = rest.find(NAME) {
        rest = &rest[at + NAME.len()..];
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (version, behind) = rest.split_at(digits);
        let behind = behind.strip_prefix(':').filter(|b| b.starts_with(line::is_digit));
        if let (Ok(version @ 1..=999), Some(behind)) = (version.parse(), behind) {
            return Some((version, behind));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::analyse;
    use crate::import;
    use crate::levels::levels;
    use crate::testing::RunBuilder;

    fn line_of(rate: f64) -> String {
        let run = RunBuilder::stacks(&["ext4", "btrfs", "xfs"])
            .workloads(&["randwrite", "seqread"])
            .play(9, |block, c, _| rate * f64::from(1 + u32::from(c)) + f64::from(block % 3))
            .build();
        line::encode(&levels(&run, &analyse(&run)))
    }

    fn wrapped(line: &str, columns: usize, before: &str, after: &str) -> String {
        let characters: Vec<char> = line.chars().collect();
        let parts = characters.chunks(columns).map(|part| part.iter().collect::<String>());
        parts.map(|part| format!("{before}{part}{after}\n")).collect()
    }

    #[test]
    fn a_line_is_found_however_it_was_posted() {
        let line = line_of(1e3);
        let posted = [
            line.clone(),
            format!("Here it is:\n\n```\n{line}\n```\nThanks\n"),
            wrapped(&line, 72, "> ", ""),
            wrapped(&line, 60, "> > ", "\r"),
            wrapped(&line, 75, "", "="),
            wrapped(&line, 70, "", " "),
            wrapped(&line, 72, "\u{a0}\u{a0}", ""),
            format!("{{\"schema\": \"bakeoff/run/2\", \"line\": \"{line}\", \"x\": 1}}"),
        ];
        for text in posted {
            let (runs, unread) = runs_of(text.as_bytes());
            assert_eq!((runs.len(), unread.len()), (1, 0), "{text}\n{unread:?}");
            assert_eq!(line::encode(&runs[0]), line, "{text}");
            let found = import::all(text.as_bytes());
            assert!(
                found.results.is_empty() && found.unread.is_empty(),
                "{text}\n{:?}",
                found.unread
            );
        }
    }

    #[test]
    fn several_lines_and_a_quoted_one_are_each_read_once() {
        let (one, other) = (line_of(1e3), line_of(2e3));
        let (runs, unread) = runs_of(format!("{one}\n> {one}\n{other} and {one}\n").as_bytes());
        assert_eq!((runs.len(), unread.len()), (2, 0), "{unread:?}");
    }

    #[test]
    fn a_line_that_is_cut_changed_or_of_later_is_named_and_left_out() {
        let line = line_of(1e3);
        let changed = line.replacen(&line[30..33], "___", 1);
        for (text, why) in [
            (line[..100].to_string(), "cut off: 91 of"),
            (format!("{}\nIt ends here.", &line[..100]), "cut off"),
            (changed, "checksum"),
            (line.replace("bakeoff1:", "bakeoff7:"), "version 7"),
            ("bakeoff1:AAAA".to_string(), "damaged"),
        ] {
            let (runs, unread) = runs_of(text.as_bytes());
            assert!(
                runs.is_empty() && unread.len() == 1 && unread[0].1.to_string().contains(why),
                "{unread:?}"
            );
            assert!(import::all(text.as_bytes()).results.is_empty());
        }
        for text in ["bakeoff1:…", "bakeoff: error", "bakeoff1 : x", "bakeoff12345:AA"] {
            assert_eq!(runs_of(text.as_bytes()), (Vec::new(), Vec::new()), "{text}");
        }
    }

    #[test]
    fn a_flood_of_lines_is_bounded() {
        let (mut runs, _) = runs_of(line_of(1e3).as_bytes());
        let mut one = runs.pop().expect("a run");
        let mut line = |day| {
            one.day = day;
            line::encode(&one) + "\n"
        };
        let text: String = (0..200).map(&mut line).collect();
        let (runs, unread) = runs_of(text.as_bytes());
        assert!(runs.len() == RUNS_LIMIT && !unread.is_empty());
    }
}
