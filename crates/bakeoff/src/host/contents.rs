//! Signatures on a device or image, read from itself with the programs of libblkid.
//!
//! wipefs lists every signature, also where several contradict each other; `blkid --probe` reads a
//! range, for partitions that the kernel has no device for. Neither asks udev nor a cache. Both
//! only read, and nothing may be called empty where they are missing.

use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bakeoff_machine::prepare::contents::{Contents, Sign, digest};
use bakeoff_machine::prepare::device::System;
use bakeoff_machine::sysinfo::dev::Dev;
use bakeoff_machine::sysinfo::partx;
use bakeoff_machine::sysinfo::table_id::{HEAD_BYTES, table_id};
use bakeoff_machine::sysinfo::wipefs::{self, Signature};
use bakeoff_model::host::LayerKind;
use bakeoff_model::path::{RawPath, printable};
use rustix::fs::OFlags;

use super::drive::dev_at;
use crate::exec::{ExecError, Finished, Spec};
use crate::signals::Cancel;

const LIMIT: Duration = Duration::from_secs(60);
/// Most bytes that list its signatures: a member of ZFS has 512, each of about 150 bytes.
const OUTPUT_BYTES: usize = 1 << 20;
const PARTITIONS: usize = 256;
const START_BYTES: usize = 4096;
/// Exit codes of `blkid --probe`: nothing found, and more than one thing found.
const NOTHING: i32 = 2;
const SEVERAL: i32 = 8;

/// Reads what is on a device and its partitions into the picture of the system.
///
/// # Errors
/// When anything of it cannot be read; then it must not be written.
pub fn look_into(system: &mut System, dev: Dev, path: &Path) -> Result<(), String> {
    let parts: Vec<(Dev, String, u64, u64)> = system
        .device(dev)
        .into_iter()
        .flat_map(|device| system.above(device))
        .filter(|(_, is_partition)| *is_partition)
        .map(|(part, _)| part)
        .map(|part| {
            let layer = &part.layer;
            (part.dev, layer.name.clone(), layer.start_bytes.unwrap_or(0), layer.size_bytes)
        })
        .collect();
    let mut all = own_signs(path)?;
    for (part, name, start_bytes, size_bytes) in parts {
        let node = PathBuf::from("/dev").join(name.replace('!', "/"));
        let signs = if is_node_of(&node, part) {
            own_signs(&node)?
        } else {
            range_signs(path, start_bytes, size_bytes)?
        };
        all.extend(signs.iter().cloned().map(|sign| Sign {
            part: Some(name.clone()),
            offset_bytes: start_bytes.saturating_add(sign.offset_bytes),
            ..sign
        }));
        if let Some(device) = system.devices.iter_mut().find(|d| d.dev == part) {
            device.contents = Some(Contents { signs });
        }
    }
    let has_kernel_parts = all.iter().any(|sign| sign.part.is_some())
        || system
            .devices
            .iter()
            .any(|d| d.layer.kind == LayerKind::Partition && d.below.contains(&dev));
    if !has_kernel_parts {
        all.extend(parts_within(path, &all)?);
    }
    if let Some(device) = system.devices.iter_mut().find(|d| d.dev == dev) {
        device.contents = Some(Contents { signs: all });
    }
    Ok(())
}

/// What is in an image file.
///
/// # Errors
/// As [`look_into`].
pub fn contents_of(path: &Path) -> Result<Contents, String> {
    let mut signs = own_signs(path)?;
    signs.extend(parts_within(path, &signs)?);
    Ok(Contents { signs })
}

fn is_node_of(node: &Path, dev: Dev) -> bool {
    dev_at(node) == Some(dev)
}

fn own_signs(path: &Path) -> Result<Vec<Sign>, String> {
    let done = tool(path, &["wipefs", "--json", "--no-act"], path.as_os_str())?;
    let found = done.status.success().then(|| wipefs::parse(&done.stdout)).flatten();
    let found = found.ok_or_else(|| said(path, &done))?;
    let head = head(path, 0)?;
    Ok(found.into_iter().map(|signature| sign(signature, &head)).collect())
}

fn range_signs(path: &Path, start_bytes: u64, bytes: u64) -> Result<Vec<Sign>, String> {
    let (start, size) = (start_bytes.to_string(), bytes.to_string());
    let words = ["blkid", "--probe", "--output", "export", "--offset", &start, "--size", &size];
    let done = tool(path, &words, path.as_os_str())?;
    let signature = match done.status.code() {
        Some(0) => wipefs::parse_export(&String::from_utf8_lossy(&done.stdout)),
        Some(NOTHING) => None,
        Some(SEVERAL) => Some(Signature {
            kind: "several conflicting signatures".to_string(),
            ..Signature::default()
        }),
        _ => return Err(said(path, &done)),
    };
    let head = head(path, start_bytes)?;
    Ok(signature.map(|signature| sign(signature, &head)).into_iter().collect())
}

