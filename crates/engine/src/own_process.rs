//! What a process asks the kernel for itself: mounts of its own, and errors in place of a signal.

use std::io;

use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Moves the calling thread, and every thread and process that it starts from now on, into a mount
/// namespace of its own, a copy of the one before (unshare(2)).
///
/// # Errors
/// EPERM without CAP_SYS_ADMIN, ENOSPC where the limit of namespaces is reached.
pub fn own_mounts() -> io::Result<()> {
    // SAFETY: only unsharing the table of descriptors can break what other threads rely on. Other
    // threads keep their mounts and their working directory.
    unsafe { unshare_unsafe(UnshareFlags::NEWNS) }.map_err(Into::into)
}

/// Gives the calling thread a working directory and a root of its own, which other threads do not
/// share.
///
/// # Errors
/// The kernel has no memory for it.
pub fn own_directories() -> io::Result<()> {
    // SAFETY: as above.
    unsafe { unshare_unsafe(UnshareFlags::FS) }.map_err(Into::into)
}

/// Has a write past the limit of a file's size (RLIMIT_FSIZE) fail with EFBIG here and in programs
/// that are started from here, which SIGXFSZ would kill in the middle of a change.
pub fn size_limit_is_an_error() {
    // SAFETY: ignoring a signal runs no code of ours. It fails for no signal that there is.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}
