//! The target set of stacks: a region of an image or of one or several devices, on which each stack
//! is made in turn, from the same state of the region.
//!
//! A visit is a list of steps, each with its way back: settings of the kernel, the region's state,
//! encryption, volume, filesystem, mount. They are undone in reverse when the visit ends, however
//! far it came.

use std::path::Path;

use bakeoff_machine::prepare::{knobs, recipe, steps, visit};
use bakeoff_model::candidate::{Candidate, Kind};
use bakeoff_model::event::{Action, FlashState, Region, Step};
use bakeoff_model::host::{Place, PlaceClass};
use bakeoff_model::index::CandidateIx;
use bakeoff_model::path::RawPath;
use bakeoff_model::step::Inode;
use bakeoff_model::undo::Knob;
use bakeoff_tools::native::TargetKind;

use super::layout::{Layout, ON_STACK};
use super::{freed, marks, sentinel};
use crate::fault::Fault;
use crate::host;
use crate::load::LoadError;
use crate::load::scratch::{self, Scratch};
use crate::load::site::Subject;
use crate::load::site::{self, Site};
use crate::signals::Cancel;
use crate::steps::error::{StepError, io_error};
use crate::steps::journal::Journal;
use crate::steps::loops;
use crate::steps::own_place;
use crate::steps::session::Session;
use crate::steps::stepper;
use crate::steps::stepper::OnLoop;
use crate::steps::unwind;

#[derive(Clone, Debug)]
pub struct Attached {
    /// Regions of one size, side by side; candidates rotate over them.
    pub parts: Vec<Part>,
    pub region: Region,
}

#[derive(Clone, Debug)]
pub struct Part {
    pub device: RawPath,
    pub backing: Option<(Inode, u64)>,
    /// Kernel name of the drive whose settings a candidate may change: the target's own, or for an
    /// image the loop device, as the drive below belongs to others.
    pub knob_disk: String,
}

impl Part {
    pub fn of_image(OnLoop { device, inode, .. }: OnLoop) -> Part {
        let knob_disk = kernel_name(&device);
        Part { device, backing: Some((inode, 0)), knob_disk }
    }
}

impl Attached {
    pub fn images(parts: Vec<Part>, target: RawPath, place: Place, size_bytes: u64) -> Attached {
        let region = Region {
            held: vec![place.fs.clone()],
            target,
            start_bytes: 0,
            size_bytes,
            parts: u16::try_from(parts.len()).unwrap_or(u16::MAX),
            is_image: true,
            place,
            flash_state: FlashState::WrittenOnce,
            token: None,
        };
        Attached { parts, region }
    }

    pub fn device(&self) -> &RawPath {
        &self.parts[0].device
    }
}

pub struct Regions {
    pub list: Vec<Attached>,
    pub mount_point: RawPath,
    pub file_bytes: u64,
    stands: Vec<Stand>,
    settings: Vec<u32>,
}

#[derive(Default)]
struct Stand {
    /// Who is measured on it, each at a site of its own; empty for a visit, whose candidate need
    /// not be one of the run's.
    candidates: Vec<CandidateIx>,
    part: usize,
    sites: Vec<Site>,
    /// Steps to undo at its end, in the order they were taken.
    steps: Vec<u32>,
}

impl Regions {
    pub fn new(list: Vec<Attached>, mount_point: RawPath, file_bytes: u64) -> Regions {
        Regions { list, mount_point, file_bytes, stands: Vec::new(), settings: Vec::new() }
    }

    /// Prepares a candidate alone, its settings of the kernel included; [`Regions::site`] is valid
    /// until [`Regions::leave`], which has to be called whether this succeeds or not.
    pub fn enter(&mut self, session: &mut Session, candidate: &Candidate) -> Result<(), StepError> {
        self.stands.push(Stand::default());
        self.set_knobs(session, candidate, 0)?;
        self.stand_up(session, candidate)
    }

    /// Prepares a filesystem beside those that stand, on the region `part` of its target, for
    /// candidates of the run that differ in settings only.
    pub fn stand(
        &mut self,
        session: &mut Session,
        shared: &[CandidateIx],
        part: usize,
    ) -> Result<(), StepError> {
        self.stands.push(Stand { candidates: shared.to_vec(), part, ..Stand::default() });
        let candidate = session.journal.run().header.candidates[shared[0]].clone();
        self.stand_up(session, &candidate)?;
        for number in 1..shared.len() {
            self.add_site(number)?;
        }
        Ok(())
    }

    /// Makes the settings that these candidates of the run want, instead of those before, until
    /// [`Regions::reset`]. The parts of an image have settings of their own.
    pub fn set(&mut self, session: &mut Session, group: &[CandidateIx]) -> Result<(), StepError> {
        self.reset(&mut session.journal)?;
        for index in group {
            let candidate = session.journal.run().header.candidates[*index].clone();
            let stand = self.stands.iter().find(|stand| stand.candidates.contains(index));
            let part = stand.map_or(0, |stand| stand.part);
            self.set_knobs(session, &candidate, part)?;
        }
        Ok(())
    }

