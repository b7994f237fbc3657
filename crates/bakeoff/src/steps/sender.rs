//! `--push`: sends a run to a server while it is made, between its blocks.
//!
//! The store of this machine is the truth: every event is there before it is sent. A connection is
//! opened for each time and closed before the next block, so that nothing is sent while something
//! is measured and a server has no idle connections of boards. What a server lacks in the end,
//! `bakeoff fleet push` sends.

use std::path::PathBuf;
use std::time::Duration;

use bakeoff_judge::analyse::analyse;
use bakeoff_model::run::Run;

use super::journal::Journal;
use crate::fault::Fault;
use crate::store::listed::digest_of;
use crate::store::server::send::{Known, Outgoing, differs};
use crate::store::server::{Address, Checksum, Content, Server};
use crate::store::{RunId, Sqlite};

/// Time between two blocks: a slow board encrypts and signs in within it, and a server that is away
/// costs no more, once.
const LIMIT: Duration = Duration::from_secs(5);

/// Sends the events of a run as they come.
pub struct Sender {
    to: PathBuf,
    sent: Checksum,
}

impl Sender {
    /// To this server, whose address was read before.
    pub fn new(to: PathBuf) -> Sender {
        Sender { to, sent: Checksum::default() }
    }

    /// Sends what is recorded and not yet there.
    ///
    /// # Errors
    /// The server does not have it, for a reason in words.
    pub fn send(&mut self, journal: &Journal<'_>) -> Result<(), Fault> {
        let server = Server::connect_within(Address::read(&self.to)?, LIMIT)?;
        let id = journal.id().clone();
        let known = server.known(std::slice::from_ref(&id))?.pop().flatten();
        let rest = self.rest(journal.store(), &id, known.as_ref())?;
        if rest.is_empty() {
            return Ok(());
        }
        let mut sum = self.sent.clone();
        sum.add(&rest);
        send(&server, journal, &id, (&rest, &sum.content(), known.as_ref()))?;
        self.sent = sum;
        Ok(())
    }

    /// The lines that the server lacks. What it has may not be what was sent last: a run that is
    /// resumed was sent by an earlier process, and an answer may have been lost.
    fn rest(
        &mut self,
        store: &Sqlite,
        run: &RunId,
        known: Option<&Known>,
    ) -> Result<Vec<String>, Fault> {
        let sent = self.sent.content();
        if known.map_or(sent.events == 0, |known| known.content == sent) {
            return Ok(store.lines_from(run, sent.events)?);
        }
        let mut lines = store.lines_from(run, 0)?;
        let had = known.map_or(0, |known| known.content.events);
        let rest = lines.split_off(usize::try_from(had).unwrap_or(usize::MAX).min(lines.len()));
        let mut sum = Checksum::default();
        sum.add(&lines);
        if known.is_some_and(|known| known.content != sum.content()) {
            return Err(differs(run));
        }
        self.sent = sum;
        Ok(rest)
    }
}

fn send(
    server: &Server,
    journal: &Journal<'_>,
    id: &RunId,
    (rest, whole, known): (&[String], &Content, Option<&Known>),
) -> Result<(), Fault> {
    let run: &Run = journal.run();
    let (digest, facts) = digest_of(run, &analyse(run));
    let label = journal.store().label(id)?;
    let outgoing = Outgoing {
        run: id,
        created_unix_ns: run.started_unix_ns,
        verb: run.header.verb.word(),
        title: &run.header.title,
        label: label.as_deref(),
        digest: &digest,
        facts: &facts,
    };
    match known {
        None => server.begin(&outgoing, rest, whole).map(drop).map_err(Fault::from),
        Some(known) => server.go_on(&outgoing, rest, whole, known).map(drop).map_err(Fault::from),
    }
}
