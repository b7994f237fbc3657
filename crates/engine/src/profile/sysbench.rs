//! sysbench fileio: reads and writes over a set of files, with bursts of fsync over all of them.
//!
//! As sysbench 1.0.20 does it: all threads draw from one generator of requests; in modes that
//! write, after every hundred data requests since something was written each file is flushed, clean
//! or not, one flush a request; at the end every thread flushes every file. What 0.4 writes in
//! order it flushes at the end only, so its figures stand beside those of 1.0 where nothing else
//! was done.

mod figures;

use std::os::fd::OwnedFd;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bakeoff_model::job::Rw;
use bakeoff_model::profiles::{self, PartSpec};
use bakeoff_stats::histogram::Histogram;
use bakeoff_stats::prng::SplitMix64;
use rustix::fs::OFlags;

use super::Context;
use super::block::{self, BlockBuffer};
use super::lanes::together;
use super::meter::Meter;
use crate::error::EngineError;
use crate::record::Kind;

const FILES: u32 = 128;
/// Most files: each is open, and a process may have 1024.
const FILES_MAX: u32 = 900;
const READS_PER_WRITE: f64 = 1.5;
const OFFSETS: u64 = 0x7379_7362;

pub fn run(context: &mut Context<'_>) -> Result<(), EngineError> {
    for (part, spec) in (0..).zip(profiles::part_specs(context.profile)) {
        if context.wants(part) {
            measure(context, part, FileSet::of(context, &spec)?)?;
        }
    }
    Ok(())
}

#[derive(Clone, Copy)]
struct FileSet {
    rw: Rw,
    is_new: bool,
    files: u32,
    file_bytes: u64,
    bs: u64,
}

impl FileSet {
    fn of(context: &Context<'_>, spec: &PartSpec) -> Result<FileSet, EngineError> {
        let files = if context.job.nrfiles == 0 { FILES } else { context.job.nrfiles };
        let file_bytes = context.job.size / u64::from(files);
        if files > FILES_MAX || file_bytes < context.job.bs {
            return Err(EngineError::invalid(format!(
                "{files} files of {file_bytes} bytes: at most {FILES_MAX} files, and each at \
                 least a block of {} bytes; change nrfiles or size",
                context.job.bs
            )));
        }
        let (rw, is_new) = (spec.rw, spec.word == "seqwr");
        Ok(FileSet { rw, is_new, files, file_bytes, bs: context.job.bs })
    }

    fn blocks(self) -> u64 {
        self.file_bytes * u64::from(self.files) / self.bs
    }

    /// Where block `index` of the whole set lies: file, offset, bytes. At the end of a file it is
    /// shorter.
    fn place(self, index: u64) -> (usize, u64, u64) {
        let byte = index * self.bs;
        let offset = byte % self.file_bytes;
        // A file's number is below FILES_MAX.
        ((byte / self.file_bytes) as usize, offset, self.bs.min(self.file_bytes - offset))
    }
}

fn name(file: u32) -> String {
    format!("test_file.{file}")
}

