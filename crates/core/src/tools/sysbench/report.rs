//! The figures of one sysbench report, given as a result where they agree with each other.

mod contradiction;

use super::Open;
use super::field::{Field, Key, MODES};
use crate::model::finding::Severity;
use crate::scan::result::{Metrics, Out, finding};

/// Latencies from here on were never measured: the histogram of 0.4 ends here, and it prints that
/// and more when it has too few events.
const LATENCY_LIMIT_NS: f64 = 1e13;

/// What may be two reports, where the first lines are missing.
const OTHER_EVENTS: &str =
    "the sum of the printed rates times the total time does not equal the number of events";

/// Gives the report, or says why not.
pub fn give(mut open: Open, out: &mut Out) {
    if open.is_in_doubt && open.twice.is_none() {
        let known = Known { fields: &open.fields };
        // The block size is kept where the volume confirms it.
        let is_confirmed = known.contradiction().is_none()
            && known.disagreement().is_none()
            && [Key::ReadVolume, Key::ReadThroughput].iter().any(|key| known.field(*key).is_some());
        open.fields.retain(|field| {
            !field.key.is_setting() || (field.key == Key::BlockSize && is_confirmed)
        });
        open.version = None;
    }
    let (first, last) = (open.place.first_line, open.last_line);
    if let Some(line) = open.twice {
        let why = format!("line {line} repeats a figure of the report, so two reports are mixed");
        return out.unread(first, last, why);
    }
    let known = Known { fields: &open.fields };
    if let Some(fatal) = &open.fatal {
        return out.unread(first, last, format!("sysbench failed: {fatal}"));
    }
    if !known.has_result() {
        let why = "the sysbench output has no result of fileio: it was another test, no run, or it \
                   ended early";
        return out.unread(first, last, why);
    }
    let did_nothing = [Key::Events, Key::TotalOperations].map(|key| known.value(key));
    let moved = [Key::Reads, Key::Writes].map(|key| known.value(key));
    if did_nothing.contains(&Some(0.0)) || moved == [Some(0.0); 2] {
        let why = "sysbench counted no operations: its files were missing, or it failed";
        return out.unread(first, last, why);
    }
    let disagreement = known.disagreement();
    // Without its first lines the report may be two, and then nothing else tells it.
    let mixed = disagreement.as_ref().filter(|_| open.is_in_doubt).map(|_| OTHER_EVENTS);
    if let Some(why) = known.contradiction().or(mixed) {
        return out.unread(first, last, format!("{why}: this is impossible in one run"));
    }
    let mut metrics = Metrics::default();
    known.settings(&mut metrics);
    known.volumes(&mut metrics);
    known.rates(&mut metrics);
    known.times(&mut metrics, last, out);
    let mut result = open.place.result("sysbench", open.version.clone(), last, metrics);
    result.test = known.mode().map(str::to_string);
    if let Some(evidence) = disagreement {
        let advice = "sysbench calculated its rates over a longer time than the total time it \
                      printed, as happens on a busy machine. Compare the events and the total time \
                      instead.";
        result.findings.push(finding("rates-of-another-time", Severity::Warn, evidence, advice));
    }
    let is_prepare = known.field(Key::PreparedBytes).is_some();
    if !open.is_over && !is_prepare {
        let advice = "Use these figures with caution, or import the complete output.";
        let evidence = format!("the report ends on line {last}, before its last line");
        result.findings.push(finding("truncated", Severity::Warn, evidence, advice));
    }
    out.result(result);
}

/// The figures by name.
struct Known<'a> {
    fields: &'a [Field],
}

