//! Which runs a server gets, and which of them it has.
//!
//! The store of this machine is only read, but for the receipts: they spare reading a run again
//! that the server still has. The server is asked each time, so one that was restored from an old
//! copy gets what it lacks.

use std::path::Path;
use std::time::Duration;

use bakeoff_model::run::Run;

use super::send::{Known, Outgoing, Sent};
use super::{Address, PackedEvents, Server};
use crate::fault::Fault;
use crate::store::{ErrorClass, Records, RunId, Sqlite, StoreError, Summary, folded};

/// Time to send between two blocks: a slow board encrypts and signs in within it, and a server that
/// is away costs no more, once.
const BETWEEN_BLOCKS: Duration = Duration::from_secs(5);

/// Sends what is recorded of a run while it is made, over a connection of its own: nothing is sent
/// while something is measured, and a server has no idle connections of boards.
///
/// # Errors
/// The server does not have it.
pub fn so_far(to: &Path, local: &Sqlite, id: &RunId, run: &Run) -> Result<(), StoreError> {
    let server = Server::connect_within(Address::read(to)?, BETWEEN_BLOCKS)?;
    let known = server.known(std::slice::from_ref(id))?.pop().flatten();
    let label = local.label(id)?;
    let outgoing = Outgoing::new(id, run, label.as_deref());
    server.send(&outgoing, &local.lines(id)?, known.as_ref()).map(drop)
}

pub const LEFT_OUT: [&str; 3] = [IN_PROGRESS, NOT_FINISHED, NOT_MEASURED];
const IN_PROGRESS: &str = "in progress";
const NOT_FINISHED: &str = "not finished";
const NOT_MEASURED: &str = "without measurements";

/// What became of runs that were to be sent.
#[derive(Default)]
pub struct Pushed {
    pub sent: Vec<(RunId, Sent, u64)>,
    pub left_out: Vec<(RunId, &'static str)>,
    pub failed: Vec<(RunId, Fault)>,
    pub without_receipt: Vec<(RunId, StoreError)>,
}

impl Pushed {
    /// Sends what the server lacks of these runs.
    ///
    /// # Errors
    /// Of the server. What was sent by then is there.
    pub fn add(
        &mut self,
        local: &mut Sqlite,
        server: &Server,
        runs: &[Summary],
        are_named: bool,
    ) -> Result<(), StoreError> {
        let ids: Vec<RunId> = runs.iter().map(|summary| summary.run.clone()).collect();
        let known = server.known(&ids)?;
        for ((run, summary), known) in ids.into_iter().zip(runs).zip(known) {
            match push(local, server, summary, known.as_ref(), are_named) {
                Ok(Done::Sent(sent, receipt)) => {
                    let kept =
                        receipt.map(|content| local.set_receipt(&run, server.id(), &content));
                    if let Some(Err(error)) = kept {
                        self.without_receipt.push((run.clone(), error));
                    }
                    self.sent.push((run, sent, summary.events));
                }
                Ok(Done::LeftOut(why)) => self.left_out.push((run, why)),
                Err(error)
                    if matches!(error.class, ErrorClass::Server | ErrorClass::ServerSaid) =>
                {
                    return Err(error);
                }
                Err(error) => self.failed.push((run, error.into())),
            }
        }
        Ok(())
    }
}

enum Done {
    Sent(Sent, Option<PackedEvents>),
    LeftOut(&'static str),
}

fn push(
    local: &Sqlite,
    server: &Server,
    summary: &Summary,
    known: Option<&Known>,
    is_named: bool,
) -> Result<Done, StoreError> {
    let (id, label) = (&summary.run, summary.label.as_deref());
    if local.is_held(id)? {
        return Ok(Done::LeftOut(IN_PROGRESS));
    }
    if let (Some(receipt), Some(known)) = (local.receipt(id, server.id())?, known)
        && receipt.events == summary.events
        && receipt == known.content
    {
        return Ok(Done::Sent(server.relabel(id, label, known)?, None));
    }
    let lines = local.lines(id)?;
    let run = folded::fold(id, &lines)?;
    if run.stopped.is_none() {
        return Ok(Done::LeftOut(NOT_FINISHED));
    }
    let outgoing = Outgoing::new(id, &run, label);
    if outgoing.digest.cells == 0 && label.is_none() && !is_named && known.is_none() {
        return Ok(Done::LeftOut(NOT_MEASURED));
    }
    let sent = server.send(&outgoing, &lines, known)?;
    Ok(Done::Sent(sent, Some(PackedEvents::from_lines(&lines))))
}
