//! The HTML report: one file that needs nothing else, with tables that say everything and charts
//! drawn over them by a script.
//!
//! Text from outside reaches the page through askama, which escapes it, and reaches the script
//! only inside a JSON block in which `<`, `>`, `&`, U+2028 and U+2029 are escaped. A content
//! security policy allows the one script by its hash and no request to anywhere (W3C CSP 3).

mod absolute;
mod behind;
mod captions;
mod card;
mod ceilings;
mod cells;
mod chart;
mod limits;
mod machine;
mod matrix;
mod percentile;
mod picture;
mod policy;
mod sweep;
mod table;

pub use card::card;

use askama::Template;

use bakeoff_judge::evidence::Rule;
use bakeoff_model::finding::Severity;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Analysis, Verdict};
use bakeoff_stats::phrases::capital;

use super::document::Table;
use super::run_document::{FindingView, Question, RunDocument};
use super::runs::{self, LeftOut, Row};
use super::settling;
use chart::{ChartData, RunData};
use limits::PageLimits;
use matrix::MatrixPage;
use sweep::SweepPage;

/// The page's own script and stylesheet, as `make web` bundles them.
#[derive(Clone, Copy, Debug)]
pub struct Assets<'a> {
    /// Script; must hold neither `</script` nor `<!--`.
    pub js: &'a str,
    /// Stylesheet; must not hold `</style`.
    pub css: &'a str,
}

/// Seconds after which a browser loads the page of a run that is in progress again.
pub const RELOAD_S: u32 = 10;

pub fn html(run: &Run, analysis: &Analysis, assets: &Assets) -> String {
    page(run, analysis, assets, None)
}

/// The page of a run that is in progress, which reloads itself.
pub fn html_so_far(run: &Run, analysis: &Analysis, assets: &Assets) -> String {
    page(run, analysis, assets, Some(RELOAD_S))
}

fn page(run: &Run, analysis: &Analysis, assets: &Assets, reload_s: Option<u32>) -> String {
    let document = RunDocument::new(run, analysis);
    let policy = policy::policy(assets.js);
    let report = Report::new(run, &document);
    rendered(&ReportPage { report, policy, assets: *assets, reload_s }, assets.js)
}

/// The list of runs as a page with links to theirs.
pub fn runs_page(rows: &[Row], left_out: LeftOut, assets: &Assets) -> String {
    let (policy, notes) = (policy::policy(""), runs::notes(rows, left_out));
    rendered(&RunsPage { rows, notes, policy, assets: *assets }, "")
}

/// A page of which only `script` may have control characters.
fn rendered(page: &impl Template, script: &str) -> String {
    // Rendering into a String fails only when a Display of ours does, and none of them can.
    let text = page.render();
    let text = text.unwrap_or_else(|e| format!("<!doctype html><title>bakeoff</title>{e}"));
    without_controls(&text, script)
}

fn seen(finding: &FindingView) -> String {
    tied(capital(&finding.evidence()))
}

/// Where a finding's rule is explained on the page; nothing for one of another version.
fn rule_anchor(finding: &FindingView) -> Option<String> {
    Rule::find(&finding.id).map(|rule| format!("rule-{}", rule.id))
}

/// The page without control characters, which no name or output of others may bring into a
/// terminal that shows the file. The script stays as it is: its hash is in the policy.
fn without_controls(page: &str, script: &str) -> String {
    let is_text = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    let clean = |part: &str| part.chars().filter(is_text).collect::<String>();
    match page.split_once(script).filter(|_| !script.is_empty()) {
        Some((before, after)) => [&clean(before), script, &clean(after)].concat(),
        None => clean(page),
    }
}

/// Symbols that differ in shape, as SVG paths in a square from -5 to 5.
const SYMBOLS: &[&str] = &[
    "M-4 0A4 4 0 1 1 4 0A4 4 0 1 1 -4 0Z",
    "M-3.6 -3.6H3.6V3.6H-3.6Z",
    "M0 -4.6L4.6 3.8H-4.6Z",
    "M0 -5L5 0L0 5L-5 0Z",
    "M-1.6 -4.8H1.6V-1.6H4.8V1.6H1.6V4.8H-1.6V1.6H-4.8V-1.6H-1.6Z",
    "M0 4.6L4.6 -3.8H-4.6Z",
    "M0 -5L1.3 -1.6L4.9 -1.5L2.1 .7L3 4.2L0 2.2L-3 4.2L-2.1 .7L-4.9 -1.5L-1.3 -1.6Z",
    "M-5 -2.2H5V2.2H-5Z",
    "M-4.4 -2.6L0 -5L4.4 -2.6V2.6L0 5L-4.4 2.6Z",
    "M-2.2 -5H2.2V5H-2.2Z",
];

