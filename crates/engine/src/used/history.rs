//! What happens to files, one deed after the other: a function of the seed and of two sizes, so
//! that every candidate meets the same. Pure: `super` does it.
//!
//! First files are made until they have all their bytes. Then half of the deeds create a file, a
//! quarter let one grow by up to its size, a quarter overwrite a part of one; where there is no
//! room, files are deleted first. So the filesystem stays as full as it is to be, its free space is
//! made anew again and again, which is what ages it: Kadekodi, Nagarajan, Ganger and Gibson,
//! "Geriatrix", ATC 2018. That files also grow between others is from Conway et al., "File Systems
//! Fated for Senescence?", FAST 2017. The shares of the deeds are ours.

use std::collections::VecDeque;

use bakeoff_model::use_state::FileHistory;
use bakeoff_stats::prng::{NormalDeviates, SplitMix64};

use super::sizes::{self, FileSizes};

/// Files that are known by name and size. Of more, an even sample is: the others stay as they are.
const WINDOW: usize = 1 << 17;
/// About what a file takes, at least.
const ABOUT_BYTES: u64 = 64 << 10;
/// Directories in each directory: some files lie in each then, as deep as they lie.
const BRANCHES: u64 = 2;
const DEEDS: u64 = 1;
const PLACES: u64 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    Create {
        file: u32,
        bytes: u64,
    },
    /// At its end.
    Grow {
        file: u32,
        at: u64,
        bytes: u64,
    },
    Overwrite {
        file: u32,
        at: u64,
        bytes: u64,
    },
    Delete {
        file: u32,
    },
}

impl Deed {
    pub fn written_bytes(self) -> u64 {
        match self {
            Deed::Create { bytes, .. }
            | Deed::Grow { bytes, .. }
            | Deed::Overwrite { bytes, .. } => bytes,
            Deed::Delete { .. } => 0,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct UsedFile {
    pub file: u32,
    pub bytes: u64,
}

pub struct History {
    of: FileHistory,
    sizes: FileSizes,
    random: NormalDeviates,
    known: Vec<UsedFile>,
    next_file: u32,
    files: u64,
    bytes: u64,
    written_bytes: u64,
    /// Deeds that are chosen and not done.
    pending: VecDeque<Deed>,
}

impl History {
    pub fn new(of: FileHistory) -> History {
        let expected = of.tree_bytes / ABOUT_BYTES;
        History {
            sizes: FileSizes::of_tree(of.tree_bytes),
            random: NormalDeviates(SplitMix64::derive(of.seed, &[DEEDS])),
            known: Vec::with_capacity(usize::try_from(expected).map_or(WINDOW, |n| n.min(WINDOW))),
            next_file: 0,
            files: 0,
            bytes: 0,
            written_bytes: 0,
            pending: VecDeque::new(),
            of,
        }
    }

    /// Files that there are, and their bytes.
    pub fn left(&self) -> (u64, u64) {
        (self.files, self.bytes)
    }

    pub fn written_bytes(&self) -> u64 {
        self.written_bytes
    }

    /// Where a file lies: directories and its name, `0/2/1/f7`.
    pub fn write_path(&self, file: u32, path: &mut String) {
        use std::fmt::Write;
        path.clear();
        let mut random = NormalDeviates(SplitMix64::derive(self.of.seed, &[PLACES, file.into()]));
        for _ in 0..sizes::depth(&mut random) {
            let _ = write!(path, "{}/", random.0.below(BRANCHES));
        }
        let _ = write!(path, "f{file}");
    }

    /// Chooses what happens next, and the deletions that make room for it.
    fn choose(&mut self) {
        let left_bytes = self.of.written_bytes().saturating_sub(self.written_bytes);
        let is_filling = self.written_bytes < self.of.tree_bytes;
        if left_bytes == 0 || self.of.tree_bytes == 0 {
            return;
        }
        let most = if is_filling { self.room_bytes() } else { left_bytes };
        let deed = if is_filling { 0 } else { self.random.0.below(4) };
        let (mut grows, bytes) = if deed < 2 || self.known.is_empty() {
            (None, self.sizes.draw(&mut self.random).min(most))
        } else {
            let at = self.random.0.below(self.known.len() as u64) as usize;
            let UsedFile { file, bytes: own } = self.known[at];
            let bytes = (1 + self.random.0.below(own)).min(most);
            let may_grow_bytes = self.sizes.most_bytes.saturating_sub(own);
            if deed == 3 || may_grow_bytes == 0 {
                let at = self.random.0.below(own - bytes + 1);
                return self.pending.push_back(Deed::Overwrite { file, at, bytes });
            }
            (Some(at), bytes.min(may_grow_bytes))
        };
        while bytes > self.room_bytes() && self.known.len() > usize::from(grows.is_some()) {
            self.delete_one(&mut grows);
        }
        let bytes = bytes.min(self.room_bytes());
        if bytes == 0 {
            return;
        }
        self.bytes += bytes;
        let deed = match grows {
            Some(at) => {
                let known = &mut self.known[at];
                let at = known.bytes;
                known.bytes += bytes;
                Deed::Grow { file: known.file, at, bytes }
            }
            None => self.create(bytes),
        };
        self.pending.push_back(deed);
    }

    fn room_bytes(&self) -> u64 {
        self.of.tree_bytes - self.bytes
    }

    /// Deletes a file, but not the one that is to grow, whose place in the window may change.
    fn delete_one(&mut self, grows: &mut Option<usize>) {
        let others = self.known.len() - usize::from(grows.is_some());
        let mut victim = self.random.0.below(others as u64) as usize;
        victim += usize::from(grows.is_some_and(|at| victim >= at));
        if *grows == Some(self.known.len() - 1) {
            // It takes the place of the one that goes.
            *grows = Some(victim);
        }
        let gone = self.known.swap_remove(victim);
        self.bytes -= gone.bytes;
        self.files -= 1;
        self.pending.push_back(Deed::Delete { file: gone.file });
    }

    fn create(&mut self, bytes: u64) -> Deed {
        let file = self.next_file;
        self.next_file += 1;
        self.files += 1;
        let new = UsedFile { file, bytes };
        if self.known.len() < WINDOW {
            self.known.push(new);
        } else if let Some(known) = usize::try_from(self.random.0.below(self.files))
            .ok()
            .and_then(|at| self.known.get_mut(at))
        {
            *known = new;
        }
        Deed::Create { file, bytes }
    }
}

impl Iterator for History {
    type Item = Deed;

    fn next(&mut self) -> Option<Deed> {
        if self.pending.is_empty() {
            self.choose();
        }
        let deed = self.pending.pop_front()?;
        self.written_bytes += deed.written_bytes();
        Some(deed)
    }
}

#[cfg(test)]
mod tests;
