//! `bakeoff push`: finished runs to a server that many boards share.
//!
//! The store of this machine is only read, but for the receipts: they spare reading a run again
//! that the server still has. The server is asked each time, so one that was restored from an old
//! copy gets what it lacks.

use std::path::Path;
use std::time::Duration;

use bakeoff_core::analyse::analyse;
use bakeoff_core::history::filter::Filter;
use bakeoff_core::model::path::RawPath;
use bakeoff_core::phrases;
use bakeoff_core::prepare::steps::shell_word;
use serde_json::{Value, json};

use super::{runs, stored};
use crate::cli::history::Push;
use crate::cli::{Format, Global, formats};
use crate::fault::{Fault, Outcome};
use crate::store::listed::digest_of;
use crate::store::server::send::{Known, Outgoing, SendError, Sent};
use crate::store::server::{Address, Server, ServerError, checksum};
use crate::store::sqlite::pushed::Receipt;
use crate::store::{Records, RunId, Sqlite, Summary, folded, place};
use crate::ui::{out, say};

/// Time for what is left of a run when it ends.
const AT_END: Duration = Duration::from_secs(60);

/// Runs the command.
pub fn run(global: &Global, args: &Push) -> Result<Outcome, Fault> {
    let format = stored::format(global, "push", formats::of("push"))?;
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
    let chosen = chosen(&local, &args.runs)?;
    let later = |error: ServerError| Fault::from(error).and(&again);
    let server = Server::connect(address).map_err(later)?;
    let mut pushed = Pushed::default();
    let ended = push_all(&mut local, &server, &chosen, !args.runs.is_empty(), &mut pushed);
    let text = if format == Format::Json { pushed.json(server.id()) } else { pushed.text() };
    out::print(Some(format), &text)?;
    ended.map_err(later)?;
    pushed.outcome()
}

/// What to type when the server answers again.
fn again(address: &Address, from: Option<&Path>) -> String {
    let from = from.map(|path| shell_word(&RawPath::new(path)));
    let from = from.map_or(String::new(), |path| format!(" --from {path}"));
    format!(
        "The store of this machine keeps all runs. Continue later with: bakeoff push --store \
         {}{from}",
        address.typed()
    )
}

/// Sends what a server lacks of a run that has just ended (`--push`), and says what became of it.
/// The run is over and stored: nothing here changes its exit code.
pub fn ended(global: &Global, to: &Path, run: &RunId) {
    match end(global, to, run) {
        Ok(None) => {
            say::note(global.quiet, format_args!("Run {run} is on the server, complete."));
        }
        Ok(Some(why)) => say::note(
            global.quiet,
            format_args!("Run {run} was not sent to the server: {}", why.label()),
        ),
        Err(fault) => say::line(format_args!("bakeoff: {fault}")),
    }
}

/// Why the run is left out, if it is.
fn end(global: &Global, to: &Path, run: &RunId) -> Result<Option<LeftOut>, Fault> {
    let address = Address::read(to)?;
    let again = again(&address, global.store.as_deref());
    let later = |error: ServerError| Fault::from(error).and(&again);
    let path = place::path(global.store.as_deref())?;
    let mut local = Sqlite::open_existing(&path)?.ok_or(Fault::bug("the store is gone"))?;
    let filter = Filter { search: Some(run.to_string()), ..Filter::default() };
    let summary = local.search(&filter)?.into_iter().find(|summary| summary.run == *run);
    let summary = summary.ok_or(Fault::bug("the run is gone"))?;
    let server = Server::connect_within(address, AT_END).map_err(later)?;
    let known = server.known(std::slice::from_ref(run)).map_err(later)?.pop().flatten();
    match push(&local, &server, &summary, known.as_ref(), false) {
        Ok(Done::Sent(_, receipt)) => {
            keep(&mut local, &server, run, receipt);
            Ok(None)
        }
        Ok(Done::LeftOut(why)) => Ok(Some(why)),
        Err(Stop::Run(fault)) => Err(fault),
        Err(Stop::Server(error)) => Err(later(error)),
    }
}

