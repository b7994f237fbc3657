//! The pages of `bakeoff serve`: a run as it is now, the history, the report with links in place of
//! its script and style, comparing, starting.
//!
//! Server-rendered, readable without a script, and without any inline script or style: the
//! server's content security policy allows neither. Nothing here reads a store or decides what may
//! be started.

use askama::Template;

use super::super::glossary::{TERMS, Term};
use super::super::now::{self, Now};
use super::super::runs::State;
use super::super::view::View;
use super::matrix::MatrixPage;
use super::{RunPage, SYMBOLS, color, symbol, tied};
use crate::evidence::Rule;
use crate::model::run::Run;
use crate::model::verdict::Analysis;
use crate::report::answer::{self, Answer};
use crate::units;

/// The page of a navigation that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Here {
    /// What runs.
    Now,
    /// The history.
    Runs,
    /// Runs beside each other.
    Compare,
    /// Starting a run.
    New,
    /// None of them.
    Elsewhere,
}

/// A run as it is now: the part of a page that is replaced while the run goes on.
pub fn run_now(run: &Run, analysis: &Analysis, state: State) -> String {
    let now = Now::new(run, analysis, state);
    let answer = Answer::new(run, analysis);
    let view = View::new(run, analysis);
    let styles: Vec<String> = view.columns.iter().map(|c| c.name.clone()).collect();
    let has_matrix = answer::applies(run);
    let mut matrix = has_matrix.then(|| MatrixPage::new(0, &answer, &view, &styles)).flatten();
    // The tables that they lead to are on another page.
    for cell in matrix.iter_mut().flat_map(|m| &mut m.rows).flat_map(|row| &mut row.cells) {
        cell.has_row = false;
    }
    rendered(RunNow {
        state_class: match now.state {
            State::Running | State::Unfinished => "open",
            State::Stopped => "beats",
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
type Fact = (&'static str, String, Option<&'static str>);

fn facts(now: &Now) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
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

/// Rendering into a String fails only when a Display of ours does, and none of them can.
fn rendered(template: impl Template) -> String {
    let page = template.render();
    let page = page.unwrap_or_else(|e| format!("<!doctype html><title>bakeoff</title>{e}"));
    super::without_controls(&page, "")
}

#[derive(Template)]
#[template(path = "live/run_now.html")]
struct RunNow {
    now: Now,
    state: String,
    state_class: &'static str,
    left_s: String,
    progress: String,
    facts: Vec<Fact>,
    matrix: Option<MatrixPage>,
}

/// The report of runs as a page of the server: its script and style are linked.
pub fn served(runs: &[(Run, Analysis)], api: &str) -> String {
    let parts = super::parts(runs);
    rendered(Served {
        title: parts.title,
        runs: parts.runs,
        rules: parts.rules,
        symbols: SYMBOLS,
        terms: &TERMS,
        data: parts.data,
        api: api.to_string(),
    })
}

#[derive(Template)]
#[template(path = "live/report.html")]
struct Served {
    title: String,
    runs: Vec<RunPage>,
    rules: Vec<&'static Rule>,
    symbols: &'static [&'static str],
    terms: &'static [Term],
    data: String,
    api: String,
}

/// A drive in the list of the first page.
#[derive(Clone, Debug, Default)]
pub struct DriveRow {
    /// `/dev/sda`.
    pub path: String,
    /// Its model.
    pub model: String,
    /// "500 GB".
    pub size: String,
    /// Whether it is safe to erase.
    pub is_safe: bool,
    /// Why not.
    pub why: String,
}

/// The first page.
#[derive(Clone, Debug, Default)]
pub struct NowPage {
    /// [`run_now`], or what is said where there is no run.
    pub run: String,
    /// Id of that run.
    pub id: String,
    /// Whether it is measured.
    pub is_running: bool,
    /// Whether it can be resumed.
    pub can_resume: bool,
    /// Whether resuming it erases a drive, which may need a token.
    pub erases: bool,
    /// Whether the reader may stop and resume.
    pub can_act: bool,
    /// The last frame of `watch` as text.
    pub machine: String,
    /// The drives of the machine.
    pub drives: Vec<DriveRow>,
}

/// What the first page shows where nothing is stored.
pub fn no_run() -> String {
    "<article class=\"now\"><h1>No runs yet</h1><p>Start one under <a href=\"/new\">New</a>, \
     or with <code>bakeoff quick</code> in a terminal.</p></article>"
        .to_string()
}

impl NowPage {
    /// As HTML.
    pub fn html(self) -> String {
        let drives = self.drives.into_iter().map(|d| DriveCells {
            path: d.path,
            model: d.model,
            size: d.size,
            class: if d.is_safe { "beats" } else { "refused" },
            word: if d.is_safe { "yes" } else { "no" },
            why: d.why,
        });
        rendered(NowTemplate {
            here: Here::Now,
            symbols: SYMBOLS,
            run: self.run,
            id: self.id,
            is_running: self.is_running,
            can_resume: self.can_resume,
            erases: self.erases,
            can_act: self.can_act,
            machine: self.machine,
            drives: drives.collect(),
        })
    }
}

struct DriveCells {
    path: String,
    model: String,
    size: String,
    class: &'static str,
    word: &'static str,
    why: String,
}

#[derive(Template)]
#[template(path = "live/now.html")]
struct NowTemplate {
    here: Here,
    symbols: &'static [&'static str],
    run: String,
    id: String,
    is_running: bool,
    can_resume: bool,
    erases: bool,
    can_act: bool,
    machine: String,
    drives: Vec<DriveCells>,
}

/// A title, sentences, and text in its own lines.
#[derive(Clone, Debug, Default)]
pub struct TextPage {
    /// The heading.
    pub title: String,
    /// Sentences below it.
    pub said: Vec<String>,
    /// Text of a command.
    pub pre: String,
    /// Address and words of a link.
    pub back: Option<(String, String)>,
}

impl TextPage {
    /// As HTML.
    pub fn html(self) -> String {
        let TextPage { title, said, pre, back } = self;
        let (here, symbols) = (Here::Elsewhere, SYMBOLS);
        rendered(TextTemplate { here, symbols, title, said, pre, back })
    }
}

#[derive(Template)]
#[template(path = "live/text.html")]
struct TextTemplate {
    here: Here,
    symbols: &'static [&'static str],
    title: String,
    said: Vec<String>,
    pre: String,
    back: Option<(String, String)>,
}

/// The page that asks for the token.
pub fn login(is_wrong: bool) -> String {
    rendered(Login { here: Here::Elsewhere, symbols: SYMBOLS, is_wrong })
}

#[derive(Template)]
#[template(path = "live/login.html")]
struct Login {
    here: Here,
    symbols: &'static [&'static str],
    is_wrong: bool,
}

/// Runs beside each other, as `compare` prints them.
pub fn compare_page(chosen: Vec<String>, pre: String, problem: Option<String>) -> String {
    let chosen = match chosen.len() {
        0 | 1 => chosen.into_iter().chain(["".to_string(), "".to_string()]).take(2).collect(),
        _ => chosen,
    };
    rendered(ComparePage { here: Here::Compare, symbols: SYMBOLS, chosen, pre, problem })
}

#[derive(Template)]
#[template(path = "live/compare.html")]
struct ComparePage {
    here: Here,
    symbols: &'static [&'static str],
    chosen: Vec<String>,
    pre: String,
    problem: Option<String>,
}

mod history;
mod new;
mod trend;

pub use history::{HistoryPage, HistoryRow, Query, encoded};
pub use new::{Choice, NewPage};
pub use trend::trend_page;
