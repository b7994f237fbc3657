//! A drive, partition or image file that a run is given: what it is, whether it may be written, the
//! token that consents to it, and taking it.
//!
//! Looking changes nothing, so `plan` looks too. The decisions are in `core::prepare`.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bakeoff_machine::guard::image;
use bakeoff_machine::guard::{self, GuardVerdict, RefusalReason, Why};
use bakeoff_machine::prepare::commands::quoted;
use bakeoff_machine::prepare::contents::Contents;
use bakeoff_machine::prepare::device::{BlockDevice, System};
use bakeoff_machine::prepare::region::TargetSize;
use bakeoff_machine::prepare::{space, token};
use bakeoff_machine::sysinfo::dev::Dev;
use bakeoff_model::host::{Layer, LayerKind, Place, PlaceClass};
use bakeoff_model::path::{RawPath, printable};
use bakeoff_model::step::Inode;
use bakeoff_report as report;

use super::locked_target::LockedTarget;
use crate::fault::Fault;
use crate::host;

const LOOKS_AGAIN: u32 = 5;
const LOOK_AGAIN: Duration = Duration::from_millis(200);

#[derive(Clone, Debug)]
pub struct Target {
    pub path: RawPath,
    /// Short, for names of candidates: `sda`, `disk.img`.
    pub name: String,
    pub is_image: bool,
    pub room: TargetSize,
    pub sector_bytes: Option<u32>,
    pub place: Place,
    pub token: String,
    pub token_name: String,
    pub diskseq: Option<u64>,
    pub file: Option<Inode>,
    pub contents: Contents,
    /// The whole drive, for locks and settings; the file itself for an image.
    pub disk: PathBuf,
    pub kernel_names: Vec<String>,
    dev: Option<Dev>,
}

/// Looks at a target. `shares_disk_with_root` is the consent to use an unmounted partition of the
/// drive the system runs from.
///
/// # Errors
/// Refused when anything uses it; what is neither a block device nor a file is refused too.
pub fn look(path: &Path, shares_disk_with_root: bool) -> Result<Target, Fault> {
    let shown = RawPath::new(path);
    let unusable = |e: std::io::Error| Fault::environment(format!("cannot use {shown}: {e}"));
    let real = std::fs::canonicalize(path).map_err(|error| {
        Fault::environment(format!(
            "cannot use {shown}: {error}. List the drives with `bakeoff devices`"
        ))
    })?;
    let metadata = std::fs::metadata(&real).map_err(unusable)?;
    let kind = metadata.file_type();
    if let Some(dev) = host::dev_of(&metadata) {
        // First, so that what is attached while the contents are read is not taken for what was.
        let diskseq = host::identity_of(dev).and_then(|identity| identity.diskseq);
        let mut system = settled(dev, shares_disk_with_root).map_err(unusable)?;
        // What is in use is refused whether its contents can be read or not.
        free_device(&shown, dev, &system, shares_disk_with_root)?;
        host::look_into(&mut system, dev, &real).map_err(Fault::environment)?;
        let target = device(&shown, real, dev, &system, shares_disk_with_root)?;
        Ok(Target { diskseq, ..target })
    } else if kind.is_file() {
        let system = host::system().map_err(unusable)?;
        image_file(&shown, real, &metadata, &system)
    } else {
        Err(Fault::refused(format!(
            "{shown} is neither a block device nor an image file. List the drives with `bakeoff \
             devices`, or create an image to try it on: truncate -s 2G disk.img"
        )))
    }
}

/// The block devices, once those that only look in (udev, blkid, losetup) have closed this one
/// again: a drive is open for a moment whenever another program lists the drives.
fn settled(dev: Dev, shares_disk_with_root: bool) -> std::io::Result<System> {
    for _ in 0..LOOKS_AGAIN {
        let system = host::system()?;
        let is_only_open = match guard::verdict(dev, &system, shares_disk_with_root) {
            GuardVerdict::Safe => false,
            GuardVerdict::No(reasons) => reasons.iter().all(|reason| reason.why == Why::Open),
        };
        if !is_only_open {
            return Ok(system);
        }
        std::thread::sleep(LOOK_AGAIN);
    }
    host::system()
}

