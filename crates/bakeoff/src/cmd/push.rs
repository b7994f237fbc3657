//! `bakeoff fleet push`: finished runs to a server that many boards share.

use std::path::Path;
use std::time::Duration;

use bakeoff_judge::history::filter::Filter;
use bakeoff_machine::prepare::steps::shell_word;
use bakeoff_model::path::RawPath;
use bakeoff_stats::phrases;
use serde_json::{Value, json};

use super::stored;
use crate::cli::history::Push;
use crate::cli::{Format, Global};
use crate::fault::{Fault, Outcome};
use crate::store::server::push::{LEFT_OUT, Pushed};
use crate::store::server::send::Sent;
use crate::store::server::{Address, Server};
use crate::store::{Records, RunId, Sqlite, StoreError, Summary, place};
use crate::ui::{out, say};

const AT_END: Duration = Duration::from_secs(60);

pub fn run(global: &Global, args: &Push) -> Result<Outcome, Fault> {
    let format = stored::format(global, "fleet push")?;
    let option = global.store.as_deref().filter(|option| place::is_address(option));
    let option = option.ok_or_else(|| {
        Fault::usage(
            "no server given. Specify it with --store postgresql://USER@HOST/DATABASE. If the \
             store of this machine is not the default one, add --from PATH",
        )
    })?;
    let address = Address::read(option)?;
    let again = again(&address, args.from.as_deref());
    let path = place::path(args.from.as_deref())?;
    let mut local = Sqlite::open_existing(&path)?.ok_or_else(|| {
        Fault::usage("there are no runs here yet. Create one with `bakeoff quick`")
    })?;
    let names = if args.all { &[][..] } else { &args.runs };
    let chosen = chosen(&local, names)?;
    let later = |error: StoreError| Fault::from(error).and(&again);
    let server = Server::connect(address).map_err(later)?;
    let mut pushed = Pushed::default();
    let ended = pushed.add(&mut local, &server, &chosen, !args.all);
    say_without_receipt(&pushed);
    let text = if format == Format::Json { json(&pushed, server.id()) } else { text(&pushed) };
    out::print(Some(format), &text)?;
    ended.map_err(later)?;
    outcome(pushed.failed)
}

fn again(address: &Address, from: Option<&Path>) -> String {
    let from = from.map(|path| shell_word(&RawPath::new(path)));
    let from = from.map_or(String::new(), |path| format!(" --from {path}"));
    format!(
        "The store of this machine keeps all runs. Continue later with: bakeoff fleet push --all \
         --store {}{from}",
        address.typed()
    )
}

/// Sends what a server lacks of a run that has just ended (`--push`), and says what became of it.
/// The run is over and stored: nothing here changes its exit code.
pub fn ended(global: &Global, to: &Path, run: &RunId) {
    let pushed = match end(global, to, run) {
        Ok(pushed) => pushed,
        Err(fault) => return say::line(format_args!("bakeoff: {fault}")),
    };
    say_without_receipt(&pushed);
    for (_, fault) in &pushed.failed {
        say::line(format_args!("bakeoff: {fault}"));
    }
    for (_, why) in &pushed.left_out {
        say::note(global.quiet, format_args!("Run {run} was not sent to the server: {why}"));
    }
    if !pushed.sent.is_empty() {
        say::note(global.quiet, format_args!("Run {run} is on the server, complete."));
    }
}

fn end(global: &Global, to: &Path, run: &RunId) -> Result<Pushed, Fault> {
    let address = Address::read(to)?;
    let again = again(&address, global.store.as_deref());
    let later = |error: StoreError| Fault::from(error).and(&again);
    let path = place::path(global.store.as_deref())?;
    let mut local = Sqlite::open_existing(&path)?.ok_or(Fault::bug("the store is gone"))?;
    let filter = Filter { search: Some(run.to_string()), ..Filter::default() };
    let mut runs = local.search(&filter)?;
    runs.retain(|summary| summary.run == *run);
    let server = Server::connect_within(address, AT_END).map_err(later)?;
    let mut pushed = Pushed::default();
    pushed.add(&mut local, &server, &runs, false).map_err(later)?;
    Ok(pushed)
}

fn say_without_receipt(pushed: &Pushed) {
    for (run, error) in &pushed.without_receipt {
        say::line(format_args!(
            "bakeoff: run {run} is on the server, but this machine cannot record that: {error}"
        ));
    }
}

fn chosen(local: &Sqlite, names: &[String]) -> Result<Vec<Summary>, Fault> {
    let mut all = local.search(&Filter::default())?;
    all.reverse();
    if names.is_empty() {
        all.retain(|summary| !summary.is_imported);
        return Ok(all);
    }
    let mut wanted: Vec<RunId> = Vec::new();
    for name in names {
        wanted.push(local.find(name)?);
    }
    all.retain(|summary| wanted.contains(&summary.run));
    Ok(all)
}

fn text(pushed: &Pushed) -> String {
    let mut text = String::new();
    for (run, sent, _) in &pushed.sent {
        let done = match sent {
            Sent::New(bytes) => format!("sent run {run} ({} kB)", bytes.div_ceil(1000)),
            Sent::Added(bytes) => {
                format!("sent the rest of run {run} ({} kB)", bytes.div_ceil(1000))
            }
            Sent::Labelled => format!("changed the label of run {run}"),
            Sent::Already => continue,
        };
        text += &format!("{done}\n");
    }
    let already = pushed.sent.iter().filter(|(_, sent, _)| *sent == Sent::Already).count();
    let new = pushed.sent.len() - already;
    let runs = |count: usize| phrases::count(u32::try_from(count).unwrap_or(u32::MAX), "run");
    text += &format!("{} sent, {} already on the server", runs(new), runs(already));
    for why in LEFT_OUT {
        let count = pushed.left_out.iter().filter(|(_, reason)| *reason == why).count();
        if count > 0 {
            text += &format!(", {} {why}", runs(count));
        }
    }
    text + "\n"
}

fn json(pushed: &Pushed, server: &str) -> String {
    let sent = pushed.sent.iter().map(|(run, sent, events)| {
        let (state, bytes) = match sent {
            Sent::New(bytes) => ("sent", *bytes),
            Sent::Added(bytes) => ("added", *bytes),
            Sent::Labelled => ("labelled", 0),
            Sent::Already => ("already", 0),
        };
        json!({"run": run.as_str(), "state": state, "events": events, "sent_bytes": bytes,
               "reason": null})
    });
    let left_out = pushed.left_out.iter().map(|(run, why)| {
        json!({"run": run.as_str(), "state": "left_out", "events": null, "sent_bytes": 0,
               "reason": why})
    });
    let failed = pushed.failed.iter().map(|(run, fault)| {
        json!({"run": run.as_str(), "state": "failed", "events": null, "sent_bytes": 0,
               "reason": fault.to_string()})
    });
    let all: Vec<Value> = sent.chain(left_out).chain(failed).collect();
    let document = json!({"schema": "bakeoff/push/1", "server": server, "runs": all});
    format!("{document}\n")
}

fn outcome(failed: Vec<(RunId, Fault)>) -> Result<Outcome, Fault> {
    let mut failed = failed.into_iter().map(|(_, fault)| fault);
    match failed.next() {
        None => Ok(Outcome::Done),
        Some(first) => Err(failed.fold(first, |all, fault| match fault.code() > all.code() {
            true => fault.and(all),
            false => all.and(fault),
        })),
    }
}
