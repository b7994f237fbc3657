//! Looks for what was acknowledged: after a crash, a power cut or a drive pulled out.
//!
//! A lane's operations follow from the job's seed, so the record needs no more than how many of
//! them were acknowledged. On each block the last of those has to be there, or a later one that
//! was under way when everything stopped: at most as many as there are between two flushes, since
//! a lane goes on only when the record has the flush before (a pipe may hold some back). Where such
//! a write was under way, a block may hold parts of both. Anything else is a loss; pieces of 512
//! bytes, the smallest that drives write as a whole, tell which.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::os::fd::OwnedFd;

use bakeoff_model::acks::{Acks, DURABILITY_SCHEMA, Durability, Loss, Lost};
use bakeoff_model::job::{Data, Job, Mem, Rw};

use crate::buffer::Buffers;
use crate::check::{self, check};
use crate::data::{Content, Tag, UNIT_BYTES};
use crate::error::EngineError;
use crate::offsets::{Cursor, Span};
use crate::target::{Spot, Target};
use crate::verify::{open_uncached, read_all};

/// Smallest block: it begins with a tag that tells which write it is.
const BS_MIN: u64 = 16;
/// Most writes between two flushes: those that may have been under way are held in memory.
const CADENCE_MAX: u32 = 1 << 20;
/// Blocks looked at together: 8 MiB of memory for their last writes.
const NOTED_MAX: u64 = 1 << 20;
const PIECE_BYTES: usize = 512;

pub fn check_recorded(job: &Job) -> Result<(), EngineError> {
    let wrong = |message: &str| Err(EngineError::invalid(message.to_string()));
    match job {
        Job { verify: false, .. } => wrong("a record of acknowledgements needs --verify: add it"),
        Job { rw, .. } if !matches!(rw, Rw::Write | Rw::RandWrite) => {
            wrong("acknowledgements are recorded only for --rw write and randwrite")
        }
        Job { data: Data::Zero, .. } => {
            wrong("zeros do not distinguish one write from another: omit --data zero")
        }
        Job { bs, .. } if *bs < BS_MIN => wrong("a write needs at least 16 bytes: raise --bs"),
        _ if cadence(job) == 0 && !job.end_fsync => wrong(
            "without a flush nothing is acknowledged: add --fsync 1, --fdatasync 1 or --end_fsync",
        ),
        _ if cadence(job) > CADENCE_MAX => {
            wrong("at most 1048576 writes between two flushes: lower --fsync")
        }
        _ => Ok(()),
    }
}

/// Writes from one flush to the next; 0 when there is but one, at the end.
fn cadence(job: &Job) -> u32 {
    let flushes = [job.fsync, job.fdatasync].into_iter().filter(|every| *every > 0);
    flushes.min().unwrap_or(0)
}

/// Looks at every block with an acknowledged write.
///
/// # Errors
/// Those of reading; that something is lost is no error.
pub fn look_for<'p>(acks: &Acks, at: impl Into<Spot<'p>>) -> Result<Durability, EngineError> {
    let job = &acks.head.job;
    check(job)?;
    check_recorded(job)?;
    let mut kept = Durability {
        schema: DURABILITY_SCHEMA.to_string(),
        acknowledged_ios: acks.total(),
        bs: job.bs,
        ..Durability::default()
    };
    let target = Target::find_existing(at.into(), job)?;
    let fd = target.map(|target| open_uncached(job, &target)).transpose()?;
    // bs is at most 1 GiB.
    let mut memory = Buffers::new(job.bs as usize, 1, Mem::Malloc)?;
    let flushes = 1 + u64::from(acks.head.held_back);
    let under_way = u64::from(cadence(job)).saturating_mul(flushes).min(CADENCE_MAX.into());
    for (lane, acked) in acks.lanes.iter().enumerate() {
        // There are at most 1024.
        let lane = lane as u32;
        let blocks = check::blocks(job);
        let span = if acks.head.in_turns && !job.rw.is_random() {
            Span::in_turns(blocks, lane, job.numjobs)
        } else {
            Span::of_lane(blocks, lane, job.numjobs, true)
        };
        let look = LaneCheck { job, fd: fd.as_ref(), span, lane, acked: *acked, under_way };
        look.at_all(&mut memory, &mut kept)?;
    }
    Ok(kept)
}

