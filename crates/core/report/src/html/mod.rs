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
mod document;
mod first;
pub mod live;
mod machine;
mod matrix;
mod percentile;
pub mod picture;
mod policy;
mod sweep;

pub use card::card;
pub use picture::Picture;

use askama::Template;

use bakeoff_judge::evidence::Rule;
use bakeoff_model::finding::Severity;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Analysis, Verdict};
use bakeoff_stats::distinct;

use super::document::Table;
use super::settling;
use super::view::{FindingView, Question, View, alone};
use bakeoff_stats::phrases::capital;
use behind::Behind;
use cells::CellRow;
use chart::{Data, QuestionData, RunData};
use first::First;
use sweep::SweepPage;

/// The page's own script and stylesheet, as `make web` bundles them.
#[derive(Clone, Copy, Debug)]
pub struct Assets<'a> {
    /// Script; must hold neither `</script` nor `<!--`.
    pub js: &'a str,
    /// Stylesheet; must not hold `</style`.
    pub css: &'a str,
}

/// One file with every given run, in the order given.
pub fn html(runs: &[(Run, Analysis)], assets: &Assets) -> String {
    let policy = policy::policy(assets.js);
    rendered(&ReportPage { report: parts(runs), policy, assets: *assets }, assets.js)
}

/// A page of which only `script` may have control characters.
fn rendered(page: &impl Template, script: &str) -> String {
    // Rendering into a String fails only when a Display of ours does, and none of them can.
    let text = page.render();
    let text = text.unwrap_or_else(|e| format!("<!doctype html><title>bakeoff</title>{e}"));
    without_controls(&text, script)
}

/// What is on a page of runs, whatever it is served from.
struct Parts {
    title: String,
    runs: Vec<RunPage>,
    rules: Vec<&'static Rule>,
    data: String,
}

fn parts(runs: &[(Run, Analysis)]) -> Parts {
    let views: Vec<View> = runs.iter().map(|(run, analysis)| View::new(run, analysis)).collect();
    let columns = views.iter().flat_map(|v| &v.columns);
    let styles = distinct::in_order(columns.map(|column| column.name.clone()));
    let mut data = Data { runs: Vec::new(), candidates: styles.clone() };
    let mut sweeps: Vec<Vec<SweepPage>> = Vec::new();
    for (i, ((run, _), view)) in runs.iter().zip(&views).enumerate() {
        let mut of_run = RunData::new(run, &view.questions, &styles);
        let (pages, drawn) = sweep::pages(i, run, &view.questions, &of_run.questions, &styles);
        of_run.sweeps = drawn;
        data.runs.push(of_run);
        sweeps.push(pages);
    }
    let title = match views.as_slice() {
        [one] => one.title.clone(),
        many => format!("bakeoff: {} runs", many.len()),
    };
    let rules = rules_of(views.iter().flat_map(all_findings));
    let json = script_json(&data);
    let zipped = runs.iter().zip(views).zip(data.runs).zip(sweeps).enumerate();
    let pages = zipped.map(|(i, ((((run, _), view), data), sweeps))| {
        RunPage::new(i, run, view, (data, sweeps), &styles)
    });
    Parts { title, runs: pages.collect(), rules, data: json }
}

/// Everything that was found of a run and of its workloads.
fn all_findings(view: &View) -> impl Iterator<Item = &FindingView> {
    view.findings.iter().chain(view.questions.iter().flat_map(|q| &q.findings))
}

/// The rules behind these findings, each once, in the order of their ids.
fn rules_of<'a>(findings: impl Iterator<Item = &'a FindingView>) -> Vec<&'static Rule> {
    let mut found: Vec<&'static Rule> = findings.filter_map(|f| Rule::find(&f.id)).collect();
    found.sort_by_key(|rule| &rule.id);
    found.dedup_by_key(|rule| &rule.id);
    found
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

const RECIPE_MAX: usize = 8;

/// Colours the stylesheet knows; with [`SYMBOLS`] that makes 40 pairs before one repeats.
const COLORS: usize = 8;

#[derive(Template)]
#[template(path = "page.html")]
struct ReportPage<'a> {
    report: Parts,
    policy: String,
    assets: Assets<'a>,
}

/// One run on a page: a template of its own, so that its code is there once for all pages.
#[derive(Template)]
#[template(path = "run.html")]
struct RunBody<'a> {
    run: &'a RunPage,
}

#[derive(Template)]
#[template(path = "question.html")]
struct QuestionBody<'a> {
    run: &'a RunPage,
    q: &'a QuestionPage,
}

