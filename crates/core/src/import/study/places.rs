//! Where on which disk candidates were measured: L01 to L04, L07, L09, L12, L25 and L61 to L63.

use std::collections::{BTreeMap, BTreeSet};

use super::{Study, found};
use crate::model::finding::{Finding, Severity};
use crate::units;

/// The usual allocation unit of SD cards and sticks.
const ALLOCATION_UNIT_BYTES: f64 = 4194304.0;
/// Filesystems that Linux long read through user-space or foreign drivers only.
const FOREIGN: [&str; 4] = ["ntfs", "exfat", "zfs", "hfsplus"];
/// The kernel writes back every 5 s; a window needs ten of those.
const WINDOW_NS: f64 = 50e9;

/// All rules of this file.
pub fn findings(study: &Study) -> Vec<Finding> {
    let starts = starts(study);
    let mut all: Vec<Finding> = [
        lba_confound(study, &starts),
        misaligned(study, &starts),
        fast_cache(study),
        short_stroke(study),
        file_in_memory(study),
        too_short(study),
        implementation(study),
        crypto_unspecified(study),
        direct_fallback(study),
    ]
    .into_iter()
    .flatten()
    .collect();
    if let Some(finding) = slot_reuse(study) {
        all.push(finding);
    }
    let is_confounded = all.iter().any(|finding| finding.id == "L01");
    all.extend(zone_gradient(study).filter(|_| is_confounded));
    if all.iter().any(|finding| finding.id == "L17") {
        all.extend(kernel_unknown(study));
    }
    all
}

/// Byte offsets of partitions by device and candidate, where the table lists them.
fn starts<'a>(study: &Study<'a>) -> BTreeMap<&'a str, BTreeMap<String, f64>> {
    let mut all: BTreeMap<&str, BTreeMap<String, f64>> = BTreeMap::new();
    for result in study.results {
        let start = result.metrics.iter().find(|m| m.name == "partition_start");
        let (Some(start), Some(test)) = (start, &result.test) else { continue };
        let journal = super::text(result, "journal");
        let crypt = super::text(result, "encryption");
        let name = format!("{test} {} {crypt} {journal}", super::text(result, "filesystem"));
        let factor = if start.unit == "sectors" { 512.0 } else { 1.0 };
        let is_candidate = !crypt.is_empty() || !journal.is_empty() || study.has(result);
        if is_candidate {
            let of_device = all.entry(super::text(result, "device")).or_default();
            of_device.insert(name, start.value.as_f64() * factor);
        }
    }
    all
}

impl Study<'_> {
    /// Whether the filesystem of a partition is one that was measured on its own.
    fn has(&self, partition: &super::ToolResult) -> bool {
        let fs = super::text(partition, "filesystem");
        let measured: BTreeSet<&str> = self.cells.iter().map(|cell| cell.fs).collect();
        measured.len() > 1 && measured.contains(fs)
    }
}

fn lba_confound(study: &Study, starts: &BTreeMap<&str, BTreeMap<String, f64>>) -> Option<Finding> {
    let advice = "Put every candidate on the same partition, one after the other: the place alone \
                  can make a difference of 45 % on a hard disk.";
    let of_table = starts.values().find(|of| of.len() > 1).map(|of| {
        let (low, high) = of.values().fold((f64::MAX, 0.0f64), |(a, b), s| (a.min(*s), b.max(*s)));
        let count = of.len();
        let span = [low, high].map(|bytes| units::size_decimal(bytes as u64));
        format!("{count} candidates on {count} partitions, from {} to {}", span[0], span[1])
    });
    let of_facts = || {
        let places: Vec<_> = study.facts.all("place").collect();
        let other = places
            .iter()
            .find(|fact| fact.device == places[0].device && fact.value != places[0].value)?;
        Some(format!("{}; {}", places[0].says, other.says))
    };
    let of_slots = || study.facts.get("slots").map(|fact| fact.says.clone());
    let evidence = of_table.or_else(of_facts).or_else(of_slots)?;
    Some(found("L01", Severity::Refuse, evidence, advice))
}

fn zone_gradient(study: &Study) -> impl Iterator<Item = Finding> {
    let fact = study.facts.all("media").find(|fact| fact.value == "hdd");
    let advice = "A hard disk reads a third slower at its end than at its start: compare on one \
                  place, or measure the raw disk at each.";
    fact.map(|fact| found("L02", Severity::Error, fact.says.clone(), advice)).into_iter()
}

fn misaligned(study: &Study, starts: &BTreeMap<&str, BTreeMap<String, f64>>) -> Option<Finding> {
    let advice = "Start partitions at multiples of 4 MiB, and say where they start.";
    for (device, of) in starts {
        let off = |start: &f64| start % ALLOCATION_UNIT_BYTES;
        let exact = of.values().filter(|start| *start % 512.0 == 0.0);
        let off: BTreeSet<u64> = exact.map(|start| off(start) as u64).collect();
        // Offsets that a tool rounded to MB or GB say nothing about alignment.
        let is_exact = of.values().all(|start| start % 512.0 == 0.0 && start % 1e5 != 0.0);
        if study.facts.is_media(device, "flash") && is_exact && off.len() > 1 {
            let list: Vec<String> = off.iter().map(|bytes| units::size(*bytes)).collect();
            let evidence =
                format!("partitions start {} past a boundary of 4 MiB", list.join(" and "));
            return Some(found("L03", Severity::Warn, evidence, advice));
        }
    }
    let slots = study.facts.get("slots")?;
    let is_silent = starts.is_empty() && study.facts.is_media(&slots.device, "flash");
    let evidence = || format!("{}; where they start is not given", slots.says);
    is_silent.then(|| found("L03", Severity::Warn, evidence(), advice))
}

