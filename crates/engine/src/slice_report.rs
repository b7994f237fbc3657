//! What all threads of a cell did in a slice, added up.

use bakeoff_model::op_totals::OpTotals;
use bakeoff_model::slice::Stretch;
use bakeoff_tools::native::sliced::{Go, OpKind, SliceReport};

use crate::along;
use crate::cost::Cost;
use crate::crew::{Slice, Worker, with_crew};
use crate::error::EngineError;
use crate::lane::Cell;
use crate::outcome::{Outcome, Piece};
use crate::record::Kind;
use crate::usage::Usage;

pub type Measure<'m> = &'m mut dyn FnMut(&Go) -> Result<SliceReport, EngineError>;

pub type Talk<'t> = &'t mut dyn FnMut(Measure<'_>) -> Result<(), EngineError>;

/// How a cell is measured.
pub enum How<'t> {
    AtOnce,
    /// In slices, as often as that says. The CPU time of each is in its report.
    InSlices(Talk<'t>),
}

/// Measures slices with a crew, as often as `talk` says, and adds up what its members did in each.
pub fn in_crew<W: Worker>(
    cell: Cell,
    prepare: impl Fn(u32) -> Result<W, EngineError> + Sync,
    talk: Talk<'_>,
) -> Result<Vec<Outcome>, EngineError> {
    with_crew(cell.job.numjobs, cell.live, prepare, |slice: Slice<'_>| {
        talk(&mut |go| {
            let before = Usage::now();
            let pieces = slice(go)?;
            let usage = Usage::now().since(before);
            Ok(added_up(pieces, cell.cost, usage))
        })
    })
}

fn added_up(pieces: Vec<Piece>, cost: Cost, usage: Usage) -> SliceReport {
    let count = pieces.len().max(1) as u64;
    let mean = |of: fn(&Piece) -> u64| pieces.iter().map(of).sum::<u64>() / count;
    let start_ns = pieces.iter().map(|piece| piece.start_ns).min().unwrap_or(0);
    let end_ns = pieces.iter().map(|piece| piece.end_ns).max().unwrap_or(0);
    let waited: Option<u64> = pieces.iter().map(|piece| piece.waited_ns).sum();
    let stretches =
        |of: fn(&Piece) -> &[Stretch]| along::together(&pieces.iter().map(of).collect::<Vec<_>>());
    let (settling, along) = (stretches(|piece| &piece.settling), stretches(|piece| &piece.along));
    let elapsed_ns = (end_ns - start_ns).max(1);
    // CPU and waiting are known of both parts together.
    let settled_ns = Stretch::sum(&settling).elapsed_ns;
    let of_both = |ns: u64| {
        let own = u128::from(ns) * u128::from(elapsed_ns);
        u64::try_from(own / u128::from(elapsed_ns.saturating_add(settled_ns))).unwrap_or(ns)
    };
    let mut report = SliceReport {
        monotonic_ns: start_ns,
        elapsed_ns,
        data_ns: mean(|piece| piece.data_ns),
        flush_ns: mean(|piece| piece.flush_ns),
        close_ns: mean(|piece| piece.close_ns),
        ops: Vec::new(),
        usr_cpu_ns: of_both(usage.usr_ns),
        sys_cpu_ns: of_both(usage.sys_ns),
        waited_ns: waited.map(|ns| of_both(ns / count)),
        tool_ns: 0,
        pooled_ios: pieces.iter().map(|piece| piece.pooled_ios).sum(),
        cut: pieces.iter().any(|piece| piece.cut),
        settling,
        along,
    };
    for (kind, more) in pieces.into_iter().flat_map(|piece| piece.ops) {
        add(&mut report.ops, kind, more);
    }
    report.ops.sort_by_key(|(kind, _)| *kind);
    let ops = |kind| report.totals(kind).map_or(0, |totals| totals.count);
    let all = report.ops.iter().map(|(_, totals)| totals.count).sum();
    let made = ops(OpKind::Write) + ops(OpKind::Create);
    report.tool_ns = (cost.of_ios(all, made, report.pooled_ios) / count as f64) as u64;
    report
}

fn add(ops: &mut Vec<(OpKind, OpTotals)>, kind: Kind, more: OpTotals) {
    let kind = match kind {
        Kind::Read => OpKind::Read,
        Kind::Write => OpKind::Write,
        Kind::Flush => OpKind::Flush,
        Kind::Create => OpKind::Create,
        Kind::Stat => OpKind::Stat,
        Kind::Unlink => OpKind::Unlink,
        // Only profiles commit, and they are not sliced.
        Kind::Commit => return,
    };
    match ops.iter_mut().find(|(own, _)| *own == kind) {
        Some((_, totals)) => totals.merge(&more),
        None => ops.push((kind, more)),
    }
}
