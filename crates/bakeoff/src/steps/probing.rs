//! Writes the samples of a probe, overwhelms the drive's cache, reads them back, and puts back what
//! was there.
//!
//! What was there is in a file on another drive, flushed, before anything is written; the file
//! stays until everything is back, so that a probe that was killed can be made good by the next
//! one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bakeoff_machine::probe::pace::PieceRates;
use bakeoff_machine::probe::speed::MeasuredPace;
use bakeoff_machine::probe::{self, BLOCK_BYTES, Readback, SampleLayout};
use bakeoff_model::path::RawPath;
use bakeoff_model::undo::DriveId;
use bakeoff_stats::prng::SplitMix64;
use rustix::fs::OFlags;

use super::locked_target::LockedTarget;
use super::own_place;
use super::target;
use crate::fault::Fault;
use crate::files::Entry;
use crate::signals::Cancel;
use crate::store::place;

/// What a file with originals begins with; the salt of the pass that overwrote them follows.
const SAVED_MAGIC: &[u8; 8] = b"bakeoff1";
const PART: &str = ".part";
/// Bytes moved at a time; what memory is aligned to for direct I/O.
const CHUNK_BYTES: usize = 1 << 20;
const ALIGN_BYTES: usize = 4096;
/// Pieces into which random writes are cut, each of which has a rate.
const RANDOM_PIECES: u32 = 16;

/// What a pass measures besides: how it is watched, and for how long it writes at random.
pub struct PassSpeed<'a> {
    /// Bytes that the drive has moved so far, of anybody; `None` where nothing counts them.
    pub moved: &'a dyn Fn() -> Option<u64>,
    pub random: Duration,
}

/// What a pass saw.
#[derive(Debug, Default)]
pub struct PassSeen {
    /// Each sample, in the order of places.
    pub samples: Vec<(u64, Readback)>,
    pub writes: MeasuredPace,
    pub random_writes: MeasuredPace,
}

/// What is probed: a device, or in tests one that lies.
pub trait ProbedMedium {
    fn read(&mut self, at: u64, into: &mut [u8]) -> io::Result<()>;
    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()>;
    fn flush(&mut self) -> io::Result<()>;
}

/// A block device or image past the page cache where that can be had.
pub struct ProbedDevice {
    file: File,
    memory: Vec<u8>,
}

impl ProbedDevice {
    /// Opens what is held.
    ///
    /// # Errors
    /// When it is another one by now, or cannot be opened.
    pub fn held(held: &LockedTarget) -> Result<ProbedDevice, Fault> {
        let opened = held.opened().map_err(Fault::environment)?;
        ProbedDevice::open(opened.path()).map_err(Fault::environment)
    }

    fn open(path: &Path) -> io::Result<ProbedDevice> {
        let direct =
            if crate::host::supports_direct(path) { OFlags::DIRECT.bits() as i32 } else { 0 };
        let file = OpenOptions::new().read(true).write(true).custom_flags(direct).open(path)?;
        Ok(ProbedDevice { file, memory: vec![0; CHUNK_BYTES + ALIGN_BYTES] })
    }

    fn aligned(memory: &mut [u8], len: usize) -> &mut [u8] {
        let start = memory.as_ptr().align_offset(ALIGN_BYTES).min(ALIGN_BYTES);
        &mut memory[start..][..len]
    }
}

