//! Parts that go through one file record by record: dd, bonnie++ with its file, iozone and nas.
//!
//! What they do stands in `data/streams.csv`, a row for each thread of a part; the words of its
//! columns are [`ORDERS`] and [`STEPS`]. `open` is done outside the clock before each pass, `each`
//! with every record, `again` between two passes without a pause, `end` after the last.
//!
//! dd, as coreutils' dd.c does it: the output is opened and emptied before the clock starts; the
//! clock ends after the flush that was asked for and the close. Without one dd's own figure ends
//! with data still in memory; here the file is flushed after that all the same, inside the honest
//! figure. Source and sink are /dev/zero and /dev/null, as in the recipes people publish.
//!
//! bonnie++, as 1.97 and 2.00 do it: every phase opens the file, starts its clock, and stops it
//! after fsync and close. One-byte phases are timed a chunk's worth of calls at a time, as bonnie++
//! times them: reading a clock for each byte would be part of the result. Phases that read are
//! preceded by putting the file out of memory where the job asks for it; bonnie++ relies on a file
//! of twice the memory. Seeks are drawn from one pot by several threads; one in ten writes back
//! what it read.
//!
//! iozone, as iozone.c 3.4xx does it: open, flush what was there, start the clock, go through the
//! records, stop the clock; then flush, after reads as well, and close. iozone's own figure ends
//! before the flush unless it is given `-e`; the honest one beside it never does where something
//! was written. Every record is written with a pattern at the start of each 4 KiB and checked for
//! it when it is read, inside the clock. In the mixed test each of two processes has a file of its
//! own; when the first has finished, what the other does counts no more (iozone's stonewall).
//!
//! nas, as Samba and knfsd do it: read(2) and write(2) through the page cache. Writers flush their
//! file when they have gone through it, before they begin again, so that nothing is written twice
//! in memory; readers put theirs out of memory. A stream has no end of its own: time ends it
//! wherever it is.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use bakeoff_model::job::{Data, Job};
use bakeoff_stats::prng::mix;
use bakeoff_stats::tables::rows;
use rustix::fs::{CWD, Mode, OFlags, SeekFrom, openat};

use super::block::{self, BlockBuffer};
use super::meter::Meter;
use super::workdir::Workdir;
use super::{Context, order, pattern};
use crate::error::EngineError;
use crate::record::Kind;

const TABLE: &str = include_str!("../../data/streams.csv");
/// Bytes of the one-byte phases where the job has no `io_size`, as where bonnie++ has no `-f`.
const PER_CHAR_BYTES: u64 = 3 << 20;
/// Records between two reads of iozone's stride test (`-j`).
const STRIDE: u64 = 17;
const SEEKS: u64 = 8192;

