//! The power cut: a run goes on from where its journal ends, whenever that was.

use anyhow::Result;

use crate::vm::board::PC;
use crate::vm::clean::State;
use crate::vm::disk::{Disk, MIB};
use crate::vm::guest::Guest;
use crate::vm::lab::TestLab;
use crate::vm::{job, plan, store};

/// How often the power is cut.
const CUTS: u32 = 10;

/// Where the points come from at which it is cut.
const SEED: u64 = 3;

/// Most events that a run gets on with between two cuts. Preparing takes about twenty, a visit ten.
const EVENTS: u64 = 48;

/// What is measured.
const PLAN: &str = "
[region]
size = '64m'
[axes]
fs = ['ext4']
scheduler = ['none', 'bfq']
";

/// In a mode that goes on after every cut. Discarding takes an emulated processor a moment where
/// writing takes a minute.
fn plan() -> String {
    plan::small(PLAN).replace("'quick'", "'decide'") + "flash_state = 'trimmed'\n"
}

/// Cuts it, boots again and resumes, until nothing is cut any more; then the run is ended.
pub fn cut_and_resume(lab: &TestLab) -> Result<()> {
    let disks = [
        Disk::virtio("home", 128 * MIB).serial("HOME"),
        Disk::virtio("target", 512 * MIB).serial("TARGET"),
    ];
    let machine = lab.machine(&PC, "power", &disks)?;
    let mut random = SEED;
    let mut command = "bakeoff run /root/plan.toml --target /dev/vdb --erase TARGET --time 4h \
                       --seed 1 --max-write 100g";
    for cut in 0..CUTS {
        let mut guest = machine.boot()?;
        if cut == 0 {
            guest.ok(&format!(
                "mkfs.ext4 -qF /dev/vda && mount /dev/vda /root
                cat >/root/plan.toml <<'END'\n{}END",
                plan()
            ))?;
        } else {
            guest.ok("mount /dev/vda /root")?;
            if guest.ok("bakeoff runs --all --format json")?.contains("\"run\"") {
                store::check(&mut guest)?;
                command = "bakeoff resume --time 4h --erase TARGET";
            }
        }
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let point = store::events_are_recorded(&mut guest, 1 + (random >> 33) % EVENTS)?;
        job::start(&mut guest, command)?;
        job::wait_for(&mut guest, &point)?;
        guest.kill()?;
    }
    let mut guest = machine.boot()?;
    let before = State::read(&mut guest)?;
    guest.ok("mount /dev/vda /root")?;
    finish(&mut guest)?;
    // Scripts begin in it.
    guest.ok("cd / && umount /root")?;
    before.assert_unchanged(&mut guest)
}

/// Resumes until a block is complete.
fn finish(guest: &mut Guest) -> Result<()> {
    store::check(guest)?;
    plan::one_block(guest, "bakeoff resume --time 4h --erase TARGET")
}
