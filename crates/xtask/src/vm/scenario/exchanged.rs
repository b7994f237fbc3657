//! The target drive has changed: pulled out, back under another name, exchanged
//! between two steps or while the run waits for the night. Whatever has its name now is not
//! written.

use anyhow::{Result, ensure};

use super::resumed::plugged_in;
use super::run::{IS_MOUNTED, SCHEDULERS, TARGET, stick};
use crate::vm::disk::Disk;
use crate::vm::guest::Guest;
use crate::vm::port::Output;
use crate::vm::{job, plan, store};

/// A run on the stick, which is given more time than it takes.
const ON_STICK: &str = "bakeoff run /tmp/plan.toml --target /dev/sda --erase STICK-1 --time 4h \
                        --seed 1 --max-write 100g";

/// The drive vanishes in the middle and comes back as another one.
pub fn pulled_out(guest: &mut Guest) -> Result<()> {
    plan::write_small(guest, SCHEDULERS)?;
    job::start(guest, ON_STICK)?;
    job::wait_for(guest, IS_MOUNTED)?;
    guest.unplug(&stick())?;
    let ended = job::end(guest)?;
    refused(&ended, "unplugged")?;
    guest.plug(&stick())?;
    guest.wait_for("[ -e /dev/disk/by-id/usb-*STICK-1* ]")?;
    guest.ok("bakeoff clean")?;
    store::check(guest)?;
    guest.ok("! grep -q /dev/sd /proc/mounts")?;
    plugged_in_anew(guest, &stick())
}

/// The same before the run can notice: the drive it consented to is there, as sdb.
pub fn comes_back_meanwhile(guest: &mut Guest) -> Result<()> {
    plan::write_small(guest, SCHEDULERS)?;
    job::start(guest, ON_STICK)?;
    job::wait_for(guest, IS_MOUNTED)?;
    guest.ok("kill -STOP $(cat /tmp/job.pid)")?;
    guest.unplug(&stick())?;
    guest.plug_as("sdb", &stick())?;
    unwritten(guest, "sdb", "unplugged", |guest| {
        guest.ok("kill -CONT $(cat /tmp/job.pid)")?;
        job::end(guest)
    })?;
    guest.ok("bakeoff clean")?;
    store::check(guest)?;
    plugged_in_anew(guest, &stick())
}

/// The name is another disk's from the moment on at which the first filesystem is made.
pub fn between_two_steps(guest: &mut Guest) -> Result<()> {
    plan::write_small(guest, SCHEDULERS)?;
    guest.ok("mkdir -p /tmp/exchange
        cat >/tmp/exchange/mkfs.ext4 <<END
#!/bin/dash
$(command -v mkfs.ext4) \"\\$@\" || exit
mv /dev/vda /dev/vda.was
cp -a /dev/vdb /dev/vda
END
        chmod +x /tmp/exchange/mkfs.ext4")?;
    let command = format!(
        "env PATH=/tmp/exchange:$PATH bakeoff run /tmp/plan.toml {TARGET} {}",
        plan::ENDLESS
    );
    unwritten(guest, "vdb", "/dev/vda has changed from device", |guest| {
        job::start(guest, &command)?;
        let ended = job::end(guest);
        guest.ok("mv /dev/vda.was /dev/vda; rm -r /tmp/exchange; bakeoff clean")?;
        ended
    })?;
    store::check(guest)
}

/// Ten hours pass; what is plugged in then has the same name and size.
pub fn while_it_waits(guest: &mut Guest) -> Result<()> {
    plan::write_small(guest, SCHEDULERS)?;
    let at = guest.ok("date -d @$(($(date +%s) + 36000)) +%H:%M")?;
    job::start(guest, &format!("{ON_STICK} --at {}", at.trim()))?;
    job::wait_for(guest, "grep -q 'Waiting until' /tmp/job.err")?;
    guest.unplug(&stick())?;
    guest.wait_for("[ ! -e /sys/block/sda ]")?;
    let other = stick().serial("STICK-2");
    guest.plug_as("sda", &other)?;
    unwritten(guest, "sda", "target drive has changed, and nothing was written", |guest| {
        guest.ok("date -s @$(($(date +%s) + 36000)) >/dev/null")?;
        job::end(guest)
    })?;
    plugged_in_anew(guest, &other)
}

/// Whether a run ends refused, saying why, and does not write the disk that took a name.
fn unwritten(
    guest: &mut Guest,
    name: &str,
    says: &str,
    end: impl FnOnce(&mut Guest) -> Result<Output>,
) -> Result<()> {
    let before = sectors_written(guest, name)?;
    refused(&end(guest)?, says)?;
    let after = sectors_written(guest, name)?;
    ensure!(before == after, "{name} was written: {before} sectors before, {after} after");
    Ok(())
}

fn refused(ended: &Output, says: &str) -> Result<()> {
    let (code, said) = (ended.code, ended.error());
    ensure!([3, 4].contains(&code) && said.contains(says), "ended with {code}: {said}");
    Ok(())
}

fn sectors_written(guest: &mut Guest, name: &str) -> Result<u64> {
    let written = guest.ok(&format!("awk '$3 == \"{name}\" {{print $10}}' /proc/diskstats"))?;
    Ok(written.trim().parse()?)
}

/// The stick as the other tests know it, sda, in place of what is plugged in.
fn plugged_in_anew(guest: &mut Guest, instead_of: &Disk) -> Result<()> {
    guest.unplug(instead_of)?;
    plugged_in(guest, &stick())
}
