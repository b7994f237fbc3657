//! Workloads of one sweep as one picture: a curve for each candidate over block sizes, depths or
//! threads. Of depths and threads together there is the table.

use serde::Serialize;

use crate::document::{Table, of_candidate, words};
use crate::round;
use crate::run_document::{Column, Question, RunDocument};
use bakeoff_model::job::Rw;
use bakeoff_model::run::Run;
use bakeoff_model::sweep::{self, Axis, Sweep};
use bakeoff_model::workload::{Metric, Workload};
use bakeoff_stats::distinct;
use bakeoff_stats::units;

use super::absolute::Absolute;
use super::chart::QuestionData;

/// One curve chart's numbers.
#[derive(Debug, Serialize)]
pub struct SweepData {
    pub unit: &'static str,
    pub is_size: bool,
    pub curves: Vec<SweepCurve>,
}

#[derive(Debug, Serialize)]
pub struct SweepCurve {
    pub candidate: usize,
    pub points: Vec<(u64, Absolute)>,
}

pub struct SweepPage {
    /// `run-0-sweep-1`.
    pub id: String,
    /// Position among the run's sweeps.
    pub index: usize,
    pub title: String,
    pub axis: &'static str,
    pub unit: &'static str,
    pub questions: Vec<usize>,
    pub is_curve: bool,
    /// A row for each value, which leads to its question, and a column for each candidate.
    pub table: Table,
}

impl SweepPage {
    pub fn caption(&self) -> String {
        format!("{}, {}", self.title, self.unit)
    }
}

/// What belongs together: the workload, its question and its numbers.
struct SweepMember<'a> {
    at: usize,
    values: (u64, u64),
    data: &'a QuestionData,
    /// What a rate in the question's unit is multiplied by.
    factor: f64,
}

/// The sweeps of a run: their pages and the numbers of their charts, in the same order.
pub fn pages(
    record: &Run,
    run: &RunDocument,
    data: &[QuestionData],
) -> (Vec<SweepPage>, Vec<SweepData>) {
    let found = sweep::sweeps(&record.header.workloads);
    let made = found.iter().filter_map(|sweep| {
        let unit = unit(record, sweep);
        let members = members(record, sweep, &run.questions, data, unit);
        let is_enough = members.len() >= sweep::LEAST;
        is_enough.then_some((sweep, unit, members))
    });
    let made = made.enumerate().map(|(n, (sweep, unit, members))| {
        let page = SweepPage {
            id: format!("run-0-sweep-{n}"),
            index: n,
            title: title(&record.header.workloads[sweep.members[0]], sweep.axis),
            axis: axis(sweep.axis),
            unit,
            questions: members.iter().map(|m| m.at).collect(),
            is_curve: sweep.axis != Axis::DepthAndJobs,
            table: table(sweep.axis, &members, &run.columns),
        };
        let is_size = sweep.axis == Axis::BlockSize;
        (page, SweepData { unit, is_size, curves: curves(&members) })
    });
    made.unzip()
}

/// Rates over block sizes are bytes: operations of different sizes cannot be compared.
fn unit(run: &Run, sweep: &Sweep) -> &'static str {
    let metric = |i: &usize| run.header.workloads[*i].metric;
    let are_ios = sweep.members.iter().all(|i| metric(i) == Metric::Iops);
    if are_ios && sweep.axis != Axis::BlockSize { "IOPS" } else { "MB/s" }
}

fn members<'a>(
    run: &Run,
    sweep: &Sweep,
    questions: &'a [Question],
    data: &'a [QuestionData],
    unit: &str,
) -> Vec<SweepMember<'a>> {
    let of = |i: &usize| {
        let at = questions.iter().position(|q| q.index.map(usize::from) == Some(*i))?;
        let (question, data) = (&questions[at], &data[at]);
        if data.rows.iter().all(|row| row.absolute.is_none()) {
            return None;
        }
        let workload: &Workload = &run.header.workloads[*i];
        let per_s = match (unit, workload.metric) {
            ("MB/s", Metric::Iops) => workload.job.bs as f64 / 1e6,
            ("MB/s", _) => 1e-6,
            _ => 1.0,
        };
        let (factor, values) = (question.unit_scale * per_s, sweep.axis.values(&workload.job));
        Some(SweepMember { at, values, data, factor })
    };
    sweep.members.iter().filter_map(of).collect()
}

impl SweepMember<'_> {
    fn rate(&self, candidate: usize) -> Option<Absolute> {
        let row = self.data.rows.iter().find(|row| row.candidate == candidate)?;
        let Absolute { mid, low, high } = row.absolute?;
        let [mid, low, high] = [mid, low, high].map(|v| v * self.factor);
        Some(Absolute { mid, low, high })
    }
}

fn title(workload: &Workload, axis: Axis) -> String {
    let words = match workload.job.rw {
        Rw::Read => "Sequential reads",
        Rw::Write => "Sequential writes",
        Rw::RandRead => "Random reads",
        Rw::RandWrite => "Random writes",
        Rw::ReadWrite => "Sequential reads and writes",
        Rw::RandRw => "Random reads and writes",
        Rw::SmallFiles => "Small files",
    };
    format!("{words} by {}", self::axis(axis))
}

