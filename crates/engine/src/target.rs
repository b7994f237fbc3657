//! The file, directory or device that is measured: what it is, and how it is opened.
//!
//! Never through a symbolic link: what the parent checked is what gets written. A file that the
//! parent has open is named by its descriptor, `/proc/PID/fd/N`, which is a link that leads to the
//! very file (proc(5)); device and inode are compared each time it is opened. A regular file that
//! is only written is created, for its owner only, when it is not there.

use std::ffi::c_int;
use std::os::fd::{IntoRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use bakeoff_model::job::{Job, Rw};
use bakeoff_model::step::Inode;
use bakeoff_tools::native::{NativeTask, TargetKind};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Statx, StatxFlags, fstat, openat, statx};
use rustix::io::Errno;

use crate::error::EngineError;

/// Where something is to be found.
#[derive(Clone, Copy, Debug)]
pub struct Spot<'p> {
    /// Its path; with an `inode` the link to a descriptor, which is followed.
    pub path: &'p Path,
    /// Which file or directory has to be there; `None` where the path is all that is known.
    pub inode: Option<Inode>,
}

impl<'p, P: AsRef<Path> + ?Sized> From<&'p P> for Spot<'p> {
    fn from(path: &'p P) -> Spot<'p> {
        Spot { path: path.as_ref(), inode: None }
    }
}

impl Spot<'_> {
    pub fn open(self, flags: OFlags) -> Result<OwnedFd, EngineError> {
        let follow = if self.inode.is_some() { OFlags::empty() } else { OFlags::NOFOLLOW };
        let all = flags | OFlags::CLOEXEC | follow;
        let fd = openat(CWD, self.path, all, Mode::empty()).map_err(|errno| {
            if errno == Errno::INVAL && flags.contains(OFlags::DIRECT) {
                return EngineError::unsupported(
                    "this filesystem has no direct I/O (open with O_DIRECT was refused): leave \
                     --direct out",
                );
            }
            EngineError::io("opening the target", errno)
        })?;
        let found = fstat(&fd).map_err(|e| EngineError::io("checking the opened target", e))?;
        // Their widths differ between architectures.
        #[allow(clippy::useless_conversion, clippy::unnecessary_cast)]
        self.check(Inode { dev: found.st_dev as u64, ino: found.st_ino as u64 })?;
        Ok(fd)
    }

    fn look(self) -> Result<Statx, Errno> {
        let wanted = StatxFlags::BASIC_STATS | StatxFlags::DIOALIGN;
        let follow = match self.inode {
            Some(_) => AtFlags::empty(),
            None => AtFlags::SYMLINK_NOFOLLOW,
        };
        statx(CWD, self.path, follow, wanted)
    }

    fn check(self, found: Inode) -> Result<(), EngineError> {
        if self.inode.is_none_or(|expected| expected == found) {
            return Ok(());
        }
        Err(EngineError::invalid(
            "the opened file is not the prepared one: it was replaced in the meantime",
        ))
    }
}

/// What was found at the path.
#[derive(Debug)]
pub struct Target {
    path: PathBuf,
    inode: Option<Inode>,
    pub kind: TargetKind,
    more: Vec<Target>,
    /// Granularity of O_DIRECT offsets and lengths in bytes; 1 when the job does not ask for it.
    pub direct_align: u64,
}

