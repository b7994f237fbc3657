//! fio's job files: sections of `option=value` lines.
//!
//! Source: fio 3.33, HOWTO, "Job file format" and "Job file parameters".

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
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "; a comment\n[global]\nioengine=libaio\ndirect=1\ndirectory=/mnt/x\n\n\
        [seq write]\nrw=write\nbs=1m # large\ntime_based\n\n[reader]\nrw=randread\nfilename=a:b\n";

    #[test]
    fn jobs_have_the_global_options_before_them() {
        let file = JobFile::parse(FILE).unwrap();
        let jobs: Vec<Section> = file.jobs().collect();
        assert_eq!(jobs.len(), 2);
        let names: Vec<&str> = jobs[0].options.iter().map(|(name, ..)| name.as_str()).collect();
        assert_eq!(names, ["ioengine", "direct", "directory", "rw", "bs", "time_based"]);
        assert_eq!(jobs[0].options[5], ("time_based".to_string(), "1".to_string(), 10));
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
