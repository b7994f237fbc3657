//! The figures of one sysbench report held against each other: what can be had from two others has
//! to agree with them, or the report is two that are mixed up.

use super::Known;
use crate::tools::sysbench::field::Key;
use crate::tools::sysbench::measured::{NEAR_SECONDS, latest_s};

/// What counts requests, and the bytes they moved.
const VOLUMES: [(Key, Key); 4] = [
    (Key::Reads, Key::ReadVolume),
    (Key::Writes, Key::WrittenVolume),
    (Key::ReadsPerSecond, Key::ReadThroughput),
    (Key::WritesPerSecond, Key::WrittenThroughput),
];

impl Known<'_> {
    /// The most bytes that requests of this many can have moved, where that is known.
    fn most_bytes(&self, requests: (f64, f64)) -> Option<f64> {
        let block = self.value(Key::BlockSize).filter(|_| self.field(Key::MergedSize).is_none())?;
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

    /// Why the figures cannot all be of one run.
    pub(super) fn contradiction(&self) -> Option<&'static str> {
        use Key::*;
        let has = |keys: &[Key]| keys.iter().any(|key| self.field(*key).is_some());
        let is_old = has(&[Reads, Requests, EventTime, TotalVolume]);
        if is_old && has(&[ReadsPerSecond, WritesPerSecond, ReadThroughput, LatencySum]) {
            return Some("figures that only 0.4 prints are among figures that only 1.0 prints");
        }
        let is_run = [Threads, Mode, TotalTime].iter().any(|key| self.field(*key).is_some());
        if self.field(PreparedBytes).is_some() && is_run {
            return Some("one report contains a prepare and a run");
        }
        if let (Some(rate), Some(seconds)) = (self.near(PreparedRate), self.near(PreparedSeconds))
            && !self.is_product(rate, seconds, PreparedBytes)
        {
            return Some(
                "the rate of prepare times its time does not equal the bytes that it wrote",
            );
        }
        if self.field(PreparedBytes).is_some() && self.field(FileCount).is_none() {
            return Some("a prepare lacks the number of its files");
        }
        let counts = [Reads, Writes, Other, TotalOperations].map(|key| self.value(key));
        if let [Some(reads), Some(writes), Some(other), Some(total)] = counts {
            if reads + writes + other != total {
                return Some("the operations do not add up to their total");
            }
            if self.value(Events).is_some_and(|events| events != reads + writes) {
                return Some("there are more or fewer events than reads and writes");
            }
        }
        if let Some(block) = self.request_bytes() {
            for (count, volume) in [(Reads, ReadVolume), (Writes, WrittenVolume)] {
                let Some(count) = self.value(count) else { continue };
                if !self.is_product((count, 0.0), (block, 0.0), volume) {
                    return Some("requests times block size does not equal the printed volume");
                }
            }
            let pairs = [(ReadsPerSecond, ReadThroughput), (WritesPerSecond, WrittenThroughput)];
            for (rate, volume) in pairs {
                let Some(rate) = self.near(rate) else { continue };
                if !self.is_product(rate, (block, 0.0), volume) {
                    return Some(
                        "requests per second times block size does not equal the throughput",
                    );
                }
            }
        }
        for (count, volume) in VOLUMES {
            let most = self.near(count).and_then(|count| self.most_bytes(count));
            let moved = self.near(volume).map(|(volume, slack)| volume - slack);
            if most.zip(moved).is_some_and(|(most, moved)| moved > most) {
                return Some("requests transferred more than a block each");
            }
        }
        let seconds = self.near(TotalTime)?;
        if let Some(rate) = self.near(Throughput)
            && !self.is_product(rate, seconds, TotalVolume)
        {
            return Some("throughput times total time does not equal the transferred volume");
        }
        self.requests_of_0_4(seconds)
    }

    /// How far the events of 1.0 are from what its rates make of the total time, in words. Such a
    /// report is no mixture: 1.0 divides by a time that it reads later than the one it prints, and
    /// how much later depends on what else the machine does.
    ///
    /// Events are reads, writes and the periodic flushes; the last flushes are none.
    pub(super) fn disagreement(&self) -> Option<String> {
        use Key::*;
        let seconds = self.value(TotalTime)?;
        let reads = self.value(ReadsPerSecond)?;
        let (writes, flushes) = (self.value(WritesPerSecond)?, self.value(FsyncsPerSecond)?);
        let events = self.value(Events)?;
        // The rates are of a time that ends later than the printed one: by a millisecond, by some
        // more where the machine is busy.
        let low = (seconds - NEAR_SECONDS).max(0.0);
        let high = latest_s(seconds);
        let least = (reads + writes - 0.01) * low - 1.0;
        let most = (reads + writes + flushes + 0.01) * high + 1.0;
        let agrees = (least..=most).contains(&events);
        (!agrees).then(|| {
            format!(
                "events: {events} printed, {:.0} to {most:.0} by the printed rates and total time",
                least.max(0.0)
            )
        })
    }

    fn requests_of_0_4(&self, seconds: (f64, f64)) -> Option<&'static str> {
        use Key::*;
        if let (Some(rate), Some(_)) = (self.near(Requests), self.field(Events))
            && !self.is_product(rate, seconds, Events)
        {
            return Some("requests per second times total time does not equal the events");
        }
        None
    }
}
