//! Offers every line of a text to the tools' readers, and remembers what stands above.

use super::lines::{self, Raw, Splitter};
use super::result::{Imported, Judge, Out, Place, short};
use super::tool::ScannedTool;
use super::unclaimed::Unclaimed;
use super::utf16::Utf16;

#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Counted from 1.
    pub number: u64,
    /// Without its end and without what a forum put around it.
    pub text: &'a str,
    /// Whether a line feed ended it. A number at the end of a line that was cut is not whole.
    pub is_ended: bool,
    pub above: &'a Above,
}

impl Line<'_> {
    /// Where an output of `tool` that begins on this line stands.
    pub fn place(&self, tool: &str) -> Place {
        let command = match self.above.command_tool {
            Some(known) if known == tool => self.above.command.clone(),
            _ => String::new(),
        };
        Place { first_line: self.number, context: self.above.heading.clone(), command }
    }
}

/// The heading and the command that stand above a line.
#[derive(Debug, Default)]
pub struct Above {
    heading: String,
    command: String,
    command_tool: Option<&'static str>,
    /// The last line that was nobody's, in case a line of dashes follows.
    last: String,
    is_command_open: bool,
}

/// What reads one tool's output.
pub trait Reader {
    /// Looks at a line; true when it belongs to the tool's output.
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool;
    fn finish(&mut self, _out: &mut Out) {}
}

/// Finds results in a text that comes in pieces.
pub struct Finder {
    splitter: Splitter,
    /// Whether the first piece is still to come, and what turns pieces into UTF-8.
    is_begun: bool,
    utf16: Option<Utf16>,
    inner: Inner,
}

struct Inner {
    number: u64,
    above: Above,
    tools: &'static [&'static ScannedTool],
    readers: Vec<Box<dyn Reader>>,
    unclaimed: Unclaimed,
    out: Out,
}

impl Finder {
    /// Offers every line to these readers, in their order, where there are outputs and commands of
    /// these tools.
    pub fn with(tools: &'static [&'static ScannedTool], readers: Vec<Box<dyn Reader>>) -> Finder {
        let (number, above, unclaimed, out) = Default::default();
        let inner = Inner { number, above, tools, readers, unclaimed, out };
        Finder { splitter: Splitter::default(), is_begun: false, utf16: None, inner }
    }

    /// Asks `judge` about every result that is found.
    pub fn judged_by(mut self, judge: Judge) -> Finder {
        self.inner.out = Out::judged_by(judge);
        self
    }

    pub fn all_of(mut self, text: &[u8]) -> Imported {
        self.push(text);
        self.finish()
    }

    /// The next piece, cut anywhere.
    pub fn push(&mut self, piece: &[u8]) {
        if !std::mem::replace(&mut self.is_begun, true) {
            self.utf16 = Utf16::by_mark(piece);
        }
        let text = self.utf16.as_mut().map(|utf16| utf16.decode(piece));
        let piece = text.as_ref().map_or(piece, String::as_bytes);
        self.splitter.push(piece, &mut |raw| self.inner.raw(raw));
    }

    pub fn finish(mut self) -> Imported {
        self.splitter.finish(&mut |raw| self.inner.raw(raw));
        let Inner { mut readers, mut out, number, mut unclaimed, .. } = self.inner;
        unclaimed.give_strange(&mut out);
        readers.iter_mut().for_each(|reader| reader.finish(&mut out));
        unclaimed.give_known(&mut out);
        out.finish(number)
    }
}

impl Inner {
    fn raw(&mut self, raw: Raw<'_>) {
        self.number += 1;
        let (bytes, is_ended) = match raw {
            Raw::Line { bytes, is_ended } => (bytes, is_ended),
            Raw::TooLong { length_bytes } => {
                let why = format!(
                    "the line has {length_bytes} bytes; bakeoff does not read lines above {}",
                    lines::LINE_LIMIT_BYTES
                );
                self.out.unread(self.number, self.number, why);
                return;
            }
        };
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_end_matches('\r');
        let mut parts = text.split('\r').peekable();
        while let Some(part) = parts.next() {
            self.part(&lines::plain(part), is_ended || parts.peek().is_some());
        }
    }

    fn part(&mut self, text: &str, is_ended: bool) {
        let line = Line { number: self.number, text, is_ended, above: &self.above };
        let mut is_taken = false;
        for reader in &mut self.readers {
            is_taken |= reader.line(&line, &mut self.out);
        }
        if !is_taken {
            self.unclaimed.look(self.tools, self.number, text);
            self.above.look(self.tools, text);
        } else {
            // A name below a result is a heading as one below a blank line is.
            self.above.last.clear();
        }
    }
}

impl Above {
    fn look(&mut self, tools: &[&ScannedTool], text: &str) {
        let text = text.trim();
        if self.is_command_open {
            self.command = short(&format!("{} {text}", self.command.trim_end_matches('\\')));
            self.is_command_open = text.ends_with('\\');
            return;
        }
        if let Some((tool, command)) = command(tools, text) {
            self.command = short(command);
            self.command_tool = Some(tool);
            self.is_command_open = text.ends_with('\\');
            return;
        }
        let is_rule = |text: &str| text.len() >= 3 && text.bytes().all(|b| b"=-".contains(&b));
        let heading = match text.trim_start_matches('#') {
            rest if rest.len() < text.len() => Some(rest.trim_end_matches('#')),
            _ if is_rule(text) && !self.last.is_empty() && !is_rule(&self.last) => {
                Some(self.last.as_str())
            }
            _ => between(text, "==> ", " <==").or_else(|| text.strip_prefix("--- ")),
        };
        if let Some(heading) = heading.map(short).filter(|heading| !heading.is_empty()) {
            self.heading = heading;
            // A command belongs to the part of the text it stands in.
            self.command_tool = None;
        } else if let Some(caption) = caption(text, self.last.is_empty()) {
            self.heading = short(caption);
        }
        self.last = short(text);
    }
}

