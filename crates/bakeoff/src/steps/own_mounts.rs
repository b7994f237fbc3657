//! The mount namespace of a run: nobody else sees what it mounts, and that ends with its last
//! process (mount_namespaces(7)).
//!
//! In the namespace of everybody, whatever copies the mount table privately (`unshare --mount`,
//! some sandboxes) would keep a candidate's device in use after it was unmounted.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;

use rustix::mount::{MountPropagationFlags, mount_change};
use rustix::process::{chroot, fchdir};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use crate::fault::Fault;
use crate::host;
use crate::ui::say;

/// The namespace of a run, from its begin on. When the value goes, this thread returns to the one
/// before: what is written then is where everybody looks for it.
#[derive(Debug)]
pub struct OwnMounts {
    before: File,
    root: File,
    here: File,
}

/// Enters a mount namespace of its own, with all threads and processes that are started from now
/// on.
///
/// # Errors
/// The kernel refuses it.
pub fn enter() -> Result<OwnMounts, Fault> {
    let own = OwnMounts::now().map_err(|error| refused(&error))?;
    bakeoff_engine::own_mounts().map_err(|error| refused(&error))?;
    // What others mount and unmount arrives here where mounts are shared; nothing gets out.
    let downstream = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
    mount_change("/", downstream).map_err(|error| match error {
        rustix::io::Errno::INVAL => Fault::environment(
            "cannot keep mounts private to the run: / is not a mount point, as in a chroot. Bind \
             the directory to itself before you enter it: mount --bind DIR DIR",
        ),
        error => refused(&error.into()),
    })?;
    Ok(own)
}

/// Does something in the mount namespace of a process and returns. It must start no program: those
/// there are not to be trusted.
///
/// # Errors
/// Those of the work, and of entering.
pub fn inside(pid: u32, work: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let there = host::mount_namespace(pid)?;
    let back = OwnMounts::now()?;
    bakeoff_engine::own_directories()?;
    move_into_link_name_space(there.as_fd(), Some(LinkNameSpaceType::Mount))?;
    let done = work();
    drop(back);
    done
}

fn refused(error: &io::Error) -> Fault {
    let advice = match error.raw_os_error().map(rustix::io::Errno::from_raw_os_error) {
        Some(rustix::io::Errno::NOSPC) => {
            "The limit of mount namespaces is reached. Type: sysctl user.max_mnt_namespaces=1000"
        }
        _ => {
            "This takes root with CAP_SYS_ADMIN, which a container has with --privileged. Without \
             it, compare directories: bakeoff quick DIR…"
        }
    };
    Fault::environment(format!(
        "cannot create a mount namespace for the filesystems of the run: {error}. {advice}"
    ))
}

impl OwnMounts {
    /// The way back. Open, the working directory also stays in use for who would unmount it.
    fn now() -> io::Result<OwnMounts> {
        let before = host::mount_namespace(std::process::id())?;
        Ok(OwnMounts { before, root: File::open("/")?, here: File::open(".")? })
    }

    /// Does something where everybody else is, and returns. It must start no thread.
    ///
    /// # Errors
    /// The kernel refuses the way back or forth.
    pub fn outside<T>(&self, work: impl FnOnce() -> T) -> io::Result<T> {
        let back = OwnMounts::now()?;
        self.leave()?;
        let done = work();
        drop(back);
        Ok(done)
    }

    fn leave(&self) -> io::Result<()> {
        // Threads share their directories, and who shares them may not move.
        bakeoff_engine::own_directories()?;
        move_into_link_name_space(self.before.as_fd(), Some(LinkNameSpaceType::Mount))?;
        fchdir(&self.root)?;
        chroot(".")?;
        Ok(fchdir(&self.here)?)
    }
}

impl Drop for OwnMounts {
    fn drop(&mut self) {
        if let Err(error) = self.leave() {
            say::line(format_args!(
                "bakeoff: cannot return to the mount namespace of the system: {error}. Filesystems \
                 that were mounted during the run are not visible to it"
            ));
        }
    }
}
