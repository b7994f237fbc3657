//! Rules over what a drive is, how it is connected and who else uses it.

use super::{drive, is_hard_disk, places};
use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;
use bakeoff_model::event::Header;
use bakeoff_model::finding::Finding;
use bakeoff_model::host::{Layer, LayerKind, Place, PlaceClass, SystemDisk, ZoneModel};
use bakeoff_model::link::Transport;
use bakeoff_model::thresholds;
use bakeoff_stats::{phrases, units};

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

const NO_DETECTOR: [&str; 2] = ["Raspberry Pi Zero", "Raspberry Pi Model B Rev"];

pub fn power_budget(design: Design<'_>, place: &Place) -> Option<Hit> {
    let model = design.host.model.as_deref().filter(|m| m.starts_with("Raspberry Pi"))?;
    let drive = drive(place)?;
    let is_fed = drive.bus.as_deref() == Some("usb") && is_hard_disk(drive);
    let is_blind = NO_DETECTOR.iter().any(|m| model.starts_with(m));
    let evidence = match (is_fed, is_blind) {
        (true, _) => format!("{} is a hard disk powered by a USB port of a {model}", drive.name),
        (_, true) => format!("a {model} cannot report under-voltage"),
        _ => return None,
    };
    let advice = "use a powered hub or enclosure, and watch dmesg for resets";
    Some(Hit::new(evidence, advice))
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

pub const SERVED: &str = "served";

/// What a run says once about processes that were found to serve its drives: `python3 (812)`.
pub fn served(header: &Header, servers: &[String]) -> Finding {
    let evidence =
        format!("{} the drive on this machine", phrases::agreeing(servers, ["serves", "serve"]));
    Hit::new(evidence, "no action: this work counts as the drive's own").finding(header, SERVED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::plan;
    use crate::rules::tests::before::{behind_usb, disk_of, fires, places};
    use crate::testing::RunBuilder;
    use bakeoff_model::finding::{Scope, Severity};
    use bakeoff_model::host::Layer;
    use bakeoff_model::run::Run;

    #[test]
    fn l08_little_written_to_a_large_hard_disk_behind_usb_and_much() {
        let tb = 1_000_000_000_000;
        assert!(fires("L08", &behind_usb(5 * tb, 2 << 30)));
        assert!(!fires("L08", &behind_usb(5 * tb, 26 << 30)));
        assert!(!fires("L08", &behind_usb(tb / 2, 2 << 30)));
    }

    fn used(purpose: &str, dev: &str) -> SystemDisk {
        SystemDisk { purpose: purpose.to_string(), dev: dev.to_string() }
    }

    #[test]
    fn l10_fires_on_the_systems_disk_and_not_on_its_neighbour() {
        let run = RunBuilder::directories(&["/home", "/mnt"]).build();
        let system = [used("/", "8:0"), used("swap", "8:0")];
        let found = plan(&run.header, &system);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].severity, found[0].scope), (Severity::Warn, Scope::Place));
        assert_eq!(found[0].candidate.as_deref(), Some("/home"));
        assert_eq!(
            found[0].evidence,
            "your system uses sda too (for /, swap): its own writes disturb the figures"
        );
        assert!(found[0].advice.ends_with(": bakeoff devices"), "{}", found[0].advice);
        assert!(plan(&run.header, &[used("/", "8:32")]).is_empty());
    }

    #[test]
    fn l10_limits_stacks_on_an_image_beside_the_system() {
        let run = RunBuilder::stacks(&["ext4", "xfs"]).build();
        let found = plan(&run.header, &[used("/", "8:0")]);
        assert_eq!((found[0].scope, found[0].candidate.clone()), (Scope::Stack, None));
    }

    #[test]
    fn l56_a_disk_and_a_network_on_one_bus() {
        let on = |board: &'static str, bus: &'static str| {
            RunBuilder::directories(&["/a", "/net"])
                .place(0, |p| disk_of(p).bus = Some(bus.to_string()))
                .place(1, |p| {
                    p.class = PlaceClass::Network;
                    p.chain.clear();
                })
                .header(|h| h.host.model = Some(board.to_string()))
                .build()
        };
        assert!(fires("L56", &on("Raspberry Pi 3 Model B Plus", "usb")));
        assert!(!fires("L56", &on("Raspberry Pi 4 Model B", "usb")));
        assert!(!fires("L56", &on("Raspberry Pi 3 Model B Plus", "mmc")));
    }

    #[test]
    fn l57_a_link_below_what_both_ends_can() {
        let link = |l: &'static str| {
            places(|p| {
                disk_of(p).link = Some(l.into());
                disk_of(p).best_link = Some("PCIe 8.0 GT/s x4".into());
            })
        };
        assert!(
            fires("L57", &link("PCIe 8.0 GT/s x2")) && !fires("L57", &link("PCIe 8.0 GT/s x4"))
        );
    }

    #[test]
    fn l58_a_fast_link_with_one_command_at_a_time() {
        let link = |l: &'static str| places(|p| disk_of(p).link = Some(l.into()));
        assert!(fires("L58", &link("USB 5000 Mb/s, BOT")));
        assert!(
            !fires("L58", &link("USB 5000 Mb/s, UAS")) && !fires("L58", &link("USB 480 Mb/s, BOT"))
        );
    }

    #[test]
    fn l59_a_hard_disk_fed_by_a_board_and_a_board_that_cannot_tell() {
        let fed = |board: &'static str, rotational| {
            RunBuilder::directories(&["/a"])
                .place(0, |p| {
                    disk_of(p).bus = Some("usb".to_string());
                    disk_of(p).rotational = Some(rotational);
                })
                .header(|h| h.host.model = Some(board.to_string()))
                .build()
        };
        assert!(fires("L59", &fed("Raspberry Pi 4 Model B", true)));
        assert!(fires("L59", &fed("Raspberry Pi Zero W", false)));
        assert!(
            !fires("L59", &fed("Raspberry Pi 4 Model B", false)) && !fires("L59", &fed("PC", true))
        );
    }

    #[test]
    fn a_loop_fires_without_direct_io_only() {
        let with = |direct_io| {
            let layer = Layer {
                name: "loop3".to_string(),
                kind: LayerKind::Loop,
                direct_io,
                ..Layer::default()
            };
            let run = RunBuilder::directories(&["/a", "/b"]);
            let run = run.place(0, |p| p.chain.insert(0, layer)).build();
            plan(&run.header, &[])
        };
        assert!(with(Some(false))[0].advice.contains("losetup --direct-io=on /dev/loop3"));
        assert!(with(Some(true)).is_empty() && with(None).is_empty());
    }

    #[test]
    fn memory_fires_on_tmpfs_and_not_on_a_disk_called_tmpfs() {
        let tmpfs = |p: &mut Place| {
            p.class = PlaceClass::Memory;
            p.fs = "tmpfs".to_string();
            p.chain.clear();
        };
        let run = RunBuilder::directories(&["/home", "/tmp"]).place(1, tmpfs).build();
        assert_eq!(ids(&run), [("memory".to_string(), Some("/tmp".to_string()))]);
        let named = |p: &mut Place| p.source = "tmpfs".to_string();
        let run = RunBuilder::directories(&["/home", "/tmp"]).place(1, named).build();
        assert!(ids(&run).is_empty());
    }

    fn ids(run: &Run) -> Vec<(String, Option<String>)> {
        plan(&run.header, &[]).into_iter().map(|f| (f.id, f.candidate)).collect()
    }
}
