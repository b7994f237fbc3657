//! A run in the shape of fio's JSON, for programs that read that: one job for each candidate and
//! workload, all complete blocks together.
//!
//! Keys and units as fio 3.33 prints them (`stat.c`). Latencies are whole latencies, so `clat_ns`
//! and `lat_ns` hold the same and `slat_ns` nothing; percentiles come from the merged histogram.
//! What bakeoff does not count (context switches, page faults) is left out, not zero.

use serde_json::{Map, Value, json};

use bakeoff_judge::evidence;
use bakeoff_model::event::Cell;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::job::Job;
use bakeoff_model::measurement::{Measurement, OpStats, Window};
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_stats::histogram::Histogram;

use super::bench::Benched;

const RANKS: [f64; 17] = [
    1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95,
    99.99,
];

pub struct FioCase {
    pub candidate: String,
    pub workload: String,
    /// fio's entry of `jobs`.
    pub job: Value,
}

pub fn cases(run: &Run) -> Vec<FioCase> {
    let mut all = Vec::new();
    for (at, candidate) in CandidateIx::each(&run.header.candidates) {
        for (which, workload) in WorkloadIx::each(&run.header.workloads) {
            let cells: Vec<&Cell> = run
                .complete_cells()
                .filter(|cell| (cell.candidate, cell.workload) == (at, which))
                .filter(|cell| !evidence::is_invalid(&run.header, cell))
                .collect();
            if !cells.is_empty() {
                let candidate = sanitize(&candidate.name);
                let measured: Vec<&Measurement> =
                    cells.iter().map(|cell| &cell.measurement).collect();
                let name = sanitize(&workload.name);
                let job = job(&format!("{candidate} {name}"), &name, &measured);
                all.push(FioCase { candidate, workload: sanitize(&workload.name), job });
            }
        }
    }
    all
}

pub fn document(run: &Run, jobs: &[&Value]) -> String {
    of_version(&run.header.version, jobs)
}

/// The jobs of a bench, as `--output-format=json` has fio print them.
pub fn of_bench(version: &str, jobs: &[Benched]) -> String {
    let jobs: Vec<Value> = jobs
        .iter()
        .map(|benched| {
            let name = sanitize(benched.name.as_deref().unwrap_or("bakeoff"));
            job(&name, &name, &[&benched.measurement])
        })
        .collect();
    of_version(version, &jobs.iter().collect::<Vec<&Value>>())
}

fn of_version(version: &str, jobs: &[&Value]) -> String {
    let text = json!({
        "fio version": format!("bakeoff-{version}"),
        "global options": {},
        "jobs": jobs,
        "disk_util": [],
    });
    format!("{text:#}\n")
}

fn job(name: &str, workload: &str, all: &[&Measurement]) -> Value {
    let elapsed_ns: u64 = all.iter().map(|m| m.elapsed_ns).sum();
    let of = |pick: fn(&Measurement) -> &Option<OpStats>| -> Vec<&OpStats> {
        all.iter().filter_map(|m| pick(m).as_ref()).collect()
    };
    let reads = of(|m| &m.read);
    let writes = of(|m| &m.write);
    let flushes = of(|m| &m.flush);
    let read_windows: Vec<f64> = windows(all, |w| w.read_bytes);
    let write_windows: Vec<f64> = windows(all, |w| w.write_bytes);
    let cpu = |pick: fn(&Measurement) -> u64| {
        let ns: u64 = all.iter().map(|m| pick(m)).sum();
        ns as f64 * 100.0 / elapsed_ns.max(1) as f64
    };
    let mut both = histogram(&reads);
    both.merge(&histogram(&writes));
    let [ns, us, ms] = decades(&both);
    let options = all.first().map_or(Value::Null, |m| options(workload, &m.job));
    json!({
        "jobname": name,
        "groupid": 0,
        "error": 0,
        "elapsed": elapsed_ns.div_ceil(1_000_000_000),
        "job options": options,
        "read": side(&reads, elapsed_ns, &read_windows),
        "write": side(&writes, elapsed_ns, &write_windows),
        "trim": side(&[], elapsed_ns, &[]),
        "sync": { "total_ios": total(&flushes, |s| s.total_ios), "lat_ns": latency(&flushes) },
        "job_runtime": elapsed_ns / 1_000_000,
        "usr_cpu": cpu(|m| m.usr_cpu_ns),
        "sys_cpu": cpu(|m| m.sys_cpu_ns),
        "latency_ns": ns,
        "latency_us": us,
        "latency_ms": ms,
    })
}

