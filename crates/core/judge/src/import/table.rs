//! Result tables: the CSV with one figure a row that docs/import.md describes.
//!
//! RFC 4180, found by its line of column names wherever it stands in a text. Rows that differ only
//! in their metric are one result. A value that is not a number is listed as unread.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bakeoff_tools::scan::decimal::Decimal;
use bakeoff_tools::scan::finder::{Line, Reader};
use bakeoff_tools::scan::result::{FoundMetric, Metrics, Out, Place, Value, short};

/// Columns that say which result a row belongs to, in the order of the documented table.
pub(super) const KEYS: [&str; 10] = [
    "study",
    "host",
    "device",
    "filesystem",
    "encryption",
    "journal",
    "scheduler",
    "tool",
    "test",
    "block_size_bytes",
];
/// Columns of the figure; `source_line` and `note` may stand beside it.
const FIGURE: [&str; 3] = ["metric", "value", "unit"];
const BESIDE: [&str; 2] = ["source_line", "note"];
const ROW_LINES: usize = 20;

#[derive(Debug, Default)]
pub struct ResultTable {
    columns: Option<Vec<String>>,
    /// A row whose quotation marks are still open: its first line, its lines, its text.
    open: Option<(u64, usize, String)>,
    group: Option<RowGroup>,
}

#[derive(Debug)]
struct RowGroup {
    key: BTreeMap<String, String>,
    place: Place,
    last_line: u64,
    note: String,
    metrics: Metrics,
}

impl Reader for ResultTable {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        if let Some(columns) = header(line.text) {
            self.end(out);
            self.columns = Some(columns);
            return true;
        }
        if self.columns.is_none() {
            return false;
        }
        if line.text.trim().is_empty() && self.open.is_none() {
            self.end(out);
            return false;
        }
        let (first, count, text) = match self.open.take() {
            Some((first, count, text)) => (first, count + 1, text + "\n" + line.text),
            None => (line.number, 1, line.text.to_string()),
        };
        match fields(&text) {
            Some(fields) => self.row(first, line, &fields, out),
            None if count < ROW_LINES => {
                self.open = Some((first, count, text));
                true
            }
            None => {
                out.unread(first, line.number, "the row has an unclosed quotation mark");
                true
            }
        }
    }

    fn finish(&mut self, out: &mut Out) {
        self.end(out);
    }
}

fn header(text: &str) -> Option<Vec<String>> {
    // Most lines of a text have none of these; looking for them costs less than taking it apart.
    if !text.contains("metric") || !text.contains("value") {
        return None;
    }
    let names = fields(text.trim_start_matches('\u{feff}').trim())?;
    let has = |name: &str| names.iter().any(|known| known == name);
    let is_known = |name: &String| {
        [&KEYS[..], &FIGURE[..], &BESIDE[..]].iter().any(|set| set.contains(&name.as_str()))
    };
    let is_twice = (1..names.len()).any(|at| names[..at].contains(&names[at]));
    (FIGURE.iter().all(|name| has(name)) && names.iter().all(is_known) && !is_twice)
        .then_some(names)
}

/// The fields of a row (RFC 4180); `None` while a quotation mark is open.
fn fields(text: &str) -> Option<Vec<String>> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let last = fields.len() - 1;
        match c {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                fields[last].push('"');
                characters.next();
            }
            '"' if is_quoted => is_quoted = false,
            '"' if fields[last].is_empty() => is_quoted = true,
            ',' if !is_quoted => fields.push(String::new()),
            _ => fields[last].push(c),
        }
    }
    (!is_quoted).then_some(fields)
}

impl ResultTable {
    fn end(&mut self, out: &mut Out) {
        if let Some((first, count, _)) = self.open.take() {
            let last = first + count as u64 - 1;
            out.unread(first, last, "the row has an unclosed quotation mark");
        }
        self.columns = None;
        self.give(out);
    }

    fn give(&mut self, out: &mut Out) {
        let Some(mut group) = self.group.take() else { return };
        let mut take = |name: &str| group.key.remove(name).filter(|text| !text.is_empty());
        let (study, tool, test) = (take("study"), take("tool"), take("test"));
        group.place.context = study.unwrap_or(group.place.context);
        let tool = tool.unwrap_or_default();
        let mut result = group.place.result(&tool, None, group.last_line, group.metrics);
        result.test = test;
        group.key.retain(|_, text| !text.is_empty());
        if !group.note.is_empty() {
            group.key.insert("note".to_string(), group.note);
        }
        result.setup = group.key;
        result.command = None;
        out.result(result);
    }

