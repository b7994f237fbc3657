//! Every kind of change to the system, each with its way back.

use bakeoff_model::path::RawPath;
use bakeoff_model::step::{Action, Inode};
use bakeoff_model::undo::{DriveId, Knob, On, ScratchOf, Undo, Volume};

/// What is done and what undoes it.
pub fn actions() -> Vec<(Action, Option<Undo>)> {
    let path = RawPath::new;
    let (parent, name) = (path("/mnt/usb"), "bakeoff-0123456789abcdef".to_string());
    let file = path("/mnt/usb/bakeoff-0123456789abcdef/image");
    let at = path("/mnt/usb/bakeoff-0123456789abcdef/mnt");
    vec![
        (
            Action::MakeScratch { parent: parent.clone(), name: name.clone() },
            Some(Undo::RemoveOurScratch {
                parent: parent.clone(),
                of: ScratchOf::Number(1),
                on: Some(On { dev: 2049, is_in_memory: true }),
            }),
        ),
        (Action::MakeScratch { parent, name }, Some(Undo::RemoveMountPoints)),
        (Action::Fill { file: file.clone(), size_bytes: 1 << 30 }, None),
        (
            Action::AttachLoop {
                file: file.clone(),
                offset_bytes: 4 << 20,
                size_bytes: Some(1 << 30),
                sector_bytes: Some(4096),
            },
            Some(Undo::DetachMarkedLoop),
        ),
        (Action::Overwrite { device: path("/dev/loop0"), size_bytes: 1 << 30, verify: true }, None),
        (
            Action::RunWithKey { argv: vec![path("cryptsetup"), path("open"), path("/dev/loop0")] },
            Some(Undo::RemoveVolume(Volume::Crypt(0))),
        ),
        (
            Action::SetKnob {
                path: path("/sys/block/sda/queue/scheduler"),
                value: "mq-deadline".into(),
            },
            Some(Undo::RestoreKnob {
                knob: Knob::Scheduler("sda".into()),
                ours: "mq-deadline".into(),
                before: "none".into(),
            }),
        ),
        (
            Action::AddUdevRule {
                path: path("/run/udev/rules.d/00-bakeoff.rules"),
                text: "KERNEL==\"sda\"\n".into(),
            },
            Some(Undo::RemoveOurRule),
        ),
        (Action::Run { argv: vec![path("mkfs.ext4"), path("-F"), path("/dev/loop0")] }, None),
        (
            Action::Mount {
                device: path("/dev/loop0"),
                at,
                fs: "ext4".into(),
                options: vec!["noatime".into()],
            },
            Some(Undo::UnmountOurs { slot: 2 }),
        ),
    ]
    .into_iter()
    .chain(others())
    .collect()
}

/// Ways back that are none of a common step.
fn others() -> Vec<(Action, Option<Undo>)> {
    let path = RawPath::new;
    vec![
        (
            Action::SetKnob { path: path("/sys/block/sda/queue/nr_requests"), value: "64".into() },
            Some(Undo::KeepKnob { knob: Knob::NrRequests("sda".into()), value: "64".into() }),
        ),
        (
            Action::Fill { file: path("/var/lib/bakeoff/saved"), size_bytes: 4 << 20 },
            Some(Undo::RestoreSaved {
                drive: DriveId {
                    name: "4C530001".into(),
                    at: path("/dev/sdb"),
                    file: Some(Inode { dev: 2049, ino: 131_077 }),
                    size_bytes: 32 << 30,
                },
            }),
        ),
        (
            Action::Run { argv: vec![path("true")] },
            Some(Undo::Unknown(serde_json::json!({ "unmount": { "at": "/mnt" } }))),
        ),
    ]
}
