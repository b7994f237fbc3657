//! fio's job files: sections of `option=value` lines.
//!
//! A job file may name any file or device and run any program, so one is only run when every option
//! of it is known to do neither ([`JobFile::is_harmless`]). Source: fio 3.33, HOWTO, "Job file
//! format" and "Job file parameters".

use super::options::table;
use bakeoff_model::path::printable;

pub const FILE_LIMIT_BYTES: usize = 64 << 10;

/// A job file, in the order of its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobFile {
    pub sections: Vec<Section>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub name: String,
    /// Options with their line, counted from 1; a word alone stands for `1`.
    pub options: Vec<(String, String, u64)>,
    pub global: usize,
}

const ENGINES: &str = "\
    sync psync vsync pvsync pvsync2 libaio posixaio mmap io_uring filecreate filestat filedelete";

impl JobFile {
    /// Reads a job file. Comments (`#`, `;`) and blank lines are skipped.
    pub fn parse(text: &str) -> Result<JobFile, String> {
        if text.len() > FILE_LIMIT_BYTES {
            return Err(format!("the job file is over {} KiB", FILE_LIMIT_BYTES >> 10));
        }
        let mut file = JobFile::default();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split(['#', ';']).next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            if line.starts_with("include ") {
                return Err(format!(
                    "line {number} of the job file includes another file. Put its lines here"
                ));
            }
            let bad = || {
                let text = printable(line.as_bytes());
                format!(
                    "line {number} of the job file is neither [section] nor option=value: '{text}'"
                )
            };
            if let Some(name) = line.strip_prefix('[') {
                let name = name.strip_suffix(']').ok_or_else(bad)?.trim().to_string();
                file.sections.push(Section { name, options: Vec::new(), global: 0 });
                continue;
            }
            let section = file.sections.last_mut().ok_or_else(bad)?;
            let (name, value) = line.split_once('=').unwrap_or((line, "1"));
            let (name, value) = (name.trim(), value.trim());
            if name.is_empty() || name.contains(char::is_whitespace) {
                return Err(bad());
            }
            section.options.push((name.to_string(), value.to_string(), number));
        }
        if file.jobs().next().is_none() {
            return Err("the job file has no job: a [section] that is not global".to_string());
        }
        Ok(file)
    }

    /// The sections that are jobs, each with the global options before it first.
    pub fn jobs(&self) -> impl Iterator<Item = Section> {
        let is_global = |section: &&Section| section.name == "global";
        let jobs = self.sections.iter().enumerate().filter(move |(_, s)| !is_global(s));
        jobs.map(move |(at, job)| {
            let before = self.sections[..at].iter().filter(is_global);
            let mut options: Vec<_> = before.flat_map(|section| section.options.clone()).collect();
            let global = options.len();
            options.extend_from_slice(&job.options);
            Section { name: job.name.clone(), options, global }
        })
    }

    /// Whether every job goes past the page cache; of an option that comes twice the last counts.
    pub fn is_direct(&self) -> bool {
        self.jobs().all(|job| {
            let direct = job.options.iter().rev().find(|(name, ..)| name == "direct");
            direct.is_some_and(|(_, value, _)| value == "1")
        })
    }

    /// Whether running it in a directory of ours stays there; else what does not.
    pub fn is_harmless(&self) -> Result<(), String> {
        let reaches = |line: u64, option: String| {
            let option = printable(option.as_bytes());
            format!(
                "line {line}: bakeoff does not run job files with {option}, which may access \
                 files outside the measured directory or run other programs; remove it, or run \
                 fio yourself and read its output with `bakeoff show FILE`"
            )
        };
        for (name, value, line) in self.sections.iter().flat_map(|section| &section.options) {
            let is_known = match name.as_str() {
                "ioengine" => ENGINES.split_whitespace().any(|known| known == value),
                // Of these only the candidate's directory counts; they are taken out.
                "directory" => true,
                "filename" | "name" => is_plain_name(value),
                "mem" | "iomem" => ["malloc", "shm", "mmap"].contains(&value.as_str()),
                // Options that change how fio works on its own files, and nothing else.
                name => table::is(name, "harmless"),
            };
            // fio puts the environment's variables and results of commands into values.
            if !is_known || value.contains(['$', '`']) {
                return Err(reaches(*line, format!("{name}={value}")));
            }
        }
        // The files of a job without a filename are named after it.
        match self.sections.iter().find(|section| !is_plain_name(&section.name)) {
            Some(section) => Err(reaches(0, format!("[{}]", section.name))),
            None => Ok(()),
        }
    }

    pub fn without_directories(&self) -> String {
        let mut out = String::new();
        for section in &self.sections {
            out.push_str(&format!("[{}]\n", section.name));
            for (name, value, _) in &section.options {
                if name != "directory" {
                    out.push_str(&format!("{name}={value}\n"));
                }
            }
        }
        out
    }
}

