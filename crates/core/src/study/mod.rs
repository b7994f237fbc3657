//! A published comparison as rules see it: its rates, its other figures and its stated facts.
//!
//! The view knows columns and units of a result table, and no rule. [`crate::import`] reads the
//! table, [`crate::rules::study`] judges it.

pub mod facts;

use std::collections::{BTreeMap, BTreeSet};

use crate::scan::{Imported, ToolResult, Unread};
use facts::{Fact, Facts};

/// Rates within this share of each other count as the same.
pub const SAME: f64 = 0.02;

#[derive(Clone, Debug)]
pub struct Study<'a> {
    pub results: &'a [ToolResult],
    pub unread: &'a [Unread],
    pub facts: &'a Facts,
    pub cells: Vec<Cell<'a>>,
}

#[derive(Clone, Debug)]
pub struct Cell<'a> {
    pub host: &'a str,
    pub device: &'a str,
    pub fs: &'a str,
    /// Empty when the table says nothing or `none`.
    pub crypt: &'a str,
    pub tool: &'a str,
    pub test: &'a str,
    /// 0 when the table does not say.
    pub block: u64,
    pub rate: f64,
}

impl Cell<'_> {
    pub fn candidate(&self) -> String {
        format!("{} {}", self.fs, self.crypt).trim().to_string()
    }

    pub fn names_cipher(&self) -> bool {
        self.crypt.contains("aes") || self.crypt.contains("chacha")
    }

    pub fn is_of(&self, tool: &str) -> bool {
        self.tool.split(' ').next() == Some(tool)
    }

    /// Whether the test only reads.
    pub fn only_reads(&self) -> bool {
        let reads = self.test.contains("read") || self.test.contains("input");
        (reads && !self.test.contains("write")) || self.test.ends_with("rd")
    }

    /// Whether the test only writes.
    pub fn only_writes(&self) -> bool {
        let writes = self.test.contains("write") || self.test.contains("output");
        (writes && !self.test.contains("read")) || self.test.ends_with("wr")
    }

    pub fn is_random(&self) -> bool {
        self.test.starts_with("random ") || self.test.starts_with("rnd")
    }

    /// The test that this one repeats, as the table names it up to there.
    pub fn repeats(&self) -> Option<&str> {
        self.test.strip_suffix(" repeated")
    }

    /// Whether it writes over what it has read.
    pub fn is_rewrite(&self) -> bool {
        self.test.contains("rewrite")
    }

    pub fn is_sequential(&self) -> bool {
        self.test.starts_with("sequential")
    }
}

impl<'a> Study<'a> {
    /// The view of a table and of what is stated beside it.
    pub fn new(imported: &'a Imported, facts: &'a Facts) -> Study<'a> {
        let cells = imported.results.iter().filter_map(cell).collect();
        Study { results: &imported.results, unread: &imported.unread, facts, cells }
    }

    /// Whether it compares anything: two candidates, or a grid of factors.
    pub fn is_comparison(&self) -> bool {
        let candidates: BTreeSet<(&str, String)> =
            self.cells.iter().map(|cell| (cell.device, cell.candidate())).collect();
        candidates.len() >= 2 || self.grid().next().is_some()
    }

    /// The rows that stand for several journals or schedulers.
    pub fn grid(&self) -> impl Iterator<Item = &'a ToolResult> {
        let lists = |r: &&ToolResult| {
            ["journal", "scheduler"].iter().any(|key| column(r, key).contains(';'))
        };
        self.results.iter().filter(lists)
    }

    /// The results of tests whose command the page states, with that command.
    pub fn commanded(&self) -> Vec<ToolResult> {
        let with_command = |fact: &Fact| {
            let of_test = self.results.iter().find(|r| r.test.as_deref() == Some(&fact.test))?;
            Some(ToolResult { command: Some(fact.value.clone()), ..of_test.clone() })
        };
        self.facts.all("command").filter_map(with_command).collect()
    }

    /// The first fact with this key and value; an empty value stands for any.
    pub fn states(&self, key: &str, value: &str) -> Option<&'a Fact> {
        let is_it = |fact: &&Fact| fact.key == key && (value.is_empty() || fact.value == value);
        self.facts.fact.iter().find(is_it)
    }

    /// The first fact with this key whose value is part of the name of a device in the table.
    pub fn states_device(&self, key: &str) -> Option<&'a Fact> {
        let is_device =
            |name: &str| self.results.iter().any(|r| column(r, "device").contains(name));
        self.facts.fact.iter().find(|fact| fact.key == key && is_device(&fact.value))
    }

    /// The values of a metric of rows that say how it was configured.
    pub fn configured(&self, metric: &str) -> Vec<f64> {
        let of = |r: &'a ToolResult| r.metrics.iter().filter(|m| m.name == metric);
        self.results.iter().flat_map(of).map(|m| m.value.as_f64()).collect()
    }

    /// Cells of the same test in the same setting, by host, device, tool, test and block.
    pub fn settings<'s>(&'s self) -> Vec<Vec<&'s Cell<'a>>> {
        let mut all: BTreeMap<(&str, &str, &str, &str, u64), Vec<&Cell>> = BTreeMap::new();
        for c in &self.cells {
            all.entry((c.host, c.device, c.tool, c.test, c.block)).or_default().push(c);
        }
        all.into_values().collect()
    }

    /// Byte offsets of partitions by device and candidate, where the table lists them.
    pub fn starts(&self) -> BTreeMap<&'a str, BTreeMap<String, f64>> {
        let mut all: BTreeMap<&str, BTreeMap<String, f64>> = BTreeMap::new();
        for result in self.results {
            let start = result.metrics.iter().find(|m| m.name == "partition_start");
            let (Some(start), Some(test)) = (start, &result.test) else { continue };
            let journal = column(result, "journal");
            let crypt = column(result, "encryption");
            let name = format!("{test} {} {crypt} {journal}", column(result, "filesystem"));
            let factor = if start.unit == "sectors" { 512.0 } else { 1.0 };
            let is_candidate = !crypt.is_empty() || !journal.is_empty() || self.has(result);
            if is_candidate {
                let of_device = all.entry(column(result, "device")).or_default();
                of_device.insert(name, start.value.as_f64() * factor);
            }
        }
        all
    }

    /// Whether the filesystem of a partition is one that was measured on its own.
    fn has(&self, partition: &ToolResult) -> bool {
        let fs = column(partition, "filesystem");
        let measured: BTreeSet<&str> = self.cells.iter().map(|cell| cell.fs).collect();
        measured.len() > 1 && measured.contains(fs)
    }
}

/// What a row states in a column; empty where it states nothing.
pub fn column<'a>(result: &'a ToolResult, key: &str) -> &'a str {
    result.setup.get(key).map_or("", String::as_str)
}

fn cell(result: &ToolResult) -> Option<Cell<'_>> {
    const RATES: [&str; 4] = ["throughput", "throughput_approx", "rate", "requests_per_second"];
    let metric = result.metrics.iter().find(|m| RATES.contains(&m.name.as_str()))?;
    let crypt = column(result, "encryption");
    Some(Cell {
        host: column(result, "host"),
        device: column(result, "device"),
        fs: column(result, "filesystem"),
        crypt: if crypt == "none" { "" } else { crypt },
        tool: &result.tool,
        test: result.test.as_deref().unwrap_or(""),
        block: column(result, "block_size_bytes").parse().unwrap_or(0),
        rate: metric.value.as_f64(),
    })
}
