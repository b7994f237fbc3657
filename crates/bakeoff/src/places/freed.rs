//! Waits until a device that was unmounted is free, and finds out who keeps it in use.

use std::time::Duration;

use bakeoff_machine::guard;
use bakeoff_model::path::RawPath;
use rustix::fs::{Mode, OFlags};

use crate::host;
use crate::steps::error::StepError;

/// How often and how long the driver of the filesystem before may take to let go of the device.
const TRIES: u32 = 600;
const PAUSE: Duration = Duration::from_millis(50);
const NAMED: usize = 3;

/// Waits until nobody has the device open exclusively. umount(8) of a FUSE filesystem returns when
/// the mount is gone; its driver may still be writing and only then lets go of the device.
pub fn wait(device: &RawPath) -> Result<(), StepError> {
    wait_so_often(device, TRIES)
}

fn wait_so_often(device: &RawPath, tries: u32) -> Result<(), StepError> {
    let flags = OFlags::RDONLY | OFlags::EXCL | OFlags::CLOEXEC;
    let open = || rustix::fs::open(device.as_path(), flags, Mode::empty()).map(drop);
    for _ in 0..tries {
        if open().is_ok() {
            return Ok(());
        }
        std::thread::sleep(PAUSE);
    }
    open().map_err(|error| {
        let users = match users(device) {
            users if users.is_empty() => std::io::Error::from(error).to_string(),
            users => format!("{}. Free the device, then try again", users.join("; ")),
        };
        StepError::Other(format!(
            "{device} is still in use after its filesystem was unmounted: {users}"
        ))
    })
}

/// Who uses the device: by a mount that was copied into a mount namespace before ours was taken
/// away, or because it is open.
fn users(device: &RawPath) -> Vec<String> {
    // Why it cannot be found out takes nothing from the error that is said.
    let Ok(system) = host::system() else { return Vec::new() };
    let dev = host::dev_at(device.as_path());
    let users = dev.map_or_else(Vec::new, |dev| guard::users(dev, &system));
    users.into_iter().take(NAMED).map(|user| user.text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skip;
    use std::path::Path;
    use std::process::{Child, Command};

    struct Made {
        device: String,
        at: std::path::PathBuf,
        holder: Option<Child>,
    }

    impl Drop for Made {
        fn drop(&mut self) {
            if let Some(holder) = &mut self.holder {
                let _ = holder.kill();
                let _ = holder.wait();
            }
            let _ =
                Command::new("umount").arg(&self.at).stderr(std::process::Stdio::null()).status();
            let _ = Command::new("losetup").args(["--detach", &self.device]).status();
        }
    }

    fn done(program: &str, args: &[&str], last: &Path) -> String {
        let done = Command::new(program).args(args).arg(last).output().unwrap();
        assert!(done.status.success(), "{program}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap().trim().to_string()
    }

    /// The message named nobody: the mount was in no table that people look at.
    #[test]
    fn names_the_process_whose_mount_namespace_keeps_the_mount() {
        if skip::lacks_root()
            || skip::lacks_loop_devices()
            || ["mkfs.ext4", "unshare"].into_iter().any(skip::lacks_command)
        {
            return;
        }
        let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let image = dir.path().join("image");
        std::fs::File::create(&image).unwrap().set_len(32 << 20).unwrap();
        done("mkfs.ext4", &["-q", "-F"], &image);
        let device = done("losetup", &["--find", "--show"], &image);
        let at = dir.path().join("mnt");
        std::fs::create_dir(&at).unwrap();
        let mut made = Made { device: device.clone(), at: at.clone(), holder: None };
        done("mount", &[&device], &at);
        let mut unshare = Command::new("unshare");
        unshare.args(["--mount", "--propagation", "private", "sleep", "600"]);
        let holder = made.holder.insert(unshare.spawn().unwrap());
        let pid = holder.id();
        let comm = format!("/proc/{pid}/comm");
        while std::fs::read_to_string(&comm).unwrap() != "sleep\n" {
            std::thread::sleep(PAUSE);
        }
        done("umount", &[], &at);
        let device = RawPath::new(device);
        let error = wait_so_often(&device, 2).unwrap_err();
        let said = error.to_string();
        assert!(
            said.contains(&format!("in the mount namespace of sleep (process {pid})")),
            "{said}"
        );
        made.holder.take().map(|mut holder| holder.kill().and(holder.wait())).unwrap().unwrap();
        wait(&device).unwrap();
    }
}
