//! fio's JSON and JSON+, with whatever was printed in front of it.

mod figures;

use self::figures::KnownFigures;
use super::JobReader;
use super::paths::scalars;
use crate::scan::finder::{Line, Reader};
use crate::scan::result::{Out, Place, short};

/// The longest JSON that is read; every bucket of sixteen jobs stays below.
const JSON_LIMIT_BYTES: usize = 16 << 20;
const SCALARS: usize = 400_000;
const JOBS: u64 = 1000;

#[derive(Debug, Default)]
struct OpenObject {
    place: Place,
    last_line: u64,
    text: String,
    depth: i64,
    is_in_string: bool,
    is_fio: bool,
    brace: Option<u64>,
}

#[derive(Debug, Default)]
pub struct Json {
    open: Option<OpenObject>,
}

impl Reader for Json {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
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
                open.give(out);
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
        let why = "fio's JSON is incomplete: its last brace is missing, or it contains other text";
        out.unread(first, last, why);
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
        self.text.push_str(line.text);
        self.last_line = line.number;
        let mut is_escaped = false;
        for byte in line.text.bytes() {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if self.is_in_string => is_escaped = true,
                b'"' => self.is_in_string = !self.is_in_string,
                b'{' if !self.is_in_string => self.depth += 1,
                b'}' if !self.is_in_string => self.depth -= 1,
                _ => {}
            }
        }
        // JSON has no line feed inside a string: a quotation mark was lost.
        self.is_in_string = false;
    }

    fn give(self, out: &mut Out) {
        let (first, last) = (self.place.first_line, self.last_line);
        let known = match self.known() {
            Ok(known) => known,
            Err(why) => return out.unread(first, last, why),
        };
        let version = known.text("fio version").map(|v| v.trim_start_matches("fio-").to_string());
        let mut is_any = false;
        for at in 0..JOBS {
            let job = format!("{}/{at}", known.list());
            let name = known.text(&format!("{job}/jobname"));
            let Some(name) = name.map(short) else { break };
            is_any = true;
            match known.job(&job) {
                Ok(metrics) => {
                    let error = known.whole(&format!("{job}/error")).unwrap_or(0);
                    let (place, version) = (self.place.clone(), version.clone());
                    JobReader { place, last_line: last, version, name, error, metrics }.give(out);
                }
                Err(why) => out.unread(first, last, why),
            }
        }
        if !is_any {
            out.unread(first, last, "fio's JSON has no jobs");
        }
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
