//! fio's JSON and JSON+, with whatever was printed in front of it.

mod figures;
mod interval;

use self::figures::KnownFigures;
use self::interval::JsonInterval;
use super::JobReader;
use super::paths::scalars;
use crate::scan::finder::{Line, Reader};
use crate::scan::result::{Form, Out, Place, short};

/// The longest JSON that is read; every bucket of sixteen jobs stays below.
const JSON_LIMIT_BYTES: usize = 16 << 20;
const SCALARS: usize = 400_000;
/// Most brackets that are open at a time; serde_json refuses more.
const BRACKETS: usize = 128;
const JOBS: u64 = 1000;

#[derive(Debug, Default)]
struct OpenObject {
    place: Place,
    last_line: u64,
    text: String,
    depth: i64,
    is_in_string: bool,
    is_fio: bool,
    brackets: Vec<u8>,
    /// Where the last object of a job, or of what it did in one direction, ended: the length of
    /// the text, its line, and what was open then.
    whole: Option<(usize, u64, Vec<u8>)>,
    is_cut: bool,
    brace: Option<u64>,
}

#[derive(Debug, Default)]
pub struct Json {
    open: Option<OpenObject>,
    last: Option<JsonInterval>,
}

impl Reader for Json {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        // In a terminal the brace is typed over the first letter of `Jobs: 1 (f=1)`.
        let brace = Line { text: "{", ..*line };
        let line = if line.text.starts_with("{obs: ") { &brace } else { line };
        let text = line.text.trim();
        let is_first_key = text.contains("\"fio version\"");
        let begins = text == "{" || (text.starts_with('{') && is_first_key);
        // A second head inside one: the first was cut.
        let is_second = self.open.as_ref().is_some_and(|o| o.is_fio && is_first_key);
        let has_foreign_head = self.open.as_ref().is_some_and(|o| !o.is_fio && begins);
        if is_second || has_foreign_head {
            let brace = self.open.as_ref().and_then(|open| open.brace).filter(|_| !begins);
            self.drop_open(out);
            if let Some(number) = brace.filter(|number| number + 1 == line.number) {
                let head = Line { number, text: "{", ..*line };
                self.open.insert(OpenObject::new(&head)).add(&head);
            }
        }
        if self.open.is_none() {
            // The head that was cut off in front of its first key is not known to be there.
            if !begins {
                return false;
            }
            self.open = Some(OpenObject::new(line));
        }
        let Some(open) = &mut self.open else { return false };
        open.is_fio |= is_first_key;
        if !open.is_fio && line.number > open.place.first_line + 1 {
            self.open = None;
            return false;
        }
        open.add(line);
        if text == "{" {
            open.brace = Some(line.number);
        }
        let (is_fio, is_over) = (open.is_fio, open.depth <= 0);
        let is_too_long = open.text.len() > JSON_LIMIT_BYTES;
        if is_over && is_fio {
            if let Some(open) = self.open.take() {
                self.last = open.give(self.last.take(), out);
            }
        } else if is_over || is_too_long {
            self.drop_open(out);
        }
        is_fio
    }

    fn finish(&mut self, out: &mut Out) {
        self.drop_open(out);
    }
}

impl Json {
    fn drop_open(&mut self, out: &mut Out) {
        let Some(open) = self.open.take().filter(|open| open.is_fio) else { return };
        let (first, last) = (open.place.first_line, open.last_line);
        match open.cut() {
            Some(open) => {
                let rest = (open.last_line + 1).min(last);
                open.give(None, out);
                let why = "fio's JSON ends before its last brace; the part before this was read";
                out.unread(rest, last, why);
            }
            None => {
                let why = "fio's JSON is incomplete: its last brace is missing, or it contains \
                           other text";
                out.unread(first, last, why);
            }
        }
    }
}

impl OpenObject {
    fn new(line: &Line<'_>) -> OpenObject {
        OpenObject { place: line.place("fio"), last_line: line.number, ..OpenObject::default() }
    }

