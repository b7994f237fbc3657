//! Rules over what the machine did during a cell, where it was watched.

use super::clock;
use super::finding;
use super::registry;
use crate::model::candidate::Kind;
use crate::model::event::{Cell, Header};
use crate::model::finding::Finding;
use crate::model::throttled;
use crate::model::workload::Workload;

/// The rules, as [`super::cell::cell`] applies them.
pub(super) const RULES: [super::cell::CellRule; 5] =
    [throttled_board, lowered_clock, device_error, initialising, observer];

/// What helps a board that was slowed down.
const COOLER: &str = "use a stronger power supply or better cooling, then: bakeoff resume";
/// The governor that leaves the clock at its highest.
const PINNED: &str = "performance";
/// CPU time from which on a background thread took part: 1 % of the cell.
const THREAD_SHARE: f64 = 0.01;

fn throttled_board(header: &Header, _: &Workload, cell: &Cell) -> Option<Finding> {
    let bits = cell.telemetry.as_ref()?.throttled_bits();
    (bits != 0).then(|| {
        let words = throttled::words(bits).join(", ");
        let evidence = format!("the firmware reports: {words} (bits {bits:#x})");
        finding(header, &registry::THROTTLED, evidence, COOLER)
    })
}

/// L49 where no firmware speaks: the clock fell from its highest and stayed low, and so did the
/// rate, or it was hot and nothing but heat or power lowers a clock that is pinned.
fn lowered_clock(header: &Header, _: &Workload, cell: &Cell) -> Option<Finding> {
    let t = cell.telemetry.as_ref().filter(|t| t.throttled_bits() == 0)?;
    let of = &header.candidates.get(usize::from(cell.candidate))?.kind;
    let own = match of {
        Kind::Stack(stack) => stack.knobs.governor.as_deref(),
        Kind::Directory { .. } => None,
    };
    let all = &header.host.governors;
    let is_pinned = own == Some(PINNED)
        || own.is_none() && !all.is_empty() && all.iter().all(|governor| governor == PINNED);
    let is_hot = clock::is_hot(header, t);
    t.frequency_khz.iter().find_map(|of| {
        let (low, most) = clock::fell_for_good(of, header.protocol.thresholds.clock_fall)?;
        let with_rate = clock::falls_with_rate(t, of, &cell.measurement);
        if !(with_rate || is_hot && is_pinned) {
            return None;
        }
        let heat = t.hottest_mc().map_or(String::new(), |mc| format!(" at {} °C", mc / 1000));
        let rate = if with_rate { ", and the rate fell as well" } else { "" };
        let evidence =
            format!("the clock fell from {} to {} MHz{heat}{rate}", most / 1000, low / 1000);
        Some(finding(header, &registry::THROTTLED, evidence, COOLER))
    })
}

fn device_error(header: &Header, _: &Workload, cell: &Cell) -> Option<Finding> {
    let telemetry = cell.telemetry.as_ref()?;
    let first = telemetry.device_errors().next()?;
    let count = telemetry.device_errors().count();
    let evidence = format!("{} ({count} lines in the kernel log)", first.trouble.label());
    let advice = "check dmesg, then try another cable, port or power supply";
    Some(finding(header, &registry::DEVICE_ERROR, evidence, advice))
}

/// The part of L53 that shows while it happens.
fn initialising(header: &Header, _: &Workload, cell: &Cell) -> Option<Finding> {
    let threads = &cell.telemetry.as_ref()?.threads;
    let lazy = threads.iter().find(|t| t.name == "ext4lazyinit")?;
    let share = lazy.cpu_ns as f64 / cell.measurement.elapsed_ns.max(1) as f64;
    (share > THREAD_SHARE).then(|| {
        let evidence =
            format!("ext4lazyinit took {:.1} % of a CPU during the measurement", share * 100.0);
        let advice = "wait until it is done (ps -e shows it), or mkfs.ext4 -E lazy_itable_init=0";
        finding(header, &registry::LAZYINIT, evidence, advice)
    })
}

fn observer(header: &Header, _: &Workload, cell: &Cell) -> Option<Finding> {
    let share = cell.telemetry.as_ref()?.cost_share()?;
    (share > header.protocol.thresholds.watching).then(|| {
        let evidence = format!("monitoring took {:.1} % of a CPU", share * 100.0);
        finding(
            header,
            &registry::OBSERVER,
            evidence,
            "stop other monitors, which make /proc slower to read",
        )
    })
}
