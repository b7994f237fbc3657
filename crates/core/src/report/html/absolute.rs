//! What each candidate did, in its own unit and not against another: the mean over blocks with its
//! interval, and of small files the time of each kind of operation.

use serde::Serialize;

use crate::decide::rounds;
use crate::model::event::Cell;
use crate::model::run::Run;
use crate::model::workload::Metric;
use crate::report::view::{Question, candidate_name};
use crate::stats::student_t;

use super::chart::{cells, style_of};

/// Share of intervals that may miss: 95 % hold the mean.
const ALPHA: f64 = 0.05;

/// A rate in the unit of its question.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Absolute {
    /// Geometric mean over complete blocks.
    pub mid: f64,
    /// Ends of the interval of that mean; the mean itself where one block is all there is.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Absolute {
    /// Of one value a block; `None` without any. The interval is Student's, of the logarithms.
    pub fn of(values: impl Iterator<Item = f64>) -> Option<Absolute> {
        let logs: Vec<f64> = values.map(libm::log).collect();
        let n = logs.len() as f64;
        let mean = logs.iter().sum::<f64>() / n;
        if logs.is_empty() || !mean.is_finite() {
            return None;
        }
        let squares: f64 = logs.iter().map(|v| (v - mean) * (v - mean)).sum();
        let half = match logs.len() {
            1 => 0.0,
            _ => student_t::two_sided(ALPHA, n - 1.0) * libm::sqrt(squares / (n - 1.0) / n),
        };
        let [mid, low, high] = [mean, mean - half, mean + half].map(libm::exp);
        high.is_finite().then_some(Absolute { mid, low, high })
    }
}

/// One kind of operation of a workload that does several in turn.
#[derive(Debug, Serialize)]
pub struct Phase {
    /// `create`, `stat`, `read`, `unlink`.
    pub op: &'static str,
    /// (Position of the candidate's colour, mean time of one operation in nanoseconds).
    pub means: Vec<(usize, f64)>,
}

/// The phases of small files; nothing for other workloads.
pub fn phases(run: &Run, question: &Question, styles: &[String]) -> Vec<Phase> {
    let workload = question.index.map(|i| &run.header.workloads[i]);
    if workload.map(|w| w.metric) != Some(Metric::FilesPerSecond) {
        return Vec::new();
    }
    let mut phases: Vec<Phase> = Vec::new();
    for row in &question.rows {
        let of_row =
            |c: &&Cell| candidate_name(run, c.candidate) == row.candidate && rounds::counts(run, c);
        let mut sums: Vec<(&'static str, f64, u64)> = Vec::new();
        for cell in cells(run, question).filter(of_row) {
            for (op, stats) in cell.measurement.ops().filter(|(_, stats)| stats.total_ios > 0) {
                let ns = stats.lat_ns.mean * stats.total_ios as f64;
                match sums.iter_mut().find(|(name, ..)| *name == op) {
                    Some((_, sum, n)) => (*sum, *n) = (*sum + ns, *n + stats.total_ios),
                    None => sums.push((op, ns, stats.total_ios)),
                }
            }
        }
        let style = style_of(styles, &row.candidate);
        for (op, ns, n) in sums {
            let mean = (style, ns / n as f64);
            match phases.iter_mut().find(|phase| phase.op == op) {
                Some(phase) => phase.means.push(mean),
                None => phases.push(Phase { op, means: vec![mean] }),
            }
        }
    }
    phases.retain(|phase| phase.means.iter().all(|(_, ns)| ns.is_finite() && *ns > 0.0));
    phases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_student_s_of_the_logarithms() {
        // ln 1, ln e, ln e^2: mean 1, deviation 1, t(0.975, 2) = 4.302653.
        let e = libm::exp(1.0);
        let of = Absolute::of([1.0, e, e * e].into_iter()).unwrap();
        assert!((of.mid - e).abs() < 1e-12);
        let half = 4.302_652_729_911_275 / libm::sqrt(3.0);
        assert!((libm::log(of.high) - 1.0 - half).abs() < 1e-9, "{of:?}");
        assert!((libm::log(of.low) - 1.0 + half).abs() < 1e-9, "{of:?}");
    }

    #[test]
    fn one_block_has_no_interval_and_none_no_mean() {
        let one = Absolute::of([7.0].into_iter()).unwrap();
        assert_eq!((one.low, one.high), (one.mid, one.mid));
        assert_eq!(Absolute::of(std::iter::empty()), None);
        assert_eq!(Absolute::of([0.0, 5.0].into_iter()), None);
    }
}
