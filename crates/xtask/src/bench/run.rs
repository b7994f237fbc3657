//! One run of one contender: its rate as it says itself, its CPU time and memory as the kernel
//! counts them, the same way for every tool.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::cases::{Contender, Tool};

/// How often memory is looked at in the warm-up.
const MEMORY_INTERVAL: Duration = Duration::from_millis(50);

/// What one run gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// I/Os a second.
    pub iops: f64,
    /// User and system time of the whole process tree, its start and end included, for each I/O.
    pub cpu_us: f64,
    /// Largest sum of the proportional set sizes of the process tree; 0 where not sampled.
    pub pss_bytes: u64,
}

/// Runs it once.
pub fn run(contender: &Contender, with_memory: bool) -> Result<Sample> {
    let cpu_before = children_cpu_ns()?;
    let child = Command::new(&contender.argv[0])
        .args(&contender.argv[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {}", contender.argv[0]))?;
    let process = child.id();
    let over = AtomicBool::new(false);
    let (output, pss_bytes) = std::thread::scope(|scope| {
        let memory = with_memory.then(|| scope.spawn(|| peak_pss(process, &over)));
        let output = child.wait_with_output();
        over.store(true, Ordering::Relaxed);
        let pss_bytes = memory.and_then(|memory| memory.join().ok()).unwrap_or(0);
        output.map(|output| (output, pss_bytes))
    })?;
    ensure!(
        output.status.success(),
        "this failed ({}): {}\n{}",
        output.status,
        contender.argv.join(" "),
        String::from_utf8_lossy(&output.stderr)
    );
    let cpu_ns = children_cpu_ns()? - cpu_before;
    let report: Value = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("no JSON from {}", contender.argv.join(" ")))?;
    let (ios, iops) = reads(contender.tool, &report)?;
    Ok(Sample { iops, cpu_us: cpu_ns as f64 / 1e3 / ios, pss_bytes })
}

/// I/Os and I/Os a second of the reads, from a tool's own report.
fn reads(tool: Tool, report: &Value) -> Result<(f64, f64)> {
    let read = match tool {
        Tool::Bakeoff => &report["read"],
        Tool::Fio => &report["jobs"][0]["read"],
    };
    let ios = read["total_ios"].as_f64().filter(|ios| *ios > 0.0).context("it read nothing")?;
    let iops = read["iops"].as_f64().context("its report has no iops")?;
    Ok((ios, iops))
}

/// CPU time of all our children that have ended, and of theirs: proc_pid_stat(5), cutime, cstime.
fn children_cpu_ns() -> Result<u64> {
    const TICK_NS: u64 = 10_000_000;
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(')').context("/proc/self/stat has a name in brackets")?;
    // The field after the name is the third, so the sixteenth is at 13 from there.
    let ticks = fields.split_whitespace().skip(13).take(2).map(str::parse::<u64>);
    Ok(ticks.sum::<Result<u64, _>>()? * TICK_NS)
}

/// Looks at the process tree until it is over; the largest sum seen.
fn peak_pss(process: u32, over: &AtomicBool) -> u64 {
    let mut peak = 0;
    while !over.load(Ordering::Relaxed) {
        peak = peak.max(tree(process).into_iter().map(pss_bytes).sum());
        std::thread::sleep(MEMORY_INTERVAL);
    }
    peak
}

/// A process and all below it, as far as they still are there.
fn tree(process: u32) -> Vec<u32> {
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
fn pss_bytes(process: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
    let kib = text.lines().find_map(|line| {
        line.strip_prefix("Pss:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    });
    kib.unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_tool_is_read_from_its_own_keys() {
        let ours = json!({"read": {"total_ios": 10, "iops": 5.0}});
        assert_eq!(reads(Tool::Bakeoff, &ours).unwrap(), (10.0, 5.0));
        let fio = json!({"jobs": [{"read": {"total_ios": 8, "iops": 4.0}}]});
        assert_eq!(reads(Tool::Fio, &fio).unwrap(), (8.0, 4.0));
        assert!(reads(Tool::Fio, &ours).is_err());
    }

    #[test]
    fn a_tree_is_counted_with_its_children() {
        let mut child = Command::new("sh").args(["-c", "sleep 5 & wait"]).spawn().unwrap();
        let deadline = std::time::Instant::now() + Duration::from_secs(5);
        while tree(child.id()).len() < 2 && std::time::Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        let processes = tree(child.id());
        let bytes: u64 = processes.iter().copied().map(pss_bytes).sum();
        assert_eq!(processes.len(), 2);
        assert!(bytes > pss_bytes(child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn time_of_children_is_counted_when_they_end() {
        let before = children_cpu_ns().unwrap();
        let spin = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        Command::new("sh").args(["-c", spin]).status().unwrap();
        assert!(children_cpu_ns().unwrap() > before);
    }
}
