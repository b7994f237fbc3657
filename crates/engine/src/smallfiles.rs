//! Metadata: sets of small files made, looked up, read and removed.
//!
//! One set is `size / bs` files of `bs` bytes, shared by the lanes. Each file is created with
//! O_EXCL, written and closed, and synced before the close when `fsync` asks for it; then the
//! directory is synced, every file is looked up, opened and read, and removed, and the directory
//! is synced again. A set begun is brought to its end, so that every kind of operation has its
//! share, but for the time limit. Reads come from the page cache: the files are new.
//!
//! Names come from our own counter, so removal needs no directory listing; whatever ends the
//! work, every file it made is removed. Flushes are operations of their own and no part of a
//! create's latency; close is.
//!
//! A slice, and the part of it in which the drive settles, consists of whole sets: one that was
//! begun while settling does not count. Only the limit of time makes a set smaller: its last files
//! are made so early that looking up, reading and removing all of them fits. Between sets there are
//! no files.

use std::ffi::CStr;
use std::io::Write;
use std::os::fd::OwnedFd;

use bakeoff_model::job::{EngineName, Job};
use bakeoff_model::measurement::Measurement;
use bakeoff_model::slice::Stretch;
use bakeoff_tools::native::TargetKind;
use bakeoff_tools::native::sliced::{Report, Request};
use rustix::fs::{AtFlags, Mode, OFlags, StatxFlags, fsync, openat, statx, unlinkat};
use rustix::io::Errno;

use crate::along::Along;
use crate::buffer::Buffers;
use crate::calibrate;
use crate::check;
use crate::clock::Clock;
use crate::crew::{Worker, both_parts};
use crate::data::{Content, Tag};
use crate::end::End;
use crate::error::EngineError;
use crate::lane::Cell;
use crate::live::Live;
use crate::offsets::share;
use crate::profile::{Meter, transfer};
use crate::record::Kind;
use crate::report::{self, Circumstances, LaneEnd, Talk, in_crew};
use crate::target::{self, Target};
use crate::verify;
use crate::windows::Windows;

pub fn measure(
    job: &Job,
    target: &Target,
    live: &Live<'_>,
    talk: Option<Talk<'_>>,
) -> Result<Measurement, EngineError> {
    debug_assert_eq!(target.kind, TargetKind::Directory);
    let clock = Clock::find();
    let cost = calibrate::cost(job, 1, clock)?;
    let cell = Cell { job, depth: 1, in_turns: false, cost, clock, live };
    let lane = |index| FilesLane::new(cell, index, target.open_directory()?);
    let (whole, lanes) = in_crew(cell, lane, talk)?;
    let (engine, findings) = (EngineName::Psync, Vec::new());
    let circumstances = Circumstances { engine, cost, clock, findings };
    Ok(report::measurement(job, &whole, lanes, circumstances))
}

/// A file's name, without allocation.
struct FileName([u8; 48]);

impl FileName {
    fn new(lane: u32, number: u64) -> FileName {
        let mut bytes = [0; 48];
        // "bakeoff-" and two numbers of at most 10 and 20 digits leave room for the final zero.
        let written = write!(&mut bytes[..47], "bakeoff-{lane}-{number}");
        debug_assert!(written.is_ok());
        FileName(bytes)
    }

    fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.0).unwrap_or_default()
    }
}

pub struct FilesLane<'a> {
    cell: Cell<'a>,
    index: u32,
    directory: OwnedFd,
    memory: Buffers,
    content: Content,
    end: End,
    meter: Meter<'a>,
    /// Files made so far; the number of the next.
    made: u64,
    /// Files removed so far; the number of the first that is there.
    removed: u64,
    others: u64,
    flushes: u64,
    /// What counts of the slice that is measured; `None` for a cell in one piece.
    slice: Option<SetCounts>,
    along: Along,
    /// Time from the last create of the last set to its end, for each of its files.
    rest_ns: u64,
    windows: Option<Windows>,
}

#[derive(Clone, Copy, Debug, Default)]
struct SetCounts {
    made: u64,
    flushes: u64,
    set: u64,
    files: u64,
}

impl Drop for FilesLane<'_> {
    fn drop(&mut self) {
        for number in self.removed..self.made {
            // On the way out of an error there is nobody left to tell; the parent removes the
            // directory and says so if it cannot.
            let _ = unlinkat(
                &self.directory,
                FileName::new(self.index, number).as_c_str(),
                AtFlags::empty(),
            );
        }
    }
}

