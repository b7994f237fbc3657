//! The guard in front of real disks: what must not be written is not, and the rest is.
//!
//! `situations` has the table. Whether something was written is read from the kernel's own count
//! of sectors written to the disk, so that a refusal that came too late is found as well.

use anyhow::{Context, Result, ensure};

use super::{Group, Test};
use crate::vm::board::PC;
use crate::vm::disk::{Disk, MIB};
use crate::vm::guest::Guest;

mod situations;

use situations::{ALL, Answer, Situation};

/// The group.
pub const GROUP: Group = Group {
    name: "guard",
    board: &PC,
    disks,
    is_alone: false,
    tests: || ALL.iter().map(|one| Test::new(one.name, |guest| try_it(guest, one))).collect(),
};

/// Named in the situations by `$A`, `$B` and so on, see PREFACE: in the order of this list.
fn disks() -> Vec<Disk> {
    vec![
        Disk::virtio("a", 128 * MIB).serial("GUARD-A"),
        Disk::virtio("b", 128 * MIB).serial("GUARD-B"),
        Disk::virtio("nameless", 48 * MIB),
        Disk::virtio("protected", 64 * MIB).serial("RO-1").read_only(),
        Disk::virtio("native", 64 * MIB).serial("4K-1").block_bytes(4096),
        Disk::usb("twin1", 64 * MIB).serial("TWIN"),
        Disk::usb("twin2", 64 * MIB).serial("TWIN"),
    ]
}

/// Defines `release`, which ends the process that /tmp/holder names, and returns when all that it
/// had open or mounted is closed. A process has given that up before it is a zombie.
pub const RELEASE: &str = "release() {
    kill $(cat /tmp/holder)
    while grep -q '^State:.[^Z]' /proc/$(cat /tmp/holder)/status 2>/dev/null; do sleep 0.1; done
}";

/// What every script of a situation may use, `release` beside it. `hold` keeps the descriptor 9,
/// which is open by then, in another process.
const PREFACE: &str = "
A=/dev/vda B=/dev/vdb NAMELESS=/dev/vdc RO=/dev/vdd NATIVE=/dev/vde TWIN=/dev/sda
format() { mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 \"$@\"; }
halves() { printf 'size=60M\\nsize=60M\\n' | sfdisk -q --label gpt \"$1\" && udevadm settle; }
hold() { sleep 900 >/dev/null 2>&1 & echo $! >/tmp/holder; exec 9<&-; }
written() { awk -v name=\"${1#/dev/}\" '$3 == name {print $10}' /proc/diskstats; }
";

/// After each of them: no partition and no signature is left. What was unmounted lazily, or by
/// whoever had it open last, may still be writing a signature: the kernel says that it is busy.
const WIPE: &str = "
udevadm settle
for disk in $A $B; do
    [ ! -e ${disk}1 ] || { sfdisk -q --delete $disk; wipefs -aqf ${disk}1; }
    n=0
    while [ $n -lt 600 ] && wipefs -aq $disk 2>&1 | grep -q busy; do n=$((n+1)); sleep 0.1; done
    wipefs -aqf $disk
done
udevadm settle
";

/// Sets it up, tries to write, looks what came of it, and puts it back.
fn try_it(guest: &mut Guest, one: &Situation) -> Result<()> {
    let script = format!(
        "{PREFACE}{RELEASE}
        (set -e; {}\nudevadm settle) >/dev/null
        [ $? = 0 ] || echo 'could not be set up'
        target=\"{}\"
        whole=$(lsblk -ndo PKNAME \"$target\" 2>/dev/null | head -1)
        whole=${{whole:-${{target#/dev/}}}}
        sync
        before=$(written $whole)
        bakeoff bench \"$target\" --rw=write --bs=64k --io_size=1m --direct=1 {} \
            >/dev/null 2>/tmp/said
        code=$?
        sync
        echo \"code $code ${{before:-0}} $(written $whole)\"
        cat /tmp/said
        (true; {}\n) || echo 'could not be put back'
        {WIPE}",
        one.setup, one.target, one.consent, one.teardown
    );
    let output = guest.run(&script)?;
    let text = output.text();
    let all = || format!("{text}{}", output.error());
    ensure!(!all().contains("could not be"), "{}", all());
    let (numbers, said) = text.split_once('\n').with_context(all)?;
    let numbers: Vec<u64> =
        numbers.split_whitespace().skip(1).map(str::parse).collect::<Result<_, _>>()?;
    let code = *numbers.first().with_context(all)?;
    let after = numbers.get(2).or(numbers.get(1)).copied().unwrap_or_default();
    let written = after - numbers.get(1).copied().unwrap_or_default();
    judge(one, code, written, said)
}

fn judge(one: &Situation, code: u64, written: u64, said: &str) -> Result<()> {
    match one.answer {
        Answer::Refused { code: expected, says } => {
            ensure!(code == expected, "ended with {code}, not {expected}: {said}");
            ensure!(said.contains(says), "nothing of {says:?} in: {said}");
            // A filesystem that was just mounted writes its superblock when it likes.
            ensure!(written < 128, "{written} sectors were written before the refusal: {said}");
        }
        Answer::Written => {
            ensure!(code == 0, "ended with {code}: {said}");
            ensure!(written >= 2048, "{written} sectors were written, not a MiB: {said}");
        }
    }
    Ok(())
}
