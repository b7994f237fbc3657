//! A stored run for other programs, or whole for another machine. Private values are replaced
//! unless the user keeps them.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use bakeoff_model::path::{RawPath, printable, unsteered};
use bakeoff_model::run::Run;
use bakeoff_report as report;
use bakeoff_report::bundle::Sealer;

use crate::card::png;
use crate::cli::{Format, Global, Show};
use crate::cmd::redacted::Exported;
use crate::cmd::{redacted, stored};
use crate::exec::{ExecError, Spec};
use crate::fault::Fault;
use crate::files::{Entry, OtherUser};
use crate::signals::Cancel;
use crate::ui::say;

const DRAW_LIMIT: Duration = Duration::from_secs(60);

pub fn write(
    global: &Global,
    args: &Show,
    format: Format,
    output: Option<&Path>,
) -> Result<(), Fault> {
    let (store, id) = stored::find(global, &args.run)?;
    let mut exported = Exported::read(&*store, &id)?;
    if !args.no_redact {
        let replaced;
        (exported, replaced) = redacted::redact(exported)?;
        if !redacted::is_agreed(global, args, output.is_some(), &replaced) {
            return Err(Fault::interrupted("nothing was written"));
        }
    }
    write_as(&exported, args, format, output)
}

fn write_as(
    exported: &Exported,
    args: &Show,
    format: Format,
    output: Option<&Path>,
) -> Result<(), Fault> {
    let lines: Vec<_> = exported.lines.iter().map(|line| unsteered(line)).collect();
    match format {
        Format::Json => {
            let run = super::answered_for(exported.run()?, args);
            let text = report::json_text(&run, &super::analysed_for(&run, args));
            stored::write_text(output, &text)?;
        }
        Format::Csv => {
            let text = report::csv(&exported.run()?);
            stored::write_text(output, &text)?;
        }
        Format::FioJson => fio_json(&exported.run()?, output)?,
        Format::Gnuplot => gnuplot(&exported.run()?, output)?,
        Format::Jsonl => {
            stored::write(output, |out| lines.iter().try_for_each(|line| writeln!(out, "{line}")))?;
        }
        Format::Bundle => {
            // A run that does not fold would not import either: better said here than there.
            exported.run()?;
            let head = serde_json::to_string(&exported.head).map_err(Fault::bug)?;
            stored::write(output, |out| write_bundle(out, &unsteered(&head), &lines))?;
        }
        Format::Text | Format::Markdown | Format::Html | Format::Prometheus => {
            return Err(stored::no_format(format, "show -o", "the formats of files"));
        }
    }
    Ok(())
}

/// The directory that `-o` names: one that is there, or, with a `/` at its end, one that is made. A
/// name that could be either is a file's, and what that is and a directory would have is said.
fn directory<'a>(
    output: Option<&'a Path>,
    file_is: &str,
    directory_has: &str,
) -> Result<Option<&'a Path>, Fault> {
    let Some(path) = output.filter(|path| *path != Path::new("-")) else { return Ok(None) };
    let shown = RawPath::new(path);
    if stored::names_directory(path) {
        make_directory(path)?;
    }
    let is_directory = path.is_dir();
    if !is_directory && path.extension().is_none() {
        say::line(format_args!(
            "bakeoff: {shown} is {file_is}. To create a directory with {directory_has}: -o {shown}/"
        ));
    }
    Ok(Some(path).filter(|_| is_directory))
}

fn make_directory(path: &Path) -> Result<(), Fault> {
    let user = OtherUser::behind_sudo();
    let made = Entry::making(&path.join("file"), (0o777, user.as_ref()));
    made.map(drop).map_err(|error| stored::unwritten(path, error))
}

fn fio_json(run: &Run, output: Option<&Path>) -> Result<(), Fault> {
    let cases = report::fio_json::cases(run);
    let Some(directory) = directory(output, "one document with all cases", "one per case")? else {
        let jobs: Vec<_> = cases.iter().map(|case| &case.job).collect();
        let text = report::fio_json::document(run, &jobs);
        return stored::write_text(output, &text);
    };
    for case in &cases {
        let of_candidate = directory.join(file_name(&case.candidate));
        make_directory(&of_candidate)?;
        let file = of_candidate.join(file_name(&case.workload) + ".json");
        let text = report::fio_json::document(run, &[&case.job]);
        stored::write_text(Some(&file), &text)?;
    }
    Ok(())
}

/// A name without anything that a path could be made of. Two names may become one; then the
/// letters that were lost tell them apart.
fn file_name(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let kept: String = name.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    let kept = kept.trim_start_matches('.').to_string();
    if kept == name {
        return kept;
    }
    let lost: u32 = name.chars().filter(|c| !plain(*c)).map(u32::from).sum();
    format!("{kept}-{lost:x}")
}

fn gnuplot(run: &Run, output: Option<&Path>) -> Result<(), Fault> {
    let name = format!("bakeoff-{}", run.header.run);
    let picture = format!("{name}.png");
    let script = report::gnuplot(run, &picture);
    let Some(directory) = directory(output, "a script", "the image")? else {
        return stored::write_text(output, &script);
    };
    let file = format!("{name}.gp");
    stored::write_text(Some(&directory.join(&file)), &script)?;
    // Where nobody else has names: gnuplot opens what it reads and writes by name.
    let apart = tempfile::tempdir().map_err(Fault::environment)?;
    std::fs::write(apart.path().join(&file), &script).map_err(Fault::environment)?;
    let drawn = match Spec::tool(&["gnuplot", &file], DRAW_LIMIT) {
        Ok(spec) => spec.in_directory(apart.path()).run(&Cancel::default()),
        Err(ExecError::Missing { .. }) => {
            say::line(format_args!(
                "bakeoff: gnuplot is not installed (package gnuplot-nox), so no image was created. \
                 Create it with: gnuplot {file}"
            ));
            return Ok(());
        }
        Err(error) => return Err(Fault::environment(error)),
    };
    let drawn = drawn.map_err(Fault::environment)?;
    if !drawn.status.success() {
        let said = printable(drawn.stderr.trim_ascii());
        return Err(Fault::environment(format!("gnuplot: {}: {said}", drawn.how())));
    }
    let image = std::fs::read(apart.path().join(&picture)).map_err(Fault::environment)?;
    stored::write(Some(&directory.join(&picture)), |out| out.write_all(&png::signed(&image)))
}

fn write_bundle(out: &mut dyn Write, head: &str, lines: &[Cow<'_, str>]) -> std::io::Result<()> {
    let mut sealer = Sealer::default();
    for line in std::iter::once(head).chain(lines.iter().map(AsRef::as_ref)) {
        sealer.add(line.as_bytes());
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{}", sealer.seal())
}
