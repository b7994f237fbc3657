//! The two figures that are compared: what the tool printed, and what bakeoff says the tool would
//! have printed, in the same unit.
//!
//! Profiles state the tool's figure by its own formula, which is not always bytes over the wall
//! time: iozone's clock ends before the flush, bonnie++ counts a rewritten byte once. fio's
//! figures are the workload's own.

use serde::Serialize;

use crate::model::measurement::Measurement;
use crate::model::profile::{Part, Profile};
use crate::model::workload::{Metric, Workload};
use crate::profiles;
use crate::tools::bonnie::TESTS;
use crate::tools::iozone::command::rate_name;

const KIB: f64 = 1024.0;
const MIB: f64 = 1_048_576.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Unit {
    #[serde(rename = "bytes/s")]
    Bytes,
    /// Operations or files a second.
    #[serde(rename = "1/s")]
    Each,
}

/// What a workload's figures count.
pub fn unit(work: &Workload) -> Unit {
    if work.metric == Metric::Bandwidth { Unit::Bytes } else { Unit::Each }
}

/// bakeoff's own figure of a workload; `None` where nothing was done.
pub fn ours(work: &Workload, measured: &Measurement) -> Option<f64> {
    let Some(part) = work.profile else { return work.metric.value(measured) };
    let sum: f64 = names(part, work.job.end_fsync)?
        .ours
        .iter()
        .filter_map(|(name, factor)| Some(named(measured, name)? * factor))
        .sum();
    (sum > 0.0).then_some(sum)
}

pub fn theirs(work: &Workload, measured: &Measurement) -> Option<f64> {
    let Some(part) = work.profile else { return work.metric.value(measured) };
    let of = |name: &String| named(measured, name);
    let names = names(part, work.job.end_fsync)?;
    let sum: f64 = names.theirs.iter().filter_map(of).sum();
    let sum = if sum > 0.0 { sum } else { named(measured, names.older).unwrap_or(0.0) };
    (sum > 0.0).then_some(sum)
}

fn named(measured: &Measurement, name: &str) -> Option<f64> {
    measured.figures.iter().find(|figure| figure.name == name).map(|figure| figure.value)
}

/// The figures of one part: ours with what brings them to bytes or to one, theirs as `import`
/// names them. Several are added: the mixed mode of sysbench has reads and writes.
struct FigureNames {
    ours: Vec<(String, f64)>,
    theirs: Vec<String>,
    /// What an older version prints in place of all of them; empty where none does.
    older: &'static str,
}

fn names(part: Part, flushes: bool) -> Option<FigureNames> {
    let spec = profiles::part_spec(part)?;
    let one = |ours: &str, factor, theirs: String| FigureNames {
        ours: vec![(ours.to_string(), factor)],
        theirs: vec![theirs],
        older: "",
    };
    Some(match part.profile {
        Profile::Dd => one("copied", 1e6, "throughput".to_string()),
        Profile::Sysbench => sysbench(spec.word),
        Profile::Bonnie => {
            let test = TESTS.get(usize::from(part.part))?;
            one(test.title, test.unit() as f64, test.rate().0)
        }
        Profile::Iozone => {
            let words = iozone(spec.word);
            let words = if flushes { format!("{words} -e") } else { words };
            one(&words, KIB, rate_name(part)?)
        }
        Profile::Sqlite
        | Profile::HomeAssistant
        | Profile::Torrent
        | Profile::Nas
        | Profile::CopyTree
        | Profile::Boot
        | Profile::PackageInstall
        | Profile::Desktop => return None,
    })
}

/// 0.4 and 0.5 print one rate for reads and writes together.
fn sysbench(word: &str) -> FigureNames {
    let of = |pairs: &[(&str, f64, &str)]| FigureNames {
        ours: pairs.iter().map(|(ours, factor, _)| (ours.to_string(), *factor)).collect(),
        theirs: pairs.iter().map(|(_, _, theirs)| theirs.to_string()).collect(),
        older: if word.starts_with("seq") { "throughput" } else { "requests_per_second" },
    };
    let reads = ("reads/s", 1.0, "reads_per_second");
    let writes = ("writes/s", 1.0, "writes_per_second");
    match word {
        "seqrd" => of(&[("read, MiB/s", MIB, "read_throughput")]),
        "seqwr" | "seqrewr" => of(&[("written, MiB/s", MIB, "written_throughput")]),
        "rndrd" => of(&[reads]),
        "rndwr" => of(&[writes]),
        _ => of(&[reads, writes]),
    }
}

/// iozone's own words for its tests, as its profile states them.
fn iozone(word: &str) -> String {
    match word {
        "backward-read" => "bkwd read".to_string(),
        "repwrite" => "pwrite rewrite".to_string(),
        "repread" => "pread reread".to_string(),
        word => word.replace('-', " "),
    }
}
