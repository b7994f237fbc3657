//! Work that arrives at its own pace, whether or not the drive keeps up.
//!
//! Operations are due at equal distances and are timed from when they were due, so a stall counts
//! for everything that had to wait behind it (G. Tene, "How NOT to Measure Latency"). At the cut
//! off, what was due and not begun counts with the time it has waited so far, which is less than
//! it would have taken: a quantile that reaches there is a lower bound.

use super::meter::Meter;
use crate::error::EngineError;
use crate::record::Kind;

/// Fewest operations: a 99th percentile rests on ten that took longer.
const FEWEST: u64 = 1000;

/// Does `op` at `rate` a second for as long as the job asks; each gives the bytes it moved.
pub fn arrive(
    meter: &mut Meter<'_>,
    kind: Kind,
    rate: u64,
    mut op: impl FnMut(&mut Meter<'_>) -> Result<u64, EngineError>,
) -> Result<(), EngineError> {
    let apart_ns = 1_000_000_000 / rate.clamp(1, 1_000_000);
    let wanted_ns = meter.job.runtime_ns.unwrap_or(0);
    let count = (wanted_ns / apart_ns).max(FEWEST);
    let start_ns = meter.now_ns();
    for number in 0..count {
        let due_ns = start_ns + number * apart_ns;
        meter.wait_until(due_ns);
        let bytes = op(meter)?;
        meter.op_due(kind, bytes, due_ns);
        if meter.is_cut_off() {
            let late = (number + 1..count).map(|n| start_ns + n * apart_ns);
            let late = late.take_while(|due_ns| *due_ns < meter.now_ns());
            let waited: Vec<u64> = late.map(|due_ns| meter.now_ns() - due_ns).collect();
            meter.set_backlog(waited.len() as u64);
            waited.into_iter().for_each(|ns| meter.count(kind, ns, 0));
            return Ok(());
        }
    }
    Ok(())
}
