//! May an image file be written in full, and if not, why not.
//!
//! Pure, like its sibling the guard of devices. The contents are no business of it: that is what
//! the erase token is for, which for an image is its file name.

use super::{GuardSubject, RefusalReason, Why};
use crate::prepare::commands::shell_word;
use crate::prepare::contents::Contents;
use crate::prepare::device::{Process, System};
use bakeoff_model::host::LayerKind;
use bakeoff_model::path::RawPath;

/// What was found out about the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    pub path: RawPath,
    /// Paths among the sources of mounts and swap that lead to it, whatever it is called there.
    pub used_as: Vec<RawPath>,
    pub links: u64,
    pub loops: Vec<String>,
    pub users: Vec<Process>,
    pub is_read_only: bool,
}

/// Why the image must not be written, gravest first; empty when nothing that can be seen uses it.
pub fn reasons(image: &Image, system: &System) -> Vec<RefusalReason> {
    let it = GuardSubject::Image(image.path.clone());
    let is_it = |used: &RawPath| *used == image.path || image.used_as.contains(used);
    let mut reasons = Vec::new();
    for swap in system.swaps.iter().filter(|s| is_it(&s.swap.path)) {
        reasons.push(RefusalReason::swap(&it, &swap.swap.path));
    }
    for mounted in system.mounts.iter().filter(|m| is_it(&m.mount.source)) {
        reasons.push(super::mounted_here(&it, &mounted.mount.mount_point));
    }
    reasons.extend(image.loops.iter().map(|device| backs(device, &it, system)));
    for process in &image.users {
        reasons.push(RefusalReason::open(process, &it));
    }
    super::leave_to_its_run(&mut reasons);
    if image.links > 1 {
        let text = format!(
            "it has {} hard links, and another user may use one of them. Make a separate copy \
             with `cp`",
            image.links
        );
        reasons.push(RefusalReason::new(Why::InUse, text));
    }
    if image.is_read_only {
        reasons.push(RefusalReason::read_only(&it));
    }
    reasons.sort();
    reasons
}

fn backs(device: &str, image: &GuardSubject, system: &System) -> RefusalReason {
    let on =
        system.devices.iter().find(|d| d.layer.kind == LayerKind::Loop && d.layer.name == *device);
    let mounted = on.and_then(|d| system.mounts_of(d.dev).next());
    match mounted.map(|mounted| &mounted.mount.mount_point) {
        Some(at) if super::is_own_mount(at) => RefusalReason::mounted_by_run(image, at),
        Some(at) => RefusalReason::new(
            Why::Mounted,
            format!(
                "it is mounted on {at} through {device}. Unmount it: umount {}",
                shell_word(at)
            ),
        ),
        None => RefusalReason::new(
            Why::InUse,
            format!("it backs {device}. Detach it: losetup --detach /dev/{device}"),
        ),
    }
}

/// The erase token of an image: its file name, and a fingerprint of the signatures in it.
pub fn token(path: &RawPath, contents: &Contents) -> String {
    match contents.fingerprint() {
        Some(print) => format!("{}-{print}", name(path)),
        None => name(path),
    }
}

/// The part of the token that stays when the contents change.
pub fn name(path: &RawPath) -> String {
    path.as_path().file_name().map(|name| RawPath::new(name).to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::contents::Sign;
    use crate::prepare::device::{BlockDevice, Mounted, SwapOn};
    use crate::sysinfo::dev::Dev;
    use crate::sysinfo::mountinfo::Mount;
    use crate::sysinfo::swaps::Swap;
    use bakeoff_model::host::Layer;

    fn image() -> Image {
        let path = RawPath::new("/srv/disk.img");
        Image { path, links: 1, ..Image::default() }
    }

    #[test]
    fn a_file_of_its_own_is_safe() {
        assert_eq!(reasons(&image(), &System::default()), []);
        assert_eq!(token(&image().path, &Contents::default()), "disk.img");
        let sign = Sign { kind: "ext4".to_string(), ..Sign::default() };
        let token = token(&image().path, &Contents { signs: vec![sign] });
        assert!(token.starts_with("disk.img-") && token.len() == 17, "{token}");
    }

    #[test]
    fn every_use_is_a_reason_of_its_own() {
        let looped = Layer { name: "loop3".into(), kind: LayerKind::Loop, ..Layer::default() };
        let dev = Dev::new(7, 3);
        let mount = |source: &str, at: &str| Mount {
            source: RawPath::new(source),
            mount_point: RawPath::new(at),
            ..Mount::default()
        };
        let system = System {
            devices: vec![BlockDevice { dev, layer: looped, ..BlockDevice::default() }],
            mounts: vec![
                Mounted { mount: mount("/dev/loop3", "/mnt"), on: vec![dev], seen_by: None },
                Mounted { mount: mount("/srv/disk.img", "/fuse"), on: vec![], seen_by: None },
            ],
            swaps: vec![SwapOn {
                swap: Swap { path: RawPath::new("/srv/disk.img"), is_file: true },
                on: vec![],
                file: None,
            }],
            ..System::default()
        };
        let used = Image {
            links: 2,
            loops: vec!["loop3".into(), "loop4".into()],
            users: vec![Process { pid: 71, name: RawPath::new("qemu") }],
            is_read_only: true,
            ..image()
        };
        let found = reasons(&used, &system);
        assert!(found.is_sorted_by_key(|reason| reason.why), "gravest first");
        let lines: Vec<String> = found.iter().map(RefusalReason::with_advice).collect();
        insta::assert_snapshot!(lines.join("\n"));
    }
}
