//! The record of acknowledged writes that `bench --verify_state_save` keeps, and the look for
//! them with `--verify_state_load` after a crash.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use bakeoff_model::acks::Acks;
use bakeoff_model::path::RawPath;
use bakeoff_report as report;
use bakeoff_tools::native::TargetKind;
use rustix::fs::{FileType, OFlags, Stat};
use rustix::io::{FdFlags, fcntl_setfd};

use super::{answer, stored};
use crate::cli::{Bench, Format};
use crate::fault::{Fault, Outcome};
use crate::files::entry::kind;
use crate::files::{Entry, FileError};
use crate::load;
use crate::signals::Cancel;

/// Longest line of a record: a job in JSON, or two numbers.
const LINE_MAX_BYTES: u64 = 64 << 10;

/// Opens the record for a job on `target`: a new file on another filesystem, whose every line is on
/// its drive before the job goes on, or a pipe or port to whoever keeps it.
pub fn open_record(record: &Path, target: &Path) -> Result<File, Fault> {
    let shown = RawPath::new(record);
    let unusable = |e: FileError| stored::unwritten(record, e);
    let entry = Entry::of(record).map_err(unusable)?;
    let before = entry.look().map_err(|e| unusable(e.into()))?;
    let is_stream = match before.as_ref().map(|found| FileType::from_raw_mode(found.st_mode)) {
        None | Some(FileType::RegularFile) => false,
        Some(FileType::Fifo | FileType::CharacterDevice) => true,
        Some(_) => {
            let kind = before.as_ref().map_or("nothing", kind);
            return Err(unusable(FileError::Refused(format!("it is {kind}"))));
        }
    };
    let of_target = std::fs::metadata(target).map_err(Fault::environment)?;
    if !is_stream && entry.device().map_err(|e| unusable(e.into()))? == of_target.dev() {
        return Err(Fault::usage(format!(
            "Refusing to write the record {shown}: it is on the filesystem under test and could be \
             lost with it. Keep the record on another drive"
        )));
    }
    let make = if before.is_none() { OFlags::CREATE | OFlags::EXCL } else { OFlags::empty() };
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::DSYNC | make;
    let (file, found) = entry.open_with(flags, 0o600).map_err(unusable)?;
    let kind_of = |found: &Stat| FileType::from_raw_mode(found.st_mode);
    if before.is_some_and(|before| kind_of(&before) != kind_of(&found)) {
        return Err(unusable(FileError::Refused("another file took its place".to_string())));
    }
    if !is_stream && found.st_size > 0 {
        return Err(Fault::usage(format!(
            "{shown} already exists, and a record covers only one job. Remove it or name another \
             file"
        )));
    }
    // The measuring process inherits it.
    fcntl_setfd(&file, FdFlags::empty()).map_err(|e| unusable(e.into()))?;
    Ok(file)
}

/// Reads back and says what is there of the writes that `record` has. Writes nothing.
pub fn look(format: Format, args: &Bench, record: &Path) -> Result<Outcome, Fault> {
    let acks = read(record)?;
    let named = args.path.as_ref().or(args.filename.as_ref());
    let named = named.ok_or_else(|| Fault::usage("specify the file or device to check"))?;
    let shown = RawPath::new(named);
    let (path, kind) = match std::fs::metadata(named) {
        // A file that is gone has lost everything, which is an answer.
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => (named.clone(), TargetKind::File),
        Err(e) => return Err(Fault::environment(format!("cannot use {shown}: {e}"))),
        Ok(found) => {
            let kind = match found.file_type() {
                kind if kind.is_block_device() => TargetKind::Block,
                kind if kind.is_file() => TargetKind::File,
                _ => {
                    return Err(Fault::usage(format!(
                        "{shown} is neither a file nor a block device. Specify the written file"
                    )));
                }
            };
            (std::fs::canonicalize(named).map_err(Fault::environment)?, kind)
        }
    };
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let kept = load::look_for(acks, &path, kind, &cancel)?;
    let json = || format!("{:#}\n", report::durability_json(&kept));
    answer::print_either(format, json, || report::durability_document(&kept))?;
    Ok(if kept.is_all() { Outcome::Done } else { Outcome::Open })
}

/// The complete lines of a record; a last one without its end is what the crash cut off.
fn read(record: &Path) -> Result<Acks, Fault> {
    let shown = RawPath::new(record);
    let unreadable = |e: std::io::Error| Fault::usage(format!("cannot read {shown}: {e}"));
    let mut reader = BufReader::new(File::open(record).map_err(unreadable)?);
    let mut failed = None;
    let lines = std::iter::from_fn(|| {
        let mut line = String::new();
        match (&mut reader).take(LINE_MAX_BYTES).read_line(&mut line) {
            Ok(_) => line.strip_suffix('\n').map(str::to_owned),
            Err(error) => {
                failed = Some(error);
                None
            }
        }
    });
    let acks = Acks::read(lines);
    if let Some(error) = failed {
        return Err(unreadable(error));
    }
    acks.map_err(|e| Fault::usage(format!("{shown} was not written by --verify_state_save: {e}")))
}