/// A name of so many letters, such as `exfat-fuse`, is never broken at its hyphen.
const WORD_MAX: usize = 12;

/// The colours of candidates by day, as web/src/colors.css has them: distinguishable without colour
/// vision. With [`SYMBOLS`] that makes 40 pairs before one repeats.
pub const COLORS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#b8578f", "#c98500", "#3a9bdc", "#2f3337", "#8a8200"];

#[derive(Template)]
#[template(path = "page.html")]
struct ReportPage<'a> {
    report: Report<'a>,
    policy: String,
    assets: Assets<'a>,
    reload_s: Option<u32>,
}

#[derive(Template)]
#[template(path = "runs.html")]
struct RunsPage<'a> {
    rows: &'a [Row],
    notes: Vec<String>,
    policy: String,
    assets: Assets<'a>,
}

/// The document of a run as a page has it, with the slots of its charts and what they draw. A
/// template of its own, so that its code is there once for all pages.
#[derive(Template)]
#[template(path = "body.html")]
struct Report<'a> {
    record: &'a Run,
    run: &'a RunDocument,
    matrix: Option<MatrixPage<'a>>,
    wear: Option<MatrixPage<'a>>,
    sweeps: Vec<SweepPage>,
    machine: Table,
    data: ChartData,
}

impl Report<'_> {
    fn new<'a>(record: &'a Run, run: &'a RunDocument) -> Report<'a> {
        let mut charts = RunData::new(record, &run.questions);
        let (sweeps, drawn) = sweep::pages(record, run, &charts.questions);
        charts.sweeps = drawn;
        let candidates = run.columns.iter().map(|column| column.name.clone()).collect();
        Report {
            record,
            run,
            matrix: MatrixPage::new("#run-0", run).filter(|of| of.table.has_figures()),
            wear: MatrixPage::of_wear("#run-0", run),
            sweeps,
            machine: machine::table(record, &run.questions),
            data: ChartData { candidates, runs: [charts] },
        }
    }

    fn is_swept(&self, question: &Question) -> bool {
        self.sweeps.iter().any(|sweep| sweep.questions.contains(&question.at))
    }

    fn has_findings(&self) -> bool {
        match &self.matrix {
            Some(_) => PageLimits::from_document(self.run).has_any(),
            None => !self.run.findings.is_empty(),
        }
    }

    /// The rules behind everything that was found of the run and of its workloads, each once, in
    /// the order of their ids.
    fn rules(&self) -> Vec<&'static Rule> {
        let all = self.run.questions.iter().flat_map(|q| &q.findings).chain(&self.run.findings);
        let mut found: Vec<&Rule> = all.filter_map(|f| Rule::find(&f.id)).collect();
        found.sort_by(|a, b| a.id.cmp(&b.id));
        found.dedup_by(|a, b| a.id == b.id);
        found
    }
}

fn slices(run: &Run, question: &Question) -> Vec<(&'static str, Table)> {
    let Some(workload) = question.index else { return Vec::new() };
    let all = [
        (
            "Difference of longer slices from the others, and of the second half of slices from \
             the first, with 95 % confidence intervals. A drive that has settled shows none.",
            settling::proof(run, workload),
        ),
        (
            "Rate along the slices, relative to the figure of the slice.",
            settling::along(run, workload),
        ),
    ];
    all.into_iter().filter(|(_, table)| !table.is_empty()).collect()
}

fn color(style: &usize) -> usize {
    style % COLORS.len()
}

fn symbol(style: &usize) -> usize {
    style % SYMBOLS.len()
}

fn verdict_class(question: &Question) -> &'static str {
    match question.verdict {
        _ if question.is_alone => "alone",
        Verdict::Alone => "alone",
        Verdict::Fastest => "good",
        Verdict::AsFast => "equal",
        Verdict::Refused => "refused",
        _ => "open",
    }
}

fn severity_class(finding: &FindingView) -> &'static str {
    match finding.severity {
        Severity::Refuse => "refuse",
        Severity::Error => "error",
        Severity::Warn => "warn",
        Severity::Info => "info",
    }
}

/// Text in which no percent sign is parted from its number.
fn tied(text: impl AsRef<str>) -> String {
    text.as_ref().replace(" %", "\u{a0}%")
}

fn minus(text: impl AsRef<str>) -> String {
    text.as_ref().replace('-', "\u{2212}")
}

fn script_json(data: &ChartData) -> String {
    // The only ways to fail are a key that is no string and a writer that fails; there are none.
    let json = serde_json::to_string(data).unwrap_or_else(|_| "{}".to_string());
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests;
