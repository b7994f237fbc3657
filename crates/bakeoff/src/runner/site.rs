//! Where a candidate's cells happen during one visit, and what lies below that place.

use std::path::{Path, PathBuf};

use bakeoff_core::model::host::{Place, PlaceClass};
use bakeoff_core::model::path::RawPath;

use super::scratch::{self, Scratch};

/// A prepared candidate: a scratch directory with the data file laid out in it.
#[derive(Debug)]
pub struct Site {
    /// Our directory on the candidate.
    pub scratch: Scratch,
    /// What kind of place the data lies on, as far as claims about caches go.
    pub class: PlaceClass,
    /// `major:minor` of the lowest real devices; empty where none can be named.
    pub disks: Vec<String>,
    /// Files that loop devices below keep in the page cache: what is read may come from there.
    pub cached_below: Vec<RawPath>,
    /// Size of the data file.
    pub file_bytes: u64,
    /// Pages dirtied for each page written directly, from a short burst; `None` until asked.
    pub dirtied_per_page: Option<f64>,
}

impl Site {
    /// A site in `scratch`; `place` is what its bytes end up on.
    pub fn new(scratch: Scratch, class: PlaceClass, place: &Place, file_bytes: u64) -> Site {
        let disks = place.disks().map(|disk| disk.dev.clone()).collect();
        let cached_below = place.cached_files().cloned().collect();
        Site { scratch, class, disks, cached_below, file_bytes, dirtied_per_page: None }
    }

    /// The file cells read and overwrite.
    pub fn data(&self) -> PathBuf {
        self.scratch.path().join(scratch::DATA)
    }

    /// The scratch directory's path.
    pub fn path(&self) -> &Path {
        self.scratch.path()
    }
}
