//! What the parent and the engine's child exchange where a cell is measured in slices.
//!
//! The child lives through a block. The parent writes a [`NativeTask`](super::NativeTask) on one
//! line and reads [`Reply::Ready`](super::Reply). Then each line of the parent is a [`Request`],
//! which the child answers with a [`Report`], or `null`, which ends the child. A report has all
//! latencies of its slice, so that the parent can merge the slices that count, whenever it knows
//! which do.

use serde::{Deserialize, Serialize};

use bakeoff_model::measurement::{Measurement, Window};
use bakeoff_model::op_totals::OpTotals;
use bakeoff_model::slice::{Slice, Stretch};
use bakeoff_model::slice_length::{LIMIT_NS, Least, Length};
use bakeoff_stats::histogram::Histogram;

/// Most bytes of a request.
pub const REQUEST_LIMIT_BYTES: u64 = 4 << 10;
/// Most slices of one child: those of a block of a thousand rounds, each repeated.
pub const SLICES_MAX: usize = 2048;

/// What to do in a slice: a part in which the drive settles, then the part that counts, at once.
/// Each ends when its time is over and its minimum is done, and at its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Units of work in which the drive settles; 0 = there is no such part.
    #[serde(default)]
    pub settling: u32,
    #[serde(default = "one")]
    pub counted: u32,
    pub slice_ns: u64,
    /// Data operations of a unit at least; for small files, the files of a set.
    #[serde(default)]
    pub least_ios: u64,
    #[serde(default)]
    pub least_flushes: u64,
    /// Bytes that a unit moves at least.
    #[serde(default)]
    pub least_bytes: u64,
    /// Bytes after which both parts end; 0 = their time alone ends them. What is read again within
    /// a slice may come from memory.
    #[serde(default)]
    pub most_bytes: u64,
    pub limit_ns: u64,
}

fn one() -> u32 {
    1
}

impl Request {
    /// A slice of a length, with units that do `least`; `times` as long as the others.
    pub fn new(length: Length, times: u8, least: Least) -> Request {
        let Least { ios, flushes, bytes } = least;
        Request {
            settling: length.settling,
            counted: length.counted().saturating_mul(times.max(1).into()),
            slice_ns: length.unit_ns,
            least_ios: ios,
            least_flushes: flushes,
            least_bytes: bytes,
            most_bytes: 0,
            limit_ns: LIMIT_NS,
        }
    }

    /// Time after which it is over whatever happens, but for what the drive has in hand then.
    pub fn longest_ns(&self) -> u64 {
        let parts = if self.settling > 0 { 2 } else { 1 };
        self.limit_ns.saturating_mul(parts)
    }
}

/// A kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpKind {
    Read,
    Write,
    /// fsync(2), fdatasync(2).
    Flush,
    Create,
    Stat,
    Unlink,
    Commit,
}

impl OpKind {
    pub const ALL: [OpKind; 7] = [
        OpKind::Read,
        OpKind::Write,
        OpKind::Flush,
        OpKind::Create,
        OpKind::Stat,
        OpKind::Unlink,
        OpKind::Commit,
    ];
}

/// What was done in a slice, by all threads or by one of them. Times in nanoseconds; those of
/// several threads are averages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// `CLOCK_MONOTONIC` at the first operation.
    pub monotonic_ns: u64,
    /// Wall time from the first operation to the end of the last flush.
    pub elapsed_ns: u64,
    pub data_ns: u64,
    pub flush_ns: u64,
    /// Time inside close(2), of small files.
    #[serde(default)]
    pub close_ns: u64,
    pub ops: Vec<(OpKind, OpTotals)>,
    /// User CPU time of the child's process.
    pub usr_cpu_ns: u64,
    /// System CPU time of the child's process.
    pub sys_cpu_ns: u64,
    /// Time its threads were ready to run and had to wait for a CPU; see [`Measurement`].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub waited_ns: Option<u64>,
    pub tool_ns: u64,
    #[serde(default)]
    pub pooled_ios: u64,
    /// Whether its limit ended it before its minimum was done.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub cut: bool,
    /// The part in which the drive settled: contained in nothing else.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub settling: Vec<Stretch>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub along: Vec<Stretch>,
}

impl Report {
    pub fn totals(&self, kind: OpKind) -> Option<&OpTotals> {
        self.ops.iter().find(|(own, _)| *own == kind).map(|(_, totals)| totals)
    }

    fn sum(&self, kinds: &[OpKind], of: impl Fn(&OpTotals) -> u64) -> u64 {
        kinds.iter().filter_map(|kind| self.totals(*kind)).map(of).sum()
    }

    /// Data operations, or for small files the files.
    pub fn ios(&self) -> u64 {
        match self.totals(OpKind::Create) {
            Some(files) => files.count,
            None => self.sum(&[OpKind::Read, OpKind::Write], |totals| totals.count),
        }
    }

    /// Bytes of data read and written.
    pub fn bytes(&self) -> u64 {
        self.sum(&[OpKind::Read, OpKind::Write, OpKind::Create], |totals| totals.bytes)
    }

    pub fn written_bytes(&self) -> u64 {
        self.sum(&[OpKind::Write, OpKind::Create], |totals| totals.bytes)
    }

    /// The same with the part in which the drive settled.
    pub fn written_in_both_parts(&self) -> u64 {
        let (own, settling) = (self.ios().max(1), Stretch::sum(&self.settling).ios);
        (self.written_bytes() as f64 * (1.0 + settling as f64 / own as f64)) as u64
    }

