//! `bakeoff show`: a stored run and its answer, computed from its events as if it had just ended;
//! or a published study that came with the program.

use bakeoff_core::analyse::{analyse, is_answered};
use bakeoff_core::import::Finder;
use bakeoff_core::import::study::facts::Facts;
use bakeoff_core::report::{self, runs::State};

use super::answer::{self, Extent};
use super::stored;
use crate::cli::{Format, Global, Show};
use crate::fault::{self, Fault, Outcome};
use crate::store::folded;
use crate::ui::out;

/// Runs the command. Its exit code is the one the run deserves.
pub fn run(global: &Global, args: &Show) -> Result<Outcome, Fault> {
    stored::format(global, "show")?;
    if let Some(name) = args.run.strip_prefix("study:") {
        return study(global, name);
    }
    let (store, id) = stored::find(global, &args.run)?;
    let run = folded::read(&*store, &id)?;
    let state = store.state(&id, run.stopped.is_some())?;
    stored::say_state(state, &*store, &id)?;
    let analysis = analyse(&run);
    let extent = if args.details { Extent::Details } else { Extent::Screen(None) };
    let printed = answer::print(global, &run, &analysis, &extent);
    if let Some(service) = answer::service(global, &run, &analysis) {
        return fault::after_printing(printed, Ok(Outcome::Service(service)));
    }
    let is_answered = state == State::Stopped && is_answered(&run, &analysis);
    fault::after_printing(printed, Ok(if is_answered { Outcome::Done } else { Outcome::Open }))
}

fn study(global: &Global, name: &str) -> Result<Outcome, Fault> {
    let study = stored::study(name)?;
    let source = format!("study:{}", study.name);
    let facts = Facts::parse(study.facts).map_err(Fault::bug)?;
    let found = || Finder::all(study.table().as_bytes()).judged(&facts);
    let text = match global.format {
        None | Some(Format::Text) => {
            let mut shown = report::import_document(&source, &found());
            report::write_facts(&facts, &mut shown);
            answer::laid_out(&shown, Format::Text)
        }
        Some(Format::Json) => report::import_json(&source, &found()) + "\n",
        Some(Format::Csv) => study.table(),
        Some(format) => return Err(stored::no_format(format, "show study:", "text, json or csv")),
    };
    out::print(global.format, &text)?;
    Ok(Outcome::Done)
}
