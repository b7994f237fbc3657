//! What is measured, on what and by which rules: what findings rest on, with or without a run.

use super::candidate::{Candidate, Stack};
use super::event::{Header, Region};
use super::host::{Host, Layer, Place, SystemDisk};
use super::protocol::Protocol;
use super::verb::Verb;
use super::workload::Workload;

/// A design of an experiment: of a run, of a plan that no run was made of, or of a single case.
#[derive(Clone, Copy, Debug)]
pub struct Design<'a> {
    /// The command that measures: advice names its options.
    pub verb: &'a Verb,
    pub title: &'a str,
    pub plan: Option<&'a str>,
    pub protocol: &'a Protocol,
    pub candidates: &'a [Candidate],
    pub workloads: &'a [Workload],
    pub host: &'a Host,
    /// Where stacks are put; `None` for directories, and where nobody knows it yet.
    pub region: Option<&'a Region>,
    /// The regions of further devices, in the order of the device axis.
    pub more_regions: &'a [Region],
    /// Bytes it is expected to write; 0 where that was not counted yet.
    pub expected_write_bytes: u64,
    pub system: &'a [SystemDisk],
}

impl<'a> Design<'a> {
    /// Every region, in the order of the device axis; empty for directories.
    pub fn regions(self) -> impl Iterator<Item = &'a Region> {
        self.region.into_iter().chain(self.more_regions)
    }

    pub fn stacks(self) -> impl Iterator<Item = (&'a str, &'a Stack)> {
        self.candidates.iter().filter_map(|c| Some((c.name.as_str(), c.stack()?)))
    }

    pub fn directories(self) -> impl Iterator<Item = (&'a str, &'a Place)> {
        self.candidates.iter().filter_map(|c| Some((c.name.as_str(), c.place()?)))
    }

    /// What lies behind a candidate: its directory's place, or the one of its region.
    pub fn place_of(self, candidate: &'a Candidate) -> Option<&'a Place> {
        let region = || self.regions().nth(usize::from(candidate.region));
        candidate.place().or_else(|| region().map(|region| &region.place))
    }

    /// Every place that is measured: of the regions, then of the directories.
    pub fn places(self) -> impl Iterator<Item = &'a Place> {
        let regions = self.regions().map(|region| &region.place);
        regions.chain(self.directories().map(|(_, place)| place))
    }

    /// The drives below everything that is measured, some more than once.
    pub fn disks(self) -> impl Iterator<Item = &'a Layer> {
        self.places().flat_map(Place::disks)
    }
}

impl<'a> From<&'a Header> for Design<'a> {
    fn from(header: &'a Header) -> Design<'a> {
        Design {
            verb: &header.verb,
            title: &header.title,
            plan: header.plan.as_deref(),
            protocol: &header.protocol,
            candidates: &header.candidates,
            workloads: &header.workloads,
            host: &header.host,
            region: header.region.as_ref(),
            more_regions: &header.more_regions,
            expected_write_bytes: header.expected_write_bytes,
            system: &[],
        }
    }
}
