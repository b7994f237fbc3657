//! The ground of stacks: a region of an image or of one or several devices, on which each stack is
//! made in turn, from the state the region had before every other one.
//!
//! A visit is a list of steps, each with its way back: settings of the kernel, the region's state,
//! encryption, volume, filesystem, mount. They are undone in reverse when the visit ends, however
//! far it came.

use std::path::Path;
use std::time::Duration;

use bakeoff_core::driver::native::TargetKind;
use bakeoff_core::model::candidate::{Candidate, Kind, Knobs};
use bakeoff_core::model::event::{Action, FlashState, Region, Step};
use bakeoff_core::model::host::PlaceClass;
use bakeoff_core::model::path::RawPath;
use bakeoff_core::model::step::Inode;
use bakeoff_core::model::undo::Knob;
use bakeoff_core::prepare::{knobs, steps, support, visit};
use rustix::fs::{Mode, OFlags};

use super::action::{ActionError, io_error};
use super::ground::{SENTINEL_BYTES, lay_out, sentinel_job};
use super::journal::Journal;
use super::load::{self, LoadError};
use super::loops;
use super::marks;
use super::scratch::{self, Scratch};
use super::session::Session;
use super::site::{self, Site};
use super::stepper::{self, StepError};
use super::subject::Subject;
use crate::fault::Fault;
use crate::host;
use crate::signals::Cancel;

/// How often and how long the driver of the filesystem before may take to let go of the device.
const FREE_TRIES: u32 = 600;
const FREE_PAUSE: Duration = Duration::from_millis(50);
/// Name of our directory on a filesystem we made ourselves.
const ON_STACK: &str = "bakeoff";

/// One region, attached.
#[derive(Clone, Debug)]
pub struct Attached {
    /// The block device that is exactly the region.
    pub device: RawPath,
    /// The file behind it, where it is a loop device on one.
    pub backing: Option<Inode>,
    /// Where it is and what it lies on.
    pub region: Region,
    /// Kernel name of the disk whose settings a candidate may change: the target's own, or for an
    /// image the loop device, as the disk below belongs to others.
    pub knob_disk: String,
}

/// The regions of a run and the visit that is under way.
pub struct Regions {
    /// In the order of the device axis.
    pub list: Vec<Attached>,
    /// Where stacks are mounted.
    pub mount_point: RawPath,
    /// Size of the data file of each visit.
    pub file_bytes: u64,
    visit: Visit,
}

/// What the visit under way has made.
#[derive(Default)]
struct Visit {
    site: Option<Site>,
    /// Steps to undo at its end, in the order they were taken.
    steps: Vec<u32>,
}

impl Regions {
    /// Regions nothing is made on yet.
    pub fn new(list: Vec<Attached>, mount_point: RawPath, file_bytes: u64) -> Regions {
        Regions { list, mount_point, file_bytes, visit: Visit::default() }
    }

    /// Prepares a candidate for its visit; [`Regions::site`] is valid until [`Regions::leave`],
    /// which has to be called whether this succeeds or not.
    pub fn enter(&mut self, session: &mut Session, candidate: &Candidate) -> Result<(), StepError> {
        let Kind::Stack(stack) = &candidate.kind else {
            return Err(Fault::bug("a directory cannot be made on a region").into());
        };
        let at = self.list.get(usize::from(candidate.region)).cloned();
        let at = at.ok_or_else(|| Fault::bug("the candidate's region does not exist"))?;
        if let Some(inode) = at.backing {
            loops::check(&at.device, inode, at.region.start_bytes).map_err(StepError::Failed)?;
        }
        wait_until_free(&at.device).map_err(StepError::Failed)?;
        self.set_knobs(session, &stack.knobs, &at.knob_disk)?;
        let run = session.journal.run().header.run.clone();
        let made = visit::made(
            &candidate.name,
            stack,
            &visit::Ground {
                run: &run,
                slot: 0,
                device: &at.device,
                region_bytes: at.region.size_bytes,
                flash_state: at.region.flash_state,
                mount_point: &self.mount_point,
            },
        );
        for step in made.steps {
            self.make(session, &step)?;
        }
        if stack.fs == support::RAW {
            self.make_raw(session, &made.device, &at)?;
            return marks::again(session, usize::from(candidate.region), &at.device, &at.region);
        }
        marks::again(session, usize::from(candidate.region), &at.device, &at.region)?;
        let class = match (at.region.place.class, stack.fuse) {
            (PlaceClass::Block, true) => PlaceClass::Fuse,
            (class, _) => class,
        };
        let scratch = Scratch::open(self.mount_point.as_path(), ON_STACK)
            .map_err(|e| StepError::Failed(io_error("open our directory")(e)))?;
        let data = scratch.open_file(scratch::DATA);
        let data = data.map_err(|e| StepError::Failed(io_error("open our data file")(e)))?;
        let (place, bytes) = (&at.region.place, self.file_bytes);
        self.visit.site = Some(Site::new(scratch, Subject::Held(data), class, place, bytes));
        Ok(())
    }

    /// The prepared site of the visit under way.
    pub fn site(&mut self) -> Option<&mut Site> {
        self.visit.site.as_mut()
    }

    /// Ends a visit: everything it made is undone, latest first.
    pub fn leave(&mut self, journal: &mut Journal) -> Result<(), StepError> {
        self.let_go();
        while let Some(step) = self.visit.steps.pop() {
            stepper::undo(journal, step)?;
        }
        Ok(())
    }

    /// Closes what is open on a mounted stack: its filesystem cannot be unmounted before.
    pub fn let_go(&mut self) {
        self.visit.site = None;
    }

