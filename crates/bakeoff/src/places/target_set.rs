//! What candidates stand on: directories laid out once, or regions that each stack is made on.

use bakeoff_model::candidate::Candidate;
use bakeoff_model::index::CandidateIx;
use bakeoff_tools::native::TargetKind;

use super::regions::{Attached, Regions};
use super::sentinel;
use crate::host::Opened;
use crate::load::LoadError;
use crate::load::site::Site;
use crate::signals::Cancel;
use crate::steps::error::StepError;
use crate::steps::journal::Journal;
use crate::steps::session::Session;

#[allow(clippy::large_enum_variant)]
pub enum TargetSet {
    Directories { sites: Vec<Site>, sentinel: Option<Opened> },
    Regions(Regions),
}

impl TargetSet {
    /// The regions, on which something is made and undone; directories are laid out once.
    pub fn regions(&mut self) -> Option<&mut Regions> {
        match self {
            TargetSet::Directories { .. } => None,
            TargetSet::Regions(regions) => Some(regions),
        }
    }

    /// Prepares a candidate for its visit; [`TargetSet::site`] is valid until [`TargetSet::leave`].
    pub fn enter(&mut self, session: &mut Session, candidate: &Candidate) -> Result<(), StepError> {
        self.regions().map_or(Ok(()), |regions| regions.enter(session, candidate))
    }

    pub fn parts(&self) -> usize {
        match self {
            TargetSet::Directories { .. } => 1,
            TargetSet::Regions(regions) => {
                regions.list.iter().map(|at| at.parts.len()).min().unwrap_or(1)
            }
        }
    }

    pub fn site(&mut self, candidate: CandidateIx) -> Option<&mut Site> {
        match self {
            TargetSet::Directories { sites, .. } => sites.get_mut(usize::from(candidate)),
            TargetSet::Regions(regions) => regions.site(candidate),
        }
    }

    /// The region that all stacks are put on; `None` for directories and for several regions.
    pub fn only_region(&self) -> Option<&Attached> {
        match self {
            TargetSet::Directories { .. } => None,
            TargetSet::Regions(regions) => match regions.list.as_slice() {
                [one] => Some(one),
                _ => None,
            },
        }
    }

    pub fn leave(&mut self, journal: &mut Journal) -> Result<(), StepError> {
        self.regions().map_or(Ok(()), |regions| regions.leave(journal))
    }

    /// Ends a run on these targets; returns what could not be done.
    pub fn close(&mut self, session: &mut Session) -> Vec<String> {
        match self {
            TargetSet::Directories { .. } => {
                self.detach();
                Vec::new()
            }
            TargetSet::Regions(regions) => regions.close(session),
        }
    }

    /// Ends what is held open, so that it can be removed or unmounted by its step. An open file
    /// that is removed stays in its directory under another name on NFS and FUSE.
    pub fn detach(&mut self) {
        match self {
            TargetSet::Directories { sites, sentinel } => {
                *sentinel = None;
                for Site { scratch, data, .. } in sites.drain(..) {
                    drop(data);
                    // By descriptor: one that its owner renamed meanwhile is emptied too. Failures
                    // are met again when the directory itself is removed by its name.
                    drop(scratch.empty());
                }
            }
            TargetSet::Regions(regions) => regions.detach(),
        }
    }

    /// Reads the sentinel; bytes a second, or `None` where it cannot be read directly.
    pub fn sentinel(&self, cancel: &Cancel) -> Result<Option<f64>, LoadError> {
        let file = match self {
            TargetSet::Directories { sentinel: None, .. } => return Ok(None),
            TargetSet::Directories { sentinel: Some(file), .. } => file,
            TargetSet::Regions(regions) => return regions.sentinel(cancel),
        };
        sentinel::read(sentinel::BYTES, file, TargetKind::File, cancel)
    }

    pub fn disks(&self) -> Vec<String> {
        let mut disks: Vec<String> = match self {
            TargetSet::Directories { sites, .. } => {
                sites.iter().flat_map(|s| s.counted.writes.clone()).collect()
            }
            TargetSet::Regions(regions) => {
                regions.list.iter().flat_map(|at| at.region.place.disk_numbers()).collect()
            }
        };
        disks.sort();
        disks.dedup();
        disks
    }
}
