//! The numbers a comparison rests on: the score of every cell that counts, `ln(rate)` or
//! `-ln(latency)`, so that more is better throughout.

use super::{figure, rounds, schedule};
use crate::evidence;
use bakeoff_model::index::{BlockIx, CandidateIx, WorkloadIx};
use bakeoff_model::run::{Block, Run};

/// Scores by workload, candidate and block, over the first complete blocks of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreTable {
    blocks: Vec<BlockIx>,
    values: Vec<Vec<Vec<Option<f64>>>>,
}

impl ScoreTable {
    /// The first `blocks` complete blocks of `run`. Superseded blocks and cells whose number is
    /// not what it claims to be are left out; of a repeated cell the last one counts, and of rounds
    /// the last five.
    pub fn from_run(run: &Run, blocks: u32) -> ScoreTable {
        let (workloads, candidates) = (run.header.workloads.len(), run.header.candidates.len());
        let chosen: Vec<_> = run.complete_blocks().take(blocks as usize).collect();
        let mut values = vec![vec![vec![None; chosen.len()]; candidates]; workloads];
        for (position, block) in chosen.iter().enumerate() {
            for cell in &block.cells {
                let workload = &run.header.workloads[cell.workload];
                if !rounds::counts(run, cell) || evidence::is_invalid(&run.header, cell) {
                    continue;
                }
                let metric = workload.metric;
                let slot = &mut values[usize::from(cell.workload)][usize::from(cell.candidate)];
                slot[position] = figure::of_cell(metric, cell).map(|f| metric.to_score(f));
            }
        }
        ScoreTable { blocks: chosen.iter().map(|b| b.block).collect(), values }
    }

    /// All complete blocks of `run`: its verdicts rest on them.
    pub fn from_evidence(run: &Run) -> ScoreTable {
        ScoreTable::from_run(run, schedule::complete(run))
    }

    pub fn blocks(&self) -> &[BlockIx] {
        &self.blocks
    }

    pub fn blocks_of<'r>(&self, run: &'r Run) -> impl Iterator<Item = &'r Block> {
        run.complete_blocks().filter(|block| self.blocks.contains(&block.block))
    }

    pub fn values(&self, workload: WorkloadIx, candidate: CandidateIx) -> &[Option<f64>] {
        &self.values[usize::from(workload)][usize::from(candidate)]
    }

    pub fn scores(&self, workload: WorkloadIx, candidate: CandidateIx) -> Vec<f64> {
        self.values(workload, candidate).iter().flatten().copied().collect()
    }

    /// Score of `a` less score of `b` in every block in which both were measured.
    pub fn differences(&self, workload: WorkloadIx, a: CandidateIx, b: CandidateIx) -> Vec<f64> {
        let pairs = self.values(workload, a).iter().zip(self.values(workload, b));
        pairs.filter_map(|(a, b)| Some((*a)? - (*b)?)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;
    use bakeoff_model::event::What;
    use bakeoff_model::workload::Metric;

    #[test]
    fn every_metric_comes_back_from_a_cell() {
        for name in ["randwrite", "seqread", "smallfiles", "randrw", "seqwrite"] {
            let workload = bakeoff_model::workloads::find(name).unwrap();
            let cell = crate::testing::measurement(&workload, 50e6);
            let got = workload.metric.value(&cell).unwrap();
            assert!((got / 50e6 - 1.0).abs() < 1e-6, "{name}: {got}");
        }
    }

    #[test]
    fn the_smaller_latency_has_the_larger_score_and_comes_back_as_it_was() {
        let mut workload = bakeoff_model::workloads::find("randread").unwrap();
        workload.metric = Metric::LatencyP99;
        let run = RunBuilder::stacks(&["quick", "slow"]).header(|h| h.workloads = vec![workload]);
        let run = run.play(5, |_, c, _| if c == 0 { 1e6 } else { 3e6 }).build();
        let table = ScoreTable::from_run(&run, 5);
        let second = CandidateIx::new(1);
        for difference in table.differences(WorkloadIx::FIRST, CandidateIx::FIRST, second) {
            assert!((difference - libm::log(3.0)).abs() < 1e-9, "{difference}");
        }
        let score = table.values(WorkloadIx::FIRST, second)[0].unwrap();
        assert!((Metric::LatencyP99.from_score(score) - 3e6).abs() < 1.0);
        assert!((Metric::Iops.from_score(Metric::Iops.to_score(7.0)) - 7.0).abs() < 1e-9);
    }

    #[test]
    fn superseded_blocks_and_suspended_cells_do_not_count() {
        let mut builder = RunBuilder::stacks(&["a", "b"]);
        builder.block(vec![0, 1], &mut |_, _, _| 100.0);
        let reason = "killed".to_string();
        builder.push(What::BlockSuperseded { block: BlockIx::FIRST, reason });
        let mut builder = builder.cells(|c| c.truth.suspended_ns = c.candidate.number().into());
        builder.block(vec![0, 1], &mut |_, _, _| 200.0);
        let mut builder = builder
            .cells(|c| c.truth.suspended_ns = u64::from(c.candidate.number()) * 12_000_000_000);
        builder.block(vec![1, 0], &mut |_, _, _| 300.0);
        let table = ScoreTable::from_run(&builder.build(), 99);
        assert_eq!(table.blocks(), [1, 2].map(BlockIx::new));
        let rates = |c| -> Vec<Option<u64>> {
            table
                .values(WorkloadIx::FIRST, c)
                .iter()
                .map(|v| v.map(|y| libm::exp(y).round() as u64))
                .collect()
        };
        assert_eq!(rates(CandidateIx::FIRST), [Some(200), Some(300)]);
        assert_eq!(rates(CandidateIx::new(1)), [Some(200), None]);
        assert_eq!(
            table.differences(WorkloadIx::FIRST, CandidateIx::FIRST, CandidateIx::new(1)).len(),
            1
        );
    }
}
