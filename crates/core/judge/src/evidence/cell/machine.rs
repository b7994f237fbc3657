//! Rules over what the machine did while a cell was measured.
//!
//! Sources: Documentation/admin-guide/pm/cpufreq.rst; ext4(5) and mke2fs(8) on lazy initialisation.

use crate::evidence::clock;
use crate::evidence::observation::{MeasuredCell, Observation};
use crate::evidence::rule::Hit;
use bakeoff_model::candidate::{Stack, has_option};
use bakeoff_model::design::Design;
use bakeoff_model::thresholds;
use bakeoff_model::throttled;
use bakeoff_stats::{phrases, units};

pub const SUSPENDED: &str = "suspended";

const SUSPEND_FLOOR_NS: u64 = 1_000_000;

pub fn suspended(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let ns = cell.truth.suspended_ns;
    (ns > SUSPEND_FLOOR_NS).then(|| {
        let evidence = format!("the machine was suspended for {}", units::duration(ns));
        Hit::new(evidence, "keep the machine awake while bakeoff measures")
    })
}

pub const SWAP: &str = "L55";

/// Pages of swap traffic a machine with idle processes shows without being short of memory.
const SWAPPED_FLOOR_PAGES: u64 = 256;

pub fn swap(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let pages = cell.truth.swapped_pages?;
    (pages > SWAPPED_FLOOR_PAGES).then(|| {
        let evidence = format!("{pages} pages were swapped in or out");
        Hit::new(evidence, "free some memory, or use a smaller {size}")
    })
}

pub const BACKGROUND: &str = "L52";

/// Foreign bytes that are never worth a word: one journal commit of a quiet system.
const FOREIGN_FLOOR_BYTES: u64 = 1 << 20;

/// Share of the time the load waits for a CPU from which on it is felt: the smallest tie margin.
const WAITED_SHARE: f64 = 0.02;

pub fn foreign_bytes(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let m = &cell.measurement;
    let foreign = cell.truth.foreign_bytes?;
    let own: u64 = m.ops().map(|(_, s)| s.io_bytes).sum();
    let is_much =
        foreign as f64 > own as f64 * thresholds::FOREIGN && foreign >= FOREIGN_FLOOR_BYTES;
    is_much.then(|| {
        let evidence = format!(
            "other processes{} transferred {} while the cell transferred {}",
            by_whom(&cell.truth.foreign_by),
            units::size(foreign),
            units::size(own)
        );
        Hit::common(evidence, "stop other programs that use the drive (see: iotop -o)")
    })
}

/// L52 of the CPUs: others ran, and the load had to wait for them. What runs beside it on a CPU of
/// its own takes nothing from a drive.
pub fn foreign_cpus(of: &Observation) -> Option<Hit> {
    let MeasuredCell { design, cell, .. } = of.measured?;
    let (m, cpus) = (&cell.measurement, design.host.cpus.max(1));
    let busy = cell.truth.foreign_cpus?;
    let waited = m.waited_ns.map(|ns| ns as f64 / m.elapsed_ns.max(1) as f64);
    let is_much = busy > f64::from(cpus) * thresholds::FOREIGN_CPU;
    (is_much && waited.is_none_or(|share| share > WAITED_SHARE)).then(|| {
        let had_to_wait = waited.map_or(String::new(), |share| {
            format!(", and the load waited for one for {:.0} % of the time", share * 100.0)
        });
        let evidence = format!(
            "other processes{} kept {busy:.1} of {} busy{had_to_wait}",
            by_whom(&cell.truth.foreign_cpus_by),
            phrases::count(cpus, "CPU"),
        );
        Hit::common(evidence, "stop other programs (see: top), then measure again")
    })
}

/// ` (rsync (4711))`: names come from the system and are made harmless where they are read.
fn by_whom(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(" ({})", phrases::list(names)) }
}

pub const THROTTLED: &str = "L49";

const COOLER: &str = "use a stronger power supply or better cooling, then measure again";

const PINNED: &str = "performance";

pub fn told_by_firmware(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let bits = cell.telemetry.as_ref()?.throttled_bits();
    (bits != 0).then(|| {
        let words = throttled::labels(bits).join(", ");
        let evidence = format!("the firmware reports: {words} (bits {bits:#x})");
        Hit::new(evidence, COOLER)
    })
}

/// L49 where no firmware speaks: the clock fell from its highest and stayed low, and so did the
/// rate, or it was hot and nothing but heat or power lowers a clock that is pinned.
pub fn lowered_clock(of: &Observation) -> Option<Hit> {
    let MeasuredCell { design, cell, .. } = of.measured?;
    let t = cell.telemetry.as_ref().filter(|t| t.throttled_bits() == 0)?;
    let stack = cell.candidate.get(design.candidates)?.stack();
    let own = stack.and_then(|stack| stack.knobs.governor.as_deref());
    let all = &design.host.governors;
    let is_pinned = own == Some(PINNED)
        || own.is_none() && !all.is_empty() && all.iter().all(|governor| governor == PINNED);
    let is_hot = clock::is_hot(design.host, t);
    t.frequency_khz.iter().find_map(|gauge| {
        let (low, most) = clock::fell_for_good(gauge, thresholds::CLOCK_FALL)?;
        let with_rate = clock::falls_with_rate(t, gauge, &cell.measurement);
        if !(with_rate || is_hot && is_pinned) {
            return None;
        }
        let heat = t.hottest_mc().map_or(String::new(), |mc| format!(" at {} °C", mc / 1000));
        let rate = if with_rate { ", and the rate fell as well" } else { "" };
        let evidence =
            format!("the clock fell from {} to {} MHz{heat}{rate}", most / 1000, low / 1000);
        Some(Hit::new(evidence, COOLER))
    })
}

pub fn device_error(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let telemetry = cell.telemetry.as_ref()?;
    let first = telemetry.device_errors().next()?;
    let count = telemetry.device_errors().count();
    let evidence = format!("{} ({count} lines in the kernel log)", first.problem.label());
    let advice = "check dmesg, then try another cable, port or power supply";
    Some(Hit::new(evidence, advice))
}

pub const LAZYINIT: &str = "L53";

pub fn lazyinit_left(design: Design<'_>) -> Option<Hit> {
    let stacks: Vec<(&str, &Stack)> = design.stacks().collect();
    let is_lazy = |s: &Stack| {
        s.fs.starts_with("ext")
            && (has_option(&s.mkfs, "lazy_itable_init=1")
                || has_option(&s.mkfs, "lazy_journal_init=1"))
    };
    let names: Vec<String> =
        stacks.iter().filter(|(_, s)| is_lazy(s)).map(|(n, _)| n.to_string()).collect();
    (!names.is_empty()).then(|| {
        let evidence = format!(
            "mkfs of {} leaves inode tables to be initialised later",
            phrases::list(&names)
        );
        let advice = "use -E lazy_itable_init=0,lazy_journal_init=0, as plans do by default";
        Hit::common(evidence, advice)
    })
}
