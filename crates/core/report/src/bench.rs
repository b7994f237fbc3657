//! What `bench` prints: its jobs, for people and for programs.

use serde_json::{Value, json};

use bakeoff_model::job::{EngineName, Job, Rw};
use bakeoff_model::measurement::{Clock, ClockSource, Latency, Measurement, OpStats};
use bakeoff_model::path::sanitize;
use bakeoff_stats::units;

use super::document::{Document, Table, number, words};
use super::mark;
use super::run_document::FindingView;

/// What a p99 of a closed loop leaves out (Gil Tene, "How NOT to Measure Latency").
const CLOSED_LOOP: &str = "Each p99 is from a load that waits for each answer and sends nothing \
    during a stall (coordinated omission, L48). Independent clients can wait longer. To measure \
    that, send at a fixed rate (rate_iops).";

#[derive(Clone, Debug, PartialEq)]
pub struct Benched {
    pub name: Option<String>,
    pub measurement: Measurement,
    /// Share of the bytes read that came from memory, and what to say of it.
    pub from_memory: Option<(f64, String)>,
}

/// `bakeoff/bench/1`: the measurement as it is stored; of several jobs a list of them.
pub fn bench_json(jobs: &[Benched]) -> Value {
    let one = |job: &Benched| {
        // The only ways to fail are a key that is no string and a writer that fails; there are
        // none.
        let mut value = serde_json::to_value(&job.measurement).unwrap_or(Value::Null);
        if let Some(name) = &job.name {
            value["name"] = sanitize(name).into();
        }
        if let Some((share, _)) = job.from_memory {
            value["memory_share"] = share.into();
        }
        value
    };
    match jobs {
        [job] => one(job),
        jobs => json!({
            "schema": "bakeoff/bench/1",
            "jobs": jobs.iter().map(one).collect::<Vec<Value>>(),
        }),
    }
}

pub fn bench_document(jobs: &[Benched]) -> Document {
    let mut out = Document::default();
    for job in jobs {
        out.gap();
        write_job(job, &mut out);
    }
    out
}

/// Rates, latency by kind of operation, the three clocks, CPU and findings.
fn write_job(job: &Benched, out: &mut Document) {
    let m = &job.measurement;
    if let Some((_, words)) = &job.from_memory {
        out.paragraph(words);
    }
    let name = job.name.as_deref().map_or(String::new(), |name| format!("{name}: "));
    out.headline(name + &job_words(&m.job, m));
    out.gap();
    out.rows(m.ops().map(|(name, stats)| (name, rate_words(stats))));
    out.gap();
    out.table(latencies(m));
    out.gap();
    let has_p99 = m.ops().any(|(_, stats)| stats.lat_ns.p99.is_some());
    if has_p99 && m.job.rate_iops.is_none() {
        out.paragraph(CLOSED_LOOP);
        out.gap();
    }
    out.rows(facts(m));
    out.gap();
    for f in m.findings.iter().map(FindingView::new) {
        let text = format!("{} {} ({})", f.evidence(), f.advice, f.id);
        out.marked(mark::severity(f.severity, &format!("{}:", f.severity_word)), text);
    }
}

fn facts(m: &Measurement) -> Vec<(&'static str, String)> {
    let mut facts =
        vec![("time", clock_words(m)), ("CPU", cpu_words(m)), ("depth", depth_words(m))];
    facts.extend(m.clock.map(|clock| ("clock", told_words(&clock))));
    if m.pooled_ios > 0 {
        let writes = m.write.as_ref().map_or(0, |write| write.total_ios);
        let percent = share(m.pooled_ios, writes);
        facts.push(("data", format!("{percent:.0} % of the writes used pre-generated data")));
    }
    if let Some(bytes) = m.verified_bytes {
        facts.push(("verify", format!("{} read back and correct", units::size(bytes))));
    }
    if let Some(due) = m.backlog.filter(|due| *due > 0) {
        let text = format!("{due} operations were due but not started at the time limit");
        facts.push(("backlog", text));
    }
    facts
}

/// "randwrite, bs 4k, size 1 GiB, psync, iodepth 1, numjobs 1, direct, fsync 1: 24.0 s".
fn job_words(job: &Job, m: &Measurement) -> String {
    let mut words = vec![
        job.rw.name().to_string(),
        format!("bs {}", units::block_size(job.bs)),
        format!("size {}", units::size(job.size)),
        m.engine.name().to_string(),
        format!("iodepth {}", job.iodepth),
        format!(
            "numjobs {}{}",
            job.numjobs,
            if job.own_files > 1 { " with a file each" } else { "" }
        ),
        if job.direct { "direct" } else { "buffered" }.to_string(),
    ];
    for (name, every) in [("fsync", job.fsync), ("fdatasync", job.fdatasync)] {
        if every > 0 {
            words.push(format!("{name} {every}"));
        }
    }
    if job.end_fsync {
        words.push("end_fsync".to_string());
    }
    if job.rw.is_mixed() {
        words.push(format!("rwmixread {}", job.rwmixread));
    }
    match (job.rate_iops, job.rate_reads) {
        (Some(rate), None) => words.push(format!("rate_iops {rate}")),
        (Some(all), Some(reads)) => {
            words.push(format!("rate_iops {reads},{}", all.saturating_sub(reads)));
        }
        (None, _) => {}
    }
    words.push(format!("seed {}", job.seed));
    format!("{}: {}, {}", words.join(", "), units::duration(m.elapsed_ns), headline_rate(job, m))
}

