//! Rules about the disks and places behind the candidates that are known before the first block.
//!
//! Sources: Documentation/driver-api/usb and the UAS driver for BOT; the Raspberry Pi documentation
//! on USB buses and power; flashbench's README for allocation units; zcav(8) for zones.

use super::finding;
use super::plan::places;
use crate::evidence::registry;
use crate::model::candidate::Kind;
use crate::model::event::{Header, Region};
use crate::model::finding::Finding;
use crate::model::host::{Layer, LayerKind, Place, PlaceClass};
use crate::model::setting::Setting;
use crate::units;

/// What a hard disk loses from its first to its last track.
const ZONE_LOSS: f64 = 0.33;
/// From this size on a hard disk behind USB is likely to overlap its tracks.
const LARGE_BYTES: u64 = 1_000_000_000_000;
/// Boards whose USB ports and Ethernet share one controller.
const ONE_BUS: [&str; 4] =
    ["Raspberry Pi Model", "Raspberry Pi 2", "Raspberry Pi 3", "Raspberry Pi Zero"];
/// Boards without a detector of under-voltage.
const NO_DETECTOR: [&str; 2] = ["Raspberry Pi Zero", "Raspberry Pi Model B Rev"];

/// Everything about devices.
pub fn rules(header: &Header) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    found.extend(different_places(header));
    found.extend(governor(header));
    found.extend(shared_bus(header));
    found.extend(header.regions().flat_map(|region| of_region(header, region)));
    for (candidate, place) in places(header) {
        let rules =
            [misaligned, smr, short_stroke, degraded, one_command, power, unknown_options, cipher];
        for mut of in rules.iter().filter_map(|rule| rule(header, place)) {
            of.candidate = candidate.map(str::to_string);
            found.push(of);
        }
    }
    found
}

fn disk(place: &Place) -> Option<&Layer> {
    place.disks().next()
}

fn is_hard_disk(disk: &Layer) -> bool {
    disk.rotational == Some(true)
}

/// L01: stacks on regions of one disk that are not the same.
fn different_places(header: &Header) -> Option<Finding> {
    let regions: Vec<&Region> = header.regions().collect();
    let used = |i: usize| header.candidates.iter().any(|c| usize::from(c.region) == i);
    for (i, a) in regions.iter().enumerate() {
        for (j, b) in regions.iter().enumerate().skip(i + 1) {
            let same =
                matches!((disk(&a.place), disk(&b.place)), (Some(x), Some(y)) if x.dev == y.dev);
            let common = overlap(a, b);
            if same && used(i) && used(j) && common < header.protocol.thresholds.overlap {
                let evidence = format!(
                    "regions at {} and {} of one disk overlap by {:.0} %",
                    units::size(a.start_bytes),
                    units::size(b.start_bytes),
                    common * 100.0
                );
                let advice =
                    "name one --target for all candidates, so that all use the same region";
                return Some(finding(header, &registry::LBA_CONFOUND, evidence, advice));
            }
        }
    }
    two_partitions(header)
}

/// Share of the smaller region that lies in the other.
fn overlap(a: &Region, b: &Region) -> f64 {
    let end = |r: &Region| r.start_bytes.saturating_add(r.size_bytes);
    let low = a.start_bytes.max(b.start_bytes);
    let high = end(a).min(end(b));
    high.saturating_sub(low) as f64 / a.size_bytes.min(b.size_bytes).max(1) as f64
}

/// Directories on two partitions of one disk.
fn two_partitions(header: &Header) -> Option<Finding> {
    let on: Vec<(&str, &Layer, &Layer)> = header
        .candidates
        .iter()
        .filter_map(|c| match &c.kind {
            Kind::Directory { place, .. } => Some((
                c.name.as_str(),
                disk(place)?,
                place.chain.iter().find(|l| l.kind == LayerKind::Partition)?,
            )),
            Kind::Stack(_) => None,
        })
        .collect();
    let apart = on.iter().enumerate().find_map(|(i, a)| {
        let b = on[i + 1..].iter().find(|b| a.1.dev == b.1.dev && a.2.dev != b.2.dev)?;
        Some((a, b))
    });
    let (a, b) = apart?;
    let evidence =
        format!("{} is on {} and {} on {} of {}", a.0, a.2.name, b.0, b.2.name, a.1.name);
    let advice = "to compare filesystems, put them on the same region of the disk: bakeoff run";
    Some(finding(header, &registry::LBA_CONFOUND, evidence, advice))
}