/// Looks for the target that its token names so: where it was, or wherever it is now. A drive
/// that was
/// unplugged may come back under another name.
pub fn find(path: &RawPath, name: &str, shares_disk_with_root: bool) -> Result<Target, Fault> {
    let there = look(path.as_path(), shares_disk_with_root);
    if let Ok(target) = &there
        && target.token_name == name
    {
        return there;
    }
    let system = host::system()
        .map_err(|e| Fault::environment(format!("cannot read the mount table: {e}")))?;
    let elsewhere = system
        .devices
        .iter()
        .filter(|d| matches!(d.layer.kind, LayerKind::Disk | LayerKind::Partition))
        .find(|d| token::name_of(d.dev, &system).is_ok_and(|found| found == name));
    match (elsewhere, there) {
        (Some(found), _) => {
            let node = Path::new("/dev").join(found.layer.name.replace('!', "/"));
            look(&node, shares_disk_with_root)
        }
        (None, Err(fault)) => Err(fault),
        (None, Ok(_)) => Err(Fault::refused(format!(
            "the drive at {path} has changed since the run began, and the original drive {} is not \
             attached. Attach the original drive, then resume the run",
            printable(name.as_bytes())
        ))),
    }
}

fn free_device<'s>(
    shown: &RawPath,
    dev: Dev,
    system: &'s System,
    shares_disk_with_root: bool,
) -> Result<&'s BlockDevice, Fault> {
    let Some(found) = system.device(dev) else {
        return Err(Fault::refused(format!(
            "Refusing to write to {shown}: it is not an available block device (nothing is \
             attached to it, its size is 0, or it belongs to another container). List the drives \
             with `bakeoff devices`"
        )));
    };
    // Some systems hide a process from root too (the first one, in sandboxes). What it has mounted
    // is then seen by the kernel, which refuses our O_EXCL (`LockedTarget`) whoever mounted it.
    if !system.saw_all && !rustix::process::geteuid().is_root() {
        return Err(needs_root());
    }
    if let GuardVerdict::No(reasons) = guard::verdict(dev, system, shares_disk_with_root) {
        return Err(refused(shown, &reasons));
    }
    Ok(found)
}

fn device(
    shown: &RawPath,
    real: PathBuf,
    dev: Dev,
    system: &System,
    shares_disk_with_root: bool,
) -> Result<Target, Fault> {
    let found = free_device(shown, dev, system, shares_disk_with_root)?;
    let token = token::of_device(dev, system).map_err(Fault::refused)?;
    let token_name = token::name_of(dev, system).map_err(Fault::refused)?;
    let place = place_of(&real, dev, system)?;
    let is_whole_disk = found.layer.kind != LayerKind::Partition;
    let disk_below = place.chain.get(1).filter(|_| !is_whole_disk);
    let whole = disk_below.map_or(&found.layer.name, |disk| &disk.name);
    let kernel_names = system.tree(dev).iter().map(|d| d.layer.name.clone()).collect();
    Ok(Target {
        path: RawPath::new(&real),
        name: found.layer.name.clone(),
        is_image: false,
        room: TargetSize {
            target_bytes: found.layer.size_bytes,
            granule_bytes: host::granule_bytes(whole),
            is_whole_disk,
        },
        sector_bytes: host::logical_block_bytes(whole),
        token,
        token_name,
        diskseq: None,
        file: None,
        contents: found.contents.clone().unwrap_or_default(),
        disk: Path::new("/dev").join(whole.replace('!', "/")),
        kernel_names,
        dev: Some(dev),
        place,
    })
}

fn device_of<'s>(shown: &RawPath, dev: Dev, system: &'s System) -> Result<&'s BlockDevice, Fault> {
    let found = system.device(dev);
    found.ok_or_else(|| {
        Fault::environment(format!(
            "{shown} is not an available block device: it is empty, detached, or belongs to \
             another container. List the drives with `bakeoff devices`"
        ))
    })
}

pub fn place_of(path: &Path, dev: Dev, system: &System) -> Result<Place, Fault> {
    let found = device_of(&RawPath::new(path), dev, system)?;
    Ok(Place {
        class: PlaceClass::Block,
        dev: dev.to_string(),
        size_bytes: found.layer.size_bytes,
        chain: system.chain(&[dev]).into_iter().map(|d| d.layer.clone()).collect(),
        ..Place::default()
    })
}

