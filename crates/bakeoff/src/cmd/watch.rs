//! `bakeoff watch [DEVICE]`: what the drives and the machine do, live, in the figures of iostat.

use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant};

use bakeoff_machine::sysinfo::dev::Dev;
use bakeoff_machine::watch::Frame;
use bakeoff_model::path::RawPath;
use bakeoff_report::watch;

use super::stored;
use crate::cli::{Format, Global, Watch};
use crate::fault::{Fault, Outcome, denied_advice, is_missing};
use crate::host::{self, LiveDevices, LiveHost};
use crate::signals::Cancel;
use crate::ui::out;
use crate::ui::screen::Screen;

const TICK: Duration = Duration::from_millis(50);
/// The shortest interval: counters of CPUs have ticks of 10 ms.
const SHORTEST_NS: u64 = 100_000_000;

pub fn run(global: &Global, args: &Watch) -> Result<Outcome, Fault> {
    let format = stored::format(global, "watch")?;
    if args.writes {
        return super::watch_writes::run(global, args, format);
    }
    if args.interval < SHORTEST_NS {
        return Err(Fault::usage("--interval is too short. Use at least 100ms"));
    }
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let which = match &args.device {
        None => LiveDevices::Disks,
        Some(device) => LiveDevices::These(devices(device)?),
    };
    let mut live = LiveHost::open(which).map_err(Fault::environment)?;
    let began = Instant::now();
    let is_drawn = format == Format::Text && std::io::stdout().is_terminal();
    let mut screen = is_drawn.then(Screen::open).transpose()?;
    if format == Format::Csv {
        write(format, &watch::csv_header())?;
    }
    let interval = Duration::from_nanos(args.interval);
    let end = args.time.map(|ns| began + Duration::from_nanos(ns));
    let mut due = began + interval;
    let mut last = None;
    let ended = loop {
        let until = end.map_or(due, |end| end.min(due));
        if !sleep(until, &cancel) {
            break Err(Fault::interrupted(""));
        }
        let frame = match live.frame() {
            Ok(frame) => frame,
            Err(gone) => break Err(Fault::environment(gone)),
        };
        match &mut screen {
            Some(screen) => screen.draw(&watch::text(&frame, width(), screen.height()))?,
            None => write(format, &shown(&frame, format))?,
        }
        last = Some(frame);
        if end.is_some_and(|end| end <= Instant::now()) {
            break Ok(Outcome::Done);
        }
        // A late frame is not made up for by two in a row.
        due = (due + interval).max(Instant::now());
    };
    if let Some(screen) = screen {
        // What was last seen stays when the screen is given back.
        drop(screen);
        last.map_or(Ok(()), |frame| write(format, &watch::text(&frame, width(), usize::MAX)))?;
    }
    ended
}

fn shown(frame: &Frame, format: Format) -> String {
    if format == Format::Json {
        watch::json(frame)
    } else if format == Format::Csv {
        watch::csv(frame)
    } else {
        watch::text(frame, width(), usize::MAX) + "\n"
    }
}

fn width() -> usize {
    usize::from(out::width())
}

fn write(format: Format, text: &str) -> Result<(), Fault> {
    Ok(out::print(Some(format), text)?)
}

pub(super) fn sleep(until: Instant, cancel: &Cancel) -> bool {
    while !cancel.is_set() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return true;
        }
        std::thread::sleep(left.min(TICK));
    }
    false
}

/// A device by its path or kernel name; a directory by everything below it.
pub(super) fn devices(asked: &Path) -> Result<Vec<Dev>, Fault> {
    let shown = RawPath::new(asked);
    let is_name = asked.components().count() == 1 && !asked.exists();
    let path = if is_name { Path::new("/dev").join(asked) } else { asked.to_path_buf() };
    let metadata = std::fs::metadata(&path).map_err(|error| {
        if is_missing(&error) {
            Fault::usage(format!("{shown} does not exist. List the drives with `bakeoff devices`"))
        } else {
            Fault::environment(format!("cannot inspect {shown}: {error}{}", denied_advice(&error)))
        }
    })?;
    if let Some(dev) = host::dev_of(&metadata) {
        return Ok(vec![dev]);
    }
    let place = host::place(&path).map_err(Fault::environment)?;
    let devs: Vec<Dev> = place.chain.iter().filter_map(|layer| layer.dev.parse().ok()).collect();
    if devs.is_empty() {
        Err(Fault::usage(format!(
            "cannot determine the block device of {shown} ({}). List the drives with `bakeoff \
             devices`",
            place.fs
        )))
    } else {
        Ok(devs)
    }
}
