//! What candidates stand on: directories laid out once, or one image that each stack is made on.

use std::path::Path;
use std::time::Duration;

use bakeoff_core::driver::native::TargetKind;
use bakeoff_core::model::candidate::{Candidate, Kind, Stack};
use bakeoff_core::model::event::Region;
use bakeoff_core::model::host::{Place, PlaceClass};
use bakeoff_core::model::job::{Job, Rw};
use bakeoff_core::model::path::RawPath;
use bakeoff_core::prepare::steps;
use rustix::fs::{Mode, OFlags};

use super::action::{self, ActionError};
use super::journal::Journal;
use super::load::{self, LoadError};
use super::scratch::{self, Scratch};
use super::session::Session;
use super::site::Site;
use super::stepper::{self, StepError};
use crate::fault::Fault;
use crate::signals::Cancel;

/// Bytes of the region the sentinel reads.
pub const SENTINEL_BYTES: u64 = 64 << 20;
/// How often and how long the driver of the filesystem before may take to let go of the device.
const FREE_TRIES: u32 = 600;
const FREE_PAUSE: Duration = Duration::from_millis(50);
/// Name of our directory on a filesystem we made ourselves.
const ON_STACK: &str = "bakeoff";

/// The ground of a run.
pub enum Ground {
    /// One prepared site for each candidate.
    Directories {
        /// In the order of the candidates.
        sites: Vec<Site>,
        /// File for the sentinel, where one can be read directly.
        sentinel: Option<std::path::PathBuf>,
    },
    /// One image, attached.
    Image {
        /// The loop device.
        device: RawPath,
        /// Where stacks are mounted.
        mount_point: RawPath,
        /// What the image lies on.
        region: Box<Region>,
        /// Size of the data file of each visit.
        file_bytes: u64,
        /// The stack that is mounted now: its site and the step that mounted it.
        mounted: Option<(Site, u32)>,
    },
}

impl Ground {
    /// Prepares a candidate for its visit; [`Ground::site`] is valid until [`Ground::leave`].
    pub fn enter(&mut self, session: &mut Session, candidate: &Candidate) -> Result<(), StepError> {
        let Ground::Image { device, mount_point, region, file_bytes, mounted } = self else {
            return Ok(());
        };
        let Kind::Stack(stack) = &candidate.kind else {
            return Err(Fault::bug("a directory cannot be made on an image").into());
        };
        let name = &candidate.name;
        wait_until_free(device).map_err(StepError::Failed)?;
        stepper::take(session, |n| steps::mkfs(n, name, stack, device))?;
        let first = mount(session, name, stack, device, mount_point)?;
        let made = lay_out_stack(session, mount_point.as_path(), *file_bytes);
        stepper::undo(&mut session.journal, first)?;
        made.map_err(StepError::Failed)?;
        // Mounted afresh, nothing of the layout is left in memory: not even in a FUSE driver.
        let step = mount(session, name, stack, device, mount_point)?;
        let class = match (region.place.class, stack.fuse) {
            (PlaceClass::Block, true) => PlaceClass::Fuse,
            (class, _) => class,
        };
        let scratch = Scratch::open(mount_point.as_path(), ON_STACK).map_err(|source| {
            StepError::Failed(ActionError::Io { what: "open our directory".to_string(), source })
        })?;
        *mounted = Some((Site::new(scratch, class, &region.place, *file_bytes), step));
        Ok(())
    }

    /// The prepared site of a candidate.
    pub fn site(&mut self, candidate: u16) -> Option<&mut Site> {
        match self {
            Ground::Directories { sites, .. } => sites.get_mut(usize::from(candidate)),
            Ground::Image { mounted, .. } => mounted.as_mut().map(|(site, _)| site),
        }
    }

    /// Ends a visit.
    pub fn leave(&mut self, journal: &mut Journal) -> Result<(), StepError> {
        let Ground::Image { mounted, .. } = self else { return Ok(()) };
        match mounted.take() {
            // The site's open directory has to be closed before its filesystem can be unmounted.
            Some((site, step)) => {
                drop(site);
                stepper::undo(journal, step)
            }
            None => Ok(()),
        }
    }

