//! Commands that need no disk of their own: `bench` and `quick`. What `demo` makes of a filesystem
//! is an image on a loop device, which takes no other machine:
//! `crates/bakeoff/tests/all/cases/demo.rs`.

use anyhow::{Result, ensure};
use serde_json::Value;

use super::{Group, Test};
use crate::vm::board::PC;
use crate::vm::disk::{Disk, MIB};
use crate::vm::guest::Guest;
use crate::vm::store;

/// The group.
pub const GROUP: Group = Group {
    name: "files",
    board: &PC,
    disks: || vec![Disk::virtio("home", 2048 * MIB).serial("HOME")],
    is_alone: false,
    tests: || vec![Test::new("bench", bench), Test::new("quick", quick)],
};

const MOUNT: &str = "mkfs.ext4 -qF /dev/vda && mount /dev/vda /mnt";

fn bench(guest: &mut Guest) -> Result<()> {
    guest.ok(MOUNT)?;
    for engine in ["psync", "io_uring"] {
        let result = guest.json(&format!(
            "bakeoff bench /mnt --rw=randwrite --bs=4k --size=16m --io_size=1m --direct=1 \
             --engine={engine} --format json"
        ))?;
        ensure!(result["write"]["total_ios"] == 256, "{engine}: {result}");
    }
    guest.ok("[ -z \"$(ls /mnt | grep -v lost+found)\" ] && umount /mnt").map(drop)
}

fn quick(guest: &mut Guest) -> Result<()> {
    guest.ok(MOUNT)?;
    guest.ok("mkdir /mnt/a /mnt/b")?;
    let output = guest.run_within(
        "bakeoff quick /mnt/a /mnt/b --workload randread --time 60s --size 16m --seed 1 \
         --format json",
        std::time::Duration::from_secs(900),
    )?;
    ensure!(output.code <= 1, "{}: {}", output.code, output.error());
    let run: Value = serde_json::from_str(&output.text())?;
    ensure!(run["candidates"].as_array().is_some_and(|all| all.len() == 2), "{run}");
    ensure!(run["cells"].as_u64() > Some(0), "{run}");
    store::check(guest)?;
    guest.ok("[ -z \"$(ls /mnt/a /mnt/b | grep -v :)\" ] && umount /mnt").map(drop)
}