    /// Takes a step of the visit.
    fn take(
        &mut self,
        session: &mut Session,
        build: impl FnOnce(u32) -> Step,
    ) -> Result<u32, StepError> {
        // A step that failed half way may have left something; its undo is safe where it did not.
        let number = stepper::next_number(session)?;
        self.visit.steps.push(number);
        stepper::take(session, build).map(|(number, _)| number)
    }

    fn set_knobs(
        &mut self,
        session: &mut Session,
        wanted: &Knobs,
        disk: &str,
    ) -> Result<(), StepError> {
        for (knob, value) in knobs::wanted(wanted, disk, &host::cpufreq_policies()) {
            let now = |knob: &Knob| {
                let text = host::setting(knobs::path(knob).as_path());
                text.map(|text| knobs::current(&text)).unwrap_or_default()
            };
            let before = now(&knob);
            if before == value {
                continue;
            }
            if let Some(requests) = knobs::requests_beside(&knob) {
                let kept = now(&requests);
                self.take(session, |n| knobs::keep(n, &requests, &kept))?;
            }
            self.take(session, |n| knobs::set(n, &knob, &value, &before))?;
        }
        Ok(())
    }

    /// No filesystem: cells go to the device, on bytes that were written.
    fn make_raw(
        &mut self,
        session: &mut Session,
        device: &RawPath,
        at: &Attached,
    ) -> Result<(), StepError> {
        let file_bytes = self.file_bytes;
        self.take(session, |n| steps::overwrite(n, device, file_bytes, false))?;
        // The run's own directory, in which nothing is made: a site has one.
        let ours = self.mount_point.as_path().parent();
        let (parent, name) = ours.and_then(|dir| dir.parent().zip(dir.file_name())).unzip();
        let scratch = Scratch::open(
            parent.unwrap_or(Path::new("/")),
            &name.unwrap_or_default().to_string_lossy(),
        )
        .map_err(|e| StepError::Failed(io_error("open our directory")(e)))?;
        let place = &at.region.place;
        let data = Subject::from(device.as_path());
        let mut site = Site::new(scratch, data, PlaceClass::Block, place, self.file_bytes);
        site.devices = site::devices(place);
        site.is_raw = true;
        self.visit.site = Some(site);
        Ok(())
    }

    /// Takes a step of making a stack; on what it mounts, the data file is laid out. Mounted afresh
    /// after that, nothing of the layout is left in memory: not even in a FUSE driver.
    fn make(&mut self, session: &mut Session, step: &Step) -> Result<(), StepError> {
        let again = |number| Step { step: number, ..step.clone() };
        let number = self.take(session, again)?;
        if matches!(step.action, Action::Mount { .. }) {
            let made = lay_out_stack(session, self.mount_point.as_path(), self.file_bytes);
            stepper::undo(&mut session.journal, number)?;
            made.map_err(StepError::Failed)?;
            self.take(session, again)?;
        }
        Ok(())
    }

    /// Ends a run: what the last stack wrote to say what it is goes, so that nobody finds half a
    /// volume group. What fails here is said and keeps nothing from being put back.
    pub fn close(&mut self, session: &mut Session) -> Vec<String> {
        let mut failures = Vec::new();
        // Ctrl-C ended the run; it does not end cleaning up, which is over in a moment.
        let cancel = std::mem::take(&mut session.cancel);
        let all = self.list.iter().enumerate();
        for (index, at) in all.filter(|(_, at)| at.region.token.is_some()) {
            let wiped = wait_until_free(&at.device)
                .map_err(StepError::Failed)
                .and_then(|()| stepper::take(session, |n| steps::wipe(n, &at.device)).map(|_| ()));
            match wiped {
                // A second Ctrl-C, or a target that is gone: there is nothing to say.
                Ok(()) => {
                    let marked = marks::again(session, index, &at.device, &at.region);
                    failures.extend(marked.err().map(|error| error.into_fault().to_string()));
                }
                Err(StepError::Failed(ActionError::Interrupted | ActionError::Lost(_))) => {}
                Err(error) => failures.push(error.into_fault().to_string()),
            }
        }
        session.cancel = cancel;
        failures
    }

    /// Reads the start of the first region; bytes a second.
    pub fn sentinel(&self, cancel: &Cancel) -> Result<Option<f64>, LoadError> {
        let Some(at) = self.list.first() else { return Ok(None) };
        let size = SENTINEL_BYTES.min(at.region.size_bytes);
        let job = sentinel_job(size);
        let device = at.device.as_path();
        let measured = load::run(&job, device, TargetKind::Block, cancel, &mut |_| {})?;
        Ok(measured.read.map(|read| read.bw_bytes_per_s))
    }

    /// The regions for the record: the first, and those of further devices.
    pub fn described(&self) -> (Option<Region>, Vec<Region>) {
        let mut all = self.list.iter().map(|at| at.region.clone());
        (all.next(), all.collect())
    }

    /// Bytes a visit writes beside its cells.
    pub fn visit_write_bytes(&self) -> u64 {
        let restored =
            self.list.iter().filter(|at| at.region.flash_state == FlashState::Overwritten);
        self.file_bytes + restored.map(|at| at.region.size_bytes).max().unwrap_or(0)
    }
}

/// The kernel's name of a block device: `loop0` of /dev/loop0.
pub fn kernel_name(device: &RawPath) -> String {
    let name = device.as_path().file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
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

/// Makes our directory and the data file on a freshly made filesystem.
fn lay_out_stack(
    session: &Session,
    mount_point: &Path,
    file_bytes: u64,
) -> Result<(), ActionError> {
    let scratch = Scratch::make(mount_point, ON_STACK).map_err(io_error("make our directory"))?;
    // Nothing of it stays open: it is unmounted next.
    lay_out(session, &scratch, scratch::DATA, file_bytes).map(|_| ())
}
