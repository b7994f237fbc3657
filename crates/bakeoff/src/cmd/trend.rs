//! `bakeoff runs trend`: the history of one drive over the stored runs.

use std::collections::BTreeSet;
use std::path::Path;

use bakeoff_judge::history::facts::{Facts, drive_name};
use bakeoff_judge::history::filter::{self, Filter};
use bakeoff_judge::history::pasted::beside;
use bakeoff_judge::history::trend::{Past, Trend as Found, trend};
use bakeoff_model::host::{Layer, LayerKind};
use bakeoff_model::path::{printable, sanitize};
use bakeoff_report as report;

use super::{answer, pasted, stored};
use crate::cli::history::TrendArgs;
use crate::cli::{Format, Global};
use crate::fault::{Fault, Outcome};
use crate::host;
use crate::store::{Records, Summary, folded};
use crate::ui::{out, say};

/// Most runs of a history, the latest: each is read in full once.
const MOST: usize = 1_000;
const NAMED: usize = 10;

pub fn run(global: &Global, args: &TrendArgs) -> Result<Outcome, Fault> {
    let format = stored::format(global, "runs trend")?;
    let found = of_drive(global, args)?;
    let mut pasted_runs = Vec::new();
    for file in &args.with {
        pasted_runs.extend(pasted::of_file(file)?);
    }
    let pasted = beside(&found, &pasted_runs);
    if pasted.is_empty() && !pasted_runs.is_empty() {
        say::line(format_args!("bakeoff: no pasted run is on a drive of this model"));
    }
    let text = if format == Format::Json {
        report::trend_json(&found, &pasted)
    } else if format == Format::Csv {
        report::trend_csv(&found)
    } else {
        answer::laid_out(&report::trend_document(&found, &pasted), format)
    };
    out::print(global.format, &text)?;
    Ok(Outcome::Done)
}

pub fn of_drive(global: &Global, args: &TrendArgs) -> Result<Found, Fault> {
    let wanted = wanted(&args.drive)?;
    let since_unix_ns = args.since.map(|since| since.unix_ns(host::unix_ns()));
    let filter = Filter { drive: Some(wanted.clone()), since_unix_ns, ..Filter::default() };
    let (drives, mut past) = match stored::open(global)? {
        Some(store) => gather(global, &*store, &filter)?,
        None => (BTreeSet::new(), Vec::new()),
    };
    let drive = only(&wanted, &drives)?;
    past.reverse();
    Ok(trend(&drive, past, args.across))
}

fn wanted(text: &str) -> Result<String, Fault> {
    if text.is_empty() {
        return Err(Fault::usage(
            "no drive given. Specify part of its vendor, model or serial \
                                 number",
        ));
    }
    if !text.starts_with('/') {
        return Ok(text.to_string());
    }
    let shown = || printable(text.as_bytes());
    let failed = |error: std::io::Error| {
        Fault::usage(format!("cannot inspect {}: {error}. Specify the drive instead", shown()))
    };
    let path = Path::new(text);
    let found = std::fs::metadata(path).map_err(failed)?;
    let chain: Vec<Layer> = match host::dev_of(&found) {
        Some(dev) => {
            let system = host::system().map_err(Fault::environment)?;
            system.chain(&[dev]).into_iter().map(|device| device.layer.clone()).collect()
        }
        None => host::place(path).map_err(Fault::environment)?.chain,
    };
    let disk = chain.iter().find(|layer| layer.kind == LayerKind::Disk);
    disk.map(drive_name).ok_or_else(|| {
        Fault::usage(format!(
            "cannot determine the drive of {}. Specify part of its model or serial number instead",
            shown()
        ))
    })
}

/// The drives of that name, and the runs on them that can be read, the latest first.
fn gather(
    global: &Global,
    store: &dyn Records,
    filter: &Filter,
) -> Result<(BTreeSet<String>, Vec<Past>), Fault> {
    let (mut drives, mut past) = (BTreeSet::new(), Vec::new());
    let part = filter.drive.as_deref().unwrap_or_default();
    for Summary { run: id, label, .. } in store.search(filter)? {
        let run = match folded::read(store, &id) {
            Ok(run) => run,
            Err(fault) => {
                say::note(global.quiet, format_args!("bakeoff: {fault}"));
                continue;
            }
        };
        let facts = Facts::from_header(&run.header);
        if !filter.admits(&facts) {
            continue;
        }
        if past.len() == MOST {
            let text =
                format!("only the latest {MOST} runs are shown. To choose others, use --since");
            say::note(global.quiet, format_args!("bakeoff: {text}"));
            break;
        }
        drives.extend(facts.drives.into_iter().filter(|drive| filter::has(drive, part)));
        past.push(Past::from_run(run, label));
    }
    Ok((drives, past))
}

fn only(wanted: &str, drives: &BTreeSet<String>) -> Result<String, Fault> {
    let names: Vec<&String> = drives.iter().collect();
    match names.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(Fault::usage(format!(
            "no stored run has '{}' in the model or serial number of its drive. List the runs: \
             bakeoff runs",
            printable(wanted.as_bytes())
        ))),
        several => {
            // A name can be part of another one.
            if let Some(exact) = several.iter().find(|name| name.eq_ignore_ascii_case(wanted)) {
                return Ok((**exact).clone());
            }
            let shown: Vec<String> =
                several.iter().take(NAMED).map(|name| format!("'{}'", sanitize(name))).collect();
            let more = match several.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            Err(Fault::usage(format!(
                "'{}' matches {} drives: {}{more}. Specify one of them, for example by its serial \
                 number",
                printable(wanted.as_bytes()),
                several.len(),
                shown.join(", ")
            )))
        }
    }
}
