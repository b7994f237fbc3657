//! What `fit` says: is this place fast enough for applications?

mod changes;
mod metrics;
#[cfg(test)]
mod tests;
mod words;

use serde_json::json as value;

pub use metrics::metrics;
pub use words::{needs, source};

use super::answer::normal;
use super::document::{ColouredWord, Document, Table, number, words as column};
use super::layout::Tone;
use bakeoff_judge::fit_changes::FitChange;
use bakeoff_judge::ratings::{self, AppRating, RatedDemand, worst};
use bakeoff_machine::usual::medium;
use bakeoff_model::application::Application;
use bakeoff_model::fit::{FitRating, FitVerdict};
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_stats::units;

/// Applications up to which each has its details.
const DETAILED: usize = 2;

/// The applications that there are, one line each.
pub fn list(all: &[Application]) -> Document {
    let mut out = Document::default();
    out.paragraph("Applications that a directory can be judged for:");
    out.gap();
    out.rows(all.iter().map(|of| (of.name.as_str(), of.about.as_str())));
    out.gap();
    out.paragraph("Judge a directory: bakeoff fit APP DIR. All of them: bakeoff fit all DIR");
    out
}

pub fn list_json(all: &[Application]) -> String {
    value!({ "schema": "bakeoff/applications/1", "applications": all }).to_string()
}

pub fn document(run: &Run, rated: &[AppRating], changes: &[FitChange]) -> Document {
    let mut out = Document::default();
    match rated.len() {
        ..=DETAILED => rated.iter().for_each(|of| detailed(&mut out, run, of)),
        _ => overview(&mut out, run, rated),
    }
    for said in changes::sentences(changes) {
        out.gap();
        out.paragraph(said);
    }
    if let Some(command) = more(run, rated) {
        out.gap();
        out.paragraph("More time may tell:");
        out.command(command);
    }
    out
}

fn place(run: &Run) -> String {
    run.header.candidates.first().map_or(String::new(), |of| sanitize(&of.name))
}

/// "an SD card", where it is known.
fn storage(run: &Run) -> Option<&'static str> {
    let place = run.header.candidates.first()?.place()?;
    medium::of_place(place).ok().map(|(of, _)| normal::medium(of))
}

fn tone(verdict: FitVerdict) -> Tone {
    match verdict {
        FitVerdict::Yes => Tone::Good,
        FitVerdict::TooClose { .. } => Tone::Caution,
        FitVerdict::No => Tone::Bad,
    }
}

fn word(verdict: FitVerdict) -> ColouredWord {
    ColouredWord { word: format!("{}:", words::verdict(verdict)), tone: tone(verdict) }
}

fn companion(run: &Run) -> Option<&str> {
    run.header.workloads.iter().find_map(|w| w.beside.as_ref()).map(|of| of.name.as_str())
}

fn detailed(out: &mut Document, run: &Run, of: &AppRating) {
    out.gap();
    out.headline(words::sentence(of, storage(run)));
    out.gap();
    let deciding = words::deciding(of).map(|(_, rating)| rating);
    for demand in &of.demands {
        let mut line = |rating: &FitRating, beside: &str| {
            // The headline has said it.
            if !deciding.is_some_and(|said| std::ptr::eq(said, rating)) {
                let needs = words::need(&demand.demand);
                let here = words::here(rating);
                out.marked(word(rating.verdict), format!("{needs}{beside}: {here}"));
            }
        };
        line(&demand.alone, "");
        if let (Some(rating), Some(name)) = (&demand.beside, companion(run)) {
            line(rating, &format!(" beside {name}"));
        }
        let depth = usize::from(!deciding.is_some_and(|said| std::ptr::eq(said, &demand.alone)));
        if let Some(rare) = demand.median_ns.and_then(|_| words::rare(&demand.alone)) {
            out.line(depth, rare);
        }
        out.line(depth, format!("Source: {}.", words::source(&demand.demand)));
    }
}

