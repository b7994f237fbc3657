//! A stored run as one HTML page, as Markdown to paste, or as a picture.

use std::path::Path;

use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;
use bakeoff_report as report;

use super::{analysed_for, answered_for};
use crate::assets;
use crate::card;
use crate::cli::{Global, Show};
use crate::cmd::redacted::Exported;
use crate::cmd::{redacted, stored};
use crate::fault::Fault;
use crate::store::folded;

pub fn write(
    global: &Global,
    args: &Show,
    path: Option<&Path>,
    is_html: bool,
) -> Result<(), Fault> {
    let (run, analysis) = analysed(global, args)?;
    let text = match is_html {
        true => report::html(&run, &analysis, &assets::report()),
        false => format!("{}\n", report::markdown(&run, &analysis).trim_end()),
    };
    stored::write_text(path, &text)
}

fn analysed(global: &Global, args: &Show) -> Result<(Run, Analysis), Fault> {
    let (store, id) = stored::find(global, &args.run)?;
    let mut run = folded::read(&*store, &id)?;
    stored::say_state(store.state(&id, run.stopped.is_some())?, &*store, &id)?;
    if args.redact {
        let (exported, replaced) = redacted::redact(Exported::read(&*store, &id)?)?;
        redacted::show_few(global, &replaced, "");
        run = exported.run()?;
    }
    let run = answered_for(run, args);
    let analysis = analysed_for(&run, args);
    Ok((run, analysis))
}

pub fn card(global: &Global, args: &Show, path: Option<&Path>, is_svg: bool) -> Result<(), Fault> {
    let (run, analysis) = analysed(global, args)?;
    let picture = report::card(&run, &analysis);
    let bytes = match is_svg {
        true => picture.svg().into_bytes(),
        false => card::png(&picture).map_err(Fault::environment)?,
    };
    stored::write(path, |out| out.write_all(&bytes))
}
