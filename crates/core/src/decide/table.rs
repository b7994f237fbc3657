//! The numbers a comparison rests on: `ln(rate)` of every cell that counts.

use crate::lint;
use crate::model::measurement::Measurement;
use crate::model::run::Run;
use crate::model::workload::Metric;

/// `ln(rate)` by workload, candidate and block, over the first complete blocks of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Numbers of the blocks, ascending.
    blocks: Vec<u32>,
    /// `[workload][candidate][position in blocks]`
    values: Vec<Vec<Vec<Option<f64>>>>,
}

impl Table {
    /// The first `blocks` complete blocks of `run`. Superseded blocks and cells whose number is
    /// not what it claims to be are left out; of a repeated cell the last one counts.
    pub fn of(run: &Run, blocks: u32) -> Table {
        let (workloads, candidates) = (run.header.workloads.len(), run.header.candidates.len());
        let chosen: Vec<_> = run.complete_blocks().take(blocks as usize).collect();
        let mut values = vec![vec![vec![None; chosen.len()]; candidates]; workloads];
        for (position, block) in chosen.iter().enumerate() {
            for cell in &block.cells {
                let workload = &run.header.workloads[usize::from(cell.workload)];
                if lint::is_invalid(&run.header, cell) {
                    continue;
                }
                let rate = rate(workload.metric, &cell.measurement);
                let slot = &mut values[usize::from(cell.workload)][usize::from(cell.candidate)];
                slot[position] = rate.map(libm::log);
            }
        }
        Table { blocks: chosen.iter().map(|b| b.block).collect(), values }
    }

    /// Numbers of the blocks in it.
    pub fn blocks(&self) -> &[u32] {
        &self.blocks
    }

    /// `ln(rate)` of a candidate on a workload, one entry a block.
    pub fn values(&self, workload: u16, candidate: u16) -> &[Option<f64>] {
        &self.values[usize::from(workload)][usize::from(candidate)]
    }

    /// `ln(a) - ln(b)` in every block in which both were measured.
    pub fn differences(&self, workload: u16, a: u16, b: u16) -> Vec<f64> {
        let pairs = self.values(workload, a).iter().zip(self.values(workload, b));
        pairs.filter_map(|(a, b)| Some((*a)? - (*b)?)).collect()
    }
}

/// What a cell is judged by: bytes, operations or files a second over its wall time, flushes and
/// close included. `None` where nothing was done.
pub fn rate(metric: Metric, m: &Measurement) -> Option<f64> {
    let data = || [&m.read, &m.write].into_iter().flatten();
    let amount = match metric {
        Metric::Bandwidth => data().map(|s| s.io_bytes).sum::<u64>() as f64,
        Metric::Iops => data().map(|s| s.total_ios).sum::<u64>() as f64,
        // Each file is created, looked at, read and removed; a set cut short counts in part.
        Metric::FilesPerSecond => m.total_ios() as f64 / 4.0,
    };
    (amount > 0.0 && m.elapsed_ns > 0).then(|| amount * 1e9 / m.elapsed_ns as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::event::What;
    use crate::testing::RunBuilder;

    #[test]
    fn every_metric_comes_back_from_a_cell() {
        for name in ["randwrite", "seqread", "smallfiles", "randrw", "seqwrite"] {
            let workload = crate::workloads::find(name).unwrap();
            let cell = crate::testing::measurement(&workload, 50e6);
            let got = rate(workload.metric, &cell).unwrap();
            assert!((got / 50e6 - 1.0).abs() < 1e-6, "{name}: {got}");
        }
    }

    #[test]
    fn superseded_blocks_and_suspended_cells_do_not_count() {
        let mut builder = RunBuilder::stacks(&["a", "b"]);
        builder.block(vec![0, 1], &mut |_, _, _| 100.0);
        let reason = "killed".to_string();
        builder.push(What::BlockSuperseded { block: 0, reason });
        let mut builder = builder.cells(|c| c.truth.suspended_ns = c.candidate.into());
        builder.block(vec![0, 1], &mut |_, _, _| 200.0);
        let mut builder =
            builder.cells(|c| c.truth.suspended_ns = u64::from(c.candidate) * 12_000_000_000);
        builder.block(vec![1, 0], &mut |_, _, _| 300.0);
        let table = Table::of(&builder.build(), 99);
        assert_eq!(table.blocks(), [1, 2]);
        let rates = |c| -> Vec<Option<u64>> {
            table.values(0, c).iter().map(|v| v.map(|y| libm::exp(y).round() as u64)).collect()
        };
        assert_eq!(rates(0), [Some(200), Some(300)]);
        assert_eq!(rates(1), [Some(200), None]);
        assert_eq!(table.differences(0, 0, 1).len(), 1);
    }
}
