//! Attaches an open file to a loop device, and asks a loop device which file is behind it.
//!
//! losetup(8) takes a path and resolves every link in it before it opens the result. Who owns a
//! directory above can exchange what is found there meanwhile, so a file that is open already is
//! attached by its descriptor. Source: loop(4), `include/uapi/linux/loop.h`.

use std::ffi::c_ulong;
use std::io;
use std::mem::size_of;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bakeoff_model::step::Inode;
use rustix::fs::{Mode, OFlags, open};

const LOOP_CLR_FD: c_ulong = 0x4c01;
const LOOP_GET_STATUS64: c_ulong = 0x4c05;
/// Linux 5.8.
const LOOP_CONFIGURE: c_ulong = 0x4c0a;
const LOOP_CTL_GET_FREE: c_ulong = 0x4c82;
const LO_FLAGS_DIRECT_IO: u32 = 16;
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(50);
const NAME_BYTES: usize = 64;

/// `struct loop_info64`.
#[repr(C)]
#[derive(Clone, Copy)]
struct LoopInfo {
    device: u64,
    inode: u64,
    rdevice: u64,
    offset: u64,
    size_limit: u64,
    number: u32,
    encrypt_type: u32,
    encrypt_key_size: u32,
    flags: u32,
    file_name: [u8; NAME_BYTES],
    crypt_name: [u8; NAME_BYTES],
    encrypt_key: [u8; 32],
    init: [u64; 2],
}

#[repr(C)]
struct Config {
    fd: u32,
    block_size: u32,
    info: LoopInfo,
    reserved: [u64; 8],
}

const _: () = assert!(size_of::<LoopInfo>() == 232 && size_of::<Config>() == 304);

#[derive(Clone, Copy, Debug)]
pub struct Part<'n> {
    /// What the kernel is told that the file is called: a mark that only root can make.
    pub name: &'n str,
    pub offset_bytes: u64,
    /// Its size; `None` = to the end.
    pub size_bytes: Option<u64>,
    /// Logical block size; `None` = 512 bytes.
    pub sector_bytes: Option<u32>,
}

/// What a loop device says of itself, by the kernel's own word: a path in /sys is text of a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopStatus {
    pub inode: Inode,
    /// Number of the device, when it is attached to one; 0 for a file.
    pub rdevice: u64,
    pub offset_bytes: u64,
    /// The name it was given when it was attached; only root can give one.
    pub name: Vec<u8>,
}