fn image_file(
    shown: &RawPath,
    real: PathBuf,
    metadata: &Metadata,
    system: &System,
) -> Result<Target, Fault> {
    let path = RawPath::new(&real);
    free_file(shown, &real, metadata, system)?;
    let contents = host::contents_of(&real).map_err(Fault::environment)?;
    let place = host::place(&real).map_err(Fault::environment)?;
    if !matches!(place.class, PlaceClass::Block) {
        return Err(Fault::environment(format!(
            "{shown} is on {}, so measuring it does not measure a drive. Move the image to a drive",
            place.fs
        )));
    }
    Ok(Target {
        name: image::name(&path),
        token: image::token(&path, &contents),
        token_name: image::name(&path),
        diskseq: None,
        file: Some(Inode { dev: metadata.dev(), ino: metadata.ino() }),
        contents,
        path,
        is_image: true,
        room: TargetSize { target_bytes: metadata.len(), granule_bytes: 0, is_whole_disk: false },
        sector_bytes: None,
        place,
        disk: real,
        kernel_names: Vec::new(),
        dev: None,
    })
}

fn free_file(
    shown: &RawPath,
    real: &Path,
    metadata: &Metadata,
    system: &System,
) -> Result<(), Fault> {
    let file = Inode { dev: metadata.dev(), ino: metadata.ino() };
    let facts = image::Image {
        path: RawPath::new(real),
        used_as: host::used_as(file, system),
        links: metadata.nlink(),
        loops: host::loops_of_file(file, system),
        users: host::users_of_file(file),
        is_read_only: metadata.permissions().readonly(),
    };
    let reasons = image::reasons(&facts, system);
    if reasons.is_empty() { Ok(()) } else { Err(refused(shown, &reasons)) }
}

/// Refuses a file that is to be overwritten and that anything uses; holds it otherwise. The same
/// guard as of an image, for a file whose contents may be lost.
///
/// # Errors
/// Refused with every reason that can be seen.
pub fn hold_file(path: &Path) -> Result<LockedTarget, Fault> {
    let shown = RawPath::new(path);
    let unusable = |e: std::io::Error| Fault::environment(format!("cannot use {shown}: {e}"));
    let metadata = std::fs::metadata(path).map_err(unusable)?;
    free_file(&shown, path, &metadata, &host::system().map_err(unusable)?)?;
    let held = LockedTarget::image(path, &metadata)?;
    // What was true before it was locked may not be now.
    free_file(&shown, path, &metadata, &host::system().map_err(unusable)?)?;
    Ok(held)
}

fn refused(shown: &RawPath, reasons: &[RefusalReason]) -> Fault {
    let why: Vec<String> = reasons.iter().map(RefusalReason::with_advice).collect();
    Fault::refused(format!("Refusing to write to {shown}: {}", why.join("; ")))
}

fn needs_root() -> Fault {
    Fault::environment(
        "Cannot inspect all processes, so cannot confirm that the drive is unused. Run as root \
         (sudo bakeoff …)",
    )
}

impl Target {
    /// Refuses paths of ours that lie on the target: the store, the binary, a report, the working
    /// directory. Paths that do not exist yet count by their directory.
    pub fn refuse_ours(&self, ours: &[(&str, &Path)]) -> Result<(), Fault> {
        let is_on_it = |path: &Path| {
            let mut at = path;
            loop {
                if self.is_image && host::is_same_file(at, self.path.as_path()) {
                    return true;
                }
                match (host::place(at), at.parent()) {
                    (Ok(place), _) => {
                        return place.chain.iter().any(|layer| layer.dev == self.place.dev)
                            && !self.is_image;
                    }
                    (Err(_), Some(parent)) if !parent.as_os_str().is_empty() => at = parent,
                    (Err(_), _) => return false,
                }
            }
        };
        match ours.iter().find(|(_, path)| is_on_it(path)) {
            None => Ok(()),
            Some((what, path)) => Err(Fault::refused(format!(
                "Refusing to erase the target: {what} ({}) is on {}. Move it to another drive",
                RawPath::new(path),
                self.path
            ))),
        }
    }

    pub fn is_consented(&self, tokens: &[String]) -> bool {
        tokens.iter().any(|typed| token::matches(typed, &self.token))
    }

    pub fn consent_words(&self) -> String {
        format!("--erase {}", quoted(&self.token))
    }

    pub fn contents_lines(&self) -> Vec<String> {
        let lines = report::contents::lines(&self.contents);
        if lines.is_empty() { vec!["it looks empty".to_string()] } else { lines }
    }

