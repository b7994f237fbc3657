//! Causes on the processor's side: a quota, bakeoff itself, a kernel thread, the calling thread,
//! system calls, others who take the CPUs.

use super::baseline::{self, BOUND, Step};
use super::seen::Seen;
use crate::model::cause::{Cause, Reason};
use crate::model::ceiling::Layer;

/// Share of the time a thread must run to be what the rest waits for.
const BUSY: f64 = 0.8;
/// Share at which a thread beside others in a chain is the longest part of it.
const HALF: f64 = 0.5;
/// Share of the time a quota must hold us.
const HELD: f64 = 0.3;
/// Share of a CPU's time in interrupts that a host controller takes.
const INTERRUPTS: f64 = 0.6;
/// Bytes a call moves below which its own cost is what counts.
const SMALL_CALL_BYTES: u64 = 1024;
/// Share of the time somebody waited for a CPU while all were busy.
const CROWDED: f64 = 0.5;

/// What the kernel's own accounts say kept us from running: no inference is needed.
pub fn kept_from_running(seen: &Seen) -> Option<Reason> {
    quota(seen).or_else(|| waiting_thread(seen))
}

/// Every other cause on this side that holds, the surest first.
pub fn reasons(seen: &Seen, steps: &[Step]) -> Option<Reason> {
    ourselves(seen, steps)
        .or_else(|| in_memory(seen, steps))
        .or_else(|| kernel_thread(seen))
        .or_else(|| interrupts(seen))
        .or_else(|| calling_thread(seen, steps))
        .or_else(|| crowded(seen))
}

fn percent(share: f64) -> String {
    // Clocks of different precision; threads of one kind run on several CPUs.
    format!("{:.0} %", share.clamp(0.0, 1.0) * 100.0)
}

fn quota(seen: &Seen) -> Option<Reason> {
    let held = seen.telemetry()?.quota_held_ns? as f64 / seen.wall_ns();
    (held >= HELD).then(|| {
        let evidence = format!(
            "the control group's CPU quota stopped bakeoff for {} of the time",
            percent(held)
        );
        Reason::proved(Cause::Cpu, evidence).subject("quota of the control group").share(held)
    })
}

/// The generator: its own work takes the time, or it does no more without any I/O.
fn ourselves(seen: &Seen, steps: &[Step]) -> Option<Reason> {
    let alone = baseline::find(steps, Layer::Tool).filter(|step| step.share >= BOUND);
    if let Some(step) = alone {
        let evidence = format!("{} of bakeoff's own rate without I/O", percent(step.share));
        return Some(Reason::proved(Cause::Cpu, evidence).subject("bakeoff itself"));
    }
    let share = seen.m().tool_ns as f64 / seen.wall_ns();
    (share >= HALF).then(|| {
        let evidence = format!("generating data and counting took {} of the time", percent(share));
        Reason::consistent(Cause::Cpu, evidence).subject("bakeoff itself").share(share)
    })
}

/// The cipher or the filesystem is no faster where no disk is below it.
fn in_memory(seen: &Seen, steps: &[Step]) -> Option<Reason> {
    // Of calls of some bytes it is the calls that take the time, on any filesystem.
    if seen.job().bs <= SMALL_CALL_BYTES {
        return None;
    }
    let of = |layer| baseline::find(steps, layer).filter(|step| step.share >= BOUND);
    let of_cipher = of(Layer::CryptRam);
    let (step, subject) = match (of_cipher, of(Layer::FsRam)) {
        (Some(step), _) => (step, "dm-crypt".to_string()),
        (None, Some(step)) => (step, baseline::filesystem(seen)),
        (None, None) => return None,
    };
    let evidence = format!(
        "{} of {} ({})",
        percent(step.share),
        step.layer.label(),
        baseline::rate_words(seen, step.rate)
    );
    Some(Reason::proved(Cause::Cpu, evidence).subject(subject).ciphers(of_cipher.is_some()))
}

