//! The runs of a store by machine and label. Of most runs a store keeps what tells machines apart;
//! of the others their first events are read.

use bakeoff_judge::history::facts::Facts;
use bakeoff_model::event::Event;
use bakeoff_model::machine::Machine;
use bakeoff_model::run::Run;
use bakeoff_report::fleet::run_group::{Last, RunGroup, gather};

use super::{Records, RunId, StoreError};

#[derive(Debug, Default)]
pub struct Machines {
    /// Those that can be read, the latest to come into the store first.
    pub seen: Vec<RunGroup>,
    pub unread: Vec<String>,
}

/// A run of which only the first event knows the machine.
pub(super) struct Unknown {
    pub run: RunId,
    pub label: Option<String>,
    pub arrived: i64,
    pub role: Option<String>,
}

impl Machines {
    pub(super) fn of(
        store: &dyn Records,
        known: Vec<RunGroup>,
        unknown: Vec<Unknown>,
    ) -> Result<Machines, StoreError> {
        let ids: Vec<RunId> = unknown.iter().map(|unknown| unknown.run.clone()).collect();
        let (mut seen, mut unread) = (known, Vec::new());
        for (of, first) in unknown.into_iter().zip(store.firsts(&ids)?) {
            match first.map_err(|error| error.to_string()).and_then(|first| begun(of, &first)) {
                Ok(one) => seen.push(one),
                Err(why) => unread.push(why),
            }
        }
        Ok(Machines { seen: gather(seen), unread })
    }
}

fn begun(of: Unknown, first: &Event) -> Result<RunGroup, String> {
    let run = Run::begin(first).map_err(|error| format!("run {}: {error}", of.run))?;
    let Facts { machine, kernel, .. } = Facts::from_header(&run.header);
    let last =
        Last { run: of.run.to_string(), unix_ns: run.started_unix_ns, arrived: of.arrived, kernel };
    let machine = machine.unwrap_or_else(|| Machine::from_host(&run.header.host));
    Ok(RunGroup::one(Machine { role: of.role, ..machine }, of.label, last))
}
