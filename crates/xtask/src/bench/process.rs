//! What the kernel counts of processes: CPU time, memory, and who started whom.

use anyhow::{Context, Result};

/// A tick of the times in /proc, USER_HZ.
const TICK_NS: u64 = 10_000_000;

/// CPU time of a process, each as user and system time: proc_pid_stat(5).
pub struct Cpu {
    /// Of all its threads.
    pub own_ns: [u64; 2],
    /// Of its children that have ended, and of theirs.
    pub children_ns: [u64; 2],
}

impl Cpu {
    /// Of a process by its id, or of `self`.
    pub fn read(process: &str) -> Result<Cpu> {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
        let (_, fields) = stat.rsplit_once(')').context("a stat has a name in brackets")?;
        // The field after the name is the third, so the fourteenth is at 11 from there.
        let ticks = fields.split_whitespace().skip(11).map(str::parse::<u64>);
        let ns: Vec<u64> =
            ticks.take(4).map(|ticks| Ok(ticks? * TICK_NS)).collect::<Result<_>>()?;
        let [user, system, of_children, system_of_children] = ns[..] else {
            anyhow::bail!("a stat is too short: {stat}");
        };
        Ok(Cpu { own_ns: [user, system], children_ns: [of_children, system_of_children] })
    }
}

/// A process and all below it, as far as they still are there.
pub fn tree(process: u32) -> Vec<u32> {
    let mut all = vec![process];
    let mut at = 0;
    while let Some(parent) = all.get(at) {
        let path = format!("/proc/{parent}/task");
        for task in std::fs::read_dir(path).into_iter().flatten().flatten() {
            let children = std::fs::read_to_string(task.path().join("children"));
            let children = children.unwrap_or_default();
            all.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        }
        at += 1;
    }
    all
}

/// `Pss` of a process, 0 when it is gone.
pub fn pss_bytes(process: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
    let kib = text.lines().find_map(|line| {
        line.strip_prefix("Pss:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    });
    kib.unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    use super::*;

    /// It compared the memory of a process with a later reading of the same, which may be larger.
    #[test]
    fn a_tree_is_counted_with_its_children() {
        let mut child = Command::new("sh")
            .args(["-c", "sleep 600 & echo $!; wait"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut told = String::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        lines.read_line(&mut told).unwrap();
        let grandchild = told.trim().parse().unwrap();
        let processes = tree(child.id());
        let bytes = processes.iter().copied().map(pss_bytes).collect::<Vec<_>>();
        Command::new("kill").arg(told.trim()).status().unwrap();
        child.wait().unwrap();
        assert_eq!(processes, [child.id(), grandchild]);
        assert!(bytes.iter().all(|bytes| *bytes > 0), "{bytes:?}");
        assert_eq!(pss_bytes(child.id()), 0, "nothing of a process that is gone");
    }

    #[test]
    fn time_of_children_is_counted_when_they_end() {
        let before = Cpu::read("self").unwrap().children_ns;
        // As long as it takes for the clock of CPU times to tick, whatever its step.
        let spin = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
        loop {
            Command::new("sh").args(["-c", spin]).status().unwrap();
            if Cpu::read("self").unwrap().children_ns != before {
                break;
            }
        }
    }
}