impl ProbedMedium for ProbedDevice {
    fn read(&mut self, at: u64, into: &mut [u8]) -> io::Result<()> {
        let mut done = 0;
        for chunk in into.chunks_mut(CHUNK_BYTES) {
            let block = ProbedDevice::aligned(&mut self.memory, chunk.len());
            self.file.read_exact_at(block, at + done)?;
            chunk.copy_from_slice(block);
            done += chunk.len() as u64;
        }
        Ok(())
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let mut done = 0;
        for chunk in bytes.chunks(CHUNK_BYTES) {
            let block = ProbedDevice::aligned(&mut self.memory, chunk.len());
            block.copy_from_slice(chunk);
            self.file.write_all_at(block, at + done)?;
            done += chunk.len() as u64;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.sync_all()?;
        // Where direct I/O could not be had, reads shall not come from the page cache.
        Ok(rustix::fs::fadvise(&self.file, 0, None, rustix::fs::Advice::DontNeed)?)
    }
}

/// Where the probe of a run keeps what it overwrites: for root where only root can write, and what
/// outlives a restart; otherwise beside the store.
///
/// # Errors
/// Where there is no such place.
pub fn saved_file(run: &str, store: &Path) -> io::Result<PathBuf> {
    if rustix::process::geteuid().is_root() {
        return own_place::kept(&format!("probe-{run}"));
    }
    Ok(place::beside(store, ".probe").join(format!("{run}.saved")))
}

/// Writes back what the probe of a dead run had overwritten. What is gone already is success.
///
/// # Errors
/// When the drive is not there, or is not the one that was probed.
pub fn restore_saved(saved: &Path, drive: &DriveId) -> Result<(), Fault> {
    let unusable = |e: io::Error| Fault::environment(format!("{}: {e}", RawPath::new(saved)));
    // Half a copy: nothing was overwritten yet.
    match fs::remove_file(place::beside(saved, PART)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unusable(error)),
        _ => {}
    }
    if !saved.try_exists().map_err(unusable)? {
        return Ok(());
    }
    let kept = format!("the data that a probe overwrote is saved in {}", RawPath::new(saved));
    let target = target::find(&drive.at, &drive.name, true)
        .map_err(|fault| fault.and(format!("{kept}. Attach the drive and run `bakeoff clean`")))?;
    let is_it = target.room.target_bytes == drive.size_bytes && target.file == drive.file;
    let held = target.take(true)?;
    let mut device = ProbedDevice::held(&held)?;
    let restored = is_it && restore_earlier(&mut device, saved).map_err(unusable)?;
    drop(held);
    if restored {
        Ok(())
    } else {
        Err(Fault::refused(format!(
            "{kept}, but {} contains none of the probe's blocks: it is a different drive, or was \
             overwritten since then. Attach the original drive and run `bakeoff clean`, or remove \
             the file",
            target.path
        )))
    }
}

/// What a pass saw; `None` when it was interrupted. What was there is back in either case.
pub fn pass(
    medium: &mut dyn ProbedMedium,
    (layout, salt): (&SampleLayout, u64),
    saved: &Path,
    speed: &PassSpeed,
    cancel: &Cancel,
) -> io::Result<Option<PassSeen>> {
    save(medium, layout, salt, saved)?;
    let seen =
        if cancel.is_set() { Ok(None) } else { try_pass(medium, (layout, salt), speed, cancel) };
    // First restore the original data, also after a failure.
    restore(medium, saved)?;
    seen
}

fn try_pass(
    medium: &mut dyn ProbedMedium,
    (layout, salt): (&SampleLayout, u64),
    speed: &PassSpeed,
    cancel: &Cancel,
) -> io::Result<Option<PassSeen>> {
    let mut block = vec![0; BLOCK_BYTES];
    for at in &layout.samples {
        probe::fill(salt, *at, &mut block);
        medium.write(*at, &block)?;
    }
    medium.flush()?;
    let before = (speed.moved)();
    let Some(writes) = write_stretch(medium, (layout, !salt), cancel)? else { return Ok(None) };
    let share = foreign(before, (speed.moved)(), layout.flush_bytes);
    let writes = MeasuredPace { pace: writes, foreign: share, ..MeasuredPace::default() };
    let random_writes = write_at_random(medium, (layout, !salt), speed)?;
    // In no order: what is read one after the other a drive may have read ahead.
    let mut order = layout.samples.clone();
    SplitMix64::derive(salt, &[1]).shuffle(&mut order);
    let mut samples: Vec<(u64, Readback)> = order
        .into_iter()
        .map(|at| match medium.read(at, &mut block) {
            Ok(()) => (at, probe::recognise(salt, at, &block)),
            Err(_) => (at, Readback::Unreadable),
        })
        .collect();
    samples.sort_unstable_by_key(|(at, _)| *at);
    Ok(Some(PassSeen { samples, writes, random_writes }))
}

