//! What became of each case, kept below `target` until the files of the release change: the table
//! needs every case, and one that failed can be repeated alone.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::case::{Case, Outcome};
use super::list::CASES;
use crate::tool;

const SUMS: &str = "SHA256SUMS";

/// The outcomes.
pub struct Outcomes {
    folder: PathBuf,
}

impl Outcomes {
    /// Those of these files; of others they are dropped.
    pub fn open(folder: &Path, files: &Path) -> Result<Outcomes> {
        let folder = folder.join("outcomes");
        let sums = std::fs::read(files.join(SUMS)).context("the files have no SHA256SUMS")?;
        if std::fs::read(folder.join(SUMS)).ok().as_ref() != Some(&sums) {
            tool::renew(&folder)?;
            std::fs::write(folder.join(SUMS), sums)?;
        }
        Ok(Outcomes { folder })
    }

    /// Keeps that of a case; `None` if it failed.
    pub fn note(&self, case: &Case, outcome: Option<&Outcome>) -> Result<()> {
        let path = self.folder.join(case.name);
        match outcome {
            Some(o) => std::fs::write(path, format!("{}\t{}\t{}", o.size_kb, o.took_s, o.ran))?,
            None if path.exists() => std::fs::remove_file(path)?,
            None => {}
        }
        Ok(())
    }

    /// All of them in order, and the names of the cases without one.
    pub fn all(&self) -> (Vec<(&'static Case, Outcome)>, Vec<&'static str>) {
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        for case in &CASES {
            match std::fs::read_to_string(self.folder.join(case.name)).ok().and_then(read) {
                Some(outcome) => found.push((case, outcome)),
                None => missing.push(case.name),
            }
        }
        (found, missing)
    }
}

fn read(text: String) -> Option<Outcome> {
    let mut parts = text.splitn(3, '\t');
    let mut number = || parts.next()?.parse().ok();
    let (size_kb, took_s) = (number()?, number()?);
    Some(Outcome { size_kb, took_s, ran: parts.next()?.to_owned(), said: String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_kept_until_the_files_change() {
        let folder = tempfile::tempdir().unwrap();
        let files = folder.path().join("files");
        std::fs::create_dir(&files).unwrap();
        std::fs::write(files.join(SUMS), "1").unwrap();
        let outcome = Outcome { size_kb: 7, ran: "`a`".into(), took_s: 3, said: String::new() };
        let outcomes = Outcomes::open(folder.path(), &files).unwrap();
        outcomes.note(&CASES[0], Some(&outcome)).unwrap();
        outcomes.note(&CASES[1], Some(&outcome)).unwrap();
        outcomes.note(&CASES[1], None).unwrap();
        let (found, missing) = Outcomes::open(folder.path(), &files).unwrap().all();
        assert_eq!((found.len(), missing.len()), (1, CASES.len() - 1));
        assert_eq!((found[0].1.size_kb, found[0].1.ran.as_str()), (7, "`a`"));
        std::fs::write(files.join(SUMS), "2").unwrap();
        assert!(Outcomes::open(folder.path(), &files).unwrap().all().0.is_empty());
    }
}
