//! Causes on the processor's side: bakeoff itself, a kernel thread, the calling thread,
//! system calls, others who take the CPUs.

use super::baseline::{self, BOUND, LayerShare};
use super::context::CellContext;
use super::percent;
use bakeoff_model::bottleneck::Reason;
use bakeoff_model::cause::Cause;
use bakeoff_model::ceiling::CeilingLayer;

/// Share of the time a thread must run to be what the rest waits for.
const BUSY: f64 = 0.8;
/// Share at which a thread beside others in a chain is the longest part of it.
const HALF: f64 = 0.5;
/// Share of a CPU's time in interrupts that a host controller takes.
const INTERRUPTS: f64 = 0.6;
const SMALL_CALL_BYTES: u64 = 1024;
const WORTH_TELLING: f64 = 0.05;
/// Share of the time somebody waited for a CPU while all were busy.
const CROWDED: f64 = 0.5;

/// Every other cause on this side that holds, the surest first.
pub fn reasons(context: &CellContext, steps: &[LayerShare]) -> Option<Reason> {
    ourselves(context, steps)
        .or_else(|| interrupts(context))
        .or_else(|| calling_thread(context, steps))
        .or_else(|| crowded(context))
}

/// A share of the time as it is told: clocks differ in precision, and threads of one kind run on
/// several CPUs.
fn told(share: f64) -> String {
    percent(share.clamp(0.0, 1.0))
}

/// The generator: its own work takes the time, or it does no more without any I/O.
fn ourselves(context: &CellContext, steps: &[LayerShare]) -> Option<Reason> {
    let alone = baseline::find(steps, CeilingLayer::Tool).filter(|step| step.share >= BOUND);
    if let Some(step) = alone {
        let clue = format!("{} of bakeoff's own rate without I/O", told(step.share));
        return Some(Reason::proved(Cause::Cpu, clue).subject("bakeoff itself"));
    }
    let share = context.m().tool_ns as f64 / context.wall_ns();
    (share >= HALF).then(|| {
        let clue = format!("generating data and counting took {} of the time", told(share));
        Reason::consistent(Cause::Cpu, clue).subject("bakeoff itself").share(share)
    })
}

fn interrupts(context: &CellContext) -> Option<Reason> {
    let (cpu, share) = context.interrupts()?;
    (share >= INTERRUPTS).then(|| {
        let clue = format!("CPU {cpu} spent {} of the time in interrupts", told(share));
        Reason::consistent(Cause::Cpu, clue).subject("interrupts").share(share)
    })
}

pub fn waiting_thread(context: &CellContext) -> Option<Reason> {
    let waited = context.waited().filter(|share| *share >= HALF)?;
    let (lane, _) = context.lane_cpu();
    let clue = format!(
        "the calling thread waited for a CPU for {} of the time and ran for {}",
        told(waited),
        told(lane)
    );
    Some(Reason::proved(Cause::Cpu, clue).subject("other processes").share(waited))
}

fn calling_thread(context: &CellContext, steps: &[LayerShare]) -> Option<Reason> {
    let (all, system) = context.lane_cpu();
    let waited = context.waited().unwrap_or(0.0);
    let calls = baseline::find(steps, CeilingLayer::Calls);
    let is_small = context.job().bs <= SMALL_CALL_BYTES;
    let is_ready = all >= HALF && all + waited >= BUSY;
    if !is_ready || (system < all * 0.3 && !is_small) {
        return None;
    }
    let waited = if waited >= WORTH_TELLING {
        format!(" and waited for a CPU for {}", told(waited))
    } else {
        String::new()
    };
    let ran = format!("the calling thread ran for {} of the time{waited}", told(all));
    if let Some(step) = calls.filter(|step| step.share >= BOUND) {
        let share = told(step.share);
        let clue = format!("{ran}, at {share} of the rate of the same calls in memory");
        return Some(Reason::proved(Cause::SystemCalls, clue).share(all));
    }
    if is_small {
        let ns = context.wall_ns() * context.lanes() / context.m().total_ios().max(1) as f64;
        let bytes = context.job().bs;
        let clue = format!("{ran}: {ns:.0} ns a call for {bytes} bytes each");
        return Some(Reason::consistent(Cause::SystemCalls, clue).share(all));
    }
    let (share, fs) = (told(system / all), filesystem(context));
    let clue = format!("{ran}, {share} of it in the kernel ({fs}, copying)");
    Some(Reason::consistent(Cause::Cpu, clue).subject("the calling thread").share(all))
}

fn filesystem(context: &CellContext) -> String {
    baseline::filesystem(context).unwrap_or_else(|| "the filesystem".to_string())
}

/// Others want the CPUs and get them: all are busy, somebody always waits, and it is neither us
/// nor the disk that takes the time.
fn crowded(context: &CellContext) -> Option<Reason> {
    let (busy, waiting) = (context.cpus_busy()?, context.cpu_pressure()?);
    let (lane, _) = context.lane_cpu();
    let device = context.disks().map_or(0.0, |disk| disk.queue / context.depth());
    let is_crowded = busy >= 0.9 && waiting >= CROWDED && lane < HALF && device < HALF;
    (is_crowded && context.flush_share() < HALF).then(|| {
        let clue = format!(
            "all CPUs were busy for {} of the time, tasks waited for a CPU for {}, and the calling \
             thread ran for {}",
            told(busy),
            told(waiting),
            told(lane)
        );
        Reason::consistent(Cause::Cpu, clue).subject("other processes").share(1.0 - lane)
    })
}