/// The runs to consider, the first one first.
fn chosen(local: &Sqlite, names: &[String]) -> Result<Vec<Summary>, Fault> {
    let mut all = local.search(&Filter::default())?;
    all.reverse();
    if names.is_empty() {
        all.retain(|summary| !summary.is_imported);
        return Ok(all);
    }
    let mut wanted: Vec<RunId> = Vec::new();
    for name in names {
        if name.starts_with("study:") {
            return Err(Fault::usage("cannot push a study: studies are built into bakeoff"));
        }
        wanted.push(local.find(name)?);
    }
    all.retain(|summary| wanted.contains(&summary.run));
    Ok(all)
}

/// Sends what the server lacks. What is wrong with one run takes nothing from the others; what is
/// wrong with the server ends it.
fn push_all(
    local: &mut Sqlite,
    server: &Server,
    chosen: &[Summary],
    are_named: bool,
    pushed: &mut Pushed,
) -> Result<(), ServerError> {
    let ids: Vec<RunId> = chosen.iter().map(|summary| summary.run.clone()).collect();
    let known = server.known(&ids)?;
    for (summary, known) in chosen.iter().zip(known) {
        match push(local, server, summary, known.as_ref(), are_named) {
            Ok(Done::Sent(sent, receipt)) => {
                keep(local, server, &summary.run, receipt);
                pushed.sent.push((summary.run.clone(), sent, summary.events));
            }
            Ok(Done::LeftOut(why)) => pushed.left_out.push((summary.run.clone(), why)),
            Err(Stop::Run(fault)) => pushed.failed.push((summary.run.clone(), fault)),
            Err(Stop::Server(error)) => return Err(error),
        }
    }
    Ok(())
}

/// What became of a run.
enum Done {
    /// The server has it; what to keep of its answer, if that is new.
    Sent(Sent, Option<Receipt>),
    /// It is not for a server, or not yet.
    LeftOut(LeftOut),
}

/// Why a run is not sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LeftOut {
    /// A process measures it.
    InProgress,
    /// It was interrupted and can go on.
    NotFinished,
    /// It failed before it measured anything.
    NotMeasured,
}

impl LeftOut {
    const ALL: [LeftOut; 3] = [LeftOut::InProgress, LeftOut::NotFinished, LeftOut::NotMeasured];

    fn label(self) -> &'static str {
        match self {
            LeftOut::InProgress => "in progress",
            LeftOut::NotFinished => "not finished",
            LeftOut::NotMeasured => "without measurements",
        }
    }
}

/// Why it did not get there.
enum Stop {
    Run(Fault),
    Server(ServerError),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Run(fault)
    }
}

impl From<ServerError> for Stop {
    fn from(error: ServerError) -> Stop {
        Stop::Server(error)
    }
}

impl From<SendError> for Stop {
    fn from(error: SendError) -> Stop {
        match error {
            SendError::Server(error) => Stop::Server(error),
            differs => Stop::Run(Fault::refused(differs)),
        }
    }
}

