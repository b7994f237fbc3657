//! Rules over one cell: is its number what it claims to be?

use super::registry;
use super::{about, figures, finding, machine};
use crate::boards::link;
use crate::model::candidate::Kind;
use crate::model::event::{CacheState, Cell, Header};
use crate::model::finding::{Finding, Scope, Severity};
use crate::model::host::{Place, PlaceClass};
use crate::model::job::Rw;
use crate::model::workload::{DriverName, Phase, Workload};
use crate::{units, words};

/// Shortest cell that says anything, nanoseconds.
const SHORTEST_NS: u64 = 500_000_000;
/// Fewest operations that say anything.
const FEWEST_IOS: u64 = 50;
/// Writeback timer of the kernel (`vm.dirty_expire_centisecs` and ext4's commit are of this order).
const PERIOD_NS: u64 = 5_000_000_000;
/// Pages dirtied for each page written directly from which on the write was not direct.
const DIRTIED_PER_PAGE: f64 = 0.5;
/// Foreign bytes that are never worth a word: one journal commit of a quiet system.
const FOREIGN_FLOOR_BYTES: u64 = 1 << 20;
/// Share of the time the load waits for a CPU from which on it is felt: the smallest tie margin.
const WAITED_SHARE: f64 = 0.02;
/// Blocks that are large enough for the cost of a call not to count.
const ENOUGH_BYTES: u64 = 64 << 10;
/// Times over from which on blocks count as written again and again.
const MANY_PASSES: f64 = 2.0;
/// Pages of swap traffic a machine with idle processes shows without being short of memory.
const SWAPPED_FLOOR_PAGES: u64 = 256;
/// What is left of two clocks being read one after the other, in a cell that nobody suspended.
const SUSPEND_FLOOR_NS: u64 = 1_000_000;

/// A rule over one cell.
pub(super) type CellRule = fn(&Header, &Workload, &Cell) -> Option<Finding>;

/// Everything that can be said against a cell, the engine's own findings included.
pub fn cell(header: &Header, cell: &Cell) -> Vec<Finding> {
    let Some(workload) = header.workloads.get(usize::from(cell.workload)) else {
        return Vec::new();
    };
    let rules: [CellRule; 13] = [
        suspended,
        swapping,
        no_progress,
        impossible_rate,
        warm_cache,
        cache_unknown,
        file_in_memory,
        direct_fallback,
        too_short,
        foreign,
        foreign_cpu,
        tool_share,
        rewritten,
    ];
    let all = rules.iter().chain(&figures::RULES).chain(&machine::RULES);
    let own = all.filter_map(|rule| rule(header, workload, cell));
    let engines = cell.measurement.findings.iter().cloned().map(|found| Finding {
        advice: super::advice::spelled(&header.verb, &found.advice),
        ..found
    });
    own.chain(engines).map(|found| about(found, header, cell)).collect()
}

/// Why a cell must be measured again: its number is not what it claims to be.
pub fn invalid_reason(header: &Header, of: &Cell) -> Option<String> {
    cell(header, of)
        .into_iter()
        .find(|f| f.severity == Severity::Refuse && f.scope == Scope::Cell)
        .map(|f| f.evidence)
}

/// Whether a cell must be measured again.
pub fn is_invalid(header: &Header, cell: &Cell) -> bool {
    invalid_reason(header, cell).is_some()
}

fn suspended(header: &Header, _: &Workload, cell: &Cell) -> Option<Finding> {
    let ns = cell.truth.suspended_ns;
    (ns > SUSPEND_FLOOR_NS).then(|| {
        let evidence = format!("the machine was suspended for {}", units::duration(ns));
        finding(
            header,
            &registry::SUSPENDED,
            evidence,
            "keep the machine awake while bakeoff measures",
        )
    })
}

fn swapping(header: &Header, _: &Workload, cell: &Cell) -> Option<Finding> {
    let pages = cell.truth.swapped_pages?;
    (pages > SWAPPED_FLOOR_PAGES).then(|| {
        let evidence = format!("{pages} pages were swapped in or out");
        finding(header, &registry::SWAP, evidence, "free some memory, or use a smaller --size")
    })
}

fn no_progress(header: &Header, workload: &Workload, cell: &Cell) -> Option<Finding> {
    let m = &cell.measurement;
    workload.metric.of(m).is_none().then(|| {
        let evidence = format!("no operation completed in {}", units::duration(m.elapsed_ns));
        finding(header, &registry::NO_PROGRESS, evidence, "check for device errors with dmesg")
    })
}