/// Attaches a file, open for reading and writing, to a free loop device with direct I/O; gives the
/// device's path.
///
/// # Errors
/// Those of the kernel, and of opening its devices: it may have none, or none that is free.
pub fn attach(file: BorrowedFd<'_>, part: &Part<'_>) -> io::Result<PathBuf> {
    let control = open_device(Path::new("/dev/loop-control"))?;
    for _ in 0..TRIES {
        let number = call(control.as_fd(), LOOP_CTL_GET_FREE, 0)?;
        let path = PathBuf::from(format!("/dev/loop{number}"));
        let device = open_device(&path)?;
        match configure(device.as_fd(), file, part) {
            Ok(()) => return Ok(path),
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => std::thread::sleep(PAUSE),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::from_raw_os_error(libc::EBUSY))
}

/// Asks a loop device.
///
/// # Errors
/// `ENXIO` where nothing is attached, `ENOTTY` where it is no loop device.
pub fn status(device: BorrowedFd<'_>) -> io::Result<LoopStatus> {
    let mut info = empty();
    // SAFETY: the kernel writes one `loop_info64`, which `info` is and stays during the call.
    unsafe { call_with(device, LOOP_GET_STATUS64, &raw mut info) }?;
    let end = info.file_name.iter().position(|byte| *byte == 0).unwrap_or(NAME_BYTES);
    Ok(LoopStatus {
        inode: Inode { dev: info.device, ino: info.inode },
        rdevice: info.rdevice,
        offset_bytes: info.offset,
        name: info.file_name[..end].to_vec(),
    })
}

/// Detaches a loop device. The kernel does it when the last user of a busy one lets go.
///
/// # Errors
/// Those of the kernel.
pub fn detach(device: BorrowedFd<'_>) -> io::Result<()> {
    call(device, LOOP_CLR_FD, 0).map(drop)
}

fn open_device(path: &Path) -> io::Result<OwnedFd> {
    let opened = open(path, OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty());
    opened.map_err(|errno| {
        let error = io::Error::from(errno);
        io::Error::new(error.kind(), format!("{}: {error}", path.display()))
    })
}

fn configure(device: BorrowedFd<'_>, file: BorrowedFd<'_>, part: &Part<'_>) -> io::Result<()> {
    let mut info = empty();
    info.offset = part.offset_bytes;
    info.size_limit = part.size_bytes.unwrap_or(0);
    info.flags = LO_FLAGS_DIRECT_IO;
    let name = part.name.as_bytes();
    // The last byte stays 0.
    for (to, from) in info.file_name[..NAME_BYTES - 1].iter_mut().zip(name) {
        *to = *from;
    }
    // A descriptor is never negative.
    let fd = file.as_raw_fd() as u32;
    let block_size = part.sector_bytes.unwrap_or(0);
    let mut config = Config { fd, block_size, info, reserved: [0; 8] };
    // SAFETY: the kernel reads one `loop_config`, which `config` is and stays during the call.
    unsafe { call_with(device, LOOP_CONFIGURE, &raw mut config) }.map(drop)
}

fn empty() -> LoopInfo {
    LoopInfo {
        device: 0,
        inode: 0,
        rdevice: 0,
        offset: 0,
        size_limit: 0,
        number: 0,
        encrypt_type: 0,
        encrypt_key_size: 0,
        flags: 0,
        file_name: [0; NAME_BYTES],
        crypt_name: [0; NAME_BYTES],
        encrypt_key: [0; 32],
        init: [0; 2],
    }
}

/// An ioctl(2) whose argument is a number.
fn call(fd: BorrowedFd<'_>, request: c_ulong, argument: c_ulong) -> io::Result<i32> {
    // SAFETY: these requests take a number and touch no memory of ours.
    let answer = unsafe { libc::ioctl(fd.as_raw_fd(), request as _, argument) };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

/// An ioctl(2) whose argument is memory.
///
/// # Safety
/// `memory` has to be what the request reads or writes.
unsafe fn call_with<T>(fd: BorrowedFd<'_>, request: c_ulong, memory: *mut T) -> io::Result<i32> {
    // SAFETY: as the caller promises.
    let answer = unsafe { libc::ioctl(fd.as_raw_fd(), request as _, memory) };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skip;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn attaches_the_open_file_whatever_has_its_name() {
        if skip::lacks_root() || skip::lacks_loop_devices() {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let name = dir.path().join("image");
        let file = std::fs::File::options().read(true).write(true).create_new(true).open(&name);
        let file = file.unwrap();
        file.set_len(1 << 20).unwrap();
        // Another file has the name when the device is made.
        std::fs::write(dir.path().join("other"), vec![0; 1 << 20]).unwrap();
        std::fs::rename(dir.path().join("other"), &name).unwrap();
        let part =
            Part { name: "mark", offset_bytes: 4096, size_bytes: Some(8192), sector_bytes: None };
        let path = attach(file.as_fd(), &part).unwrap();
        let device = open_device(&path).unwrap();
        let found = file.metadata().unwrap();
        let inode = Inode { dev: found.dev(), ino: found.ino() };
        let told = status(device.as_fd());
        let size = rustix::fs::seek(&device, rustix::fs::SeekFrom::End(0));
        detach(device.as_fd()).unwrap();
        let name = b"mark".to_vec();
        let want = LoopStatus { inode, rdevice: 0, offset_bytes: 4096, name };
        assert_eq!(told.unwrap(), want);
        assert_eq!(size.unwrap(), 8192);
    }

    #[test]
    fn what_is_no_loop_device_has_nothing_behind_it() {
        let null = std::fs::File::open("/dev/null").unwrap();
        assert_eq!(status(null.as_fd()).unwrap_err().raw_os_error(), Some(libc::ENOTTY));
    }
}
