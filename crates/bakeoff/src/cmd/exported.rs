//! A run as it leaves the store: for `show -o`, and for whatever is redacted first.

use bakeoff_model::run::Run;
use bakeoff_report::bundle::{Head, SCHEMA};

use crate::fault::Fault;
use crate::store::{Records, RunId, folded};

/// A run as it leaves the store.
pub struct Exported {
    pub head: Head,
    pub lines: Vec<String>,
}

impl Exported {
    pub fn read(store: &dyn Records, id: &RunId) -> Result<Exported, Fault> {
        let summary = store.list()?.into_iter().find(|summary| summary.run == *id);
        let head = Head {
            schema: SCHEMA.to_string(),
            run: id.to_string(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            label: summary.and_then(|summary| summary.label),
        };
        Ok(Exported { head, lines: store.lines(id)? })
    }

    pub fn run(&self) -> Result<Run, Fault> {
        let id = RunId::parse(&self.head.run).ok_or_else(|| Fault::bug("a run without an id"))?;
        Ok(folded::fold(&id, &self.lines)?)
    }
}