impl<'a> FilesLane<'a> {
    pub fn new(cell: Cell<'a>, index: u32, directory: OwnedFd) -> Result<Self, EngineError> {
        let job = cell.job;
        let kinds = [Kind::Create, Kind::Stat, Kind::Read, Kind::Unlink, Kind::Flush];
        Ok(FilesLane {
            cell,
            index,
            directory,
            // bs is at most 1 GiB.
            memory: Buffers::new(job.bs as usize, 1, job.mem)?,
            content: Content::new(job.seed, index),
            end: End::of_lane(job, index),
            meter: Meter::new(job.clone(), &kinds, cell.live, index, (cell.clock, cell.cost)),
            made: 0,
            removed: 0,
            others: 0,
            flushes: 0,
            slice: None,
            along: Along::default(),
            rest_ns: 0,
            windows: None,
        })
    }

    fn do_sets(&mut self) -> Result<(), EngineError> {
        self.meter.begin_to_count();
        let files = share(check::blocks(self.cell.job), self.index, self.cell.job.numjobs);
        let files = self.slice.map_or(files, |slice| slice.files.min(files));
        while !self.is_over() && self.do_set(files)? {
            if self.slice.is_some() {
                self.along.mark(self.so_far(self.meter.now_ns));
            }
        }
        Ok(())
    }

    /// What was done of the part of a slice until `now_ns`.
    fn so_far(&self, now_ns: u64) -> Stretch {
        let before = self.slice.unwrap_or_default();
        let ios = self.made - before.made;
        Stretch {
            elapsed_ns: now_ns - self.meter.origin_ns,
            ios,
            bytes: ios.saturating_mul(self.cell.job.bs),
            flushes: self.flushes - before.flushes,
            flush_ns: self.meter.flush_ns,
        }
    }

    /// One set; false when the time limit or another lane's failure cut it off.
    fn do_set(&mut self, files: u64) -> Result<bool, EngineError> {
        let first = self.made;
        if let Some(slice) = &mut self.slice {
            slice.set = first;
        }
        while self.made - first < files && !self.ends_set() {
            self.create()?;
        }
        let made_ns = self.meter.now_ns;
        if self.cell.job.fsync > 0 {
            self.flush_directory()?;
        }
        for phase in [Self::stat, Self::read, Self::unlink] {
            for number in first..self.made {
                if self.is_cut_off() {
                    return Ok(false);
                }
                phase(self, number)?;
            }
        }
        if self.cell.job.fsync > 0 {
            self.flush_directory()?;
        }
        let done = self.made - first;
        self.rest_ns = (self.meter.now_ns - made_ns).checked_div(done).unwrap_or(self.rest_ns);
        // The set that the limit of a slice cut short is the last one: one more would be tiny.
        Ok(self.slice.is_none() || done == files)
    }

    /// Whether to begin no more sets; where a cell is in one piece, no more files.
    fn is_over(&self) -> bool {
        let elapsed_ns = self.meter.elapsed_ns();
        let Some(slice) = self.slice else {
            return self.end.reached(elapsed_ns, self.made, self.others) || self.is_cut_off();
        };
        let (made, flushes) = (self.made - slice.made, self.flushes - slice.flushes);
        // No slice is without a file.
        let is_over = made > 0 && self.end.reached(elapsed_ns, made, flushes);
        is_over || self.cell.live.should_stop()
    }

    fn ends_set(&self) -> bool {
        let Some(slice) = self.slice else { return self.is_over() };
        let made = self.made - slice.set;
        let rest_ns = made.saturating_mul(self.rest_ns);
        let end_ns = self.meter.elapsed_ns().saturating_add(rest_ns);
        made > 0 && end_ns >= self.end.hard_ns || self.cell.live.should_stop()
    }

    fn is_cut_off(&self) -> bool {
        // The set of a slice is brought to its end whatever the time: it leaves nothing behind.
        let is_late = self.meter.elapsed_ns() >= self.end.hard_ns && self.slice.is_none();
        is_late || self.cell.live.should_stop()
    }

