//! Causes on the disk's side: its flushes, the limit of dirty pages, the link, the place
//! on it, the disk itself, one request at a time.

use super::baseline::{self, BOUND, LayerShare};
use super::context::{CellContext, Totals};
use super::percent;
use bakeoff_model::bottleneck::Reason;
use bakeoff_model::cause::Cause;
use bakeoff_model::ceiling::CeilingLayer;
use bakeoff_model::job::Rw;
use bakeoff_stats::units;

/// Share of the time in flushes from which they are what holds a cell back.
const FLUSHING: f64 = 0.3;
const FULL_QUEUE: f64 = 2.0;
const ONE_AT_A_TIME: f64 = 1.15;
/// Requests of that size take the time their bytes take.
const LARGE_BYTES: u64 = 256 << 10;
const AT_THE_DISK: f64 = 0.6;
const PRACTICE: f64 = 0.85;
/// A rate so many times that of the raw device is not the device's.
const FASTER_THAN_IT: f64 = 1.5;
const GRADIENT: f64 = 0.9;

pub fn reasons(context: &CellContext, steps: &[LayerShare]) -> Option<Reason> {
    flush(context, steps)
        .or_else(|| writeback(context))
        .or_else(|| position(context, steps))
        .or_else(|| bus(context, steps))
        .or_else(|| by_layers(context, steps))
        .or_else(|| by_signals(context))
}

/// Small amounts made durable again and again: the time goes to the flushes, not to the data.
fn flush(context: &CellContext, steps: &[LayerShare]) -> Option<Reason> {
    let share = context.flush_share();
    let top = context.top();
    let is_bandwidth = top.is_some_and(|disk| disk.queue >= FULL_QUEUE) && !is_small(context);
    if share < FLUSHING || is_bandwidth {
        return None;
    }
    let m = context.m();
    let flushes = m.flush.as_ref().map_or(0, |f| f.total_ios);
    let clue = format!("{flushes} flushes took {} of the time", percent(share));
    let mut reason = Reason::consistent(Cause::Flush, clue).share(share);
    if let Some(disk) = top {
        let share = percent(disk.flush_share);
        reason = reason.and(format!("the kernel counts {share} of the time as drive flushes"));
    }
    let without =
        baseline::find(steps, CeilingLayer::NoFlush).filter(|step| step.share <= 1.0 - FLUSHING);
    Some(match without {
        Some(step) => {
            let rate = context.in_its_metric(step.rate);
            reason.proved_by(format!("without flushes: {rate}"))
        }
        None => reason,
    })
}

/// Whether so little is written between flushes that the data cannot be what takes the time.
fn is_small(context: &CellContext) -> bool {
    let job = context.job();
    let every = u64::from(job.fsync.max(job.fdatasync));
    job.rw == Rw::SmallFiles || (every > 0 && every.saturating_mul(job.bs) <= LARGE_BYTES)
}

/// A writer through the page cache that waits at the limit of dirty pages.
fn writeback(context: &CellContext) -> Option<Reason> {
    let job = context.job();
    let memory = context.telemetry()?.memory.as_ref()?;
    if !job.rw.writes() || job.direct || context.flush_share() >= FLUSHING {
        return None;
    }
    // balance_dirty_pages() begins to slow writers down halfway between the two thresholds.
    let from = (memory.limit_bytes? / 2).saturating_add(memory.background_bytes? / 2);
    let held: Vec<u64> = memory
        .dirty_bytes
        .iter()
        .zip(&memory.writeback_bytes)
        .map(|(dirty, writeback)| dirty.saturating_add(*writeback))
        .collect();
    let near = held.iter().filter(|bytes| **bytes as f64 >= from as f64 * 0.9).count();
    let (lane, _) = context.lane_cpu();
    let is_it = !held.is_empty() && near * 2 >= held.len() && from > 0 && lane < 0.7;
    is_it.then(|| {
        let most_bytes = held.iter().max().copied().unwrap_or(0);
        let clue = format!(
            "{} of dirty pages; the kernel slows writers from {} on; the calling thread ran {}",
            units::size(most_bytes),
            units::size(from),
            percent(lane)
        );
        Reason::consistent(Cause::Writeback, clue).share(1.0 - lane)
    })
}

