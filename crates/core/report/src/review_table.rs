//! A run as the disk table of a board review: the six rows of the issue template of
//! github.com/geerlingguy/sbc-reviews, with 95 % intervals.
//!
//! Their rows are iozone's, so each row here says that it is bakeoff's. MiB/s, because what iozone
//! calls MB/s there is 2^20 bytes a second.

use super::document::{Document, Table, words};
use super::paste::ALPHA;
use bakeoff_judge::levels::{WorkloadLevels, public_levels, without_paths};
use bakeoff_model::job::Rw;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;
use bakeoff_model::workload::{Metric, Workload};
use bakeoff_stats::level::Level;
use bakeoff_stats::units::three_digits;

const KIB: u64 = 1 << 10;
const MIB: f64 = 1_048_576.0;
/// In their order: what a row is called there, pattern and block size.
const ROWS: [(&str, Rw, u64); 6] = [
    ("4K random read", Rw::RandRead, 4 * KIB),
    ("4K random write", Rw::RandWrite, 4 * KIB),
    ("1M random read", Rw::RandRead, KIB * KIB),
    ("1M random write", Rw::RandWrite, KIB * KIB),
    ("1M sequential read", Rw::Read, KIB * KIB),
    ("1M sequential write", Rw::Write, KIB * KIB),
];
/// The built-in workloads of these rows.
pub const WORKLOADS: [&str; 6] =
    ["randread", "randwrite", "randread1m", "randwrite1m", "seqread", "seqwrite"];

pub struct ReviewTable {
    /// Markdown: a heading and a table for each candidate.
    pub text: String,
    /// How many rows of a table have a figure.
    pub measured: usize,
}

/// The table; `None` where no row has a figure.
pub fn review_table(run: &Run, analyse: impl Fn(&Run) -> Analysis) -> Option<ReviewTable> {
    let run = without_paths(run);
    let levels = public_levels(&run, &analyse(&run));
    let measured = ROWS.map(|(_, rw, bs)| {
        let is_it = |workload: &&Workload| is_row(workload, rw, bs);
        let workload = run.header.workloads.iter().find(is_it)?;
        Some((workload, levels.workload(&workload.name)?))
    });
    let mut text = String::new();
    for (at, candidate) in levels.candidates.iter().enumerate() {
        let drive = candidate.drive.and_then(|drive| levels.drives.get(drive));
        let drive = drive.map_or_else(|| "disk".to_string(), |drive| drive.name());
        let mut out = Document::default();
        out.heading(format!("{drive}, {}", candidate.name));
        let rows = ROWS.iter().zip(&measured).map(|((title, ..), measured)| {
            let row = measured.and_then(|(workload, of)| row(workload, of, at));
            let (suffix, result) = row.unwrap_or_else(|| ("", "not measured".to_string()));
            vec![format!("bakeoff {title}{suffix}"), result]
        });
        out.table(Table::new([words("Benchmark"), words("Result")], rows));
        let gap = if at > 0 { "\n" } else { "" };
        // A drive is one level deeper there than a section of ours.
        text += &format!("{gap}#{}", out.markdown());
    }
    let has_any = |of: &WorkloadLevels| of.levels.iter().any(Option::is_some);
    let measured = measured.into_iter().flatten().filter(|(_, of)| has_any(of)).count();
    (measured > 0).then_some(ReviewTable { text, measured })
}

/// One request at a time, by the native engine: not an application, and nothing beside it.
fn is_row(workload: &Workload, rw: Rw, bs: u64) -> bool {
    let job = &workload.job;
    let is_alone = (job.iodepth, job.numjobs) == (1, 1) && workload.beside.is_none();
    let is_plain = workload.driver.is_native() && workload.profile.is_none() && is_alone;
    is_plain && job.rw == rw && job.bs == bs
}

/// What a title adds about flushes, and the figure with its interval.
fn row(workload: &Workload, of: &WorkloadLevels, at: usize) -> Option<(&'static str, String)> {
    let level: Level = of.levels.get(at).copied().flatten()?;
    let bytes = match of.metric {
        Metric::Bandwidth => 1.0,
        Metric::Iops => workload.job.bs as f64,
        _ => return None,
    };
    let mib = |score: f64| three_digits(of.metric.from_score(score) * bytes / MIB);
    let interval = level.interval(ALPHA);
    let ends = match level.blocks {
        1 => "one measurement".to_string(),
        _ => format!("95 % CI: {} to {}", mib(interval.low), mib(interval.high)),
    };
    let suffix = if workload.job.fsync == 1 { ", each flushed" } else { "" };
    Some((suffix, format!("{} MiB/s ({ends})", mib(level.mean))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::analyse::analyse;
    use bakeoff_judge::testing::RunBuilder;
    use bakeoff_model::workloads;

    fn run_of(names: &[&str]) -> Run {
        // Operations of the two workloads of 4 KiB, bytes of the others.
        let rate = |block, _, w| {
            let w = u32::from(w);
            let rate = if w < 2 { 1900 - 1700 * w } else { 40_000_000 + w * 1_000_000 };
            f64::from(rate) * (1.0 + f64::from(block % 3) / 100.0)
        };
        RunBuilder::directories(&["/home/alice"]).workloads(names).play(9, rate).build()
    }

    #[test]
    fn a_table_has_the_six_rows_of_the_template() {
        let table = review_table(&run_of(&WORKLOADS), analyse).unwrap();
        assert_eq!(table.measured, 6);
        insta::assert_snapshot!(table.text);
    }

    #[test]
    fn what_was_not_measured_is_a_row_that_says_so() {
        let table = review_table(&run_of(&["randread", "seqread"]), analyse).unwrap();
        assert_eq!((table.measured, table.text.matches("not measured").count()), (2, 4));
        assert!(!table.text.contains("alice"), "{}", table.text);
        assert!(review_table(&run_of(&["smallfiles"]), analyse).is_none());
    }

    #[test]
    fn every_row_has_a_built_in_workload() {
        for (name, (title, rw, bs)) in WORKLOADS.iter().zip(ROWS) {
            let workload = workloads::find(name).unwrap();
            assert!(is_row(&workload, rw, bs), "{name} is not {title}");
        }
    }
}
