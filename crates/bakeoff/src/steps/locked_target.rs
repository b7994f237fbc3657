//! A target a run has for itself: locked against other runs and udev, and checked again before
//! every step, because a name like sdb may be another drive's a moment after a cable slipped.
//!
//! flock(2) on the whole drive keeps udev and other runs off (systemd's "Locking Block Device
//! Access"); O_EXCL on the target keeps mount, mkfs and volume managers off.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bakeoff_machine::sysinfo::dev::Dev;
use bakeoff_model::path::RawPath;
use bakeoff_model::step::Inode;
use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use rustix::io::Errno;

use super::error::{StepError, io_error};
use crate::fault::Fault;
use crate::host::{self, Identity, Opened};

/// How long others may take to let go: udev probes a device that was just written.
const LOCK_TRIES: u32 = 50;
const LOCK_PAUSE: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub struct LockedTarget {
    path: PathBuf,
    what: LockedKind,
    _lock: File,
    claim: Option<File>,
}

#[derive(Debug)]
enum LockedKind {
    Device { dev: Dev, identity: Identity },
    Image { dev: u64, ino: u64, size_bytes: u64 },
}

impl LockedTarget {
    /// Takes a block device: locks `drive` (the whole of it) and claims `path`.
    pub fn device(path: &Path, dev: Dev, drive: &Path) -> Result<LockedTarget, Fault> {
        let lock = lock(drive)?;
        let identity = host::identity_of(dev).ok_or_else(|| gone(path))?;
        let claim = claim(path)?;
        let what = LockedKind::Device { dev, identity };
        let held = LockedTarget { path: path.to_path_buf(), what, _lock: lock, claim: Some(claim) };
        held.check().map_err(Fault::refused)?;
        Ok(held)
    }

    pub fn image(path: &Path, metadata: &Metadata) -> Result<LockedTarget, Fault> {
        let lock = lock(path)?;
        let (dev, ino, size_bytes) = (metadata.dev(), metadata.ino(), metadata.len());
        let what = LockedKind::Image { dev, ino, size_bytes };
        let held = LockedTarget { path: path.to_path_buf(), what, _lock: lock, claim: None };
        held.check().map_err(Fault::refused)?;
        Ok(held)
    }

    /// Lets the exclusive claim go for a mapping of ours, which then is the claim.
    pub fn release_claim(&mut self) {
        self.claim = None;
    }

    /// An image, open for reading and writing: the very file that is locked, whatever has its name.
    pub fn image_file(&self) -> Result<Opened, StepError> {
        let path = RawPath::new(&self.path);
        let what = format!("open {path} for writing");
        let opened = host::reopen(&self._lock, &self.path).map_err(io_error(&what))?;
        match self.what {
            LockedKind::Image { dev, ino, .. } if opened.inode() == (Inode { dev, ino }) => {
                Ok(opened)
            }
            LockedKind::Image { .. } | LockedKind::Device { .. } => {
                Err(StepError::Lost(format!("{path} was replaced by another file")))
            }
        }
    }

    /// The target open for reading and writing, whatever has its name: an image as
    /// [`LockedTarget::image_file`] gives it, a device by the node that was claimed.
    pub fn opened(&self) -> Result<Opened, StepError> {
        let Some(claim) = &self.claim else { return self.image_file() };
        let what = format!("open {} for writing", RawPath::new(&self.path));
        host::reopen(claim, &self.path).map_err(io_error(&what))
    }

    pub fn check(&self) -> Result<(), StepError> {
        let path = RawPath::new(&self.path);
        let lost = |how: String| Err(StepError::Lost(format!("{path} {how}")));
        let now = match std::fs::metadata(&self.path) {
            Ok(now) => now,
            Err(error) => {
                let how = match self.what {
                    LockedKind::Image { .. } => "moved or removed",
                    LockedKind::Device { .. } => "unplugged",
                };
                return lost(format!("no longer exists ({error}); it was probably {how}"));
            }
        };
        match &self.what {
            LockedKind::Image { dev, ino, size_bytes } => {
                if (now.dev(), now.ino(), now.len()) == (*dev, *ino, *size_bytes) {
                    Ok(())
                } else {
                    lost("was replaced by another file".to_string())
                }
            }
            LockedKind::Device { dev, identity } => {
                match host::dev_of(&now) {
                    Some(named) if named == *dev => {}
                    Some(named) => {
                        return lost(format!("has changed from device {dev} to {named}"));
                    }
                    None => return lost("is no longer a block device".to_string()),
                }
                match host::identity_of(*dev) {
                    None => lost("no longer exists; it was probably unplugged".to_string()),
                    Some(now) if now == *identity => Ok(()),
                    Some(now) => lost(differs(identity, &now)),
                }
            }
        }
    }
}

