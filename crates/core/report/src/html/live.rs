//! The pages of `bakeoff serve`: a run as it is now, the history, and the report with links in
//! place of its script and style.
//!
//! Server-rendered, readable without a script, and without any inline script or style: the
//! server's content security policy allows neither. Nothing here reads a store.

use askama::Template;

use super::super::devices::Drive;
use super::super::now::{self, Now};
use super::super::run_document::RunDocument;
use super::super::runs::State;
use super::matrix::MatrixPage;
use super::{Report, color, matrix, symbol, tied};
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;
use bakeoff_stats::units;

const PAGES: [(&str, &str); 2] = [("/", "Now"), ("/runs", "Runs")];

/// A run as it is now: the part of a page that is replaced while the run goes on.
pub fn run_now(run: &Run, analysis: &Analysis, state: State) -> String {
    let now = Now::new(run, analysis, state);
    let document = RunDocument::new(run, analysis);
    // The tables that the matrix leads to are on the page of the report.
    let link = format!("/runs/{}#run-0", now.run);
    let matrix = MatrixPage::new(&link, &document);
    rendered(&RunNow {
        state_class: match now.state {
            State::Running | State::Unfinished => "open",
            State::Stopped => "alone",
            State::Dead | State::Unreadable => "refused",
        },
        state: now::state_words(&now),
        left_s: now.left_ns.map_or(String::new(), |ns| (ns / 1_000_000_000).to_string()),
        progress: format!("{:.3}", now.progress()),
        facts: facts(&now),
        now,
        matrix,
    })
}

/// Term, text and the id of an element that the page's script updates.
type LiveFact = (&'static str, String, Option<&'static str>);

fn facts(now: &Now) -> Vec<LiveFact> {
    let mut facts: Vec<LiveFact> = Vec::new();
    if let Some(left_ns) = now.left_ns {
        facts.push(("time left", format!("about {}", units::duration(left_ns)), Some("left")));
    }
    facts.push(("measured for", units::duration(now.elapsed_ns), None));
    let open = now
        .workloads_done
        .map_or(String::new(), |(done, of)| format!("; {done} of {of} workloads of the next one"));
    facts.push(("complete blocks", format!("{}{open}", now.blocks), None));
    let most = now.max_write_bytes.map_or(String::new(), |b| format!(" of {}", units::size(b)));
    facts.push(("written", format!("{}{most}", units::size(now.written_bytes)), None));
    facts.push(("machine", now.host.clone(), None));
    for drive in &now.drives {
        let model = drive.model.as_deref().unwrap_or("no model name");
        let size = units::size_decimal(drive.size_bytes);
        let health = drive.health.as_ref().map_or(String::new(), |h| format!("; {}", h.label()));
        facts.push(("drive", format!("{}: {model}, {size}{health}", drive.name), None));
    }
    facts
}

pub fn rendered(page: &impl Template) -> String {
    super::rendered(page, "")
}

#[derive(Template)]
#[template(path = "live/run_now.html")]
struct RunNow<'a> {
    now: Now,
    state: String,
    state_class: &'static str,
    left_s: String,
    progress: String,
    facts: Vec<LiveFact>,
    matrix: Option<MatrixPage<'a>>,
}

/// The report of runs as a page of the server: its script and style are linked.
pub fn served(run: &Run, analysis: &Analysis, api: &str) -> String {
    let document = RunDocument::new(run, analysis);
    rendered(&Served { report: Report::new(run, &document), api })
}

#[derive(Template)]
#[template(path = "live/report.html")]
struct Served<'a> {
    report: Report<'a>,
    api: &'a str,
}

#[derive(Debug, Template)]
#[template(path = "live/now.html")]
pub struct NowPage<'a> {
    pub run: String,
    pub machine: String,
    pub drives: &'a [Drive],
}

pub fn no_run() -> String {
    "<article class=\"now\"><h1>No runs yet</h1><p>Start one with \
     <code>bakeoff quick</code> in a terminal.</p></article>"
        .to_string()
}

/// A title, sentences, and text in its own lines.
#[derive(Clone, Debug, Default, Template)]
#[template(path = "live/text.html")]
pub struct TextPage {
    pub title: String,
    pub said: Vec<String>,
    pub back: Option<(String, String)>,
}

mod history;

pub use history::{HistoryPage, HistoryRow, Query};