/// Overwhelms the drive's cache; gives the rate of each chunk, to which what the flush at the end
/// took is added in proportion.
fn write_stretch(
    medium: &mut dyn ProbedMedium,
    (layout, salt): (&SampleLayout, u64),
    cancel: &Cancel,
) -> io::Result<Option<PieceRates>> {
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut times = Vec::new();
    for done in (0..layout.flush_bytes).step_by(CHUNK_BYTES) {
        if cancel.is_set() {
            return Ok(None);
        }
        let len = (layout.flush_bytes - done).min(CHUNK_BYTES as u64) as usize;
        for (i, block) in chunk[..len].chunks_mut(BLOCK_BYTES).enumerate() {
            probe::fill(salt, layout.flush_start + done + (i * BLOCK_BYTES) as u64, block);
        }
        let began = Instant::now();
        medium.write(layout.flush_start + done, &chunk[..len])?;
        times.push((len as f64, began.elapsed().as_secs_f64()));
    }
    let began = Instant::now();
    medium.flush()?;
    let written: f64 = times.iter().map(|(_, seconds)| seconds).sum();
    let times_longer = 1.0 + began.elapsed().as_secs_f64() / written.max(1e-9);
    Ok(Some(PieceRates::new(
        times.into_iter().map(|(bytes, seconds)| bytes / seconds / times_longer),
    )))
}

/// Writes single blocks of the stretch again, which holds the same afterwards.
fn write_at_random(
    medium: &mut dyn ProbedMedium,
    (layout, salt): (&SampleLayout, u64),
    speed: &PassSpeed,
) -> io::Result<MeasuredPace> {
    let blocks = layout.flush_bytes / BLOCK_BYTES as u64;
    if speed.random.is_zero() || blocks == 0 {
        return Ok(MeasuredPace::default());
    }
    let mut random = SplitMix64::derive(salt, &[2]);
    let mut block = vec![0; BLOCK_BYTES];
    let (before, mut ours, mut rates) = ((speed.moved)(), 0, Vec::new());
    for _ in 0..RANDOM_PIECES {
        let (began, mut writes) = (Instant::now(), 0u32);
        while began.elapsed() < speed.random / RANDOM_PIECES {
            let at = layout.flush_start + random.below(blocks) * BLOCK_BYTES as u64;
            probe::fill(salt, at, &mut block);
            medium.write(at, &block)?;
            writes += 1;
        }
        rates.push(f64::from(writes) / began.elapsed().as_secs_f64().max(1e-9));
        ours += u64::from(writes) * BLOCK_BYTES as u64;
    }
    let foreign = foreign(before, (speed.moved)(), ours);
    medium.flush()?;
    Ok(MeasuredPace { pace: PieceRates::new(rates), foreign, ..MeasuredPace::default() })
}

/// Bytes that a drive moved for others, as a share of ours.
pub fn foreign(before: Option<u64>, after: Option<u64>, ours: u64) -> Option<f64> {
    let moved = after?.checked_sub(before?)?;
    Some(moved.saturating_sub(ours) as f64 / ours.max(1) as f64)
}

/// Keeps what is about to be overwritten. What cannot be read is not kept: it was lost before.
fn save(
    medium: &mut dyn ProbedMedium,
    layout: &SampleLayout,
    salt: u64,
    saved: &Path,
) -> io::Result<()> {
    let saved = Entry::of(saved).map_err(io::Error::other)?;
    let part = saved.beside(PART);
    let file = part.create(0o600, None).map_err(io::Error::other)?;
    let mut out = BufWriter::new(file);
    out.write_all(SAVED_MAGIC)?;
    out.write_all(&salt.to_le_bytes())?;
    let mut chunk = vec![0; CHUNK_BYTES];
    for (start, bytes) in layout.overwritten() {
        for done in (0..bytes).step_by(CHUNK_BYTES) {
            let len = (bytes - done).min(CHUNK_BYTES as u64) as usize;
            if medium.read(start + done, &mut chunk[..len]).is_ok() {
                out.write_all(&(start + done).to_le_bytes())?;
                out.write_all(&(len as u64).to_le_bytes())?;
                out.write_all(&chunk[..len])?;
            }
        }
    }
    out.into_inner().map_err(|e| e.into_error())?.sync_all()?;
    // Only a whole file has the name that is restored from.
    part.rename(&saved)?;
    saved.sync_names()
}

fn restore(medium: &mut dyn ProbedMedium, saved: &Path) -> io::Result<()> {
    each_saved(saved, |_, at, original| medium.write(at, original))?;
    medium.flush()?;
    fs::remove_file(saved)
}

