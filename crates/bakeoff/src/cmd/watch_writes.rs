//! `bakeoff watch --writes --for 24h [DEVICE]`: who writes how much to a drive, and how long it
//! lasts at that rate.

use std::path::Path;
use std::time::{Duration, Instant};

use bakeoff_machine::writers::{NAMES, Writers};
use bakeoff_model::host::Layer;
use bakeoff_report::writes::{self, DriveWrites};

use super::watch::{devices, sleep};
use crate::cli::{Format, Global, Watch};
use crate::fault::{Fault, Outcome};
use crate::host;
use crate::signals::Cancel;
use crate::store::kept_file::KeptFile;
use crate::ui::{out, say};

/// Between looks: what lived shorter counts for its parent.
const EVERY: Duration = Duration::from_secs(5);
/// Between writes of the file: a power cut costs as much. A page of 4 KiB is 1 MB a day.
const KEPT_EVERY: Duration = Duration::from_secs(300);

pub fn run(global: &Global, args: &Watch, format: Format) -> Result<Outcome, Fault> {
    if format == Format::Csv {
        return Err(Fault::usage("--writes has no CSV. Use --format text or json"));
    }
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let drive = drive(args.device.as_deref().unwrap_or(Path::new("/")))?;
    let identity = format!(
        "{} {} {}",
        drive.model.as_deref().unwrap_or(""),
        drive.serial.as_deref().unwrap_or(""),
        drive.size_bytes
    );
    let file = KeptFile::new(global.store.as_deref(), ("writes", &drive.name), &identity)?;
    let kept: Option<Writers> = file.load().filter(|kept: &Writers| kept.named.len() <= NAMES);
    let mut writers = kept.unwrap_or_else(|| Writers::new(&identity, host::unix_ns()));
    let keep = |writers: &Writers| Ok(file.save(writers)?);
    if !rustix::process::geteuid().is_root() && args.total != Some(0) {
        say::note(
            global.quiet,
            format_args!("Counting your own processes only. Run the command with sudo for all."),
        );
    }
    let ended = count(args.total, &drive, &mut writers, &keep, &cancel);
    let is_over = ended.is_ok() && args.total.is_some_and(|total| total > 0);
    if is_over {
        file.forget();
    }
    // Ctrl-C was for the counting; the answer may still ask the drive.
    let health = host::drive_health(&drive, &Cancel::default()).and_then(Result::ok);
    let of = DriveWrites {
        disk: drive.name,
        model: drive.model,
        serial: drive.serial,
        writers,
        health,
        sees_all: rustix::process::geteuid().is_root(),
    };
    let text = if format == Format::Json {
        format!("{:#}\n", writes::document(&of))
    } else {
        writes::text(&of)
    };
    out::print(Some(format), &text)?;
    ended
}

/// Counts until `total` has been watched, with what was watched before.
fn count(
    total: Option<u64>,
    drive: &Layer,
    writers: &mut Writers,
    keep: &dyn Fn(&Writers) -> Result<(), Fault>,
    cancel: &Cancel,
) -> Result<Outcome, Fault> {
    if total == Some(0) {
        return Ok(Outcome::Done);
    }
    let dev = drive.dev.parse().map_err(Fault::bug)?;
    let look = || host::writers(dev).map_err(Fault::environment);
    let (mut before, mut kept_at) = (look()?, Instant::now());
    keep(writers)?;
    loop {
        let left = total.map(|total| total.saturating_sub(writers.watched_ns));
        let wait = left.map_or(EVERY, |left| EVERY.min(Duration::from_nanos(left)));
        let went_on = sleep(Instant::now() + wait, cancel);
        let now = look()?;
        writers.add(&before, &now);
        before = now;
        let is_over = total.is_some_and(|total| writers.watched_ns >= total);
        if is_over || !went_on || kept_at.elapsed() >= KEPT_EVERY {
            keep(writers)?;
            kept_at = Instant::now();
        }
        if is_over {
            return Ok(Outcome::Done);
        }
        if !went_on {
            return Err(Fault::interrupted("Run the command again to continue counting"));
        }
    }
}

/// The one drive under a device or directory.
fn drive(asked: &Path) -> Result<Layer, Fault> {
    let system = host::system().map_err(|error| {
        Fault::environment(format!("cannot read the mount table: {error}. Mount /proc"))
    })?;
    let chain = system.chain(&devices(asked)?);
    // What nothing else lies under; a file system over several drives has several.
    let lowest: Vec<&Layer> =
        chain.iter().filter(|device| device.below.is_empty()).map(|device| &device.layer).collect();
    match lowest[..] {
        [one] => Ok(one.clone()),
        [] => Err(Fault::usage("no drive is known there. List the drives with `bakeoff devices`")),
        _ => Err(Fault::usage(format!(
            "this is on several drives: {}. Name one of them",
            lowest.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(", ")
        ))),
    }
}
