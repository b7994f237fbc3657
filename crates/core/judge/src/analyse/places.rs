//! Everything in which places differ, so that a comparison of directories is not taken for one of
//! filesystems.

use super::scope;
use bakeoff_model::difference::Respect;
use bakeoff_model::event::Header;
use bakeoff_model::host::{LayerKind, Place, PlaceClass};
use bakeoff_model::index::CandidateIx;
use bakeoff_model::path::printable;
use bakeoff_stats::phrases;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aspect {
    pub name: Respect,
    pub values: Vec<String>,
}

/// The places of these candidates; empty when they are no directories.
pub fn of<'a>(header: &'a Header, candidates: &[CandidateIx]) -> Vec<(&'a str, &'a Place)> {
    let known = candidates.iter().filter_map(|c| c.get(&header.candidates));
    known.filter_map(|c| Some((c.name.as_str(), c.place()?))).collect()
}

pub fn sentence(header: &Header, candidates: &[CandidateIx]) -> Option<String> {
    let places = of(header, candidates);
    if places.len() < 2 {
        return None;
    }
    if header.candidates.iter().any(|candidate| !candidate.tool.is_native()) {
        let known = "docs/tools.md lists known reasons for differences";
        return Some(format!("The candidates are tools in one directory; {known}."));
    }
    let only: Vec<&Place> = places.iter().map(|(_, place)| *place).collect();
    let aspects = differing(&only);
    if aspects.is_empty() {
        return Some(alike(&only));
    }
    let describe = |(i, (name, _)): (usize, &(&str, &Place))| {
        let values: Vec<&str> =
            aspects.iter().map(|a| a.values[i].as_str()).filter(|v| !v.is_empty()).collect();
        format!("{name} is {}", values.join(", "))
    };
    let described: Vec<String> = places.iter().enumerate().map(describe).collect();
    let names: Vec<String> = aspects.iter().map(|a| a.name.label().to_string()).collect();
    let warning = match names.len() {
        1 => String::new(),
        _ => ", so the cause cannot be attributed to one of them".to_string(),
    };
    Some(format!(
        "The directories: {}. They differ in {}{warning}.",
        described.join("; "),
        phrases::list(&names)
    ))
}

fn alike(places: &[&Place]) -> String {
    match places {
        [first, rest @ ..] if !first.dev.is_empty() && rest.iter().all(|p| p.dev == first.dev) => {
            let fs = printable(first.fs.as_bytes());
            format!(
                "The directories are on the same filesystem ({fs}). Differences between them are \
                 due to chance or to the position of their files."
            )
        }
        _ => "bakeoff records no difference between these directories.".to_string(),
    }
}

pub fn differing(places: &[&Place]) -> Vec<Aspect> {
    let aspect = |name, value: &dyn Fn(&Place) -> String| Aspect {
        name,
        values: places.iter().map(|p| value(p)).collect(),
    };
    let mut aspects = vec![
        aspect(Respect::Filesystem, &|p| printable(p.fs.as_bytes())),
        aspect(Respect::Driver, &driver),
        aspect(Respect::Device, &on_device),
        aspect(Respect::Link, &link),
        aspect(Respect::Encryption, &|p| {
            if is_encrypted(p) { "encrypted" } else { "not encrypted" }.into()
        }),
        aspect(Respect::LoopDevice, &|p| looped(p)),
    ];
    aspects.push(Aspect { name: Respect::MountOptions, values: options(places) });
    let differs = |a: &Aspect| a.values.iter().any(|v| *v != a.values[0]);
    let devices_differ = aspects.iter().any(|a| a.name == Respect::Device && differs(a));
    if !devices_differ {
        // On one drive the place on it matters: the outer tracks, the first partition.
        aspects.insert(3, aspect(Respect::Position, &partition));
    }
    aspects.retain(differs);
    aspects
}

fn driver(place: &Place) -> String {
    match place.class {
        PlaceClass::Fuse => "through a user-space driver".to_string(),
        PlaceClass::Stacked => "stacked on another filesystem".to_string(),
        PlaceClass::Block | PlaceClass::Memory | PlaceClass::Network => String::new(),
    }
}