/// Puts back what a probe that was killed had overwritten, where the drive still has that probe's
/// own blocks, and removes the file. `false`, with the file kept, when it has none of them: it is
/// another drive with the same token, or was written since, and nothing is put there.
pub fn restore_earlier(medium: &mut dyn ProbedMedium, saved: &Path) -> io::Result<bool> {
    let mut now = vec![0; BLOCK_BYTES];
    let mut is_any = false;
    each_saved(saved, |salt, start, originals| {
        for (i, original) in originals.chunks(BLOCK_BYTES).enumerate() {
            let at = start + (i * BLOCK_BYTES) as u64;
            medium.read(at, &mut now[..original.len()])?;
            if probe::is_of(salt, &now) {
                medium.write(at, original)?;
                is_any = true;
            }
        }
        Ok(())
    })?;
    if is_any {
        medium.flush()?;
        fs::remove_file(saved)?;
    }
    Ok(is_any)
}

/// Gives everything that a file has kept: the salt of what overwrote it, where it was, the bytes.
fn each_saved(
    saved: &Path,
    mut take: impl FnMut(u64, u64, &[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the saved file is damaged");
    let mut from = BufReader::new(File::open(saved)?);
    let mut word = [0; 8];
    from.read_exact(&mut word)?;
    if word != *SAVED_MAGIC {
        return Err(damaged());
    }
    from.read_exact(&mut word)?;
    let salt = u64::from_le_bytes(word);
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match from.read_exact(&mut word) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error),
        }
        let at = u64::from_le_bytes(word);
        from.read_exact(&mut word)?;
        let len = usize::try_from(u64::from_le_bytes(word)).unwrap_or(usize::MAX);
        if len > CHUNK_BYTES {
            return Err(damaged());
        }
        from.read_exact(&mut chunk[..len])?;
        take(salt, at, &chunk[..len])?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_machine::probe::judge::{ProbeVerdict, judge};
    use std::collections::BTreeMap;

    const GIB: u64 = 1 << 30;

    const PLAIN: PassSpeed = PassSpeed { moved: &|| None, random: Duration::ZERO };

    type Real = fn(u64) -> Option<u64>;

    /// A card that claims 32 GiB: what lies at which real block, by how it lies.
    struct FakeCard {
        blocks: BTreeMap<u64, Vec<u8>>,
        real: Real,
    }

    impl FakeCard {
        fn new(real: Real) -> FakeCard {
            FakeCard { blocks: BTreeMap::new(), real }
        }
    }

    impl ProbedMedium for FakeCard {
        fn read(&mut self, at: u64, into: &mut [u8]) -> io::Result<()> {
            for (i, block) in into.chunks_mut(BLOCK_BYTES).enumerate() {
                let real = (self.real)(at + (i * BLOCK_BYTES) as u64);
                let kept = real.and_then(|at| self.blocks.get(&at));
                match kept {
                    Some(bytes) => block.copy_from_slice(bytes),
                    None => block.fill(0),
                }
            }
            Ok(())
        }

        fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
            for (i, block) in bytes.chunks(BLOCK_BYTES).enumerate() {
                if let Some(at) = (self.real)(at + (i * BLOCK_BYTES) as u64) {
                    self.blocks.insert(at, block.to_vec());
                }
            }
            Ok(())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn probed(card: &mut FakeCard, flush_bytes: u64) -> Vec<(u64, Readback)> {
        let dir = tempfile::tempdir().unwrap();
        let saved = dir.path().join("saved");
        let layout = SampleLayout::new(32 * GIB, 5, flush_bytes);
        let seen = pass(card, (&layout, 9), &saved, &PLAIN, &Cancel::default()).unwrap().unwrap();
        assert!(!saved.exists());
        seen.samples
    }

    #[test]
    fn an_honest_card_has_its_data_back() {
        let mut card = FakeCard::new(Some);
        let layout = SampleLayout::new(32 * GIB, 5, 1 << 20);
        for at in &layout.samples {
            card.write(*at, &[(*at >> 12) as u8; BLOCK_BYTES]).unwrap();
        }
        let before = card.blocks.clone();
        let report = judge("card", 32 * GIB, &probed(&mut card, 1 << 20), None);
        assert_eq!((report.verdict, report.good), (ProbeVerdict::NoEvidence, report.samples));
        for (at, bytes) in before {
            assert_eq!(card.blocks[&at], bytes, "block {at}");
        }
    }

    #[test]
    fn fakes_of_every_kind_are_found_and_a_wrap_is_measured() {
        const MIB: u64 = 1 << 20;
        let kinds: [(Real, u64, Option<u64>); 5] = [
            // Wraps at a power of two, at a capacity that is sold, at an odd size.
            (|at| Some(at % (8 * GIB)), MIB, Some(8 * GIB)),
            (|at| Some(at % 8_000_000_000 / 4096 * 4096), MIB, None),
            // No two samples meet there; what overwhelms the cache overwrites a tenth of them.
            (|at| Some(at % 625_000_448 / 4096 * 4096), 64 * MIB, None),
            // Drops what is beyond the end; at 95 % of the claim.
            (|at| (at < 4 * GIB).then_some(at), MIB, None),
            (|at| (at < 30 * GIB).then_some(at), MIB, None),
        ];
        for (i, (real, flush, wraps)) in kinds.into_iter().enumerate() {
            let [first, again] = [(); 2].map(|()| probed(&mut FakeCard::new(real), flush));
            let report = judge("card", 32 * GIB, &first, Some(&again));
            assert_eq!(report.verdict, ProbeVerdict::Mismatch, "kind {i}");
            if wraps.is_some() {
                assert_eq!(report.wraps_at_bytes, wraps, "kind {i}");
            }
        }
    }

    #[test]
    fn random_writes_change_nothing_of_the_stretch_and_have_a_pace() {
        let mut card = FakeCard::new(Some);
        let dir = tempfile::tempdir().unwrap();
        let layout = SampleLayout::new(32 * GIB, 5, 16 << 20);
        let speed = PassSpeed { moved: &|| Some(0), random: Duration::from_millis(32) };
        let saved = dir.path().join("saved");
        let seen = pass(&mut card, (&layout, 9), &saved, &speed, &Cancel::default());
        let seen = seen.unwrap().unwrap();
        assert!(seen.samples.iter().all(|(_, readback)| *readback == Readback::Good));
        assert_eq!((seen.writes.pace.pieces(), seen.random_writes.pace.pieces()), (16, 16));
        assert_eq!(seen.writes.foreign, Some(0.0));
        assert_eq!(foreign(Some(10), Some(30), 10), Some(1.0));
    }

    #[test]
    fn an_interrupted_probe_puts_everything_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("disk.img");
        fs::write(&path, vec![7u8; 64 << 20]).unwrap();
        let layout = SampleLayout::new(64 << 20, 5, 1 << 20);
        let mut device = ProbedDevice::open(&path).unwrap();
        let saved = dir.path().join("saved");
        // As a kill leaves it: saved, half written.
        save(&mut device, &layout, 9, &saved).unwrap();
        try_pass(&mut device, (&layout, 9), &PLAIN, &Cancel::default()).unwrap().unwrap();
        assert!(fs::read(&path).unwrap().iter().any(|byte| *byte != 7));
        assert!(restore_earlier(&mut device, &saved).unwrap());
        assert!(fs::read(&path).unwrap().iter().all(|byte| *byte == 7));
        assert!(!saved.exists());
    }

    #[test]
    fn what_a_killed_probe_kept_is_not_put_on_another_drive_nor_over_what_was_written_since() {
        let dir = tempfile::tempdir().unwrap();
        let (path, saved) = (dir.path().join("disk.img"), dir.path().join("saved"));
        let layout = SampleLayout::new(64 << 20, 5, 1 << 20);
        fs::write(&path, vec![7u8; 64 << 20]).unwrap();
        let mut device = ProbedDevice::open(&path).unwrap();
        save(&mut device, &layout, 9, &saved).unwrap();
        try_pass(&mut device, (&layout, 9), &PLAIN, &Cancel::default()).unwrap().unwrap();
        // Another drive that has its token, as an image of the same name has.
        let other = dir.path().join("other.img");
        fs::write(&other, vec![3u8; 64 << 20]).unwrap();
        assert!(!restore_earlier(&mut ProbedDevice::open(&other).unwrap(), &saved).unwrap());
        assert!(fs::read(&other).unwrap().iter().all(|byte| *byte == 3) && saved.exists());
        // Its owner wrote a block meanwhile; the others are still the probe's.
        let written = layout.samples[3];
        device.write(written, &[5; BLOCK_BYTES]).unwrap();
        assert!(restore_earlier(&mut device, &saved).unwrap());
        let now = fs::read(&path).unwrap();
        let is_theirs = |at: usize| at as u64 / 4096 == written / 4096;
        assert!((0..now.len()).all(|at| now[at] == if is_theirs(at) { 5 } else { 7 }));
        // A file of something else is not put anywhere.
        fs::write(&saved, vec![0; 4096]).unwrap();
        let error = restore_earlier(&mut device, &saved).unwrap_err();
        assert!(error.to_string().contains("damaged") && saved.exists(), "{error}");
    }
}