/// One lane's part of it.
struct LaneCheck<'a> {
    job: &'a Job,
    fd: Option<&'a OwnedFd>,
    span: Span,
    lane: u32,
    acked: u64,
    under_way: u64,
}

struct DurabilityStretch {
    last: Vec<Option<NonZeroU64>>,
    later: BTreeMap<u64, Vec<u64>>,
}

impl LaneCheck<'_> {
    fn at_all(&self, memory: &mut Buffers, kept: &mut Durability) -> Result<(), EngineError> {
        let Span { base, blocks, .. } = self.span;
        let content = Content::of_lane(self.job, self.lane);
        let mut first = 0;
        while first < blocks {
            let count = (blocks - first).min(NOTED_MAX);
            let stretch = self.stretch(base + first, count);
            for (last, block) in stretch.last.iter().zip(base + first..) {
                let Some(last) = last else { continue };
                let acked = last.get() - 1;
                let offset = block * self.job.bs;
                let found = memory.block_mut(0);
                let got = self.fd.map_or(Ok(0), |fd| read_all(fd, found, offset))?;
                let later = stretch.later.get(&block).map_or(&[][..], Vec::as_slice);
                let there =
                    ReadBlock { content: &content, bytes: &found[..got], offset, acked, later };
                kept.blocks += 1;
                match there.state(self.job.bs as usize) {
                    BlockFate::Whole => kept.whole += 1,
                    BlockFate::Newer => kept.newer += 1,
                    BlockFate::Unfinished => kept.unfinished += 1,
                    BlockFate::Lost(loss, found) => {
                        let lane = self.lane;
                        kept.lose(Lost { offset, lane, operation: acked, loss, found });
                    }
                }
            }
            first += count;
        }
        Ok(())
    }

    /// Walks the lane's operations again.
    fn stretch(&self, first: u64, count: u64) -> DurabilityStretch {
        // count is at most NOTED_MAX.
        let mut stretch =
            DurabilityStretch { last: vec![None; count as usize], later: BTreeMap::new() };
        let mut cursor = Cursor::new(self.job, self.span, self.lane);
        let under_way = self.acked.saturating_add(self.under_way);
        for op in 0..under_way {
            let block = cursor.step().block;
            let index = block.wrapping_sub(first);
            if index >= count {
                continue;
            }
            if op < self.acked {
                stretch.last[index as usize] = NonZeroU64::new(op + 1);
            } else {
                stretch.later.entry(block).or_default().push(op);
            }
        }
        stretch
    }
}

#[derive(Debug, PartialEq)]
enum BlockFate {
    Whole,
    Newer,
    Unfinished,
    Lost(Loss, String),
}

struct ReadBlock<'a> {
    content: &'a Content,
    bytes: &'a [u8],
    offset: u64,
    acked: u64,
    later: &'a [u64],
}

#[derive(Default)]
struct Pieces {
    acked: u64,
    later: u64,
    older: u64,
    zero: u64,
    other: u64,
}

