//! `watch` beside netdata over one load: `cargo xtask bench --netdata`.
//!
//! Both read the same counters of the kernel once a second. netdata moves its figures to whole
//! seconds by interpolation (https://learn.netdata.cloud, "RRD"), so sums are compared over an
//! interval that begins and ends on a machine without this load. What differs by more than 2 % is
//! a failure.
//!
//! `watch` shows each processor's share of its own clock ticks. netdata's `system.cpu` is a share
//! of the ticks of all processors, and one that does I/O can have fewer of them counted than one
//! that computes, so the mean of `cpu.cpu0`, `cpu.cpu1`, … is what has to agree.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::machine;
use crate::page::{self, Column::Left};
use crate::tool;

/// Most that two figures may differ.
const MOST: f64 = 0.02;
/// Figures below are too small to be compared: netdata rounds utilisation to whole milliseconds.
const LEAST: f64 = 0.5;
/// Time without the load at both ends, seconds.
const EDGE_S: u64 = 5;
/// Longest wait for netdata's first figures.
const PATIENCE: Duration = Duration::from_secs(120);

/// A figure, what each calls it, and its sum over the interval by each.
struct Compared {
    what: &'static str,
    netdata: &'static str,
    watch: &'static str,
    theirs: f64,
    ours: f64,
}

impl Compared {
    /// By how much ours is more; `None` where both are next to nothing.
    fn difference(&self) -> Option<f64> {
        (self.theirs.max(self.ours) >= LEAST).then(|| self.ours / self.theirs - 1.0)
    }
}

/// What was asked for.
#[derive(clap::Args)]
pub struct Options {
    /// Duration of the load
    #[arg(long, default_value_t = 40)]
    seconds: u64,
    /// Directory for its file; the disk under it is compared
    #[arg(long, default_value_os_t = tool::target())]
    dir: PathBuf,
}

/// Runs both; whether they agree. Needs Debian's package netdata-core.
pub fn bench(root: &Path, options: &Options) -> Result<bool> {
    let bakeoff = super::released()?;
    let seconds = options.seconds;
    let scratch = tempfile::tempdir_in(&options.dir)?;
    let stat = machine::disk_counters(scratch.path())?;
    let disk = std::fs::canonicalize(stat.parent().context("no disk")?)?;
    let disk = disk.file_name().context("no disk")?.to_string_lossy().into_owned();
    let netdata = Netdata::start(scratch.path(), &disk)?;
    let whole_s = seconds + 2 * EDGE_S;
    let time = format!("{whole_s}s");
    let watch = Command::new(&bakeoff)
        .args(["watch", &disk, "--format", "json", "--interval", "1s", "--time", &time])
        .stdout(Stdio::piped())
        .spawn()?;
    std::thread::sleep(Duration::from_secs(EDGE_S));
    load(scratch.path(), Duration::from_secs(seconds))?;
    let said = watch.wait_with_output()?;
    let frames: Vec<Value> = serde_json::Deserializer::from_slice(&said.stdout)
        .into_iter()
        .collect::<Result<_, _>>()
        .context("watch printed no frames")?;
    // Its last second is there a moment later.
    std::thread::sleep(Duration::from_secs(3));
    let compared = compared(&netdata, &frames, &disk)?;
    let table = table(&compared, &machine::kernel()?, seconds);
    page::write(&root.join("docs/live.md"), "netdata", &table)?;
    Ok(compared.iter().filter_map(Compared::difference).all(|d| d.abs() <= MOST))
}

