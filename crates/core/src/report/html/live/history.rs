//! The list of runs, filtered, a page at a time.

use askama::Template;

use super::{Here, rendered};
use crate::model::path::sanitize;
use crate::report::html::SYMBOLS;
use crate::report::runs::{Row, State};
use crate::report::view::utc;

/// What is looked for; empty is everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Words in the title, the verb or the id.
    pub search: String,
    /// Part of a drive's model or serial number.
    pub drive: String,
    /// Part of a machine's name.
    pub host: String,
    /// Part of a plan's title or a kind of run.
    pub plan: String,
    /// Part of a label.
    pub label: String,
    /// First day, `2026-11-24`.
    pub since: String,
    /// Last day.
    pub until: String,
}

impl Query {
    /// Name, label and value of each field.
    fn fields(&self) -> [(&'static str, &'static str, &str); 7] {
        [
            ("search", "Search", &self.search),
            ("drive", "Drive", &self.drive),
            ("host", "Machine", &self.host),
            ("plan", "Plan", &self.plan),
            ("label", "Label", &self.label),
            ("since", "Since", &self.since),
            ("until", "Until", &self.until),
        ]
    }

    /// The query as a link to a page of it.
    pub fn link(&self, page: usize) -> String {
        let given = self.fields().into_iter().filter(|(_, _, value)| !value.is_empty());
        let mut link = format!("/runs?page={page}");
        for (name, _, value) in given {
            link += &format!("&{name}={}", encoded(value));
        }
        link
    }
}

/// Percent-encoded (RFC 3986, 2.1).
pub fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

/// One run of the list.
#[derive(Clone, Debug)]
pub struct HistoryRow {
    /// What is stored.
    pub row: Row,
    /// Name of the machine.
    pub host: String,
    /// Its drives.
    pub drives: Vec<String>,
}

/// The list.
#[derive(Clone, Debug, Default)]
pub struct HistoryPage {
    /// What was looked for.
    pub query: Query,
    /// Runs of this page, the latest first.
    pub rows: Vec<HistoryRow>,
    /// Runs found on all pages.
    pub found: usize,
    /// Runs stored.
    pub stored: usize,
    /// Which page, from 0.
    pub page: usize,
    /// Whether there is another one behind it.
    pub has_more: bool,
}

impl HistoryPage {
    /// As HTML.
    pub fn html(self) -> String {
        let fields = self.query.fields().map(|(name, label, value)| Field {
            name,
            label,
            value: value.to_string(),
            is_date: matches!(name, "since" | "until"),
        });
        let newer = self.page.checked_sub(1).map(|page| self.query.link(page));
        let older = self.has_more.then(|| self.query.link(self.page + 1));
        let found = match (self.stored, self.found) {
            (0, _) => "No runs are stored yet.".to_string(),
            (stored, found) if stored == found => format!("{stored} runs."),
            (stored, found) => format!("{found} of {stored} runs."),
        };
        rendered(Listed {
            here: Here::Runs,
            symbols: SYMBOLS,
            fields: fields.into(),
            found,
            rows: self.rows.into_iter().map(cells).collect(),
            newer,
            older,
        })
    }
}

struct Field {
    name: &'static str,
    label: &'static str,
    value: String,
    is_date: bool,
}

struct Cells {
    id: String,
    short: String,
    started: String,
    title: String,
    label: Option<String>,
    host: String,
    /// Name and the address of its history.
    drives: Vec<(String, String)>,
    class: &'static str,
    state: &'static str,
    verdict: String,
}

fn cells(found: HistoryRow) -> Cells {
    let HistoryRow { row, host, drives } = found;
    let (class, state) = match row.state {
        State::Running => ("open", "running"),
        State::Dead => ("refused", "interrupted"),
        State::Unfinished => ("open", "not finished"),
        State::Stopped => ("alone", "ended"),
        State::Unreadable => ("refused", "unreadable"),
    };
    Cells {
        started: utc(row.created_unix_ns),
        title: sanitize(&row.title),
        label: row.label.as_deref().map(sanitize),
        host: sanitize(&host),
        drives: drives
            .iter()
            .map(|drive| (sanitize(drive), format!("/trend?drive={}", encoded(drive))))
            .collect(),
        class,
        state,
        verdict: row.verdict.or(row.error).map_or("not read yet".to_string(), |v| sanitize(&v)),
        id: row.run,
        short: row.short,
    }
}

#[derive(Template)]
#[template(path = "live/runs.html")]
struct Listed {
    here: Here,
    symbols: &'static [&'static str],
    fields: Vec<Field>,
    found: String,
    rows: Vec<Cells>,
    newer: Option<String>,
    older: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::verb::Verb;

    fn row(title: &str) -> HistoryRow {
        let row = Row {
            run: "0123456789abcdef".into(),
            short: "0123".into(),
            created_unix_ns: 1_795_305_662_000_000_000,
            verb: Verb::Quick,
            title: title.into(),
            label: Some("<b>".into()),
            imported: false,
            events: 3,
            state: State::Dead,
            blocks: None,
            verdict: None,
            error: None,
        };
        HistoryRow { row, host: "\u{1b}pi".into(), drives: vec!["\"SSD\" & more".into()] }
    }

    #[test]
    fn hostile_names_are_escaped_and_links_keep_the_query() {
        let query = Query { drive: "a&b=\"c\"".into(), ..Query::default() };
        let page = HistoryPage {
            query,
            rows: vec![row("<script>alert(1)</script>")],
            found: 80,
            stored: 90,
            page: 1,
            has_more: true,
        };
        let html = page.html();
        assert!(!html.contains("<script>alert") && !html.contains('\u{1b}'), "{html}");
        assert!(html.contains("80 of 90 runs"), "{html}");
        assert!(html.contains("/runs?page=2&#38;drive=a%26b%3D%22c%22"), "{html}");
        assert!(html.contains("/runs?page=0"), "{html}");
    }
}
