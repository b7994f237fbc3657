//! What an import gives: results with their metrics, and what could not be read.

use std::ops::RangeInclusive;

use serde::Serialize;

use super::RESULTS_LIMIT;
use bakeoff_model::finding::{Finding, Scope, Severity};

/// The longest text kept of a heading, a command line or a tool's figure, in characters.
const TEXT_LIMIT: usize = 400;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    pub results: Vec<ToolResult>,
    /// What looked like a tool's output and could not be read, in the order of the lines.
    pub unread: Vec<Unread>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolResult {
    /// The name of a tool: `dd`, `fio`, `Storage.sh`.
    pub tool: String,
    /// As the tool printed it; `None` when it printed none.
    pub version: Option<String>,
    /// The tool's own name of what it ran: sysbench's mode, fio's job, bonnie++'s label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// First line of the output, counted from 1.
    pub first_line: u64,
    pub last_line: u64,
    /// The heading above it; a label, never taken for a filesystem or a device.
    pub context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    pub metrics: Vec<FoundMetric>,
    pub findings: Vec<Finding>,
}

impl ToolResult {
    /// The same of a test of this name; of none where that is empty.
    pub fn of_test(self, name: &str) -> ToolResult {
        ToolResult { test: Some(name.to_string()).filter(|name| !name.is_empty()), ..self }
    }

    pub fn is(&self, tool: &str) -> bool {
        self.tool.starts_with(tool)
    }

    pub fn figure(&self, names: &[&str]) -> Option<f64> {
        let find = |name: &&str| self.metrics.iter().find(|metric| metric.name == **name);
        names.iter().find_map(find).map(|metric| metric.value.as_f64())
    }

    /// The words of the command, when it starts one program only.
    pub fn words(&self) -> Option<Vec<&str>> {
        let command = self.command.as_deref()?;
        let is_one = !command.contains([';', '|', '&']);
        is_one.then(|| command.split_whitespace().collect())
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundMetric {
    /// What it is, as `test.metric` where the tool has several tests.
    pub name: String,
    pub value: Value,
    /// `bytes`, `ns`, `bytes/s`, `1/s`, `count`, `percent`, or empty for a ratio.
    pub unit: &'static str,
    pub raw: String,
    pub line: u64,
}

/// A value, whole where the tool's was.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Bytes, nanoseconds and counts.
    Whole(u64),
    Real(f64),
}

impl Value {
    /// As a binary fraction, for comparisons.
    pub fn as_f64(self) -> f64 {
        match self {
            Value::Whole(value) => value as f64,
            Value::Real(value) => value,
        }
    }
}

/// Lines that look like a tool's output and gave nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    pub first_line: u64,
    pub last_line: u64,
    /// Why, and what would help: one sentence without the last full stop. Text of the input in it
    /// is as it stands there.
    pub why: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics(pub Vec<FoundMetric>);

impl Metrics {
    /// Adds a whole number; `printed` is the tool's own text and its line.
    pub fn whole(&mut self, name: &str, value: u64, unit: &'static str, printed: (&str, u64)) {
        self.push(name, Value::Whole(value), unit, printed);
    }

    /// Adds a number with a fraction; one that is not finite is not added.
    pub fn real(&mut self, name: &str, value: f64, unit: &'static str, printed: (&str, u64)) {
        if value.is_finite() {
            self.push(name, Value::Real(value), unit, printed);
        }
    }

    fn push(&mut self, name: &str, value: Value, unit: &'static str, (raw, line): (&str, u64)) {
        let raw = short(raw);
        self.0.push(FoundMetric { name: name.to_string(), value, unit, raw, line });
    }

    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|metric| metric.name == name).map(|metric| metric.value.as_f64())
    }
}

/// Where an output began and what stood above it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Place {
    pub first_line: u64,
    /// The heading above; empty when there is none.
    pub context: String,
    /// The command above; empty when there is none.
    pub command: String,
}

/// What finds out what limits a result.
pub type Judge = fn(&ToolResult) -> Vec<Finding>;

/// Where readers put what they found.
#[derive(Debug, Default)]
pub struct Out {
    imported: Imported,
    judge: Option<Judge>,
    dropped: u64,
    /// Lines of a document whose results are known from elsewhere in it.
    known: Vec<RangeInclusive<u64>>,
}