impl ReadBlock<'_> {
    fn state(&self, block_bytes: usize) -> BlockFate {
        if self.bytes.is_empty() {
            return BlockFate::Lost(Loss::Missing, "the file ends before it".to_string());
        }
        if self.bytes.len() == block_bytes {
            if self.is(self.acked) {
                return BlockFate::Whole;
            }
            if self.later.iter().any(|op| self.is(*op)) {
                return BlockFate::Newer;
            }
        }
        let cut = (block_bytes - self.bytes.len()).div_ceil(PIECE_BYTES) as u64;
        let mut pieces = Pieces { zero: cut, ..Pieces::default() };
        let mut unit_offset = self.offset;
        for unit in self.bytes.chunks(UNIT_BYTES) {
            self.sort(unit, unit_offset, &mut pieces);
            unit_offset += UNIT_BYTES as u64;
        }
        pieces.state()
    }

    fn is(&self, op: u64) -> bool {
        let mut made = [0; UNIT_BYTES];
        let mut at = self.offset;
        self.bytes.chunks(UNIT_BYTES).all(|unit| {
            let made = &mut made[..unit.len()];
            self.content.fill_unit(Tag::fresh(op), at, 0, made);
            at += UNIT_BYTES as u64;
            made == unit
        })
    }

    fn sort(&self, unit: &[u8], offset: u64, pieces: &mut Pieces) {
        let made = |op: u64| {
            let mut made = vec![0; unit.len()];
            self.content.fill_unit(Tag::fresh(op), offset, 0, &mut made);
            made
        };
        let acked = made(self.acked);
        let later: Vec<Vec<u8>> = self.later.iter().map(|op| made(*op)).collect();
        let told = self.content.tag_of(offset, unit).map(Tag::op);
        let older = told.filter(|op| *op < self.acked).map(made);
        for (i, piece) in unit.chunks(PIECE_BYTES).enumerate() {
            let is_of = |made: &Vec<u8>| made[i * PIECE_BYTES..][..piece.len()] == *piece;
            *if is_of(&acked) {
                &mut pieces.acked
            } else if later.iter().any(is_of) {
                &mut pieces.later
            } else if older.as_ref().is_some_and(is_of) {
                &mut pieces.older
            } else if piece.iter().all(|byte| *byte == 0) {
                &mut pieces.zero
            } else {
                &mut pieces.other
            } += 1;
        }
    }
}