    /// The slice as it is stored. Which round, turn and predecessor it had, when it began in the
    /// run, and whether it counts is for the caller to fill in.
    pub fn slice(&self) -> Slice {
        let main = [OpKind::Create, OpKind::Read, OpKind::Write];
        let main = if self.totals(OpKind::Create).is_some() { &main[..1] } else { &main[1..] };
        let mut latencies = Histogram::default();
        main.iter()
            .filter_map(|kind| self.totals(*kind))
            .for_each(|totals| latencies.merge(&totals.histogram));
        let longest = main.iter().filter_map(|kind| self.totals(*kind)).map(|totals| totals.max_ns);
        let flushes = self.sum(&[OpKind::Flush], |totals| totals.count);
        Slice {
            elapsed_ns: self.elapsed_ns,
            ios: self.ios(),
            bytes: self.bytes(),
            flushes: u32::try_from(flushes).unwrap_or(u32::MAX),
            flush_ns: self.flush_ns,
            p99_ns: latencies.supported_quantile(0.99),
            max_ns: longest.max(),
            settling: self.settling.clone(),
            along: self.along.clone(),
            ..Slice::default()
        }
    }
}

/// The measurement of a cell: what the child said at its end, with the work of the slices that
/// count. Its windows are the slices.
pub fn merged(ended: Measurement, slices: &[&Report]) -> Measurement {
    let sum = |of: fn(&Report) -> u64| slices.iter().map(|slice| of(slice)).sum::<u64>();
    let elapsed_ns = sum(|slice| slice.elapsed_ns).max(1);
    let stats = |kind| {
        let mut totals = OpTotals::default();
        slices.iter().filter_map(|slice| slice.totals(kind)).for_each(|more| totals.merge(more));
        totals.stats(elapsed_ns)
    };
    Measurement {
        elapsed_ns,
        monotonic_ns: slices.first().map(|slice| slice.monotonic_ns),
        data_ns: sum(|slice| slice.data_ns),
        flush_ns: sum(|slice| slice.flush_ns),
        close_ns: sum(|slice| slice.close_ns),
        read: stats(OpKind::Read),
        write: stats(OpKind::Write),
        flush: stats(OpKind::Flush),
        create: stats(OpKind::Create),
        stat: stats(OpKind::Stat),
        unlink: stats(OpKind::Unlink),
        commit: stats(OpKind::Commit),
        usr_cpu_ns: sum(|slice| slice.usr_cpu_ns),
        sys_cpu_ns: sum(|slice| slice.sys_cpu_ns),
        waited_ns: slices.iter().map(|slice| slice.waited_ns).sum(),
        windows: windows(slices),
        tool_ns: sum(|slice| slice.tool_ns),
        pooled_ios: sum(|slice| slice.pooled_ios),
        ..ended
    }
}

fn windows(slices: &[&Report]) -> Vec<Window> {
    let mut start_ns = 0;
    let window = |slice: &&Report| {
        let window = Window {
            start_ns,
            len_ns: slice.elapsed_ns,
            read_bytes: slice.sum(&[OpKind::Read], |totals| totals.bytes),
            write_bytes: slice.sum(&[OpKind::Write, OpKind::Create], |totals| totals.bytes),
            ios: slice.ops.iter().map(|(_, totals)| totals.count).sum(),
        };
        start_ns += slice.elapsed_ns;
        window
    };
    slices.iter().map(window).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(latencies_ns: &[u64], bytes_each: u64) -> OpTotals {
        let mut sum = OpTotals::default();
        for ns in latencies_ns {
            sum.merge(&OpTotals {
                count: 1,
                bytes: bytes_each,
                sum_ns: *ns,
                min_ns: *ns,
                max_ns: *ns,
                histogram: Histogram { buckets: vec![(*ns, 1)] },
            });
        }
        sum
    }

    #[test]
    fn requests_and_reports_are_one_line_each() {
        let request =
            Request::new(Length::of(50_000_000), 1, Least { ios: 20, ..Least::default() });
        let text = serde_json::to_string(&Some(request)).unwrap();
        assert!(!text.contains('\n') && text.len() < 220, "{text}");
        assert_eq!(serde_json::from_str::<Option<Request>>(&text).unwrap(), Some(request));
        assert_eq!(serde_json::from_str::<Option<Request>>("null").unwrap(), None);
        let ops = vec![(OpKind::Read, totals(&[5, 9], 4096)), (OpKind::Flush, totals(&[70], 0))];
        let report = Report { elapsed_ns: 90, ops, ..Report::default() };
        let text = serde_json::to_string(&report).unwrap();
        assert!(!text.contains('\n') && text.len() < 500, "{text}");
        assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
    }

    #[test]
    fn a_slice_counts_data_or_whole_files() {
        let ops = vec![(OpKind::Read, totals(&[5; 30], 4096)), (OpKind::Flush, totals(&[70], 0))];
        let data = Report { ops: ops.clone(), ..Report::default() }.slice();
        assert_eq!((data.ios, data.bytes, data.flushes), (30, 30 * 4096, 1));
        let settling = vec![Stretch { ios: 15, ..Stretch::default() }];
        let written = vec![(OpKind::Write, totals(&[5; 30], 4096))];
        let both = Report { ops: written, settling, ..Report::default() };
        assert_eq!((both.written_bytes(), both.written_in_both_parts()), (30 * 4096, 45 * 4096));
        assert_eq!((data.p99_ns, data.max_ns), (None, Some(5)));
        let files = [ops, vec![(OpKind::Create, totals(&[90; 3], 100))]].concat();
        let files = Report { ops: files, ..Report::default() }.slice();
        assert_eq!((files.ios, files.max_ns), (3, Some(90)));
    }
}