fn impossible_rate(header: &Header, workload: &Workload, cell: &Cell) -> Option<Finding> {
    let place = place(header, cell.candidate).filter(|p| p.class == PlaceClass::Block)?;
    let capacity = link::of_place(place)?;
    let m = &cell.measurement;
    let reads_device = workload.phase == Phase::ColdRead || m.job.direct;
    let advice = "the data came from memory: use --direct, or a --size larger than the memory";
    let over = |what: &str, rate: f64| {
        let evidence = format!(
            "{what} {} over a link that carries {} at most",
            units::rate(rate),
            units::rate(capacity)
        );
        finding(header, &registry::IMPOSSIBLE_RATE, evidence, advice)
    };
    let read = m.read.as_ref().filter(|_| reads_device);
    if let Some(read) = read.filter(|r| r.bw_bytes_per_s > capacity) {
        return Some(over("read", read.bw_bytes_per_s));
    }
    let write = m.write.as_ref().filter(|_| m.job.is_durable());
    if let Some(write) = write.filter(|w| w.bw_bytes_per_s > capacity) {
        return Some(over("wrote", write.bw_bytes_per_s));
    }
    let wire_ns = m.job.bs as f64 / capacity * 1e9;
    let known = read.filter(|r| !r.lat_ns.is_unknown());
    known.filter(|r| (r.lat_ns.min as f64) < wire_ns && r.total_ios > 0).map(|r| {
        let evidence = format!(
            "a read of {} took {}; the link needs {}",
            units::size(m.job.bs),
            units::latency(r.lat_ns.min),
            units::latency(wire_ns as u64)
        );
        finding(header, &registry::IMPOSSIBLE_RATE, evidence, advice)
    })
}

fn warm_cache(header: &Header, workload: &Workload, cell: &Cell) -> Option<Finding> {
    let truth = &cell.truth;
    (workload.phase == Phase::ColdRead && truth.cache == CacheState::Warm).then(|| {
        let bytes = |b: Option<u64>| b.map_or("unknown".to_string(), units::size);
        let read = cell.measurement.read.as_ref().map_or(0, |r| r.io_bytes);
        let evidence = format!(
            "the read came from memory: read {}, the devices transferred {}, {} were in memory \
             before",
            units::size(read),
            bytes(truth.device_read_bytes),
            bytes(truth.resident_before_bytes)
        );
        finding(
            header,
            &registry::WARM_CACHE,
            evidence,
            "use --direct, or a --size larger than the memory",
        )
    })
}

fn cache_unknown(header: &Header, workload: &Workload, cell: &Cell) -> Option<Finding> {
    (workload.phase == Phase::ColdRead && cell.truth.cache == CacheState::Unknown).then(|| {
        let class = place(header, cell.candidate).map_or(PlaceClass::Block, |p| p.class);
        let why = match class {
            PlaceClass::Memory => "the target is memory",
            PlaceClass::Network => "the cache of the other machine is not visible",
            PlaceClass::Fuse => "the filesystem uses a user-space driver",
            PlaceClass::Stacked => "the underlying filesystem is not visible",
            PlaceClass::Block => "the kernel reports too little",
        };
        let evidence = format!("cache state unknown: {why}");
        let advice = "run bakeoff as root, or on the machine that contains the disk";
        finding(header, &registry::CACHE_STATE_UNKNOWN, evidence, advice)
    })
}

fn file_in_memory(header: &Header, workload: &Workload, cell: &Cell) -> Option<Finding> {
    let job = &cell.measurement.job;
    let memory = header.host.mem_total_bytes;
    // A profile that puts its files out of memory says itself what stayed there.
    let proven = match workload.phase {
        Phase::ColdRead => cell.truth.cache != CacheState::Unknown,
        Phase::Whole => job.invalidate,
        _ => false,
    };
    let buffered = job.rw.reads() && job.rw != Rw::SmallFiles && !job.direct;
    (buffered && !proven && job.size < memory.saturating_mul(2)).then(|| {
        let share = (memory as f64 / job.size.max(1) as f64 * 100.0).min(100.0);
        let evidence = format!(
            "reads {} through the page cache of a machine with {}: up to {share:.0} % can come \
             from memory",
            units::size(job.size),
            units::size(memory)
        );
        finding(
            header,
            &registry::FILE_VS_RAM,
            evidence,
            "use --direct, or --size of twice the memory",
        )
    })
}

fn direct_fallback(header: &Header, _: &Workload, cell: &Cell) -> Option<Finding> {
    let m = &cell.measurement;
    let dirtied = cell.truth.dirtied_per_page.filter(|_| m.job.direct && m.write.is_some())?;
    (dirtied > DIRTIED_PER_PAGE).then(|| {
        let evidence = format!(
            "the kernel dirtied {dirtied:.2} pages of its cache for each page written directly"
        );
        let advice =
            "mount btrfs with nodatasum (chattr +C for a directory), or drop --direct for all";
        finding(header, &registry::DIRECT_FALLBACK, evidence, advice)
    })
}

