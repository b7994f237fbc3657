//! `bakeoff runs push ADDRESS`: finished runs to a PostgreSQL server that many boards share.

use bakeoff_judge::analyse::analyse;
use bakeoff_stats::phrases;
use serde_json::json;

use super::stored;
use crate::cli::history::Push;
use crate::cli::{Format, Global};
use crate::fault::{Fault, Outcome};
use crate::store::listed::digest_of;
use crate::store::server::Address;
use crate::store::{Records, RunId, Summary, folded};
use crate::ui::out;

pub fn run(global: &Global, args: &Push) -> Result<Outcome, Fault> {
    let format = stored::format(global, "runs push")?;
    let address = Address::parse(&args.address)?;
    let local = stored::open_file(global)?.ok_or_else(|| {
        Fault::usage("there are no runs here yet. Create one with `bakeoff quick`")
    })?;
    let mut named: Vec<RunId> = Vec::new();
    for name in &args.runs {
        named.push(local.find(name)?);
    }
    let is_wanted = |summary: &Summary| {
        if named.is_empty() { !summary.is_imported } else { named.contains(&summary.run) }
    };
    let (mut pushed, mut already, mut unfinished) = (Vec::new(), Vec::new(), Vec::new());
    let known = address.known()?;
    for summary in local.list()?.into_iter().rev().filter(is_wanted) {
        let id = summary.run.to_string();
        let there = known.get(&id).copied().unwrap_or(0);
        if there == summary.events {
            already.push(id);
            continue;
        }
        let lines = local.lines(&summary.run)?;
        let run = folded::fold(&summary.run, &lines)?;
        if run.stopped.is_none() || local.is_held(&summary.run)? {
            unfinished.push(id);
            continue;
        }
        let digest = Some(digest_of(&run, &analyse(&run)));
        address.push(&Summary { digest, ..summary }, &lines, there)?;
        pushed.push(id);
    }
    let document = json!({
        "schema": "bakeoff/push/1", "pushed": pushed, "already": already, "unfinished": unfinished,
    });
    let count = |runs: &[String], what: &str| match runs.len() as u64 {
        0 => String::new(),
        many => format!(", {} {what}", phrases::count(many, "run")),
    };
    let text = match format {
        Format::Json => format!("{document}\n"),
        _ => format!(
            "{} pushed{}{}\n",
            phrases::count(pushed.len() as u64, "run"),
            count(&already, "already on the server"),
            count(&unfinished, "not finished")
        ),
    };
    out::print(Some(format), &text)?;
    Ok(Outcome::Done)
}