    fn add(&mut self, line: &Line<'_>) {
        for _ in self.last_line + 1..line.number {
            self.text.push('\n');
        }
        if !self.text.is_empty() {
            // A carriage return inside a line starts no other line.
            self.text.push(if line.number == self.last_line { ' ' } else { '\n' });
        }
        let begins_at = self.text.len();
        self.text.push_str(line.text);
        self.last_line = line.number;
        let mut is_escaped = false;
        for (at, byte) in line.text.bytes().enumerate() {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if self.is_in_string => is_escaped = true,
                b'"' => self.is_in_string = !self.is_in_string,
                b'{' | b'[' if !self.is_in_string => self.open_bracket(byte),
                b'}' | b']' if !self.is_in_string => {
                    self.close_bracket(byte, begins_at + at + 1);
                }
                _ => {}
            }
        }
        // JSON has no line feed inside a string: a quotation mark was lost.
        self.is_in_string = false;
    }

    fn open_bracket(&mut self, byte: u8) {
        self.depth += i64::from(byte == b'{');
        if self.brackets.len() < BRACKETS {
            self.brackets.push(byte);
        }
    }

    fn close_bracket(&mut self, byte: u8, end: usize) {
        self.depth -= i64::from(byte == b'}');
        self.brackets.pop();
        // A job lies in the list of the outermost object, a direction in a job.
        let is_job = self.brackets == *b"{[" || self.brackets == *b"{[{";
        if byte == b'}' && is_job {
            self.whole = Some((end, self.last_line, self.brackets.clone()));
        }
    }

    fn cut(mut self) -> Option<OpenObject> {
        let (end, line, open) = self.whole.take()?;
        self.text.truncate(end);
        for bracket in open.iter().rev() {
            self.text.push(if *bracket == b'{' { '}' } else { ']' });
        }
        (self.last_line, self.is_cut) = (line, true);
        Some(self)
    }

    fn give(self, before: Option<JsonInterval>, out: &mut Out) -> Option<JsonInterval> {
        let (first, last) = (self.place.first_line, self.last_line);
        let known = match self.known() {
            Ok(known) => known,
            Err(why) => {
                out.unread(first, last, why);
                return None;
            }
        };
        let version = known.text("fio version").map(|v| v.trim_start_matches("fio-").to_string());
        let mut is_any = false;
        let mut given = JsonInterval::new(&known, first, last);
        let earlier = before.filter(|before| given.is_of_the_run(before));
        for at in 0..JOBS {
            let job = format!("{}/{at}", known.list());
            let name = known.text(&format!("{job}/jobname"));
            let Some(name) = name.map(short) else { break };
            is_any = true;
            match known.job(&job) {
                // What it did stands in the part that is missing.
                Ok(metrics) if metrics.0.is_empty() && self.is_cut => {}
                Ok(metrics) => {
                    let error = known.whole(&format!("{job}/error")).unwrap_or(0);
                    let (place, version) = (self.place.clone(), version.clone());
                    let form = Form::Json;
                    let job =
                        JobReader { place, last_line: last, version, name, error, metrics, form };
                    given.give(job, earlier.as_ref(), out);
                }
                Err(why) => out.unread(first, last, why),
            }
        }
        if !is_any && !self.is_cut {
            out.unread(first, last, "fio's JSON has no jobs");
        }
        Some(given)
    }

    fn known(&self) -> Result<KnownFigures, String> {
        // serde_json refuses what is nested too deep; the last brace may have text behind it.
        if let Err(error) = serde_json::from_str::<serde_json::Value>(&self.text) {
            return Err(format!("fio's JSON is incomplete or contains other text: {error}"));
        }
        let Some(scalars) = scalars(&self.text, SCALARS) else {
            return Err("fio's JSON has more values than bakeoff reads".to_string());
        };
        let mut known = KnownFigures { scalars, first: self.place.first_line };
        match known.sort() {
            Some(path) => {
                Err(format!("{path} appears twice in fio's JSON: two outputs are mixed up"))
            }
            None => Ok(known),
        }
    }
}

#[cfg(test)]
mod tests;
