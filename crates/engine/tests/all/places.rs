//! Places that are full, read-only, or no files at all. Needs root for mounts and loop devices.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use bakeoff_engine::measure;
use bakeoff_model::job::{EngineName, Job, Rw};
use bakeoff_tools::native::FailureKind;
use tempfile::TempDir;

use crate::skip;

fn sh(line: &str, args: &[&Path]) -> String {
    let output = Command::new("sh").arg("-ec").arg(line).arg("sh").args(args).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_string()
}

/// A memory filesystem of 1 MiB, unmounted when dropped.
struct Mount(TempDir);

impl Mount {
    fn new() -> Mount {
        let dir = tempfile::tempdir().unwrap();
        sh("mount -t tmpfs -o size=1m tmpfs \"$1\"", &[dir.path()]);
        Mount(dir)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        sh("umount -l \"$1\"", &[self.0.path()]);
    }
}

#[test]
fn a_full_place_is_no_space_in_every_engine() {
    if skip::lacks_root() {
        return;
    }
    let mount = Mount::new();
    for engine in [EngineName::Psync, EngineName::IoUring] {
        for bs in [4096, 65536] {
            let job = Job { engine, iodepth: 4, ..Job::new(Rw::Write, bs, 4 << 20) };
            let path = mount.path().join("file");
            let error = measure(&job, &path, None).unwrap_err();
            assert_eq!(error.kind(), FailureKind::NoSpace, "{engine:?}: {error}");
            assert!(error.to_string().contains("or write less"), "{error}");
            fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn small_files_in_a_full_place_clean_up() {
    if skip::lacks_root() {
        return;
    }
    let mount = Mount::new();
    for (numjobs, fsync) in [(1, 0), (2, 1)] {
        let job = Job { numjobs, fsync, ..Job::new(Rw::SmallFiles, 8192, 8192 * 1000) };
        let error = measure(&job, mount.path(), None).unwrap_err();
        assert_eq!(error.kind(), FailureKind::NoSpace, "{error}");
        assert_eq!(fs::read_dir(mount.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_read_only_place_says_so_and_can_be_read() {
    if skip::lacks_root() {
        return;
    }
    let mount = Mount::new();
    let path = mount.path().join("file");
    fs::write(&path, vec![1; 8192]).unwrap();
    sh("mount -o remount,ro \"$1\"", &[mount.path()]);
    let write = Job::new(Rw::Write, 4096, 8192);
    assert_eq!(measure(&write, &path, None).unwrap_err().kind(), FailureKind::ReadOnly);
    let new = mount.path().join("new");
    assert_eq!(measure(&write, &new, None).unwrap_err().kind(), FailureKind::ReadOnly);
    let files = Job::new(Rw::SmallFiles, 4096, 8192);
    let error = measure(&files, mount.path(), None).unwrap_err();
    assert_eq!(error.kind(), FailureKind::ReadOnly);
    measure(&Job::new(Rw::Read, 4096, 8192), &path, None).unwrap();
}

#[test]
fn a_block_device_is_measured_and_verified_and_its_end_respected() {
    if skip::lacks_root() {
        return;
    }
    if skip::lacks_loop_devices() {
        return;
    }
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let image = dir.path().join("image");
    fs::write(&image, vec![0; 4 << 20]).unwrap();
    let device = PathBuf::from(sh("losetup --find --show \"$1\"", &[&image]));
    let detach = scopeguard(&device);
    for engine in [EngineName::Psync, EngineName::IoUring] {
        for direct in [false, true] {
            let job = Job {
                engine,
                direct,
                iodepth: 8,
                verify: true,
                end_fsync: true,
                ..Job::new(Rw::RandWrite, 4096, 4 << 20)
            };
            let m = measure(&job, &device, None).unwrap();
            assert!(m.verified_bytes.unwrap() > 0);
        }
    }
    let odd = Job { direct: true, ..Job::new(Rw::Read, 100, 4 << 20) };
    let error = measure(&odd, &device, None).unwrap_err();
    assert!(error.to_string().contains("multiples of 512"), "{error}");
    let long = Job::new(Rw::Write, 4096, 8 << 20);
    assert_eq!(measure(&long, &device, None).unwrap_err().kind(), FailureKind::Invalid);
    // Lost, it was said to be too small for --size.
    fs::File::create(&image).unwrap();
    sh("losetup --set-capacity \"$1\"", &[&device]);
    let said = measure(&long, &device, None).unwrap_err().to_string();
    assert!(said.contains("detached") && !said.contains("--size"), "{said}");
    drop(detach);
}

/// Detaches the loop device when dropped.
fn scopeguard(device: &Path) -> impl Drop {
    struct Detach(PathBuf);
    impl Drop for Detach {
        fn drop(&mut self) {
            sh("losetup -d \"$1\"", &[&self.0]);
        }
    }
    Detach(device.to_path_buf())
}
