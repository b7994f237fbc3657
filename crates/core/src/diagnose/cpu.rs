//! Causes on the processor's side: a quota, bakeoff itself, a kernel thread, the calling thread,
//! system calls, others who take the CPUs.

use super::baseline::{self, BOUND, LayerShare};
use super::context::CellContext;
use crate::model::bottleneck::Reason;
use crate::model::cause::Cause;
use crate::model::ceiling::Layer;
use crate::model::clue::{Calling, Clue, OfLayer, Processor, Subject};

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
/// Share of the time that a thread waited for a CPU from which it is told.
const WORTH_TELLING: f64 = 0.05;
/// Share of the time somebody waited for a CPU while all were busy.
const CROWDED: f64 = 0.5;

/// What the kernel's own accounts say kept us from running: no inference is needed.
pub fn kept_from_running(context: &CellContext) -> Option<Reason> {
    quota(context).or_else(|| waiting_thread(context))
}

/// Every other cause on this side that holds, the surest first.
pub fn reasons(context: &CellContext, steps: &[LayerShare]) -> Option<Reason> {
    ourselves(context, steps)
        .or_else(|| in_memory(context, steps))
        .or_else(|| kernel_thread(context))
        .or_else(|| interrupts(context))
        .or_else(|| calling_thread(context, steps))
        .or_else(|| crowded(context))
}

/// A share of the time as it is told: clocks differ in precision, and threads of one kind run on
/// several CPUs.
fn told(share: f64) -> f64 {
    share.clamp(0.0, 1.0)
}

fn quota(context: &CellContext) -> Option<Reason> {
    let held = context.telemetry()?.quota_held_ns? as f64 / context.wall_ns();
    (held >= HELD).then(|| {
        let clue = Clue::Processor(Processor::Quota { share: told(held) });
        Reason::proved(Cause::Cpu, clue).subject(Subject::Quota).share(held)
    })
}

/// The generator: its own work takes the time, or it does no more without any I/O.
fn ourselves(context: &CellContext, steps: &[LayerShare]) -> Option<Reason> {
    let alone = baseline::find(steps, Layer::Tool).filter(|step| step.share >= BOUND);
    if let Some(step) = alone {
        let clue = Clue::Processor(Processor::OwnRate { share: told(step.share) });
        return Some(Reason::proved(Cause::Cpu, clue).subject(Subject::Bakeoff));
    }
    let share = context.m().tool_ns as f64 / context.wall_ns();
    (share >= HALF).then(|| {
        let clue = Clue::Processor(Processor::OwnWork { share: told(share) });
        Reason::consistent(Cause::Cpu, clue).subject(Subject::Bakeoff).share(share)
    })
}

/// The cipher or the filesystem is no faster where no disk is below it.
fn in_memory(context: &CellContext, steps: &[LayerShare]) -> Option<Reason> {
    // Of calls of some bytes it is the calls that take the time, on any filesystem.
    if context.job().bs <= SMALL_CALL_BYTES {
        return None;
    }
    let of = |layer| baseline::find(steps, layer).filter(|step| step.share >= BOUND);
    let (step, subject) = match (of(Layer::CryptRam), of(Layer::FsRam)) {
        (Some(step), _) => (step, Subject::DmCrypt),
        (None, Some(step)) => (step, Subject::Filesystem(baseline::filesystem(context))),
        (None, None) => return None,
    };
    let of = OfLayer { share: told(step.share), ..baseline::of_layer(context, step) };
    Some(Reason::proved(Cause::Cpu, Clue::OfLayer(of)).subject(subject))
}

