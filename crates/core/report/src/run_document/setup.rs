//! What a run was measured on, in five facts: board, drive, link, kernel and date.
//!
//! They are at the top of every page and on every card: a figure without them cannot be compared
//! with another. The whole fingerprint is in [`super::facts`].
use bakeoff_model::host::{Host, Layer, LayerKind, Place, PlaceClass};
use bakeoff_model::link::Link;
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_stats::distinct;
use bakeoff_stats::phrases;
use bakeoff_stats::units;

const DRIVES_MAX: usize = 3;

/// Label and value, in the order they are shown; what is not known is left out.
pub type Setup = Vec<(&'static str, String)>;

pub fn from_run(run: &Run) -> Setup {
    let places: Vec<&Place> = run.header.places().collect();
    let mut disks: Vec<&Layer> = Vec::new();
    for disk in places.iter().flat_map(|place| place.disks()) {
        if !disks.iter().any(|known| known.name == disk.name) {
            disks.push(disk);
        }
    }
    let host = &run.header.host;
    let kernel = [&host.kernel, &host.arch].map(String::as_str);
    let kernel: Vec<&str> = kernel.into_iter().filter(|word| !word.is_empty()).collect();
    let all = [
        ("Board", board(host)),
        ("Drive", drives(&disks, &places)),
        ("Link", links(&disks)),
        ("Kernel", kernel.join(", ")),
        ("Date", super::utc(run.started_unix_ns)),
    ];
    let known = all.into_iter().filter(|(_, value)| !value.is_empty());
    known.map(|(label, value)| (label, sanitize(&value))).collect()
}

/// "Raspberry Pi 4 Model B Rev 1.4", or the CPU where the board has no name.
fn board(host: &Host) -> String {
    let words = host.model.as_deref().map(squeezed).filter(|model| !model.is_empty());
    match (words, &host.cpu) {
        (Some(model), _) => model,
        (None, Some(cpu)) => format!("{} x {}", host.cpus, squeezed(cpu)),
        (None, None) => String::new(),
    }
}

/// "SanDisk Ultra, 32 GB (sda)"; an image says that it is one.
fn drives(disks: &[&Layer], places: &[&Place]) -> String {
    let mut named: Vec<String> = disks.iter().take(DRIVES_MAX).map(|disk| drive(disk)).collect();
    if disks.len() > DRIVES_MAX {
        named.push(format!("{} more", disks.len() - DRIVES_MAX));
    }
    let is_loop = |place: &&Place| place.chain.iter().any(|l| l.kind == LayerKind::Loop);
    let has_memory = places.iter().any(|place| place.class == PlaceClass::Memory);
    match (named.is_empty(), places.iter().any(is_loop)) {
        (true, _) if has_memory => "memory".to_string(),
        (false, true) => format!("image on {}", named.join("; ")),
        _ => named.join("; "),
    }
}

fn drive(disk: &Layer) -> String {
    let name = phrases::product(disk.vendor.as_deref(), disk.model.as_deref());
    let size = match disk.size_bytes {
        0 => String::new(),
        bytes => units::size_decimal(bytes),
    };
    let words: Vec<String> = [name, size].into_iter().filter(|w| !w.is_empty()).collect();
    if words.is_empty() {
        disk.name.clone()
    } else {
        format!("{} ({})", words.join(", "), disk.name)
    }
}

/// "USB 480 Mb/s", or the bus where the link is not known.
fn links(disks: &[&Layer]) -> String {
    let words = disks.iter().take(DRIVES_MAX).filter_map(|disk| {
        let link = disk.link.as_ref().map(Link::as_str);
        link.or(disk.bus.as_deref()).map(squeezed).filter(|words| !words.is_empty())
    });
    distinct::in_order(words).join("; ")
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::testing::RunBuilder;

    fn disk(name: &str, model: &str) -> Layer {
        Layer {
            name: name.to_string(),
            kind: LayerKind::Disk,
            model: Some(model.to_string()),
            vendor: Some("SanDisk ".to_string()),
            size_bytes: 31_900_000_000,
            link: Some("USB 480 Mb/s".into()),
            ..Layer::default()
        }
    }

    #[test]
    fn a_drive_is_named_with_its_size_and_the_vendor_once() {
        assert_eq!(drive(&disk("sda", "Ultra  USB")), "SanDisk Ultra USB, 32 GB (sda)");
        assert_eq!(drive(&disk("sda", "SanDisk Ultra")), "SanDisk Ultra, 32 GB (sda)");
        let bare = Layer { name: "vda".to_string(), ..Layer::default() };
        assert_eq!(drive(&bare), "vda");
    }

    #[test]
    fn two_drives_on_one_kind_of_link_name_it_once_and_more_are_counted() {
        let disks = ["sda", "sdb", "sdc", "sdd"].map(|name| disk(name, "X"));
        let disks: Vec<&Layer> = disks.iter().collect();
        assert_eq!(links(&disks), "USB 480 Mb/s");
        assert!(drives(&disks, &[]).ends_with("SanDisk X, 32 GB (sdc); 1 more"));
    }

    #[test]
    fn the_facts_of_a_run_are_harmless_and_unknown_ones_are_left_out() {
        let run = RunBuilder::stacks(&["ext4", "xfs"])
            .header(|h| {
                h.host.model = Some("Pi\u{1b}[31m  5".to_string());
                h.host.kernel = String::new();
                h.host.arch = String::new();
            })
            .play(5, |_, _, _| 900.0)
            .build();
        let setup = from_run(&run);
        assert_eq!(setup[0].0, "Board");
        assert!(!setup[0].1.contains('\u{1b}') && setup[0].1.ends_with(" 5"), "{}", setup[0].1);
        assert!(setup.iter().all(|(label, _)| *label != "Kernel"));
        assert_eq!(setup.last().map(|(label, _)| *label), Some("Date"));
    }
}