/// L02, L05 for a region.
fn of_region(header: &Header, region: &Region) -> Vec<Finding> {
    let mut found = Vec::new();
    let Some(disk) = disk(&region.place).filter(|d| d.size_bytes > 0) else { return found };
    let change = ZONE_LOSS * region.size_bytes as f64 / disk.size_bytes as f64;
    if is_hard_disk(disk) && change >= header.protocol.thresholds.gradient {
        let evidence = format!(
            "{} of a hard disk of {}: the speed differs by about {:.0} % between its first and \
             last track",
            units::size(region.size_bytes),
            units::size(disk.size_bytes),
            change * 100.0
        );
        let advice = "use a smaller [region] size, in the part of the disk that you need";
        found.push(finding(header, &registry::ZONE_GRADIENT, evidence, advice));
    }
    found
}

/// L03: only flash behind a controller of its own erases in units that partitions can miss.
fn misaligned(header: &Header, place: &Place) -> Option<Finding> {
    let disk = disk(place)?;
    let is_flash = matches!(disk.bus.as_deref(), Some("mmc" | "usb")) && !is_hard_disk(disk);
    let unit = header.protocol.thresholds.allocation_unit_bytes;
    let partition = place.chain.iter().find(|l| l.kind == LayerKind::Partition)?;
    let start = partition.start_bytes?;
    let off = start % unit.max(1);
    (is_flash && off != 0).then(|| {
        let evidence = format!(
            "{} begins at {}, {} past a multiple of {}",
            partition.name,
            units::size(start),
            units::size(off),
            units::size(unit)
        );
        let advice = "align partitions to multiples of 4 MiB (in sfdisk: a start of 4MiB)";
        finding(header, &registry::MISALIGNED, evidence, advice)
    })
}

fn smr(header: &Header, place: &Place) -> Option<Finding> {
    let disk = disk(place).filter(|d| is_hard_disk(d))?;
    let is_suspect = disk.bus.as_deref() == Some("usb") && disk.size_bytes >= LARGE_BYTES;
    let cache = header.protocol.thresholds.media_cache_bytes;
    let written = header.expected_write_bytes;
    (is_suspect && written > 0 && written < cache).then(|| {
        let evidence = format!(
            "a hard disk of {} behind USB, and only {} to write",
            units::size(disk.size_bytes),
            units::size(written)
        );
        let advice = "write more than its media cache can store: --size 4g and --max-write 30g";
        finding(header, &registry::SMR, evidence, advice)
    })
}

fn short_stroke(header: &Header, place: &Place) -> Option<Finding> {
    let disk = disk(place).filter(|d| is_hard_disk(d) && d.size_bytes > 0)?;
    let random = header.workloads.iter().filter(|w| w.job.rw.is_random());
    let span = random.map(|w| w.job.size).max()?;
    let share = span as f64 / disk.size_bytes as f64;
    (share < header.protocol.thresholds.span).then(|| {
        let evidence = format!(
            "random access over {} of {}: {:.2} % of the disk",
            units::size(span),
            units::size(disk.size_bytes),
            share * 100.0
        );
        finding(
            header,
            &registry::SHORT_STROKE,
            evidence,
            "use a larger --size; seeks over the whole disk are longer",
        )
    })
}

fn governor(header: &Header) -> Option<Finding> {
    let is_pinned = |kind: &Kind| matches!(kind, Kind::Stack(s) if s.knobs.governor.is_some());
    let other: Vec<&String> =
        header.host.governors.iter().filter(|g| *g != "performance").collect();
    let first = other.first().filter(|_| !header.candidates.iter().all(|c| is_pinned(&c.kind)))?;
    let evidence = format!("cpufreq governor {first} on {} policies", other.len());
    let advice = "set governor = \"performance\" in a plan's [axes], or: cpupower frequency-set \
                  -g performance";
    Some(finding(header, &registry::GOVERNOR, evidence, advice))
}

