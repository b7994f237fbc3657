//! One run of one contender: its rate as it says itself, its CPU time and memory as the kernel
//! counts them, the same way for every tool.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::cases::{Contender, Setup, Tool};
use super::process::{Cpu, pss_bytes, tree};

/// How often memory is looked at in the warm-up.
const MEMORY_INTERVAL: Duration = Duration::from_millis(50);

/// What one run gave.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// I/Os a second.
    pub iops: f64,
    /// User time for each I/O: of the measuring thread where the tool tells it, else of the whole
    /// process tree.
    pub user_us: f64,
    /// User and system time for each I/O, of the same.
    pub cpu_us: f64,
    /// Largest sum of the proportional set sizes of the process tree while it runs; 0 where not
    /// sampled.
    pub pss_bytes: u64,
    /// Mean latency times rate; 0 where it is not told.
    pub in_flight: f64,
    /// Requests the disk got for each I/O.
    pub requests: f64,
}

/// Runs it once. `disk` is where the kernel counts the requests of the disk under the file.
pub fn run(contender: &Contender, setup: &Setup, disk: &Path, memory: bool) -> Result<Sample> {
    let cpu_before = Cpu::read("self")?.children_ns;
    let requests_before = requests(disk)?;
    let child = Command::new(&contender.argv[0])
        .args(&contender.argv[1..])
        .envs(contender.env.iter().map(|(name, value)| (name, value)))
        .env("LC_ALL", "C")
        .current_dir(&setup.sysbench)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {}", contender.argv[0]))?;
    let process = child.id();
    let over = AtomicBool::new(false);
    let (output, pss_bytes) = std::thread::scope(|scope| {
        let memory = memory.then(|| scope.spawn(|| peak_pss(process, &over)));
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
    let cpu_after = Cpu::read("self")?.children_ns;
    let cpu_ns = [0, 1].map(|kind| (cpu_after[kind] - cpu_before[kind]) as f64);
    let said = Said {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    };
    let told = tell(contender.tool, &said)
        .with_context(|| format!("no figures from {}", contender.argv.join(" ")))?;
    let [user_ns, system_ns] = told.cpu_ns.unwrap_or(cpu_ns);
    let requests = (requests(disk)? - requests_before) as f64 / told.ios;
    Ok(Sample {
        iops: told.iops,
        user_us: user_ns / 1e3 / told.ios,
        cpu_us: (user_ns + system_ns) / 1e3 / told.ios,
        pss_bytes,
        in_flight: told.in_flight,
        requests,
    })
}

/// What a tool printed.
struct Said {
    stdout: String,
    stderr: String,
}

/// What a tool tells of itself.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Told {
    ios: f64,
    iops: f64,
    in_flight: f64,
    /// User and system.
    cpu_ns: Option<[f64; 2]>,
}

fn tell(tool: Tool, said: &Said) -> Result<Told> {
    match tool {
        Tool::Bakeoff | Tool::Fio => tell_json(tool, &serde_json::from_str(&said.stdout)?),
        Tool::Dd(block_bytes) => tell_dd(&said.stderr, block_bytes),
        Tool::Sysbench => tell_sysbench(&said.stdout),
        Tool::Loop => {
            let numbers: Vec<f64> =
                said.stdout.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
            let [ios, ns] = numbers[..] else { bail!("not two numbers: {}", said.stdout) };
            Ok(Told { ios, iops: ios * 1e9 / ns, in_flight: 0.0, cpu_ns: None })
        }
    }
}

fn tell_json(tool: Tool, report: &Value) -> Result<Told> {
    let job = if tool == Tool::Fio { &report["jobs"][0] } else { report };
    let did = |way: &&Value| way["total_ios"].as_f64().is_some_and(|ios| ios > 0.0);
    let way = [&job["read"], &job["write"]].into_iter().find(did).context("it did nothing")?;
    let number = |value: &Value, what| value.as_f64().with_context(|| format!("no {what}"));
    let ios = number(&way["total_ios"], "total_ios")?;
    let iops = number(&way["iops"], "iops")?;
    let mean_ns = way["lat_ns"]["mean"].as_f64().unwrap_or(0.0);
    let cpu_ns = if tool == Tool::Fio {
        let percent_ns = number(&job["job_runtime"], "job_runtime")? * 1e6 / 100.0;
        [
            number(&job["usr_cpu"], "usr_cpu")? * percent_ns,
            number(&job["sys_cpu"], "sys_cpu")? * percent_ns,
        ]
    } else {
        [number(&job["usr_cpu_ns"], "usr_cpu_ns")?, number(&job["sys_cpu_ns"], "sys_cpu_ns")?]
    };
    Ok(Told { ios, iops, in_flight: mean_ns * iops / 1e9, cpu_ns: Some(cpu_ns) })
}

/// `1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.0123 s, 85 MB/s`
fn tell_dd(said: &str, block_bytes: u64) -> Result<Told> {
    let line = said.lines().find(|line| line.contains(" copied, ")).context("nothing copied")?;
    let bytes: f64 = line.split(' ').next().unwrap_or_default().parse()?;
    let (_, rest) = line.split_once(" copied, ").context("nothing copied")?;
    let seconds: f64 = rest.split(' ').next().unwrap_or_default().parse()?;
    let ios = bytes / block_bytes as f64;
    Ok(Told { ios, iops: ios / seconds, in_flight: 0.0, cpu_ns: None })
}

/// `reads/s:                      12345.67` and `total number of events:              24691`
fn tell_sysbench(said: &str) -> Result<Told> {
    let value = |name: &str| -> Result<f64> {
        let line = said.lines().find_map(|line| line.trim().strip_prefix(name));
        Ok(line.with_context(|| format!("no {name}"))?.trim().parse()?)
    };
    let (ios, iops) = (value("total number of events:")?, value("reads/s:")?);
    Ok(Told { ios, iops, in_flight: 0.0, cpu_ns: None })
}

/// Requests a disk has completed: Documentation/admin-guide/iostats.rst, fields 1 and 5.
fn requests(disk: &Path) -> Result<u64> {
    let text = std::fs::read_to_string(disk).with_context(|| disk.display().to_string())?;
    let fields: Vec<&str> = text.split_whitespace().collect();
    let field = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok());
    Ok(field(0).context("no reads")? + field(4).context("no writes")?)
}

