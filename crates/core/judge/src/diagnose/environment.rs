//! Causes around the cell: heat and power, others on the disk, memory in place of the disk.
//!
//! They come first: where one of them holds, nothing else about the cell can be told.

use super::context::CellContext;
use super::percent;
use crate::evidence::clock;
use bakeoff_model::bottleneck::Reason;
use bakeoff_model::cause::Cause;
use bakeoff_model::event::CacheState;
use bakeoff_model::job::Rw;
use bakeoff_model::throttled;
use bakeoff_stats::units;

/// Bytes of others, as a share of the cell's own, that hold it back visibly.
const FOREIGN: f64 = 0.25;
/// Share of the time in which the caller ran or was ready to, above which it cannot have been a
/// disk that it waited for.
const AWAY: f64 = 0.5;
const FOREIGN_FLOOR_BYTES: u64 = 4 << 20;
/// Share of the requested bytes that the devices must have moved.
const MOVED: f64 = 0.9;

pub fn heat_or_power(context: &CellContext) -> Option<Reason> {
    let t = context.telemetry()?;
    let bits = t.throttled_bits();
    if bits != 0 {
        let share = t.throttled.iter().filter(|b| *b & throttled::NOW != 0).count() as f64
            / t.throttled.len().max(1) as f64;
        let subject = match bits & throttled::UNDER_VOLTAGE {
            0 => "heat",
            _ => "under-voltage",
        };
        let when = match share {
            0.0 => "between two samples".to_string(),
            share => format!("in {} of the samples", percent(share)),
        };
        let clue = format!("the firmware reported {} {when}", throttled::labels(bits).join(", "));
        return Some(Reason::consistent(Cause::HeatOrPower, clue).subject(subject));
    }
    lowered_clock(context)
}

/// Without a word of the firmware: a clock that fell while it was hot, or together with the rate.
fn lowered_clock(context: &CellContext) -> Option<Reason> {
    let t = context.telemetry()?;
    let is_hot = clock::is_hot(&context.header.host, t);
    t.frequency_khz.iter().find_map(|of| {
        let most = of.most? as f64;
        let lowest = *of.values.iter().min()? as f64;
        let highest = *of.values.iter().max()? as f64;
        // A clock that idles low is a governor's doing; one that fell from its top is not.
        let fell = highest >= most * clock::FULL && lowest < most * clock::FULL;
        let is_aligned = clock::falls_with_rate(t, of, context.m());
        let is_low_and_hot = is_hot && lowest < most * clock::FULL;
        if !(is_low_and_hot || fell && is_aligned) {
            return None;
        }
        let heat = t.hottest_mc().map_or(String::new(), |mc| format!(" at {} °C", mc / 1000));
        let (lowest_mhz, most_mhz) = (lowest / 1e3, most / 1e3);
        let clue = format!("the CPU clock fell to {lowest_mhz:.0} of {most_mhz:.0} MHz{heat}");
        Some(Reason::consistent(Cause::HeatOrPower, clue).subject("heat"))
    })
}

/// Others moved bytes on the same disks, and the disks were what was waited for.
pub fn foreign(context: &CellContext) -> Option<Reason> {
    let (ran, _) = context.lane_cpu();
    if ran + context.waited().unwrap_or(0.0) > AWAY {
        return None;
    }
    let truth = &context.cell.truth;
    let own = context.own_bytes();
    let moved = truth.device_read_bytes? + truth.device_written_bytes?;
    let beyond = moved.saturating_sub(own);
    let job = context.job();
    let others = match truth.foreign_bytes {
        // What the disks moved beyond our own bytes may be the journal's; what others asked for
        // may have gone to another disk. Both must say it.
        Some(asked) if job.rw.writes() || !job.direct => asked.min(beyond),
        Some(_) | None if job.direct && !job.rw.writes() => beyond,
        _ => return None,
    };
    let share = others as f64 / own.max(1) as f64;
    (share >= FOREIGN && others >= FOREIGN_FLOOR_BYTES).then(|| {
        let clue = format!(
            "other processes transferred {} on the same drive, this workload {}",
            units::size(others),
            units::size(own)
        );
        Reason::consistent(Cause::Foreign, clue).share(share / (1.0 + share))
    })
}

/// The bytes came from memory, or stayed there.
pub fn page_cache(context: &CellContext) -> Option<Reason> {
    let (truth, job, m) = (&context.cell.truth, context.job(), context.m());
    let read = m.read.as_ref().map_or(0, |r| r.io_bytes);
    let written = m.write.as_ref().map_or(0, |w| w.io_bytes);
    // Small files are read where they were just written: in memory, by intent.
    if job.rw == Rw::SmallFiles {
        return None;
    }
    // Calls of a few bytes share a page: what the devices moved says nothing about them.
    let is_small = job.bs < 4096;
    let moved = |wanted: u64, device: Option<u64>| {
        let share = device? as f64 / wanted as f64;
        (wanted > 0 && share < MOVED).then_some(share)
    };
    // What others had written went to the devices as well.
    let others = truth.foreign_bytes.unwrap_or(0);
    let own_written = truth.device_written_bytes.map(|bytes| bytes.saturating_sub(others));
    let (direction, share) = if let Some(share) = moved(read, truth.device_read_bytes) {
        if truth.cache == CacheState::Cold {
            return None;
        }
        ("read", share)
    } else if let Some(share) =
        moved(written, own_written).filter(|_| !job.is_durable() && !is_small)
    {
        ("written", share)
    } else {
        return None;
    };
    let clue = format!("the devices transferred {} of the bytes {direction}", percent(share));
    let impossible = context.link_bytes_per_s().is_some_and(|link| context.bytes_per_s() > link);
    let reason = if impossible || share < 0.1 {
        // Bytes that no device moved were in memory: nothing else can have given them.
        Reason::proved(Cause::PageCache, clue)
    } else {
        Reason::consistent(Cause::PageCache, clue)
    };
    Some(reason.share(1.0 - share))
}
