//! Stored runs as one HTML page, as Markdown to paste, or one as a picture.

use std::path::Path;

use bakeoff_judge::analyse::analyse;
use bakeoff_model::run::Run;

use super::answered_for;
use bakeoff_model::verdict::Analysis;
use bakeoff_report as report;

use crate::assets;
use crate::card;
use crate::cli::{Global, Show};
use crate::cmd::{redacted, stored};
use crate::fault::Fault;

/// Most runs of one page: it carries every window of every cell.
const RUNS: usize = 32;

/// Writes the page, or its blocks in Markdown.
pub fn write(
    global: &Global,
    args: &Show,
    path: Option<&Path>,
    is_html: bool,
) -> Result<(), Fault> {
    let runs = runs(global, args, RUNS)?;
    if is_html {
        return stored::write_text(path, &report::html(&runs, &assets::report()));
    }
    let blocks: Vec<_> = runs.iter().map(|(run, a)| report::markdown(run, a)).collect();
    stored::write_text(path, &format!("{}\n", blocks.join("\n\n---\n\n").trim_end()))
}

/// The runs of the page; without private values if it is for others.
fn runs(global: &Global, args: &Show, most: usize) -> Result<Vec<(Run, Analysis)>, Fault> {
    let runs = stored::analysed(global, &args.runs, most)?.into_iter();
    let runs: Vec<(Run, Analysis)> = runs
        .map(|(run, analysis)| match args.drive_use {
            None => (run, analysis),
            Some(_) => {
                let run = answered_for(run, args);
                let analysis = analyse(&run);
                (run, analysis)
            }
        })
        .collect();
    match (args.redact, stored::open(global)?) {
        (true, Some(store)) => redacted::analysed(global, &*store, &runs),
        _ => Ok(runs),
    }
}

/// One run as a picture.
pub fn card(global: &Global, args: &Show, path: Option<&Path>, is_svg: bool) -> Result<(), Fault> {
    let runs = runs(global, args, 1)?;
    let [(run, analysis)] = runs.as_slice() else {
        return Err(Fault::usage("an image shows one run. For several runs: -o FILE.html"));
    };
    let picture = report::card(run, analysis);
    let bytes = match is_svg {
        true => picture.svg().into_bytes(),
        false => card::png(&picture).map_err(Fault::environment)?,
    };
    stored::write(path, |out| out.write_all(&bytes))
}