impl<'a> Known<'a> {
    fn field(&self, key: Key) -> Option<&'a Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    fn value(&self, key: Key) -> Option<f64> {
        self.field(key).map(|field| field.quantity.value())
    }

    /// What rounding may have changed in the value, in its unit.
    fn slack(&self, key: Key) -> f64 {
        self.field(key).map_or(0.0, |field| field.quantity.slack())
    }

    fn has_result(&self) -> bool {
        use Key::*;
        [Reads, ReadsPerSecond, ReadThroughput, PreparedBytes, Throughput]
            .into_iter()
            .any(|key| self.field(key).is_some())
    }

    /// Bytes of one request; `None` when requests were merged, which the last one may not be, or
    /// where files are no whole blocks: since 1.0 the request at their end is shorter.
    fn request_bytes(&self) -> Option<f64> {
        let block = self.value(Key::BlockSize)?;
        let file = self.value(Key::TotalFileSize).zip(self.value(Key::FileCount));
        let is_whole = file.is_none_or(|(total, files)| (total / files) % block == 0.0);
        (self.field(Key::MergedSize).is_none() && is_whole).then_some(block)
    }

    /// A value and its slack.
    fn near(&self, key: Key) -> Option<(f64, f64)> {
        Some((self.value(key)?, self.slack(key)))
    }

    /// The tool's own name of the access pattern.
    fn mode(&self) -> Option<&'static str> {
        let at = self.field(Key::Mode)?.quantity.whole()?;
        MODES.get(usize::try_from(at).ok()?).copied()
    }

    fn settings(&self, metrics: &mut Metrics) {
        for (key, name, unit) in [
            (Key::Threads, "threads", "count"),
            (Key::FileCount, "file_count", "count"),
            (Key::TotalFileSize, "total_file_size", "bytes"),
            (Key::BlockSize, "block_size", "bytes"),
            (Key::FsyncEvery, "fsync_every", "count"),
            (Key::FsyncEachWrite, "fsync_each_write", ""),
            (Key::TimeLimit, "ended_by_time_limit", ""),
        ] {
            self.whole(metrics, key, name, unit);
        }
    }

    fn whole(&self, metrics: &mut Metrics, key: Key, name: &str, unit: &'static str) {
        if let Some(field) = self.field(key) {
            field.quantity.give_whole(name, unit, field.line, metrics);
        }
    }

    fn real(&self, metrics: &mut Metrics, key: Key, name: &str, unit: &'static str) {
        if let Some(field) = self.field(key) {
            field.quantity.give_real(name, unit, field.line, metrics);
        }
    }

    fn volumes(&self, metrics: &mut Metrics) {
        use Key::*;
        let counts = [(Reads, "reads"), (Writes, "writes"), (Other, "fsyncs")];
        for (key, name) in counts {
            self.whole(metrics, key, name, "count");
        }
        let volumes = [(ReadVolume, Reads, "read_bytes"), (WrittenVolume, Writes, "written_bytes")];
        for (volume, count, name) in volumes {
            // The count is exact, the volume has five digits.
            let exact = self.request_bytes().zip(self.field(count));
            let bytes = |(block, count): (f64, &'a Field)| {
                Some((count.quantity.whole_times(block as u64)?, count))
            };
            match exact.and_then(bytes) {
                Some((bytes, count)) => {
                    metrics.whole(name, bytes, "bytes", (&count.quantity.raw, count.line));
                }
                None => self.whole(metrics, volume, name, "bytes"),
            }
        }
        self.whole(metrics, PreparedBytes, "prepared_bytes", "bytes");
        self.real(metrics, PreparedRate, "prepare_throughput", "bytes/s");
    }

    fn rates(&self, metrics: &mut Metrics) {
        use Key::*;
        self.throughput(metrics);
        self.real(metrics, Requests, "requests_per_second", "1/s");
        for (rate, volume, name) in [
            (ReadsPerSecond, ReadThroughput, "read"),
            (WritesPerSecond, WrittenThroughput, "written"),
        ] {
            let label = if name == "read" { "reads_per_second" } else { "writes_per_second" };
            self.real(metrics, rate, label, "1/s");
            let name = format!("{name}_throughput");
            // That every request was a whole block is told by the throughput alone.
            let block = self.request_bytes().filter(|_| self.field(volume).is_some());
            match block.zip(self.value(rate)).zip(self.field(rate)) {
                Some(((block, per_second), field)) => {
                    let printed = (field.quantity.raw.as_str(), field.line);
                    metrics.real(&name, block * per_second, "bytes/s", printed);
                }
                None => self.real(metrics, volume, &name, "bytes/s"),
            }
        }
        self.real(metrics, FsyncsPerSecond, "fsyncs_per_second", "1/s");
    }

    /// The throughput of 0.4: from the bytes and the time when that is finer than what was printed.
    fn throughput(&self, metrics: &mut Metrics) {
        let Some(printed) = self.field(Key::Throughput) else { return };
        let bytes = match (metrics.get("read_bytes"), metrics.get("written_bytes")) {
            (Some(read), Some(written)) => read + written,
            _ => return self.real(metrics, Key::Throughput, "throughput", "bytes/s"),
        };
        let seconds = self.near(Key::TotalTime).filter(|(seconds, slack)| *seconds > slack * 1e5);
        match seconds {
            Some((seconds, _)) => {
                let printed = (printed.quantity.raw.as_str(), printed.line);
                metrics.real("throughput", bytes / seconds, "bytes/s", printed);
            }
            None => self.real(metrics, Key::Throughput, "throughput", "bytes/s"),
        }
    }

    fn times(&self, metrics: &mut Metrics, last: u64, out: &mut Out) {
        for (key, name) in
            [(Key::TotalTime, "total_time"), (Key::EventTime, "event_execution_time")]
        {
            let Some(field) = self.field(key) else { continue };
            if let Some(ns) = field.quantity.whole_times(1_000_000_000) {
                metrics.whole(name, ns, "ns", (&field.quantity.raw, field.line));
            }
        }
        self.whole(metrics, Key::Events, "events", "count");
        let max = self.value(Key::LatencyMax);
        for field in self.fields {
            let Some(name) = field.key.latency_name() else { continue };
            let value = field.quantity.value();
            // Half a bucket of the histogram may lie above the exact maximum.
            let is_rank = matches!(field.key, Key::LatencyRank(_));
            let is_above = is_rank && max.is_some_and(|max| value > max * 1.02 + 1e4);
            if value >= LATENCY_LIMIT_NS || is_above {
                let raw = &field.quantity.raw;
                let why = format!("{name} is {raw}: sysbench had too few events for it");
                out.unread(field.line, field.line.max(last.min(field.line)), why);
                continue;
            }
            field.quantity.give_whole(&name, "ns", field.line, metrics);
        }
    }
}
