//! What somebody pasted of the same kind of drive, beside a history: figures of another session on
//! another machine, so observations.

use serde::Serialize;

use super::trend::{Point, Series, Trend};
use crate::levels::RunLevels;
use bakeoff_model::workload::Metric;

/// A figure of a pasted run on a drive of the model of the history.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PastedPoint {
    pub run: String,
    pub board: String,
    pub kernel: String,
    pub workload: String,
    pub candidate: String,
    pub metric: Metric,
    pub mean: f64,
    pub blocks: u32,
    /// Rate in units of that of the last run of the history of this name; `None` without one.
    pub ratio: Option<f64>,
}

/// The figures of `runs` on drives whose model is in the name of the drive of the history.
pub fn beside(trend: &Trend, runs: &[RunLevels]) -> Vec<PastedPoint> {
    let mut points = Vec::new();
    for run in runs {
        let is_it = |drive: usize| {
            let model = run.drives.get(drive).map(|drive| drive.model.to_ascii_lowercase());
            let drive = trend.drive.to_ascii_lowercase();
            model.is_some_and(|model| !model.is_empty() && drive.contains(&model))
        };
        for workload in &run.workloads {
            for (candidate, level) in run.candidates.iter().zip(&workload.levels) {
                let Some(level) = level.filter(|_| candidate.drive.is_some_and(is_it)) else {
                    continue;
                };
                let metric = workload.metric;
                let last = last(trend, &workload.name, &candidate.name, metric);
                points.push(PastedPoint {
                    run: run.short.clone(),
                    board: run.board.clone(),
                    kernel: run.kernel.clone(),
                    workload: workload.name.clone(),
                    candidate: candidate.name.clone(),
                    metric,
                    mean: metric.from_score(level.mean),
                    blocks: level.blocks,
                    ratio: last.map(|last| libm::exp(level.mean - metric.to_score(last.mean))),
                });
            }
        }
    }
    points
}

fn last(trend: &Trend, workload: &str, candidate: &str, metric: Metric) -> Option<Point> {
    let is_it = |series: &&Series| {
        series.workload == workload && series.candidate == candidate && series.metric == metric
    };
    let of = trend.series.iter().filter(is_it).filter_map(|series| series.points.last());
    of.max_by_key(|point| point.run).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::analyse;
    use crate::history::trend::{Past, trend};
    use crate::levels::public_levels;
    use crate::testing::RunBuilder;

    #[test]
    fn only_figures_of_the_same_model_stand_beside_a_history() {
        let run = |rate: f64| RunBuilder::stacks(&["ext4", "xfs"]).play(5, |_, _, _| rate).build();
        let history = trend("Disk A 69 GB", vec![Past::from_run(run(1000.0), None)], None);
        let pasted = run(1500.0);
        let mut levels = public_levels(&pasted, &analyse(&pasted));
        levels.drives[0].model = "disk a".to_string();
        let found = beside(&history, &[levels.clone()]);
        assert_eq!(found.len(), 2);
        assert!((found[0].ratio.expect("a figure of ours") - 1.5).abs() < 0.01, "{found:?}");
        levels.candidates[0].name = "f2fs".to_string();
        assert_eq!(beside(&history, &[levels.clone()])[0].ratio, None);
        levels.drives[0].model = "Disk B".to_string();
        assert!(beside(&history, &[levels]).is_empty());
    }
}
