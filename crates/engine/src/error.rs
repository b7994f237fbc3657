//! Why a measurement gave no numbers, sorted by what the user can do about it.

use std::fmt::Display;
use std::io;

use bakeoff_stats::units;
use bakeoff_tools::native::{Failure, FailureKind};
use rustix::io::Errno;
use thiserror::Error;

/// Why there are no numbers. The texts name no path: the parent knows it and prints it safely.
#[derive(Debug, Error)]
#[error(transparent)]
pub struct EngineError(#[from] pub Failure);

const NOT_EVEN_ROOT: &str = "the kernel forbids it to root too (EPERM). In a container, allow the \
     device (docker run --device=DEVICE). Remove the immutable attribute of a file (chattr -i)";
const ROOT_ELSEWHERE: &str = "root has no access here, as in a user namespace or on a network \
     filesystem. Change the owner or mode, or run bakeoff outside the container";

/// EFBIG: a write beyond the largest file. The signal that comes with the limit is ignored.
fn too_large(doing: impl Display) -> String {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Fsize).current;
    match limit {
        Some(bytes) => format!(
            "the limit of file sizes (ulimit -f, {} here) ended the measurement while {doing}. \
             Raise it (ulimit -f unlimited), or use a smaller --size",
            units::size(bytes)
        ),
        None => {
            format!("the file is too large for this filesystem while {doing}. Use a smaller --size")
        }
    }
}

impl EngineError {
    fn new(kind: FailureKind, message: impl Into<String>) -> EngineError {
        EngineError(Failure { kind, message: message.into() })
    }

    pub(crate) fn invalid(message: impl Into<String>) -> EngineError {
        EngineError::new(FailureKind::Invalid, message)
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> EngineError {
        EngineError::new(FailureKind::Unsupported, message)
    }

    pub(crate) fn protocol(why: impl Display) -> EngineError {
        let bug = "this is a bug in bakeoff, please report it";
        let message = format!("the engine cannot read its task: {why}; {bug}");
        EngineError::new(FailureKind::Protocol, message)
    }

    pub(crate) fn no_memory(bytes: u64) -> EngineError {
        let size = units::size(bytes);
        let message =
            format!("not enough memory for {size} of I/O buffers: lower bs, iodepth or numjobs");
        EngineError::new(FailureKind::NoMemory, message)
    }

    /// What was read back at a byte of the target is not what was written there.
    pub(crate) fn wrong_data(offset: u64, expected: u8, found: u8, note: &str) -> EngineError {
        let message = format!(
            "verify found wrong data at byte {offset}: expected 0x{expected:02x}, found \
             0x{found:02x} ({note}); this place loses or damages data, do not trust it"
        );
        EngineError::new(FailureKind::VerifyFailed, message)
    }

    pub(crate) fn io(doing: impl Display, source: impl Into<io::Error>) -> EngineError {
        use FailureKind as Kind;
        let source = source.into();
        let (kind, what, advice) = match Errno::from_io_error(&source) {
            Some(Errno::NOSPC | Errno::DQUOT) => {
                (Kind::NoSpace, "no space left", "free some space, or write less")
            }
            Some(Errno::ROFS) => (
                Kind::ReadOnly,
                "read-only filesystem or device",
                "mount it writable or choose another",
            ),
            Some(Errno::PERM) => (Kind::Permission, "permission denied", NOT_EVEN_ROOT),
            Some(Errno::ACCESS) => {
                let is_root = rustix::process::geteuid().is_root();
                let advice =
                    if is_root { ROOT_ELSEWHERE } else { "change the owner or mode, or use sudo" };
                (Kind::Permission, "permission denied", advice)
            }
            Some(Errno::FBIG) => return EngineError::unsupported(too_large(doing)),
            Some(Errno::MFILE) => (
                Kind::Unsupported,
                "the limit of open files is reached",
                "raise it (ulimit -n 1024)",
            ),
            Some(Errno::AGAIN) => (
                Kind::Unsupported,
                "the limit of processes is reached",
                "raise it (ulimit -u, or pids.max of the cgroup), or lower numjobs",
            ),
            Some(Errno::NOENT | Errno::NXIO | Errno::NODEV) => {
                (Kind::NotFound, "not found", "check the path")
            }
            _ => {
                let message = format!("{doing} failed: {source}; see the kernel log (dmesg)");
                return EngineError::new(Kind::Io, message);
            }
        };
        EngineError::new(kind, format!("{what} while {doing}: {advice}"))
    }

    pub fn kind(&self) -> FailureKind {
        self.0.kind
    }
}