/// Looks at the process tree until it is over; the largest sum seen.
fn peak_pss(process: u32, over: &AtomicBool) -> u64 {
    let mut sums = Vec::new();
    while !over.load(Ordering::Relaxed) {
        sums.push(tree(process).into_iter().map(pss_bytes).sum());
        std::thread::sleep(MEMORY_INTERVAL);
    }
    while_running(&sums)
}

/// The largest sum but for the first and the last, which may be of the start and of the end.
fn while_running(sums: &[u64]) -> u64 {
    let running = match sums {
        [_, running @ .., _] if !running.is_empty() => running,
        few => few,
    };
    running.iter().copied().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {

    use super::*;
    use serde_json::json;

    fn said(stdout: &str, stderr: &str) -> Said {
        Said { stdout: stdout.into(), stderr: stderr.into() }
    }

    #[test]
    fn each_tool_is_read_from_its_own_words() {
        let ours = json!({"read": {"total_ios": 10, "iops": 5.0, "lat_ns": {"mean": 2e8}},
            "usr_cpu_ns": 100, "sys_cpu_ns": 300});
        let told = tell(Tool::Bakeoff, &said(&ours.to_string(), "")).unwrap();
        let cpu_ns = Some([100.0, 300.0]);
        assert_eq!(told, Told { ios: 10.0, iops: 5.0, in_flight: 1.0, cpu_ns });
        let fio = json!({"jobs": [{"read": {"total_ios": 0}, "write": {"total_ios": 8, "iops": 4.0},
            "usr_cpu": 25.0, "sys_cpu": 50.0, "job_runtime": 2000}]});
        let told = tell(Tool::Fio, &said(&fio.to_string(), "")).unwrap();
        assert_eq!((told.ios, told.cpu_ns), (8.0, Some([5e8, 1e9])));
        let dd = "4+0 records in\n4+0 records out\n32 bytes copied, 0.5 s, 64 B/s\n";
        assert_eq!(tell(Tool::Dd(8), &said("", dd)).unwrap().iops, 8.0);
        let sysbench = "    reads/s:           100.50\n    total number of events:      201\n";
        assert_eq!(tell(Tool::Sysbench, &said(sysbench, "")).unwrap().ios, 201.0);
        assert_eq!(tell(Tool::Loop, &said("2048 1000000000\n", "")).unwrap().iops, 2048.0);
        assert!(tell(Tool::Fio, &said("{}", "")).is_err());
    }

    #[test]
    fn memory_of_start_and_end_is_not_that_of_running() {
        assert_eq!(while_running(&[9, 2, 3, 8]), 3);
        assert_eq!((while_running(&[4, 5]), while_running(&[])), (5, 0));
    }
}