fn measure(context: &mut Context<'_>, part: u16, set: FileSet) -> Result<(), EngineError> {
    let rw = set.rw;
    let kinds = [Kind::Read, Kind::Write, Kind::Flush];
    let threads = context.job.numjobs;
    let freq = if context.job.fsync == 0 { 100 } else { context.job.fsync };
    let mut lanes = Vec::new();
    for lane in 0..threads {
        let meter = context.lane(part, lane, &kinds, |job| {
            job.end_fsync = rw.writes();
            job.fsync = if rw.writes() { freq } else { 0 };
        });
        lanes.push((meter, BlockBuffer::new(context.job, set.bs, lane)?));
    }
    let (files, opening) = open(context, set)?;
    let generator = Mutex::new(Generator::new(set, freq, context.job.seed));
    let has_time = context.job.runtime_ns.is_some();
    let asked = context.job.io_size.map(|bytes| bytes.div_ceil(set.bs));
    let most = asked.or((!has_time).then(|| set.blocks()));
    let last_request_ns = AtomicU64::new(0);
    let bursts = Mutex::new(Histogram::default());
    let done = together(context, lanes, |meter, block| {
        loop {
            let request = generator.lock().map_err(|_| super::panicked())?.next(most);
            let Some(request) = request else { break };
            perform(request, set, &files, meter, block)?;
            if meter.is_cut_off() || has_time && meter.is_over() {
                break;
            }
        }
        meter.pause();
        bursts.lock().map_err(|_| super::panicked())?.merge(&meter.histogram(Kind::Flush));
        meter.resume();
        // After the pause, which moves the start of the clock too.
        last_request_ns.fetch_max(meter.now_ns, Ordering::Relaxed);
        if rw.writes() {
            for file in &files {
                block::flush(file, meter)?;
            }
        }
        Ok(())
    })?;
    let generator = generator.into_inner().map_err(|_| super::panicked())?;
    let was_timed = most.is_none_or(|most| generator.data < most);
    let mut figures = figures::of_1_0(&done, bursts.into_inner().map_err(|_| super::panicked())?);
    let is_cut = rw.is_random() && was_timed;
    let old_end_ns = end_of_0_4(is_cut, last_request_ns.into_inner(), done.end_ns());
    if rw.is_random() || generator.flushes == 0 {
        figures.extend(figures::of_0_4(&done, opening, old_end_ns));
    }
    context.push(done.finish(figures));
    Ok(())
}

/// When the clock of 0.4 ends: a random test that its time limit cut ends with its last request,
/// and leaves out the flush at the end.
fn end_of_0_4(is_cut: bool, last_request_ns: u64, end_ns: u64) -> u64 {
    if is_cut { last_request_ns } else { end_ns }
}