    /// Closes what is open on a mounted stack, so that it can be unmounted by its step.
    pub fn let_go(&mut self) {
        if let Ground::Image { mounted, .. } = self {
            *mounted = None;
        }
    }

    /// Reads the sentinel; bytes a second, or `None` where it cannot be read directly.
    pub fn sentinel(&self, cancel: &Cancel) -> Result<Option<f64>, LoadError> {
        let (target, kind, size) = match self {
            Ground::Directories { sentinel: None, .. } => return Ok(None),
            Ground::Directories { sentinel: Some(file), .. } => {
                (file.as_path(), TargetKind::File, SENTINEL_BYTES)
            }
            Ground::Image { device, region, .. } => {
                let size = SENTINEL_BYTES.min(region.size_bytes);
                (device.as_path(), TargetKind::Block, size)
            }
        };
        let job = Job { direct: true, ..Job::new(Rw::Read, 1 << 20, size) };
        let measurement = load::run(&job, target, kind, cancel, &mut |_| {})?;
        Ok(measurement.read.map(|read| read.bw_bytes_per_s))
    }

    /// The disks whose idle rate is foreign to the run.
    pub fn disks(&self) -> Vec<String> {
        let mut disks: Vec<String> = match self {
            Ground::Directories { sites, .. } => {
                sites.iter().flat_map(|s| s.disks.clone()).collect()
            }
            Ground::Image { region, .. } => disks_of(&region.place),
        };
        disks.sort();
        disks.dedup();
        disks
    }
}

/// `major:minor` of the disks at the bottom of a place.
pub fn disks_of(place: &Place) -> Vec<String> {
    place.disks().map(|disk| disk.dev.clone()).collect()
}

/// Waits until nobody has the device open exclusively. umount(8) of a FUSE filesystem returns when
/// the mount is gone; its driver may still be writing and only then lets go of the device.
fn wait_until_free(device: &RawPath) -> Result<(), ActionError> {
    let flags = OFlags::RDONLY | OFlags::EXCL | OFlags::CLOEXEC;
    let mut last = rustix::fs::open(device.as_path(), flags, Mode::empty()).map(drop);
    for _ in 0..FREE_TRIES {
        if last.is_ok() {
            return Ok(());
        }
        std::thread::sleep(FREE_PAUSE);
        last = rustix::fs::open(device.as_path(), flags, Mode::empty()).map(drop);
    }
    last.map_err(|error| ActionError::Io {
        what: format!("{device} is still in use after its filesystem was unmounted"),
        source: error.into(),
    })
}

/// Mounts a stack; gives the step's number.
fn mount(
    session: &mut Session,
    name: &str,
    stack: &Stack,
    device: &RawPath,
    at: &RawPath,
) -> Result<u32, StepError> {
    let taken = stepper::take(session, |n| steps::mount(n, name, stack, device, at));
    taken.map(|(step, _)| step)
}

/// Makes our directory and the data file on a freshly made filesystem.
fn lay_out_stack(
    session: &Session,
    mount_point: &Path,
    file_bytes: u64,
) -> Result<(), ActionError> {
    let scratch = Scratch::make(mount_point, ON_STACK)
        .map_err(|source| ActionError::Io { what: "make our directory".to_string(), source })?;
    lay_out(session, &scratch, scratch::DATA, file_bytes).map(|_| ())
}

/// Writes a new file of incompressible data and flushes it; gives bytes a second.
pub fn lay_out(
    session: &Session,
    scratch: &Scratch,
    name: &str,
    file_bytes: u64,
) -> Result<f64, ActionError> {
    let path = scratch
        .create(name)
        .map_err(|source| ActionError::Io { what: format!("make {name}"), source })?;
    let job = Job { end_fsync: true, ..Job::new(Rw::Write, 1 << 20, file_bytes) };
    let mut tick = |live| session.progress.live(live);
    match load::run(&job, &path, TargetKind::File, &session.cancel, &mut tick) {
        Ok(measurement) => Ok(measurement.write.map_or(0.0, |write| write.bw_bytes_per_s)),
        Err(LoadError::Interrupted) => Err(action::ActionError::Interrupted),
        Err(error) => Err(ActionError::Fill(error.to_string())),
    }
}
