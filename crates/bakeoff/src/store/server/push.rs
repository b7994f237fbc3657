//! Which runs a server gets, and which of them it has.
//!
//! The store of this machine is only read, but for the receipts: they spare reading a run again
//! that the server still has. The server is asked each time, so one that was restored from an old
//! copy gets what it lacks.

use bakeoff_judge::analyse::analyse;

use super::send::{Known, NotSent, Outgoing, Sent};
use super::{Content, RUN_BYTES, Server, ServerError};
use crate::fault::Fault;
use crate::store::listed::digest_of;
use crate::store::{Records, RunId, Sqlite, StoreError, Summary, folded};

#[derive(Default)]
pub struct Pushed {
    /// What the server has now, with the number of its events.
    pub sent: Vec<(RunId, Sent, u64)>,
    pub left_out: Vec<(RunId, LeftOut)>,
    pub failed: Vec<(RunId, Fault)>,
    /// What the server has without a receipt: the next push reads it once more, and nothing else.
    pub without_receipt: Vec<(RunId, StoreError)>,
}

/// Why a run is not sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum LeftOut {
    InProgress,
    NotFinished,
    NotMeasured,
}

impl LeftOut {
    pub const ALL: [LeftOut; 3] = [LeftOut::InProgress, LeftOut::NotFinished, LeftOut::NotMeasured];

    pub fn label(self) -> &'static str {
        match self {
            LeftOut::InProgress => "in progress",
            LeftOut::NotFinished => "not finished",
            LeftOut::NotMeasured => "without measurements",
        }
    }
}

impl Pushed {
    /// Sends what the server lacks of these runs. Of those that were not named, one without
    /// measurements is left out. What is wrong with one run takes nothing from the others.
    ///
    /// # Errors
    /// What is wrong with the server ends it; what was sent before is told here.
    pub fn add(
        &mut self,
        local: &mut Sqlite,
        server: &Server,
        runs: &[Summary],
        are_named: bool,
    ) -> Result<(), ServerError> {
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
                Err(NotSent::Run(fault)) => self.failed.push((run, fault)),
                Err(NotSent::Server(error)) => return Err(error),
            }
        }
        Ok(())
    }
}

enum Done {
    /// The server has it; what to keep of its answer, if that is new.
    Sent(Sent, Option<Content>),
    LeftOut(LeftOut),
}

impl From<StoreError> for NotSent {
    fn from(error: StoreError) -> NotSent {
        NotSent::Run(error.into())
    }
}

impl From<Fault> for NotSent {
    fn from(fault: Fault) -> NotSent {
        NotSent::Run(fault)
    }
}

fn push(
    local: &Sqlite,
    server: &Server,
    summary: &Summary,
    known: Option<&Known>,
    is_named: bool,
) -> Result<Done, NotSent> {
    let (id, label) = (&summary.run, summary.label.as_deref());
    if local.is_held(id)? {
        return Ok(Done::LeftOut(LeftOut::InProgress));
    }
    if let (Some(receipt), Some(known)) = (local.receipt(id, server.id())?, known)
        && receipt.events == summary.events
        && receipt == known.content
    {
        return Ok(Done::Sent(server.relabel(id, label, known)?, None));
    }
    let lines = local.lines(id)?;
    if lines.iter().map(|line| line.len() as u64 + 1).sum::<u64>() > RUN_BYTES {
        let most = RUN_BYTES >> 20;
        return Err(NotSent::Run(Fault::environment(format!(
            "run {id} is larger than {most} MiB, the most that a server keeps of a run. Send it as \
             a file: bakeoff show {id} --no-redact -o run.bundle"
        ))));
    }
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
    Ok(Done::Sent(sent, Some(Content::from_lines(&lines))))
}
