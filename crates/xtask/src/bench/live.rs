//! What watching a run in browsers costs: `cargo xtask bench --live`.
//!
//! Pairs of runs on the same two places, one of which is watched through `bakeoff serve`, in an
//! order that changes from pair to pair. Then readers of the stream of events beside a run, and the
//! memory of the server. A reader is a connection that loads the page and takes the events as a
//! browser does; the browser itself is on another machine in use, and not part of the figures.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::process::{Cpu, pss_bytes, tree};
use super::spread::Spread;
use crate::page::{self, Column::Left};
use crate::tool;

/// Between two looks at the server.
const TICK: Duration = Duration::from_millis(200);
/// Longest wait for an event: frames come every two seconds.
const SILENCE: Duration = Duration::from_secs(60);

/// What was asked for.
#[derive(clap::Args)]
pub struct Options {
    /// Pairs of runs, with and without readers
    #[arg(long, default_value_t = 10)]
    pairs: usize,
    /// Time limit of each run
    #[arg(long, default_value = "60s")]
    time: String,
    /// Concurrent readers in the second part
    #[arg(long, default_value_t = 20)]
    readers: usize,
    /// Duration of the second part
    #[arg(long, default_value_t = 60)]
    minutes: u64,
    /// Directory for the files
    #[arg(long, default_value_os_t = tool::target())]
    dir: PathBuf,
}

/// Both parts.
pub fn bench(root: &Path, options: &Options) -> Result<bool> {
    let bakeoff = super::released()?;
    let scratch = tempfile::tempdir_in(&options.dir)?;
    let server = Server::start(&bakeoff, scratch.path())?;
    let mut figures = pairs(&bakeoff, scratch.path(), &server, options)?;
    figures += &readers(&bakeoff, scratch.path(), &server, options)?;
    page::write(&root.join("docs/live.md"), "live", &figures)?;
    Ok(true)
}

/// `bakeoff serve` on a free port.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(bakeoff: &Path, dir: &Path) -> Result<Server> {
        let mut child = Command::new(bakeoff)
            .arg("--store")
            .arg(dir.join("live.db"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .stderr(Stdio::piped())
            .spawn()?;
        let err = child.stderr.take().context("no stderr")?;
        let mut lines = BufReader::new(err).lines().map_while(std::result::Result::ok);
        let address = lines.find_map(|line| Some(line.split_once("http://")?.1.to_string()));
        let address = address.context("the server says no address")?;
        // It may say more, and shall not wait for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Server { child, address: address.trim_end_matches('/').to_string() })
    }

    /// Memory of the server, and of it with what it starts.
    fn memory(&self) -> (u64, u64) {
        let own = pss_bytes(self.child.id());
        let started = tree(self.child.id()).into_iter().skip(1);
        (own, own + started.map(pss_bytes).sum::<u64>())
    }

    /// CPU time of all its threads and of what it started and has ended, seconds.
    fn cpu_s(&self) -> Result<f64> {
        let cpu = Cpu::read(&self.child.id().to_string())?;
        Ok([cpu.own_ns, cpu.children_ns].concat().iter().sum::<u64>() as f64 / 1e9)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the page and then the events until it is told to end.
struct Reader {
    ends: Arc<AtomicBool>,
    thread: JoinHandle<Result<Seen>>,
}

/// What a reader saw.
struct Seen {
    events: u64,
    gaps: u64,
}

impl Reader {
    fn start(address: &str) -> Reader {
        let ends = Arc::new(AtomicBool::new(false));
        let (address, stop) = (address.to_string(), Arc::clone(&ends));
        Reader { ends, thread: std::thread::spawn(move || read(&address, &stop)) }
    }

    fn end(self) -> Result<Seen> {
        self.ends.store(true, Ordering::Relaxed);
        self.thread.join().map_err(|_| anyhow::anyhow!("a reader panicked"))?
    }
}

fn request(address: &str, path: &str) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(SILENCE))?;
    let text = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(text.as_bytes())?;
    Ok(stream)
}

fn read(address: &str, ends: &AtomicBool) -> Result<Seen> {
    request(address, "/")?.read_to_end(&mut Vec::new())?;
    let mut last: Option<u64> = None;
    let mut seen = Seen { events: 0, gaps: 0 };
    for line in BufReader::new(request(address, "/api/1/events")?).lines() {
        if ends.load(Ordering::Relaxed) {
            break;
        }
        let line = line.context("the stream of events broke")?;
        let Some(id) = line.strip_prefix("id: ") else { continue };
        let number: u64 = id.rsplit_once('-').context("an id")?.1.parse()?;
        // Of the states of the run only the latest is kept, so one may be missing.
        let is_next = last.is_none_or(|last| number == last + 1 || number == last + 2);
        seen.gaps += u64::from(!is_next);
        seen.events += 1;
        last = Some(number);
    }
    Ok(seen)
}

