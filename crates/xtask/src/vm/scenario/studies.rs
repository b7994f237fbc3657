//! The built-in plans on disks, one block of each: everything they name can be made and measured.
//!
//! Cells are as short as can be; what a plan measures and on what is as it is built in.

use anyhow::{Context, Result, ensure};
use bakeoff_core::plan::built_in;

use super::run::one_block_of;
use super::{Group, Test};
use crate::vm::board::PC;
use crate::vm::disk::{Disk, MIB};
use crate::vm::guest::Guest;
use crate::vm::plan;

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
    is_alone: false,
    tests: || {
        PLANS.iter().map(|plan| Test::new(plan.name, |guest| one_block(guest, plan))).collect()
    },
};

/// A built-in plan.
struct Plan {
    /// Its name.
    name: &'static str,
    /// The words for what it runs on.
    targets: &'static str,
    /// The smallest region that all its filesystems can be made in. An emulated processor takes
    /// long to make data, and the region is written in full once.
    region: &'static str,
    /// How much its profiles work on.
    sizes: &'static str,
}

const ONE: &str = "--target /dev/vda --erase TARGET";
const TWO: &str = "--target /dev/vda --erase TARGET --target /dev/vdb --erase SECOND";

const fn plan(
    name: &'static str,
    targets: &'static str,
    region: &'static str,
    sizes: &'static str,
) -> Plan {
    Plan { name, targets, region, sizes }
}

const PLANS: &[Plan] = &[
    plan("mountpoints", TWO, "64m", "size = '4m'"),
    plan("usb-stick", ONE, "128m", "size = '1m'\nio_size = '64k'"),
    plan("journal-scheduler", ONE, "64m", "size = '4m'"),
    plan("luks-btrfs", ONE, "160m", "size = '4m'"),
    plan("block-size-sweep", ONE, "160m", "size = '4m'"),
    plan("sd-card", ONE, "128m", "size = '4m'"),
    plan("nas", ONE, "320m", "size = '4m'"),
];

fn one_block(guest: &mut Guest, plan: &Plan) -> Result<()> {
    plan::write(guest, &shortened(plan)?)?;
    one_block_of(guest, "", plan.targets)
}

/// The plan with short cells on a small region.
fn shortened(plan: &Plan) -> Result<String> {
    let Plan { name, region, sizes, .. } = plan;
    let text = built_in(name).with_context(|| format!("no plan {name}"))?.text;
    let (_, protocol) = text.rsplit_once("\n[").unwrap_or_default();
    ensure!(protocol.starts_with("protocol]"), "the last table is not [protocol]:\n{text}");
    let shorter = |line: &str| match line {
        _ if line.starts_with("runtime = ") => "runtime = '60ms'\n".to_owned(),
        _ if line.starts_with("profile = ") => format!("{line}\n{sizes}\n"),
        _ if line.starts_with("rw = ") => format!("{line}\nsize = '16m'\n"),
        _ => format!("{line}\n"),
    };
    let text: String = text.lines().map(shorter).collect();
    Ok(format!("{text}{SHORT}[region]\nsize = '{region}'\n"))
}

/// The end of `[protocol]`.
const SHORT: &str = "cell_min = '50ms'
cell_max = '8s'
cell_min_ios = 2
flash_state = 'trimmed'
";

#[cfg(test)]
mod tests {
    use bakeoff_core::plan::BUILT_IN;

    use super::*;

    #[test]
    fn every_built_in_plan_is_here() {
        assert_eq!(BUILT_IN.len(), PLANS.len());
        for plan in PLANS {
            assert!(shortened(plan).is_ok(), "{}", plan.name);
        }
    }
}