fn push(
    local: &Sqlite,
    server: &Server,
    summary: &Summary,
    known: Option<&Known>,
    is_named: bool,
) -> Result<Done, Stop> {
    let (id, label) = (&summary.run, summary.label.as_deref());
    if local.is_held(id).map_err(Fault::from)? {
        return Ok(Done::LeftOut(LeftOut::InProgress));
    }
    let receipt = local.receipt(id, server.id()).map_err(Fault::from)?;
    if let (Some(receipt), Some(known)) = (&receipt, known)
        && receipt.events == summary.events
        && (receipt.events, &receipt.sha256) == (known.events, &known.sha256)
    {
        return Ok(Done::Sent(server.relabel(id, label, known)?, None));
    }
    let lines = local.lines(id).map_err(Fault::from)?;
    let run = folded::fold(id, &lines)?;
    if run.stopped.is_none() {
        return Ok(Done::LeftOut(LeftOut::NotFinished));
    }
    let (digest, facts) = digest_of(&run, &analyse(&run));
    // One that was sent while it was made gets its end.
    if digest.cells == 0 && label.is_none() && !is_named && known.is_none() {
        return Ok(Done::LeftOut(LeftOut::NotMeasured));
    }
    let outgoing = Outgoing {
        run: id,
        created_unix_ns: summary.created_unix_ns,
        verb: summary.verb.word(),
        title: &summary.title,
        label,
        digest: &digest,
        facts: &facts,
    };
    let sent = server.send(&outgoing, &lines, known)?;
    let receipt = Receipt { events: lines.len() as u64, sha256: checksum(&lines) };
    Ok(Done::Sent(sent, Some(receipt)))
}

/// Without a receipt the next push reads the run once more, and nothing else.
fn keep(local: &mut Sqlite, server: &Server, run: &RunId, receipt: Option<Receipt>) {
    let Some(receipt) = receipt else { return };
    let kept = local.set_receipt(run, server.id(), &receipt, runs::now_unix_ns());
    if let Err(error) = kept {
        say::line(format_args!(
            "bakeoff: run {run} is on the server, but this machine cannot record that: {error}"
        ));
    }
}

/// What became of all.
#[derive(Default)]
struct Pushed {
    sent: Vec<(RunId, Sent, u64)>,
    left_out: Vec<(RunId, LeftOut)>,
    failed: Vec<(RunId, Fault)>,
}

impl Pushed {
    fn text(&self) -> String {
        let mut text = String::new();
        for (run, sent, _) in &self.sent {
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
        let already = self.sent.iter().filter(|(_, sent, _)| *sent == Sent::Already).count();
        let new = self.sent.len() - already;
        let runs = |count: usize| phrases::count(u32::try_from(count).unwrap_or(u32::MAX), "run");
        text += &format!("{} sent, {} already on the server", runs(new), runs(already));
        for why in LeftOut::ALL {
            let count = self.left_out.iter().filter(|(_, reason)| *reason == why).count();
            if count > 0 {
                text += &format!(", {} {}", runs(count), why.label());
            }
        }
        text + "\n"
    }

    fn json(&self, server: &str) -> String {
        let sent = self.sent.iter().map(|(run, sent, events)| {
            let (state, bytes) = match sent {
                Sent::New(bytes) => ("sent", *bytes),
                Sent::Added(bytes) => ("added", *bytes),
                Sent::Labelled => ("labelled", 0),
                Sent::Already => ("already", 0),
            };
            json!({"run": run.as_str(), "state": state, "events": events, "sent_bytes": bytes,
                   "reason": null})
        });
        let left_out = self.left_out.iter().map(|(run, why)| {
            json!({"run": run.as_str(), "state": "left_out", "events": null, "sent_bytes": 0,
                   "reason": why.label()})
        });
        let failed = self.failed.iter().map(|(run, fault)| {
            json!({"run": run.as_str(), "state": "failed", "events": null, "sent_bytes": 0,
                   "reason": fault.to_string()})
        });
        let all: Vec<Value> = sent.chain(left_out).chain(failed).collect();
        let document = json!({"schema": "bakeoff/push/1", "server": server, "runs": all});
        format!("{document}\n")
    }

    /// All failures in one message, with the exit code of the worst.
    fn outcome(self) -> Result<Outcome, Fault> {
        let mut failed = self.failed.into_iter().map(|(_, fault)| fault);
        match failed.next() {
            None => Ok(Outcome::Done),
            Some(first) => Err(failed.fold(first, |all, fault| match fault.code() > all.code() {
                true => fault.and(all),
                false => all.and(fault),
            })),
        }
    }
}