fn options(name: &str, job: &Job) -> Value {
    let mut options = json!({
        "name": sanitize(name),
        "rw": job.rw.name(),
        "bs": job.bs.to_string(),
        "size": job.size.to_string(),
        "iodepth": job.iodepth.to_string(),
        "numjobs": job.numjobs.to_string(),
        "direct": u8::from(job.direct).to_string(),
        "ioengine": job.engine.name(),
    });
    let flushes = [("fsync", job.fsync), ("fdatasync", job.fdatasync)];
    for (option, every) in flushes.into_iter().filter(|(_, every)| *every > 0) {
        options[option] = every.to_string().into();
    }
    if job.end_fsync {
        options["end_fsync"] = "1".into();
    }
    options
}

/// Bytes a second in each stretch of time.
fn windows(all: &[&Measurement], bytes: fn(&Window) -> u64) -> Vec<f64> {
    let windows = all.iter().flat_map(|m| &m.windows).filter(|w| w.len_ns > 0);
    windows.map(|w| bytes(w) as f64 * 1e9 / w.len_ns as f64).collect()
}

fn total(stats: &[&OpStats], pick: fn(&OpStats) -> u64) -> u64 {
    stats.iter().map(|s| pick(s)).sum()
}

fn histogram(stats: &[&OpStats]) -> Histogram {
    let mut all = Histogram::default();
    stats.iter().for_each(|s| all.merge(&s.histogram));
    all
}

