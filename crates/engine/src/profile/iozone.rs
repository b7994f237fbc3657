//! iozone in single-stream mode: each test is one pass over the records of one file.
//!
//! As iozone.c 3.4xx does it: open, flush what was there, start the clock, go through the records,
//! stop the clock; then flush, after reads as well, and close. iozone's own figure ends before the
//! flush unless it is given `-e`; the honest one beside it never does where something was written.
//! Every record is written with a pattern at the
//! start of each 4 KiB and checked for it when it is read, inside the clock.
//!
//! Tests that read are preceded by putting the file out of memory where the job asks for it, but
//! for the second readings, which are about memory.

mod order;

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use bakeoff_core::model::job::Data;
use bakeoff_core::model::measurement::Figure;
use rustix::fs::{OFlags, SeekFrom};

use super::block::{self, Block};
use super::lanes::together;
use super::meter::Meter;
use super::{Context, figure, per_second};
use crate::error::EngineError;
use crate::record::Kind;

const NAME: &str = "iozone.tmp";
const OTHER: &str = "iozone.DUMMY.1";
const PAGE_BYTES: usize = 4096;
/// What iozone leaves at the start of each page; the real one depends on its version.
const PATTERN: [u8; 8] = [0xa5; 8];
/// Records between two reads of the stride test (`-j`).
const STRIDE: u64 = 17;
const MIXED: u16 = 9;

#[derive(Clone, Copy, PartialEq, Eq)]
enum RecordOrder {
    Forward,
    /// From the first on, by pread(2) and pwrite(2).
    ForwardAt,
    Random,
    Backward,
    First,
    Stride,
}

#[derive(Clone, Copy)]
struct IozoneTest {
    word: &'static str,
    writes: bool,
    order: RecordOrder,
    anew: bool,
    /// Repeats what the test before did, so that memory is what it is about.
    again: bool,
}

const fn test(
    word: &'static str,
    writes: bool,
    order: RecordOrder,
    anew: bool,
    again: bool,
) -> IozoneTest {
    IozoneTest { word, writes, order, anew, again }
}

/// In the order of the parts; the mixed one, which is [`MIXED`], comes between.
const TESTS: [IozoneTest; 13] = [
    test("write", true, RecordOrder::Forward, true, false),
    test("rewrite", true, RecordOrder::Forward, false, true),
    test("read", false, RecordOrder::Forward, false, false),
    test("reread", false, RecordOrder::Forward, false, true),
    test("random read", false, RecordOrder::Random, false, false),
    test("random write", true, RecordOrder::Random, false, false),
    test("bkwd read", false, RecordOrder::Backward, false, false),
    test("record rewrite", true, RecordOrder::First, false, false),
    test("stride read", false, RecordOrder::Stride, false, false),
    test("pwrite", true, RecordOrder::ForwardAt, false, false),
    test("pwrite rewrite", true, RecordOrder::ForwardAt, false, true),
    test("pread", false, RecordOrder::ForwardAt, false, false),
    test("pread reread", false, RecordOrder::ForwardAt, false, true),
];

pub fn run(context: &mut Context<'_>) -> Result<(), EngineError> {
    let (before, after) = TESTS.split_at(usize::from(MIXED));
    for (part, test) in (0..).zip(before) {
        single(context, part, *test)?;
    }
    if context.wants(MIXED) {
        mixed(context)?;
    }
    for (part, test) in (MIXED + 1..).zip(after) {
        single(context, part, *test)?;
    }
    Ok(())
}

fn single(context: &mut Context<'_>, part: u16, test: IozoneTest) -> Result<(), EngineError> {
    if !context.wants(part) {
        return Ok(());
    }
    let kind = if test.writes { Kind::Write } else { Kind::Read };
    let mut meter = context.meter(part, &[kind, Kind::Flush], |job| {
        job.end_fsync = test.writes;
        job.invalidate &= !test.again;
    });
    let mut file = IozoneFile::new(context, NAME, test)?;
    let mut beside_ns = 0;
    meter.repeat(|meter| {
        file.open(context, test, meter)?;
        meter.resume();
        file.pass(test, meter, &|| false)?;
        if !test.writes {
            beside_ns += file.sync_beside(meter)?;
        }
        file.close(test, meter)?;
        meter.pause();
        Ok(())
    })?;
    let figures = figures(&meter, test.word, kind, beside_ns);
    context.push(meter.finish(figures));
    Ok(())
}