/// A file name, or several with colons between, none of which leaves the directory.
fn is_plain_name(name: &str) -> bool {
    let is_plain = |part: &str| !part.is_empty() && part != "." && part != "..";
    !name.contains(['/', '\\', '$', '`']) && name.split(':').all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "; a comment\n[global]\nioengine=libaio\ndirect=1\ndirectory=/mnt/x\n\n\
        [seq write]\nrw=write\nbs=1m # large\ntime_based\n\n[reader]\nrw=randread\nfilename=a:b\n";

    #[test]
    fn a_file_is_direct_when_all_of_its_jobs_are() {
        let is_direct = |text: &str| JobFile::parse(text).unwrap().is_direct();
        assert!(is_direct("[global]\ndirect=1\n[a]\nrw=read\n[b]\ndirect\n"));
        assert!(!is_direct("[global]\ndirect=1\n[a]\nrw=read\n[b]\ndirect=0\n"));
        assert!(!is_direct("[a]\nrw=read\n"));
    }

    #[test]
    fn jobs_have_the_global_options_before_them() {
        let file = JobFile::parse(FILE).unwrap();
        let jobs: Vec<Section> = file.jobs().collect();
        assert_eq!(jobs.len(), 2);
        let names: Vec<&str> = jobs[0].options.iter().map(|(name, ..)| name.as_str()).collect();
        assert_eq!(names, ["ioengine", "direct", "directory", "rw", "bs", "time_based"]);
        assert_eq!(jobs[0].options[5], ("time_based".to_string(), "1".to_string(), 10));
        assert_eq!(file.is_harmless(), Ok(()));
        assert!(!file.without_directories().contains("/mnt"));
        assert_eq!(JobFile::parse(&file.without_directories()).unwrap().jobs().count(), 2);
    }

    #[test]
    fn what_may_reach_beyond_the_directory_is_refused() {
        for option in [
            "filename=/dev/sda",
            "filename=../x",
            "filename=a:/b",
            "exec_prerun=rm -rf /",
            "write_bw_log=x",
            "ioengine=exec",
            "ioengine=external:x.so",
            "include other.fio",
            "opendir=/",
            "size=${HOME}",
            "mem=mmapshared:/dev/sda",
            "surprise=1",
        ] {
            let text = format!("[a]\nrw=read\n{option}\n");
            let found = JobFile::parse(&text).and_then(|file| file.is_harmless());
            assert!(found.is_err(), "{option}");
        }
        let named = JobFile::parse("[/dev/sda]\nrw=write\n").unwrap();
        assert!(named.is_harmless().is_err(), "the job's name is its file's");
    }

    #[test]
    fn what_is_no_job_file_says_where() {
        let error = |text: &str| JobFile::parse(text).unwrap_err();
        assert!(error("[global]\nrw=read\n").contains("has no job"));
        assert!(error("rw=read\n").contains("line 1"));
        assert!(error("[a]\ninclude x\n").contains("line 2"));
        assert!(error(&"#".repeat(70_000)).contains("over 64 KiB"));
    }
}
