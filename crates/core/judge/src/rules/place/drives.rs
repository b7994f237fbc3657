//! Rules over what a drive is, how it is connected, who else uses it, and the clock of the board.

use super::{drive, is_hard_disk, places};
use crate::evidence::rule::Hit;
use bakeoff_model::candidate::Candidate;
use bakeoff_model::design::Design;
use bakeoff_model::host::{Layer, LayerKind, Place, PlaceClass, SystemDisk, ZoneModel};
use bakeoff_model::link::Transport;
use bakeoff_model::thresholds;
use bakeoff_stats::units;

/// From this size on a hard disk behind USB is likely to overlap its tracks.
const LARGE_BYTES: u64 = 1_000_000_000_000;

/// Beginnings of the models that their makers list as SMR (Seagate, Western Digital and Toshiba
/// published lists in April 2020; seagate.com/products/cmr-smr-list).
const FAMILIES: &str = "ST500LM030 ST1000LM048 ST2000LM015 ST3000LM024 ST4000LM024 ST5000LM000 \
    ST2000DM005 ST2000DM008 ST3000DM007 ST4000DM004 ST6000DM003 ST8000DM004 ST5000AS0011 \
    ST6000AS0002 ST8000AS0002 WD20EFAX WD30EFAX WD40EFAX WD60EFAX WD20EZAZ WD60EZAZ WD10SPZX \
    WD20SPZX WD10SPSX HDWD240 HDWD260 HDWL110 HDWL120 MQ04ABF100 MQ04ABD200 DT02ABA400 DT02ABA600";

fn suspicion(drive: &Layer) -> Option<&'static str> {
    let is_listed = |word: &str| FAMILIES.split(' ').any(|family| word.starts_with(family));
    match drive.zoned {
        Some(ZoneModel::HostManaged) => Some(" with host-managed zones (SMR)"),
        Some(ZoneModel::HostAware) => Some(" with zones (SMR)"),
        Some(ZoneModel::None) | None => match &drive.model {
            Some(model) if model.split_whitespace().any(is_listed) => {
                Some(" that its manufacturer lists as SMR")
            }
            _ => (drive.bus.as_deref() == Some("usb") && drive.size_bytes >= LARGE_BYTES)
                .then_some(" behind USB"),
        },
    }
}

pub fn smr(design: Design<'_>, place: &Place) -> Option<Hit> {
    let drive = drive(place).filter(|d| is_hard_disk(d))?;
    let cache = thresholds::MEDIA_CACHE_BYTES;
    let written = design.expected_write_bytes;
    let why = suspicion(drive).filter(|_| written > 0 && written < cache)?;
    let evidence = format!(
        "only {} are written to a hard disk of {}{why}",
        units::size(written),
        units::size(drive.size_bytes)
    );
    let advice = "write more than its media cache can store: {size=4g} and --max-write 30g";
    Some(Hit::new(evidence, advice))
}

pub fn root_device(design: Design<'_>, place: &Place) -> Option<Hit> {
    let is_here = |d: &&SystemDisk| place.disks().any(|drive| drive.dev == d.dev);
    let mut purposes: Vec<&str> =
        design.system.iter().filter(is_here).map(|d| d.purpose.as_str()).collect();
    purposes.dedup();
    let drive = place.disks().next()?;
    (!purposes.is_empty()).then(|| {
        let evidence = format!(
            "your system uses {} too (for {}): its own writes disturb the figures",
            drive.name,
            purposes.join(", ")
        );
        let advice = "stop the programs that write (see: iotop -o), or choose a drive that the \
            system does not use: bakeoff devices";
        Hit::new(evidence, advice)
    })
}

/// Boards whose USB ports and Ethernet share one controller.
const ONE_BUS: [&str; 4] =
    ["Raspberry Pi Model", "Raspberry Pi 2", "Raspberry Pi 3", "Raspberry Pi Zero"];

/// The part of L56 that is known before: a network place beside a USB drive on a board of one bus.
pub fn shared_bus(design: Design<'_>) -> Option<Hit> {
    let model = design.host.model.as_deref()?;
    let is_one = ONE_BUS.iter().any(|m| model.starts_with(m));
    let all = places(design);
    let on_usb = all.iter().find(|(_, p)| p.disks().any(|d| d.bus.as_deref() == Some("usb")))?;
    let on_net = all.iter().find(|(_, p)| p.class == PlaceClass::Network)?;
    is_one.then(|| {
        let evidence = format!(
            "{} and {} share the one USB port of a {model}",
            on_usb.0.unwrap_or("the drive"),
            on_net.0.unwrap_or("the network")
        );
        Hit::new(evidence, "measure each in a separate run of bakeoff quick")
    })
}

pub const LINK_DEGRADED: &str = "L57";

pub fn link_degraded(_: Design<'_>, place: &Place) -> Option<Hit> {
    let drive = drive(place)?;
    let (link, best) = (drive.link.as_ref()?, drive.best_link.as_ref()?);
    let capacity = bakeoff_model::boards::link::capacity_bytes_per_s;
    (capacity(link)? < 0.95 * capacity(best)?).then(|| {
        let evidence = format!("{} runs at {link}, but supports {best}", drive.name);
        Hit::new(evidence, "try another port, slot or cable; check the link with bakeoff devices")
    })
}

pub const UAS_BOT: &str = "L58";

pub fn uas_bot(_: Design<'_>, place: &Place) -> Option<Hit> {
    let drive = drive(place)?;
    let link = drive.link.as_ref().filter(|l| l.transport() == Some(Transport::Bot))?;
    let fast = bakeoff_model::boards::link::capacity_bytes_per_s(link)? > 100e6;
    fast.then(|| {
        let evidence = format!("{}: {link}, one command at a time", drive.name);
        let advice = "check dmesg for the reason; an enclosure with UAS is faster";
        Hit::new(evidence, advice)
    })
}

pub fn loop_not_direct(_: Design<'_>, place: &Place) -> Option<Hit> {
    let is_cached =
        |l: &&bakeoff_model::host::Layer| l.kind == LayerKind::Loop && l.direct_io == Some(false);
    place.chain.iter().find(is_cached).map(|layer| {
        let evidence = format!("{} uses the page cache for its file (loop/dio is 0)", layer.name);
        let advice = format!("attach it directly: losetup --direct-io=on /dev/{}", layer.name);
        Hit::new(evidence, advice)
    })
}

pub fn memory_place(_: Design<'_>, place: &Place) -> Option<Hit> {
    let ram = place.chain.iter().find(|l| l.kind == LayerKind::Ram);
    let is_memory = place.class == PlaceClass::Memory || ram.is_some();
    is_memory.then(|| {
        let what = ram.map_or(place.fs.as_str(), |l| l.name.as_str());
        let evidence = format!("{what} is memory, not a drive: its data is lost at a restart");
        Hit::new(evidence, "specify a directory on a drive to compare drives")
    })
}

pub fn governor(design: Design<'_>) -> Option<Hit> {
    let is_pinned = |c: &Candidate| c.stack().is_some_and(|stack| stack.knobs.governor.is_some());
    let other: Vec<&String> =
        design.host.governors.iter().filter(|g| *g != "performance").collect();
    let first = other.first().filter(|_| !design.candidates.iter().all(is_pinned))?;
    let evidence = format!("the cpufreq governor is {first} on {} policies", other.len());
    let advice = "set governor = \"performance\" in a plan's [axes], or: cpupower frequency-set \
                  -g performance";
    Some(Hit::new(evidence, advice))
}