fn side(stats: &[&OpStats], elapsed_ns: u64, rates: &[f64]) -> Value {
    let (ios, bytes) = (total(stats, |s| s.total_ios), total(stats, |s| s.io_bytes));
    let seconds = elapsed_ns.max(1) as f64 / 1e9;
    let rate = bytes as f64 / seconds;
    let rates = if ios == 0 { &[][..] } else { rates };
    let block = bytes as f64 / ios.max(1) as f64;
    let kib: Vec<f64> = rates.iter().map(|rate| rate / 1024.0).collect();
    let iops: Vec<f64> = rates.iter().map(|rate| rate / block.max(1.0)).collect();
    let lat = latency(stats);
    let mut out = json!({
        "io_bytes": bytes,
        "io_kbytes": bytes >> 10,
        "bw_bytes": rate as u64,
        "bw": (rate / 1024.0) as u64,
        "iops": ios as f64 / seconds,
        "runtime": if ios == 0 { 0 } else { elapsed_ns / 1_000_000 },
        "total_ios": ios,
        "short_ios": 0,
        "drop_ios": 0,
        "slat_ns": { "min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0 },
        "clat_ns": lat.clone(),
        "lat_ns": lat,
    });
    if let Value::Object(map) = &mut out {
        sampled(map, "bw", "bw_dev", &kib);
        sampled(map, "iops", "iops_stddev", &iops);
    }
    out
}

/// `NAME_min`, `_max`, `_mean`, the deviation and `_samples` over stretches of time.
fn sampled(map: &mut Map<String, Value>, name: &str, deviation: &str, values: &[f64]) {
    let (mean, sd) = mean_and_deviation(values.iter().map(|value| (*value, 1)));
    let low = values.iter().copied().reduce(f64::min).unwrap_or(0.0);
    let high = values.iter().copied().reduce(f64::max).unwrap_or(0.0);
    map.insert(format!("{name}_min"), json!(low as u64));
    map.insert(format!("{name}_max"), json!(high as u64));
    map.insert(format!("{name}_mean"), json!(mean));
    map.insert(deviation.to_string(), json!(sd));
    map.insert(format!("{name}_samples"), json!(values.len()));
}

fn mean_and_deviation(values: impl Iterator<Item = (f64, u64)>) -> (f64, f64) {
    let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for (value, count) in values {
        let count = count as f64;
        n += count;
        sum += value * count;
        squares += value * value * count;
    }
    if n == 0.0 {
        return (0.0, 0.0);
    }
    let mean = sum / n;
    (mean, libm::sqrt((squares / n - mean * mean).max(0.0)))
}

fn latency(stats: &[&OpStats]) -> Value {
    let known: Vec<&&OpStats> = stats.iter().filter(|s| !s.lat_ns.is_unknown()).collect();
    let all = histogram(stats);
    let count: u64 = known.iter().map(|s| s.total_ios).sum();
    let sum: f64 = known.iter().map(|s| s.lat_ns.mean * s.total_ios as f64).sum();
    let (_, sd) = mean_and_deviation(all.buckets.iter().map(|(ns, n)| (*ns as f64, *n)));
    let mut out = json!({
        "min": known.iter().map(|s| s.lat_ns.min).min().unwrap_or(0),
        "max": known.iter().map(|s| s.lat_ns.max).max().unwrap_or(0),
        "mean": if count == 0 { 0.0 } else { sum / count as f64 },
        "stddev": sd,
        "N": count,
    });
    let percentile: Map<String, Value> = RANKS
        .iter()
        .filter_map(|rank| Some((format!("{rank:.6}"), json!(all.quantile(rank / 100.0)?))))
        .collect();
    if let (Value::Object(map), false) = (&mut out, percentile.is_empty()) {
        map.insert("percentile".to_string(), Value::Object(percentile));
    }
    out
}

/// Shares in percent of operations below 2, 4, 10, … of a unit, as fio's three tables have them.
fn decades(all: &Histogram) -> [Value; 3] {
    let edges = [2u64, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000];
    let count = all.total().max(1) as f64;
    [1u64, 1000, 1_000_000].map(|unit| {
        let mut low = if unit == 1 { 0 } else { unit };
        let mut map = Map::new();
        for edge in edges.iter().filter(|edge| **edge < 2000 || unit > 1000) {
            let high = edge * unit;
            let inside = all.buckets.iter().filter(|(ns, _)| *ns >= low && *ns < high);
            let share = inside.map(|(_, n)| *n).sum::<u64>() as f64 * 100.0 / count;
            map.insert(edge.to_string(), json!(share));
            low = high;
        }
        if unit > 1000 {
            let above = all.buckets.iter().filter(|(ns, _)| *ns >= low).map(|(_, n)| *n);
            map.insert(">=2000".to_string(), json!(above.sum::<u64>() as f64 * 100.0 / count));
        }
        Value::Object(map)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::import;
    use bakeoff_judge::testing::RunBuilder;

    #[test]
    fn our_own_import_reads_it_as_fio_s() {
        let run = RunBuilder::stacks(&["ext4", "f2fs"])
            .workloads(&["randread"])
            .play(5, |_, _, _| 900.0)
            .build();
        let cases = cases(&run);
        assert_eq!(cases.len(), 2);
        let text = document(&run, &cases.iter().map(|case| &case.job).collect::<Vec<_>>());
        let imported = import::all(text.as_bytes());
        assert_eq!((imported.results.len(), imported.unread.len()), (2, 0), "{text}");
        let ours = cases[0].job["read"]["io_bytes"].as_f64().unwrap();
        let bytes = imported.results[0].metrics.iter().find(|m| m.name == "read.bytes");
        assert_eq!(bytes.unwrap().value.as_f64(), ours);
    }
}
