//! `--machines`: one plan on six boards, of which three are emulated: a PC, a Raspberry Pi 3 and a
//! Raspberry Pi 1 with kernels and processors of their own. Their report ends docs/fleet.md.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::machine::Machine;
use super::release::Programs;
use super::scenario::Step;
use super::site::{LABEL, Site};
use crate::page;
use crate::vm::networked::{self, Kind};

/// The hosts that are namespaces.
pub const HOSTS: [&str; 3] = ["host-1", "host-2", "host-3"];
/// The emulated ones: what they are, the end of their addresses, the time of their run, and the
/// model that a Raspberry Pi says it is.
const MACHINES: [(&str, &Kind, u8, &str, Option<&str>); 3] = [
    ("pc", &networked::PC, 31, "90s", None),
    ("pi-3", &networked::PI3, 32, "5m", Some("Raspberry Pi 3 Model B")),
    ("pi-1", &networked::PI1, 33, "5m", Some("Raspberry Pi Model A+")),
];
/// Part of docs/fleet.md that is written.
const PART: &str = "boards";

/// What is measured: as little as an emulated card can take in minutes.
pub const PLAN: &str = r#"title = "Which filesystem for this card?"
[region]
size = "64m"
[[stack]]
fs = "ext4"
[[stack]]
fs = "ext2"
[[workload]]
rw = "randwrite"
bs = "4k"
size = "4m"
io_size = "128k"
fsync = 16
[protocol]
mode = "quick"
precondition = false
cell_min = "50ms"
cell_min_ios = 8
time = "40s"
"#;

/// All steps.
pub const STEPS: [Step; 4] = [
    ("the playbook installs, checks, runs and collects on every machine", first_time),
    ("the second time changes nothing", second_time),
    ("the report knows the kernel and the model of each board", report),
    ("removing removes everything", removal),
];

/// Starts the machines, a minute for all of them.
pub fn start(site: &mut Site, root: &Path, programs: &Programs) -> Result<()> {
    for (name, kind, number, time, _) in MACHINES {
        let program = programs.get(kind.binary()).context("no program for the machine")?;
        let machine = Machine::start(root, &site.folder, (name, number), kind, program)
            .with_context(|| format!("no machine {name}"))?;
        site.machines.push(machine);
        site.set(name, json!({"bakeoff_time": time}));
    }
    Ok(())
}

fn first_time(site: &mut Site) -> Result<()> {
    // Two at a time, so that each has a processor of this machine.
    let played = site.play("bakeoff", &["--extra-vars", r#"{"bakeoff_serial": 2}"#])?;
    played.fails_only(&[])?;
    for machine in &mut site.machines {
        machine.shell("/usr/local/bin/bakeoff --version")?;
        machine.check_kernel()?;
    }
    Ok(())
}

fn second_time(site: &mut Site) -> Result<()> {
    let played = site.play("bakeoff", &[])?;
    played.fails_only(&[])?;
    for (name, recap) in &played.recaps {
        ensure!(recap.changed == 0, "{name}: {}", played.said);
    }
    Ok(())
}

fn report(site: &mut Site) -> Result<()> {
    let report = site.json(&["fleet", "report", "--label", LABEL])?;
    let boards = report["boards"].as_array().context("no boards")?;
    ensure!(boards.len() == HOSTS.len() + MACHINES.len(), "{report:#}");
    let of = |name: &str| {
        let found = boards.iter().find(|board| board["name"] == name);
        found.with_context(|| format!("no board {name} in {report:#}"))
    };
    let ours = &of(HOSTS[0])?["kernel"];
    for (machine, (name, .., model)) in site.machines.iter().zip(MACHINES) {
        let board = of(name)?;
        let kernel = machine.shell("uname -r")?;
        ensure!(board["kernel"] == kernel.trim() && board["kernel"] != *ours, "{board:#}");
        ensure!(model.is_none_or(|model| board["model"] == model), "{board:#}");
    }
    let answers = report["answers"].as_array().map_or(0, Vec::len);
    ensure!(answers == 1 && report["unlike"] == json!([]), "{report:#}");
    Ok(())
}

fn removal(site: &mut Site) -> Result<()> {
    let words = ["--extra-vars", r#"{"bakeoff_remove_results": true}"#];
    site.play("remove", &words)?.fails_only(&[])?;
    for machine in &site.machines {
        machine.shell("test ! -e /usr/local/bin/bakeoff && test ! -e /var/lib/bakeoff")?;
    }
    Ok(())
}

/// Writes the report into docs/fleet.md, with what these boards were.
pub fn write(site: &Site, root: &Path) -> Result<()> {
    let report = site.bakeoff(&["fleet", "report", "--label", LABEL])?;
    let text = format!(
        "Printed by the tests (`make test-fleet ARGS=--machines`) on six boards that one machine \
         emulates, two\nat a time:\n{} are namespaces of that machine. pc, pi-3 and pi-1 are \
         QEMU with Debian's kernels for a PC,\na Raspberry Pi 3 and a Raspberry Pi 1. Timings on \
         emulated hardware mean nothing: the report shows\nthe form, not a result about \
         filesystems.\n\n```\n$ bakeoff fleet report --label {LABEL}\n{}\n```\n",
        HOSTS.join(", "),
        report.trim_end()
    );
    page::write(&root.join("docs/fleet.md"), PART, &text)
}
