//! The kernel of a PC, taken out of its wrapping: an emulated processor takes three seconds to
//! unpack it, this one half a second, and QEMU starts what was inside directly.
//!
//! Where it begins is found as scripts/extract-vmlinux of the kernel does it. How QEMU starts it:
//! the note PHYS32_ENTRY (PVH), which Debian's kernels have.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// How a file packed by xz begins.
const XZ: &[u8] = b"\xfd7zXZ\0";

/// The kernel in `folder`, unpacked there once; what is not packed in this way stays as it is.
pub fn unwrapped(kernel: &Path, folder: &Path) -> Result<PathBuf> {
    let content = std::fs::read(kernel)?;
    let Some(start) = content.windows(XZ.len()).position(|bytes| bytes == XZ) else {
        return Ok(kernel.to_path_buf());
    };
    let name = kernel.file_name().context("a kernel without a name")?.to_string_lossy();
    let unpacked = folder.join(name.replace("vmlinuz", "vmlinux"));
    if unpacked.exists() {
        return Ok(unpacked);
    }
    let (from, to) = (folder.join("kernel.xz"), folder.join("kernel.new"));
    std::fs::write(&from, &content[start..])?;
    let mut xz = Command::new("xz");
    // After the stream comes the kernel's own note of its length.
    xz.args(["--decompress", "--stdout", "--single-stream"]).stdin(File::open(&from)?);
    let status = xz.stdout(Stdio::from(File::create(&to)?)).status();
    let status = status.context("cannot run xz, which is in Debian's xz-utils")?;
    ensure!(status.success(), "xz ended with {status} unpacking {}", kernel.display());
    std::fs::remove_file(&from)?;
    std::fs::rename(&to, &unpacked)?;
    Ok(unpacked)
}