/// A thread that works for storage: one that runs all the time, or takes the longest part of a
/// chain in which each waits for the one before.
fn kernel_thread(context: &CellContext) -> Option<Reason> {
    let thread = context.telemetry()?.threads.first()?;
    let share = thread.cpu_ns as f64 / context.wall_ns();
    let device = context.disks().map_or(0.0, |disk| (disk.queue / context.depth()).min(1.0));
    let (lane, _) = context.lane_cpu();
    let is_longest = share >= HALF && share > device && share > lane;
    (share >= BUSY || is_longest).then(|| {
        let clue = Clue::Processor(Processor::Thread {
            name: thread.name.clone(),
            share: told(share),
            drive: told(device),
            lane: told(lane),
        });
        let subject = match baseline::filesystem(context) {
            // What serves a filesystem in user space has its name.
            Some(fs) if fs == thread.name => Subject::Filesystem(Some(fs)),
            _ => {
                // Its threads are kcryptd and dmcrypt_write (kernel, drivers/md/dm-crypt.c).
                let is_ciphers = thread.name.contains("crypt");
                Subject::Thread { name: thread.name.clone(), is_ciphers }
            }
        };
        Reason::consistent(Cause::Cpu, clue).subject(subject).share(share)
    })
}

/// A host controller that keeps one CPU busy with its interrupts, as dwc_otg does.
fn interrupts(context: &CellContext) -> Option<Reason> {
    let (cpu, share) = context.interrupts()?;
    (share >= INTERRUPTS).then(|| {
        let clue = Clue::Processor(Processor::Interrupts { cpu, share: told(share) });
        Reason::consistent(Cause::Cpu, clue).subject(Subject::Interrupts).share(share)
    })
}

/// The thread that makes the calls was ready and another ran.
fn waiting_thread(context: &CellContext) -> Option<Reason> {
    let waited = context.waited().filter(|share| *share >= HALF)?;
    let (lane, _) = context.lane_cpu();
    let (told_waited, ran) = (told(waited), told(lane));
    let clue = Clue::Processor(Processor::WaitedForCpu { waited: told_waited, ran });
    Some(Reason::proved(Cause::Cpu, clue).subject(Subject::OtherProcesses).share(waited))
}

/// The thread that makes the calls never rests.
fn calling_thread(context: &CellContext, steps: &[LayerShare]) -> Option<Reason> {
    let (all, system) = context.lane_cpu();
    let waited = context.waited().unwrap_or(0.0);
    let calls = baseline::find(steps, Layer::Calls);
    let is_small = context.job().bs <= SMALL_CALL_BYTES;
    let is_ready = all >= HALF && all + waited >= BUSY;
    if !is_ready || (system < all * 0.3 && !is_small) {
        return None;
    }
    let ran = |calling| {
        let waited = (waited >= WORTH_TELLING).then(|| told(waited));
        Clue::Processor(Processor::CallingThread { ran: told(all), waited, calling })
    };
    if let Some(step) = calls.filter(|step| step.share >= BOUND) {
        let clue = ran(Calling::AsInMemory { share: told(step.share) });
        return Some(Reason::proved(Cause::SystemCalls, clue).share(all));
    }
    if is_small {
        let ns = context.wall_ns() * context.lanes() / context.m().total_ios().max(1) as f64;
        let clue = ran(Calling::SmallCalls { ns, bytes: context.job().bs });
        return Some(Reason::consistent(Cause::SystemCalls, clue).share(all));
    }
    let filesystem = baseline::filesystem(context);
    let clue = ran(Calling::InKernel { share: told(system / all), filesystem });
    Some(Reason::consistent(Cause::Cpu, clue).subject(Subject::CallingThread).share(all))
}

/// Others want the CPUs and get them: all are busy, somebody always waits, and it is neither us
/// nor the disk that takes the time.
fn crowded(context: &CellContext) -> Option<Reason> {
    let (busy, waiting) = (context.cpus_busy()?, context.cpu_pressure()?);
    let (lane, _) = context.lane_cpu();
    let device = context.disks().map_or(0.0, |disk| disk.queue / context.depth());
    let is_crowded = busy >= 0.9 && waiting >= CROWDED && lane < HALF && device < HALF;
    (is_crowded && context.flush_share() < HALF).then(|| {
        let (busy, waiting) = (told(busy), told(waiting));
        let clue = Clue::Processor(Processor::Crowded { busy, waiting, lane: told(lane) });
        Reason::consistent(Cause::Cpu, clue).subject(Subject::OtherProcesses).share(1.0 - lane)
    })
}
