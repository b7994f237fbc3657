//! Which figure of a foreign tool belongs to which part of the profile that follows it.
//!
//! The part's name says what the tool calls the same work; its amount follows from the tool's own
//! settings, so that a rate gives its time. Sources: those of the profiles.

use super::bonnie::TESTS;
use super::foreign::ParseError;
use super::measured::{Done, Figures, Work, side, whole};
use crate::model::job::{Job, Rw};
use crate::model::profile::{Part, Profile};
use crate::profiles::{self, PartSpec};

/// bonnie++'s operations in its seek phase, of which one in ten is written back.
const SEEKS: u64 = 8192;
/// Bytes of its per-character phases where nobody says otherwise.
const PER_CHAR_BYTES: u64 = 3 << 20;

/// The tool's metric with the rate of a part; `None` where it has none.
pub(crate) fn rate_name(part: Part) -> Option<String> {
    match part.profile {
        Profile::Bonnie => TESTS.get(usize::from(part.part)).map(|test| test.rate().0),
        Profile::Iozone => {
            let name = profiles::part_spec(part)?.word.replace('-', "_");
            (name != "mixed").then(|| format!("{name}.throughput"))
        }
        Profile::Sqlite
        | Profile::HomeAssistant
        | Profile::Torrent
        | Profile::Nas
        | Profile::CopyTree
        | Profile::Boot
        | Profile::PackageInstall
        | Profile::Desktop
        | Profile::Dd
        | Profile::Sysbench => None,
    }
}

/// What a tool did in one part.
pub(super) fn work(
    part: Part,
    rw: Rw,
    job: &Job,
    figures: Figures<'_>,
) -> Result<Work, ParseError> {
    let none = |figure: &str| figures.missing(figure);
    let spec = profiles::part_spec(part).ok_or_else(|| none("part of that number"))?;
    let name = rate_name(part).ok_or_else(|| none(spec.word))?;
    // Its command leaves no phase out.
    if part.profile == Profile::Bonnie && figures.find(&name).is_none() {
        return Err(ParseError::TooShort { tool: figures.tool });
    }
    let rate = figures.get(&name)?;
    if rate <= 0.0 {
        return Err(none(&name));
    }
    let size = figures.find("file_size").map_or(0, whole);
    let (amount, read, write) = if part.profile == Profile::Bonnie {
        bonnie(spec, size, job.io_size.unwrap_or(PER_CHAR_BYTES), figures)
    } else {
        let done = Done::of(size / figures.above_zero("record_size")?.max(1), size);
        let (read, write) = side(rw, done);
        (size, read, write)
    };
    let elapsed_ns = whole(amount as f64 / rate * 1e9);
    if elapsed_ns == 0 {
        return Err(none(&name));
    }
    let mut work = Work { elapsed_ns, read, write, ..Work::default() };
    let files = Done::of(amount, 0);
    match spec.word {
        "seq-create" | "random-create" => work.create = files,
        "seq-stat" | "random-stat" => work.stat = files,
        "seq-delete" | "random-delete" => work.unlink = files,
        _ => {}
    }
    Ok(work)
}

/// Amount the rate counts, reads and writes of a phase.
fn bonnie(spec: &PartSpec, size: u64, by_char: u64, figures: Figures<'_>) -> (u64, Done, Done) {
    let chunk = figures.find("chunk_size").map_or(8192, whole).max(1);
    let file = Done::of(size.div_ceil(chunk), size);
    let per_char = size.min(by_char);
    let bytes = Done::of(per_char, per_char);
    let none = Done::default;
    match spec.word {
        "putc" => (per_char, none(), bytes),
        "getc" => (per_char, bytes, none()),
        "block-write" => (size, none(), file),
        "block-read" => (size, file, none()),
        "rewrite" => (size, file.clone(), file),
        "seeks" => {
            let written = SEEKS / 10;
            (SEEKS, Done::of(SEEKS, SEEKS * chunk), Done::of(written, written * chunk))
        }
        _ => (figures.find("files").map_or(0, whole), none(), none()),
    }
}
