//! A loop device as slow as a given kind of drive, on an image that is fully written.
//!
//! The kernel slows it down for everybody: limits of the root group of cgroup v1, which name the
//! device (Documentation/admin-guide/cgroup-v1/blkio-controller.rst). Version 2 has no limits of
//! the root group.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::tool;

/// Size of the image.
const SIZE_MIB: u64 = 512;
/// Where the limits are.
const LIMITS: &str = "/sys/fs/cgroup/blkio";

/// A kind of drive.
pub struct Speed {
    /// Its name.
    pub name: &'static str,
    /// In words.
    pub words: &'static str,
    /// How long a run on it is.
    pub time_s: u64,
    /// Bytes and operations a second: read, written. None = as the machine does.
    limits: Option<[(&'static str, u64); 4]>,
}

/// Three kinds.
pub const SPEEDS: [Speed; 3] = [
    Speed {
        name: "card",
        time_s: 300,
        words: "10 MB/s and 300 IOPS written, 25 MB/s and 1,500 IOPS read",
        limits: Some([
            ("write_bps_device", 10_000_000),
            ("write_iops_device", 300),
            ("read_bps_device", 25_000_000),
            ("read_iops_device", 1_500),
        ]),
    },
    Speed {
        name: "usb",
        time_s: 120,
        words: "60 MB/s and 3,000 IOPS written, 100 MB/s and 5,000 IOPS read",
        limits: Some([
            ("write_bps_device", 60_000_000),
            ("write_iops_device", 3_000),
            ("read_bps_device", 100_000_000),
            ("read_iops_device", 5_000),
        ]),
    },
    Speed { name: "free", time_s: 90, words: "the drive of the machine, unlimited", limits: None },
];

/// A drive that is removed at the end.
pub struct Drive {
    folder: TempDir,
    device: PathBuf,
    /// `major:minor`.
    number: String,
    limits: Option<[(&'static str, u64); 4]>,
}

impl Drive {
    /// Makes the image and attaches it.
    pub fn make(dir: &Path, speed: &Speed) -> Result<Drive> {
        let folder = tempfile::tempdir_in(dir).context("no folder for a drive")?;
        let image = folder.path().join("drive.img");
        write_image(&image)?;
        let mut attach = Command::new("losetup");
        attach.args(["--find", "--show", "--direct-io=on"]).arg(&image);
        let device = PathBuf::from(tool::output(&mut attach)?.trim());
        let mut drive = Drive { folder, device, number: String::new(), limits: speed.limits };
        drive.number = fs::read_to_string(drive.file("dev"))?.trim().to_owned();
        drive.limit(true)?;
        Ok(drive)
    }

    /// Its path.
    pub fn device(&self) -> &Path {
        &self.device
    }

    /// A folder beside it, for the store.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Bytes written to it so far; Documentation/block/stat.rst.
    pub fn written_bytes(&self) -> Result<u64> {
        let stat = fs::read_to_string(self.file("stat"))?;
        let sectors = stat.split_whitespace().nth(6).context("no seventh number in stat")?;
        Ok(sectors.parse::<u64>()? * 512)
    }

    fn file(&self, name: &str) -> PathBuf {
        let device = self.device.file_name().unwrap_or_default();
        Path::new("/sys/block").join(device).join(name)
    }

    /// Sets the limits, or takes them away.
    fn limit(&self, on: bool) -> Result<()> {
        for (name, value) in self.limits.iter().flatten() {
            let path = Path::new(LIMITS).join(format!("blkio.throttle.{name}"));
            let value = if on { *value } else { 0 };
            fs::write(&path, format!("{} {value}", self.number)).with_context(|| {
                format!("cannot slow a drive down: {} (cgroup v1, root)", path.display())
            })?;
        }
        Ok(())
    }
}

/// Every block is written, so that none is a hole.
fn write_image(path: &Path) -> Result<()> {
    let mut to = File::create(path)?;
    let block = vec![0xa5_u8; 1 << 20];
    for _ in 0..SIZE_MIB {
        to.write_all(&block)?;
    }
    to.sync_all().with_context(|| format!("cannot write {}", path.display()))
}

impl Drop for Drive {
    fn drop(&mut self) {
        if let Err(error) = self.limit(false) {
            eprintln!("{error:#}");
        }
        let mut detach = Command::new("losetup");
        if let Err(error) = tool::run(detach.arg("--detach").arg(&self.device)) {
            eprintln!("{error:#}");
        }
    }
}