    fn create(&mut self) -> Result<(), EngineError> {
        let bs = self.cell.job.bs;
        if check::makes_data(self.cell.job) {
            self.content.fill(Tag::fresh(self.made), 0, self.memory.block_mut(0));
            self.meter.made();
        }
        let name = FileName::new(self.index, self.made);
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY;
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = openat(&self.directory, name.as_c_str(), flags, Mode::RUSR | Mode::WUSR);
        let file = opened.map_err(|e| match e {
            Errno::EXIST => {
                EngineError::invalid("files of an earlier run are in the way: run `bakeoff clean`")
            }
            e => EngineError::io("creating a file", e),
        })?;
        self.made += 1;
        let bytes = self.memory.block_mut(0);
        transfer("writing a file", bytes.len(), |done| rustix::io::write(&file, &bytes[done..]))?;
        let mut latency_ns = self.meter.pass();
        if self.cell.job.fsync > 0 {
            fsync(&file).map_err(|e| EngineError::io("syncing a file", e))?;
            self.flushed();
        }
        target::close(file)?;
        latency_ns += self.meter.close();
        self.meter.count(Kind::Create, latency_ns, bs);
        self.meter.take_turn();
        Ok(())
    }

    fn stat(&mut self, number: u64) -> Result<(), EngineError> {
        let name = FileName::new(self.index, number);
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        let found = statx(&self.directory, name.as_c_str(), flags, StatxFlags::BASIC_STATS)
            .map_err(|e| EngineError::io("looking up a file", e))?;
        if found.stx_size != self.cell.job.bs {
            let bytes = (found.stx_size, self.cell.job.bs);
            let other = format!("it has {} bytes instead of {}", bytes.0, bytes.1);
            return Err(EngineError::io("looking up a file", std::io::Error::other(other)));
        }
        self.done(Kind::Stat, 0);
        Ok(())
    }

    fn read(&mut self, number: u64) -> Result<(), EngineError> {
        let name = FileName::new(self.index, number);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&self.directory, name.as_c_str(), flags, Mode::empty())
            .map_err(|e| EngineError::io("opening a file to read", e))?;
        let got = verify::read_all(&file, self.memory.block_mut(0), 0)?;
        target::close(file)?;
        self.done(Kind::Read, got as u64);
        Ok(())
    }

    fn unlink(&mut self, number: u64) -> Result<(), EngineError> {
        let name = FileName::new(self.index, number);
        unlinkat(&self.directory, name.as_c_str(), AtFlags::empty())
            .map_err(|e| EngineError::io("removing a file", e))?;
        self.removed = number + 1;
        self.done(Kind::Unlink, 0);
        Ok(())
    }

    fn flush_directory(&mut self) -> Result<(), EngineError> {
        fsync(&self.directory).map_err(|e| EngineError::io("syncing the directory", e))?;
        self.flushed();
        Ok(())
    }

    fn flushed(&mut self) {
        self.meter.flush();
        self.others += 1;
        self.flushes += 1;
    }

    fn done(&mut self, kind: Kind, bytes: u64) {
        self.meter.op(kind, bytes);
        self.others += 1;
    }
}

impl FilesLane<'_> {
    /// Does one part of a slice; the next may follow at once.
    fn part(&mut self, request: &Request, units: u32) -> Result<Report, EngineError> {
        let job = self.cell.job;
        self.end = End::of_slice(job, request, units, self.index, self.made);
        let set = End::of_slice(job, request, 1, self.index, self.made).least_ios;
        let (made, flushes) = (self.made, self.flushes);
        let files = if set == 0 { u64::MAX } else { set };
        self.slice = Some(SetCounts { made, flushes, set: made, files });
        self.along = Along::default();
        self.do_sets()?;
        if job.fsync == 0 {
            // What a slice changed is on the drive when it ends.
            self.flush_directory()?;
        }
        let total = self.so_far(self.meter.now_ns);
        Ok(Report {
            along: std::mem::take(&mut self.along).end(total),
            cut: !self.end.has_least(self.made - made, self.flushes - flushes),
            ops: self.meter.recorder.take(),
            ..self.meter.so_far()
        })
    }

    fn whole(&mut self) -> Result<Report, EngineError> {
        self.do_sets()?;
        let (report, end) = self.meter.end();
        self.windows = end.windows;
        Ok(report)
    }
}

impl Worker for FilesLane<'_> {
    type End = LaneEnd;

    fn work(&mut self, request: Option<Request>) -> Result<Report, EngineError> {
        match request {
            Some(request) => both_parts(&request, |units| self.part(&request, units)),
            None => self.whole(),
        }
    }

    fn finish(mut self) -> Result<LaneEnd, EngineError> {
        let (_, end) = self.meter.end();
        Ok(LaneEnd { windows: self.windows.take(), huge: self.memory.is_huge(), ..end })
    }
}
