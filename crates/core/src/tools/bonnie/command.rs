//! bonnie++ as a driver: its own phases, in its own order, over a file of `size` bytes.
//!
//! bonnie++ has no words for single patterns; its profile is the only workload it takes. Source:
//! bonnie++(8) and the source of 1.97 and 2.00.

use crate::model::profile::Profile;
use crate::model::workload::Workload;
use crate::scan::Metric;
use crate::tools::foreign::{
    Driver, Invocation, ParseError, RawOutput, Scratch, Unsupported, Words, Workdir, one_result,
    own_part,
};

/// The installed bonnie++.
pub struct Bonnie;

/// Small files come in steps of this many (`-n`).
const FILES_STEP: u32 = 1024;

impl Driver for Bonnie {
    /// It has no option for that; its usage says it, and the status is not 0.
    fn version_command(&self) -> &'static [&'static str] {
        &["bonnie++", "-?"]
    }

    fn version(&self, output: &RawOutput) -> Option<String> {
        let text = output.kept();
        let at = text.find("Version:").or(text.find("version"))?;
        let word = text[at..].split_whitespace().nth(1)?;
        Some(word.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_string())
    }

    fn command(&self, workload: &Workload, scratch: &Scratch) -> Result<Invocation, Unsupported> {
        let no = |why: &str| Err(Unsupported { tool: "bonnie++", why: why.to_string() });
        if own_part("bonnie++", Some(Profile::Bonnie), workload)?.is_none() {
            return no("it runs fixed phases: use profile = \"bonnie\"");
        }
        let job = &workload.job;
        let size = job.size >> 20;
        if size == 0 {
            return no("its file size must be whole MiB");
        }
        if !job.bs.is_power_of_two() || !(256..=1 << 20).contains(&job.bs) {
            return no("its chunk size must be a power of two from 256 bytes to 1 MiB");
        }
        let mut words = Words::of(&["bonnie++", "-d", ".", "-r", "0", "-m", "bakeoff"]);
        // Empty files, 16 x 1024 of them, are its default, and what the native profile makes.
        let files = if job.nrfiles == 0 { FILES_STEP * 16 } else { job.nrfiles };
        if !files.is_multiple_of(FILES_STEP) {
            return no("it creates small files in units of 1024: nrfiles must be a multiple of \
                       1024");
        }
        let files = (files / FILES_STEP).to_string();
        words.add(&["-s", &format!("{size}:{}", job.bs), "-n", &files]);
        match job.io_size {
            Some(bytes) if bytes == 0 || !bytes.is_multiple_of(1 << 20) => {
                return no("its one-byte phases must be whole MiB: change io_size");
            }
            Some(bytes) => words.0.push(format!("-f{}", bytes >> 20)),
            None => {}
        }
        if scratch.is_root {
            words.add(&["-u", "root"]);
        }
        Ok(Invocation::plain(Workdir::Empty, words.0))
    }

    fn parse(&self, output: &RawOutput) -> Result<Vec<Metric>, ParseError> {
        // The progress words on standard error are no part of the result.
        let stdout = RawOutput { stderr: Vec::new(), ..output.clone() };
        let of = if output.is_success { &stdout } else { output };
        Ok(one_result("bonnie++", of)?.metrics)
    }
}