fn axis(axis: Axis) -> &'static str {
    match axis {
        Axis::BlockSize => "block size",
        Axis::Depth => "queue depth",
        Axis::Jobs => "threads",
        Axis::DepthAndJobs => "queue depth and threads",
    }
}

fn value(axis: Axis, values: (u64, u64)) -> String {
    match axis {
        Axis::BlockSize => units::block_size(values.0),
        Axis::DepthAndJobs => format!("{} x {}", values.0, values.1),
        Axis::Depth | Axis::Jobs => values.0.to_string(),
    }
}

/// Candidates of any member, in the order of the page's styles.
fn candidates(members: &[SweepMember]) -> Vec<usize> {
    distinct::sorted(members.iter().flat_map(|m| &m.data.rows).map(|row| row.candidate))
}

fn table(axis: Axis, members: &[SweepMember], named: &[Column]) -> Table {
    let all = candidates(members);
    let columns = all.iter().map(|candidate| of_candidate(named[*candidate].name.as_str()));
    let row = |m: &SweepMember| {
        let rate =
            |c: &usize| m.rate(*c).map_or("-".to_string(), |rate| round::three_digits(rate.mid));
        std::iter::once(value(axis, m.values)).chain(all.iter().map(rate)).collect()
    };
    let columns = std::iter::once(words(self::axis(axis))).chain(columns);
    let links = members.iter().map(|m| format!("#run-0-workload-{}", m.at));
    Table::new(columns, members.iter().map(row)).linked(links.collect())
}

fn curves(members: &[SweepMember]) -> Vec<SweepCurve> {
    let curve = |candidate: usize| {
        let point = |m: &SweepMember| m.rate(candidate).map(|rate| (m.values.0, rate));
        SweepCurve { candidate, points: members.iter().filter_map(point).collect() }
    };
    candidates(members).into_iter().map(curve).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::chart::RunData;
    use bakeoff_judge::testing::RunBuilder;
    use bakeoff_model::job::Job;
    use bakeoff_model::workload::Phase;

    fn swept(jobs: Vec<Job>, metric: Metric, rate: impl Fn(&Job) -> f64) -> (SweepPage, SweepData) {
        let of = |job: &Job| {
            let name = format!("{}x{}x{}", job.bs, job.iodepth, job.numjobs);
            Workload::native(&name, &name, Phase::Whole, metric, job.clone())
        };
        let workloads: Vec<Workload> = jobs.iter().map(of).collect();
        let run = RunBuilder::stacks(&["ext4", "xfs"])
            .header(|h| h.workloads = workloads)
            .play(5, |block, c, w| {
                rate(&jobs[usize::from(w)]) * f64::from(c + 1) + f64::from(block)
            })
            .build();
        let document = RunDocument::new(&run, &bakeoff_judge::analyse::analyse(&run));
        let data = RunData::new(&run, &document.questions);
        let (mut pages, mut sweeps) = super::pages(&run, &document, &data.questions);
        (pages.remove(0), sweeps.remove(0))
    }

    #[test]
    fn operations_a_second_over_block_sizes_are_drawn_as_bytes_a_second() {
        let job = |bs| Job::new(Rw::RandRead, bs, 1 << 28);
        let jobs = vec![job(65536), job(4096), job(1 << 20)];
        let (page, data) = swept(jobs, Metric::Iops, |_| 1000.0);
        assert_eq!((page.title.as_str(), page.unit), ("Random reads by block size", "MB/s"));
        let values: Vec<&str> = page.table.rows.iter().map(|row| row[0].as_str()).collect();
        assert_eq!(values, ["4k", "64k", "1m"]);
        let points = &data.curves[0].points;
        assert_eq!(points.iter().map(|p| p.0).collect::<Vec<_>>(), [4096, 65536, 1 << 20]);
        let ratio = points[1].1.mid / points[0].1.mid;
        assert!((ratio - 16.0).abs() < 1e-9, "{ratio}");
        assert!((points[0].1.mid / 4.1 - 1.0).abs() < 0.01, "{points:?}");
    }

    #[test]
    fn depths_and_threads_together_are_a_table() {
        let job =
            |(iodepth, numjobs)| Job { iodepth, numjobs, ..Job::new(Rw::RandRead, 4096, 1 << 28) };
        let jobs = [(1, 1), (8, 1), (1, 4), (8, 4)].map(job).to_vec();
        let rate = |job: &Job| f64::from(job.iodepth * job.numjobs) * 100.0;
        let (page, _) = swept(jobs, Metric::Iops, rate);
        assert!(!page.is_curve && page.unit == "IOPS");
        let values: Vec<&str> = page.table.rows.iter().map(|row| row[0].as_str()).collect();
        assert_eq!(values, ["1 x 1", "1 x 4", "8 x 1", "8 x 4"]);
    }
}
