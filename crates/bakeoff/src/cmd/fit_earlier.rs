//! The `fit` runs of a directory that the store has, for what changed since.

use bakeoff_judge::fit_changes::{self, EarlierFit, FitChange, is_same_place};
use bakeoff_judge::ratings;
use bakeoff_model::event::What;
use bakeoff_model::run::Run;
use bakeoff_model::verb::Verb;

use super::stored;
use crate::cli::Global;
use crate::fault::Fault;
use crate::store::{Records, Sqlite, StoreError, folded};

/// Most runs that are read, the latest: more than a year of weekly checks.
const MOST: usize = 60;

/// What changed in a run since the earlier ones.
///
/// # Errors
/// When the store cannot be read.
pub fn changes(global: &Global, now: &Run) -> Result<Vec<FitChange>, Fault> {
    let Some(store) = stored::open_file(global)? else { return Ok(Vec::new()) };
    Ok(fit_changes::changes(&of_place(&store, now)?))
}

/// Those of this machine that began before `now`, and `now` itself, in the order of time. One that
/// cannot be read does not count.
fn of_place(store: &Sqlite, now: &Run) -> Result<Vec<EarlierFit>, StoreError> {
    let mut found = vec![fit(now)];
    for summary in store.list()? {
        let is_other = summary.created_unix_ns < now.started_unix_ns;
        if summary.verb != Verb::Fit || summary.is_imported || !is_other {
            continue;
        }
        let Ok(first) = store.first(&summary.run) else { continue };
        let What::Started(header) = &first.what else { continue };
        if !is_same_place(header, &now.header) {
            continue;
        }
        if let Ok(run) = folded::read(store, &summary.run) {
            found.push(fit(&run));
        }
        if found.len() > MOST {
            break;
        }
    }
    found.sort_by_key(|fit| fit.unix_ns);
    Ok(found)
}

fn fit(run: &Run) -> EarlierFit {
    EarlierFit { unix_ns: run.last_unix_ns, ratings: ratings::ratings(run) }
}
