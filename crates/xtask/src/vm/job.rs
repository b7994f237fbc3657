//! A long command in a guest, left running while something is done to its disks.

use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::guest::Guest;
use super::port::Output;

/// Longest time to wait for a sign or an end that should come. A block of every kind of encryption
/// takes a minute and a half alone, and five times as long where others load the processors.
const LIMIT: Duration = Duration::from_secs(3600);

/// Starts it: a program with its words.
pub fn start(guest: &mut Guest, command: &str) -> Result<()> {
    guest
        .ok(&format!(
            "rm -f /tmp/job.*
            cat >/tmp/job.sh <<'END'\necho $$ >/tmp/job.pid\nexec {command}\nEND
            {{ setsid dash /tmp/job.sh >/tmp/job.out 2>/tmp/job.err
            echo $? >/tmp/job.ended; mv /tmp/job.ended /tmp/job.code; }} >/dev/null 2>&1 &"
        ))
        .map(drop)
}

/// Waits until it has begun what `sign` (a script) is true of.
pub fn wait_for(guest: &mut Guest, sign: &str) -> Result<()> {
    let script =
        format!("until {{ {sign}; }}; do [ ! -e /tmp/job.code ] || exit 1; sleep 0.2; done");
    let output = guest.run_within(&script, LIMIT)?;
    if output.code != 0 {
        let ended = end(guest)?;
        ensure!(false, "ended before {sign:?} with {}: {}", ended.code, ended.error());
    }
    Ok(())
}

/// Waits for its end.
pub fn end(guest: &mut Guest) -> Result<Output> {
    guest.run_within("until [ -e /tmp/job.code ]; do sleep 0.2; done", LIMIT)?;
    let code = guest.ok("cat /tmp/job.code")?.trim().parse().context("no exit code")?;
    Ok(Output { code, out: guest.file("/tmp/job.out")?, err: guest.file("/tmp/job.err")? })
}

/// Ends it as Ctrl-C would, and checks that this is what it ended by.
pub fn interrupted(guest: &mut Guest) -> Result<Output> {
    let ended = interrupt(guest)?;
    ensure!(ended.code == 130, "ended with {}: {}", ended.code, ended.error());
    Ok(ended)
}

/// Ends it as Ctrl-C would, and waits.
pub fn interrupt(guest: &mut Guest) -> Result<Output> {
    guest.ok("kill -INT $(cat /tmp/job.pid)")?;
    end(guest)
}
