//! `bakeoff fleet`: the boards in the store, and one answer over them.

use bakeoff_judge::analyse::analyse;
use bakeoff_judge::history::filter::Filter;
use bakeoff_model::path::printable;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;
use bakeoff_report as report;
use bakeoff_report::fleet::over::Over;
use bakeoff_report::fleet::{self, MOST_BOARDS};
use bakeoff_report::fleet_list;

use super::{answer, stored};
use crate::cli::history::{FleetAction, FleetArgs, FleetReport};
use crate::cli::{Format, Global};
use crate::fault::{self, Fault, Outcome};
use crate::store::{Machines, Records, RunId, Summary, folded};
use crate::ui::{out, say};

pub fn run(global: &Global, args: &FleetArgs) -> Result<Outcome, Fault> {
    match &args.action {
        FleetAction::List => list(global),
        FleetAction::Report(args) => report(global, args),
        #[cfg(feature = "postgres")]
        FleetAction::Push(args) => super::push::run(global, args),
        #[cfg(feature = "postgres")]
        FleetAction::Schema => {
            out::print(None, &crate::store::server::schema::script())?;
            Ok(Outcome::Done)
        }
    }
}

fn list(global: &Global) -> Result<Outcome, Fault> {
    let format = stored::format(global, "fleet list")?;
    let machines = match stored::open(global)? {
        Some(store) => store.machines()?,
        None => Machines::default(),
    };
    for why in &machines.unread {
        say::note(global.quiet, format_args!("bakeoff: {why}"));
    }
    let entries = fleet_list::entries(&machines.seen);
    let json = || fleet_list::json(&entries);
    answer::print_either(format, json, || fleet_list::document(&entries))?;
    Ok(Outcome::Done)
}

fn report(global: &Global, args: &FleetReport) -> Result<Outcome, Fault> {
    let format = stored::format(global, "fleet report")?;
    let runs = match &args.label {
        Some(label) => labelled(global, label)?,
        None => named(global, &args.runs)?,
    };
    let (runs, roles): (Vec<_>, Vec<_>) = runs.into_iter().unzip();
    let found = fleet::fleet(&runs, &roles, args.over);
    if found.boards.len() < 2 {
        return Err(too_few(found.over));
    }
    let text = if format == Format::Json {
        report::fleet_json(&found)
    } else {
        answer::laid_out(&report::fleet_document(&found), format)
    };
    let printed = match &args.output {
        Some(path) => stored::write_text(Some(path), &text),
        None => out::print(global.format, &text).map_err(Fault::from),
    };
    let outcome = if found.is_answered() { Outcome::Done } else { Outcome::Open };
    fault::after_printing(printed, Ok(outcome))
}

fn too_few(over: Over) -> Fault {
    Fault::usage(match over {
        Over::Board => {
            "these runs are from a single board, and a fleet report needs at least two boards. \
             Compare the runs with `bakeoff compare`, or import runs of other boards: bakeoff \
             import FILE"
        }
        Over::Device => {
            "these runs record fewer than two drives with serial numbers. Import runs of other \
             drives: bakeoff import FILE"
        }
        Over::Kernel => {
            "these runs record fewer than two kernels. Import runs of other kernels: bakeoff \
             import FILE"
        }
        Over::Year => {
            "these runs record fewer than two years. Import runs of other years: bakeoff import \
             FILE"
        }
    })
}

type SentRun = ((Run, Analysis), Option<String>);

fn named(global: &Global, names: &[String]) -> Result<Vec<SentRun>, Fault> {
    let Some(first) = names.first() else { return Ok(Vec::new()) };
    let (store, _) = stored::find(global, first)?;
    let mut ids: Vec<RunId> = Vec::new();
    for name in names {
        let id = store.find(name)?;
        if ids.contains(&id) {
            say::note(
                global.quiet,
                format_args!("bakeoff: run {id} is named twice; it counts once"),
            );
            continue;
        }
        ids.push(id);
        at_most(ids.len())?;
    }
    ids.iter().map(|id| analysed(&*store, id)).collect()
}

fn at_most(runs: usize) -> Result<(), Fault> {
    match runs > MOST_BOARDS {
        true => Err(Fault::usage(format!("too many runs: at most {MOST_BOARDS}"))),
        false => Ok(()),
    }
}

fn labelled(global: &Global, label: &str) -> Result<Vec<SentRun>, Fault> {
    let filter = Filter { label: Some(label.to_string()), ..Filter::default() };
    let none = || {
        Fault::usage(format!(
            "no stored run has '{}' in its label. Set one with `bakeoff runs label RUN TEXT`",
            printable(label.as_bytes())
        ))
    };
    let store = stored::open(global)?.ok_or_else(none)?;
    let found = store.search(&filter)?;
    if found.is_empty() {
        return Err(none());
    }
    at_most(found.len())?;
    let mut runs = Vec::new();
    for Summary { run: id, .. } in found {
        match analysed(&*store, &id) {
            Ok(run) => runs.push(run),
            Err(fault) => say::note(global.quiet, format_args!("bakeoff: {fault}")),
        }
    }
    Ok(runs)
}

fn analysed(store: &dyn Records, id: &RunId) -> Result<SentRun, Fault> {
    let role = store.role(id)?;
    let run = folded::read(store, id)?;
    let analysis = analyse(&run);
    Ok(((fleet::lighter(run), analysis), role))
}
