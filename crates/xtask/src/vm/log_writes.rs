//! What the kernel's dm-log-writes recorded of a disk, and the disk as it was at any point of it.
//!
//! The target holds every write back until a flush that began after it has returned, and then logs
//! it: the log up to a point is the least that has to have survived a power cut there. What was
//! written since the last flush is not in it. Marks that are set meanwhile tell what had been
//! promised by then. Source: Documentation/admin-guide/device-mapper/log-writes.rst and the
//! structures in drivers/md/dm-log-writes.c.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use anyhow::{Context, Result, ensure};

const MAGIC: u64 = 0x006a_7366_7773_6872;
const VERSION: u64 = 1;
const FLUSH: u64 = 1;
const FUA: u64 = 1 << 1;
const DISCARD: u64 = 1 << 2;
const MARK: u64 = 1 << 3;
/// Bytes of an entry before its data.
const ENTRY_BYTES: usize = 32;

/// One entry.
#[derive(Debug)]
pub struct Entry {
    /// Where on the disk, in bytes.
    offset: u64,
    bytes: u64,
    flags: u64,
    /// Where its data are in the log, in bytes.
    data_at: u64,
    /// The text of a mark.
    pub mark: Option<String>,
}

impl Entry {
    /// Whether everything before it has reached the disk: a point at which to look.
    pub fn is_point(&self) -> bool {
        self.flags & (FLUSH | FUA) != 0 || self.mark.is_some()
    }
}

/// A log.
pub struct Log {
    file: File,
    /// In the order in which they reached the disk.
    pub entries: Vec<Entry>,
}

impl Log {
    /// Reads the log on a disk whose content is the file at `path`.
    pub fn read(path: &Path) -> Result<Log> {
        let file = File::open(path)?;
        let [magic, version, count, sector] = words(&file, 0)?;
        let sector_bytes = sector & 0xffff_ffff;
        ensure!((magic, version) == (MAGIC, VERSION), "no log of dm-log-writes: {magic:x}");
        ensure!((512..=4096).contains(&sector_bytes), "sectors of {sector_bytes} bytes");
        let mut entries = Vec::new();
        let mut at = sector_bytes;
        for number in 0..count {
            let [sector, sectors, flags, data_bytes] =
                words(&file, at).with_context(|| format!("entry {number}"))?;
            let mark = if flags & MARK == 0 {
                None
            } else {
                let mut text = vec![0; usize::try_from(data_bytes.min(sector_bytes))?];
                file.read_exact_at(&mut text, at + ENTRY_BYTES as u64)?;
                Some(String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned())
            };
            let (offset, bytes) = (sector * sector_bytes, sectors * sector_bytes);
            let data_at = at + sector_bytes;
            entries.push(Entry { offset, bytes, flags, data_at, mark });
            at = data_at + if flags & DISCARD == 0 { bytes } else { 0 };
        }
        Ok(Log { file, entries })
    }

    /// Does an entry to a disk. What was discarded is left: a disk may keep it.
    pub fn replay(&self, entry: &Entry, disk: &File) -> Result<()> {
        if entry.flags & DISCARD != 0 || entry.bytes == 0 {
            return Ok(());
        }
        let mut data = vec![0; usize::try_from(entry.bytes)?];
        self.file.read_exact_at(&mut data, entry.data_at)?;
        disk.write_all_at(&data, entry.offset)?;
        Ok(())
    }
}

fn words(file: &File, at: u64) -> Result<[u64; 4]> {
    let mut bytes = [0; ENTRY_BYTES];
    file.read_exact_at(&mut bytes, at)?;
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_replayed_to_a_point() {
        let dir = tempfile::tempdir().unwrap();
        let (log, disk) = (dir.path().join("log"), dir.path().join("disk"));
        let mut bytes = Vec::new();
        let mut sector = |words: [u64; 4], data: &[u8]| {
            words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
            bytes.extend(data);
            bytes.resize(bytes.len().next_multiple_of(512), 0);
        };
        sector([MAGIC, VERSION, 4, 512], &[]);
        sector([2, 1, FLUSH, 0], &[0; 480]);
        sector([u64::MAX; 4], &[7; 480]);
        sector([0, 9, DISCARD, 0], &[]);
        sector([0, 0, MARK, 4], b"0:12");
        sector([0, 0, FLUSH, 0], &[]);
        std::fs::write(&log, &bytes).unwrap();
        let log = Log::read(&log).unwrap();
        let marks: Vec<_> = log.entries.iter().map(|entry| entry.mark.as_deref()).collect();
        assert_eq!(marks, [None, None, Some("0:12"), None]);
        let points: Vec<_> = log.entries.iter().map(Entry::is_point).collect();
        assert_eq!(points, [true, false, true, true]);
        let file = File::create(&disk).unwrap();
        log.entries.iter().for_each(|entry| log.replay(entry, &file).unwrap());
        let disk = std::fs::read(&disk).unwrap();
        assert_eq!((disk.len(), disk[1023], disk[1024], disk[1535]), (1536, 0, 255, 7));
    }
}
