//! `bakeoff watch` and netdata on the same load: both read the kernel's counters, and both have to
//! say the same. What each calls what is in docs/live.md.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::bench::Bench;
use crate::running::Running;
use crate::skip;
use crate::web::Server;

/// Seconds over which both are compared.
const WINDOW_S: i64 = 20;
/// Seconds before and after it.
const EDGE_S: i64 = 3;
/// They may differ by this share, and by so much where there is next to nothing.
const AGREE: f64 = 0.02;

/// netdata on a port of its own, with nothing but /proc.
fn netdata(dir: &Path) -> Server {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let config = dir.join("netdata.conf");
    let text = format!(
        "[global]\n run as user = root\n[db]\n mode = ram\n update every = 1\n[directories]\n \
         cache = {0}\n lib = {0}\n log = {0}\n[web]\n bind to = {1}\n[ml]\n enabled = no\n\
         [health]\n enabled = no\n[statsd]\n enabled = no\n[plugins]\n enable running new plugins \
         = no\n proc = yes\n",
        dir.display(),
        address
    );
    std::fs::write(&config, text).unwrap();
    let mut command = Command::new("netdata");
    command.arg("-D").arg("-c").arg(&config).arg("-P").arg(dir.join("pid"));
    let process = Running::start(command.stdin(Stdio::null()));
    let server = Server { process, address: address.to_string(), token: None };
    let since = Instant::now();
    while std::net::TcpStream::connect(address).is_err() {
        assert!(since.elapsed() < Duration::from_secs(120), "{}", server.process.err());
        std::thread::sleep(Duration::from_millis(200));
    }
    server
}

/// The mean of a dimension of a chart over the window that ends at `end_s`.
fn theirs(netdata: &Server, chart: &str, dimensions: &[&str], end_s: i64) -> f64 {
    let names = dimensions.join(",");
    let (after, before) = (end_s - WINDOW_S, end_s);
    let path = format!(
        "/api/v1/data?chart={chart}&after={after}&before={before}&points={WINDOW_S}&group=average\
         &dimensions={names}&options=jsonwrap%7Cabsolute&format=json"
    );
    let reply = netdata.get(&path);
    assert_eq!(reply.status, 200, "{chart}: {reply:?}");
    let rows = reply.json()["result"]["data"].as_array().unwrap().clone();
    assert!(rows.len() as i64 >= WINDOW_S - 1, "{chart}: {reply:?}");
    let row = |row: &Value| -> f64 {
        row.as_array().unwrap()[1..].iter().map(|value| value.as_f64().unwrap_or(0.0)).sum()
    };
    rows.iter().map(row).sum::<f64>() / rows.len() as f64
}

/// The same of ours: the frames are cut at the seconds of the window.
fn ours(frames: &[Value], end_s: i64, of: impl Fn(&Value) -> f64) -> f64 {
    let (start, end) = ((end_s - WINDOW_S) as f64, end_s as f64);
    let share = |frame: &Value| {
        let until = frame["unix_ns"].as_f64().unwrap() / 1e9;
        let from = until - frame["elapsed_ns"].as_f64().unwrap() / 1e9;
        (until.min(end) - from.max(start)).max(0.0)
    };
    frames.iter().map(|frame| of(frame) * share(frame)).sum::<f64>() / (end - start)
}

fn disk(frame: &Value, name: &str, figure: &str) -> f64 {
    let disks = frame["disk"].as_array().unwrap();
    let disk = disks.iter().find(|disk| disk["disk_device"] == name);
    disk.and_then(|disk| disk[figure].as_f64()).unwrap_or(0.0)
}

/// The first whole disk that bakeoff shows.
fn disk_name(frames: &[Value]) -> String {
    frames[0]["disk"][0]["disk_device"].as_str().unwrap().to_string()
}

#[test]
fn watch_and_netdata_agree_within_two_percent() {
    if skip::lacks_root() || skip::lacks_command("netdata") {
        return;
    }
    let bench = Bench::new();
    let netdata = netdata(&bench.dir("netdata"));
    let seconds = WINDOW_S + 2 * EDGE_S;
    let mut load = bench.bakeoff();
    let runtime = format!("--runtime={}s", seconds + 2);
    // Steady, and enough to be more than what others do here.
    let mixed = ["--rw=randrw", "--bs=64k", "--size=256m", "--direct=1", "--rate_iops=400"];
    let load = Running::start(load.arg("bench").arg(bench.path()).args(mixed).arg(runtime));
    let watch = format!("--time={seconds}s");
    let seen = bench.run(&["watch", "--format", "json", "--interval", "500ms", &watch]);
    let frames: Vec<Value> =
        seen.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last_s = frames.last().unwrap()["unix_ns"].as_i64().unwrap() / 1_000_000_000;
    let end_s = last_s - EDGE_S + 1;
    load.end();
    let name = disk_name(&frames);
    let of = |figure: &'static str, name: &str| {
        let name = name.to_string();
        move |frame: &Value| disk(frame, &name, figure)
    };
    let cpu = |frame: &Value| {
        let cpus = frame["machine"]["cpu_percent"].as_array().unwrap();
        cpus.iter().map(|cpu| cpu.as_f64().unwrap()).sum::<f64>() / cpus.len() as f64
    };
    let waited = |frame: &Value| frame["machine"]["io_some_percent"].as_f64().unwrap_or(0.0) * 10.0;
    let busy = ["user", "system", "nice", "irq", "softirq", "steal"];
    let (chart, util) = (format!("disk.{name}"), format!("disk_util.{name}"));
    let stalls = "system.io_some_pressure_stall_time";
    let pairs = [
        (
            "reads",
            ours(&frames, end_s, of("rkB/s", &name)),
            theirs(&netdata, &chart, &["reads"], end_s),
        ),
        (
            "writes",
            ours(&frames, end_s, of("wkB/s", &name)),
            theirs(&netdata, &chart, &["writes"], end_s),
        ),
        (
            "busy",
            ours(&frames, end_s, of("util", &name)),
            theirs(&netdata, &util, &["utilization"], end_s),
        ),
        ("processors", ours(&frames, end_s, cpu), theirs(&netdata, "system.cpu", &busy, end_s)),
        ("I/O wait", ours(&frames, end_s, waited), theirs(&netdata, stalls, &["time"], end_s)),
    ];
    eprintln!("{pairs:?}");
    for (what, ours, theirs) in pairs {
        let least = if what == "I/O wait" { 5.0 } else { 0.5 };
        let differ = (ours - theirs).abs();
        assert!(differ <= theirs.abs() * AGREE + least, "{what}: {ours} and {theirs}");
    }
}