/// "1840 writes per second, each flushed": what people compare, without the flushes.
fn headline_rate(job: &Job, m: &Measurement) -> String {
    let flushes = m.flush.as_ref().map_or(0, |flush| flush.total_ios);
    let all = units::count(per_s(m.total_ios() - flushes, m.elapsed_ns));
    let what = match (&m.read, &m.write) {
        (Some(_), None) if job.rw != Rw::SmallFiles => "reads",
        (None, Some(_)) if job.rw != Rw::SmallFiles => "writes",
        _ => "operations",
    };
    let every = [job.fsync, job.fdatasync].into_iter().filter(|every| *every > 0).min();
    let flushed = match every.filter(|_| flushes > 0) {
        Some(1) if what == "writes" => ", each flushed".to_string(),
        Some(1) => ", each write flushed".to_string(),
        Some(every) => format!(", flushed after every {every} writes"),
        None => String::new(),
    };
    format!("{all} {what} per second{flushed}")
}

fn latencies(m: &Measurement) -> Table {
    const NAMES: [&str; 9] = ["min", "mean", "p50", "p90", "p95", "p99", "p99.9", "p99.99", "max"];
    let known = m.ops().filter(|(_, s)| s.total_ios > 0 && !s.lat_ns.is_unknown());
    let (kinds, latencies): (Vec<&str>, Vec<[String; 9]>) =
        known.map(|(name, stats)| (name, latency_words(&stats.lat_ns))).unzip();
    let names = NAMES.iter().enumerate().filter(|_| !latencies.is_empty());
    let cells = names.map(|(at, name)| {
        std::iter::once(name.to_string()).chain(latencies.iter().map(|l| l[at].clone())).collect()
    });
    Table::new(std::iter::once(words("latency")).chain(kinds.into_iter().map(number)), cells)
}

fn per_s(count: u64, ns: u64) -> f64 {
    if ns == 0 { 0.0 } else { count as f64 * 1e9 / ns as f64 }
}

fn rate_words(stats: &OpStats) -> String {
    let count = format!("{} IOPS, {} operations", units::count(stats.iops), stats.total_ios);
    if stats.io_bytes == 0 {
        return count;
    }
    let mib = units::three_digits(stats.bw_bytes_per_s / 1048576.0);
    let rate = format!("{} ({mib} MiB/s)", units::rate(stats.bw_bytes_per_s));
    format!("{count}, {rate}, {}", units::size(stats.io_bytes))
}

fn latency_words(l: &Latency) -> [String; 9] {
    // In an engine's report the mean is finite and not negative; `as` saturates anything else.
    let mean = Some(l.mean as u64);
    [Some(l.min), mean, l.p50, l.p90, l.p95, l.p99, l.p99_9, l.p99_99, Some(l.max)]
        .map(|ns| ns.map_or("-".to_string(), units::latency))
}

fn clock_words(m: &Measurement) -> String {
    let part = |name: &str, ns: u64| {
        format!("{name} {} ({:.0} %)", units::duration(ns), share(ns, m.elapsed_ns))
    };
    let parts =
        [part("data", m.data_ns), part("flush", m.flush_ns), part("close", m.close_ns)].join(", ");
    format!("{}: {parts}", units::duration(m.elapsed_ns))
}

fn cpu_words(m: &Measurement) -> String {
    let cpu_ns = m.usr_cpu_ns.saturating_add(m.sys_cpu_ns);
    let each = cpu_ns.checked_div(m.total_ios()).unwrap_or(0);
    format!(
        "user {}, system {}: {:.0} % of a core, {} per operation; tool {:.1} %",
        units::duration(m.usr_cpu_ns),
        units::duration(m.sys_cpu_ns),
        share(cpu_ns, m.elapsed_ns),
        units::latency(each),
        share(m.tool_ns, m.elapsed_ns),
    )
}

/// Mean latency times rate: how many operations were in flight. In a closed loop that is the depth,
/// or latencies are wrong.
fn depth_words(m: &Measurement) -> String {
    let is_single = m.engine == EngineName::Psync && m.job.engine == EngineName::Psync;
    let depth = if is_single { 1 } else { u64::from(m.job.iodepth) };
    let asked = depth * u64::from(m.job.numjobs);
    let in_flight = m.mean_in_flight();
    let of = if m.job.rate_iops.is_none() { format!(" of {asked}") } else { String::new() };
    format!("{in_flight:.2}{of} in flight on average (mean latency x rate)")
}

fn told_words(clock: &Clock) -> String {
    let how = match clock.source {
        ClockSource::Counter => "processor's counter",
        ClockSource::Vdso => "clock_gettime",
    };
    format!(
        "{how}, error at most {:.0} ppm; latencies are too long by at most {}",
        clock.error_ppm.max(1.0),
        units::latency(clock.stamp_error_ns)
    )
}

/// Percent of the whole; 0 of nothing.
fn share(part_ns: u64, whole_ns: u64) -> f64 {
    if whole_ns == 0 { 0.0 } else { part_ns as f64 * 100.0 / whole_ns as f64 }
}