/// Opens all files, whole but for the mode that writes new ones, and out of memory if asked; and
/// how long it took without what sysbench's prepare does.
fn open(context: &Context<'_>, set: FileSet) -> Result<(Vec<OwnedFd>, Duration), EngineError> {
    // By blocks, as sysbench's prepare: how large the pages in memory are follows from the writes
    // that made them, and a small write to a large page costs several times the CPU.
    let mut block = BlockBuffer::new(context.job, set.bs, 0)?;
    let mut files = Vec::with_capacity(set.files as usize);
    let mut opening = Duration::ZERO;
    for number in 0..set.files {
        let name = name(number);
        if set.is_new {
            let began = Instant::now();
            context.workdir.remove(&name)?;
            files.push(context.workdir.create(&name, OFlags::RDWR | context.direct())?);
            opening += began.elapsed();
            continue;
        }
        let file = context.workdir.whole(&name, &mut block, set.file_bytes)?;
        if set.rw.reads() {
            block::cool(&file, context.job)?;
        }
        let began = Instant::now();
        files.push(context.workdir.open_file(&name, OFlags::RDWR | context.direct())?);
        opening += began.elapsed();
    }
    Ok((files, opening))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Request {
    Read(u64),
    Write(u64),
    Flush(u32),
}

fn perform(
    request: Request,
    set: FileSet,
    files: &[OwnedFd],
    meter: &mut Meter<'_>,
    block: &mut BlockBuffer,
) -> Result<(), EngineError> {
    match request {
        Request::Flush(file) => {
            block::flush(&files[file as usize], meter)?;
            if set.rw.reads() {
                block::forget(&files[file as usize], (0, 0), meter)?;
            }
        }
        Request::Read(index) => {
            let (file, offset, bytes) = set.place(index);
            block::read_at(&files[file], &mut block.bytes()[..bytes as usize], offset)?;
            meter.op(Kind::Read, bytes);
            // Read-ahead may bring pages that only forgetting the whole file takes out.
            if set.rw.is_random() {
                block::forget(&files[file], (offset, bytes), meter)?;
            } else if offset + bytes == set.file_bytes {
                block::forget(&files[file], (0, 0), meter)?;
            }
        }
        Request::Write(index) => {
            let (file, offset, bytes) = set.place(index);
            let data = block.fresh(meter, index * set.bs, bytes as usize);
            block::write_at(&files[file], data, offset)?;
            meter.op(Kind::Write, bytes);
        }
    }
    Ok(())
}

/// The one source of requests of all threads.
struct Generator {
    set: FileSet,
    freq: u64,
    random: SplitMix64,
    data: u64,
    reads: u64,
    writes: u64,
    /// Whether something was written since the last burst ended.
    dirty: bool,
    flushing: u32,
    flushes: u64,
}

impl Generator {
    fn new(set: FileSet, freq: u32, seed: u64) -> Generator {
        Generator {
            set,
            freq: freq.into(),
            random: SplitMix64::derive(seed, &[OFFSETS]),
            data: 0,
            reads: 0,
            writes: 0,
            dirty: false,
            flushing: 0,
            flushes: 0,
        }
    }

    /// The next request; `None` after `most` data requests.
    fn next(&mut self, most: Option<u64>) -> Option<Request> {
        if self.dirty && self.data.is_multiple_of(self.freq) {
            let file = self.flushing;
            self.flushing = (file + 1) % self.set.files;
            self.dirty = self.flushing != 0;
            self.flushes += 1;
            return Some(Request::Flush(file));
        }
        if most == Some(self.data) {
            return None;
        }
        let (rw, blocks) = (self.set.rw, self.set.blocks());
        let index = if rw.is_random() {
            // A draw times the number of blocks, shifted down, is below the number of blocks.
            ((u128::from(self.random.next_u64()) * u128::from(blocks)) >> 64) as u64
        } else {
            self.data % blocks
        };
        self.data += 1;
        let is_due = ((self.reads + 1) as f64 / (self.writes + 1) as f64) < READS_PER_WRITE;
        let is_read = !rw.writes() || rw.reads() && is_due;
        if is_read {
            self.reads += 1;
            return Some(Request::Read(index));
        }
        self.writes += 1;
        self.dirty = true;
        Some(Request::Write(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(rw: Rw, files: u32, file_bytes: u64) -> FileSet {
        FileSet { rw, is_new: false, files, file_bytes, bs: 16384 }
    }

    fn generator(rw: Rw, files: u32, blocks_a_file: u64) -> Generator {
        Generator::new(set(rw, files, blocks_a_file * 16384), 100, 7)
    }

    #[test]
    fn the_mix_is_the_cycle_of_sysbench_and_a_burst_follows_a_hundred() {
        let mut generator = generator(Rw::RandRw, 8, 16);
        let requests: Vec<Request> = (0..108).filter_map(|_| generator.next(None)).collect();
        let word: String = requests
            .iter()
            .map(|r| match r {
                Request::Read(_) => 'R',
                Request::Write(_) => 'W',
                Request::Flush(_) => 'F',
            })
            .collect();
        assert_eq!(word, "RWRWR".repeat(20) + "FFFFFFFF");
        let flushed: Vec<Request> = (0..8).map(Request::Flush).collect();
        assert_eq!(requests[100..], flushed);
    }

    #[test]
    fn reads_are_never_flushed_and_one_pass_covers_every_block() {
        let mut generator = generator(Rw::Read, 4, 30);
        let all: Vec<Request> = std::iter::from_fn(|| generator.next(Some(120))).collect();
        assert!(all.into_iter().eq((0..120).map(Request::Read)));
        let mut generator = self::generator(Rw::Write, 4, 30);
        let all: Vec<Request> = std::iter::from_fn(|| generator.next(Some(120))).collect();
        let flushes = all.iter().filter(|r| matches!(r, Request::Flush(_))).count();
        assert_eq!((all.len(), flushes), (124, 4));
    }

    #[test]
    fn a_block_at_the_end_of_a_file_is_shortened() {
        let set = set(Rw::Write, 3, 40_000);
        assert_eq!(set.blocks(), 7);
        assert_eq!(set.place(2), (0, 32768, 7232));
        assert_eq!(set.place(3), (1, 49152 - 40_000, 16384));
    }
}
