//! Results of others beside a run: their numbers next to ours, and what keeps the two from being
//! compared. Never a verdict: one run without a spread has no error bar.

use serde::Serialize;

use crate::decide::compare::Comparison;
use crate::decide::figure::Figure;
use crate::decide::table::ScoreTable;
use crate::import::{Imported, ToolResult, observe};
use bakeoff_machine::prepare::recipe::format_of;
use bakeoff_model::candidate::{Candidate, Kind, Stack};
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::job::Rw;
use bakeoff_model::path::printable;
use bakeoff_model::run::Run;
use bakeoff_model::workload::{DriverName, Metric, Workload};
use bakeoff_stats::distinct;
use bakeoff_stats::phrases;
use bakeoff_stats::units;

const PUBLISHED_LIMIT: usize = 64;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Beside {
    pub run: String,
    pub source: String,
    /// Why their numbers and ours cannot be compared, printable.
    #[serde(skip)]
    pub not_comparable: Vec<String>,
    pub rows: Vec<Row>,
    pub pairs: Vec<PairRow>,
    pub observations: Vec<String>,
    pub assumption: &'static str,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    pub workload: String,
    pub candidate: String,
    pub ours: Figure,
    pub published: Vec<Published>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Published {
    pub setting: String,
    pub tool: String,
    pub test: String,
    /// Block size; `None` where it is not told.
    pub block_size_bytes: Option<u64>,
    pub bytes_per_s: f64,
    pub raw: String,
    pub line: u64,
}

/// Two candidates: how much faster the first is, here and there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairRow {
    pub workload: String,
    pub a: String,
    pub b: String,
    pub ratio: f64,
    pub low: f64,
    pub high: f64,
    /// Theirs: setting, ratio, and whether it lies inside our interval.
    pub published: Vec<PublishedRatio>,
}

/// A ratio of two published figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PublishedRatio {
    #[serde(skip)]
    pub setting: String,
    #[serde(skip)]
    pub test: String,
    /// Block size; `None` where it is not told.
    #[serde(skip)]
    pub block_size_bytes: Option<u64>,
    pub ratio: f64,
    pub is_inside: bool,
}

/// Puts what was `imported` from `source` beside `run`.
pub fn beside(run: &Run, source: &str, imported: &Imported) -> Beside {
    let table = ScoreTable::from_evidence(run);
    let mut rows = Vec::new();
    let mut pairs = Vec::new();
    for (at, workload) in WorkloadIx::each(&run.header.workloads) {
        let Some(pattern) = AccessPattern::from_workload(workload) else { continue };
        for (candidate, of) in CandidateIx::each(&run.header.candidates) {
            let published = published(imported, pattern, of);
            let ours = figure(&table, workload, at, candidate);
            if let Some(ours) = ours.filter(|_| !published.is_empty() && of.twin_of.is_none()) {
                let (workload, candidate) = (workload.name.clone(), of.name.clone());
                rows.push(Row { workload, candidate, ours, published });
            }
        }
        let compared = Comparison::new(run, &table, at, run.header.protocol.alpha_pair());
        for pair in &compared.pairs {
            let (Some(paired), Some(interval)) = (pair.paired, pair.interval) else { continue };
            let name = |c: CandidateIx| run.header.candidates[c].name.clone();
            let (low, high) = (libm::exp(interval.low), libm::exp(interval.high));
            let (a, b) = (name(pair.a), name(pair.b));
            let published = ratios(&rows, &workload.name, (&a, &b), (low, high));
            if !published.is_empty() {
                let (workload, ratio) = (workload.name.clone(), libm::exp(paired.mean));
                pairs.push(PairRow { workload, a, b, ratio, low, high, published });
            }
        }
    }
    Beside {
        run: run.header.run.clone(),
        source: source.to_string(),
        not_comparable: not_comparable(run, imported, &rows),
        rows,
        pairs,
        observations: observe::observations(imported),
        assumption: observe::ASSUMPTION,
    }
}

/// What reads or writes how; what both sides have to have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AccessPattern {
    is_random: bool,
    reads: bool,
    writes: bool,
}

