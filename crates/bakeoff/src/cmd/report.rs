//! `bakeoff report`: stored runs as one HTML page, as Markdown to paste, or one as a picture.

use std::io::Write;
use std::path::{Path, PathBuf};

use bakeoff_core::import::Finder;
use bakeoff_core::import::study::facts::Facts;
use bakeoff_core::model::path::RawPath;
use bakeoff_core::model::run::Run;
use bakeoff_core::model::verdict::Analysis;
use bakeoff_core::report;

use super::{redacted, stored};
use crate::assets;
use crate::card;
use crate::cli::{Format, Global, Report};
use crate::fault::{Fault, Outcome};

/// Most runs of one page: it carries every window of every cell.
const RUNS: usize = 32;

pub fn run(global: &Global, args: &Report) -> Result<Outcome, Fault> {
    if let Some(format) = global.format.filter(|format| *format != Format::Markdown) {
        return Err(stored::no_format(format, "report", "HTML, or markdown"));
    }
    if let Some(path) = &args.card {
        return card(global, args, path);
    }
    if args.runs.iter().any(|name| name.starts_with("study:")) {
        return study(global, args);
    }
    let runs = runs(global, args, RUNS)?;
    if global.format == Some(Format::Markdown) {
        let blocks: Vec<_> = runs.iter().map(|(run, a)| report::markdown(run, a)).collect();
        let text = blocks.join("\n\n---\n\n");
        stored::write_text(args.output.as_deref(), &format!("{}\n", text.trim_end()))?;
        return Ok(Outcome::Done);
    }
    let path = args.output.clone().unwrap_or_else(|| default_path(&runs));
    let html = report::html(&runs, &assets::report());
    write(&path, &html)
}

/// The runs of the page; without private values if it is for others.
fn runs(global: &Global, args: &Report, most: usize) -> Result<Vec<(Run, Analysis)>, Fault> {
    let runs = stored::analysed(global, &args.runs, most)?;
    match (args.redact, stored::open(global)?) {
        (true, Some(store)) => redacted::analysed(global, &*store, &runs),
        _ => Ok(runs),
    }
}

fn card(global: &Global, args: &Report, path: &Path) -> Result<Outcome, Fault> {
    let [name] = args.runs.as_slice() else {
        return Err(Fault::usage(
            "an image (--card) shows one run. For several runs: bakeoff report \
                                 RUN...",
        ));
    };
    if name.starts_with("study:") {
        return Err(Fault::usage(
            "cannot draw an image (--card) of a study. For its page: bakeoff \
                                 report study:NAME",
        ));
    }
    if let Some(format) = global.format {
        return Err(stored::no_format(
            format,
            "report --card",
            "a PNG, or an SVG if the name ends in .svg",
        ));
    }
    let runs = runs(global, args, 1)?;
    let [(run, analysis)] = runs.as_slice() else {
        return Err(Fault::usage(
            "an image (--card) shows one run. For several runs: bakeoff report \
                                 RUN...",
        ));
    };
    let picture = report::card(run, analysis);
    let is_svg = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("svg"));
    let bytes = match is_svg {
        true => picture.svg().into_bytes(),
        false => card::png(&picture).map_err(Fault::environment)?,
    };
    write_bytes(path, &bytes)
}

/// A published study as a page or a block: its own kind, since it has no blocks and no intervals.
fn study(global: &Global, args: &Report) -> Result<Outcome, Fault> {
    let [name] = args.runs.as_slice() else {
        return Err(Fault::usage(
            "a study has its own page. To show it next to a run: bakeoff compare RUN --with \
             study:NAME",
        ));
    };
    let study = stored::study(name)?;
    let facts = Facts::parse(study.facts).map_err(Fault::bug)?;
    let found = Finder::all(study.table().as_bytes()).judged(&facts);
    let source = format!("study:{}", study.name);
    let document = report::study_document(&source, &found, &facts);
    if global.format == Some(Format::Markdown) {
        let text = document.markdown();
        stored::write_text(args.output.as_deref(), &text)?;
        return Ok(Outcome::Done);
    }
    let title = "A published comparison, measured by others";
    let html = report::document_page(title, &document, &assets::report());
    let path =
        args.output.clone().unwrap_or_else(|| format!("bakeoff-study-{}.html", study.name).into());
    write(&path, &html)
}

fn write(path: &Path, html: &str) -> Result<Outcome, Fault> {
    write_bytes(path, html.as_bytes())
}

fn write_bytes(path: &Path, bytes: &[u8]) -> Result<Outcome, Fault> {
    stored::write(Some(path), |out| out.write_all(bytes))?;
    if path.as_os_str() != "-" {
        writeln!(std::io::stdout(), "{}", RawPath::new(path))?;
    }
    Ok(Outcome::Done)
}

fn default_path(runs: &[(Run, Analysis)]) -> PathBuf {
    // Ids are digits only: the fold is of a record whose id the store has checked.
    let first = runs.first().map_or("none", |(run, _)| run.header.run.as_str());
    match runs.len() {
        0 | 1 => PathBuf::from(format!("bakeoff-{first}.html")),
        n => PathBuf::from(format!("bakeoff-{first}-and-{}-more.html", n - 1)),
    }
}
