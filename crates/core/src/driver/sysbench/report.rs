//! The figures of one sysbench report, held against each other and given as a result.

use super::Open;
use super::field::{Field, Key, MODES};
use crate::import::result::{Metrics, Out, finding};
use crate::model::finding::Severity;

/// Latencies from here on were never measured: the histogram of 0.4 ends here, and it prints that
/// and more when it has too few events.
const LATENCY_LIMIT_NS: f64 = 1e13;

/// Gives the report, or says why not.
pub fn give(mut open: Open, out: &mut Out) {
    if open.is_in_doubt && open.twice.is_none() {
        let known = Known { fields: &open.fields };
        // The block size is kept where the volume confirms it.
        let is_confirmed = known.contradiction().is_none()
            && [Key::ReadVolume, Key::ReadThroughput].iter().any(|key| known.of(*key).is_some());
        open.fields.retain(|field| {
            !field.key.is_setting() || (field.key == Key::BlockSize && is_confirmed)
        });
        open.version = None;
    }
    let (first, last) = (open.place.first_line, open.last_line);
    if let Some((key, line)) = open.twice {
        let why = format!("{key:?} on line {line} is another report's: two of them are mixed up");
        return out.unread(first, last, why);
    }
    let known = Known { fields: &open.fields };
    if let Some(fatal) = &open.fatal {
        return out.unread(first, last, format!("sysbench failed: {fatal}"));
    }
    if !known.has_result() {
        let why = "a sysbench output without a result of fileio: it was another test, no run, or \
                   it ended early";
        return out.unread(first, last, why);
    }
    let did_nothing = [Key::Events, Key::TotalOperations].map(|key| known.value(key));
    let moved = [Key::Reads, Key::Writes].map(|key| known.value(key));
    if did_nothing.contains(&Some(0.0)) || moved == [Some(0.0); 2] {
        let why = "sysbench counted no operation: its files were missing, or it failed";
        return out.unread(first, last, why);
    }
    if let Some(why) = known.contradiction() {
        return out.unread(first, last, why);
    }
    let mut metrics = Metrics::default();
    known.settings(&mut metrics);
    known.volumes(&mut metrics);
    known.rates(&mut metrics);
    known.times(&mut metrics, last, out);
    let mut result = open.place.result("sysbench", open.version.clone(), last, metrics);
    result.test = known.mode().map(str::to_string);
    let is_prepare = known.of(Key::PreparedBytes).is_some();
    if !open.is_over && !is_prepare {
        let advice =
            "Take the figures that are here for what they are, or import the whole output.";
        let evidence = format!("the report ends on line {last}, before its last line");
        result.findings.push(finding("truncated", Severity::Warn, evidence, advice));
    }
    out.result(result);
}

/// The figures by name.
struct Known<'a> {
    fields: &'a [Field],
}

/// How far the time of the rates of 1.0 may be from the printed one, and by which share of it
/// later.
const NEAR_SECONDS: f64 = 0.002;
const LATER_SHARE: f64 = 0.03;
/// What counts requests, and the bytes they moved.
const VOLUMES: [(Key, Key); 4] = [
    (Key::Reads, Key::ReadVolume),
    (Key::Writes, Key::WrittenVolume),
    (Key::ReadsPerSecond, Key::ReadThroughput),
    (Key::WritesPerSecond, Key::WrittenThroughput),
];