impl AccessPattern {
    /// Of a workload of ours that is told in bytes or operations a second.
    fn from_workload(workload: &Workload) -> Option<AccessPattern> {
        let is_rate = matches!(workload.metric, Metric::Bandwidth | Metric::Iops);
        if !is_rate || workload.profile.is_some() || workload.fio_job.is_some() {
            return None;
        }
        let (is_random, reads, writes) = match workload.job.rw {
            Rw::Read => (false, true, false),
            Rw::Write => (false, false, true),
            Rw::RandRead => (true, true, false),
            Rw::RandWrite => (true, false, true),
            Rw::RandRw => (true, true, true),
            Rw::ReadWrite => (false, true, true),
            Rw::SmallFiles => return None,
        };
        Some(AccessPattern { is_random, reads, writes })
    }

    /// Of a test as others name it: `sequential read after drop_caches`, `random write`, `rndrw`.
    fn from_test(test: &str) -> Option<AccessPattern> {
        let (is_random, rest) = match test {
            "read" | "write" => (false, test),
            "rndrw" => (true, "readwrite"),
            _ => match (test.strip_prefix("sequential "), test.strip_prefix("random ")) {
                (Some(rest), _) => (false, rest),
                (_, Some(rest)) => (true, rest),
                _ => return None,
            },
        };
        let rest = match rest {
            "input block" => "read",
            "output block" => "write",
            other => other,
        };
        let word = rest.split(' ').next().unwrap_or_default();
        let (reads, writes) = match word {
            "read" => (true, false),
            "write" => (false, true),
            "readwrite" => (true, true),
            _ => return None,
        };
        Some(AccessPattern { is_random, reads, writes })
    }
}

fn identity(candidate: &Candidate) -> (String, bool) {
    let (fs, is_encrypted) = match &candidate.kind {
        Kind::Stack(stack) => (stack.fs.as_str(), stack.crypt.is_some()),
        Kind::Directory { place, .. } => (place.fs.as_str(), place.cipher().is_some()),
    };
    let lower = fs.to_ascii_lowercase();
    let fs = match lower.as_str() {
        "fat32" | "fat" | "msdos" => "vfat",
        other => format_of(other).unwrap_or(other),
    };
    (fs.to_string(), is_encrypted)
}

fn is_varied(candidate: &Candidate) -> bool {
    let is_it = |stack: &Stack| stack.mkfs.iter().any(|word| word.contains("^has_journal"));
    candidate.stack().is_some_and(is_it)
}

fn published(imported: &Imported, pattern: AccessPattern, candidate: &Candidate) -> Vec<Published> {
    let (fs, is_encrypted) = identity(candidate);
    if is_varied(candidate) {
        return Vec::new();
    }
    let of = |r: &ToolResult| {
        let text = |key: &str| r.setup.get(key).map_or("", String::as_str);
        let layer = text("encryption");
        let is_same = text("filesystem").eq_ignore_ascii_case(&fs)
            && is_encrypted != (layer.is_empty() || layer == "none");
        let test = r.test.as_deref()?;
        if !is_same || AccessPattern::from_test(test)? != pattern {
            return None;
        }
        let metric = r.metrics.iter().find(|m| m.name == "throughput" && m.unit == "bytes/s")?;
        let clean = |text: &str| printable(text.as_bytes());
        let setting = [text("host"), text("device")].map(clean);
        let setting: Vec<String> = setting.into_iter().filter(|part| !part.is_empty()).collect();
        Some(Published {
            setting: setting.join(", "),
            tool: clean(&r.tool),
            test: clean(test),
            block_size_bytes: text("block_size_bytes").parse().ok(),
            bytes_per_s: metric.value.as_f64(),
            raw: clean(&metric.raw),
            line: metric.line,
        })
    };
    imported.results.iter().filter_map(of).take(PUBLISHED_LIMIT).collect()
}

/// Ours in bytes a second.
fn figure(
    table: &ScoreTable,
    workload: &Workload,
    at: WorkloadIx,
    candidate: CandidateIx,
) -> Option<Figure> {
    let of = Figure::from_scores(workload.metric, &table.scores(at, candidate))?;
    let bytes = match workload.metric {
        Metric::Iops => workload.job.bs as f64,
        _ => 1.0,
    };
    Some(Figure { mean: of.mean * bytes, min: of.min * bytes, max: of.max * bytes, ..of })
}

