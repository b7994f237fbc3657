//! `fio`: its JSON and text outputs, versions 2 and 3.
//!
//! fio counts bytes and milliseconds, so a rate is bytes over runtime; its own rate is only used
//! to see that the two belong together. In text the byte count has four digits, and is requests
//! times block size when every request had one size. Latencies are completion latencies (`clat`)
//! unless they are named otherwise. Source: fio 3.33 and 2.1, `stat.c`.

mod announced;
mod block;
mod direction;
pub mod jobfile;
pub mod json;
pub(crate) mod measured;
pub mod options;
mod order;
mod paths;
mod scalar;
mod summary;
#[cfg(test)]
mod tests;
pub mod text;
pub(crate) mod words;

use crate::scan::ScannedTool;
use crate::scan::result::{Metrics, Out, Place, finding};
use bakeoff_model::finding::Severity;

pub static TOOL: ScannedTool = ScannedTool::new(
    "fio",
    &["clat percentiles", ": IOPS=", "fio version", "jobname", " aggrb=", ";fio-3."],
    || vec![Box::new(json::Json::default()), Box::new(text::FioText::default())],
);

pub struct DirectionVolume {
    pub bytes: (u64, String, u64),
    pub runtime_ms: Option<(u64, String, u64)>,
    /// Bytes a second, where they are printed finer than the bytes.
    pub rate: Option<f64>,
}

impl DirectionVolume {
    pub fn give(&self, direction: &str, rate_raw: &str, line: u64, metrics: &mut Metrics) {
        let (bytes, raw, at) = &self.bytes;
        metrics.whole(&format!("{direction}.bytes"), *bytes, "bytes", (raw, *at));
        let Some((ms, raw, at)) = &self.runtime_ms else { return };
        let ns = ms.saturating_mul(1_000_000);
        metrics.whole(&format!("{direction}.elapsed"), ns, "ns", (raw, *at));
        if *ms > 0 && *bytes > 0 {
            let rate = self.rate.unwrap_or(*bytes as f64 * 1000.0 / *ms as f64);
            metrics.real(&format!("{direction}.throughput"), rate, "bytes/s", (rate_raw, line));
        }
    }
}

/// A job: gives a result, or says that fio failed or did nothing.
pub struct JobReader {
    place: Place,
    last_line: u64,
    version: Option<String>,
    name: String,
    error: u64,
    metrics: Metrics,
}

impl JobReader {
    fn give(self, out: &mut Out) {
        let first = self.place.first_line;
        if self.metrics.0.is_empty() {
            let why = match self.error {
                0 => "a job of fio transferred no bytes".to_string(),
                error => format!("a job of fio failed with error {error}"),
            };
            return out.unread(first, self.last_line, why);
        }
        let result = self.place.result("fio", self.version, self.last_line, self.metrics);
        let mut result = result.of_test(&self.name);
        if self.error != 0 {
            let evidence = format!("fio ended the job with error {}", self.error);
            let advice = "Fix the error that fio reports and run it again.";
            result.findings.push(finding("tool-error", Severity::Error, evidence, advice));
        }
        out.result(result);
    }
}
