//! fio's figures as what it did: counts, bytes, times, and completion latencies.

use crate::measured::{Done, Figures, Work, whole};
use bakeoff_model::measurement::Latency;

pub fn work(figures: Figures<'_>) -> Result<Work, String> {
    let of = |name: &str| Done {
        ios: figures.find(&format!("{name}.ios")).map_or(0, whole),
        bytes: figures.find(&format!("{name}.bytes")).map_or(0, whole),
        latency: latency(figures, name),
    };
    let (read, write, flush) = (of("read"), of("write"), of("sync"));
    let elapsed = ["read.elapsed", "write.elapsed"].map(|name| figures.find(name).unwrap_or(0.0));
    let elapsed_ns = whole(elapsed[0].max(elapsed[1]));
    if elapsed_ns == 0 {
        return Err(figures.missing("time of a millisecond"));
    }
    let share = |name: &str| {
        let percent = figures.find(name).unwrap_or(0.0);
        whole(percent / 100.0 * elapsed_ns as f64)
    };
    let cpu_ns = [share("user_cpu"), share("system_cpu")];
    let flush_ns = whole(flush.latency.mean * flush.ios as f64);
    Ok(Work { elapsed_ns, read, write, flush, flush_ns, cpu_ns })
}

/// fio's completion latencies of one kind of operation; unknown unless it gives all of minimum,
/// mean and maximum.
fn latency(figures: Figures<'_>, name: &str) -> Latency {
    let of = |what: &str| figures.find(&format!("{name}.latency_{what}"));
    let (Some(min), Some(mean), Some(max)) = (of("min"), of("avg"), of("max")) else {
        return Latency::default();
    };
    let ios = figures.find(&format!("{name}.ios")).unwrap_or(0.0);
    // fio gives every quantile however few the operations; a handful would set it.
    let quantile = |what: &str, q: f64| {
        let is_supported = ios >= 10.0 / (1.0 - q) - 1e-6;
        of(what).filter(|_| is_supported).map(whole)
    };
    Latency {
        min: whole(min),
        mean,
        max: whole(max),
        p50: quantile("p50", 0.5),
        p90: quantile("p90", 0.9),
        p95: quantile("p95", 0.95),
        p99: quantile("p99", 0.99),
        p99_9: quantile("p99.9", 0.999),
        p99_99: quantile("p99.99", 0.9999),
    }
}
