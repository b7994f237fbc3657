//! Bytes of any text as lines, however long they are and wherever the pieces were cut.
//!
//! A line ends with a line feed; a carriage return before it belongs to the end, one inside it
//! starts the line again, as progress displays do. A line above [`LINE_LIMIT_BYTES`] is not kept:
//! its number and its length are all that is known of it.

/// The longest line that is looked at. fio's JSON on one line with every bucket of its histograms
/// stays below; a disk image does not.
pub const LINE_LIMIT_BYTES: usize = 1 << 20;

#[derive(Debug, PartialEq, Eq)]
pub enum Raw<'a> {
    Line {
        bytes: &'a [u8],
        /// Whether a line feed ended it; the last line of a text may have been cut anywhere.
        is_ended: bool,
    },
    TooLong {
        length_bytes: u64,
    },
}

#[derive(Debug, Default)]
pub struct Splitter {
    kept: Vec<u8>,
    dropped_bytes: u64,
}

impl Splitter {
    /// Takes the next piece; `each` gets every line that ended in it.
    pub fn push(&mut self, mut piece: &[u8], each: &mut impl FnMut(Raw<'_>)) {
        while let Some(at) = piece.iter().position(|byte| *byte == b'\n') {
            let (head, tail) = piece.split_at(at);
            piece = &tail[1..];
            if self.kept.is_empty() && self.dropped_bytes == 0 && head.len() <= LINE_LIMIT_BYTES {
                each(Raw::Line { bytes: head, is_ended: true });
                continue;
            }
            self.keep(head);
            self.give(true, each);
        }
        self.keep(piece);
    }

    pub fn finish(&mut self, each: &mut impl FnMut(Raw<'_>)) {
        if !self.kept.is_empty() || self.dropped_bytes > 0 {
            self.give(false, each);
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.dropped_bytes == 0 && self.kept.len() + bytes.len() <= LINE_LIMIT_BYTES {
            self.kept.extend_from_slice(bytes);
        } else {
            self.dropped_bytes += (self.kept.len() + bytes.len()) as u64;
            self.kept.clear();
        }
    }

    fn give(&mut self, is_ended: bool, each: &mut impl FnMut(Raw<'_>)) {
        match self.dropped_bytes {
            0 => each(Raw::Line { bytes: &self.kept, is_ended }),
            length_bytes => each(Raw::TooLong { length_bytes }),
        }
        self.kept.clear();
        self.dropped_bytes = 0;
    }
}

/// A line as it was before a terminal, a forum or a mail put something around it: colours,
/// quotation marks at the start, blanks that do not break. Leading blanks stay, columns need them.
pub fn plain(text: &str) -> String {
    let without = text.contains(['\u{1b}', '\u{a0}', '\u{feff}']).then(|| without_controls(text));
    let text = without.as_deref().unwrap_or(text);
    let mut text = text.trim_end_matches(['\r', ' ', '\t']);
    while let Some(rest) = text.strip_prefix('>') {
        text = rest.strip_prefix(' ').unwrap_or(rest);
    }
    text.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).unwrap_or(text).to_string()
}

/// Takes out the escape sequences that colour a terminal (ECMA-48, CSI) and the mark at the start
/// of a file; a blank that does not break is one that does.
fn without_controls(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.trim_start_matches('\u{feff}').chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' if letters.next_if_eq(&'[').is_some() => {
                // Parameters, up to the letter that says what it does.
                while letters.next().is_some_and(|c| !('@'..='~').contains(&c)) {}
            }
            // Which letters there are (ISO 2022): `tput sgr0` puts it behind a line.
            '\u{1b}' if letters.next_if(|c| "()".contains(*c)).is_some() => {
                letters.next_if(char::is_ascii_alphanumeric);
            }
            '\u{a0}' => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

pub fn words(text: &str) -> Vec<(usize, String)> {
    let mut words: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    for (at, c) in text.chars().enumerate() {
        if c.is_whitespace() {
            is_open = false;
            continue;
        }
        match words.last_mut().filter(|_| is_open) {
            Some((end, word)) => {
                word.push(c);
                *end = at + 1;
            }
            None => words.push((at + 1, c.to_string())),
        }
        is_open = true;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(pieces: &[&[u8]]) -> Vec<String> {
        let mut out = Vec::new();
        let mut each = |raw: Raw<'_>| {
            out.push(match raw {
                Raw::Line { bytes, is_ended } => {
                    let text = String::from_utf8_lossy(bytes);
                    format!("{text}{}", if is_ended { "$" } else { "" })
                }
                Raw::TooLong { length_bytes } => format!("{length_bytes} bytes"),
            });
        };
        let mut splitter = Splitter::default();
        pieces.iter().for_each(|piece| splitter.push(piece, &mut each));
        splitter.finish(&mut each);
        out
    }

    proptest! {
        #[test]
        fn where_the_pieces_were_cut_makes_no_difference(
            text in "[ab\n]{0,40}", cuts in prop::collection::vec(0usize..40, 0..5)
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces: Vec<_> = cuts.windows(2).map(|w| &text.as_bytes()[w[0]..w[1]]).collect();
            prop_assert_eq!(lines(&pieces), lines(&[text.as_bytes()]));
        }
    }

    #[test]
    fn a_line_beyond_the_limit_is_counted_and_not_kept() {
        let mut splitter = Splitter::default();
        let mut seen = Vec::new();
        let mut each = |raw: Raw<'_>| {
            seen.push(match raw {
                Raw::Line { bytes, .. } => bytes.len() as u64,
                Raw::TooLong { length_bytes } => length_bytes,
            });
        };
        for _ in 0..32 {
            splitter.push(&[b'x'; 1 << 20], &mut each);
            assert!(splitter.kept.capacity() <= 2 * LINE_LIMIT_BYTES);
        }
        splitter.push(b"\nshort\n", &mut each);
        assert_eq!(seen, [32 << 20, 5]);
    }

    #[test]
    fn colours_of_a_terminal_and_blanks_of_a_page_go() {
        assert_eq!(plain("\u{feff}\u{1b}[01;31m\u{1b}[K64\u{1b}[m\u{1b}[K+0 in"), "64+0 in");
        assert_eq!(plain("19.9\u{a0}MB/s\u{1b}[0m"), "19.9 MB/s");
        assert_eq!(plain("41.90 MB/sec\u{1b}(B\u{1b}[m"), "41.90 MB/sec");
        assert_eq!(plain("a\u{1b}"), "a\u{1b}");
        assert_eq!(plain("632.18 MB/sec\u{1b}(B\u{1b}[m"), "632.18 MB/sec");
    }

    #[test]
    fn what_a_forum_put_around_a_line_goes() {
        assert_eq!(plain("> > a < b\r"), "a < b");
        assert_eq!(plain("`x`"), "x");
        assert_eq!(plain("    64+0 records in  "), "    64+0 records in");
    }
}