/// Half the processes read, half write, each its own file in the random order; when the first has
/// finished, what the others do counts no more (iozone's stonewall).
fn mixed(context: &mut Context<'_>) -> Result<(), EngineError> {
    let reading = test("mixed", false, RecordOrder::Random, false, false);
    let tests = [reading, IozoneTest { writes: true, ..reading }];
    let kinds = [Kind::Read, Kind::Write, Kind::Flush];
    let mut lanes = Vec::new();
    for (lane, (test, name)) in (0..).zip(tests.into_iter().zip([NAME, OTHER])) {
        let meter = context.lane(MIXED, lane, &kinds, |job| {
            job.end_fsync = true;
            job.numjobs = 2;
        });
        let mut file = IozoneFile::new(context, name, test)?;
        file.open(context, test, &meter)?;
        lanes.push((meter, (test, file)));
    }
    let is_done = AtomicBool::new(false);
    let done = together(context, lanes, |meter, (test, file)| {
        while !is_done.load(Ordering::Relaxed) {
            file.pass(*test, meter, &|| is_done.load(Ordering::Relaxed))?;
            if meter.job.runtime_ns.is_none() || meter.is_over() {
                is_done.store(true, Ordering::Relaxed);
            }
            if let (false, Some(file)) = (test.writes, &file.file) {
                block::forget(file, (0, 0), meter)?;
            }
        }
        file.close(*test, meter)
    })?;
    let rate = |m: &Meter<'_>| {
        let bytes = m.so_far(Kind::Read).1 + m.so_far(Kind::Write).1;
        per_second(bytes as f64 / 1024.0, m.loop_ns())
    };
    let children: f64 = done.meters.iter().map(rate).sum();
    context.push(done.finish(vec![figure("mixed", children, "kB/sec")]));
    context.workdir.remove(OTHER)
}

/// The file of a test, and what its passes need.
struct IozoneFile {
    name: &'static str,
    file: Option<OwnedFd>,
    block: Block,
    bs: u64,
    records: u64,
    order: Vec<u32>,
    checks: bool,
}

impl IozoneFile {
    fn new(
        context: &Context<'_>,
        name: &'static str,
        test: IozoneTest,
    ) -> Result<IozoneFile, EngineError> {
        let bs = context.job.bs;
        let records = context.job.size / bs;
        let mut block = Block::new(context.job, bs, 0)?;
        let checks = context.job.data == Data::Zero;
        if checks {
            block.bytes().chunks_mut(PAGE_BYTES).for_each(set_pattern);
        }
        let order =
            if test.order == RecordOrder::Random { order::random(records)? } else { Vec::new() };
        Ok(IozoneFile { name, file: None, block, bs, records, order, checks })
    }

    /// Opens it as the test does, whole where the test needs it whole.
    fn open(
        &mut self,
        context: &Context<'_>,
        test: IozoneTest,
        meter: &Meter<'_>,
    ) -> Result<(), EngineError> {
        let whole = self.records * self.bs;
        if test.anew {
            context.workdir.remove(self.name)?;
        } else {
            context.workdir.whole(self.name, &mut self.block, whole)?;
        }
        let access = if test.writes { OFlags::RDWR | OFlags::CREATE } else { OFlags::RDONLY };
        let file = context.workdir.open_file(self.name, access | context.direct())?;
        block::fsync(&file)?;
        if !test.writes {
            block::read_at(&file, self.block.bytes(), 0)?;
            block::cool(&file, meter)?;
        }
        self.file = Some(file);
        Ok(())
    }

