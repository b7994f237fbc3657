//! Causes made on purpose: each is attributed to itself.
//!
//! What holds a cell back is made strong enough that the speed of the emulator does not matter.
//! Heat and power, which an emulator has not, are in `core` with recorded series.

use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::{Group, Test};
use crate::alarms;
use crate::vm::board::PC_OF_TWO;
use crate::vm::disk::{Disk, MIB};
use crate::vm::guest::Guest;

mod made;

/// The group.
pub const GROUP: Group = Group {
    name: "causes",
    board: &PC_OF_TWO,
    disks: || {
        vec![
            Disk::virtio("target", 1200 * MIB).serial("TARGET"),
            Disk::virtio("capped", 1200 * MIB).serial("CAPPED").at_most_bytes_per_s(6 * MIB),
        ]
    },
    is_alone: true,
    tests: || {
        let test = |made: &'static Made| Test::new(made.name, |guest| attributed(guest, made));
        let all = made::ALL.iter().map(test);
        all.chain([Test::new("no-cause-on-a-clean-disk", no_false_alarm)]).collect()
    },
};

/// How long one may take: seconds alone, minutes beside three builds.
const LIMIT: Duration = Duration::from_secs(800);

/// A cause made on purpose.
struct Made {
    /// Name of the test.
    name: &'static str,
    /// Makes it, as a script.
    make: &'static str,
    /// What is measured.
    measure: Measure,
    /// Takes it away, as a script.
    undo: &'static str,
    /// What it has to be attributed to.
    cause: &'static str,
    /// And to whom, where that is told.
    subject: Option<&'static str>,
    /// What the evidence has to name, where an experiment is what proves it.
    proof: Option<&'static str>,
}

/// What is measured where.
enum Measure {
    /// A named workload in the directory /mnt/a.
    Quick(&'static str),
    /// A stack and a workload of a plan on a disk that may be erased.
    Plan {
        target: &'static str,
        token: &'static str,
        /// More words for the command.
        words: &'static str,
        plan: &'static str,
    },
}

impl Measure {
    /// As a script that leaves its result in /tmp/result.
    fn script(&self) -> String {
        let what = match self {
            Measure::Quick(workload) => {
                format!("quick /mnt/a --workload {workload} --time 150s --size 32m")
            }
            Measure::Plan { target, token, words, .. } => {
                format!("run /tmp/plan.toml --target {target} --erase {token} {words} --time 400s")
            }
        };
        let plan = match self {
            Measure::Quick(_) => String::new(),
            Measure::Plan { plan, .. } => format!(
                "cat >/tmp/plan.toml <<'END'\ntitle = 'made'\n{plan}\n[protocol]\nmode = 'quick'\n\
                    cell_min = '500ms'\ncell_min_ios = 10\nflash_state = 'trimmed'\nEND\n"
            ),
        };
        format!(
            "{plan}bakeoff {what} --seed 1 --format json >/tmp/result 2>/tmp/said
            code=$?; [ $code -le 1 ] || {{ cat /tmp/said; exit $code; }}"
        )
    }
}

/// A guest that does nothing else: what a whole `quick` says of it is no alarm.
fn no_false_alarm(guest: &mut Guest) -> Result<()> {
    guest.ok("mkfs.ext4 -qF /dev/vda && mount /dev/vda /mnt && mkdir /mnt/a")?;
    let ended = guest.run_within(
        "bakeoff quick /mnt/a --time 200s --size 32m --seed 1 --format json >/tmp/result",
        LIMIT,
    )?;
    guest.ok("umount /mnt")?;
    ensure!(ended.code <= 1, "ended with {}: {}", ended.code, ended.text());
    let result = guest.json("cat /tmp/result")?;
    let verdicts = result["verdicts"].as_array().context("no verdicts")?;
    ensure!(verdicts.len() == 4, "{} verdicts in {result}", verdicts.len());
    for verdict in verdicts {
        let reason = &verdict["held_back"][0]["reason"];
        ensure!(!alarms::is_alarm(reason), "{}: {reason}", verdict["workload"]);
    }
    Ok(())
}

fn attributed(guest: &mut Guest, made: &Made) -> Result<()> {
    guest.ok(made.make)?;
    let ended = guest.run_within(&made.measure.script(), LIMIT)?;
    guest.ok(made.undo)?;
    ensure!(ended.code == 0, "ended with {}: {}", ended.code, ended.text());
    let result = guest.json("cat /tmp/result")?;
    let held = &result["verdicts"][0]["held_back"][0];
    let reason = &held["reason"];
    let cause = reason["cause"].as_str().with_context(|| format!("no cause in {result}"))?;
    ensure!(cause == made.cause, "attributed to {held}");
    if let Some(subject) = made.subject {
        ensure!(reason["subject"] == subject, "named {held}");
    }
    if let Some(proof) = made.proof {
        let evidence = reason["evidence"].as_str().unwrap_or_default();
        ensure!(reason["grade"] == "proved" && evidence.contains(proof), "not by that: {held}");
    }
    Ok(())
}
