//! `run --detach` where a real systemd runs the machine: a unit of its own, which outlives who
//! started it and puts everything back when it is told to stop.

use anyhow::{Result, ensure};

use crate::vm::guest::Guest;
use crate::vm::store;

/// systemd as the first process of a namespace; the units it cannot do without are empty.
const START: &str = "
mkdir -p /etc/systemd/system
for name in sysinit basic default shutdown; do
    printf '[Unit]\\nDefaultDependencies=no\\n' >/etc/systemd/system/$name.target
done
container=other setsid unshare --pid --fork --mount-proc /lib/systemd/systemd --system \\
    --unit=default.target >/tmp/systemd.log 2>&1 &
until pidof systemd >/tmp/systemd.pid; do sleep 0.2; done";

/// Begins a script of which every `inside` is a command in that namespace.
const INSIDE: &str = "inside() { nsenter -t $(cat /tmp/systemd.pid) -p -m \"$@\"; }\n";

const IS_RUNNING: &str = "[ \"$(inside systemctl is-system-running)\" = running ]";

const UNITS: &str = "inside systemctl list-units --no-legend --plain --type=service 'bakeoff-*'";

const STOP: &str = "kill -9 $(cat /tmp/systemd.pid)
while pidof systemd >/dev/null; do sleep 0.1; done
rm -rf /run/systemd /etc/systemd/system";

/// Starts a run of `words`, which is given more time than it takes, and has its unit stopped.
pub fn run_as_a_unit(guest: &mut Guest, words: &str) -> Result<()> {
    guest.ok(START)?;
    guest.wait_for(&format!("{INSIDE}{IS_RUNNING}"))?;
    let run = stopped_in_time(guest, words);
    guest.ok(STOP)?;
    run
}

fn stopped_in_time(guest: &mut Guest, words: &str) -> Result<()> {
    let is_measured = store::events_are_recorded(guest, 30)?;
    guest.ok(&format!("{INSIDE}inside bakeoff run {words} --time 4h --seed 1 --detach"))?;
    let units = guest.ok(&format!("{INSIDE}{UNITS}"))?;
    let unit = units.split_whitespace().next().unwrap_or_default();
    ensure!(units.contains(" active running ") && units.lines().count() == 1, "units: {units}");
    // Who started it has gone; nobody but systemd knows of it.
    guest.wait_for(&is_measured)?;
    guest.ok(&format!("{INSIDE}inside systemctl stop {unit}"))?;
    let left =
        guest.ok(&format!("{INSIDE}{UNITS}; inside cat /proc/mounts | grep bakeoff || true"))?;
    ensure!(left.trim().is_empty(), "left: {left}");
    let last = guest.ok("bakeoff export last --format jsonl --no-redact | tail -n 1")?;
    ensure!(last.contains("interrupted"), "the run ended with {last}");
    store::check(guest)
}
