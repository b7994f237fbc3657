//! Every kind of change to the system, each with its way back.

use crate::model::path::RawPath;
use crate::model::step::{Action, Inode};

/// What is done and what undoes it.
pub fn actions() -> Vec<(Action, Option<Action>)> {
    let path = RawPath::new;
    let (parent, name) = (path("/mnt/usb"), "bakeoff-0123456789abcdef".to_string());
    let file = path("/mnt/usb/bakeoff-0123456789abcdef/image");
    let at = path("/mnt/usb/bakeoff-0123456789abcdef/mnt");
    vec![
        (
            Action::MakeScratch { parent: parent.clone(), name: name.clone() },
            Some(Action::RemoveScratch { parent, name }),
        ),
        (Action::Fill { file: file.clone(), size_bytes: 1 << 30 }, None),
        (
            Action::AttachLoop {
                file: file.clone(),
                offset_bytes: 4 << 20,
                size_bytes: Some(1 << 30),
                sector_bytes: Some(4096),
            },
            Some(Action::DetachLoop {
                file,
                inode: Some(Inode { dev: 2049, ino: 131_077 }),
                offset_bytes: 4 << 20,
            }),
        ),
        (Action::Overwrite { device: path("/dev/loop0"), size_bytes: 1 << 30, verify: true }, None),
        (
            Action::RunWithKey { argv: vec![path("cryptsetup"), path("open"), path("/dev/loop0")] },
            Some(Action::CloseMapper { name: "bakeoff-0123456789abcdef-crypt".into() }),
        ),
        (
            Action::SetKnob {
                path: path("/sys/block/sda/queue/scheduler"),
                value: "mq-deadline".into(),
            },
            Some(Action::PutBackKnob {
                path: path("/sys/block/sda/queue/scheduler"),
                ours: "mq-deadline".into(),
                before: "none".into(),
            }),
        ),
        (
            Action::AddUdevRule {
                path: path("/run/udev/rules.d/00-bakeoff.rules"),
                text: "KERNEL==\"sda\"\n".into(),
            },
            Some(Action::RemoveUdevRule { path: path("/run/udev/rules.d/00-bakeoff.rules") }),
        ),
        (Action::Run { argv: vec![path("mkfs.ext4"), path("-F"), path("/dev/loop0")] }, None),
        (
            Action::Mount {
                device: path("/dev/loop0"),
                at: at.clone(),
                fs: "ext4".into(),
                options: vec!["noatime".into()],
            },
            Some(Action::Unmount { at }),
        ),
    ]
}