/// Signatures in the partitions of a table that the kernel did not read: those of an image, or of a
/// loop device that was attached without them.
fn parts_within(path: &Path, own: &[Sign]) -> Result<Vec<Sign>, String> {
    if !own.iter().any(Sign::is_table) {
        return Ok(Vec::new());
    }
    let done = tool(path, &[&["partx"], &partx::LIST[..]].concat(), path.as_os_str())?;
    let mut all = Vec::new();
    for part in partx::parse(&done.stdout).into_iter().take(PARTITIONS) {
        let signs = range_signs(path, part.start_bytes, part.size_bytes)?;
        all.extend(signs.into_iter().map(|sign| Sign {
            part: Some(format!("partition {}", part.number)),
            offset_bytes: part.start_bytes.saturating_add(sign.offset_bytes),
            ..sign
        }));
    }
    Ok(all)
}

fn sign(found: Signature, head: &[u8]) -> Sign {
    Sign {
        part: None,
        offset_bytes: found.offset_bytes,
        label: found.label,
        uuid: found.uuid.or_else(|| table_id(&found.kind, head)),
        kind: found.kind,
    }
}

/// The first bytes from an offset on; fewer at the end of the device.
fn head(path: &Path, offset_bytes: u64) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; HEAD_BYTES];
    let mut read = || -> io::Result<usize> {
        let (file, mut done) = (File::open(path)?, 0);
        while done < bytes.len() {
            match file.read_at(&mut bytes[done..], offset_bytes + done as u64)? {
                0 => break,
                more => done += more,
            }
        }
        Ok(done)
    };
    let len = read().map_err(|error| unreadable(path, error.to_string()))?;
    bytes.truncate(len);
    Ok(bytes)
}

fn tool(path: &Path, words: &[&str], last: &OsStr) -> Result<Finished, String> {
    let mut argv: Vec<OsString> = words.iter().map(OsString::from).collect();
    argv.push(last.to_os_string());
    let spec = Spec::tool(&argv, LIMIT).map(|spec| spec.keep(OUTPUT_BYTES));
    let done = spec.and_then(|spec| spec.run(&Cancel::default()));
    done.map_err(|error| match error {
        ExecError::Missing { program } => format!(
            "{program} is not installed, so bakeoff cannot read the contents of the target. {}",
            super::install_advice(&program)
        ),
        ExecError::Start { .. } | ExecError::TimedOut { .. } | ExecError::Interrupted => {
            unreadable(path, error.to_string())
        }
    })
}

fn said(path: &Path, done: &Finished) -> String {
    let said = printable(done.stderr.trim_ascii());
    unreadable(path, format!("{} ({said})", done.how()))
}

fn unreadable(path: &Path, why: String) -> String {
    let path = RawPath::new(path);
    format!("cannot read the contents of {path}: {why}. Run as root (sudo bakeoff …)")
}

/// What is at the start of a range: its signature with UUID, or a digest where there is none.
///
/// # Errors
/// As [`look_into`].
pub fn start_of(path: &Path, start_bytes: u64, bytes: u64) -> Result<String, String> {
    let signs = range_signs(path, start_bytes, bytes)?;
    if let Some(Sign { kind, uuid: Some(uuid), .. }) = signs.first() {
        return Ok(format!("{kind} {uuid}"));
    }
    let kind = signs.first().map_or("data", |sign| sign.kind.as_str());
    let bytes =
        past_the_cache(path, start_bytes).map_err(|error| unreadable(path, error.to_string()))?;
    Ok(format!("{kind} {}", digest(&bytes)))
}

/// The first block, from the medium: the page cache of a device does not hold what was written
/// through a mapping over it.
fn past_the_cache(path: &Path, at: u64) -> io::Result<Vec<u8>> {
    let mut memory = vec![0; 2 * START_BYTES];
    let skip = memory.as_ptr().align_offset(START_BYTES).min(START_BYTES);
    let block = &mut memory[skip..][..START_BYTES];
    let flags = if super::supports_direct(path) { OFlags::DIRECT.bits() as i32 } else { 0 };
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    file.read_exact_at(block, at)?;
    Ok(block.to_vec())
}