type Order = fn(&mut Stream<'_>, u64) -> u64;
type Work = fn(&mut Stream<'_>, &mut Meter<'_>, OFlags) -> Result<(), EngineError>;
/// A step, and how it opens a file.
pub type Step = (Work, OFlags);

const ORDERS: &[(&str, Order)] = &[
    ("forward", |_, at| at),
    ("backward", |s, at| s.records - 1 - at),
    ("first", |_, _| 0),
    ("random", |s, at| s.shuffled[at as usize].into()),
    ("stride", |s, at| {
        if at == 0 {
            (s.strided, s.wraps) = (0, 0);
        }
        let record = s.strided;
        if record + 1 + STRIDE < s.records.saturating_sub(1) {
            s.strided += STRIDE;
        } else {
            s.wraps += 1;
            s.strided = if s.records <= STRIDE { 0 } else { s.wraps % s.records };
        }
        record
    }),
    // As rand(3) gives them: 31 bits.
    ("pot", |s, ticket| {
        s.at = mix(s.seed ^ mix(ticket)) >> 33;
        s.at % s.records
    }),
];

/// What the words of the table do; some are followed by how a file is opened: for reading, writing
/// or both, past the page cache where the job asks for it, created where it is missing.
const STEPS: &[(&str, Work)] = &[
    ("remove", |s, _, _| s.workdir.remove(&s.name)),
    ("create", |s, _, how| s.workdir.create(&s.name, how).map(|file| s.file.0 = Some(file))),
    ("open", |s, _, how| {
        s.file.0 = None;
        s.workdir.open_file(&s.name, how).map(|file| s.file.0 = Some(file))
    }),
    ("lay", |s, _, _| {
        let file = s.workdir.whole(&s.name, &mut s.block, s.records * s.bs)?;
        s.file.0 = Some(file);
        Ok(())
    }),
    // By large blocks, whatever the size of a record.
    ("lay-large", |s, _, _| {
        let whole = s.records * s.bs;
        let mut large = BlockBuffer::new(&s.job, whole.min(1 << 20), 0)?;
        s.workdir.whole(&s.name, &mut large, whole).map(drop)
    }),
    ("cool", |s, m, _| block::cool(&s.file, &m.job)),
    ("make", |_, m, _| {
        m.made();
        Ok(())
    }),
    ("sync", |s, _, _| block::fsync(&s.file)),
    ("flush", |s, m, _| block::flush(&s.file, m)),
    ("flush-data", |s, m, _| block::flush_data(&s.file, m)),
    // A file that was opened for it and is not used again.
    ("last-flush", |s, m, _| block::flush(std::mem::take(&mut s.file), m)),
    // The flush that iozone does after reads, too: it has nothing to write, takes what the
    // filesystem makes of it, and counts in iozone's own figures alone.
    ("beside", |s, m, _| {
        m.pause();
        let began = Instant::now();
        block::fsync(&s.file)?;
        s.beside_ns += u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        m.resume();
        Ok(())
    }),
    ("close", |s, m, _| s.file.0.take().map_or(Ok(()), |file| block::close(file, m))),
    ("rewind", |s, _, _| block::seek(&s.file, SeekFrom::Start(0))),
    ("seek", |s, _, _| block::seek(&s.file, SeekFrom::Start(s.offset))),
    ("back", |s, _, _| block::seek(&s.file, SeekFrom::Current(-(s.bs as i64)))),
    ("fresh", |s, m, _| {
        s.block.fresh(m, s.offset, s.bs as usize);
        Ok(())
    }),
    ("source", |s, m, _| {
        if s.job.data == Data::Zero {
            block::read(&s.device, s.block.bytes())?;
            m.made();
        } else {
            s.block.fresh(m, s.offset, s.bs as usize);
        }
        Ok(())
    }),
    ("sink", |s, _, _| block::write(&s.device, s.block.bytes())),
    // One byte of the chunk goes up by one, at a place that moves with the chunks.
    ("touch", |s, _, _| {
        let byte = &mut s.block.bytes()[(s.at % s.bs) as usize];
        *byte = byte.wrapping_add(1);
        Ok(())
    }),
    ("read", |s, _, _| block::read(&s.file, s.block.bytes())),
    ("read-at", |s, _, _| block::read_at(&s.file, s.block.bytes(), s.offset)),
    ("read-bytes", |s, _, _| {
        let bytes = s.block.bytes();
        (0..bytes.len()).try_for_each(|at| block::read(&s.file, &mut bytes[at..=at]))
    }),
    ("write", |s, _, _| block::write(&s.file, s.block.bytes())),
    ("write-at", |s, _, _| block::write_at(&s.file, s.block.bytes(), s.offset)),
    // bonnie++ writes the low seven bits of the position.
    ("write-bytes", |s, _, _| {
        (0..s.bs).try_for_each(|at| block::write(&s.file, &[at as u8 & 0x7f]))
    }),
    ("r", |s, m, _| s.done(m, Kind::Read)),
    ("w", |s, m, _| s.done(m, Kind::Write)),
    // Nine of ten records end here.
    ("one-in-ten", |s, m, _| {
        s.ends_record = !s.at.is_multiple_of(10);
        if s.ends_record { block::forget(&s.file, (s.offset, s.bs), m) } else { Ok(()) }
    }),
    ("forget-all", |s, m, _| block::forget(&s.file, (0, 0), m)),
    ("pattern", |s, _, _| {
        if s.job.data == Data::Zero {
            pattern::set(s.block.bytes());
        }
        Ok(())
    }),
    ("check", |s, _, _| match s.job.data {
        Data::Zero => pattern::check(s.block.bytes(), s.offset),
        Data::Random => Ok(()),
    }),
];

#[derive(Default)]
struct Opened(Option<OwnedFd>);

impl AsFd for Opened {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_ref().map_or(CWD, |file| file.as_fd())
    }
}