    /// Filesystems on it, or the one that an image is on.
    pub fn held(&self) -> Vec<String> {
        if self.is_image { vec![self.place.fs.clone()] } else { self.contents.filesystems() }
    }

    pub fn describe(&self) -> String {
        if self.is_image {
            self.path.to_string()
        } else {
            format!("{} ({})", self.path, self.about())
        }
    }

    /// What it is, for people: the model of a drive, the file of a loop device.
    pub fn about(&self) -> String {
        if self.is_image {
            return "an image".to_string();
        }
        let layer = self.place.chain.first();
        match layer.map(|layer| (layer.kind, &layer.backing_file)) {
            Some((LayerKind::Loop, Some(file))) => {
                format!("a loop device backed by the file {file}")
            }
            Some((LayerKind::Loop, None)) => "a loop device".to_string(),
            Some((LayerKind::Partition, _)) => format!("a partition of {}", self.model()),
            Some((LayerKind::Dm | LayerKind::Md, _)) => format!("a volume on {}", self.model()),
            Some((LayerKind::Disk | LayerKind::Ram, _)) | None => self.model(),
        }
    }

    /// Whether an offset on it says where on the drive a byte lies; in a file it says nothing.
    pub fn has_positions(&self) -> bool {
        let is_loop = |layer: &Layer| layer.kind == LayerKind::Loop;
        !self.is_image && !self.place.chain.iter().any(is_loop)
    }

    fn model(&self) -> String {
        let disk = self.place.disks().next();
        let model = disk.and_then(|d| d.model.as_deref()).map(str::trim).filter(|m| !m.is_empty());
        model.map_or("a drive of unknown model".to_string(), |model| printable(model.as_bytes()))
    }

    /// The drive it is or is a part of; `None` for what is made of a file or of several drives.
    pub fn drive(&self) -> Option<&Layer> {
        let is_drive =
            |layer: &&Layer| matches!(layer.kind, LayerKind::Disk | LayerKind::Partition);
        let is_part = self.place.chain.first().is_some_and(|first| is_drive(&first));
        self.place.disks().next().filter(|_| is_part && !self.is_image)
    }

    /// Bytes that may be written to it unless the user allows more.
    pub fn write_budget(&self) -> u64 {
        space::run_write_budget(&self.place)
    }

    pub fn is_rotational(&self) -> bool {
        !self.is_image && self.place.spins()
    }

    pub fn can_discard(&self) -> bool {
        let known = self.knob_disk().and_then(|disk| host::can_discard(&disk, !host::dm_runs()));
        known.unwrap_or(true)
    }

    /// Kernel name of the drive whose settings may be changed; an image has none before it is
    /// attached.
    pub fn knob_disk(&self) -> Option<String> {
        let name = self.disk.file_name().filter(|_| !self.is_image)?;
        Some(name.to_string_lossy().into_owned())
    }

    fn hold(&self) -> Result<LockedTarget, Fault> {
        let path = self.path.as_path();
        match self.dev {
            Some(dev) => LockedTarget::device(path, dev, &self.disk),
            None => {
                let metadata = std::fs::metadata(path)
                    .map_err(|e| Fault::environment(format!("cannot use {}: {e}", self.path)))?;
                LockedTarget::image(path, &metadata)
            }
        }
    }

    /// Takes it and looks once more: what was true before the question, or while it was waited for
    /// the lock, may not be now.
    ///
    /// # Errors
    /// Refused when anything uses it by now, or when it or what is on it is not what was seen.
    pub fn take(&self, shares_disk_with_root: bool) -> Result<LockedTarget, Fault> {
        let held = self.hold()?;
        let again = look(self.path.as_path(), shares_disk_with_root)?;
        if again.is_what_was_seen(self) {
            Ok(held)
        } else {
            Err(Fault::refused(format!(
                "The drive or its contents have changed since {} was checked. Nothing was written. \
                 Check it with `bakeoff devices`",
                self.path
            )))
        }
    }

    /// Whether it is the same attachment or file with the same contents. The token alone does not
    /// tell two drives without serial number apart, nor two images.
    fn is_what_was_seen(&self, before: &Target) -> bool {
        self.token == before.token
            && (self.dev, self.diskseq) == (before.dev, before.diskseq)
            && self.file == before.file
            && self.room == before.room
    }
}