/// Writes and reads past the page cache, and works on one processor, each for the whole time.
fn load(dir: &Path, time: Duration) -> Result<()> {
    let file = dir.join("load");
    let script = "while :; do dd if=/dev/zero of=\"$1\" bs=64k count=1000 oflag=direct conv=fsync; \
                  dd if=\"$1\" of=/dev/null bs=16k count=4000 iflag=direct; done";
    let limit = format!("{}s", time.as_secs());
    let busy = |words: &[&str]| {
        let mut command = Command::new("timeout");
        command.arg(&limit).args(words).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let mut disk = busy(&["sh", "-c", script, "load"]).arg(&file).spawn()?;
    let mut processor = busy(&["sh", "-c", "while :; do :; done"]).spawn()?;
    disk.wait()?;
    processor.wait()?;
    Ok(())
}

/// A netdata of our own.
struct Netdata {
    child: Child,
    port: u16,
}

impl Netdata {
    fn start(dir: &Path, disk: &str) -> Result<Netdata> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let at = |name: &str| -> Result<PathBuf> {
            let path = dir.join(name);
            std::fs::create_dir_all(&path)?;
            Ok(path)
        };
        let dirs = ["config", "cache", "lib", "log"].map(|name| (name, at(name)));
        let mut text = format!(
            "[global]\nupdate every = 1\nrun as user = {}\n[db]\nmode = ram\n[web]\n\
             bind to = 127.0.0.1:{port}\n[registry]\nenabled = no\n[statsd]\nenabled = no\n\
             [health]\nenabled = no\n[ml]\nenabled = no\n[plugins]\ncgroups = no\ntc = no\n\
             apps = no\npython.d = no\ncharts.d = no\ngo.d = no\nebpf = no\nperf = no\n\
             diskspace = no\n[plugin:proc:/proc/stat]\nper cpu core utilization = yes\n\
             [directories]\n",
            user()?
        );
        for (name, path) in dirs {
            writeln!(text, "{name} = {}", path?.display())?;
        }
        let config = dir.join("netdata.conf");
        std::fs::write(&config, text)?;
        let child = Command::new("netdata")
            .arg("-D")
            .arg("-c")
            .arg(&config)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start netdata (Debian: netdata-core)")?;
        let netdata = Netdata { child, port };
        let is_there = |chart: &str| netdata.sums(chart, 0.0, f64::MAX).is_ok_and(|s| s.1 > 3);
        tool::retry(PATIENCE, || {
            let has_both = is_there(&format!("disk.{disk}")) && is_there("cpu.cpu0");
            ensure!(has_both, "netdata has no chart of {disk}");
            Ok(())
        })?;
        Ok(netdata)
    }

    /// Sums of the dimensions of a chart over an interval in seconds since 1970: of each point the
    /// seconds that are in it, since a point is a rate. And how many points there are. Stalls have
    /// a point every other second (collectors/proc.plugin, "Monitoring pressure").
    fn sums(&self, chart: &str, from: f64, to: f64) -> Result<(Vec<(String, f64)>, usize)> {
        let path = format!(
            "/api/v1/data?chart={chart}&after=-600&points=600&format=json&options=seconds,absolute"
        );
        let data: Value = serde_json::from_str(&self.get(&path)?)
            .with_context(|| format!("netdata has no {chart}"))?;
        let names = data["labels"].as_array().context("no labels")?.iter().skip(1);
        let mut sums: Vec<(String, f64)> =
            names.map(|name| (name.as_str().unwrap_or_default().to_string(), 0.0)).collect();
        let rows = data["data"].as_array().context("no data")?;
        let time = |row: &Value| row[0].as_f64().context("no time");
        let step = match rows.as_slice() {
            [last, before, ..] => (time(last)? - time(before)?).abs(),
            _ => 1.0,
        };
        for row in rows.iter().filter_map(Value::as_array) {
            // A point is of the seconds that end then.
            let end = row.first().and_then(Value::as_f64).context("no time")?;
            let part = (end.min(to) - (end - step).max(from)).clamp(0.0, step);
            for (sum, value) in sums.iter_mut().zip(row.iter().skip(1)) {
                sum.1 += value.as_f64().unwrap_or(0.0) * part;
            }
        }
        Ok((sums, rows.len()))
    }

    fn get(&self, path: &str) -> Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        stream.write_all(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes())?;
        let mut said = String::new();
        stream.read_to_string(&mut said)?;
        Ok(said.split_once("\r\n\r\n").context("no answer")?.1.to_string())
    }
}