impl Target {
    /// Looks at `path`, creates a missing file of a job that only writes, and checks that the job
    /// is possible there.
    pub fn find<'p>(at: impl Into<Spot<'p>>, job: &Job) -> Result<Target, EngineError> {
        let at = at.into();
        let Spot { path, inode } = at;
        let mut found = at.look();
        if found.as_ref().is_err_and(|e| *e == Errno::NOENT) && creates(job) {
            let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
            openat(CWD, path, flags | OFlags::NOFOLLOW, Mode::RUSR | Mode::WUSR)
                .map_err(|e| EngineError::io("creating the file to write", e))?;
            found = at.look();
        }
        let found = found.map_err(|e| EngineError::io("looking up the target", e))?;
        let kind = kind_of(&found, job)?;
        let path = path.to_path_buf();
        let mut target = Target { path, inode, kind, more: Vec::new(), direct_align: 1 };
        if kind != TargetKind::Directory {
            target.check_length(job)?;
            if job.direct {
                target.direct_align = target.find_alignment(&found)?;
                check_alignment(job, target.direct_align)?;
            }
        }
        Ok(target)
    }

    /// Finds what a task names, if it is what the parent checked. `job` is the task's, or what
    /// comes of it.
    pub fn of_task(task: &NativeTask, job: &Job) -> Result<Target, EngineError> {
        let at = Spot { path: task.target.as_path(), inode: task.inode };
        let mut target = Target::find(at, job)?;
        if target.kind != task.target_kind {
            return Err(EngineError::invalid(format!(
                "expected {} and found {}: was it replaced in the meantime?",
                task.target_kind.label(),
                target.kind.label()
            )));
        }
        for (path, inode) in &task.more {
            let at = Spot { path: path.as_path(), inode: Some(*inode) };
            target.more.push(Target::find(at, job)?);
        }
        Ok(target)
    }

    pub fn of_lane(&self, lane: u32, lanes: u32) -> &Target {
        let files = self.more.len() as u64 + 1;
        let at = u64::from(lane) * files / u64::from(lanes.max(1));
        at.checked_sub(1).and_then(|at| self.more.get(at as usize)).unwrap_or(self)
    }

    /// Opens it as the job needs it. Each lane has its own open file, with its own read-ahead.
    pub fn open(&self, job: &Job) -> Result<OwnedFd, EngineError> {
        let access = match (job.rw.writes(), job.rw.is_mixed()) {
            (false, _) => OFlags::RDONLY,
            (true, false) => OFlags::WRONLY,
            (true, true) => OFlags::RDWR,
        };
        self.open_with(access | if job.direct { OFlags::DIRECT } else { OFlags::empty() })
    }

    pub fn open_directory(&self) -> Result<OwnedFd, EngineError> {
        self.open_with(OFlags::RDONLY | OFlags::DIRECTORY)
    }

    /// Opens it to read back what was written; `direct` past the page cache.
    pub fn open_to_verify(&self, direct: bool) -> Result<OwnedFd, EngineError> {
        self.open_with(OFlags::RDONLY | if direct { OFlags::DIRECT } else { OFlags::empty() })
    }

    fn open_with(&self, flags: OFlags) -> Result<OwnedFd, EngineError> {
        Spot { path: &self.path, inode: self.inode }.open(flags)
    }

    fn check_length(&self, job: &Job) -> Result<(), EngineError> {
        if !job.rw.reads() && self.kind == TargetKind::File {
            return Ok(());
        }
        let fd = self.open_with(OFlags::RDONLY)?;
        let length = rustix::fs::seek(&fd, rustix::fs::SeekFrom::End(0))
            .map_err(|e| EngineError::io("determining the size of the target", e))?;
        if length == 0 && self.kind == TargetKind::Block {
            return Err(EngineError::unsupported(
                "the device has a size of 0 bytes: it was detached, or its medium was removed. \
                 Attach it again and start over",
            ));
        }
        if length < job.size {
            return Err(EngineError::invalid(format!(
                "the target has {length} bytes and the job spans {}: lower --size{}",
                job.size,
                if job.rw.reads() { " or write the file first" } else { "" }
            )));
        }
        Ok(())
    }

    /// statx(2) knows the alignment since Linux 6.1, and only on some filesystems. Elsewhere a
    /// read tells: one of 512 bytes is refused where the logical block is larger.
    fn find_alignment(&self, found: &Statx) -> Result<u64, EngineError> {
        let known = StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::DIOALIGN);
        if known && found.stx_dio_offset_align > 0 {
            return Ok(found.stx_dio_offset_align.into());
        }
        if known && found.stx_dio_mem_align == 0 && found.stx_dio_offset_align == 0 {
            return Err(EngineError::unsupported(
                "this file does not support direct I/O, according to statx: omit --direct",
            ));
        }
        let fd = self.open_with(OFlags::RDONLY | OFlags::DIRECT)?;
        let mut memory = crate::buffer::Buffers::new(4096, 1, bakeoff_model::job::Mem::Malloc)?;
        match rustix::io::pread(&fd, &mut memory.block_mut(0)[..512], 0) {
            Err(Errno::INVAL) => Ok(4096),
            Err(e) => Err(EngineError::io("probing the alignment of direct I/O", e)),
            Ok(_) => Ok(512),
        }
    }
}

/// Whether a missing file is made: only when nothing has to be in it.
fn creates(job: &Job) -> bool {
    job.rw.writes() && !job.rw.reads()
}

fn kind_of(found: &Statx, job: &Job) -> Result<TargetKind, EngineError> {
    let wants_directory = job.rw == Rw::SmallFiles;
    let kind = match FileType::from_raw_mode(found.stx_mode.into()) {
        FileType::RegularFile => TargetKind::File,
        FileType::Directory => TargetKind::Directory,
        FileType::BlockDevice => TargetKind::Block,
        FileType::Symlink => {
            return Err(EngineError::invalid("this is a symbolic link: name its target"));
        }
        FileType::Fifo | FileType::Socket | FileType::CharacterDevice | FileType::Unknown => {
            return Err(EngineError::invalid(
                "this is not a file, directory or block device: choose one",
            ));
        }
    };
    if wants_directory != (kind == TargetKind::Directory) {
        return Err(EngineError::invalid(if wants_directory {
            "smallfiles needs a directory".to_string()
        } else {
            format!("{} needs a file or block device, not a directory", job.rw.name())
        }));
    }
    Ok(kind)
}

fn check_alignment(job: &Job, align: u64) -> Result<(), EngineError> {
    if job.bs.is_multiple_of(align) {
        return Ok(());
    }
    Err(EngineError::invalid(format!(
        "direct I/O moves multiples of {align} bytes here and bs is {}: choose such a --bs, or \
         leave --direct out",
        job.bs
    )))
}

/// Closes, and says what close(2) said: network filesystems report lost writes only here.
pub fn close(fd: OwnedFd) -> Result<(), EngineError> {
    // SAFETY: the descriptor is ours and is not used again, whatever close answers.
    let answer: c_int = unsafe { libc::close(fd.into_raw_fd()) };
    let error = std::io::Error::last_os_error();
    // An interrupted close has closed on Linux.
    if answer == 0 || error.kind() == std::io::ErrorKind::Interrupted {
        return Ok(());
    }
    Err(EngineError::io("closing the file", error))
}
