//! What two looks at a device say, by the formulas of iostat(1).
//!
//! Source: rd_stats.c and iostat.c of sysstat 12: rates over the wall time between the looks,
//! waits over the requests of a kind that completed meanwhile, request sizes in KiB. %util is time
//! with at least one request in flight: it says nothing about a device that serves several at a
//! time, and is shown because people look for it, never used to conclude anything.

use crate::sysinfo::block_stat::BlockStat;

/// One kind of request between two looks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Requests {
    pub per_s: f64,
    pub bytes_per_s: f64,
    pub await_ms: f64,
    pub size_bytes: f64,
    pub merged_per_s: f64,
}

impl Requests {
    /// Share of the requests that were merged into another, percent (%rrqm of iostat).
    pub fn merged_percent(&self) -> f64 {
        let all = self.merged_per_s + self.per_s;
        if all > 0.0 { self.merged_per_s * 100.0 / all } else { 0.0 }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeviceRates {
    pub read: Requests,
    pub write: Requests,
    /// Discards; `None` where the kernel does not count them.
    pub discard: Option<Requests>,
    pub flush: Option<Requests>,
    pub queue: f64,
    /// Share of the time with a request in flight, percent.
    pub util_percent: f64,
}

/// The rates between two looks `elapsed_ns` apart; `None` when no time passed.
pub fn device(before: &BlockStat, after: &BlockStat, elapsed_ns: u64) -> Option<DeviceRates> {
    if elapsed_ns == 0 {
        return None;
    }
    let seconds = elapsed_ns as f64 / 1e9;
    let grown = |of: fn(&BlockStat) -> u64| of(after).saturating_sub(of(before)) as f64;
    let requests = |count: f64, merges: f64, bytes: f64, ms: f64| Requests {
        per_s: count / seconds,
        merged_per_s: merges / seconds,
        bytes_per_s: bytes / seconds,
        await_ms: if count > 0.0 { ms / count } else { 0.0 },
        size_bytes: if count > 0.0 { bytes / count } else { 0.0 },
    };
    let flushes = (before.flushes.is_some() && after.flushes.is_some()).then(|| {
        let count = grown(|s| s.flushes.unwrap_or(0));
        requests(count, 0.0, 0.0, grown(|s| s.flush_ms.unwrap_or(0)))
    });
    let discards = before.discards.zip(after.discards).map(|(then, now)| {
        let grown = |now: u64, then: u64| now.saturating_sub(then) as f64;
        requests(
            grown(now.count, then.count),
            grown(now.merges, then.merges),
            grown(now.bytes, then.bytes),
            grown(now.ms, then.ms),
        )
    });
    Some(DeviceRates {
        read: requests(
            grown(|s| s.reads),
            grown(|s| s.read_merges),
            grown(|s| s.read_bytes),
            grown(|s| s.read_ms),
        ),
        write: requests(
            grown(|s| s.writes),
            grown(|s| s.write_merges),
            grown(|s| s.written_bytes),
            grown(|s| s.write_ms),
        ),
        discard: discards,
        flush: flushes,
        queue: grown(|s| s.queue_ms) / (seconds * 1e3),
        util_percent: (grown(|s| s.busy_ms) / (seconds * 10.0)).min(100.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formulas_of_iostat() {
        let before = BlockStat::default();
        let after = BlockStat {
            reads: 200,
            read_bytes: 200 * 4096,
            read_ms: 100,
            queue_ms: 3000,
            busy_ms: 1900,
            flushes: Some(10),
            flush_ms: Some(40),
            ..before
        };
        let rates = device(
            &BlockStat { flushes: Some(0), flush_ms: Some(0), ..before },
            &after,
            2_000_000_000,
        )
        .unwrap();
        assert_eq!((rates.read.per_s, rates.read.bytes_per_s), (100.0, 409_600.0));
        assert_eq!((rates.read.await_ms, rates.read.size_bytes), (0.5, 4096.0));
        assert_eq!((rates.queue, rates.util_percent), (1.5, 95.0));
        assert_eq!(rates.write, Requests::default());
        assert_eq!(rates.flush.map(|f| f.await_ms), Some(4.0));
        assert_eq!(device(&before, &after, 0), None);
        assert_eq!(device(&before, &after, 1).unwrap().flush, None, "counted by one look only");
    }
}
