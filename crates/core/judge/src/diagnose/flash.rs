//! Causes inside a disk: a fast cache that is used up, flash that stands still to clean up.
//!
//! A rate that falls or stops has many causes, the memory and the host of a virtual machine among
//! them. The disk is one only where its own counters say so at the same time.

use super::context::CellContext;
use super::percent;
use crate::evidence::pattern::{self, Step};
use bakeoff_model::bottleneck::Reason;
use bakeoff_model::cause::Cause;
use bakeoff_model::event::Cell;
use bakeoff_model::telemetry::{DeviceSeries, Telemetry};
use bakeoff_stats::units;

const CLEAR_STEP: f64 = 0.7;
/// A fast cache is at least this much faster than what lies behind it.
const SLOWER: f64 = 0.6;
const SAME_AMOUNT: f64 = 1.4;
/// Share of the time a card stands still for its cleaning to be the cause.
const STALLED: f64 = 0.3;
/// A stall: what a drive's own scheduling does not explain.
const LONG_STALL_NS: u64 = 150_000_000;
const MUCH_LONGER: u64 = 10;

pub fn reasons(context: &CellContext) -> Option<Reason> {
    let m = context.m();
    m.write.as_ref().or(m.create.as_ref())?;
    fast_cache(context).or_else(|| cleaning(context))
}

/// One step down that stays: the disk takes longer for each byte from then on, and in the other
/// cells it comes after as many bytes.
fn fast_cache(context: &CellContext) -> Option<Reason> {
    let step = fall(context.cell)?;
    let (before, after) = ms_per_mb(context.telemetry()?, step.at_ns)?;
    // The rest of a fall may be the writer's; what the disk does not share is none of it.
    if before <= 0.0 || after < before / libm::sqrt(step.ratio) {
        return None;
    }
    let others: Vec<Step> = context.alike.iter().filter_map(|cell| fall(cell)).collect();
    let again = others.iter().filter(|other| is_as_much(other, &step)).count();
    if !context.alike.is_empty() && again * 2 <= others.len() {
        return None;
    }
    let again = if context.alike.is_empty() {
        "measured once".to_string()
    } else {
        format!("as in {again} other cells")
    };
    let clue = format!(
        "after {} the write rate fell to {} and stayed there, {again}; each byte then took the \
         drive {:.1} times as long",
        units::size(step.after_bytes),
        percent(step.ratio),
        after / before
    );
    Some(Reason::consistent(Cause::FastCache, clue).subject(kind(context)))
}

fn fall(cell: &Cell) -> Option<Step> {
    pattern::step(&cell.measurement).filter(|s| s.explains >= CLEAR_STEP && s.ratio <= SLOWER)
}

fn is_as_much(a: &Step, b: &Step) -> bool {
    let ratio = a.after_bytes.max(1) as f64 / b.after_bytes.max(1) as f64;
    (1.0 / SAME_AMOUNT..=SAME_AMOUNT).contains(&ratio)
}

/// A virtual disk is said to rotate whatever it stands on (`BLK_FEAT_ROTATIONAL` in
/// `drivers/block/virtio_blk.c`).
fn kind(context: &CellContext) -> &'static str {
    let is_virtual = context.layers().any(|disk| disk.bus.as_deref() == Some("virtio"));
    match (is_virtual, context.rotates()) {
        (true, _) => "virtual disk",
        (false, true) => "shingled drive",
        (false, false) => "flash",
    }
}

fn disks(t: &Telemetry) -> impl Iterator<Item = &DeviceSeries> {
    t.devices.iter().filter(|device| device.is_disk)
}

/// What a megabyte took at the disks before and after a moment of the cell, milliseconds of
/// requests in flight: the median of the stretches in which something was written, so that others'
/// bursts do not count.
fn ms_per_mb(t: &Telemetry, at_ns: u64) -> Option<(f64, f64)> {
    let sum = |of: fn(&DeviceSeries) -> &[u64], i: usize| -> u64 {
        disks(t).filter_map(|device| of(device).get(i)).sum()
    };
    let of_stretch = |i: usize| {
        let bytes = sum(|device| &device.written_bytes, i);
        (bytes > 0).then(|| sum(|device| &device.queue_ms, i) as f64 * 1e6 / bytes as f64)
    };
    // The stretch in which it happens belongs to neither side.
    let ends = t.fast_ns.iter().enumerate();
    let (early, late): (Vec<_>, Vec<_>) = ends.partition(|(_, end_ns)| **end_ns <= at_ns);
    let median = |side: &[(usize, &u64)]| {
        let all: Vec<f64> = side.iter().filter_map(|(i, _)| of_stretch(*i)).collect();
        bakeoff_stats::sample::median(&all)
    };
    Some((median(&early)?, median(late.get(1..)?)?))
}

fn cleaning(context: &CellContext) -> Option<Reason> {
    let m = context.m();
    let stalls = pattern::stalls(m)?;
    let write = m.write.as_ref().or(m.create.as_ref())?;
    let median_ns = write.lat_ns.p50.max(m.flush.as_ref().and_then(|f| f.lat_ns.p50))?;
    let longest_ns = stalls.longest_ns();
    let is_gc = stalls.spans.len() >= 2
        && stalls.share >= STALLED
        && longest_ns >= LONG_STALL_NS
        && longest_ns > median_ns.saturating_mul(MUCH_LONGER)
        && !context.rotates()
        && is_waited_for(context.telemetry()?, &stalls.spans);
    is_gc.then(|| {
        let clue = format!(
            "{} stalls took {} of the time, the longest {}; the median write takes {}",
            stalls.spans.len(),
            percent(stalls.share),
            units::latency(longest_ns),
            units::latency(median_ns)
        );
        Reason::consistent(Cause::FlashGc, clue).share(stalls.share)
    })
}

/// Whether a disk held a request in most looks that were made during these spans. The number in
/// flight is asked, because the time of a request is counted when it ends
/// (`Documentation/admin-guide/iostats.rst`).
fn is_waited_for(t: &Telemetry, spans: &[(u64, u64)]) -> bool {
    let is_within = |at: u64| spans.iter().any(|(start, len)| at > *start && at <= start + len);
    let looks = t.fast_ns.iter().enumerate().filter(|(_, end_ns)| is_within(**end_ns));
    let held = |i: usize| disks(t).any(|d| d.in_flight.get(i).is_some_and(|n| *n > 0));
    let (all, waited) =
        looks.fold((0, 0), |(all, waited), (i, _)| (all + 1, waited + usize::from(held(i))));
    all > 0 && waited * 2 > all
}