    fn row(&mut self, first: u64, line: &Line<'_>, fields: &[String], out: &mut Out) -> bool {
        let Some(columns) = &self.columns else { return false };
        let is_cut = !line.is_ended && columns.last().is_some_and(|last| FIGURE[1] == *last);
        if fields.len() != columns.len() || is_cut {
            let (cells, columns) = (fields.len(), columns.len());
            let why = format!("the row has {cells} cells, but the table has {columns} columns");
            let is_text = fields.len() == 1;
            match is_text {
                true => self.end(out),
                false => out.unread(first, line.number, why),
            }
            return !is_text;
        }
        let of = |name: &str| {
            let at = columns.iter().position(|column| column == name)?;
            fields.get(at).map(|field| short(field))
        };
        let texts = FIGURE.map(|name| of(name).unwrap_or_default());
        let note = of("note").unwrap_or_default();
        let [name, value, unit] = texts;
        let key: BTreeMap<String, String> =
            KEYS.iter().filter_map(|name| Some(((*name).to_string(), of(name)?))).collect();
        let metric = metric(&name, &value, &unit, first);
        let Some(metric) = metric else {
            // What bonnie++ prints in place of a figure.
            let is_too_short = value.contains("+++") || note.contains("+++");
            let why = match value.is_empty() {
                true => format!("{name} has no value; {note}"),
                false => format!("{name}: '{value}' is not a number"),
            };
            match is_too_short {
                true => out.too_short(first, line.number, why),
                false => out.unread(first, line.number, why),
            }
            return true;
        };
        if self.group.as_ref().is_some_and(|group| group.key != key) {
            self.give(out);
        }
        let group = self.group.get_or_insert_with(|| RowGroup {
            key,
            place: Place { first_line: first, ..line.place("") },
            last_line: first,
            note,
            metrics: Metrics::default(),
        });
        group.last_line = line.number;
        group.metrics.0.push(metric);
        true
    }
}

/// A figure in our units where its unit has one meaning; else as the table has it.
fn metric(name: &str, value: &str, unit: &str, line: u64) -> Option<FoundMetric> {
    let raw = format!("{value} {unit}").trim().to_string();
    if unit == "hex" {
        let value = Value::Whole(u64::from_str_radix(value, 16).ok()?);
        return Some(FoundMetric { name: name.to_string(), value, unit: "".into(), raw, line });
    }
    if value.contains(',') {
        return None;
    }
    let number = Decimal::parse(value)?;
    let (factor, unit): (u64, Cow<'static, str>) = match known_unit(unit) {
        Some((factor, unit)) => (factor, unit.into()),
        None => (1, unit.to_string().into()),
    };
    let is_whole = matches!(unit.as_ref(), "bytes" | "ns") || (number.is_whole() && factor == 1);
    let value = match is_whole {
        true => Value::Whole(number.times(factor)?),
        false => Value::Real(number.value() * factor as f64),
    };
    Some(FoundMetric { name: name.to_string(), value, unit, raw, line })
}

/// What one of a unit is, in ours. `KB` is in none: it may be 1000 or 1024 bytes.
pub(super) fn known_unit(unit: &str) -> Option<(u64, &'static str)> {
    const KI: u64 = 1024;
    if let Some(size) = unit.strip_suffix("/s") {
        return match size {
            "ops" | "files" | "seeks" => Some((1, "1/s")),
            size => Some((bytes(size)?, "bytes/s")),
        };
    }
    match unit {
        "s" => Some((1_000_000_000, "ns")),
        "ms" => Some((1_000_000, "ns")),
        "us" => Some((1000, "ns")),
        "ns" => Some((1, "ns")),
        "%" => Some((1, "percent")),
        "x1024 files" => Some((KI, "count")),
        "ops" | "files" | "requests" | "events" | "threads" => Some((1, "count")),
        size => Some((bytes(size)?, "bytes")),
    }
}

fn bytes(unit: &str) -> Option<u64> {
    Some(match unit {
        "B" | "bytes" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "TiB" => 1 << 40,
        "kB" => 1000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "TB" => 1_000_000_000_000,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import;

    #[test]
    fn rows_of_one_case_are_one_result_and_quotes_are_read() {
        let text = "see:\n\ntool,test,metric,value,unit,note\n\
            dd,write,throughput,4.6,MB/s,\"a \"\"note\"\",\nof two lines\"\n\
            dd,write,elapsed,2.5,s,\n\
            dd,read,throughput,,MB/s,lost\n\
            dd,read,throughput,\"1,5\",MB/s,comma\n\
            dd,read,speed,12,KB/s,\n\nthe end\n";
        let imported = import::all(text.as_bytes());
        let [write, read] = imported.results.as_slice() else { panic!("{imported:?}") };
        assert_eq!((write.first_line, write.last_line), (4, 6));
        assert_eq!(write.metrics[0].value, Value::Real(4.6e6));
        assert_eq!(write.metrics[1].value, Value::Whole(2_500_000_000));
        assert_eq!(write.setup["note"], "a \"note\",\nof two lines");
        assert_eq!(
            (read.metrics[0].unit.as_ref(), read.metrics[0].raw.as_str()),
            ("KB/s", "12 KB/s")
        );
        let why: Vec<_> = imported.unread.iter().map(|unread| &unread.why).collect();
        assert_eq!(why, ["throughput has no value; lost", "throughput: '1,5' is not a number"]);
    }

    #[test]
    fn another_csv_is_no_result_table() {
        for head in
            ["a,b,c", "metric,value", "metric,value,unit,surprise", "metric,metric,value,unit"]
        {
            let text = format!("{head}\n1,2,3,4\n");
            assert_eq!(import::all(text.as_bytes()), crate::import::Imported::default(), "{head}");
        }
    }
}
