//! The built-in plans on disks, one block of each: everything they name can be made and measured.
//!
//! Cells are as short as can be; what a plan measures and on what is as it is built in.

use anyhow::{Result, ensure};

use super::run::one_block_of;
use super::{Group, Test};
use crate::vm::board::PC;
use crate::vm::disk::{Disk, MIB};
use crate::vm::guest::Guest;

/// The group.
pub const GROUP: Group = Group {
    name: "studies",
    board: &PC,
    disks: || {
        vec![
            Disk::virtio("target", 1024 * MIB).serial("TARGET"),
            Disk::virtio("second", 1024 * MIB).serial("SECOND"),
        ]
    },
    tests: || PLANS.iter().map(|plan| Test::new(plan.0, |guest| one_block(guest, plan))).collect(),
};

/// Name, text and targets of a plan.
type Plan = (&'static str, &'static str, &'static str);

const ONE: &str = "--target /dev/vda --erase TARGET";
const TWO: &str = "--target /dev/vda --erase TARGET --target /dev/vdb --erase SECOND";

const PLANS: &[Plan] = &[
    ("mountpoints", include_str!("../../../../core/src/plan/builtin/mountpoints.toml"), TWO),
    ("usb-stick", include_str!("../../../../core/src/plan/builtin/usb-stick.toml"), ONE),
    (
        "journal-scheduler",
        include_str!("../../../../core/src/plan/builtin/journal-scheduler.toml"),
        ONE,
    ),
    ("luks-btrfs", include_str!("../../../../core/src/plan/builtin/luks-btrfs.toml"), ONE),
    (
        "block-size-sweep",
        include_str!("../../../../core/src/plan/builtin/block-size-sweep.toml"),
        ONE,
    ),
    ("sd-card", include_str!("../../../../core/src/plan/builtin/sd-card.toml"), ONE),
    ("nas", include_str!("../../../../core/src/plan/builtin/nas.toml"), ONE),
];

fn one_block(guest: &mut Guest, (_, text, targets): &Plan) -> Result<()> {
    guest.ok(&format!("cat >/tmp/plan.toml <<'END'\n{}END", shortened(text)?))?;
    one_block_of(guest, &format!("/tmp/plan.toml {targets}"))
}

/// The plan with short cells on a small region.
fn shortened(text: &str) -> Result<String> {
    let (_, protocol) = text.rsplit_once("\n[").unwrap_or_default();
    ensure!(protocol.starts_with("protocol]"), "the last table is not [protocol]:\n{text}");
    let shorter = |line: &str| match line.starts_with("runtime = ") {
        true => "runtime = '200ms'\n".to_owned(),
        false => format!("{line}\n"),
    };
    let text: String = text.lines().map(shorter).collect();
    Ok(text + SHORT)
}

/// The end of `[protocol]`, and the region.
const SHORT: &str = "cell_min = '50ms'
cell_min_ios = 2
flash_state = 'trimmed'
[region]
size = '320m'
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_plan_is_here() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../core/src/plan/builtin");
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), PLANS.len());
        for (name, text, _) in PLANS {
            assert!(shortened(text).is_ok(), "{name}");
        }
    }
}