fn too_short(header: &Header, _: &Workload, cell: &Cell) -> Option<Finding> {
    let m = &cell.measurement;
    let (ios, took) = (m.total_ios(), units::duration(m.elapsed_ns));
    let fewest = FEWEST_IOS.min(header.protocol.cell_min_ios);
    // Slices are short on purpose, and each ends with its own flush.
    let is_whole = cell.slices.is_empty();
    let evidence = if is_whole && m.elapsed_ns < SHORTEST_NS {
        format!("lasted {took}; the minimum is half a second")
    } else if ios < fewest {
        format!("{ios} operations in {took}; the minimum is {fewest}")
    } else if is_whole && !m.job.is_durable() && m.elapsed_ns < 10 * PERIOD_NS {
        format!(
            "lasted {took}; unflushed writes need 50 s, because the kernel writes back every 5 s"
        )
    } else {
        return None;
    };
    let has_no_time = m.tool.as_ref().is_some_and(|tool| {
        matches!(tool.driver, DriverName::Dd | DriverName::Iozone | DriverName::Bonnie)
    });
    let advice = match has_no_time {
        true => "use a larger --size: the tool processes its file once, regardless of the time",
        false => "measure longer: --runtime 60s, or flush: --end_fsync",
    };
    Some(finding(header, &registry::TOO_SHORT, evidence, advice))
}

fn foreign(header: &Header, _: &Workload, cell: &Cell) -> Option<Finding> {
    let m = &cell.measurement;
    let foreign = cell.truth.foreign_bytes?;
    let own: u64 = m.ops().map(|(_, s)| s.io_bytes).sum();
    let is_much = foreign as f64 > own as f64 * header.protocol.thresholds.foreign
        && foreign >= FOREIGN_FLOOR_BYTES;
    is_much.then(|| {
        let evidence = format!(
            "other processes{} transferred {} while the cell transferred {}",
            by_whom(&cell.truth.foreign_by),
            units::size(foreign),
            units::size(own)
        );
        finding(
            header,
            &registry::BACKGROUND,
            evidence,
            "stop other users of the disk (see: iotop -o)",
        )
    })
}

/// L52 of the CPUs: others ran, and the load had to wait for them. What runs beside it on a CPU of
/// its own takes nothing from a disk.
fn foreign_cpu(header: &Header, _: &Workload, cell: &Cell) -> Option<Finding> {
    let (m, cpus) = (&cell.measurement, header.host.cpus.max(1));
    let busy = cell.truth.foreign_cpus?;
    let waited = m.waited_ns.map(|ns| ns as f64 / m.elapsed_ns.max(1) as f64);
    let is_much = busy > f64::from(cpus) * header.protocol.thresholds.foreign_cpu;
    (is_much && waited.is_none_or(|share| share > WAITED_SHARE)).then(|| {
        let had_to_wait = waited.map_or(String::new(), |share| {
            format!(", and the load waited for one for {:.0} % of the time", share * 100.0)
        });
        let evidence = format!(
            "other processes{} kept {busy:.1} of {} busy{had_to_wait}",
            by_whom(&cell.truth.foreign_cpus_by),
            words::count(cpus, "CPU"),
        );
        finding(
            header,
            &registry::BACKGROUND,
            evidence,
            "stop other programs (see: top), then measure again",
        )
    })
}

/// ` (rsync (4711))`: names come from the system and are made harmless where they are read.
fn by_whom(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(" ({})", words::list(names)) }
}

fn tool_share(header: &Header, _: &Workload, cell: &Cell) -> Option<Finding> {
    let m = &cell.measurement;
    let share = m.tool_ns as f64 / m.elapsed_ns.max(1) as f64;
    (share > header.protocol.thresholds.tool).then(|| {
        let evidence =
            format!("{:.0} % of the time was spent generating data and counting", share * 100.0);
        let advice = match m.job.bs < ENOUGH_BYTES && m.job.rw != Rw::SmallFiles {
            true => "use a larger block size: --bs 64k",
            false => {
                "the target is nearly as fast as the generator: read the figure as \"at least\"; \
                 to measure the generator: bakeoff check --engine"
            }
        };
        finding(header, &registry::TOOL_SHARE, evidence, advice)
    })
}

/// Direct writes that come to a block again before any flush: a drive with a cache may keep the
/// last of them alone. Through the page cache that is kept from happening.
fn rewritten(header: &Header, workload: &Workload, cell: &Cell) -> Option<Finding> {
    let job = &cell.measurement.job;
    let bytes = cell.measurement.write.as_ref()?.io_bytes;
    let has_words = workload.profile.is_none() && workload.fio_job.is_none();
    let is_flushed = job.fsync > 0 || job.fdatasync > 0;
    let passes = bytes as f64 / job.size.max(1) as f64;
    (has_words && job.direct && !is_flushed && passes >= MANY_PASSES).then(|| {
        let evidence = format!(
            "{} were overwritten {passes:.1} times and flushed at most once, at the end",
            units::size(job.size)
        );
        let advice = "write more than the drive's cache can store: use a larger --size";
        finding(header, &registry::REWRITTEN, evidence, advice)
    })
}

/// What lies behind a candidate: its directory's place, or the one of the region.
pub(crate) fn place(header: &Header, candidate: u16) -> Option<&Place> {
    match &header.candidates.get(usize::from(candidate))?.kind {
        Kind::Directory { place, .. } => Some(place),
        Kind::Stack(_) => header.region.as_ref().map(|r| &r.place),
    }
}

#[cfg(test)]
mod tests;
