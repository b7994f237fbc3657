//! A form of a line, taken apart once.

use super::Kind;
use super::reader::MatchHead;
use crate::scan::finder::Line;
use crate::scan::quantity::Quantity;
use crate::scan::result::short;

/// Fewest letters of words that only one tool prints.
const WORDS: usize = 7;

/// The words of a line and what stands between them.
pub struct Pattern {
    pieces: Vec<PatternPiece>,
    /// Its first words, where only this tool prints them, and the next ones.
    own_words: Option<(&'static str, Option<&'static str>)>,
}

enum PatternPiece {
    Words(&'static str),
    Figure(&'static str, &'static str, bool),
    Text(&'static str, &'static str),
    Anything,
    Digits,
}

type Read = (MatchHead, Vec<(String, &'static Kind, Quantity)>);

impl Pattern {
    /// From how [`super::Form`] writes it.
    pub fn parse(text: &'static str) -> Pattern {
        let mut pieces = Vec::new();
        for (at, part) in text.split('{').enumerate() {
            let (hole, words) = match at {
                0 => (None, part),
                _ => part.split_once('}').map_or((None, part), |(hole, words)| (Some(hole), words)),
            };
            let split = |hole: &'static str| hole.split_once(':').unwrap_or((hole, ""));
            pieces.extend(hole.map(|hole| match hole.strip_prefix('$') {
                Some(text) => PatternPiece::Text(split(text).0, split(text).1),
                None if hole.is_empty() => PatternPiece::Anything,
                None if hole == "#" => PatternPiece::Digits,
                None => {
                    let (name, kind) = split(hole);
                    let is_test = kind.ends_with('$');
                    PatternPiece::Figure(name, kind.trim_end_matches('$'), is_test)
                }
            }));
            let trimmed = words.trim();
            let words = if trimmed.is_empty() { words } else { trimmed };
            if !words.is_empty() {
                pieces.push(PatternPiece::Words(words));
            }
        }
        let mut words = pieces.iter().filter_map(|piece| {
            let PatternPiece::Words(words) = piece else { return None };
            Some(*words)
        });
        let first = words.next().filter(|first| is_own(first));
        let own_words = first.map(|first| (first, words.next()));
        Pattern { pieces, own_words }
    }

    /// Whether the text has the first words of the form, which are this tool's, and the next ones.
    pub fn is_like(&self, text: &str) -> bool {
        let Some((first, next)) = self.own_words else { return false };
        let found = match self.pieces.first() {
            Some(PatternPiece::Words(_)) => text.strip_prefix(first),
            _ => text.split_once(first).map(|(_, rest)| rest),
        };
        let Some(rest) = found else { return false };
        let is_cut_off = rest.starts_with(|c: char| c.is_alphanumeric() || c == '/');
        if is_cut_off && first.ends_with(char::is_alphanumeric) {
            return false;
        }
        next.is_none_or(|next| rest.contains(next))
    }

    pub fn has_words(&self) -> bool {
        let has_letter = |words: &str| words.contains(char::is_alphabetic);
        self.pieces
            .iter()
            .any(|piece| matches!(piece, PatternPiece::Words(words) if has_letter(words)))
    }

    pub fn read(&self, text: &str, line: &Line<'_>, kinds: &'static [Kind]) -> Option<Read> {
        let is_other = |piece: &PatternPiece| match piece {
            PatternPiece::Words(first) => !text.starts_with(first),
            _ => false,
        };
        if self.pieces.first().is_some_and(is_other) {
            return None;
        }
        let (mut head, mut figures) = (MatchHead::default(), Vec::new());
        let (mut rest, mut digits) = (text, "");
        let mut pieces = self.pieces.iter().peekable();
        while let Some(piece) = pieces.next() {
            if let PatternPiece::Words(words) = piece {
                rest = rest.strip_prefix(words)?.trim_start();
                continue;
            }
            let found = match pieces.peek() {
                Some(PatternPiece::Words(words)) => {
                    let at = rest.find(words)?;
                    let found = &rest[..at];
                    rest = &rest[at..];
                    found
                }
                _ => std::mem::take(&mut rest),
            };
            let found = found.trim();
            match piece {
                PatternPiece::Words(_) | PatternPiece::Anything => {}
                PatternPiece::Digits => {
                    digits = Some(found).filter(|text| text.bytes().all(|b| b.is_ascii_digit()))?;
                }
                PatternPiece::Figure(name, kind, is_test) => {
                    if *is_test {
                        add(&mut head.test, found);
                    }
                    let kind = kinds.iter().find(|known| known.name == *kind)?;
                    let is_end = rest.is_empty() && !line.is_ended;
                    figures.push((name.replace('#', digits), kind, kind.read(found, is_end)?));
                }
                PatternPiece::Text(what, start) => {
                    let is_one = start.is_empty() || start.contains(' ') || !found.contains(' ');
                    let is_text = !found.is_empty() && found.starts_with(start) && is_one;
                    let text = is_text.then(|| Some(short(found)))?;
                    match *what {
                        "context" => head.context = text,
                        "version" => head.version = text,
                        _ => add(&mut head.test, found),
                    }
                }
            }
        }
        rest.is_empty().then_some((head, figures))
    }
}

fn is_own(words: &str) -> bool {
    words.chars().filter(|c| c.is_alphabetic()).count() >= WORDS
}

fn add(test: &mut Option<String>, words: &str) {
    *test = Some([test.as_deref().unwrap_or(""), &short(words)].join(" ").trim().to_string());
}

impl Kind {
    /// A number in one of the units. Of one at the end of a text that was cut, only what follows it
    /// shows that it is whole.
    fn read(&self, text: &str, is_cut: bool) -> Option<Quantity> {
        if self.unit == "ns" && text.contains([':', '\'']) {
            return clock(text);
        }
        let quantity = Quantity::suffixed(text, self.units)?;
        let is_bare = text.ends_with(|c: char| c.is_ascii_digit());
        let decimals = text.split(|c: char| !c.is_ascii_digit()).nth(1).map_or(0, str::len);
        let is_whole = decimals >= self.decimals && !(is_bare && is_cut && self.decimals == 0);
        is_whole.then_some(quantity)
    }
}

/// `2'05"` or `1:02:05`, whole seconds.
fn clock(text: &str) -> Option<Quantity> {
    let parts = text.strip_suffix('"').unwrap_or(text).split([':', '\'']);
    let parts: Vec<u64> = parts.map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let is_time = matches!(parts.len(), 2 | 3) && parts[1..].iter().all(|part| *part < 60);
    let add = |sum: u64, part: &u64| sum.checked_mul(60)?.checked_add(*part);
    let seconds = parts.iter().try_fold(0, add).filter(|_| is_time)?;
    let mut quantity = Quantity::with_unit(&seconds.to_string(), 1_000_000_000)?;
    quantity.raw = text.to_string();
    Some(quantity)
}
