//! Profiles: recognised mixes, each done as a whole in an empty directory and told in parts.
//!
//! What the parts are and how they are judged stands in `bakeoff_model::profiles`; here they are
//! executed, each kind of work by a file. A part lays out what it needs when the part before it was
//! not asked for, outside its clock.

mod backup;
mod block;
mod databases;
mod desktop;
mod files;
mod lanes;
mod meter;
mod nas;
mod tree;
mod workdir;

use std::os::fd::OwnedFd;
use std::path::Path;

use bakeoff_model::job::{Job, Rw};
use bakeoff_model::measurement::{Figure, Measurement};
use bakeoff_model::profile::{Part, Profile};
use bakeoff_model::profiles;
use bakeoff_tools::native::NativeTask;
use rustix::io::Errno;
use rustix::process::{chroot, fchdir};

use crate::calibrate;
use crate::calibrate::Cost;
use crate::check;
use crate::clock::Clock;
use crate::counters::Counters;
use crate::error::EngineError;
use crate::live::Live;
use crate::record::Kind;
use crate::target::Spot;
pub(crate) use block::{BlockBuffer, syncfs, transfer, write_at};
pub use databases::{Database, DatabaseOptions, OpenDatabase};
pub(crate) use meter::Meter;
use workdir::Workdir;
pub use workdir::clear;

/// Does the parts of `profile` that a task names, with the sizes, times and counts of its job, in
/// its empty directory. Profiles of applications that keep a database open it with `open`.
///
/// # Errors
/// As [`crate::measure()`].
pub fn measure_profile(
    profile: Profile,
    task: &NativeTask,
    live: &Live<'_>,
    open: OpenDatabase,
) -> Result<Vec<Measurement>, EngineError> {
    let at = Spot { path: task.target.as_path(), inode: task.inode };
    let workdir = Workdir::open(at)?;
    let counters = Counters::open(&task.disks).with_worn(task.worn.as_ref(), workdir.dir());
    let mut context = Context::new(workdir, (profile, task), (live, &counters), open)?;
    match profile {
        Profile::Sqlite | Profile::HomeAssistant => databases::run(&mut context)?,
        Profile::Desktop => desktop::run(&mut context)?,
        Profile::CopyTree => files::copy_tree(&mut context)?,
        Profile::Backup => backup::run(&mut context)?,
        Profile::Boot => files::boot(&mut context)?,
        Profile::PackageInstall => files::package_install(&mut context)?,
        Profile::Nas => nas::run(&mut context)?,
    }
    Ok(context.done)
}

struct Context<'a> {
    job: &'a Job,
    workdir: Workdir,
    at: Spot<'a>,
    open: OpenDatabase,
    live: &'a Live<'a>,
    counters: &'a Counters,
    written_at: Option<u64>,
    profile: Profile,
    wanted: Vec<u16>,
    cost: Cost,
    clock: Clock,
    done: Vec<Measurement>,
}

impl<'a> Context<'a> {
    fn new(
        workdir: Workdir,
        (profile, task): (Profile, &'a NativeTask),
        (live, counters): (&'a Live<'a>, &'a Counters),
        open: OpenDatabase,
    ) -> Result<Context<'a>, EngineError> {
        let NativeTask { job, parts, .. } = task;
        check::check(job)?;
        if job.iodepth > 1 {
            let what = "a profile does one I/O at a time: omit iodepth";
            return Err(EngineError::invalid(what));
        }
        let all = profiles::part_specs(profile).count() as u16;
        let wanted = if parts.is_empty() { (0..all).collect() } else { parts.clone() };
        if !wanted.is_sorted_by(|a, b| a < b) || wanted.last().is_none_or(|last| *last >= all) {
            return Err(EngineError::protocol(format!("{} has no such parts", profile.name())));
        }
        let clock = Clock::find();
        // A read makes no data: what that costs is timed where it happens.
        let cost = calibrate::cost(&Job::new(Rw::Read, 512, 512), 1, clock)?;
        let (done, written_at) = (Vec::new(), counters.now().written_bytes);
        Ok(Context {
            job,
            workdir,
            at: Spot { path: task.target.as_path(), inode: task.inode },
            open,
            live,
            counters,
            written_at,
            profile,
            wanted,
            cost,
            clock,
            done,
        })
    }

    /// A part is done. What was written for it beside its own work laid its files out.
    fn push(&mut self, measured: Measurement) {
        let now = self.counters.now().written_bytes;
        let all = now.zip(self.written_at).map(|(now, then)| now.saturating_sub(then));
        let laid_out_bytes =
            all.zip(measured.wrote_bytes).map(|(all, own)| all.saturating_sub(own));
        self.written_at = now;
        // What goes nowhere wears nothing.
        let drive_writes = measured.drive_writes.filter(|_| measured.wrote_bytes != Some(0));
        self.done.push(Measurement { laid_out_bytes, drive_writes, ..measured });
    }

    fn wants(&self, part: u16) -> bool {
        self.wanted.contains(&part)
    }

    /// A new database. SQLite takes a path and resolves every link in it to a name
    /// (`sqlite3_vfs.xFullPathname`), which whoever owns a directory above could exchange before
    /// it opens that name. So root moves into the directory first, where there is nothing above.
    fn database(
        &self,
        name: &str,
        options: DatabaseOptions,
    ) -> Result<Box<dyn Database>, EngineError> {
        let made = |e| EngineError::io("creating a database", e);
        if self.at.inode.is_none() || !rustix::process::geteuid().is_root() {
            return (self.open)(&self.at.path.join(name), options).map_err(made);
        }
        enclose(self.workdir.dir())?;
        (self.open)(&Path::new("/").join(name), options).map_err(made)
    }

    fn meter(&self, part: u16, kinds: &[Kind], change: impl FnOnce(&mut Job)) -> Meter<'a> {
        let change = |job: &mut Job| {
            job.numjobs = 1;
            change(job);
        };
        self.lane(part, 0, kinds, change).with_counters(self.counters)
    }

    /// A meter for one of several threads that do `part` together.
    fn lane(
        &self,
        part: u16,
        lane: u32,
        kinds: &[Kind],
        change: impl FnOnce(&mut Job),
    ) -> Meter<'a> {
        let part = Part { profile: self.profile, part };
        let mut job = self.job.clone();
        let spec = profiles::part_spec(part);
        job.rw = spec.map_or(job.rw, |spec| spec.rw);
        job.settles &= spec.is_some_and(|spec| spec.settles);
        change(&mut job);
        Meter::new(job, kinds, self.live, lane, (self.clock, self.cost))
    }
}

/// Makes a directory the root of this process, which measures and ends. Doing it again is harmless.
fn enclose(dir: &OwnedFd) -> Result<(), EngineError> {
    let entered = fchdir(dir).and_then(|()| chroot("."));
    entered.map_err(|errno| match errno {
        Errno::PERM => EngineError::unsupported(
            "this profile opens a database by its path, and root does that only after chroot(2), \
             which is not permitted here: allow CAP_SYS_CHROOT",
        ),
        errno => EngineError::io("entering the directory of the profile", errno),
    })
}

/// Another thread of the part panicked, and its panic is on its way.
fn panicked() -> EngineError {
    EngineError::protocol("a thread of the profile panicked")
}

fn figure(name: &str, value: f64, unit: &str) -> Figure {
    Figure { name: name.to_string(), value, unit: unit.to_string() }
}
