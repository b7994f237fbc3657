//! Replaces what identifies a person or a machine: serial numbers, labels, host and user names,
//! paths, addresses and ids. Each value gets one pseudonym, the same everywhere in one document.
//!
//! Values are learned first, from the fields that carry them ([`record`]) or from the caller. Then
//! every text loses the learned values wherever they occur in it, and whatever looks like a path
//! ([`paths`]), an address, a UUID or user@host ([`patterns`]). Models, kernels, filesystems and
//! numbers stay: they are what a report is about. What is no secret by any of these signs, such as
//! a private word in a title, stays as well.
//!
//! In a run, the pseudonyms of machines, drives and labels end with the start of the run's ID:
//! `serial-1-03c498fd`. Two redacted runs would otherwise have a board and a drive in common, and
//! whatever compares runs would take two boards for one.

mod paths;
mod patterns;
mod record;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::collections::{BTreeMap, BTreeSet};

pub use record::{event, learn, replace};

use strum::{EnumString, IntoStaticStr};

use bakeoff_model::host::Host;

const SHORTEST: usize = 3;
const DISTINCT: usize = 6;

const TAG: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Kind {
    Host,
    /// The digest that tells a board from others. It is no secret only as long as nobody tries all
    /// serial numbers.
    Board,
    User,
    Serial,
    Label,
    Name,
    Address,
    Id,
    Token,
}

impl Kind {
    fn tells_apart(self) -> bool {
        matches!(self, Kind::Host | Kind::Board | Kind::Serial | Kind::Label)
    }

    fn word(self) -> &'static str {
        self.into()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    pub original: String,
    pub pseudonym: String,
    pub times: u64,
}

#[derive(Clone, Debug, Default)]
pub struct Redactor {
    given: BTreeMap<String, (String, u64)>,
    numbers: BTreeMap<Kind, u32>,
    sought: Vec<Sought>,
    models: BTreeSet<String>,
    /// What pseudonyms that tell runs apart end with, such as `-03c498fd`.
    tag: String,
}

#[derive(Clone, Debug)]
struct Sought {
    folded: String,
    value: String,
}

enum RedactPiece {
    Open(String),
    Done(String),
}

impl Redactor {
    pub fn of_run(run: &str) -> Redactor {
        Redactor { tag: tag(run), ..Redactor::default() }
    }

    pub fn learn(&mut self, kind: Kind, value: &str) {
        let value = value.trim();
        let is_sought = self.sought.iter().any(|sought| sought.value == value);
        if value.chars().count() < SHORTEST || is_sought || is_common(value) {
            return;
        }
        let pseudonym = self.pseudonym(kind, value);
        self.seek(value);
        for form in written(value) {
            if form != value && !self.given.contains_key(&form) {
                self.given.insert(form.clone(), (pseudonym.clone(), 0));
                self.seek(&form);
            }
        }
    }

    fn seek(&mut self, value: &str) {
        let folded = value.to_ascii_lowercase();
        let at = self.sought.partition_point(|known| known.folded.len() >= folded.len());
        self.sought.insert(at, Sought { folded, value: value.to_string() });
    }

    pub fn learn_path(&mut self, path: &str) {
        for (kind, part) in paths::private_parts(path) {
            self.learn(kind, part);
        }
    }

    fn pseudonym(&mut self, kind: Kind, value: &str) -> String {
        if let Some((pseudonym, _)) = self.given.get(value) {
            return pseudonym.clone();
        }
        let number = self.numbers.entry(kind).or_default();
        *number += 1;
        let tag = if kind.tells_apart() { self.tag.as_str() } else { "" };
        let pseudonym = format!("{}-{number}{tag}", kind.word());
        self.given.insert(value.to_string(), (pseudonym.clone(), 0));
        pseudonym
    }

    fn stand_in(&mut self, kind: Kind, value: &str) -> String {
        let pseudonym = self.pseudonym(kind, value);
        if let Some((_, times)) = self.given.get_mut(value) {
            *times += 1;
        }
        pseudonym
    }

    pub fn field(&mut self, kind: Kind, value: &str) -> String {
        match value.trim() {
            "" => value.to_string(),
            value if is_pseudonym(value) => value.to_string(),
            value => self.stand_in(kind, value),
        }
    }

    pub fn path(&mut self, path: &str) -> String {
        let mut out = Vec::new();
        for (part, place) in paths::parts(path) {
            out.push(match place {
                paths::Place::System if !self.has_sought(part) => part.to_string(),
                paths::Place::System => self.stand_in(Kind::Name, part),
                paths::Place::Private(_) if is_pseudonym(part) => part.to_string(),
                paths::Place::Private(kind) => self.stand_in(kind, part),
            });
        }
        out.join("/")
    }

    /// Any text: learned values, paths, addresses and ids in it are replaced.
    pub fn text(&mut self, text: &str) -> String {
        let mut pieces = vec![RedactPiece::Open(text.to_string())];
        // Values with a blank or slash in them first: a path would be cut at the blank.
        pieces = each_open(pieces, |open| self.replace_sought(is_broken, open));
        pieces = each_open(pieces, |open| split(open, paths::find, |path| self.path(path)));
        pieces = each_open(pieces, |open| {
            split(open, patterns::find, |found| self.stand_in(patterns::kind(found), found))
        });
        pieces = each_open(pieces, |open| self.replace_sought(|_| true, open));
        pieces.into_iter().map(RedactPiece::into_text).collect()
    }

