//! The list of runs, filtered, a page at a time.

use askama::Template;

use crate::run_document::utc;
use crate::runs::{Row, State};
use bakeoff_model::path::sanitize;

/// What is looked for; empty is everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pub search: String,
    /// Part of a drive's model or serial number.
    pub drive: String,
    /// Part of a machine's name.
    pub host: String,
    /// Part of a plan's title or a kind of run.
    pub plan: String,
    pub label: String,
    /// First day, `2026-11-24`.
    pub since: String,
    pub until: String,
}

impl Query {
    fn fields(&self) -> [(&'static str, &'static str, &'static str, &str); 7] {
        [
            ("search", "Search", "search", &self.search),
            ("drive", "Drive", "search", &self.drive),
            ("host", "Machine", "search", &self.host),
            ("plan", "Plan", "search", &self.plan),
            ("label", "Label", "search", &self.label),
            ("since", "Since", "date", &self.since),
            ("until", "Until", "date", &self.until),
        ]
    }

    pub fn link(&self, page: usize) -> String {
        let given = self.fields().into_iter().filter(|(.., value)| !value.is_empty());
        let mut link = format!("/runs?page={page}");
        for (name, _, _, value) in given {
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

#[derive(Clone, Debug)]
pub struct HistoryRow {
    pub row: Row,
    pub host: String,
    pub drives: Vec<String>,
}

impl HistoryRow {
    fn drive_names(&self) -> Vec<String> {
        self.drives.iter().map(|drive| sanitize(drive)).collect()
    }

    fn state(&self) -> (&'static str, &'static str) {
        match self.row.state {
            State::Running => ("open", "running"),
            State::Dead => ("refused", "interrupted"),
            State::Unfinished => ("open", "not finished"),
            State::Stopped => ("alone", "ended"),
            State::Unreadable => ("refused", "unreadable"),
        }
    }

    fn verdict(&self) -> String {
        let said = self.row.verdict.as_ref().or(self.row.error.as_ref());
        said.map_or("not read yet".to_string(), |text| sanitize(text))
    }
}

#[derive(Clone, Debug, Default, Template)]
#[template(path = "live/runs.html")]
pub struct HistoryPage {
    pub query: Query,
    /// Runs of this page, the latest first.
    pub rows: Vec<HistoryRow>,
    pub found: usize,
    pub stored: usize,
    /// Which page, from 0.
    pub page: usize,
    pub has_more: bool,
}

impl HistoryPage {
    fn newer(&self) -> Option<String> {
        self.page.checked_sub(1).map(|page| self.query.link(page))
    }

    fn older(&self) -> Option<String> {
        self.has_more.then(|| self.query.link(self.page + 1))
    }

    fn count(&self) -> String {
        match (self.stored, self.found) {
            (0, _) => "No runs are stored yet.".to_string(),
            (stored, found) if stored == found => format!("{stored} runs."),
            (stored, found) => format!("{found} of {stored} runs."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_model::verb::Verb;

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
        let html = super::super::rendered(&page);
        assert!(!html.contains("<script>alert") && !html.contains('\u{1b}'), "{html}");
        assert!(html.contains("80 of 90 runs"), "{html}");
        assert!(html.contains("/runs?page=2&#38;drive=a%26b%3D%22c%22"), "{html}");
        assert!(html.contains("/runs?page=0"), "{html}");
    }
}