/// The part of L56 that is known before: a network place beside a USB disk on a board of one bus.
fn shared_bus(header: &Header) -> Option<Finding> {
    let model = header.host.model.as_deref()?;
    let is_one = ONE_BUS.iter().any(|m| model.starts_with(m));
    let all = places(header);
    let on_usb = all.iter().find(|(_, p)| p.disks().any(|d| d.bus.as_deref() == Some("usb")))?;
    let on_net = all.iter().find(|(_, p)| p.class == PlaceClass::Network)?;
    is_one.then(|| {
        let evidence = format!(
            "{} and {} share the one USB port of a {model}",
            on_usb.0.unwrap_or("the disk"),
            on_net.0.unwrap_or("the network")
        );
        finding(
            header,
            &registry::SHARED_BUS,
            evidence,
            "measure each in a separate run of bakeoff quick",
        )
    })
}

fn degraded(header: &Header, place: &Place) -> Option<Finding> {
    let disk = disk(place)?;
    let (link, best) = (disk.link.as_deref()?, disk.best_link.as_deref()?);
    let capacity = crate::boards::link::capacity_bytes_per_s;
    (capacity(link)? < 0.95 * capacity(best)?).then(|| {
        let evidence = format!("{} runs at {link}, but supports {best}", disk.name);
        finding(
            header,
            &registry::LINK_DEGRADED,
            evidence,
            "try another port, slot or cable; check the link with bakeoff devices",
        )
    })
}

fn one_command(header: &Header, place: &Place) -> Option<Finding> {
    let disk = disk(place)?;
    let link = disk.link.as_deref().filter(|l| l.ends_with("BOT"))?;
    let fast = crate::boards::link::capacity_bytes_per_s(link)? > 100e6;
    fast.then(|| {
        let evidence = format!("{}: {link}, one command at a time", disk.name);
        let advice = "check dmesg for the reason; an enclosure with UAS is faster";
        finding(header, &registry::UAS_BOT, evidence, advice)
    })
}

fn power(header: &Header, place: &Place) -> Option<Finding> {
    let model = header.host.model.as_deref().filter(|m| m.starts_with("Raspberry Pi"))?;
    let disk = disk(place)?;
    let is_fed = disk.bus.as_deref() == Some("usb") && is_hard_disk(disk);
    let is_blind = NO_DETECTOR.iter().any(|m| model.starts_with(m));
    let evidence = match (is_fed, is_blind) {
        (true, _) => format!("{} is a hard disk powered by a USB port of a {model}", disk.name),
        (_, true) => format!("a {model} cannot report under-voltage"),
        _ => return None,
    };
    let advice = "use a powered hub or enclosure, and watch dmesg for resets";
    Some(finding(header, &registry::POWER_BUDGET, evidence, advice))
}

fn unknown_options(header: &Header, place: &Place) -> Option<Finding> {
    let is_device = matches!(Setting::of(header), Setting::Decide | Setting::Precise);
    let disk = disk(place).filter(|_| is_device)?;
    let mut unknown = Vec::new();
    if disk.scheduler.is_none() {
        unknown.push("I/O scheduler");
    }
    if disk.read_ahead_bytes.is_none() {
        unknown.push("read-ahead");
    }
    (!unknown.is_empty()).then(|| {
        let evidence = format!("{} of {} unknown", unknown.join(" and "), disk.name);
        let advice = "set them for all candidates: [axes] scheduler and read_ahead_kb";
        finding(header, &registry::OPTIONS_UNPINNED, evidence, advice)
    })
}

/// L62 for directories: an encrypted layer whose cipher is not known from here.
fn cipher(header: &Header, place: &Place) -> Option<Finding> {
    let layer = place.chain.iter().find(|l| l.dm_target.as_deref() == Some("crypt"))?;
    let evidence = format!("{} is encrypted; cipher, key and sector size are unknown", layer.name);
    let advice = "state them next to the result; to show them: cryptsetup luksDump";
    Some(finding(header, &registry::CRYPTO_UNSPECIFIED, evidence, advice))
}