impl Drop for Netdata {
    fn drop(&mut self) {
        // It ends its own processes; what it kept is in our folder.
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let ended = tool::retry(Duration::from_secs(20), || {
            ensure!(self.child.try_wait()?.is_some(), "netdata runs");
            Ok(())
        });
        if ended.is_ok() {
            return;
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn user() -> Result<String> {
    let said = Command::new("id").arg("-un").output()?.stdout;
    Ok(String::from_utf8_lossy(&said).trim().to_string())
}

/// The figures of both over the time of all frames.
fn compared(netdata: &Netdata, frames: &[Value], disk: &str) -> Result<Vec<Compared>> {
    let number = |value: &Value| value.as_f64().context("a figure is missing in a frame");
    let length = |frame: &Value| Ok::<_, anyhow::Error>(number(&frame["elapsed_ns"])? / 1e9);
    let to = number(&frames.last().context("watch printed no frame")?["unix_ns"])? / 1e9;
    let from = to - frames.iter().map(length).sum::<Result<f64>>()?;
    let theirs = |chart: &str, wanted: fn(&str) -> bool| -> Result<f64> {
        let (sums, _) = netdata.sums(chart, from, to)?;
        Ok(sums.iter().filter(|(name, _)| wanted(name)).map(|(_, sum)| sum).sum())
    };
    let ours = |figure: &dyn Fn(&Value) -> Option<f64>| -> Result<f64> {
        let of = |frame| Ok(figure(frame).context("a figure is missing")? * length(frame)?);
        frames.iter().map(of).sum()
    };
    let (io, util) = (format!("disk.{disk}"), format!("disk_util.{disk}"));
    let stall = "system.io_some_pressure_stall_time";
    let cpus = frames[0]["machine"]["cpu_percent"].as_array().context("no CPUs")?.len();
    let of_cpus = (0..cpus).map(|number| {
        theirs(&format!("cpu.cpu{number}"), |name| name != "iowait" && name != "idle")
    });
    let of_cpus = of_cpus.sum::<Result<f64>>()? / cpus as f64;
    let disk = |key: &'static str| move |frame: &Value| frame["disk"][0][key].as_f64();
    let io_some = |frame: &Value| frame["machine"]["io_some_percent"].as_f64();
    let figures = [
        (
            ("reads, MiB", "`disk.*` reads", "`rkB/s`"),
            theirs(&io, |n| n == "reads")? / 1024.0,
            ours(&disk("rkB/s"))? / 1024.0,
        ),
        (
            ("writes, MiB", "`disk.*` writes", "`wkB/s`"),
            theirs(&io, |n| n == "writes")? / 1024.0,
            ours(&disk("wkB/s"))? / 1024.0,
        ),
        (
            ("utilisation, s", "`disk_util.*` utilization", "`util`"),
            theirs(&util, |_| true)? / 100.0,
            ours(&disk("util"))? / 100.0,
        ),
        (
            ("waiting for I/O, s", "`system.io_some_pressure_stall_time`", "`io_some_percent`"),
            theirs(stall, |_| true)? / 1e3,
            ours(&io_some)? / 100.0,
        ),
        (
            (
                "CPU, s of all processors",
                "mean of `cpu.cpu*` without iowait",
                "mean of `cpu_percent`",
            ),
            of_cpus / 100.0,
            ours(&busy)? / 100.0,
        ),
    ];
    let one =
        |((what, netdata, watch), theirs, ours)| Compared { what, netdata, watch, theirs, ours };
    Ok(figures.map(one).into())
}

/// The mean of all processors in a frame, percent.
fn busy(frame: &Value) -> Option<f64> {
    let cpus = frame["machine"]["cpu_percent"].as_array()?;
    Some(cpus.iter().filter_map(Value::as_f64).sum::<f64>() / cpus.len() as f64)
}

fn table(compared: &[Compared], kernel: &str, seconds: u64) -> String {
    let row = |one: &Compared| {
        let difference = one.difference().map(|difference| format!("{:+.2} %", difference * 100.0));
        [
            one.what.to_owned(),
            one.netdata.to_owned(),
            one.watch.to_owned(),
            format!("{:.2}", one.theirs),
            format!("{:.2}", one.ours),
            difference.unwrap_or_else(|| "too small".to_owned()),
        ]
    };
    let columns = [
        Left("figure"),
        Left("netdata"),
        Left("`bakeoff watch --format json`"),
        Left("netdata's sum"),
        Left("`watch`"),
        Left("difference"),
    ];
    format!(
        "Sums over one load of {seconds} s (kernel {kernel}, netdata of Debian). `cargo xtask \
         bench --netdata` repeats\nit, and fails where the two differ by more than 2 %.\n\n{}",
        page::table(columns, compared.iter().map(row))
    )
}
