//! What is examined: a drive, a partition or an image, also one that is in use, because it is only
//! read.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use bakeoff_machine::prepare::commands::quoted;
use bakeoff_model::host::Place;
use bakeoff_model::path::{RawPath, printable};
use bakeoff_stats::{phrases, units};

use super::super::devices;
use super::reads::ReadPlace;
use crate::fault::{Fault, denied_advice};
use crate::host;
use crate::steps::target;

/// What reads are in multiples of, so that they can bypass the page cache.
const GRANULE_BYTES: u64 = 4096;

pub struct ExamSubject {
    /// "/dev/sdb (Acme Stick, 64 GB)".
    pub described: String,
    /// `bakeoff probe /dev/sdb`.
    pub command: String,
    /// What tells it from others also after it was unplugged.
    pub known_by: String,
    pub size_bytes: u64,
    pub place: Place,
    path: PathBuf,
}

impl ExamSubject {
    /// # Errors
    /// It is not there, is no drive and no image, or has nothing in it.
    pub fn look(path: &Path) -> Result<ExamSubject, Fault> {
        let shown = RawPath::new(path);
        let unusable = |e: std::io::Error| Fault::environment(format!("cannot use {shown}: {e}"));
        let system = host::system().map_err(unusable)?;
        let metadata = devices::metadata_of(path)?;
        let real = std::fs::canonicalize(path).map_err(unusable)?;
        let (place, size, known_by) = match host::dev_of(&metadata) {
            Some(dev) => {
                let place = target::place_of(&real, dev, &system)?;
                let identity = host::identity_of(dev).unwrap_or_default();
                // Without a serial number only this attachment is known to be the same drive.
                let known_by = match (identity.serial, identity.diskseq) {
                    (Some(serial), _) => serial,
                    (None, Some(number)) => {
                        format!("{number}-{}", host::boot_id().unwrap_or_default())
                    }
                    (None, None) => shown.to_string(),
                };
                let part = place.chain.first().map_or("", |layer| layer.name.as_str());
                let known_by = format!("{known_by}-{part}");
                (place.clone(), place.size_bytes, known_by)
            }
            None if metadata.is_file() => {
                let place = host::place(&real).map_err(Fault::environment)?;
                (place, metadata.len(), format!("{}-{}", metadata.dev(), metadata.ino()))
            }
            None => {
                return Err(Fault::usage(format!(
                    "{shown} is neither a drive nor an image. List the drives with `bakeoff \
                     devices`; measure a directory with `bakeoff quick`"
                )));
            }
        };
        let size_bytes = size / GRANULE_BYTES * GRANULE_BYTES;
        if size_bytes == 0 {
            return Err(Fault::environment(format!("{shown} is empty: there is nothing to read")));
        }
        let about = match host::dev_of(&metadata) {
            Some(_) => model(&place),
            None => "an image".to_string(),
        };
        Ok(ExamSubject {
            described: format!("{shown} ({about}, {})", units::size_decimal(size)),
            command: format!("bakeoff probe {}", quoted(&shown.to_string())),
            known_by,
            size_bytes,
            place,
            path: real,
        })
    }

    /// # Errors
    /// Without the permission to read it.
    pub fn open(&self) -> Result<ReadPlace, Fault> {
        ReadPlace::open(&self.path).map_err(|error| {
            let advice = denied_advice(&error);
            Fault::environment(format!("cannot read {}: {error}{advice}", RawPath::new(&self.path)))
        })
    }
}

fn model(place: &Place) -> String {
    let disk = place.disks().next();
    let named = disk.map(|disk| phrases::product(disk.vendor.as_deref(), disk.model.as_deref()));
    match named.filter(|name| !name.trim().is_empty()) {
        Some(name) => printable(name.as_bytes()),
        None => "a drive of unknown model".to_string(),
    }
}
