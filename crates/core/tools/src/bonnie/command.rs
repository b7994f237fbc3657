//! bonnie++ as a driver: its own phases, in its own order, over a file of `size` bytes.
//!
//! bonnie++ has no words for single patterns; its profile is the only workload it takes. Source:
//! bonnie++(8) and the source of 1.97 and 2.00.

use super::TESTS;
use crate::foreign::{
    Asked, CommandPlace, Invocation, RawOutput, ToolDriver, Unsupported, Words, WorkdirContent,
    one_result, own_part,
};
use crate::measured::{Done, Figures, Work, of_rate, whole};
use crate::scan::FoundMetric;
use bakeoff_model::profile::Profile;
use bakeoff_model::profiles;
use bakeoff_model::workload::Workload;

pub struct BonnieCommand;

/// Operations in the seek phase, of which one in ten is written back.
const SEEKS: u64 = 8192;
/// Bytes of the per-character phases where nobody says otherwise.
const PER_CHAR_BYTES: u64 = 3 << 20;
/// Small files come in steps of this many (`-n`).
const FILES_STEP: u32 = 1024;

impl ToolDriver for BonnieCommand {
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

    fn command(
        &self,
        workload: &Workload,
        scratch: &CommandPlace,
    ) -> Result<Invocation, Unsupported> {
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
        let mut words = Words::new(&["bonnie++", "-d", ".", "-r", "0", "-m", "bakeoff"]);
        // Empty files, 16 x 1024 of them, are its default, and what the native profile makes.
        let files = if job.nrfiles == 0 { FILES_STEP * 16 } else { job.nrfiles };
        if !files.is_multiple_of(FILES_STEP) {
            let why = "it creates small files in units of 1024: nrfiles must be a multiple of \
                       1024";
            return no(why);
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
        Ok(Invocation::plain(WorkdirContent::Empty, words.0))
    }

    fn parse(&self, output: &RawOutput) -> Result<Vec<FoundMetric>, String> {
        // The progress words on standard error are no part of the result.
        let stdout = RawOutput { stderr: Vec::new(), ..output.clone() };
        let of = if output.is_success { &stdout } else { output };
        Ok(one_result("bonnie++", of)?.metrics)
    }

    fn work(&self, asked: Asked<'_>, figures: Figures<'_>) -> Result<Work, String> {
        let none = || figures.missing(&format!("figure for {}", asked.rw.name()));
        let part = asked.part.ok_or_else(none)?;
        let test = TESTS.get(usize::from(part.part)).ok_or_else(none)?;
        let spec = profiles::part_spec(part).ok_or_else(none)?;
        let (name, _) = test.rate();
        // Its command leaves no phase out.
        if figures.find(&name).is_none() {
            return Err(format!(
                "{} printed +++++ instead of a result: the test took less than half a second",
                figures.tool
            ));
        }
        let by_char = asked.job.io_size.unwrap_or(PER_CHAR_BYTES);
        let (amount, read, write) = amounts(spec.word, by_char, figures);
        let mut work = of_rate(figures, &name, amount, (read, write))?;
        let files = Done::without_latency(amount, 0);
        match spec.word {
            "seq-create" | "random-create" => work.create = files,
            "seq-stat" | "random-stat" => work.stat = files,
            "seq-delete" | "random-delete" => work.unlink = files,
            _ => {}
        }
        Ok(work)
    }
}

/// Amount the rate of a part counts, reads and writes of its phase.
fn amounts(word: &str, by_char: u64, figures: Figures<'_>) -> (u64, Done, Done) {
    let size = figures.find("file_size").map_or(0, whole);
    let chunk = figures.find("chunk_size").map_or(8192, whole).max(1);
    let file = Done::without_latency(size.div_ceil(chunk), size);
    let per_char = size.min(by_char);
    let bytes = Done::without_latency(per_char, per_char);
    let none = Done::default;
    match word {
        "putc" => (per_char, none(), bytes),
        "getc" => (per_char, bytes, none()),
        "block-write" => (size, none(), file),
        "block-read" => (size, file, none()),
        "rewrite" => (size, file.clone(), file),
        "seeks" => {
            let written = SEEKS / 10;
            (
                SEEKS,
                Done::without_latency(SEEKS, SEEKS * chunk),
                Done::without_latency(written, written * chunk),
            )
        }
        _ => (figures.find("files").map_or(0, whole), none(), none()),
    }
}
