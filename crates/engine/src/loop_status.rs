//! What is under a loop device, by number: the kernel's own word, whatever the path is called now.
//!
//! The path in /sys is text of a moment: hard links, bind mounts and renames give one file several,
//! and a device node that was removed has none. Here because it is an ioctl without a safe wrapper.
//! Source: Linux `include/uapi/linux/loop.h`, "LOOP_GET_STATUS64".

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// LOOP_GET_STATUS64.
const GET_STATUS64: u32 = 0x4c05;

/// The beginning of `struct loop_info64`; the rest is names and keys.
#[repr(C)]
struct Info {
    device: u64,
    inode: u64,
    rdevice: u64,
    offset: u64,
    rest: [u64; 25],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopStatus {
    /// Filesystem of the file or node, as the kernel encodes it for user space.
    pub device: u64,
    pub inode: u64,
    /// Number of the device, when it is attached to one; 0 for a file.
    pub rdevice: u64,
    pub offset_bytes: u64,
}

/// Asks the kernel.
///
/// # Errors
/// ENXIO for a loop device that is attached to nothing, ENOTTY for what is no loop device.
pub fn loop_status(device: &File) -> io::Result<LoopStatus> {
    const { assert!(size_of::<Info>() == 232) };
    let mut info = Info { device: 0, inode: 0, rdevice: 0, offset: 0, rest: [0; 25] };
    // SAFETY: the kernel writes one `struct loop_info64` of 232 bytes, the size of `Info`, whose
    // fields may have any value; the file stays open for the call.
    let done = unsafe { libc::ioctl(device.as_raw_fd(), GET_STATUS64 as _, &raw mut info) };
    match done {
        0 => Ok(LoopStatus {
            device: info.device,
            inode: info.inode,
            rdevice: info.rdevice,
            offset_bytes: info.offset,
        }),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_a_file_that_is_no_loop_device() {
        let file = File::open("/dev/null").unwrap();
        assert_eq!(loop_status(&file).unwrap_err().raw_os_error(), Some(libc::ENOTTY));
    }
}
