//! `bakeoff agree [DIR]`: real tools against bakeoff's own engine, in turns in the same place.

mod pair;
mod turns;

use std::path::PathBuf;
use std::time::Instant;

use bakeoff_core::agree::{Agreement, Row, Table};
use bakeoff_core::model::host::Place;
use bakeoff_core::model::path::RawPath;
use bakeoff_core::report::agree;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::bench_scratch::with_files;
use super::{answer, stored};
use crate::cli::{Agree, Format, Global};
use crate::fault::{Fault, Outcome};
use crate::host;
use crate::planning::directories;
use crate::signals::Cancel;
use crate::ui::out;
use turns::Turns;

pub fn run(global: &Global, args: &Agree) -> Result<Outcome, Fault> {
    let format = stored::format(global, "agree")?;
    let began = Instant::now();
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let shown = args.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    directories::check_writable(&shown, &RawPath::new(&shown))?;
    let dir = std::fs::canonicalize(&shown).map_err(Fault::environment)?;
    let place = host::place(&dir).map_err(Fault::environment)?;
    let cpu = stay_on_one_cpu();
    let (table, file_bytes) = with_files(global, &dir, |files| {
        let scratch = files.directory(&dir)?;
        let mut turns = Turns::new(global, &scratch, &cancel);
        let size = turns.lay_out(&place, args.size)?;
        turns.all(size, args, began)?;
        Ok((turns.into_table(), size))
    })?;
    let took_ns = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    print(format, &table, &place, (file_bytes, took_ns), cpu)?;
    if table.rows.is_empty() {
        return Err(Fault::environment("cannot compare any tool (see the reasons above)"));
    }
    let any = |agreement| table.rows.iter().any(|row: &Row| row.agreement == agreement);
    let is_told = any(Agreement::Agrees) && !any(Agreement::Differs);
    Ok(if is_told { Outcome::Done } else { Outcome::Open })
}

/// Keeps this process, and with it every tool and engine it starts, on one CPU; which, where the
/// kernel allows it. A drive with one queue interrupts one CPU, and whoever waits on another pays
/// for being woken from there: where the scheduler put a process would be part of its figure.
fn stay_on_one_cpu() -> Option<usize> {
    let allowed = sched_getaffinity(None).ok()?;
    // The first one is where everything else's interrupts usually are.
    let cpu = (0..CpuSet::MAX_CPU).rev().find(|cpu| allowed.is_set(*cpu))?;
    let mut only = CpuSet::new();
    only.set(cpu);
    sched_setaffinity(None, &only).ok().map(|()| cpu)
}

fn print(
    format: Format,
    table: &Table,
    place: &Place,
    (file_bytes, took_ns): (u64, u64),
    cpu: Option<usize>,
) -> Result<(), Fault> {
    let host = host::fingerprint();
    let date = jiff::Zoned::now().date().to_string();
    let disk = place.disks().find_map(|disk| disk.model.clone()).unwrap_or_default();
    let setting = agree::Setting {
        host: &host,
        cpu,
        fs: &place.fs,
        disk: &disk,
        date: &date,
        version: env!("CARGO_PKG_VERSION"),
        file_bytes,
        took_ns,
    };
    let text = if format == Format::Json {
        agree::json(table, &setting)
    } else if format == Format::Markdown {
        agree::markdown(table, &setting)
    } else {
        answer::laid_out(&agree::document(table, &setting), format)
    };
    Ok(out::print(Some(format), &text)?)
}