fn overview(out: &mut Document, run: &Run, ratings: &[AppRating]) {
    let count =
        |wanted: &str| ratings.iter().filter(|of| words::verdict(of.verdict) == wanted).count();
    let others = [("no", "not for"), ("too close", "too close to call for")]
        .map(|(word, said)| (said, count(word)))
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(said, count)| format!(", {said} {count}"))
        .collect::<String>();
    let (place, yes, all) = (place(run), count("yes"), ratings.len());
    out.headline(format!("{place} is fast enough for {yes} of {all} applications{others}."));
    out.gap();
    let row = |of: &AppRating| {
        let (needs, here) = words::deciding(of).map_or_else(Default::default, |(d, rating)| {
            (words::need_in_short(&d.demand), words::estimate(rating))
        });
        vec![of.name.clone(), words::verdict(of.verdict).to_string(), here, needs]
    };
    let columns = [column("application"), column("enough"), number("here"), column("needs")];
    out.table(Table::new(columns, ratings.iter().map(row)));
}

/// What the figures of a `quick` run decide for applications: a line, and what to type for the
/// rest; nothing where they decide none.
pub fn of_quick(run: &Run) -> Option<String> {
    let decided = ratings::of_quick(run);
    let names = |wanted: bool| {
        let of = decided.iter().filter(|(_, is_enough)| *is_enough == wanted);
        let names: Vec<&str> = of.map(|(name, _)| name.as_str()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let enough = names(true).map(|names| format!("Fast enough for {names}."));
    let not = names(false).map(|names| format!("Not for {names}."));
    let said: Vec<String> = [enough, not].into_iter().flatten().collect();
    let dir = bakeoff_model::path::RawPath::new(place(run));
    (!said.is_empty())
        .then(|| format!("{} All applications: bakeoff fit all {dir}", said.join(" ")))
}

/// The verdict in a list of runs: `no: etcd`.
pub fn short(run: &Run) -> String {
    let rated = ratings::ratings(run);
    let verdict = worst(rated.iter().map(|of| of.verdict));
    let is_it = |of: &&AppRating| words::verdict(of.verdict) == words::verdict(verdict);
    let names: Vec<&str> = rated.iter().filter(is_it).map(|of| of.name.as_str()).collect();
    format!("{}: {}", words::verdict(verdict), sanitize(&names.join(", ")))
}

/// How much longer would tell, where something is open and more time helps.
fn more(run: &Run, ratings: &[AppRating]) -> Option<String> {
    // What was open may have extended it.
    let time_ns = run.header.protocol.time_ns?.max(run.elapsed_ns);
    let open = |of: &&AppRating| matches!(of.verdict, FitVerdict::TooClose { .. });
    let own = |d: &RatedDemand| {
        let FitVerdict::TooClose { more_ns, .. } = d.alone.verdict else { return None };
        // Of the time of the run a workload has its share.
        let share = time_ns as f64 / d.alone.measured_ns.max(1) as f64;
        Some(more_ns? as f64 * share.max(1.0))
    };
    let all = ratings.iter().filter(open).flat_map(|of| &of.demands).filter_map(own);
    let total_ns = time_ns + all.reduce(f64::max)? as u64;
    let names: Vec<&str> = ratings.iter().filter(open).map(|of| of.name.as_str()).collect();
    let time = units::duration(total_ns.next_multiple_of(1_000_000_000)).replace(' ', "");
    let dir = bakeoff_model::path::RawPath::new(place(run));
    Some(format!("bakeoff fit {} {dir} --time {time}", names.join(" ")))
}

/// The ratings for programs: `bakeoff/fit/1`.
pub fn json(run: &Run, ratings: &[AppRating], changes: &[FitChange]) -> String {
    let all: Vec<serde_json::Value> = ratings
        .iter()
        .map(|of| {
            let mut one = value!(of);
            one["sentence"] = value!(words::sentence(of, storage(run)));
            one
        })
        .collect();
    value!({
        "schema": "bakeoff/fit/1",
        "run": run.header.run,
        "directory": place(run),
        "time_ns": run.header.protocol.time_ns,
        "beside": companion(run),
        "verdict": worst(ratings.iter().map(|of| of.verdict)),
        "stopped": run.stopped.as_ref().map(|stopped| stopped.0),
        "applications": all,
        "changes": changes::json(changes),
    })
    .to_string()
}
