//! Why a measurement gave no numbers: one variant for each thing the user can do about it.

use std::io;

use bakeoff_stats::units;
use bakeoff_tools::native::{Failure, FailureKind};
use rustix::io::Errno;
use thiserror::Error;

/// Why there are no numbers. The texts name no path: the parent knows it and prints it safely.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The place is full or a quota is reached.
    #[error("no space left while {doing}: free some space, or write less")]
    NoSpace { doing: String },
    #[error("read-only filesystem or device while {doing}: mount it writable or choose another")]
    ReadOnly { doing: String },
    #[error("permission denied while {doing}: {advice}")]
    Permission { doing: String, advice: &'static str },
    #[error("not found while {doing}: check the path")]
    NotFound { doing: String },
    /// The job makes no sense, or not on this target.
    #[error("{0}")]
    Invalid(String),
    /// This kernel, machine, filesystem or build cannot do it.
    #[error("{0}")]
    Unsupported(String),
    #[error(
        "not enough memory for {} of I/O buffers: lower bs, iodepth or numjobs",
        units::size(*.bytes)
    )]
    NoMemory { bytes: u64 },
    /// The device or filesystem failed an operation.
    #[error("{doing} failed: {source}; see the kernel log (dmesg)")]
    Io { doing: String, source: io::Error },
    /// What was read back is not what was written.
    #[error(
        "verify found wrong data at byte {offset}: expected 0x{expected:02x}, found \
         0x{found:02x} ({note}); this place loses or damages data, do not trust it"
    )]
    Verify {
        /// First wrong byte, from the start of the target.
        offset: u64,
        /// The byte that was written there last.
        expected: u8,
        /// The byte that came back.
        found: u8,
        note: String,
    },
    #[error("the engine cannot read its task: {0}; this is a bug in bakeoff, please report it")]
    Protocol(String),
}

/// EPERM: no right of the caller would do.
const NOT_EVEN_ROOT: &str = "the kernel forbids it to root too (EPERM). In a container, allow the \
     device (docker run --device=DEVICE). Remove the immutable attribute of a file (chattr -i)";
const ROOT_ELSEWHERE: &str = "root has no access here, as in a user namespace or on a network \
     filesystem. Change the owner or mode, or run bakeoff outside the container";

/// EFBIG: a write beyond the largest file. The signal that comes with the limit is ignored.
fn too_large(doing: &str) -> String {
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
    /// Sorts a system error by what the user can do about it.
    pub(crate) fn io(doing: impl Into<String>, source: impl Into<io::Error>) -> EngineError {
        let (doing, source) = (doing.into(), source.into());
        match Errno::from_io_error(&source) {
            Some(Errno::NOSPC | Errno::DQUOT) => EngineError::NoSpace { doing },
            Some(Errno::ROFS) => EngineError::ReadOnly { doing },
            Some(Errno::PERM) => EngineError::Permission { doing, advice: NOT_EVEN_ROOT },
            Some(Errno::ACCESS) => {
                let is_root = rustix::process::geteuid().is_root();
                let advice =
                    if is_root { ROOT_ELSEWHERE } else { "change the owner or mode, or use sudo" };
                EngineError::Permission { doing, advice }
            }
            Some(Errno::FBIG) => EngineError::Unsupported(too_large(&doing)),
            Some(Errno::MFILE) => EngineError::Unsupported(format!(
                "the limit of open files is reached while {doing}: raise it (ulimit -n 1024)"
            )),
            Some(Errno::AGAIN) => EngineError::Unsupported(format!(
                "the limit of processes is reached while {doing}: raise it (ulimit -u, or pids.max \
                 of the cgroup), or lower numjobs"
            )),
            Some(Errno::NOENT | Errno::NXIO | Errno::NODEV) => EngineError::NotFound { doing },
            _ => EngineError::Io { doing, source },
        }
    }

    pub fn kind(&self) -> FailureKind {
        match self {
            EngineError::NoSpace { .. } => FailureKind::NoSpace,
            EngineError::ReadOnly { .. } => FailureKind::ReadOnly,
            EngineError::Permission { .. } => FailureKind::Permission,
            EngineError::NotFound { .. } => FailureKind::NotFound,
            EngineError::Invalid(_) => FailureKind::Invalid,
            EngineError::Unsupported(_) => FailureKind::Unsupported,
            EngineError::NoMemory { .. } => FailureKind::NoMemory,
            EngineError::Io { .. } => FailureKind::Io,
            EngineError::Verify { .. } => FailureKind::VerifyFailed,
            EngineError::Protocol(_) => FailureKind::Protocol,
        }
    }
}

impl From<&EngineError> for Failure {
    fn from(error: &EngineError) -> Failure {
        Failure { kind: error.kind(), message: error.to_string() }
    }
}