/// Ratios of published figures of the same setting, tool, test and block size.
fn ratios(
    rows: &[Row],
    workload: &str,
    (a, b): (&str, &str),
    (low, high): (f64, f64),
) -> Vec<PublishedRatio> {
    let of = |name: &str| rows.iter().find(|r| r.workload == workload && r.candidate == name);
    let (Some(a), Some(b)) = (of(a), of(b)) else { return Vec::new() };
    let key =
        |p: &Published| (p.setting.clone(), p.tool.clone(), p.test.clone(), p.block_size_bytes);
    let mut all = Vec::new();
    for x in &a.published {
        let other = b.published.iter().find(|y| key(y) == key(x) && y.bytes_per_s > 0.0);
        let Some(y) = other else { continue };
        let ratio = x.bytes_per_s / y.bytes_per_s;
        all.push(PublishedRatio {
            setting: x.setting.clone(),
            test: x.test.clone(),
            block_size_bytes: x.block_size_bytes,
            ratio,
            is_inside: low <= ratio && ratio <= high,
        });
    }
    all
}

fn not_comparable(run: &Run, imported: &Imported, rows: &[Row]) -> Vec<String> {
    let column = |key: &'static str| {
        let of = |r: &ToolResult| {
            let is_cell = r.metrics.iter().any(|m| m.name == "throughput");
            let value = r.setup.get(key).filter(|_| is_cell)?;
            Some(printable(value.as_bytes()))
        };
        distinct::in_order(imported.results.iter().filter_map(of).filter(|value| !value.is_empty()))
    };
    let host = run.header.host.model.clone().unwrap_or_else(|| run.header.host.arch.clone());
    let conditions = crate::analyse::scope::conditions(&run.header);
    let (ours, theirs) = tools(run, imported);
    let mut all = vec![
        in_both("machine", &printable(host.as_bytes()), &column("host")),
        in_both("drive and place", &conditions, &column("device")),
        in_both("tool", &ours.join(" / "), &theirs),
    ];
    all.extend(block_sizes(run, rows));
    all
}

fn tools(run: &Run, imported: &Imported) -> (Vec<String>, Vec<String>) {
    let version = printable(run.header.version.as_bytes());
    let ours = run.header.workloads.iter().map(|workload| match workload.driver {
        DriverName::Native => format!("bakeoff {version}"),
        tool => tool.name().to_string(),
    });
    let is_rate = |name: &str| name == "throughput" || name == "throughput_approx";
    let theirs = imported.results.iter().filter(|r| r.metrics.iter().any(|m| is_rate(&m.name)));
    let theirs = theirs.map(|r| printable(r.tool.as_bytes())).filter(|tool| !tool.is_empty());
    (distinct::in_order(ours), distinct::in_order(theirs))
}

fn block_sizes(run: &Run, rows: &[Row]) -> Vec<String> {
    let sizes = run.header.workloads.iter().filter_map(|workload| {
        let of = rows.iter().filter(|r| r.workload == workload.name).flat_map(|r| &r.published);
        let theirs = distinct::in_order(of.filter_map(|p| p.block_size_bytes));
        (!theirs.is_empty()).then(|| ((workload.job.bs, theirs), workload.name.clone()))
    });
    let row = |((ours, theirs), workloads): ((u64, Vec<u64>), Vec<String>)| {
        let theirs: Vec<String> = theirs.iter().map(|b| units::block_size(*b)).collect();
        let what = format!("block size of {}", phrases::list(&workloads));
        in_both(&what, &units::block_size(ours), &theirs)
    };
    phrases::grouped(sizes).into_iter().map(row).collect()
}

fn in_both(what: &str, ours: &str, theirs: &[String]) -> String {
    match theirs {
        [] => format!("{what}: {ours} in this run; not stated in the file"),
        _ => format!("{what}: {ours} in this run; {} in the file", theirs.join(" / ")),
    }
}