impl Drop for LockedTarget {
    fn drop(&mut self) {
        let name = self.path.file_name().filter(|_| matches!(self.what, LockedKind::Device { .. }));
        if let Some(name) = name {
            host::have_udev_look(&name.to_string_lossy());
        }
    }
}

fn differs(then: &Identity, now: &Identity) -> String {
    if then.diskseq != now.diskseq {
        return "was unplugged, and its name now belongs to a drive that was attached later"
            .to_string();
    }
    if then.size_bytes != now.size_bytes {
        return format!("has changed size from {} to {} bytes", then.size_bytes, now.size_bytes);
    }
    "has changed its serial number".to_string()
}

fn gone(path: &Path) -> Fault {
    Fault::environment(format!(
        "{} no longer exists; it was probably unplugged",
        RawPath::new(path)
    ))
}

fn lock(path: &Path) -> Result<File, Fault> {
    let shown = RawPath::new(path);
    let unusable = |e: io::Error| {
        let denied = e.kind() == io::ErrorKind::PermissionDenied;
        let advice = if denied { ". Run as its owner, or with sudo" } else { "" };
        Fault::environment(format!("cannot use {shown}: {e}{advice}"))
    };
    let file = File::open(path).map_err(unusable)?;
    for _ in 0..LOCK_TRIES {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(Errno::WOULDBLOCK | Errno::INTR) => std::thread::sleep(LOCK_PAUSE),
            Err(error) => return Err(unusable(error.into())),
        }
    }
    Err(Fault::refused(format!(
        "{shown} is locked by another run or program. Check for active runs with `bakeoff runs`, \
         and wait until they end"
    )))
}

/// The kernel's own word: open(2), O_EXCL on a block device fails while anything holds it. Closing
/// what was open for writing has udev look at it again, which it cannot while we have the lock:
/// everybody who waits for udev, and so do we after each step, would wait in vain for minutes.
fn claim(path: &Path) -> Result<File, Fault> {
    let flags = OFlags::RDONLY | OFlags::EXCL | OFlags::CLOEXEC;
    match open(path, flags, Mode::empty()) {
        Ok(fd) => Ok(File::from(fd)),
        Err(error) => Err(Fault::refused(format!(
            "Refusing to write to {}: the kernel reports {error}. It is in use, for example as the \
             journal of a mounted filesystem. Find what to unmount with `lsblk` and `findmnt`",
            RawPath::new(path)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(path: &Path) -> Result<LockedTarget, Fault> {
        LockedTarget::image(path, &std::fs::metadata(path).unwrap())
    }

    #[test]
    fn one_holder_at_a_time() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let first = held(file.path()).unwrap();
        first.check().unwrap();
        let refused = held(file.path()).unwrap_err().to_string();
        assert!(refused.contains("another run"), "{refused}");
        drop(first);
        held(file.path()).unwrap();
    }

    #[test]
    fn a_target_that_was_replaced_is_not_the_one_that_was_taken() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("disk.img");
        std::fs::write(&path, b"1").unwrap();
        let target = held(&path).unwrap();
        // Made before the first is gone, so that it cannot be given the same inode.
        std::fs::write(dir.path().join("other"), b"1").unwrap();
        std::fs::rename(dir.path().join("other"), &path).unwrap();
        let lost = target.check().unwrap_err().to_string();
        assert!(lost.contains("another file"), "{lost}");
        std::fs::remove_file(&path).unwrap();
        let lost = target.check().unwrap_err().to_string();
        assert!(lost.contains("no longer exists"), "{lost}");
    }
}
