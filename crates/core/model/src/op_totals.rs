//! Exact sums over operations of one kind, mergeable: what an [`OpStats`] is computed from.

use serde::{Deserialize, Serialize};

use super::measurement::{Latency, OpStats};
use bakeoff_stats::histogram::Histogram;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpTotals {
    pub count: u64,
    pub bytes: u64,
    pub sum_ns: u64,
    /// Shortest latency; `u64::MAX` where there was none.
    pub min_ns: u64,
    pub max_ns: u64,
    pub histogram: Histogram,
}

impl Default for OpTotals {
    fn default() -> OpTotals {
        let histogram = Histogram::default();
        OpTotals { count: 0, bytes: 0, sum_ns: 0, min_ns: u64::MAX, max_ns: 0, histogram }
    }
}

impl OpTotals {
    pub fn merge(&mut self, other: &OpTotals) {
        self.count = self.count.saturating_add(other.count);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.sum_ns = self.sum_ns.wrapping_add(other.sum_ns);
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        self.histogram.merge(&other.histogram);
    }

    /// Rates and latencies over `elapsed_ns`; `None` where nothing was done.
    pub fn stats(self, elapsed_ns: u64) -> Option<OpStats> {
        if self.count == 0 {
            return None;
        }
        let quantile = |q| self.histogram.supported_quantile(q);
        let seconds = elapsed_ns.max(1) as f64 / 1e9;
        let lat_ns = Latency {
            min: self.min_ns,
            mean: self.sum_ns as f64 / self.count as f64,
            max: self.max_ns,
            p50: quantile(0.5),
            p90: quantile(0.9),
            p95: quantile(0.95),
            p99: quantile(0.99),
            p99_9: quantile(0.999),
            p99_99: quantile(0.9999),
        };
        Some(OpStats {
            total_ios: self.count,
            io_bytes: self.bytes,
            iops: self.count as f64 / seconds,
            bw_bytes_per_s: self.bytes as f64 / seconds,
            lat_ns,
            histogram: self.histogram,
        })
    }
}