fn position(context: &CellContext, steps: &[LayerShare]) -> Option<Reason> {
    let start = baseline::find(steps, CeilingLayer::Start)?;
    let end = baseline::find(steps, CeilingLayer::End)?;
    let (slow, fast) = (start.rate.min(end.rate), start.rate.max(end.rate));
    let rate = context.rate();
    let is_between = rate >= slow * BOUND && rate <= fast / BOUND;
    (slow < fast * GRADIENT && is_between).then(|| {
        let [start, end] = [start, end].map(|step| context.in_its_metric(step.rate));
        let clue = format!(
            "the raw drive reaches {start} at the start of the region and {end} at its end"
        );
        Reason::proved(Cause::Position, clue)
    })
}

fn bus(context: &CellContext, steps: &[LayerShare]) -> Option<Reason> {
    if context.flush_share() >= FLUSHING {
        return None;
    }
    let links = context.layers().filter_map(|disk| disk.link.as_ref());
    let subject = links.map(|link| link.as_str()).collect::<Vec<_>>().join(" + ");
    if let Some(step) = baseline::find(steps, CeilingLayer::Link).filter(|step| step.share >= BOUND)
    {
        let (share, rate) = (percent(step.share), context.in_its_metric(step.rate));
        let clue = format!("{share} of the {rate} that the link can carry");
        return Some(Reason::proved(Cause::Bus, clue).subject(subject));
    }
    let practice = baseline::find(steps, CeilingLayer::LinkPractice)?;
    // More than others reached may be the link or not; so little over it cannot be told apart.
    (PRACTICE..=1.25).contains(&practice.share).then(|| {
        let (share, rate) = (percent(practice.share), context.in_its_metric(practice.rate));
        let clue = format!("{share} of the {rate} that others measured over this kind of link");
        Reason::consistent(Cause::Bus, clue).subject(subject)
    })
}

fn by_layers(context: &CellContext, steps: &[LayerShare]) -> Option<Reason> {
    let deep = baseline::find(steps, CeilingLayer::Deep);
    // What writes gather in memory goes to the disk many at a time, whatever the depth.
    let is_asked_singly = context.depth() < 4.0 && !context.job().rw.writes();
    // Of a slow disk's few large requests the first ones often cost nothing.
    let gain = if context.job().bs >= LARGE_BYTES { 1.5 } else { 1.2 };
    if let Some(step) = deep.filter(|step| step.share <= 1.0 / gain && is_asked_singly) {
        let times = 1.0 / step.share.max(1e-9);
        let clue =
            format!("with many requests in flight the same region is {times:.1} times as fast");
        let at = context.top().map_or(0.0, |disk| disk.queue.min(1.0));
        return Some(Reason::proved(Cause::QueueDepth, clue).share(at.max(0.01)));
    }
    let raw = [CeilingLayer::Raw, CeilingLayer::Deep]
        .iter()
        .filter_map(|layer| baseline::find(steps, *layer));
    let lowest = raw.min_by(|a, b| a.rate.total_cmp(&b.rate))?;
    let job = context.job();
    if lowest.share > FASTER_THAN_IT && job.rw.writes() && !job.is_durable() {
        let clue = format!("{:.1} times the rate of the raw device", lowest.share);
        return Some(Reason::proved(Cause::PageCache, clue));
    }
    // What is much faster than a layer does not stand on it.
    (BOUND..=FASTER_THAN_IT)
        .contains(&lowest.share)
        .then(|| Reason::proved(Cause::Device, baseline::of_layer(context, lowest)))
}

fn by_signals(context: &CellContext) -> Option<Reason> {
    let disk: Totals = context.top()?;
    let bottom = context.disks().unwrap_or(disk);
    // A loop or mapper device above a disk that rests waits for itself, which is still a device
    // to those who write to it.
    let at_the_disk = disk.queue.max(bottom.queue);
    let busy = at_the_disk / context.depth().min(FULL_QUEUE);
    let await_ms = disk.await_ms;
    let in_flight =
        format!("{at_the_disk:.1} requests in flight on average, {await_ms:.2} ms each");
    if at_the_disk >= FULL_QUEUE {
        return Some(Reason::consistent(Cause::Device, in_flight));
    }
    let job = context.job();
    let is_direct = job.direct || !job.rw.writes();
    let is_single = context.depth() < 2.0 && is_direct && disk.queue <= ONE_AT_A_TIME;
    // Of a large request most of the time goes to moving it, however many there are.
    if is_single && job.bs < LARGE_BYTES && at_the_disk >= AT_THE_DISK {
        let share = percent(disk.queue);
        let clue = format!("one request in flight for {share} of the time, {await_ms:.2} ms each");
        return Some(Reason::consistent(Cause::QueueDepth, clue).share(disk.queue));
    }
    (busy >= AT_THE_DISK).then(|| Reason::consistent(Cause::Device, in_flight))
}
