//! Where a candidate is measured during one visit, and the drives below that place.

use std::io;
use std::path::{Path, PathBuf};

use bakeoff_machine::telemetry::layout::Device;
use bakeoff_model::host::{Counted, LayerKind, Place, PlaceClass};
use bakeoff_model::path::RawPath;
use bakeoff_model::step::Inode;
use bakeoff_model::wear::WornDevices;
use bakeoff_model::workload::Phase;
use bakeoff_tools::native::TargetKind;

use super::scratch::{self, Scratch};
use crate::host::{self, Opened, Server};

/// A prepared candidate: a scratch directory with the data file laid out in it.
#[derive(Clone, Debug)]
pub struct Site {
    pub scratch: Scratch,
    /// The file cells read and overwrite, or the device of a stack without a filesystem.
    pub data: Subject,
    /// The kind of place that the data is on, as far as claims about caches need it.
    pub class: PlaceClass,
    /// Devices whose counters show what was moved; empty where none can be named.
    pub counted: Counted,
    pub charges: bool,
    pub servers: Vec<Server>,
    /// Files that loop devices below keep in the page cache: what is read may come from there.
    pub cached_below: Vec<RawPath>,
    /// The block device that a driver in user space reads through the page cache; `None` = the
    /// filesystem is the kernel's.
    pub driver_reads: Option<RawPath>,
    pub file_bytes: u64,
    /// Pages dirtied for each page written directly, from a short burst; `None` until asked.
    pub dirtied_per_page: Option<f64>,
    /// Whether cells go to a block device: a stack without a filesystem.
    pub is_raw: bool,
    pub devices: Vec<Device>,
    pub worn: WornDevices,
}

impl Site {
    /// A site in `scratch`; `place` is what its bytes end up on.
    pub fn new(
        scratch: Scratch,
        data: Subject,
        class: PlaceClass,
        place: &Place,
        file_bytes: u64,
    ) -> Site {
        let cached_below = place.cached_files().cloned().collect();
        // The chain as it is now: a stack's mapper and loop devices are there for one visit.
        let now = host::place(scratch.path()).unwrap_or_default();
        Site {
            scratch,
            data,
            class,
            counted: place.counted(),
            charges: place.charges_turns(),
            servers: host::servers(place),
            cached_below,
            driver_reads: None,
            file_bytes,
            dirtied_per_page: None,
            is_raw: false,
            devices: devices(&now),
            worn: now.worn(),
        }
    }

    /// Has writes counted on the region that is the candidate's alone, of a target on `drives`.
    pub fn wears(&mut self, region: &RawPath, drives: &Place) {
        let dev = host::dev_at(region.as_path()).map(|dev| dev.to_string());
        let is_loop = dev.as_ref().is_some_and(|dev| dev.starts_with("7:"));
        let bytes: Vec<String> = dev.into_iter().collect();
        let flushes = if is_loop { bytes.clone() } else { drives.disk_numbers() };
        self.worn = WornDevices { bytes, flushes, is_shared: false };
    }

    /// What a workload is measured on; new files and directories are made.
    ///
    /// # Errors
    /// When one cannot be made.
    pub fn target(&self, phase: Phase) -> io::Result<(Subject, TargetKind)> {
        Ok(match phase {
            Phase::ColdRead | Phase::Overwrite => (self.data.clone(), self.data_kind()),
            // Without files, what is new begins where the device does.
            Phase::Append if self.is_raw => (self.data.clone(), self.data_kind()),
            Phase::Append => {
                (Subject::Opened(self.scratch.create(scratch::APPEND)?), TargetKind::File)
            }
            Phase::Metadata | Phase::Whole => {
                let made = self.scratch.make_dir(scratch::SMALL)?;
                (Subject::Opened(made), TargetKind::Directory)
            }
        })
    }

    /// What [`Site::data`] is.
    pub fn data_kind(&self) -> TargetKind {
        if self.is_raw { TargetKind::Block } else { TargetKind::File }
    }
}

/// What of a place's chain keeps counters of its own: everything but partitions.
pub fn devices(place: &Place) -> Vec<Device> {
    let mut devices: Vec<Device> = Vec::new();
    for layer in place.chain.iter().filter(|layer| layer.kind != LayerKind::Partition) {
        if !devices.iter().any(|known| known.dev == layer.dev) {
            devices.push(Device {
                name: layer.name.clone(),
                dev: layer.dev.clone(),
                is_disk: layer.kind == LayerKind::Disk,
            });
        }
    }
    devices
}

/// What a job is done on: a path, or a file or directory of ours that is held open. Something of ours is held open for as long as this lives.
#[derive(Clone, Debug)]
pub enum Subject {
    /// What is found at a path that nobody but root can change, as those of devices, or that the
    /// user named.
    At(PathBuf),
    Opened(Opened),
}

impl Subject {
    pub fn path(&self) -> &Path {
        match self {
            Subject::At(path) => path,
            Subject::Opened(opened) => opened.path(),
        }
    }

    /// Which file has to be found there; `None` where the path is all that is known.
    pub fn inode(&self) -> Option<Inode> {
        match self {
            Subject::At(_) => None,
            Subject::Opened(opened) => Some(opened.inode()),
        }
    }
}

impl From<&Path> for Subject {
    fn from(path: &Path) -> Subject {
        Subject::At(path.to_path_buf())
    }
}

impl From<&PathBuf> for Subject {
    fn from(path: &PathBuf) -> Subject {
        Subject::At(path.clone())
    }
}

impl From<&Opened> for Subject {
    fn from(opened: &Opened) -> Subject {
        Subject::Opened(opened.clone())
    }
}

impl From<&Subject> for Subject {
    fn from(subject: &Subject) -> Subject {
        subject.clone()
    }
}