pub struct Row {
    pub title: &'static str,
    pub file: &'static str,
    pub job: &'static str,
    order: Order,
    is_random: bool,
    has_pot: bool,
    device: Option<&'static str>,
    open: Vec<Step>,
    each: Vec<Step>,
    again: Vec<Step>,
    end: Vec<Step>,
}

/// One thread of a part, with its file and all that its steps need.
pub struct Stream<'c> {
    row: &'c Row,
    workdir: &'c Workdir,
    job: Job,
    name: String,
    file: Opened,
    device: Opened,
    block: BlockBuffer,
    pot: &'c AtomicU64,
    seed: u64,
    bs: u64,
    records: u64,
    shuffled: Vec<u32>,
    strided: u64,
    wraps: u64,
    /// Place in the pass and bytes before it in the file.
    at: u64,
    offset: u64,
    ends_record: bool,
    record_ns: u64,
    /// How long the calls of the slowest record took together.
    pub longest_ns: u64,
    pub beside_ns: u64,
}

impl Row {
    fn read(fields: [&'static str; 10]) -> Result<Row, EngineError> {
        let [_, _, title, job, file, order, open, each, again, end] = fields;
        let unknown = || EngineError::protocol(format!("no word of a stream: {fields:?}"));
        let found = ORDERS.iter().find(|(name, _)| *name == order).ok_or_else(unknown)?;
        let steps = |words: &'static str| -> Result<Vec<Step>, EngineError> {
            words.split_whitespace().map(|word| step(word).ok_or_else(unknown)).collect()
        };
        let device = match each {
            _ if each.contains("source") => Some("/dev/zero"),
            _ if each.contains("sink") => Some("/dev/null"),
            _ => None,
        };
        Ok(Row {
            title,
            file,
            job,
            order: found.1,
            is_random: order == "random",
            has_pot: order == "pot",
            device,
            open: steps(open)?,
            each: steps(each)?,
            again: steps(again)?,
            end: steps(end)?,
        })
    }

    pub fn of_part(profile: &str, part: &str) -> Result<Vec<Row>, EngineError> {
        let own = |row: &[&str; 10]| row[..2] == [profile, part];
        rows(TABLE).filter(own).map(Row::read).collect()
    }

    pub fn writes_to_null(&self) -> bool {
        self.device == Some("/dev/null")
    }

    pub fn says(&self, word: &str) -> bool {
        self.job.split(' ').any(|known| known == word)
    }

    pub fn change(&self, job: &mut Job) {
        job.end_fsync = self.says("end_fsync");
        job.invalidate &= !self.says("warm");
    }
}

fn step(word: &'static str) -> Option<Step> {
    let (name, how) = word.split_once(':').unwrap_or((word, ""));
    let (_, work) = STEPS.iter().find(|(known, _)| *known == name)?;
    let mut flags = OFlags::empty();
    for letter in how.chars() {
        flags |= match letter {
            'r' => OFlags::RDONLY,
            'w' => OFlags::WRONLY,
            'b' => OFlags::RDWR,
            'c' => OFlags::CREATE,
            'd' => OFlags::DIRECT,
            _ => return None,
        };
    }
    Some((*work, flags))
}