    fn replace_sought(&mut self, which: fn(&Sought) -> bool, open: &str) -> Vec<RedactPiece> {
        let mut pieces = vec![RedactPiece::Open(open.to_string())];
        for known in self.sought_in(open).into_iter().filter(which) {
            let find = |text: &str| find_sought(text, &known);
            pieces = each_open(pieces, |open| {
                // Its own kind is in the pseudonym already.
                split(open, find, |_| self.stand_in(Kind::Name, &known.value))
            });
        }
        pieces
    }

    fn sought_in(&self, text: &str) -> Vec<Sought> {
        let folded = text.to_ascii_lowercase();
        self.sought.iter().filter(|known| folded.contains(&known.folded)).cloned().collect()
    }

    fn has_sought(&self, text: &str) -> bool {
        self.sought_in(text).iter().any(|known| find_sought(text, known).is_some())
    }

    pub fn replaced(&self) -> Vec<Replacement> {
        let used = self.given.iter().filter(|(_, (_, times))| *times > 0);
        let mut all: Vec<Replacement> = used
            .map(|(original, (pseudonym, times))| Replacement {
                original: original.clone(),
                pseudonym: pseudonym.clone(),
                times: *times,
            })
            .collect();
        let order = |of: &Replacement| {
            let mut parts = of.pseudonym.split('-');
            let word = parts.next();
            let kind = word.and_then(|word| word.parse::<Kind>().ok());
            (kind, parts.next().and_then(|number| number.parse::<u32>().ok()))
        };
        all.sort_by_key(order);
        all
    }
}

impl RedactPiece {
    fn into_text(self) -> String {
        match self {
            RedactPiece::Open(text) | RedactPiece::Done(text) => text,
        }
    }
}

/// A value as others write it: udev in links (`_`, and `\x20` in those by label), the kernel in its
/// mount table (`\040`), and JSON.
fn written(value: &str) -> [String; 4] {
    let blank = |with: &str| value.replace(' ', with);
    let in_json = value.replace('\\', "\\\\").replace('"', "\\\"");
    [blank("_"), blank("\\x20"), blank("\\040"), in_json]
}

fn is_broken(sought: &Sought) -> bool {
    sought.value.contains(|c: char| c.is_whitespace() || "/\"',;()[]{}<>|".contains(c))
}

fn each_open(
    pieces: Vec<RedactPiece>,
    mut change: impl FnMut(&str) -> Vec<RedactPiece>,
) -> Vec<RedactPiece> {
    let mut out = Vec::new();
    for piece in pieces {
        match piece {
            RedactPiece::Open(text) if text.is_empty() => {}
            RedactPiece::Open(text) => out.extend(change(&text)),
            RedactPiece::Done(text) => out.push(RedactPiece::Done(text)),
        }
    }
    out
}

/// Cuts a text at everything that `find` finds, and has each such part replaced.
fn split(
    text: &str,
    find: impl Fn(&str) -> Option<(usize, usize)>,
    mut stand_in: impl FnMut(&str) -> String,
) -> Vec<RedactPiece> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some((from, to)) = find(rest).filter(|(from, to)| from < to) {
        pieces.push(RedactPiece::Open(rest[..from].to_string()));
        pieces.push(RedactPiece::Done(stand_in(&rest[from..to])));
        rest = &rest[to..];
    }
    pieces.push(RedactPiece::Open(rest.to_string()));
    pieces
}

fn find_sought(text: &str, known: &Sought) -> Option<(usize, usize)> {
    if known.value.len() >= DISTINCT {
        // Folding keeps the place of every byte.
        let at = text.to_ascii_lowercase().find(&known.folded)?;
        return Some((at, at + known.folded.len()));
    }
    let is_inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let mut from = 0;
    while let Some(found) = text[from..].find(&known.value) {
        let (start, end) = (from + found, from + found + known.value.len());
        let before = text[..start].chars().next_back();
        if !is_inside(before) && !is_inside(text[end..].chars().next()) {
            return Some((start, end));
        }
        from = end;
    }
    None
}

fn tag(run: &str) -> String {
    format!("-{}", run.chars().take(TAG).collect::<String>())
}

/// Whether it is one of ours already: `name-3`, `serial-1-03c498fd`.
fn is_pseudonym(text: &str) -> bool {
    let mut parts = text.split('-');
    let (word, number, tag) = (parts.next(), parts.next(), parts.next());
    let kind = word.and_then(|word| word.parse::<Kind>().ok());
    let is_number = |n: &str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit());
    let is_tag = |t: &str| t.len() == TAG && t.bytes().all(|b| b.is_ascii_hexdigit());
    kind.is_some_and(|kind| tag.is_none_or(|tag| kind.tells_apart() && is_tag(tag)))
        && number.is_some_and(is_number)
        && parts.next().is_none()
}

/// Whether a run was redacted, by the host name or the ID of its board: then it does not say which
/// board that is, and no other run does either.
pub fn is_redacted(run: &str, host: &Host) -> bool {
    let of_board = [Some(host.hostname.as_str()), host.board_id.as_deref()];
    let tag = tag(run);
    of_board.into_iter().flatten().any(|name| is_pseudonym(name) && name.ends_with(&tag))
}

fn is_common(word: &str) -> bool {
    let is_number = word.chars().all(|c| c.is_ascii_digit()) && word.len() < DISTINCT;
    let is_blank = word.chars().all(|c| c == '0' || !c.is_alphanumeric());
    is_number || is_blank || is_pseudonym(word) || vocabulary::is_ours(word)
}
