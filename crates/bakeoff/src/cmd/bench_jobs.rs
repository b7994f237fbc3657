//! The jobs of a `bench`: those of its command line, or the sections of a job file of fio.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use bakeoff_model::path::RawPath;
use bakeoff_tools::fio::jobfile::{FILE_LIMIT_BYTES, JobFile, Section};
use bakeoff_tools::fio::options::{self, Given};

use crate::cli::{Bench, Command, fio_words};
use crate::fault::Fault;

const JOB_FILES: [&str; 2] = ["fio", "job"];

pub fn from_args(args: &Bench) -> Result<(Vec<Bench>, Vec<String>), Fault> {
    let mut jobs = match job_file(args)? {
        Some(file) => sections(args, &file)?,
        None if !args.section.is_empty() => {
            return Err(Fault::usage("--section needs a job file: bakeoff bench job.fio"));
        }
        None => {
            let mut first = args.clone();
            let also = std::mem::take(&mut first.also);
            [vec![first], also].concat()
        }
    };
    let mut notes = Vec::new();
    for job in &mut jobs {
        let name = job.typed.name.clone();
        let of = name.map_or(String::new(), |name| format!("{}: ", RawPath::new(name)));
        notes.extend(job.typed.notes.drain(..).map(|note| format!("{of}{note}.")));
    }
    Ok((jobs, notes))
}

/// Jobs that run at the same time, as in fio: `stonewall` begins the next group.
pub fn groups(jobs: &[(Bench, Place)]) -> impl Iterator<Item = &[(Bench, Place)]> {
    jobs.chunk_by(|_, (next, _)| !next.typed.waits)
}

/// The job file that PATH is: by its name, or by what it contains. A file of a few lines is nothing
/// to measure.
fn job_file(args: &Bench) -> Result<Option<JobFile>, Fault> {
    let Some(path) = args.path.as_deref().filter(|_| !args.overwrite) else { return Ok(None) };
    let Ok(found) = std::fs::metadata(path) else { return Ok(None) };
    let is_named =
        path.extension().is_some_and(|suffix| JOB_FILES.iter().any(|known| suffix == *known));
    if !found.is_file() || (found.len() > FILE_LIMIT_BYTES as u64 && !is_named) {
        return Ok(None);
    }
    let shown = RawPath::new(path);
    let parsed = match std::fs::read(path) {
        // Who opens it to measure it says what to do.
        Err(_) if !is_named => return Ok(None),
        Err(error) => return Err(Fault::environment(format!("cannot read {shown}: {error}"))),
        Ok(bytes) => {
            let text = String::from_utf8(bytes).ok();
            text.map(|text| JobFile::parse(&text))
        }
    };
    match parsed {
        Some(Ok(file)) => Ok(Some(file)),
        _ if !is_named => Ok(None),
        Some(Err(error)) => {
            Err(Fault::usage(format!("{shown} cannot be used as a fio job file: {error}")))
        }
        None => {
            Err(Fault::usage(format!("{shown} cannot be used as a fio job file: it is not text")))
        }
    }
}

fn sections(args: &Bench, file: &JobFile) -> Result<Vec<Bench>, Fault> {
    let shown = RawPath::new(args.path.as_deref().unwrap_or(Path::new("")));
    let is_wanted =
        |section: &Section| args.section.is_empty() || args.section.contains(&section.name);
    let names: Vec<String> = file.jobs().map(|section| section.name).collect();
    if let Some(missing) = args.section.iter().find(|name| !names.contains(name)) {
        return Err(Fault::usage(format!(
            "{shown} has no section {}. It has: {}",
            RawPath::new(missing),
            RawPath::new(names.join(", "))
        )));
    }
    let before: Vec<Given> = args.typed.given.clone();
    let jobs = file.jobs().filter(is_wanted);
    jobs.map(|section| {
        let asked = options::of_section(&section, &before, &|name| std::env::var(name).ok())
            .map_err(|error| Fault::usage(format!("{shown}: {error}")))?;
        let made = fio_words::job(&["bakeoff", "bench"].map(OsString::from), asked);
        let of_section = |error: clap::Error| {
            let said = error.to_string();
            let said = said.lines().next().unwrap_or_default().trim_start_matches("error: ");
            Fault::usage(format!("{shown}, section [{}]: {said}", RawPath::new(&section.name)))
        };
        let Some(Command::Bench(job)) = made.map_err(of_section)?.command else {
            return Err(Fault::bug("a section is not a bench"));
        };
        Ok(with_consent(*job, args))
    })
    .collect()
}

fn with_consent(job: Bench, args: &Bench) -> Bench {
    Bench { erase: args.erase.clone(), overwrite: args.overwrite, readonly: args.readonly, ..job }
}

pub struct Place {
    pub path: PathBuf,
    pub file: Option<String>,
    pub note: Option<String>,
}

/// Finds what a job measures, by PATH or as fio does by its filename and directory.
pub fn place(args: &Bench) -> Result<Place, Fault> {
    if args.path.is_some() && (args.filename.is_some() || args.directory.is_some()) {
        return Err(Fault::usage(
            "PATH and --filename or --directory name two things to measure. Specify one of them",
        ));
    }
    let directory = args.directory.clone().unwrap_or_else(|| PathBuf::from("."));
    let is_fio = args.directory.is_some() || args.typed.name.is_some();
    let Some(named) = &args.filename else {
        if args.path.is_none() && !is_fio {
            return Err(Fault::usage(
                "specify a directory, a file or a block device to measure. For a scratch file \
                 here: bakeoff bench .",
            ));
        }
        let path = args.path.clone().unwrap_or(directory);
        return Ok(Place { path, file: None, note: None });
    };
    let path = directory.join(named);
    if path.exists() {
        return Ok(Place { path, file: None, note: None });
    }
    let text = path.to_string_lossy();
    let plain = PathBuf::from(text.replace("\\:", ":"));
    if plain.exists() {
        return Ok(Place { path: plain, file: None, note: None });
    }
    let shown = RawPath::new(named);
    if text.replace("\\:", "").contains(':') {
        return Err(Fault::usage(format!(
            "--filename={shown} names several files, but bench measures one. Specify one of them"
        )));
    }
    let parent = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new(".")).to_path_buf();
    if parent.starts_with("/dev") {
        return Err(Fault::usage(format!(
            "{shown} does not exist. Check the path, or list the \
                                         drives with `bakeoff devices`"
        )));
    }
    let note = format!(
        "{shown} does not exist. bakeoff measures a scratch file in {} and removes it.",
        RawPath::new(&parent)
    );
    let file = plain.file_name().map(|name| RawPath::new(name).to_string());
    Ok(Place { path: parent, file, note: Some(note) })
}