impl<'c> Stream<'c> {
    /// The work of one thread on `size` bytes, whole records of them.
    pub fn new(
        context: &'c Context<'_>,
        row: &'c Row,
        pot: &'c AtomicU64,
        (lane, size): (u32, u64),
    ) -> Result<Stream<'c>, EngineError> {
        let job = context.job.clone();
        let bs = job.bs;
        let mut records = size / bs;
        if row.says("chars") {
            records = records.min(job.io_size.unwrap_or(PER_CHAR_BYTES) / bs);
        }
        let records = records.max(1);
        let shuffled = if row.is_random { order::random(records)? } else { Vec::new() };
        let device = row.device.map(|path| {
            openat(CWD, path, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
                .map_err(|e| EngineError::io(format!("opening {path}"), e))
        });
        Ok(Stream {
            row,
            workdir: &context.workdir,
            name: row.file.replace('*', &lane.to_string()),
            file: Opened::default(),
            device: Opened(device.transpose()?),
            block: BlockBuffer::new(&job, bs, if row.file.contains('*') { lane } else { 0 })?,
            pot,
            seed: job.seed,
            bs,
            records,
            shuffled,
            strided: 0,
            wraps: 0,
            at: 0,
            offset: 0,
            ends_record: false,
            record_ns: 0,
            longest_ns: 0,
            beside_ns: 0,
            job,
        })
    }

    pub fn open(&mut self, meter: &mut Meter<'_>) -> Result<(), EngineError> {
        self.offset = 0;
        self.follow(&self.row.open, meter)
    }

    pub fn end(&mut self, meter: &mut Meter<'_>) -> Result<(), EngineError> {
        self.follow(&self.row.end, meter)
    }

    fn follow(&mut self, steps: &[Step], meter: &mut Meter<'_>) -> Result<(), EngineError> {
        let direct = if self.job.direct { OFlags::all() } else { !OFlags::DIRECT };
        for (work, how) in steps {
            work(self, meter, *how & direct)?;
            if std::mem::take(&mut self.ends_record) {
                break;
            }
        }
        Ok(())
    }

    fn done(&mut self, meter: &mut Meter<'_>, kind: Kind) -> Result<(), EngineError> {
        self.record_ns += meter.op(kind, self.bs);
        Ok(())
    }

    /// Once through the file, or what the pot holds; a stream that time ends wherever it is ends
    /// there.
    pub fn pass(&mut self, meter: &mut Meter<'_>, stop: &AtomicBool) -> Result<(), EngineError> {
        let has_time = self.row.file.contains('*') && meter.job.runtime_ns.is_some();
        for index in 0.. {
            self.at = index;
            if self.row.has_pot {
                self.at = self.pot.fetch_add(1, Ordering::Relaxed);
                let had_all = meter.job.runtime_ns.is_none() || meter.is_over();
                if self.at >= SEEKS && had_all {
                    break;
                }
            } else if index == self.records {
                break;
            }
            self.offset = (self.row.order)(self, self.at) * self.bs;
            self.record_ns = 0;
            self.follow(&self.row.each, meter)?;
            self.longest_ns = self.longest_ns.max(self.record_ns);
            let is_over = meter.is_cut_off() || has_time && meter.is_over();
            if is_over || stop.load(Ordering::Relaxed) {
                break;
            }
        }
        Ok(())
    }

    /// Passes without a pause until this one has had its time, or `stop` is set; with `stops` this
    /// one sets it.
    pub fn go_on(
        &mut self,
        meter: &mut Meter<'_>,
        (stop, stops): (&AtomicBool, bool),
    ) -> Result<(), EngineError> {
        while !stop.load(Ordering::Relaxed) {
            self.pass(meter, stop)?;
            let is_over = self.row.has_pot || meter.job.runtime_ns.is_none() || meter.is_over();
            if is_over && stops {
                stop.store(true, Ordering::Relaxed);
            }
            if is_over || stop.load(Ordering::Relaxed) {
                break;
            }
            self.follow(&self.row.again, meter)?;
        }
        self.end(meter)
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_model::profile::Profile;
    use bakeoff_model::profiles;

    use super::*;

    #[test]
    fn every_row_is_of_a_part_and_in_words_that_are_known() {
        let mut of_parts = 0;
        for profile in Profile::ALL {
            for part in profiles::part_specs(*profile) {
                of_parts += Row::of_part(profile.name(), part.word).unwrap().len();
            }
        }
        assert_eq!(of_parts, TABLE.lines().count() - 1);
    }
}
