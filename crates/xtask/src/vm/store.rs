//! Whether the store of a guest is whole and counts no cell twice.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::guest::Guest;

/// A script that prints how many events there are, of all runs. Asked of the database itself, which
/// takes an emulated processor a quarter of a second: whoever waits for it pauses in between.
fn count(condition: &str) -> String {
    format!(
        "sqlite3 -readonly -cmd '.timeout 9000' $HOME/.local/share/bakeoff/bakeoff.db \
         \"select count(*) from events where {condition}\" 2>/dev/null || echo 0"
    )
}

/// A script that succeeds when so many more events of a kind are recorded than at this moment.
fn are_more(guest: &mut Guest, condition: &str, more: u64) -> Result<String> {
    let count = count(condition);
    let wanted = guest.ok(&count)?.trim().parse::<u64>()? + more;
    Ok(format!("[ \"$({count})\" -ge {wanted} ]"))
}

/// A script that succeeds when another block is complete than there were at this moment.
pub fn block_is_done(guest: &mut Guest) -> Result<String> {
    Ok(format!("sleep 3; {}", are_more(guest, "kind = 'block_done'", 1)?))
}

/// A script that succeeds when so many more events are recorded than at this moment.
pub fn events_are_recorded(guest: &mut Guest, more: u64) -> Result<String> {
    Ok(format!("sleep 1; {}", are_more(guest, "true", more)?))
}

/// What the events of the last run say, in order.
pub fn events(guest: &mut Guest) -> Result<Vec<Value>> {
    let text = guest.ok("bakeoff export last --format jsonl --no-redact")?;
    let what = |line: &str| Ok(serde_json::from_str::<Value>(line)?["what"].take());
    text.lines().map(what).collect()
}

/// Checks every run in the guest's store.
pub fn check(guest: &mut Guest) -> Result<()> {
    let page = guest.json("bakeoff runs --all --format json")?;
    let runs = page["runs"].as_array().with_context(|| format!("no runs in {page}"))?;
    ensure!(!runs.is_empty(), "the store is empty: {page}");
    let sqlite = "command -v sqlite3 >/dev/null || exit 0
        sqlite3 $HOME/.local/share/bakeoff/bakeoff.db 'pragma integrity_check'";
    let said = guest.ok(sqlite)?;
    ensure!(said.is_empty() || said.trim() == "ok", "the store is damaged: {said}");
    for run in runs {
        let id = run["run"].as_str().or(run["id"].as_str()).context("a run without an id")?;
        check_run(&guest.ok(&format!("bakeoff export {id} --format jsonl --no-redact"))?)?;
    }
    Ok(())
}

/// No cell of a block that counts was measured twice, and a block that is done has all its cells.
fn check_run(events: &str) -> Result<()> {
    let mut cells: BTreeMap<(u64, u64, u64), u32> = BTreeMap::new();
    let (mut done, mut superseded, mut visits) = (Vec::new(), Vec::new(), BTreeMap::new());
    for line in events.lines() {
        let event: Value = serde_json::from_str(line)?;
        let what = &event["what"];
        let number = |kind: &str, name: &str| what[kind][name].as_u64();
        if let (Some(block), Some(candidate), Some(workload)) = (
            number("cell_done", "block"),
            number("cell_done", "candidate"),
            number("cell_done", "workload"),
        ) {
            *cells.entry((block, candidate, workload)).or_default() += 1;
        }
        done.extend(number("block_done", "block"));
        superseded.extend(number("block_superseded", "block"));
        if let Some(block) = number("visit_started", "block") {
            *visits.entry(block).or_insert(0_u32) += 1;
        }
    }
    for ((block, candidate, workload), count) in &cells {
        if *count > 1 && !superseded.contains(block) {
            bail!("block {block}: candidate {candidate} has {count} cells of workload {workload}");
        }
    }
    for block in &done {
        ensure!(!superseded.contains(block), "block {block} is done and superseded");
        ensure!(visits.contains_key(block), "block {block} is done without a visit");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: &str = r#"{"what":{"cell_done":{"block":0,"candidate":1,"workload":2}}}"#;

    #[test]
    fn a_cell_counts_once() {
        assert!(check_run(CELL).is_ok());
        assert!(check_run(&format!("{CELL}\n{CELL}")).is_err());
        let superseded = r#"{"what":{"block_superseded":{"block":0,"reason":"killed"}}}"#;
        assert!(check_run(&format!("{CELL}\n{superseded}\n{CELL}")).is_ok());
    }
}