fn slot_reuse(study: &Study) -> Option<Finding> {
    let slots = study.facts.number("slots")?;
    let measured: BTreeSet<String> = study.cells.iter().map(|cell| cell.candidate()).collect();
    let evidence = format!("{} candidates on {slots} partitions", measured.len());
    let advice = "Say which candidate was where: one of the places was used twice.";
    (measured.len() as f64 > slots).then(|| found("L04", Severity::Error, evidence, advice))
}

fn fast_cache(study: &Study) -> Option<Finding> {
    let cache = study.facts.number("drive_cache_bytes")?;
    let written = study.facts.number("bytes_per_cell")?;
    let size = |bytes: f64| units::size(bytes as u64);
    let evidence = format!("{} written to a drive with a cache of {}", size(written), size(cache));
    let advice = "Write several times what the drive's own cache holds.";
    (written < 2.0 * cache).then(|| found("L07", Severity::Error, evidence, advice))
}

fn short_stroke(study: &Study) -> Option<Finding> {
    let disk = study.facts.get("disk_bytes")?;
    let bytes: f64 = disk.value.parse().ok()?;
    let random = |test: &str| test.starts_with("rnd") || test.contains("random");
    let is_random = study.cells.iter().any(|c| random(c.test) && c.device.contains(&disk.device));
    let span = study.configured("total_file_size").into_iter().reduce(f64::max)?;
    let is_hdd = study.facts.is_media(&disk.device, "hdd");
    let evidence = format!("random access over {:.1} % of the disk", span / bytes * 100.0);
    let advice = "Spread the files over the disk: short ways flatter a hard disk.";
    (is_random && is_hdd && span < bytes * 0.1)
        .then(|| found("L09", Severity::Warn, evidence, advice))
}

fn file_in_memory(study: &Study) -> Option<Finding> {
    let memory = study.facts.number("memory_bytes")?;
    let file = study.configured("file_size").into_iter().reduce(f64::max)?;
    let is_direct = study.configured("option_direct").contains(&1.0);
    let size = |bytes: f64| units::size(bytes as u64);
    let evidence = format!("a file of {} on a machine with {}", size(file), size(memory));
    let advice = "Read directly, or use a file of more than twice the memory.";
    (!is_direct && file <= 2.0 * memory).then(|| found("L12", Severity::Error, evidence, advice))
}

fn too_short(study: &Study) -> Option<Finding> {
    let advice = "Measure longer: minutes, or several times.";
    // bonnie++'s own mark, in the notes of a table.
    let pluses = study.unread.iter().filter(|u| u.why.contains("+++")).count();
    if pluses > 0 {
        let evidence = format!("{pluses} figures are missing for phases below half a second");
        return Some(found("L25", Severity::Error, evidence, advice));
    }
    let bytes = study.facts.number("bytes_per_cell")?;
    let fastest = study.cells.iter().map(|cell| cell.rate).fold(0.0, f64::max);
    let ns = bytes / fastest.max(1.0) * 1e9;
    let evidence =
        format!("{} a test, and the kernel writes back every 5 s", units::duration(ns as u64));
    (ns < WINDOW_NS).then(|| found("L25", Severity::Error, evidence, advice))
}

fn implementation(study: &Study) -> Option<Finding> {
    let foreign = study.cells.iter().find(|cell| FOREIGN.contains(&cell.fs))?;
    let evidence = format!("{} through a driver in user space or from outside Linux", foreign.fs);
    let advice = "Say which driver: drivers are compared here, not formats.";
    Some(found("L61", Severity::Error, evidence, advice))
}

fn crypto_unspecified(study: &Study) -> Option<Finding> {
    let crypt = study.cells.iter().find(|cell| !cell.crypt.is_empty())?;
    let is_named = |text: &str| text.contains("aes") || text.contains("chacha");
    let evidence = format!("{} without cipher, key and sector size", crypt.crypt);
    let advice = "Give the cipher: it decides what encryption costs.";
    (!is_named(crypt.crypt)).then(|| found("L62", Severity::Error, evidence, advice))
}

fn direct_fallback(study: &Study) -> Option<Finding> {
    let is_direct = study.configured("option_direct").contains(&1.0);
    let btrfs = study.cells.iter().any(|cell| cell.fs == "btrfs");
    let evidence = "direct I/O on btrfs, which some kernels split into single sectors or send \
                    through the page cache";
    let advice = "Say which kernel, and check that direct writes dirty no pages.";
    (is_direct && btrfs).then(|| found("L17", Severity::Error, evidence.to_string(), advice))
}

fn kernel_unknown(study: &Study) -> Option<Finding> {
    let fact = study.facts.all("kernel").find(|fact| fact.value == "not stated")?;
    let advice = "Give the kernel of every machine: direct I/O and defaults changed.";
    Some(found("L63", Severity::Error, fact.says.clone(), advice))
}