/// A run of two places; what it says of itself.
fn run(bakeoff: &Path, dir: &Path, time: &str) -> Result<Value> {
    let store = dir.join("live.db");
    let places = ["one", "two"].map(|name| dir.join(name));
    for place in &places {
        std::fs::create_dir_all(place)?;
    }
    let quick = ["quick", "--quiet", "--format", "json", "--workload", "randread", "--size", "64m"];
    let mut command = Command::new(bakeoff);
    command.arg("--store").arg(&store).args(quick).args(["--time", time]).args(&places);
    Ok(serde_json::from_str(&tool::answer(&mut command)?)?)
}

/// Speed of a run, the mean of its places, and its noise: the standard deviation of the logarithms
/// of what a place did, as the root of the mean square over the places, percent.
fn told(run: &Value) -> Result<(f64, f64)> {
    let standings = run["verdicts"][0]["standings"].as_array().context("no standings")?;
    let all = |key: &str| -> Vec<f64> {
        standings.iter().filter_map(|standing| standing[key].as_f64()).collect()
    };
    let (means, deviations) = (all("mean"), all("sd_log"));
    ensure!(!means.is_empty() && means.len() == deviations.len(), "a run without figures");
    let count = means.len() as f64;
    let speed = (means.iter().map(|mean| mean.ln()).sum::<f64>() / count).exp();
    let noise = (deviations.iter().map(|sd| sd * sd).sum::<f64>() / count).sqrt();
    Ok((speed, noise * 100.0))
}

fn pairs(bakeoff: &Path, dir: &Path, server: &Server, options: &Options) -> Result<String> {
    let (mut speeds, mut changes, mut noises) = (Vec::new(), Vec::new(), [Vec::new(), Vec::new()]);
    for pair in 0..options.pairs {
        let mut told_of = [(0.0, 0.0); 2];
        for turn in 0..2 {
            let is_watched = (pair + turn) % 2 == 1;
            let reader = is_watched.then(|| Reader::start(&server.address));
            told_of[usize::from(is_watched)] = told(&run(bakeoff, dir, &options.time)?)?;
            reader.map(Reader::end).transpose()?;
        }
        let [alone, watched] = told_of;
        let change = (watched.0 / alone.0 - 1.0) * 100.0;
        eprintln!("pair {pair}: {change:+.2} %, noise {:.2} and {:.2} %", alone.1, watched.1);
        speeds.push(change);
        changes.push(watched.1 - alone.1);
        noises[0].push(alone.1);
        noises[1].push(watched.1);
    }
    if options.pairs == 0 {
        return Ok(String::new());
    }
    let row = |what: &str, values: Vec<f64>, unit: &str| {
        let Spread { median, low, high } = Spread::from_values(values);
        [what.to_owned(), format!("{median:.2}{unit}"), format!("{low:.2} to {high:.2}{unit}")]
    };
    let [alone, watched] = noises;
    let title = format!("{} pairs of runs of {} at most", options.pairs, options.time);
    let rows = [
        row("speed with a reader relative to without", speeds, " %"),
        row("noise of a run without a reader", alone, " %"),
        row("noise of a run with a reader", watched, " %"),
        row("change of the noise within a pair, percentage points", changes, ""),
    ];
    Ok(page::table([Left(&title), Left("median"), Left("range")], rows) + "\n")
}

fn readers(bakeoff: &Path, dir: &Path, server: &Server, options: &Options) -> Result<String> {
    let time = Duration::from_secs(options.minutes * 60);
    if time.is_zero() {
        return Ok(String::new());
    }
    let all: Vec<Reader> = (0..options.readers).map(|_| Reader::start(&server.address)).collect();
    let since = Instant::now();
    let before = server.cpu_s()?;
    let over = Arc::new(AtomicBool::new(false));
    let (program, at, stop) = (bakeoff.to_path_buf(), dir.to_path_buf(), Arc::clone(&over));
    let running = std::thread::spawn(move || -> Result<u32> {
        let mut runs = 0;
        while !stop.load(Ordering::Relaxed) {
            run(&program, &at, "60s")?;
            runs += 1;
        }
        Ok(runs)
    });
    let mut most = (0, 0);
    while since.elapsed() < time {
        let (own, all) = server.memory();
        most = (most.0.max(own), most.1.max(all));
        std::thread::sleep(TICK);
    }
    let share = (server.cpu_s()? - before) / since.elapsed().as_secs_f64() * 100.0;
    let seen: Vec<Seen> = all.into_iter().map(Reader::end).collect::<Result<_>>()?;
    over.store(true, Ordering::Relaxed);
    let runs = running.join().map_err(|_| anyhow::anyhow!("the runs panicked"))??;
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let gaps: u64 = seen.iter().map(|seen| seen.gaps).sum();
    let events = Spread::from_values(seen.iter().map(|seen| seen.events as f64));
    let title =
        format!("{} readers for {} min during {runs} runs", options.readers, options.minutes);
    let rows = [
        ("events of each reader", format!("{:.0} to {:.0}, {gaps} gaps", events.low, events.high)),
        ("largest memory use of the server", format!("{:.1} MiB", mib(most.0))),
        ("the same with the processes that analyse the run", format!("{:.1} MiB", mib(most.1))),
        ("CPU time of all of them", format!("{share:.1} % of one processor")),
    ];
    let rows = rows.map(|(what, measured)| [what.to_owned(), measured]);
    Ok(page::table([Left(&title), Left("")], rows))
}
