//! How long the slices of a workload are: found once in a run, before its first round.

use std::collections::BTreeMap;

use bakeoff_core::model::index::WorkloadIx;
use bakeoff_core::model::run::Run;
use bakeoff_core::model::slice_length::{self, MeasuredLength, Next, TRIES};
use bakeoff_core::stats::sample;

use super::cell::CellError;
use super::member::{Failed, Member, give_up};
use crate::load::site::Site;
use crate::places::target_set::TargetSet;
use crate::steps::session::Session;

/// The length of the slices of a workload; members that fail meanwhile are moved to the failed.
///
/// # Errors
/// What ends the block.
pub fn length(
    session: &mut Session,
    target_set: &mut TargetSet,
    workload: WorkloadIx,
    (members, failed): (&mut Vec<Member>, &mut Vec<Failed>),
) -> Result<u64, Failed> {
    if let Some(known) = session.lengths.get(&workload) {
        return Ok(*known);
    }
    let slice_ns = match recorded(session.journal.run(), workload) {
        Some(slice_ns) => slice_ns,
        None => {
            let longest_ns = longest(session);
            calibrate(session, target_set, (members, failed), longest_ns)?
        }
    };
    session.lengths.insert(workload, slice_ns);
    Ok(slice_ns)
}

/// The longest slice there is time for.
fn longest(session: &Session) -> u64 {
    let all = session.journal.run().header.workloads.iter().filter(|w| w.can_be_sliced()).count();
    let left = all.saturating_sub(session.lengths.len());
    let left = u32::try_from(left).unwrap_or(u32::MAX);
    session.pace.longest_slice_ns(session.lengths.values().sum(), left)
}

/// The length of the slices that a run has measured already: a resumed one goes on with it.
fn recorded(run: &Run, workload: WorkloadIx) -> Option<u64> {
    let cells = run.complete_cells();
    let slices = cells.filter(|cell| cell.workload == workload).flat_map(|cell| &cell.slices);
    let shortest = slices.filter(|slice| slice.is_valid()).map(|slice| slice.elapsed_ns).min()?;
    Some(shortest.clamp(slice_length::SHORTEST_NS, slice_length::LIMIT_NS))
}

/// Finds the length of a slice: doubled until the rate stays, on average of all candidates.
fn calibrate(
    session: &mut Session,
    target_set: &mut TargetSet,
    (members, failed): (&mut Vec<Member>, &mut Vec<Failed>),
    longest_ns: u64,
) -> Result<u64, Failed> {
    let (mut tried, mut before) = (Vec::new(), BTreeMap::new());
    loop {
        let length_ns = match slice_length::next(&tried) {
            Next::Use(length_ns) => return Ok(length_ns.min(longest_ns)),
            // Of no use where nothing longer may be chosen.
            Next::Try(length_ns)
                if length_ns.saturating_mul(2) > longest_ns && tried.is_empty() =>
            {
                return Ok(longest_ns);
            }
            Next::Try(length_ns) if length_ns > longest_ns => return Ok(longest_ns),
            Next::Try(length_ns) => length_ns,
        };
        let mut logs = BTreeMap::new();
        while let Some(at) = members.iter().position(|m| !logs.contains_key(&m.candidate)) {
            let candidate = members[at].candidate;
            let Some(site) = target_set.site(candidate) else { return Ok(longest_ns) };
            match try_out(&mut members[at], site, length_ns) {
                Ok((log, written_bytes)) => {
                    session.spent.add_calibration(written_bytes);
                    logs.insert(candidate, log);
                }
                Err(trouble) => {
                    members.remove(at);
                    give_up(session, (candidate, trouble), failed)?;
                }
            }
        }
        let all: Vec<f64> = logs.values().copied().collect();
        let Some(mean) = sample::mean(&all) else { return Ok(longest_ns) };
        let changes: Vec<f64> =
            logs.iter().filter_map(|(c, log)| Some(log - before.get(c)?)).collect();
        let noise = sample::standard_error(&changes).unwrap_or(0.0);
        tried.push(MeasuredLength { length_ns, rate: mean.exp(), noise });
        before = logs;
    }
}

/// The logarithm of the rate of slices of that length, and the bytes they wrote.
fn try_out(member: &mut Member, site: &Site, length_ns: u64) -> Result<(f64, u64), CellError> {
    let (mut logs, mut written_bytes) = (Vec::new(), 0);
    for _ in 0..TRIES {
        let (rate, bytes) = member.try_out(site, length_ns)?;
        logs.push(rate.max(f64::MIN_POSITIVE).ln());
        written_bytes += bytes;
    }
    Ok((sample::median(&logs).unwrap_or_default(), written_bytes))
}