struct RunPage {
    /// `run-0`, for anchors.
    id: String,
    index: usize,
    view: View,
    /// The first screen of a run by the lead that compares something.
    first: Option<First>,
    alone: Option<Table>,
    questions: Vec<QuestionPage>,
    sweeps: Vec<SweepPage>,
    contents: Vec<(String, String)>,
    styles: Vec<usize>,
    /// Candidates of the page; the position is the colour and symbol.
    candidates: Vec<String>,
    machine: Table,
    /// What lower layers reached, and what was not measured of them.
    ceilings: Table,
    /// What could not be watched: (what, why).
    unwatched: Vec<(String, String)>,
}

/// One workload as the template walks it.
struct QuestionPage {
    /// `run-0-workload-1`.
    id: String,
    run: usize,
    index: usize,
    question: Question,
    cells: Vec<CellRow>,
    behind: Option<Behind>,
    row_styles: Vec<usize>,
    /// What its charts draw.
    data: QuestionData,
    points_title: &'static str,
    points_caption: String,
    /// What says whether slices are long enough: each with its caption.
    slices: Vec<(&'static str, Table)>,
    /// Findings that are not among the run's own.
    findings: Vec<FindingView>,
    /// Whether it is a point of a curve, and folded.
    is_swept: bool,
}

impl QuestionPage {
    fn body<'a>(&'a self, run: &'a RunPage) -> QuestionBody<'a> {
        QuestionBody { run, q: self }
    }
}

impl RunPage {
    fn body(&self) -> RunBody<'_> {
        RunBody { run: self }
    }

    /// Whether a link to the findings of the run leads anywhere.
    fn has_findings(&self) -> bool {
        match &self.first {
            Some(first) => first.has_findings(),
            None => !self.view.findings.is_empty(),
        }
    }

    fn new(
        index: usize,
        run: &Run,
        view: View,
        (data, sweeps): (RunData, Vec<SweepPage>),
        styles: &[String],
    ) -> RunPage {
        let questions = view.questions.iter().zip(data.questions).enumerate();
        let questions: Vec<QuestionPage> = questions
            .map(|(i, (q, data))| QuestionPage {
                id: format!("run-{index}-workload-{i}"),
                run: index,
                index: i,
                cells: cells::rows(run, q, styles),
                behind: behind::from_question(run, q),
                row_styles: q.rows.iter().map(|r| chart::style_of(styles, &r.candidate)).collect(),
                points_caption: captions::points(q, data.is_ratio, &view),
                points_title: match data.is_ratio {
                    true => "Results and confidence",
                    false if q.rows.len() == 1 => "Block by block",
                    false => "Figure of each candidate",
                },
                slices: slices(run, q),
                findings: view.own_findings(q).cloned().collect(),
                is_swept: sweeps.iter().any(|sweep| sweep.questions.contains(&i)),
                question: q.clone(),
                data,
            })
            .collect();
        let machine = machine::table(run, &chart::indices(&view.questions));
        RunPage {
            id: format!("run-{index}"),
            index,
            contents: captions::contents(index, &questions, &sweeps, !machine.is_empty()),
            sweeps,
            first: First::new(index, &view, styles),
            alone: alone::table(&view.questions),
            machine,
            ceilings: ceilings::table(run),
            unwatched: ceilings::unwatched(run),
            styles: view.columns.iter().map(|c| chart::style_of(styles, &c.name)).collect(),
            candidates: styles.to_vec(),
            questions,
            view,
        }
    }
}

fn slices(run: &Run, question: &Question) -> Vec<(&'static str, Table)> {
    let Some(workload) = question.index else { return Vec::new() };
    let unit = (question.unit, question.unit_scale);
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
        (
            "Slices tried before the first block to find how long the drive settles.",
            settling::tried(run, workload, unit),
        ),
    ];
    all.into_iter().filter(|(_, table)| !table.is_empty()).collect()
}

/// Colour and symbol classes of a candidate.
fn color(style: &usize) -> usize {
    style % COLORS
}

fn symbol(style: &usize) -> usize {
    style % SYMBOLS.len()
}

/// Class of a verdict's badge.
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

/// A minus sign where a number is negative.
fn minus(text: impl AsRef<str>) -> String {
    text.as_ref().replace('-', "\u{2212}")
}

/// JSON that can neither end the script block it stands in nor start another one.
fn script_json(data: &Data) -> String {
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
