//! L12 file-vs-ram: a file that is read through the page cache is smaller than twice the memory.

use crate::evidence::observation::{MeasuredCell, Observation};
use crate::evidence::rule::Hit;
use bakeoff_model::event::CacheState;
use bakeoff_model::job::Rw;
use bakeoff_stats::units;

/// A file of so many times the memory does not stay in it.
const TIMES: u64 = 2;

pub fn in_cell(of: &Observation) -> Option<Hit> {
    let MeasuredCell { design, cell, .. } = of.measured?;
    let job = &cell.measurement.job;
    let memory = design.host.mem_total_bytes;
    let proven = cell.truth.cache != CacheState::Unknown;
    let buffered = job.rw.reads() && job.rw != Rw::SmallFiles && !job.direct;
    (buffered && !proven && job.size < memory.saturating_mul(TIMES)).then(|| {
        let share = (memory as f64 / job.size.max(1) as f64 * 100.0).min(100.0);
        let evidence = format!(
            "reads {} through the page cache of a machine with {}: up to {share:.0} % can come \
             from memory",
            units::size(job.size),
            units::size(memory)
        );
        Hit::new(evidence, "use {direct=true}, or a {size} twice as large as memory")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::cell::testing::found;
    use bakeoff_model::event::{Cell, Header};

    #[test]
    fn l12_buffered_reads_of_a_file_that_fits_in_memory() {
        let buffered = |size: u64| {
            move |header: &mut Header, c: &mut Cell| {
                header.host.mem_total_bytes = 4 << 30;
                c.measurement.job.direct = false;
                c.measurement.job.size = size;
                c.truth.cache = CacheState::Unknown;
            }
        };
        assert!(found("randread", 900.0, buffered((8 << 30) - 1)).contains(&"L12".to_string()));
        assert!(!found("randread", 900.0, buffered(8 << 30)).contains(&"L12".to_string()));
        let proven = |header: &mut Header, c: &mut Cell| {
            buffered(1 << 30)(header, c);
            c.truth.cache = CacheState::Cold;
        };
        assert!(found("randread", 900.0, proven).is_empty());
    }
}