    fn pass(
        &mut self,
        test: IozoneTest,
        meter: &mut Meter<'_>,
        should_end: &dyn Fn() -> bool,
    ) -> Result<(), EngineError> {
        let Some(file) = &self.file else { return Ok(()) };
        let (bs, block) = (self.bs, &mut self.block);
        let (mut strided, mut wraps) = (0, 0);
        for index in 0..self.records {
            let record = match test.order {
                RecordOrder::Forward | RecordOrder::ForwardAt => index,
                RecordOrder::Random => self.order[index as usize].into(),
                RecordOrder::Backward => self.records - 1 - index,
                RecordOrder::First => 0,
                RecordOrder::Stride => strided,
            };
            if strided + 1 + STRIDE < self.records.saturating_sub(1) {
                strided += STRIDE;
            } else {
                wraps += 1;
                strided = if self.records <= STRIDE { 0 } else { wraps % self.records };
            }
            let offset = record * bs;
            if test.writes {
                block.fresh(meter, offset, bs as usize);
            }
            let at = test.order == RecordOrder::ForwardAt;
            if !at && test.order != RecordOrder::Forward {
                block::seek(file, SeekFrom::Start(offset))?;
            }
            match (test.writes, at) {
                (true, true) => block::write_at(file, block.bytes(), offset)?,
                (true, false) => block::write(file, block.bytes())?,
                (false, true) => block::read_at(file, block.bytes(), offset)?,
                (false, false) => block::read(file, block.bytes())?,
            }
            if self.checks && !test.writes {
                check(block.bytes(), offset)?;
            }
            meter.op(if test.writes { Kind::Write } else { Kind::Read }, bs);
            if meter.is_cut_off() || should_end() {
                break;
            }
        }
        Ok(())
    }

    /// The flush that iozone does after reads, too: it has nothing to write, takes what the
    /// filesystem makes of it, and counts in iozone's own figures alone.
    fn sync_beside(&mut self, meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        let Some(file) = &self.file else { return Ok(0) };
        meter.pause();
        let began = Instant::now();
        block::fsync(file)?;
        let took = began.elapsed();
        meter.resume();
        Ok(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX))
    }

    fn close(&mut self, test: IozoneTest, meter: &mut Meter<'_>) -> Result<(), EngineError> {
        let Some(file) = self.file.take() else { return Ok(()) };
        if test.writes {
            block::flush(&file, meter)?;
        }
        block::close(file, meter)
    }
}

fn set_pattern(page: &mut [u8]) {
    let len = page.len().min(PATTERN.len());
    page[..len].copy_from_slice(&PATTERN[..len]);
}

fn check(bytes: &[u8], offset: u64) -> Result<(), EngineError> {
    for (page, at) in bytes.chunks(PAGE_BYTES).zip((offset..).step_by(PAGE_BYTES)) {
        let len = page.len().min(PATTERN.len());
        if page[..len] != PATTERN[..len] {
            return Err(EngineError::Verify {
                offset: at,
                expected: PATTERN[0],
                found: page[0],
                note: "iozone's data pattern is missing".to_string(),
            });
        }
    }
    Ok(())
}

/// What iozone prints by default, and with `-e` and `-e -c`; `beside_ns` went into flushes that the
/// meter does not know.
fn figures(meter: &Meter<'_>, word: &str, kind: Kind, beside_ns: u64) -> Vec<Figure> {
    let bytes = meter.so_far(kind).1 as f64;
    let rate = |ns: u64| (per_second(bytes, ns) as u64 >> 10) as f64;
    let flushed_ns = meter.loop_ns() + meter.flush_ns() + beside_ns;
    vec![
        figure(word, rate(meter.loop_ns()), "kB/sec"),
        figure(&format!("{word} -e"), rate(flushed_ns), "kB/sec"),
        figure(&format!("{word} -e -c"), rate(meter.elapsed_ns() + beside_ns), "kB/sec"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_page_is_found() {
        let mut bytes = vec![0; 3 * PAGE_BYTES];
        bytes.chunks_mut(PAGE_BYTES).for_each(set_pattern);
        check(&bytes, 0).unwrap();
        bytes[2 * PAGE_BYTES + 7] = 0;
        let EngineError::Verify { offset, .. } = check(&bytes, 100).unwrap_err() else {
            panic!("another error")
        };
        assert_eq!(offset, 100 + 2 * PAGE_BYTES as u64);
    }
}
