//! Sets of files of many sizes, the same for every candidate of a block.
//!
//! Sizes are drawn by octave: as many files between 4 and 8 KiB as between 512 KiB and 1 MiB, which
//! is roughly how files lie on people's drives (Agrawal, Bolosky, Douceur and Lorch, "A Five-Year
//! Study of File-System Metadata", FAST 2007: log-normal, most files small, most bytes in few).

use std::os::fd::OwnedFd;

use bakeoff_model::job::Job;
use bakeoff_stats::prng::SplitMix64;
use rustix::fs::OFlags;

use super::block::{self, BlockBuffer};
use super::workdir::Workdir;
use crate::error::EngineError;

const DIRECTORIES: u32 = 16;
const FILES_MIN: u64 = 16;
const FILES_MAX: u64 = 65_536;
const SIZES: u64 = 0x7472_6565;

#[derive(Clone, Copy, Debug)]
pub struct Tree {
    pub files: u32,
    smallest: u64,
    octaves: u32,
    seed: u64,
}

impl Tree {
    /// Files from `smallest` bytes on over so many octaves: `nrfiles` of them, or as many as come
    /// to about `bytes`.
    pub fn new(job: &Job, smallest: u64, octaves: u32, bytes: u64) -> Tree {
        let mean = smallest * 3 / 2 * ((1 << octaves) - 1) / u64::from(octaves);
        let files = match job.nrfiles {
            0 => (bytes / mean).clamp(FILES_MIN, FILES_MAX) as u32,
            files => files.min(FILES_MAX as u32),
        };
        Tree { files, smallest, octaves, seed: job.seed }
    }

    pub fn size(&self, file: u32) -> u64 {
        let mut random = SplitMix64::derive(self.seed, &[SIZES, file.into()]);
        let floor = self.smallest << (random.next_u64() % u64::from(self.octaves));
        floor + random.next_u64() % floor
    }

    pub fn directories(&self, workdir: &Workdir) -> Result<Vec<Workdir>, EngineError> {
        (0..DIRECTORIES).map(|dir| workdir.make_dir(&format!("d{dir}"))).collect()
    }

    /// Makes directories and files and flushes them, outside every clock.
    pub fn lay_out(
        &self,
        workdir: &Workdir,
        block: &mut BlockBuffer,
    ) -> Result<Vec<Workdir>, EngineError> {
        let rooms = self.directories(workdir)?;
        for number in 0..self.files {
            let file = self.room_of(&rooms, number).create(&name(number), OFlags::RDWR)?;
            block::write_whole(&file, block, self.size(number))?;
        }
        // Once for all: a flush of each would take longer than the part itself.
        block::syncfs(workdir.dir())?;
        Ok(rooms)
    }

    pub fn room_of<'r>(&self, rooms: &'r [Workdir], file: u32) -> &'r Workdir {
        &rooms[(file % DIRECTORIES) as usize]
    }

    pub fn cool(&self, rooms: &[Workdir], job: &Job) -> Result<(), EngineError> {
        for number in 0..self.files {
            block::cool(self.open(rooms, number)?, job)?;
        }
        Ok(())
    }

    pub fn open(&self, rooms: &[Workdir], file: u32) -> Result<OwnedFd, EngineError> {
        self.room_of(rooms, file).open_file(&name(file), OFlags::RDONLY)
    }
}

pub fn name(file: u32) -> String {
    format!("f{file}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_model::job::Rw;

    #[test]
    fn sizes_are_spread_over_the_octaves_and_come_to_the_bytes_asked_for() {
        let tree = Tree::new(&Job::new(Rw::Read, 4096, 1), 4096, 8, 256 << 20);
        let sizes: Vec<u64> = (0..tree.files).map(|n| tree.size(n)).collect();
        assert!(sizes.iter().all(|s| (4096..1 << 20).contains(s)));
        let smallest = sizes.iter().filter(|s| **s < 8192).count() as f64;
        assert!((smallest / sizes.len() as f64 - 0.125).abs() < 0.05);
        let bytes = sizes.iter().sum::<u64>() as f64;
        assert!((bytes / (256 << 20) as f64 - 1.0).abs() < 0.15, "{bytes}");
    }
}
