//! How a run spares the drive: it measures less at a time where the blocks of the first look would
//! otherwise write more than the limit allows, as on a fast drive.
//!
//! Slices that write end after fewer bytes, down to the least work that makes a valid slice; those
//! of large writes also where the limit would end the run long before its time. Cells that are no
//! slices become shorter, down to half a second (rule L25). Only below that are
//! workloads given up, and the plan refused.

use super::limits::{OverLimit, Wanted, WithinLimits, within_limits};
use bakeoff_model::protocol::{Mode, Protocol};

const CELL_NS: u64 = 500_000_000;
/// Fewest bytes that are worth trying; the minimum of work of a slice is more in most jobs.
const SLICE_BYTES: u64 = 64 << 10;
/// A slice of so many bytes is not cut further for the sake of more blocks.
const ENOUGH_BYTES: u64 = 16 << 20;
/// Share of what is measured that may be written beyond what was expected, as drives are not always
/// as fast as they were when they were tried: where bytes end a slice, and where time ends a cell.
const MARGIN: u64 = 10;
const UNBOUND_MARGIN: u64 = 2;
const WHOLE: u64 = 1000;

/// The protocol with which all workloads keep the limit of bytes, or most of them, and what they
/// cost by it. `largest_bytes` is what the largest slice writes if its time alone ends it.
///
/// # Errors
/// When not even one workload fits, with what it needs at least.
pub fn fitting(
    protocol: &Protocol,
    largest_bytes: u64,
    wanted: impl Fn(&Protocol) -> Wanted,
) -> Result<(Protocol, WithinLimits), OverLimit> {
    let (mut best, mut refused): (Option<(Protocol, WithinLimits)>, _) = (None, OverLimit::Nothing);
    let mut reached = Reached::default();
    for tried in steps(protocol, largest_bytes) {
        let asked = wanted(&tried);
        match within_limits(&asked) {
            Ok(fit) => {
                let now = Reached::by(&asked, &fit);
                let gains_blocks = (now.kept, now.margin) == (reached.kept, reached.margin);
                if now > reached && (tried.slice_bytes >= ENOUGH_BYTES || !gains_blocks) {
                    reached = now;
                    best = Some((tried.clone(), fit));
                }
            }
            Err(error) => refused = error,
        }
        let is_whole = best.as_ref().is_some_and(|(_, fit)| fit.dropped.is_empty());
        let is_least = tried.slice_bytes > 0 && tried.slice_bytes < ENOUGH_BYTES;
        if is_whole && reached.margin == WHOLE && (reached.lasts || is_least) {
            break;
        }
    }
    best.ok_or(refused)
}

/// What a protocol reaches, the more important first.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Reached {
    kept: usize,
    /// Share of the margin that the limit leaves, in thousandths.
    margin: u64,
    /// As far as there is time for them.
    blocks: u64,
    lasts: bool,
}