    /// The same for a candidate that is tried, which need not be one of the run's.
    pub fn set_alone(
        &mut self,
        session: &mut Session,
        candidate: &Candidate,
    ) -> Result<(), StepError> {
        self.reset(&mut session.journal)?;
        self.set_knobs(session, candidate, 0)
    }

    pub fn reset(&mut self, journal: &mut Journal) -> Result<(), StepError> {
        while let Some(step) = self.settings.pop() {
            unwind::undo(journal, step)?;
        }
        Ok(())
    }

    fn attached(&self, candidate: &Candidate) -> Result<&Attached, StepError> {
        let at = self.list.get(usize::from(candidate.region));
        at.ok_or_else(|| Fault::bug("the candidate's region does not exist").into())
    }

    fn stand_up(&mut self, session: &mut Session, candidate: &Candidate) -> Result<(), StepError> {
        let Kind::Stack(stack) = &candidate.kind else {
            return Err(Fault::bug("cannot create a directory on a raw region").into());
        };
        let at = self.attached(candidate)?.clone();
        let number = self.stands.last().map_or(0, |stand| stand.part);
        let part = at.parts.get(number).ok_or_else(|| Fault::bug("the region does not exist"))?;
        if let Some((inode, start_bytes)) = part.backing {
            loops::check(&part.device, inode, start_bytes)?;
        }
        freed::wait(&part.device)?;
        let slot = u16::try_from(self.stands.len() - 1).map_err(Fault::bug)?;
        let mount_point = own_place::beside(&self.mount_point, slot);
        let run = session.journal.run().header.run.clone();
        let made = visit::made(
            &candidate.name,
            stack,
            &visit::StackTarget {
                run: &run,
                slot,
                device: &part.device,
                region_bytes: at.region.size_bytes,
                flash_state: at.region.flash_state,
                mount_point: &mount_point,
            },
        );
        for step in made.steps {
            self.make(session, &mount_point, &step, (candidate, at.region.size_bytes))?;
        }
        if stack.fs == recipe::RAW {
            self.make_raw(session, (&made.device, &part.device), &at)?;
            return mark(session, candidate, number, &at);
        }
        mark(session, candidate, number, &at)?;
        let class = match (at.region.place.class, stack.fuse) {
            (PlaceClass::Block, true) => PlaceClass::Fuse,
            (class, _) => class,
        };
        let scratch = Scratch::open(mount_point.as_path(), ON_STACK)
            .map_err(io_error("open bakeoff's directory"))?;
        let data = scratch.open_file(scratch::DATA);
        let data = data.map_err(io_error("open bakeoff's data file"))?;
        let (place, bytes) = (&at.region.place, self.file_bytes);
        let site = Site::new(scratch, Subject::Opened(data), class, place, bytes);
        let driver_reads = stack.fuse.then(|| made.device.clone());
        let mut site = Site { driver_reads, ..site };
        site.wears(&part.device, place);
        self.add(site);
        Ok(())
    }

    fn add(&mut self, site: Site) {
        if let Some(stand) = self.stands.last_mut() {
            stand.sites.push(site);
        }
    }

    /// Another place on the latest filesystem, with a directory of its own and the same data file.
    fn add_site(&mut self, number: usize) -> Result<(), StepError> {
        let first = self.stands.last().and_then(|stand| stand.sites.first()).cloned();
        let first = first.ok_or_else(|| Fault::bug("nothing stands there"))?;
        let slot = u16::try_from(self.stands.len() - 1).map_err(Fault::bug)?;
        let scratch = if first.is_raw {
            first.scratch.clone()
        } else {
            let mount_point = own_place::beside(&self.mount_point, slot);
            let name = scratch::numbered(ON_STACK, number);
            Scratch::make(mount_point.as_path(), &name)
                .map_err(io_error("create bakeoff's directory"))?
        };
        self.add(Site { scratch, ..first });
        Ok(())
    }

    pub fn site(&mut self, candidate: CandidateIx) -> Option<&mut Site> {
        let at = |stand: &Stand| {
            if stand.candidates.is_empty() {
                Some(0)
            } else {
                stand.candidates.iter().position(|own| *own == candidate)
            }
        };
        self.stands.iter_mut().find_map(|stand| {
            let at = at(stand)?;
            stand.sites.get_mut(at)
        })
    }

    /// Ends everything that stands: all it made is undone, latest first.
    pub fn leave(&mut self, journal: &mut Journal) -> Result<(), StepError> {
        self.detach();
        while let Some(stand) = self.stands.last_mut() {
            while let Some(step) = stand.steps.pop() {
                unwind::undo(journal, step)?;
            }
            self.stands.pop();
        }
        self.reset(journal)
    }

    /// Closes what is open on mounted stacks: a filesystem cannot be unmounted before.
    pub fn detach(&mut self) {
        self.stands.iter_mut().for_each(|stand| stand.sites.clear());
    }

