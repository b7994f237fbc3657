//! A board whose firmware reports under-voltage and throttling: left out before a run, and without
//! a say after a run. What bakeoff reads there is the file of a Raspberry Pi's kernel (`host.sh`).

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::site::{LABEL, Site};

/// Under-voltage and throttled, now and since boot.
pub const BITS: u32 = 0x50005;
/// Those of the moment.
const NOW: u32 = BITS & 0xf;
/// Those since boot.
const SINCE_BOOT: u32 = BITS & 0xf_0000;

/// It failed before anything was started, and its check names the reason, which goes when the
/// board cools down.
pub fn left_out(site: &mut Site) -> Result<()> {
    site.host("hot")?.shell("test ! -e /var/lib/bakeoff/jobs")?;
    let hot = status(site)?;
    site.host("hot")?.set_throttled(SINCE_BOOT)?;
    let cool = status(site)?;
    site.host("hot")?.set_throttled(BITS)?;
    ensure!((hot.as_str(), cool.as_str()) == ("stop", "warn"), "hot: {hot}, cool: {cool}");
    Ok(())
}

/// What `check` says of throttling on it.
fn status(site: &mut Site) -> Result<String> {
    let host = site.host("hot")?;
    let check = format!("bakeoff check {} --format json || test $? -eq 1", host.image());
    let found: Value = serde_json::from_str(&host.shell(&check)?)?;
    let checks = found["checks"].as_array().context("no checks")?;
    let check = checks.iter().find(|check| check["id"] == "throttling");
    let status = check.and_then(|check| check["status"].as_str());
    Ok(status.with_context(|| format!("no word of throttling in {found}"))?.to_owned())
}

/// Its run is in the store, and the answer is that of the other boards.
pub fn excluded(site: &mut Site) -> Result<()> {
    let report = site.json(&["fleet", "report", "--label", LABEL])?;
    let answers = report["answers"].as_array().context("no answers")?;
    ensure!(!answers.is_empty(), "{report:#}");
    for answer in answers {
        let excluded = answer["excluded"].as_array().context("no list of excluded boards")?;
        let hot = excluded.iter().find(|of| of["board"] == "hot");
        let discarded = hot.map(|hot| &hot["discarded"]).context("hot is not excluded")?;
        let reason = discarded["reason"].as_str().unwrap_or_default();
        let bits = format!("{NOW:#x}");
        ensure!(discarded["cells"].as_u64() > Some(0) && reason.contains(&bits), "{answer:#}");
        for effect in answer["effects"].as_array().context("no effects")? {
            let boards = effect["boards"].as_array().context("no boards")?;
            ensure!(boards.iter().all(|board| board["board"] != "hot"), "{effect:#}");
        }
    }
    Ok(())
}
