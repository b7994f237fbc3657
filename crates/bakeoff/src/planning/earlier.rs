//! What stored runs tell a run that begins. One that cannot be read is no reason not to measure,
//! and is said where it is asked for.

use bakeoff_judge::analyse::earlier;
use bakeoff_judge::decide::pooled;
use bakeoff_model::event::Header;
use bakeoff_model::normal::EarlierFigures;
use bakeoff_model::pooled::PooledControls;
use bakeoff_model::run::Run;
use bakeoff_model::verb::Verb;

use crate::store::{Records, Sqlite, Summary, folded};

/// Most runs that are looked through: each is read as a whole.
const RUNS: usize = 20;

/// What the A/A controls of the latest runs say about the drives of this one.
pub fn controls(store: &Sqlite, header: &Header) -> Option<PooledControls> {
    if pooled::has_twin(header) {
        return None;
    }
    let is_ours = |summary: &Summary| summary.verb == Verb::Run && !summary.is_imported;
    let runs = latest(store, RUNS, is_ours).filter(|run| pooled::has_twin(&run.header));
    pooled::pooled(header, &runs.collect::<Vec<_>>())
}

/// What the latest runs of one directory measured on the drive of this one, and on others of its
/// kind. Those of other machines count as well: their kind says where they are from.
pub fn figures(store: &Sqlite, header: &Header) -> Option<EarlierFigures> {
    if header.candidates.len() != 1 {
        return None;
    }
    let quick = latest(store, 4 * RUNS, |summary| summary.verb == Verb::Quick);
    let of_one = quick.filter(|run| run.header.candidates.len() == 1);
    earlier::figures(header, &of_one.take(RUNS).collect::<Vec<_>>())
}

/// Of the latest `most` runs that are wanted those that can be read.
fn latest(
    store: &Sqlite,
    most: usize,
    is_wanted: impl Fn(&Summary) -> bool,
) -> impl Iterator<Item = Run> {
    let listed = store.list().unwrap_or_default().into_iter();
    let wanted = listed.filter(move |summary| is_wanted(summary)).take(most);
    wanted.filter_map(|summary| folded::read(store, &summary.run).ok())
}
