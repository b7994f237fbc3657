//! A server keeps every promise to who reads, if the runs came there by push. The store it is
//! pushed from is one of this machine, which keeps the others.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use bakeoff_judge::history::facts::Facts;
use bakeoff_judge::history::filter::Filter;
use bakeoff_model::event::Event;
use bakeoff_model::run::Run;
use bakeoff_report::bundle::Head;
use bakeoff_report::runs::State;
use tempfile::TempDir;

use super::cluster::Cluster;
use super::suite::READING;
use crate::store::server::send::Outgoing;
use crate::store::server::{Address, Server, schema};
use crate::store::sqlite::Sqlite;
use crate::store::{
    Digest, Latest, Machines, Records, RunId, Store, StoreError, StoredImport, Summary,
};

/// A store that is written to here, and read from a server.
struct Pushed {
    cluster: Arc<Cluster>,
    database: String,
    server: Server,
    local: Sqlite,
    _dir: TempDir,
    /// What the suite wants runs to be listed and found by.
    made: BTreeMap<RunId, (Digest, Facts)>,
}

impl Pushed {
    fn new(cluster: &Arc<Cluster>, database: &str) -> Pushed {
        cluster.create_database(database);
        let (ok, said) = cluster.psql(database, &schema::script());
        assert!(ok, "{said}");
        let address = PathBuf::from(cluster.address("admin", database));
        let server = Server::connect(Address::read(&address).expect("an address"));
        let dir = tempfile::tempdir().expect("a temporary directory");
        Pushed {
            cluster: Arc::clone(cluster),
            database: database.to_string(),
            server: server.expect("it answers"),
            local: Sqlite::open(&dir.path().join("s.db")).expect("a new store"),
            _dir: dir,
            made: BTreeMap::new(),
        }
    }

    /// Sends what the server lacks of a run.
    fn push(&self, run: &RunId) {
        let all = self.local.list().expect("readable");
        let summary = all.iter().find(|summary| summary.run == *run).expect("stored");
        let lines = self.local.lines(run).expect("stored");
        let folded = Run::fold(&self.local.load(run).expect("readable")).expect("it folds");
        let mut outgoing = Outgoing::new(run, &folded, summary.label.as_deref());
        if let Some((digest, facts)) = self.made.get(run).cloned() {
            outgoing = Outgoing { digest, facts, ..outgoing };
        }
        let known = self.server.known(std::slice::from_ref(run)).expect("it answers");
        self.server.send(&outgoing, &lines, known[0].as_ref()).expect("sent");
    }
}

impl Records for Pushed {
    fn lines(&self, run: &RunId) -> Result<Vec<String>, StoreError> {
        self.server.lines(run)
    }

    fn firsts(&self, runs: &[RunId]) -> Result<Vec<Result<Event, StoreError>>, StoreError> {
        self.server.firsts(runs)
    }

    fn search(&self, filter: &Filter) -> Result<Vec<Summary>, StoreError> {
        self.server.search(filter)
    }

    fn latest(&self, filter: &Filter, most: u64, all: bool) -> Result<Latest, StoreError> {
        self.server.latest(filter, most, all)
    }

    fn find(&self, name: &str) -> Result<RunId, StoreError> {
        self.server.find(name)
    }

    fn machines(&self) -> Result<Machines, StoreError> {
        self.server.machines()
    }

    fn short_digits(&self, runs: &[RunId]) -> Result<usize, StoreError> {
        self.server.short_digits(runs)
    }

    fn state(&self, run: &RunId, is_stopped: bool) -> Result<State, StoreError> {
        self.server.state(run, is_stopped)
    }

    fn is_imported(&self, run: &RunId) -> Result<bool, StoreError> {
        self.server.is_imported(run)
    }

    /// What a server lists and finds a run by comes with the run: it is sent anew.
    fn set_digests(&mut self, made: &[(RunId, Digest, Facts)]) -> Result<(), StoreError> {
        for (run, digest, facts) in made {
            self.made.insert(run.clone(), (digest.clone(), facts.clone()));
            let sql = format!("DELETE FROM bakeoff.runs WHERE id = '{run}'");
            let (ok, said) = self.cluster.psql(&self.database, &sql);
            assert!(ok, "{said}");
            self.push(run);
        }
        Ok(())
    }
}

impl Store for Pushed {
    fn create(&mut self, first: &Event) -> Result<RunId, StoreError> {
        let run = self.local.create(first)?;
        self.push(&run);
        Ok(run)
    }

    fn append(&mut self, run: &RunId, events: &[Event]) -> Result<(), StoreError> {
        self.local.append(run, events)?;
        self.push(run);
        Ok(())
    }

    fn unfinished(&self) -> Result<Vec<RunId>, StoreError> {
        self.local.unfinished()
    }

    fn remove(&mut self, run: &RunId) -> Result<(), StoreError> {
        self.local.remove(run)
    }

    fn set_label(&mut self, run: &RunId, label: Option<&str>) -> Result<(), StoreError> {
        self.local.set_label(run, label)?;
        self.push(run);
        Ok(())
    }

    fn import(
        &mut self,
        head: &Head,
        next: &mut dyn FnMut() -> Result<Option<String>, StoreError>,
    ) -> Result<StoredImport, StoreError> {
        let done = self.local.import(head, next)?;
        self.push(&RunId::parse(&head.run).expect("imported"));
        Ok(done)
    }
}

#[test]
fn a_server_keeps_every_promise_about_reading() {
    let Some(cluster) = Cluster::usual() else { return };
    for (at, (name, keeps)) in READING.into_iter().enumerate() {
        println!("{name}");
        keeps(&mut Pushed::new(&cluster, &format!("suite_{at}")));
    }
}