impl<'a> Known<'a> {
    fn of(&self, key: Key) -> Option<&'a Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    fn value(&self, key: Key) -> Option<f64> {
        self.of(key).map(|field| field.number.value() * field.unit as f64)
    }

    /// What rounding may have changed in the value, in its unit.
    fn slack(&self, key: Key) -> f64 {
        self.of(key).map_or(0.0, |field| field.number.last_digit() * field.unit as f64)
    }

    fn has_result(&self) -> bool {
        use Key::*;
        [Reads, ReadsPerSecond, ReadThroughput, PreparedBytes, Throughput]
            .into_iter()
            .any(|key| self.of(key).is_some())
    }

    /// Bytes of one request; `None` when requests were merged, which the last one may not be, or
    /// where files are no whole blocks: since 1.0 the request at their end is shorter.
    fn request_bytes(&self) -> Option<f64> {
        let block = self.value(Key::BlockSize)?;
        let file = self.value(Key::TotalFileSize).zip(self.value(Key::FileCount));
        let is_whole = file.is_none_or(|(total, files)| (total / files) % block == 0.0);
        (self.of(Key::MergedSize).is_none() && is_whole).then_some(block)
    }

    /// The most bytes that requests of this many can have moved, where that is known.
    fn most_bytes(&self, requests: (f64, f64)) -> Option<f64> {
        let block = self.value(Key::BlockSize).filter(|_| self.of(Key::MergedSize).is_none())?;
        Some((requests.0 + requests.1) * block)
    }

    /// Whether `a` times `b` can be what was printed as `product`.
    fn is_product(&self, a: (f64, f64), b: (f64, f64), product: Key) -> bool {
        let Some(printed) = self.value(product) else { return true };
        let slack = self.slack(product) * 1.01;
        let low = (a.0 - a.1).max(0.0) * (b.0 - b.1).max(0.0);
        let high = (a.0 + a.1) * (b.0 + b.1);
        printed + slack >= low && printed - slack <= high
    }

    fn near(&self, key: Key) -> Option<(f64, f64)> {
        Some((self.value(key)?, self.slack(key)))
    }

    /// Why the figures cannot all be of one run.
    fn contradiction(&self) -> Option<String> {
        use Key::*;
        let mixed = |what: &str| Some(format!("{what}: the figures of one run do not do that"));
        let has = |keys: &[Key]| keys.iter().any(|key| self.of(*key).is_some());
        let is_old = has(&[Reads, Requests, EventTime, TotalVolume]);
        if is_old && has(&[ReadsPerSecond, WritesPerSecond, ReadThroughput, LatencySum]) {
            return mixed("figures that only 0.4 prints stand among some that only 1.0 prints");
        }
        let is_run = [Threads, Mode, TotalTime].iter().any(|key| self.of(*key).is_some());
        if self.of(PreparedBytes).is_some() && is_run {
            return mixed("a prepare and a run in one report");
        }
        if let (Some(rate), Some(seconds)) = (self.near(PreparedRate), self.near(PreparedSeconds))
            && !self.is_product(rate, seconds, PreparedBytes)
        {
            return mixed("the bytes that prepare wrote are not its rate times its time");
        }
        if self.of(PreparedBytes).is_some() && self.of(FileCount).is_none() {
            return mixed("a prepare without the number of its files");
        }
        let counts = [Reads, Writes, Other, TotalOperations].map(|key| self.value(key));
        if let [Some(reads), Some(writes), Some(other), Some(total)] = counts {
            if reads + writes + other != total {
                return mixed("the operations do not add up to their total");
            }
            if self.value(Events).is_some_and(|events| events != reads + writes) {
                return mixed("there are more or fewer events than reads and writes");
            }
        }
        if let Some(block) = self.request_bytes() {
            for (count, volume) in [(Reads, ReadVolume), (Writes, WrittenVolume)] {
                let Some(count) = self.value(count) else { continue };
                if !self.is_product((count, 0.0), (block, 0.0), volume) {
                    return mixed("requests times block size is not the printed volume");
                }
            }
            let pairs = [(ReadsPerSecond, ReadThroughput), (WritesPerSecond, WrittenThroughput)];
            for (rate, volume) in pairs {
                let Some(rate) = self.near(rate) else { continue };
                if !self.is_product(rate, (block, 0.0), volume) {
                    return mixed("requests per second times block size is not the throughput");
                }
            }
        }
        for (count, volume) in VOLUMES {
            let most = self.near(count).and_then(|count| self.most_bytes(count));
            let moved = self.near(volume).map(|(volume, slack)| volume - slack);
            if most.zip(moved).is_some_and(|(most, moved)| moved > most) {
                return mixed("requests moved more than a block each");
            }
        }
        let seconds = self.near(TotalTime)?;
        if let Some(rate) = self.near(Throughput)
            && !self.is_product(rate, seconds, TotalVolume)
        {
            return mixed("throughput times total time is not the transferred volume");
        }
        self.events_of_1_0(seconds.0).or_else(|| self.requests_of_0_4(seconds))
    }

    /// Events of 1.0 are reads, writes and the periodic flushes; the last flushes are none.
    fn events_of_1_0(&self, seconds: f64) -> Option<String> {
        use Key::*;
        let reads = self.value(ReadsPerSecond)?;
        let (writes, flushes) = (self.value(WritesPerSecond)?, self.value(FsyncsPerSecond)?);
        let events = self.value(Events)?;
        // The rates are of a time that ends later than the printed one: by a millisecond, by some
        // more where the machine is busy.
        let low = (seconds - NEAR_SECONDS).max(0.0);
        let high = seconds + NEAR_SECONDS.max(seconds * LATER_SHARE);
        let least = (reads + writes - 0.01) * low - 1.0;
        let most = (reads + writes + flushes + 0.01) * high + 1.0;
        let agrees = (least..=most).contains(&events);
        (!agrees).then(|| "the events are not what the rates make of the total time".to_string())
    }

    fn requests_of_0_4(&self, seconds: (f64, f64)) -> Option<String> {
        use Key::*;
        if let (Some(rate), Some(_)) = (self.near(Requests), self.of(Events))
            && !self.is_product(rate, seconds, Events)
        {
            return Some("requests per second times total time are not the events".to_string());
        }
        None
    }

    /// The tool's own name of the access pattern.
    fn mode(&self) -> Option<&'static str> {
        let at = self.of(Key::Mode)?.number.times(1)?;
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
        let Some(field) = self.of(key) else { return };
        if let Some(value) = field.number.times(field.unit) {
            metrics.whole(name, value, unit, &field.raw, field.line);
        }
    }

    fn real(&self, metrics: &mut Metrics, key: Key, name: &str, unit: &'static str) {
        if let (Some(field), Some(value)) = (self.of(key), self.value(key)) {
            metrics.real(name, value, unit, &field.raw, field.line);
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
            let exact = self.request_bytes().zip(self.of(count));
            match exact.and_then(|(block, count)| Some((count.number.times(block as u64)?, count)))
            {
                Some((bytes, count)) => {
                    metrics.whole(name, bytes, "bytes", &count.raw, count.line);
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
            let block = self.request_bytes().filter(|_| self.of(volume).is_some());
            match block.zip(self.value(rate)).zip(self.of(rate)) {
                Some(((block, per_second), field)) => {
                    metrics.real(&name, block * per_second, "bytes/s", &field.raw, field.line);
                }
                None => self.real(metrics, volume, &name, "bytes/s"),
            }
        }
        self.real(metrics, FsyncsPerSecond, "fsyncs_per_second", "1/s");
    }

    /// The throughput of 0.4: from the bytes and the time when that is finer than what was printed.
    fn throughput(&self, metrics: &mut Metrics) {
        let Some(printed) = self.of(Key::Throughput) else { return };
        let bytes = match (metrics.get("read_bytes"), metrics.get("written_bytes")) {
            (Some(read), Some(written)) => read + written,
            _ => return self.real(metrics, Key::Throughput, "throughput", "bytes/s"),
        };
        let seconds = self.near(Key::TotalTime).filter(|(seconds, slack)| *seconds > slack * 1e5);
        match seconds {
            Some((seconds, _)) => {
                metrics.real("throughput", bytes / seconds, "bytes/s", &printed.raw, printed.line);
            }
            None => self.real(metrics, Key::Throughput, "throughput", "bytes/s"),
        }
    }

    fn times(&self, metrics: &mut Metrics, last: u64, out: &mut Out) {
        for (key, name) in
            [(Key::TotalTime, "total_time"), (Key::EventTime, "event_execution_time")]
        {
            let Some(field) = self.of(key) else { continue };
            if let Some(ns) = field.number.times(1_000_000_000) {
                metrics.whole(name, ns, "ns", &field.raw, field.line);
            }
        }
        self.whole(metrics, Key::Events, "events", "count");
        let max = self.value(Key::LatencyMax);
        for field in self.fields {
            let name = match field.key {
                Key::LatencyMin => "latency_min".to_string(),
                Key::LatencyAvg => "latency_avg".to_string(),
                Key::LatencyMax => "latency_max".to_string(),
                Key::LatencySum => "latency_sum".to_string(),
                Key::LatencyRank(rank) => format!("latency_p{rank}"),
                _ => continue,
            };
            let value = field.number.value() * field.unit as f64;
            // Half a bucket of the histogram may lie above the exact maximum.
            let is_rank = matches!(field.key, Key::LatencyRank(_));
            let is_above = is_rank && max.is_some_and(|max| value > max * 1.02 + 1e4);
            if value >= LATENCY_LIMIT_NS || is_above {
                let why = format!("{name} is {}: sysbench had too few events for it", field.raw);
                out.unread(field.line, field.line.max(last.min(field.line)), why);
                continue;
            }
            if let Some(ns) = field.number.times(field.unit) {
                metrics.whole(&name, ns, "ns", &field.raw, field.line);
            }
        }
    }
}
