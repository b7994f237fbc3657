//! Documents of one run, made by a process of their own: reading every event and analysing them
//! takes memory, which the server would keep.
//!
//! The process is this program again ([`crate::exec::internal`]), at the lowest priority.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use bakeoff_judge::analyse::analyse;
use bakeoff_model::path::unsteered;
use bakeoff_report::now::Now;
use bakeoff_report::pages;

use crate::fault::{self, Fault, Outcome};
use crate::store::{Records, RunId, Sqlite, StoreError, folded};

/// First word: `bakeoff/now/1` on one line, then the same as HTML.
pub const NOW: &str = "now";
pub const PAGE: &str = "page";

pub fn run(args: &[OsString]) -> ExitCode {
    fault::exit(write(args))
}

fn write(args: &[OsString]) -> Result<Outcome, Fault> {
    let [what, store, id] = args else { return Err(Fault::usage("no view was specified")) };
    let none = || StoreError::not_found(&id.to_string_lossy(), &[]);
    let id = id.to_str().and_then(RunId::parse).ok_or_else(none)?;
    let store = Sqlite::open_existing(Path::new(store))?.ok_or_else(none)?;
    let run = folded::read(&store, &id)?;
    let state = store.state(&id, run.stopped.is_some())?;
    let analysis = analyse(&run);
    let mut out = std::io::stdout().lock();
    match what.to_str() {
        Some(NOW) => {
            let now = Now::new(&run, &analysis, state);
            let json = serde_json::to_string(&now).map_err(Fault::bug)?;
            writeln!(out, "{}", unsteered(&json))?;
            out.write_all(pages::run_now(&run, &analysis, state).as_bytes())?;
        }
        Some(PAGE) => {
            let api = format!("/api/1/runs/{id}");
            out.write_all(pages::served(&run, &analysis, &api).as_bytes())?;
        }
        _ => return Err(Fault::usage("no such view")),
    }
    out.flush()?;
    Ok(Outcome::Done)
}