impl Reached {
    fn by(wanted: &Wanted, fit: &WithinLimits) -> Reached {
        let (by_time, by_bytes) = fit.blocks(wanted);
        Reached {
            kept: fit.kept,
            margin: margin(wanted, fit),
            blocks: by_bytes.min(by_time),
            lasts: by_bytes >= by_time,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitedSlices {
    pub count: u64,
    pub write_bytes: u64,
    pub largest_bytes: u64,
}

/// Bytes after which slices end for a run that fits: a drive that turns out faster than it was
/// when it was tried does not end the run before the first look. As many as the limit leaves for
/// each slice, and never so few that an expected one would be shorter.
pub fn guarded(protocol: Protocol, fit: &WithinLimits, slices: LimitedSlices) -> Protocol {
    let Some(limit) = protocol.max_write_bytes else { return protocol };
    if slices.count == 0 || protocol.slice_bytes > 0 {
        return protocol;
    }
    let fixed_bytes = fit.least.write_bytes.saturating_sub(slices.write_bytes);
    let left_bytes = limit.saturating_sub(fixed_bytes);
    // Filesystems add to what is asked of them.
    let each_bytes = left_bytes / 5 * 4 / slices.count;
    // All of them may turn out longer than expected by the same factor.
    let growth = (left_bytes as f64 / slices.write_bytes.max(1) as f64).max(1.0);
    let expected_bytes = (slices.largest_bytes as f64 * growth) as u64;
    let slice_bytes = each_bytes.max(expected_bytes).max(SLICE_BYTES);
    Protocol { slice_bytes, ..protocol }
}

fn margin(wanted: &Wanted, fit: &WithinLimits) -> u64 {
    let Some(limit) = wanted.max_write_bytes else { return WHOLE };
    let measured = fit.least.write_bytes.saturating_sub(wanted.setup.write_bytes);
    let kept = wanted.workloads.iter().take(fit.kept).filter(|asked| !asked.has_bound);
    let cells = u64::from(wanted.candidates) * u64::from(wanted.first_look);
    let unbound: u64 = kept.map(|asked| asked.cell.write_bytes.saturating_mul(cells)).sum();
    let margin = measured.saturating_sub(unbound) / MARGIN + unbound / UNBOUND_MARGIN;
    let left = limit.saturating_sub(fit.least.write_bytes);
    (left as f64 / margin.max(1) as f64 * WHOLE as f64).min(WHOLE as f64) as u64
}

fn steps(protocol: &Protocol, largest_bytes: u64) -> Vec<Protocol> {
    let mut all = vec![protocol.clone()];
    // Rounds of a characterisation are as long as its standard says.
    if protocol.max_write_bytes.is_none() || protocol.mode == Mode::Characterise {
        return all;
    }
    let (mut slice_bytes, mut cell_ns) = (largest_bytes, protocol.cell_min_ns);
    let shortest_ns = cell_ns.min(CELL_NS);
    while slice_bytes > SLICE_BYTES || cell_ns > shortest_ns {
        slice_bytes = (slice_bytes / 4 * 3).max(SLICE_BYTES);
        cell_ns = (cell_ns / 4 * 3).max(shortest_ns);
        all.push(Protocol { slice_bytes, cell_min_ns: cell_ns, ..protocol.clone() });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::limits::{Asked, Dropped, Limit, RunCost};

    const MIB: u64 = 1 << 20;
    const S: u64 = 1_000_000_000;

    fn protocol(max_mib: Option<u64>) -> Protocol {
        let max_write_bytes = max_mib.map(|mib| mib * MIB);
        Protocol { max_write_bytes, ..Protocol::for_mode(Mode::Quick, 2) }
    }

    /// 48 slices that write 32 MiB each unless they are told to end earlier, at least 512 KiB, and
    /// cells of a profile that write 100 MiB/s.
    fn wanted(protocol: &Protocol) -> Wanted {
        let slice = match protocol.slice_bytes {
            0 => 32 * MIB,
            most => most.clamp(MIB / 2, 32 * MIB),
        };
        let cell = |time_ns, write_bytes| RunCost { time_ns, write_bytes };
        let asked = |name: &str, cell| Asked {
            name: name.into(),
            cell,
            once: RunCost::default(),
            has_bound: name != "sqlite",
        };
        let profile = protocol.cell_min_ns / (S / 100) * MIB;
        Wanted {
            workloads: vec![
                asked("randwrite", cell(S, 8 * slice)),
                asked("sqlite", cell(protocol.cell_min_ns, profile)),
            ],
            candidates: 2,
            visit: RunCost::default(),
            first_look: 3,
            most_blocks: 27,
            is_of_rounds: false,
            setup: cell(S, 500 * MIB),
            time_ns: None,
            max_write_bytes: protocol.max_write_bytes,
        }
    }

    fn fit(max_mib: Option<u64>) -> Result<(Protocol, WithinLimits), OverLimit> {
        fitting(&protocol(max_mib), 32 * MIB, wanted)
    }

    #[test]
    fn what_fits_with_a_margin_is_measured_as_usual() {
        // 500 + 48 x 32 + 6 x 200 = 3236 MiB, 1536 of them in slices and 1200 in cells.
        for max in [None, Some(3236 + 154 + 600)] {
            let (protocol, fit) = fit(max).unwrap();
            assert_eq!((protocol.slice_bytes, protocol.cell_min_ns, fit.kept), (0, 2 * S, 2));
        }
        assert!(fit(Some(3236)).unwrap().0.slice_bytes > 0);
    }

    #[test]
    fn slices_and_cells_shrink_until_all_workloads_fit_with_a_margin() {
        for max in [3000, 2000, 1000, 900] {
            let (protocol, fit) = fit(Some(max)).unwrap();
            assert_eq!(fit.kept, 2, "{max}");
            let cells = 6 * (protocol.cell_min_ns / (S / 100)) * MIB;
            let slices = fit.least.write_bytes - 500 * MIB - cells;
            let most = fit.least.write_bytes + slices / 10 + cells / 2;
            // Of too little room the least is used.
            assert!(most <= max * MIB || protocol.cell_min_ns == CELL_NS, "{max}: {fit:?}");
            // Not much less than there is room for.
            assert!(most + slices + cells >= max * MIB * 9 / 10, "{max}: {fit:?}");
            assert!(protocol.cell_min_ns >= CELL_NS);
        }
    }

    /// A demo ended after two of its three minutes, its bytes spent on large slices.
    #[test]
    fn large_writes_are_cut_where_bytes_would_end_the_run_before_its_time() {
        let of = |time_s, max_mib| {
            let timed =
                |protocol: &Protocol| Wanted { time_ns: Some(time_s * S), ..wanted(protocol) };
            fitting(&protocol(Some(max_mib)), 32 * MIB, timed).unwrap().0.slice_bytes / MIB
        };
        // Six blocks of 912 MiB, which may be a quarter more.
        assert_eq!(of(40, 7400), 0, "six blocks have time and bytes");
        assert_eq!(of(40, 6600), 24);
        assert_eq!(of(4000, 6000), 18, "more blocks than bytes: half a slice is the least");
        assert_eq!(of(4000, 31_400), 0, "no more blocks than are wanted");
    }

    #[test]
    fn below_the_least_workloads_go_and_then_the_plan() {
        let (least, fit_of_one) = fit(Some(530)).unwrap();
        assert_eq!((fit_of_one.kept, least.cell_min_ns), (1, CELL_NS));
        assert_eq!(least.slice_bytes.max(MIB / 2), MIB / 2);
        let error = fit(Some(510)).unwrap_err();
        let OverLimit::First(Dropped { limit: Limit::Bytes { needed_bytes, .. }, .. }) = error
        else {
            panic!("{error:?}")
        };
        assert_eq!(needed_bytes.div_ceil(MIB), 524, "the least that does");
    }

    #[test]
    fn a_drive_that_turns_out_faster_reaches_the_first_look_all_the_same() {
        let of = |max_mib, largest_mib: u64| {
            let (asked, fit) = fit(max_mib).unwrap();
            let write_bytes = fit.least.write_bytes - 500 * MIB;
            let slices = LimitedSlices { count: 48, write_bytes, largest_bytes: largest_mib * MIB };
            guarded(asked, &fit, slices).slice_bytes / MIB
        };
        assert_eq!(of(None, 1), 0);
        assert_eq!(of(Some(5300), 1), 80, "4800 x 4 / 5 over 48");
        assert_eq!(of(Some(5300), 60), 105, "as much more as all of them may write");
        assert_eq!(of(Some(4000), 60), 76);
        assert!(of(Some(3000), 60) < 32, "what is spared stays");
    }

    #[test]
    fn rounds_of_a_characterisation_keep_their_length() {
        let asked = Protocol { mode: Mode::Characterise, ..protocol(Some(600)) };
        assert_eq!(steps(&asked, 32 * MIB), [asked]);
    }
}