    fn take(
        &mut self,
        session: &mut Session,
        build: impl FnOnce(u32) -> Step,
    ) -> Result<u32, StepError> {
        // A step that failed half way may have left something; its undo is safe where it did not.
        let number = stepper::next_number(session)?;
        if let Some(stand) = self.stands.last_mut() {
            stand.steps.push(number);
        }
        stepper::take(session, build).map(|(number, _)| number)
    }

    fn set_knobs(
        &mut self,
        session: &mut Session,
        candidate: &Candidate,
        part: usize,
    ) -> Result<(), StepError> {
        let Kind::Stack(stack) = &candidate.kind else { return Ok(()) };
        let part = self.attached(candidate)?.parts.get(part);
        let drive = part.map(|part| part.knob_disk.clone()).unwrap_or_default();
        for (knob, value) in knobs::wanted(&stack.knobs, &drive, &host::cpufreq_policies()) {
            let now = |knob: &Knob| {
                let text = host::setting(knobs::path(knob).as_path());
                text.map(|text| knobs::current(&text)).unwrap_or_default()
            };
            let before = now(&knob);
            if before == value {
                continue;
            }
            if let Some(requests) = knobs::queue_length(&knob) {
                let kept = now(&requests);
                self.settings.push(stepper::next_number(session)?);
                stepper::take(session, |n| knobs::keep(n, &requests, &kept))?;
            }
            self.settings.push(stepper::next_number(session)?);
            stepper::take(session, |n| knobs::set(n, &knob, &value, &before))?;
        }
        Ok(())
    }

    /// No filesystem: cells go to the device, on bytes that were written.
    fn make_raw(
        &mut self,
        session: &mut Session,
        (device, region): (&RawPath, &RawPath),
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
        .map_err(io_error("open bakeoff's directory"))?;
        let place = &at.region.place;
        let data = Subject::from(device.as_path());
        let mut site = Site::new(scratch, data, PlaceClass::Block, place, self.file_bytes);
        site.devices = site::devices(place);
        site.is_raw = true;
        site.wears(region, place);
        self.add(site);
        Ok(())
    }

    /// Takes a step of making a stack; on what it mounts, the data file is laid out. Mounted afresh
    /// after that, nothing of the layout is left in memory: not even in a FUSE driver.
    fn make(
        &mut self,
        session: &mut Session,
        mount_point: &RawPath,
        step: &Step,
        (candidate, region_bytes): (&Candidate, u64),
    ) -> Result<(), StepError> {
        let again = |number| Step { step: number, ..step.clone() };
        let number = self.take(session, again)?;
        if matches!(step.action, Action::Mount { .. }) {
            let layout = Layout { candidate, region_bytes, file_bytes: self.file_bytes };
            let made = layout.make(session, mount_point.as_path());
            unwind::undo(&mut session.journal, number)?;
            made?;
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
            for (number, part) in at.parts.iter().enumerate() {
                match wipe(session, &part.device) {
                    Ok(()) if number == 0 => {
                        let marked = marks::again(session, index, &part.device, &at.region);
                        failures.extend(marked.err().map(|error| error.into_fault().to_string()));
                    }
                    // A second Ctrl-C, or a target that is gone: there is nothing to say.
                    Ok(()) | Err(StepError::Interrupted | StepError::Lost(_)) => {}
                    Err(error) => failures.push(error.into_fault().to_string()),
                }
            }
        }
        session.cancel = cancel;
        failures
    }

    /// Reads the start of the first region; bytes a second.
    pub fn sentinel(&self, cancel: &Cancel) -> Result<Option<f64>, LoadError> {
        let Some(at) = self.list.first() else { return Ok(None) };
        let size = sentinel::BYTES.min(at.region.size_bytes);
        sentinel::read(size, at.device().as_path(), TargetKind::Block, cancel)
    }

    /// The regions for the record: the first, and those of further devices.
    pub fn described(&self) -> (Option<Region>, Vec<Region>) {
        let mut all = self.list.iter().map(|at| at.region.clone());
        (all.next(), all.collect())
    }

    pub fn visit_write_bytes(&self) -> u64 {
        let restored =
            self.list.iter().filter(|at| at.region.flash_state == FlashState::Overwritten);
        self.file_bytes + restored.map(|at| at.region.size_bytes).max().unwrap_or(0)
    }
}

/// Records what is at the start of a target's place now, which is that of its first region.
fn mark(
    session: &mut Session,
    candidate: &Candidate,
    part: usize,
    at: &Attached,
) -> Result<(), StepError> {
    match part {
        0 => marks::again(session, usize::from(candidate.region), at.device(), &at.region),
        _ => Ok(()),
    }
}

fn wipe(session: &mut Session, device: &RawPath) -> Result<(), StepError> {
    freed::wait(device)?;
    stepper::take(session, |n| steps::wipe(n, device)).map(|_| ())
}

/// The kernel's name of a block device: `loop0` of /dev/loop0.
pub fn kernel_name(device: &RawPath) -> String {
    let name = device.as_path().file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
