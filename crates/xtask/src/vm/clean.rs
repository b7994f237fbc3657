//! What has to be the same after a test as before: mounts, mappings, loops, swap, knobs, rules.

use anyhow::{Result, ensure};

use super::guest::Guest;

/// Prints all of it. Mount ids are left out, since they are handed out again; of schedulers only
/// the one in force is taken, since a module that was loaded for one stays.
const STATE: &str = r#"
cut -d ' ' -f 3- /proc/self/mountinfo | sed 's/^/mount /' | sort
dmsetup ls 2>/dev/null | sed 's/^/mapping /'
losetup --list --noheadings --output NAME,BACK-FILE 2>/dev/null | sed 's/^/loop /'
sed 's/^/swap /' /proc/swaps
ls -d /sys/block/md* 2>/dev/null
grep -s '' /sys/block/[!l]*/queue/scheduler /sys/block/[!l]*/queue/read_ahead_kb \
    /sys/block/[!l]*/queue/nr_requests /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor \
    | sed 's/:.*\[\(.*\)\].*/:\1/; s/^/knob /'
find /run/udev/rules.d /etc/udev/rules.d -type f 2>/dev/null | sed 's/^/rule /'
ps -o pid,args | grep -E '[ /](bakeoff|mkfs|cryptsetup)' | grep -v grep | sed 's/^/process /'
true
"#;

/// The state of a guest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State(String);

impl State {
    /// Looks.
    pub fn read(guest: &mut Guest) -> Result<State> {
        guest.ok(STATE).map(State)
    }

    /// Fails when something is there that was not, or the other way round.
    pub fn assert_unchanged(&self, guest: &mut Guest) -> Result<()> {
        let now = State::read(guest)?;
        let differences = differences(&self.0, &now.0);
        ensure!(differences.is_empty(), "the guest is not as before:\n{differences}");
        Ok(())
    }
}

/// Lines of only one of two texts.
fn differences(before: &str, after: &str) -> String {
    let only = |sign: &str, these: &str, others: &str| -> String {
        let others: Vec<&str> = others.lines().collect();
        let lines = these.lines().filter(|line| !others.contains(line));
        lines.map(|line| format!("{sign} {line}\n")).collect()
    };
    only("-", before, after) + &only("+", after, before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_and_what_went_is_said() {
        assert_eq!(differences("a\nb\n", "b\na\n"), "");
        assert_eq!(differences("a\nb\n", "b\nc\n"), "- a\n+ c\n");
    }
}
