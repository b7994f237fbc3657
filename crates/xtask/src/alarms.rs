//! False alarms: `bakeoff quick` again and again on a machine that does nothing else, and what it
//! says held the disk back. A part of `make bench-truth`; its table goes into docs/diagnosis.md.
//!
//! Clean is a machine on which `bakeoff check` finds no load and no background I/O before each run
//! ([`UNREST`]). An alarm is a cause that a clean machine does not have: every one but the disk,
//! its link, one request at a time, flushing (which the workload asks for) and the caller's own
//! CPU time.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use bakeoff_core::model::cause::{Cause, Grade};
use serde_json::Value;

use crate::page::{
    self,
    Column::{Left, Right},
};
use crate::tool;

/// What `bakeoff check` looks at for three seconds, and finds nothing of on a clean machine.
const UNREST: [&str; 2] = ["CPU load", "background I/O"];
/// How often it is asked before a run.
const LOOKS: usize = 100;
/// In turn, as `quick` has them.
const WORKLOADS: [&str; 4] = ["randwrite", "seqread", "randread", "seqwrite"];
/// What a clean machine can have.
const CLEAN: [Cause; 5] =
    [Cause::Device, Cause::Bus, Cause::QueueDepth, Cause::Flush, Cause::Unattributed];
/// Whose CPU time is not the caller's, in the words of the result.
const OTHERS: [&str; 2] = ["other processes", "quota of the control group"];

/// Runs where cargo builds; gives the table, or why the machine is not clean.
pub fn measure(bakeoff: &Path, runs: usize) -> Result<String> {
    let place = tempfile::tempdir_in(tool::target()).context("no directory to measure in")?;
    let mut said: BTreeMap<(&str, String), usize> = BTreeMap::new();
    let mut alarms = 0;
    for (run, workload) in (0..runs).zip(WORKLOADS.iter().cycle()) {
        wait_until_clean(bakeoff, place.path())?;
        let reason = one(bakeoff, place.path(), workload)?;
        let evidence = reason["evidence"].as_str().unwrap_or_default();
        let name = name(&reason)?;
        eprintln!("clean run {} of {runs}: {workload}: {name}: {evidence}", run + 1);
        alarms += usize::from(is_alarm(&reason));
        *said.entry((workload, name)).or_default() += 1;
    }
    let columns = [Left("workload"), Left("bottleneck"), Right("runs")];
    let row = |((workload, cause), count)| [format!("`{workload}`"), cause, format!("{count}")];
    let table = page::table(columns, said.into_iter().map(row));
    Ok(format!("{alarms} false alarms in {runs} clean runs.\n\n{table}"))
}

/// One run; what it says of the only candidate.
fn one(bakeoff: &Path, place: &Path, workload: &str) -> Result<Value> {
    let store = place.join("store.db");
    let mut quick = Command::new(bakeoff);
    quick.args(["quick", "--workload", workload, "--time", "60s", "--size", "64m", "--quiet"]);
    quick.args(["--format", "json", "--store"]).arg(&store).arg(place);
    let result: Value =
        serde_json::from_str(&tool::answer(&mut quick)?).context("its result is no JSON")?;
    let reason = &result["verdicts"][0]["held_back"][0]["reason"];
    ensure!(reason["cause"].is_string(), "no cause in {result}");
    Ok(reason.clone())
}

/// Whether a reason is one that a clean machine does not have; no cause at all is one, too.
pub fn is_alarm(reason: &Value) -> bool {
    match cause(reason) {
        Ok(Cause::Cpu) => {
            reason["subject"].as_str().is_some_and(|subject| OTHERS.contains(&subject))
        }
        Ok(cause) => !CLEAN.contains(&cause),
        Err(_) => true,
    }
}

/// The cause and its grade in the words of the report.
fn name(reason: &Value) -> Result<String> {
    let cause = cause(reason)?;
    let grade: Grade =
        serde_json::from_value(reason["grade"].clone()).context("an unknown grade")?;
    let subject = reason["subject"].as_str().map_or(String::new(), |of| format!(" ({of})"));
    Ok(match grade {
        Grade::Unattributed => cause.label().to_string(),
        Grade::Consistent | Grade::Proved => {
            format!("{}{subject}, {}", cause.label(), grade.label())
        }
    })
}

fn cause(reason: &Value) -> Result<Cause> {
    serde_json::from_value(reason["cause"].clone()).context("an unknown cause")
}

/// Waits until `bakeoff check` finds neither load nor background I/O.
fn wait_until_clean(bakeoff: &Path, place: &Path) -> Result<()> {
    let mut found = String::new();
    for _ in 0..LOOKS {
        let mut check = Command::new(bakeoff);
        let printed = tool::answer(check.args(["check", "--format", "json"]).arg(place))?;
        let all: Value = serde_json::from_str(&printed).context("check printed no JSON")?;
        let checks = all["checks"].as_array().context("check printed no checks")?;
        let asked = UNREST.map(|id| checks.iter().find(|check| check["id"] == id));
        ensure!(asked.iter().all(Option::is_some), "check does not look for one of {UNREST:?}");
        match asked.into_iter().flatten().find(|check| check["status"] != "pass") {
            None => return Ok(()),
            Some(check) => found = format!("{}: {}", check["id"], check["found"]),
        }
    }
    bail!("this machine does not come to rest ({found}): no alarm on it would be false")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_alarm_is_what_a_clean_machine_does_not_have() {
        let of = |cause: Cause, subject: Option<&str>| {
            is_alarm(&json!({"cause": cause, "subject": subject}))
        };
        for cause in Cause::NAMED {
            let is_clean = CLEAN.contains(&cause) || cause == Cause::Cpu;
            assert_eq!(of(cause, None), !is_clean, "{cause:?}");
        }
        assert!(!of(Cause::Unattributed, None));
        let cpu = |subject| of(Cause::Cpu, Some(subject));
        assert!(cpu("other processes") && !cpu("the calling thread"));
    }

    #[test]
    fn the_table_has_the_words_of_the_report() {
        let reason = |cause: Cause, grade: Grade| json!({"cause": cause, "grade": grade});
        let words = |cause, grade| name(&reason(cause, grade)).unwrap();
        assert_eq!(words(Cause::Flush, Grade::Proved), "flushing, verified");
        let consistent = "the drive, consistent with the measurements";
        assert_eq!(words(Cause::Device, Grade::Consistent), consistent);
        assert!(name(&json!({"cause": "x", "grade": "proved"})).is_err());
    }
}
