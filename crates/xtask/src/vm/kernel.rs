//! The kernel of a PC, taken out of its wrapping: an emulated processor takes three seconds to
//! unpack it, this one half a second, and QEMU starts what was inside directly.
//!
//! Where the packed kernel lies: the kernel's Documentation/arch/x86/boot.rst ("payload_offset").
//! How QEMU starts it: the note PHYS32_ENTRY (PVH), which Debian's kernels have.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// How a file packed by xz begins.
const XZ: &[u8] = b"\xfd7zXZ\0";

/// The kernel in `folder`, unpacked there once; what is not wrapped in this way stays as it is.
pub fn unwrapped(kernel: &Path, folder: &Path) -> Result<PathBuf> {
    let content = std::fs::read(kernel)?;
    let Some(packed) = payload(&content).filter(|packed| packed.starts_with(XZ)) else {
        return Ok(kernel.to_path_buf());
    };
    let name = kernel.file_name().context("a kernel without a name")?.to_string_lossy();
    let unpacked = folder.join(name.replace("vmlinuz", "vmlinux"));
    if unpacked.exists() {
        return Ok(unpacked);
    }
    let (from, to) = (folder.join("kernel.xz"), folder.join("kernel.new"));
    std::fs::write(&from, packed)?;
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

/// The packed kernel within an x86 boot image of protocol 2.08 or later.
fn payload(image: &[u8]) -> Option<&[u8]> {
    let number = |at: usize| Some(u32::from_le_bytes(image.get(at..at + 4)?.try_into().ok()?));
    if image.get(0x202..0x206)? != b"HdrS" || number(0x206)? & 0xffff < 0x208 {
        return None;
    }
    let sectors = match image[0x1f1] {
        0 => 4,
        sectors => usize::from(sectors),
    };
    let start = (sectors + 1) * 512 + usize::try_from(number(0x248)?).ok()?;
    image.get(start..)?.get(..usize::try_from(number(0x24c)?).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_payload_is_where_the_header_says() {
        let mut image = vec![0; 2048];
        image[0x1f1] = 1;
        image[0x202..0x206].copy_from_slice(b"HdrS");
        image[0x206] = 0x0f;
        image[0x207] = 0x02;
        image[0x248] = 16;
        image[0x24c] = 6;
        image[1040..1046].copy_from_slice(XZ);
        assert_eq!(payload(&image), Some(XZ));
        image[0x24d] = 0xff;
        assert_eq!(payload(&image), None, "longer than the file");
        image[0x207] = 0x01;
        assert_eq!(payload(&image), None, "an old protocol has none");
        assert_eq!(payload(b"MZ"), None);
    }
}