impl Out {
    pub fn judged_by(judge: Judge) -> Out {
        Out { judge: Some(judge), ..Out::default() }
    }

    /// Takes a result, unless there are too many.
    pub fn result(&mut self, mut result: ToolResult) {
        for finding in self.judge.map_or(Vec::new(), |judge| judge(&result)) {
            let is_known = result.findings.iter().any(|known| known.id == finding.id);
            if !is_known {
                result.findings.push(finding);
            }
        }
        if self.imported.results.len() < RESULTS_LIMIT {
            self.imported.results.push(result);
        } else {
            self.dropped += 1;
        }
    }

    pub fn unread(&mut self, first_line: u64, last_line: u64, why: impl Into<String>) {
        self.push(Unread { first_line, last_line, why: why.into() });
    }

    /// Nothing between these lines is unread: what they say is given by a result.
    pub fn known(&mut self, lines: RangeInclusive<u64>) {
        if self.known.len() < RESULTS_LIMIT {
            self.known.push(lines);
        }
    }

    fn push(&mut self, unread: Unread) {
        if self.imported.unread.len() < RESULTS_LIMIT {
            self.imported.unread.push(unread);
        } else {
            self.dropped += 1;
        }
    }

    pub fn has_figure(&self, from_line: u64, figure: &FoundMetric) -> bool {
        let is_it = |known: &FoundMetric| known.value == figure.value && known.unit == figure.unit;
        let mut near = self.imported.results.iter().rev().filter(|r| r.last_line >= from_line);
        near.any(|result| result.metrics.iter().any(is_it))
    }

    /// Whether a result of that tool which ends within these lines has a figure that was printed
    /// with this number.
    pub fn has_printed(&self, lines: RangeInclusive<u64>, tool: &str, number: &str) -> bool {
        let results = &self.imported.results;
        let mut near = results.iter().filter(|r| r.tool == tool && lines.contains(&r.last_line));
        let is_it = |known: &FoundMetric| known.raw.split(' ').next() == Some(number);
        near.any(|result| result.metrics.iter().any(is_it))
    }

    pub fn has_test(&self, from_line: u64, tool: &str, test: &str) -> bool {
        let mut near = self.imported.results.iter().rev().filter(|r| r.last_line >= from_line);
        near.any(|result| result.tool == tool && result.test.as_deref() == Some(test))
    }

    pub fn has_between(&self, first_line: u64, last_line: u64) -> bool {
        let of = |first: u64, last: u64| first <= last_line && last >= first_line;
        self.imported.results.iter().any(|result| of(result.first_line, result.last_line))
            || self.imported.unread.iter().any(|unread| of(unread.first_line, unread.last_line))
    }

    pub fn finish(mut self, last_line: u64) -> Imported {
        let known = |part: &Unread| {
            self.known.iter().any(|l| *l.start() <= part.first_line && part.last_line <= *l.end())
        };
        self.imported.unread.retain(|part| !known(part));
        self.imported.results.sort_by_key(|result| (result.first_line, result.last_line));
        self.imported.unread.sort_by_key(|unread| (unread.first_line, unread.last_line));
        if self.dropped > 0 {
            let why = format!(
                "the text has {} more results or unread parts than the limit of {RESULTS_LIMIT}: \
                 split the text",
                self.dropped
            );
            let first_line = last_line;
            let unread = Unread { first_line, last_line, why };
            self.imported.unread.push(unread);
        }
        self.imported
    }
}

impl Place {
    pub fn result(
        &self,
        tool: &str,
        version: Option<String>,
        last_line: u64,
        metrics: Metrics,
    ) -> ToolResult {
        ToolResult {
            tool: tool.to_string(),
            version,
            test: None,
            first_line: self.first_line,
            last_line,
            context: Some(self.context.clone()).filter(|text| !text.is_empty()),
            command: Some(self.command.clone()).filter(|text| !text.is_empty()),
            metrics: metrics.0,
            findings: Vec::new(),
        }
    }
}

/// Text of the input, cut to what is kept of it.
pub fn short(text: &str) -> String {
    text.trim().chars().take(TEXT_LIMIT).collect()
}

pub fn finding(id: &str, severity: Severity, evidence: String, advice: &str) -> Finding {
    Finding {
        id: id.to_string(),
        severity,
        scope: Scope::Cell,
        workload: None,
        candidate: None,
        evidence,
        advice: advice.to_string(),
    }
}
