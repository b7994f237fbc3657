//! The words after `bench`, which may be fio's: read as fio reads them, before clap sees them.
//!
//! The rest of a command line is clap's alone. A suggestion after a slip never offers what
//! destroys.

use std::ffi::OsString;

use bakeoff_tools::fio::options::{Asked, split};
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::{Args, Command, formats};

/// Options and commands that destroy or allow it: nobody gets there by a slip.
const DESTRUCTIVE: [&str; 6] =
    ["--erase", "--overwrite", "--force", "--shares-disk-with-root", "--allow-erase", "rm"];
/// Global options whose value is a word of its own.
const WITH_VALUE: [&str; 3] = ["--store", "--format", "--seed"];

/// Reads a whole command line.
///
/// # Errors
/// clap's, or one that looks like it.
pub fn read(words: Vec<OsString>) -> Result<Args, clap::Error> {
    let read = match after_bench(&words) {
        Some((before, rest)) => read_bench(before, &rest),
        None => formats::parse(words),
    };
    read.map_err(without_destructive_hints)
}

/// The options of one job, in words of `bench`; those of the command line come first.
///
/// # Errors
/// clap's.
pub fn job(before: &[OsString], asked: Asked) -> Result<Args, clap::Error> {
    let words = before.iter().cloned().chain(asked.words.iter().map(OsString::from));
    let mut args = formats::parse(words)?;
    if let Some(Command::Bench(bench)) = &mut args.command {
        bench.typed = asked;
    }
    Ok(args)
}

/// The words up to `bench`, and those after it where all are text.
fn after_bench(words: &[OsString]) -> Option<(&[OsString], Vec<String>)> {
    let mut at = 1;
    while let Some(option) = words.get(at)?.to_str().filter(|word| word.starts_with("--")) {
        at += if WITH_VALUE.contains(&option) { 2 } else { 1 };
    }
    let (before, rest) = words.split_at_checked(at + 1)?;
    let is_bench = before.last().is_some_and(|word| word == "bench");
    let rest: Option<Vec<String>> =
        rest.iter().map(|word| word.to_str().map(str::to_string)).collect();
    rest.filter(|_| is_bench).map(|rest| (before, rest))
}

fn read_bench(before: &[OsString], rest: &[String]) -> Result<Args, clap::Error> {
    let line = split::line(rest)
        .map_err(|why| clap::Error::raw(ErrorKind::ValueValidation, format!("{why}\n")))?;
    let own: Vec<OsString> =
        before.iter().cloned().chain(line.own.iter().map(OsString::from)).collect();
    // Behind `--` there are no options.
    let (before, paths) = match own.iter().position(|word| word == "--") {
        Some(at) => own.split_at(at),
        None => (own.as_slice(), [].as_slice()),
    };
    let mut all = Vec::new();
    for mut asked in line.jobs {
        asked.words.extend(paths.iter().filter_map(|word| word.to_str().map(str::to_string)));
        all.push(job(before, asked)?);
    }
    let mut all = all.into_iter();
    let also = |args: Args| {
        let Some(Command::Bench(bench)) = args.command else { return None };
        Some(*bench)
    };
    let mut first = all.next().ok_or_else(|| clap::Error::new(ErrorKind::MissingSubcommand))?;
    if let Some(Command::Bench(bench)) = &mut first.command {
        bench.also = all.filter_map(also).collect();
    }
    Ok(first)
}

/// The same error without a suggestion that destroys.
fn without_destructive_hints(mut error: clap::Error) -> clap::Error {
    let is_destructive = |value: &ContextValue| {
        let offers = |text: &String| DESTRUCTIVE.contains(&text.as_str());
        match value {
            ContextValue::String(text) => offers(text),
            ContextValue::Strings(all) => all.iter().any(offers),
            _ => false,
        }
    };
    for kind in [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand] {
        if error.get(kind).is_some_and(is_destructive) {
            error.remove(kind);
            // Where it stands in a sentence or in the usage.
            error.remove(ContextKind::Suggested);
            error.remove(ContextKind::Usage);
        }
    }
    error
}

#[cfg(test)]
mod tests {
    use super::super::Bench;
    use super::*;

    fn bench(text: &str) -> Bench {
        let words = std::iter::once("bakeoff").chain(text.split_whitespace());
        let args = read(words.map(OsString::from).collect()).unwrap_or_else(|e| panic!("{e}"));
        match args.command {
            Some(Command::Bench(bench)) => *bench,
            other => panic!("{other:?}"),
        }
    }

    fn error(text: &str) -> String {
        let words = std::iter::once("bakeoff").chain(text.split_whitespace());
        read(words.map(OsString::from).collect()).expect_err(text).to_string()
    }

    #[test]
    fn the_words_of_fio_reach_the_job() {
        let job = bench("--store s bench -filename=x -rw=rw -bs=4k,64k --thread -size=10% -name=a");
        assert_eq!(job.rw.name(), "readwrite");
        assert_eq!((job.bs.read, job.bs.write), (4096, 65536));
        assert_eq!(job.filename.as_deref(), Some(std::path::Path::new("x")));
        assert_eq!(job.typed.name.as_deref(), Some("a"));
        let two = bench("bench . --name=a --rw=read --name=b --stonewall --direct");
        assert!(!two.direct && two.also.len() == 1 && two.also[0].direct);
        assert_eq!(two.also[0].path, two.path);
        let behind = bench("bench --rw=read -- --odd");
        assert_eq!(behind.path.as_deref(), Some(std::path::Path::new("--odd")));
    }

    #[test]
    fn a_slip_is_never_answered_with_what_destroys() {
        for slip in [
            "bench f --overwite",
            "bench f --overwrit",
            "bench f --eraze T",
            "bench f --erse=T",
            "run p --eras T",
            "run p --shares-disk-with-rot",
            "clean --forc x",
            "rmm last",
        ] {
            let said = error(slip);
            assert!(!said.contains("tip:"), "{slip}: {said}");
            for word in DESTRUCTIVE.iter().filter(|word| word.starts_with("--")) {
                assert!(!said.contains(*word), "{slip}: {said}");
            }
        }
        assert!(error("bench f --rwmixred=3").contains("--rwmixread"));
        assert!(error("quik").contains("quick"));
    }

    #[test]
    fn what_bench_refuses_is_a_wrong_command_line() {
        assert!(error("bench . --rw=trim").contains("flash_state"));
        assert!(error("bench . --iodepth=x").contains("iodepth"));
    }
}
