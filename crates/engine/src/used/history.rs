//! What happens to files, one deed after the other: a function of the seed and of two sizes, so
//! that every candidate meets the same. Pure: `super` does it.
//!
//! First files are made until they have all their bytes. Then half of the deeds create a file, a
//! quarter let one grow by up to its size, a quarter overwrite a part of one; where there is no
//! room, files are deleted first. So the filesystem stays as full as it is to be, its free space is
//! made anew again and again, which is what ages it: Kadekodi, Nagarajan, Ganger and Gibson,
//! "Geriatrix", ATC 2018. That files also grow between others is from Conway et al., "File Systems
//! Fated for Senescence?", FAST 2017. The shares of the deeds are ours.

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

#[derive(Clone, Copy)]
enum Wish {
    Create {
        bytes: u64,
    },
    /// The file at that place of the window.
    Grow {
        at: usize,
        bytes: u64,
    },
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
    wish: Option<Wish>,
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
            wish: None,
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

    fn choose(&mut self) -> Option<Deed> {
        let left_bytes = self.of.written_bytes().saturating_sub(self.written_bytes);
        let is_filling = self.written_bytes < self.of.tree_bytes;
        if left_bytes == 0 || self.of.tree_bytes == 0 {
            return None;
        }
        let most = if is_filling { self.of.tree_bytes - self.bytes } else { left_bytes };
        let deed = if is_filling { 0 } else { self.random.0.below(4) };
        if deed < 2 || self.known.is_empty() {
            self.wish = Some(Wish::Create { bytes: self.sizes.draw(&mut self.random).min(most) });
            return None;
        }
        let at = self.random.0.below(self.known.len() as u64) as usize;
        let UsedFile { file, bytes: own } = self.known[at];
        let bytes = (1 + self.random.0.below(own)).min(most);
        let may_grow_bytes = self.sizes.most_bytes.saturating_sub(own);
        if deed == 2 && may_grow_bytes > 0 {
            self.wish = Some(Wish::Grow { at, bytes: bytes.min(may_grow_bytes) });
            return None;
        }
        Some(Deed::Overwrite { file, at: self.random.0.below(own - bytes + 1), bytes })
    }

    /// What the wish comes to: itself where there is room, otherwise a file less.
    fn fulfil(&mut self, wish: Wish) -> Option<Deed> {
        let room = self.of.tree_bytes - self.bytes;
        let (own, bytes) = match wish {
            Wish::Create { bytes } => (None, bytes),
            Wish::Grow { at, bytes } => (Some(at), bytes),
        };
        let others = self.known.len() - usize::from(own.is_some());
        if bytes > room && others > 0 {
            let mut victim = self.random.0.below(others as u64) as usize;
            victim += usize::from(own.is_some_and(|at| victim >= at));
            if let Wish::Grow { at, bytes } = wish
                && at == self.known.len() - 1
            {
                // It takes the place of the one that goes.
                self.wish = Some(Wish::Grow { at: victim, bytes });
            }
            let gone = self.known.swap_remove(victim);
            self.bytes -= gone.bytes;
            self.files -= 1;
            return Some(Deed::Delete { file: gone.file });
        }
        self.wish = None;
        let bytes = bytes.min(room);
        if bytes == 0 {
            return None;
        }
        self.bytes += bytes;
        match own {
            Some(at) => {
                let known = &mut self.known[at];
                let deed = Deed::Grow { file: known.file, at: known.bytes, bytes };
                known.bytes += bytes;
                Some(deed)
            }
            None => Some(self.create(bytes)),
        }
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
        let chosen = if self.wish.is_none() { self.choose() } else { None };
        let deed = match (chosen, self.wish) {
            (Some(deed), _) => deed,
            (None, Some(wish)) => self.fulfil(wish)?,
            (None, None) => return None,
        };
        self.written_bytes += deed.written_bytes();
        Some(deed)
    }
}

#[cfg(test)]
mod tests;
