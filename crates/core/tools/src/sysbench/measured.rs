//! sysbench's figures as what it did.

use crate::measured::{Done, Figures, Work, whole};

/// How far the time that 1.0's rates are of may be from the one it prints.
const NEAR_SECONDS: f64 = 0.002;
/// How much later than that it may end on a busy machine, as a share.
const LATER_SHARE: f64 = 0.03;

/// 0.4 and 0.5 print counts; 1.0 prints rates, which over their time come to whole counts.
pub fn work(figures: Figures<'_>) -> Result<Work, String> {
    let printed_ns = figures.above_zero("total_time")?;
    let elapsed_ns = time_of_rates(figures, printed_ns).unwrap_or(printed_ns);
    let block = figures.above_zero("block_size")?;
    let count = |total: &str, rate: &str| {
        let seconds = elapsed_ns as f64 / 1e9;
        let by_rate = || figures.find(rate).map(|rate| rate * seconds);
        figures.find(total).or_else(by_rate).map_or(0, whole)
    };
    let data = |ios: u64| Done::without_latency(ios, ios.saturating_mul(block));
    let (reads, writes) =
        (count("reads", "reads_per_second"), count("writes", "writes_per_second"));
    let flush = Done::without_latency(count("fsyncs", "fsyncs_per_second"), 0);
    if reads + writes == 0 {
        return Err(figures.missing("reads or writes"));
    }
    Ok(Work { elapsed_ns, read: data(reads), write: data(writes), flush, ..Work::default() })
}

/// The time that 1.0's rates are of: all that was done over all rates. Events are reads, writes and
/// the flushes between them; those at the end, of each file by each thread, count in the rate
/// alone.
fn time_of_rates(figures: Figures<'_>, printed_ns: u64) -> Option<u64> {
    let rate = |name| figures.find(name).unwrap_or(0.0);
    let (data, flushes) =
        (rate("reads_per_second") + rate("writes_per_second"), rate("fsyncs_per_second"));
    let has_bursts = flushes > 0.0 && figures.find("fsync_every").is_some();
    let at_end = figures.find("threads")? * figures.find("file_count")?;
    let events = figures.find("events").filter(|_| data > 0.0)?;
    let seconds = if has_bursts { (events + at_end) / (data + flushes) } else { events / data };
    let printed = printed_ns as f64 / 1e9;
    let latest = printed + NEAR_SECONDS.max(printed * LATER_SHARE);
    (printed - NEAR_SECONDS..=latest).contains(&seconds).then(|| whole(seconds * 1e9))
}