impl Pieces {
    fn state(&self) -> BlockFate {
        let Pieces { acked, later, older, zero, other } = *self;
        let all = acked + later + older + zero + other;
        if acked + later == all {
            return BlockFate::Unfinished;
        }
        let parts = [
            (acked, "of it"),
            (later, "of a later write"),
            (older, "of an older write"),
            (zero, "of zeros or beyond the end"),
            (other, "of something else"),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = parts.map(|(count, what)| format!("{count} {what}")).collect();
        let found = format!("pieces of 512 bytes there: {}", parts.join(", "));
        let loss = if acked + later > 0 {
            Loss::Torn
        } else if older > 0 && other == 0 {
            Loss::Stale
        } else {
            Loss::Missing
        };
        BlockFate::Lost(loss, found)
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;
    use crate::measure::measure_found;

    const BS: u64 = 8192;
    const BLOCKS: u64 = 8;

    fn written(fsync: u32) -> (tempfile::TempDir, std::path::PathBuf, Acks) {
        let dir = tempfile::tempdir().unwrap();
        let (path, record) = (dir.path().join("file"), dir.path().join("record"));
        let job = Job {
            verify: true,
            fsync,
            io_size: Some(12 * BS),
            ..Job::new(Rw::Write, BS, BLOCKS * BS)
        };
        let file = std::fs::File::create(&record).unwrap();
        let find = |job: &Job| Target::find(&path, job);
        measure_found(&job, find, None, Some(file.as_fd())).unwrap();
        let text = std::fs::read_to_string(&record).unwrap();
        assert_eq!(text.lines().count() as u32, 1 + 12 / fsync);
        (dir, path, Acks::read(text.lines()).unwrap())
    }

    fn counts(kept: &Durability) -> [u64; 6] {
        [kept.whole, kept.newer, kept.unfinished, kept.missing, kept.torn, kept.stale]
    }

    #[test]
    fn what_was_acknowledged_is_there() {
        let (_dir, path, acks) = written(4);
        assert_eq!(acks.lanes, [12]);
        let kept = look_for(&acks, &path).unwrap();
        assert_eq!((counts(&kept), kept.blocks), ([8, 0, 0, 0, 0, 0], 8));
        // As if power had gone before the last two flushes: the writes after them may be there.
        let early = Acks { lanes: vec![8], ..acks.clone() };
        assert_eq!(counts(&look_for(&early, &path).unwrap()), [4, 4, 0, 0, 0, 0]);
        // What was begun more than a flush later cannot have been.
        let earlier = Acks { lanes: vec![4], ..acks };
        assert_eq!(look_for(&earlier, &path).unwrap().missing, 4);
    }

    #[test]
    fn missing_torn_and_stale_writes_are_told_apart() {
        let (_dir, path, acks) = written(4);
        let bytes = std::fs::read(&path).unwrap();
        let content = Content::of_lane(&acks.head.job, 0);
        let at = |block: u64| (block * BS) as usize;
        let make = |op: u64, block: u64| {
            let mut made = vec![0; BS as usize];
            content.fill(Tag::fresh(op), block * BS, &mut made);
            made
        };
        let mut hurt = bytes.clone();
        // Blocks 0 to 3 were written twice, by operations 0 to 3 and 8 to 11.
        hurt[at(0)..at(1)].copy_from_slice(&make(0, 0));
        hurt[at(1)..][..512].copy_from_slice(&make(1, 1)[..512]);
        hurt[at(2)..at(3)].fill(0);
        hurt[at(3)..at(4)].fill(7);
        hurt.truncate(at(7));
        std::fs::write(&path, &hurt).unwrap();
        let kept = look_for(&acks, &path).unwrap();
        assert_eq!(counts(&kept), [3, 0, 0, 3, 1, 1], "{kept:?}");
        let told = |n: usize| (kept.lost[n].offset / BS, kept.lost[n].loss);
        assert_eq!([told(0), told(1)], [(0, Loss::Stale), (1, Loss::Torn)]);
        assert!(kept.lost[4].found.contains("file ends"), "{kept:?}");
        assert!(!kept.is_all());
        std::fs::remove_file(&path).unwrap();
        let kept = look_for(&acks, &path).unwrap();
        assert_eq!((kept.missing, path.exists()), (8, false), "a file that is gone stays so");
    }

    #[test]
    fn a_write_under_way_may_be_there_in_parts_and_nothing_older() {
        let (_dir, path, acks) = written(4);
        let acks = Acks { lanes: vec![8], ..acks };
        let mut bytes = std::fs::read(&path).unwrap();
        let content = Content::of_lane(&acks.head.job, 0);
        let mut made = vec![0; BS as usize];
        content.fill(Tag::fresh(0), 0, &mut made);
        bytes[..512].copy_from_slice(&made[..512]);
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(counts(&look_for(&acks, &path).unwrap()), [4, 3, 1, 0, 0, 0]);
        bytes[..512].fill(0);
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(counts(&look_for(&acks, &path).unwrap()), [4, 3, 0, 0, 1, 0]);
    }

    #[test]
    fn a_record_that_would_tell_nothing_is_refused() {
        let job = Job { verify: true, fsync: 1, ..Job::new(Rw::RandWrite, 4096, 1 << 20) };
        check_recorded(&job).unwrap();
        check_recorded(&Job { fsync: 0, end_fsync: true, ..job.clone() }).unwrap();
        let wrong = [
            (Job { verify: false, ..job.clone() }, "--verify"),
            (Job { fsync: 0, ..job.clone() }, "--fsync 1"),
            (Job { fsync: u32::MAX, ..job.clone() }, "lower --fsync"),
            (Job { data: Data::Zero, ..job.clone() }, "zeros"),
            (Job { bs: 8, ..job.clone() }, "16 bytes"),
            (Job { rw: Rw::RandRw, ..job }, "randwrite"),
        ];
        for (job, word) in wrong {
            let error = check_recorded(&job).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}