fn on_device(place: &Place) -> String {
    match place.class {
        PlaceClass::Memory => "in memory".to_string(),
        PlaceClass::Network => {
            format!("on another machine ({})", printable(place.source.as_bytes()))
        }
        PlaceClass::Block | PlaceClass::Fuse | PlaceClass::Stacked => {
            format!("on {}", scope::device(place))
        }
    }
}

fn link(place: &Place) -> String {
    let links: Vec<String> = place
        .disks()
        .filter_map(|d| d.link.as_ref())
        .map(|l| printable(l.as_str().as_bytes()))
        .collect();
    if links.is_empty() { String::new() } else { format!("link {}", phrases::list(&links)) }
}

fn is_encrypted(place: &Place) -> bool {
    place.cipher().is_some()
        || matches!(place.fs.as_str(), "ecryptfs" | "fuse.gocryptfs" | "fuse.cryfs" | "fuse.encfs")
}

fn looped(place: &Place) -> String {
    let layer = place.chain.iter().find(|l| l.kind == LayerKind::Loop);
    layer.map_or(String::new(), |l| format!("through {}", printable(l.name.as_bytes())))
}

fn partition(place: &Place) -> String {
    let layer = place.partition();
    layer.map_or(String::new(), |l| format!("partition {}", printable(l.name.as_bytes())))
}

fn options(places: &[&Place]) -> Vec<String> {
    let is_common = |o: &String| places.iter().all(|p| p.options.contains(o));
    places
        .iter()
        .map(|p| {
            let mut own: Vec<String> = p
                .options
                .iter()
                .filter(|o| !is_common(o))
                .map(|o| printable(o.as_bytes()))
                .collect();
            own.sort();
            if own.is_empty() { String::new() } else { format!("mounted {}", own.join(",")) }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{RunBuilder, disk_place};
    use bakeoff_model::host::Layer;
    use bakeoff_model::workload::DriverName;

    #[test]
    fn everything_that_differs_is_named() {
        let mut usb = disk_place("ext4", "/mnt", "sdb");
        usb.options = vec!["rw".to_string(), "noatime".to_string()];
        usb.chain[1].link = Some("USB 480 Mb/s".into());
        let crypt =
            Layer { kind: LayerKind::Dm, dm_target: Some("crypt".to_string()), ..Layer::default() };
        let run = RunBuilder::directories(&["/home", "/mnt"])
            .place(0, |p| {
                p.fs = "btrfs".to_string();
                p.chain.insert(0, crypt);
            })
            .place(1, |p| *p = usb)
            .build();
        insta::assert_snapshot!(sentence(&run.header, &[0, 1].map(CandidateIx::new)).unwrap(), @"The directories: /home is btrfs, on Disk A (sda), encrypted, mounted relatime; /mnt is ext4, on Disk B (sdb), link USB 480 Mb/s, not encrypted, mounted noatime. They differ in filesystem, device, link, encryption and mount options, so the cause cannot be attributed to one of them.");
    }

    #[test]
    fn two_directories_of_one_filesystem_do_not_differ() {
        let run = RunBuilder::directories(&["/a", "/b"])
            .place(0, |p| *p = disk_place("ext4", "/", "sda"))
            .place(1, |p| *p = disk_place("ext4", "/", "sda"))
            .build();
        let said = sentence(&run.header, &[0, 1].map(CandidateIx::new)).unwrap();
        assert!(said.starts_with("The directories are on the same filesystem (ext4)"), "{said}");
    }

    #[test]
    fn tools_in_one_directory_differ_by_what_they_do() {
        let run = RunBuilder::directories(&["/a", "/a (2)"])
            .header(|h| h.candidates[1].tool = DriverName::Fio)
            .build();
        let said = sentence(&run.header, &[0, 1].map(CandidateIx::new)).unwrap();
        assert!(said.starts_with("The candidates are tools in one directory"), "{said}");
    }

    #[test]
    fn partitions_matter_on_one_disk_only() {
        let mut second = disk_place("ext4", "/b", "sda");
        second.chain[0].name = "sda2".to_string();
        let first = disk_place("ext4", "/a", "sda");
        let names = |places: &[&Place]| -> Vec<&str> {
            differing(places).into_iter().map(|a| a.name.label()).collect()
        };
        assert_eq!(names(&[&first, &second]), ["position on the drive"]);
        assert_eq!(names(&[&first, &disk_place("ext4", "/b", "sdb")]), ["device"]);
    }
}