/// The label that a line is: `WRITE:`, `1. HDD - FAT32`, or a few words on a line of their own, as
/// people put them above an output. A sentence is none.
fn caption(text: &str, is_after_blank: bool) -> Option<&str> {
    const WORDS: usize = 8;
    const NAME_WORDS: usize = 3;
    const CHARACTERS: usize = 60;
    let count = text.split_whitespace().count();
    let has_letter = text.chars().any(char::is_alphabetic);
    let is_short = has_letter && count <= WORDS && text.chars().count() <= CHARACTERS;
    if !is_short || text.ends_with(['.', ',', ';', '!', '?', '{', '(', '\\']) || text.contains('=')
    {
        return None;
    }
    if let Some(label) = text.strip_suffix(':') {
        // What every output may be under says nothing of this one.
        let is_empty = ["result", "results", "output", "here", "test", "code"]
            .iter()
            .any(|word| label.eq_ignore_ascii_case(word));
        return (!is_empty && !label.contains(':')).then_some(label);
    }
    let (mark, rest) = text.split_once(' ').unwrap_or((text, ""));
    let digits = mark.trim_end_matches(['.', ')']);
    let is_numbered = digits.len() < mark.len() && digits.bytes().all(|b| b.is_ascii_digit());
    if (is_numbered && !digits.is_empty()) || ["*", "-", "•"].contains(&mark) {
        return Some(rest.trim()).filter(|rest| rest.chars().any(char::is_alphabetic));
    }
    // fio says so of its processes.
    let is_fios = mark == "Starting";
    let is_plain = !text.contains(['/', '%', '|', '<', '>', '$', '#', '"', '[', '(']);
    let is_name = is_after_blank && count <= NAME_WORDS && is_plain && !is_fios;
    is_name.then_some(text)
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    text.strip_prefix(before)?.strip_suffix(after)
}

/// The tool that a line starts and its command, after a prompt (`$ `, `# `, `% `) or the words of
/// iozone, assignments of variables, and words that run another program.
fn command<'t>(tools: &[&ScannedTool], text: &'t str) -> Option<(&'static str, &'t str)> {
    let mut rest = text;
    let prompts = ["$ ", "# ", "% ", "Command line used: "];
    let end = |prompt: &&str| Some(text.find(*prompt)? + prompt.len());
    if let Some(at) = prompts.iter().filter_map(end).min() {
        rest = text[at..].trim_start();
    }
    loop {
        let word = rest.split_whitespace().next()?;
        let name = word.rsplit('/').next().unwrap_or(word);
        if let Some(tool) = tools.iter().find(|tool| tool.has_program(name)) {
            // A sentence may open with a tool's name; a command has an option or an operand.
            let has_path = rest.split_whitespace().nth(1).is_some_and(|word| word.starts_with('/'));
            let is_command = rest.contains(" -") || rest.contains('=') || has_path;
            return is_command.then_some((tool.name, rest));
        }
        let is_prefix =
            word.contains('=') || ["sudo", "time", "env", "busybox", "nice"].contains(&word);
        if !is_prefix {
            return None;
        }
        rest = rest[word.len()..].trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TOOLS;

    #[test]
    fn a_command_is_found_behind_its_prompt() {
        for (text, tool) in [
            ("root@pi:~# LC_ALL=C dd if=/dev/zero of=x bs=1M", Some("dd")),
            ("$ sudo time /usr/bin/sysbench --test=fileio run", Some("sysbench")),
            ("fio --name=x", Some("fio")),
            ("fio is a tool", None),
            ("Results of dd", None),
            ("", None),
        ] {
            assert_eq!(command(&TOOLS, text).map(|(tool, _)| tool), tool, "{text}");
        }
    }

    #[test]
    fn a_heading_is_the_nearest_in_any_of_its_spellings() {
        for (text, heading) in [
            ("## ext4 ##\ntext", "ext4"),
            ("Second test\n-----------\n", "Second test"),
            ("==> a.log <==", "a.log"),
            ("# A\n# fio --name=x\n", "A"),
            ("## Cards\n\nWRITE:\n$ dd if=a of=b\n", "WRITE"),
            ("1. HDD - FAT32\n", "HDD - FAT32"),
            ("Some words about it, to the end.\n\nSD card\n", "SD card"),
            ("## ext4\nI ran it twice, then I waited a while for the card to cool:\n", "ext4"),
            ("## ext4\nResult:\n", "ext4"),
            ("words\n\nExt4\n", "Ext4"),
        ] {
            let mut above = Above::default();
            text.lines().for_each(|line| above.look(&TOOLS, line));
            assert_eq!(above.heading, heading);
        }
    }

    /// Results of one filesystem were given under the name of the one above.
    #[test]
    fn a_name_right_below_a_result_is_the_heading_of_the_next() {
        let stats = "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 10.0 s, 107 MB/s\n";
        let found = crate::read(format!("F2FS\n{stats}ExFAT\n{stats}").as_bytes());
        let headings: Vec<_> = found.results.iter().filter_map(|r| r.context.as_deref()).collect();
        assert_eq!(headings, ["F2FS", "ExFAT"]);
    }

    #[test]
    fn a_long_line_is_listed_and_what_follows_is_read() {
        let mut text = vec![b'x'; 3 << 20];
        text.extend(b"\n21 bytes copied, 2.3427e-05 s, 896 kB/s\n");
        let imported = crate::read(&text);
        assert_eq!(imported.results[0].first_line, 2);
        assert!(imported.unread[0].why.contains("has 3145728 bytes"));
    }
}