/// A thread that works for storage: one that runs all the time, or takes the longest part of a
/// chain in which each waits for the one before.
fn kernel_thread(seen: &Seen) -> Option<Reason> {
    let thread = seen.telemetry()?.threads.first()?;
    let share = thread.cpu_ns as f64 / seen.wall_ns();
    let device = seen.disks().map_or(0.0, |disk| (disk.queue / seen.depth()).min(1.0));
    let (lane, _) = seen.lane_cpu();
    let is_longest = share >= HALF && share > device && share > lane;
    (share >= BUSY || is_longest).then(|| {
        let evidence = format!(
            "{} ran for {} of the time; waiting for the disk took {}, the calling thread ran {}",
            thread.name,
            percent(share),
            percent(device),
            percent(lane)
        );
        // Its threads are kcryptd and dmcrypt_write (kernel, drivers/md/dm-crypt.c).
        let is_ciphers = thread.name.contains("crypt");
        let reason = Reason::consistent(Cause::Cpu, evidence).ciphers(is_ciphers);
        reason.subject(thread.name.clone()).share(share)
    })
}

/// A host controller that keeps one CPU busy with its interrupts, as dwc_otg does.
fn interrupts(seen: &Seen) -> Option<Reason> {
    let (cpu, share) = seen.interrupts()?;
    (share >= INTERRUPTS).then(|| {
        let evidence = format!("CPU {cpu} spent {} of the time in interrupts", percent(share));
        Reason::consistent(Cause::Cpu, evidence).subject("interrupts").share(share)
    })
}

/// The thread that makes the calls was ready and another ran.
fn waiting_thread(seen: &Seen) -> Option<Reason> {
    let waited = seen.waited().filter(|share| *share >= HALF)?;
    let (lane, _) = seen.lane_cpu();
    let evidence = format!(
        "the calling thread waited for a CPU for {} of the time and ran for {}",
        percent(waited),
        percent(lane)
    );
    Some(Reason::proved(Cause::Cpu, evidence).subject("other processes").share(waited))
}

/// The thread that makes the calls never rests.
fn calling_thread(seen: &Seen, steps: &[Step]) -> Option<Reason> {
    let (all, system) = seen.lane_cpu();
    let waited = seen.waited().unwrap_or(0.0);
    let calls = baseline::find(steps, Layer::Calls);
    let is_small = seen.job().bs <= SMALL_CALL_BYTES;
    let is_ready = all >= HALF && all + waited >= BUSY;
    if !is_ready || (system < all * 0.3 && !is_small) {
        return None;
    }
    let ran = match waited >= 0.05 {
        true => format!(
            "the calling thread ran for {} of the time and waited for a CPU for {}",
            percent(all),
            percent(waited)
        ),
        false => format!("the calling thread ran for {} of the time", percent(all)),
    };
    if let Some(step) = calls.filter(|step| step.share >= BOUND) {
        let evidence =
            format!("{ran}, at {} of the rate of the same calls in memory", percent(step.share));
        return Some(Reason::proved(Cause::SystemCalls, evidence).share(all));
    }
    if is_small {
        let ns = seen.wall_ns() * seen.lanes() / seen.m().total_ios().max(1) as f64;
        let evidence = format!("{ran}: {ns:.0} ns a call for {} bytes each", seen.job().bs);
        return Some(Reason::consistent(Cause::SystemCalls, evidence).share(all));
    }
    let fs = baseline::filesystem(seen);
    let evidence = format!("{ran}, {} of it in the kernel ({fs}, copying)", percent(system / all));
    Some(Reason::consistent(Cause::Cpu, evidence).subject("the calling thread").share(all))
}

/// Others want the CPUs and get them: all are busy, somebody always waits, and it is neither us
/// nor the disk that takes the time.
fn crowded(seen: &Seen) -> Option<Reason> {
    let (busy, waiting) = (seen.cpus_busy()?, seen.cpu_pressure()?);
    let (lane, _) = seen.lane_cpu();
    let device = seen.disks().map_or(0.0, |disk| disk.queue / seen.depth());
    let is_crowded = busy >= 0.9 && waiting >= CROWDED && lane < HALF && device < HALF;
    (is_crowded && seen.flush_share() < HALF).then(|| {
        let evidence = format!(
            "all CPUs were busy for {} of the time, tasks waited for a CPU for {}, and the \
             calling thread ran for {}",
            percent(busy),
            percent(waiting),
            percent(lane)
        );
        Reason::consistent(Cause::Cpu, evidence).subject("other processes").share(1.0 - lane)
    })
}
