//! What a plan costs in time and bytes, before anything was measured.
//!
//! From what kind of drive it is alone, and said so: the rehearsal of a run measures, and settles
//! what fits. The speeds are round numbers from the middle of what such drives do.

use super::expand::Expanded;
use crate::decide::limits::{Asked, OverLimit, RunCost, Wanted, WithinLimits};
use crate::decide::{beside, groups, setting_groups, size, write_limit};
use bakeoff_machine::prepare::{capacity, region, space};
use bakeoff_model::candidate::are_compared;
use bakeoff_model::host::Layer;
use bakeoff_model::index::CandidateIx;
use bakeoff_model::job::{Job, Rw};
use bakeoff_model::link::Link;
use bakeoff_model::profiles::{self, Writes};
use bakeoff_model::protocol::{Isolation, Mode, Protocol, ROUNDS as SLICE_ROUNDS};
use bakeoff_model::slice_length::{self, LIMIT_NS, LONGEST_NS, Least, Length, SHORTEST_NS};
use bakeoff_model::stands;
use bakeoff_model::workload::{Phase, Workload};
use bakeoff_stats::steady_state::{MOST_ROUNDS, ROUNDS};

const SECOND_NS: u64 = 1_000_000_000;
const MB: u64 = 1_000_000;
/// Starting the engine, counters, the record: beside every cell.
const CELL_OVERHEAD_NS: u64 = SECOND_NS / 4;
const VISIT_OVERHEAD_NS: u64 = 3 * SECOND_NS / 2;
/// Slices that finding their length takes on each candidate, on most drives.
const CALIBRATION: u32 = 4;
const SETTLING_CALIBRATION: u32 = 6;
/// Writing files of many sizes and parts of them takes so many times as long as writing in order.
const SMALL_TIMES: u64 = 2;
const STREAMING_NS: u64 = 2 * SECOND_NS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed {
    pub kind: &'static str,
    pub write_bytes_per_s: u64,
    /// What the fastest of its kind write, as far as their link lets them.
    pub most_bytes_per_s: u64,
    pub flush_ns: u64,
    pub charges: bool,
}

impl Speed {
    /// By the drive at the bottom; `None` is an image on a drive nobody knows.
    pub fn assumed_for(drive: Option<&Layer>) -> Speed {
        let speed = |kind, mb_per_s: u64, most_mb_per_s: u64, flush_us: u64| Speed {
            kind,
            write_bytes_per_s: mb_per_s * MB,
            most_bytes_per_s: most_mb_per_s * MB,
            flush_ns: flush_us * 1000,
            charges: flush_us >= 10_000,
        };
        let Some(drive) = drive else { return speed("a drive", 200, 3000, 2000) };
        let kbit = drive.link.as_ref().and_then(Link::usb_kbit);
        let is_slow_usb = kbit.is_some_and(|kbit| kbit <= 480_000);
        match (drive.bus.as_deref(), drive.rotational) {
            (Some("mmc"), _) => speed("a card", 20, 90, 20_000),
            (Some("usb"), _) if is_slow_usb => speed("a drive on USB 2", 20, 40, 15_000),
            (Some("usb"), _) => speed("a USB drive", 80, 1000, 10_000),
            (Some("nvme"), _) => speed("an NVMe SSD", 800, 7000, 500),
            (_, Some(true)) if drive.seeks().is_none() => speed("a drive", 100, 3000, 15_000),
            (_, Some(true)) => speed("a hard disk", 100, 280, 15_000),
            _ => speed("an SSD", 200, 3000, 2000),
        }
    }

    /// Bytes that it writes in order in so much time.
    pub fn written_bytes(self, ns: u64) -> u64 {
        let bytes = u128::from(self.write_bytes_per_s) * u128::from(ns);
        u64::try_from(bytes / u128::from(SECOND_NS)).unwrap_or(u64::MAX)
    }
}

/// A region as far as its costs go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionCost {
    pub speed: Speed,
    pub region_bytes: u64,
    pub is_overwritten: bool,
}

impl RegionCost {
    fn at_most(self) -> RegionCost {
        let write_bytes_per_s = self.speed.most_bytes_per_s;
        RegionCost { speed: Speed { write_bytes_per_s, ..self.speed }, ..self }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    pub fit: Result<WithinLimits, OverLimit>,
    pub first: RunCost,
    /// Everything up to the last block that the limits of time and bytes leave room for.
    pub last: RunCost,
    pub last_blocks: u32,
    /// The longest slices with a part in which the drive settles; `None` = none has one.
    pub settling: Option<Slices>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slices {
    units: u64,
    pub each: RunCost,
    pub rounds: u32,
}

/// The costs of a plan; `None` without a site. What it writes at most is what the fastest drives of
/// its kind would write.
pub fn estimate(
    made: &Expanded,
    sites: &[RegionCost],
    max_write_bytes: Option<u64>,
) -> Option<Estimate> {
    let usual = at_speed(made, sites, max_write_bytes)?;
    let fastest: Vec<RegionCost> = sites.iter().map(|site| site.at_most()).collect();
    let most_bytes = at_speed(made, &fastest, max_write_bytes)?.last.write_bytes;
    let write_bytes = usual.last.write_bytes.max(most_bytes);
    Some(Estimate { last: RunCost { write_bytes, ..usual.last }, ..usual })
}

fn at_speed(
    made: &Expanded,
    sites: &[RegionCost],
    max_write_bytes: Option<u64>,
) -> Option<Estimate> {
    let slowest = sites.iter().min_by_key(|site| site.speed.write_bytes_per_s)?;
    let k = made.protocol.k.max(1);
    let visit = visit(made, slowest, max_write_bytes);
    let is_switched = are_switched(made);
    let written: u64 = sites.iter().map(|site| site.region_bytes).sum();
    // Once in full and read back, and one visit of everything to see what works.
    let moved: u64 = sites.iter().map(|site| region::prepared_bytes(site.region_bytes)).sum();
    let fill = RunCost { time_ns: writing_ns(moved, slowest.speed), write_bytes: written };
    let asked = |w: &Workload, protocol: &Protocol| Asked {
        name: w.name.clone(),
        cell: sum(cell(w, protocol, slowest), unsettled(w, protocol, slowest), is_switched),
        once: calibration(w, protocol, slowest),
        has_bound: is_sliced(w, protocol),
    };
    let of = |protocol: &Protocol| Wanted {
        workloads: made.workloads.iter().map(|w| asked(w, protocol)).collect(),
        candidates: k,
        visit,
        first_look: made.protocol.first_look(),
        most_blocks: made.protocol.most_blocks(are_compared(&made.candidates)),
        is_of_rounds: made.protocol.mode == Mode::Characterise,
        setup: sum(fill, visit, k),
        time_ns: made.protocol.time_ns,
        max_write_bytes,
    };
    let usual = Protocol { max_write_bytes, ..made.protocol.clone() };
    let (wanted, fit) = match write_limit::fitting(&usual, largest_bytes(&usual, slowest), of) {
        Ok((protocol, fit)) => (of(&protocol), Ok(fit)),
        Err(error) => (of(&usual), Err(error)),
    };
    // What is given up costs nothing; what is refused is shown with all it asks for.
    let kept = fit.as_ref().map_or(wanted.workloads.len(), |fit: &WithinLimits| fit.kept);
    let kept = &wanted.workloads[..kept];
    let cells = kept.iter().fold(RunCost::default(), |all, w| sum(all, w.cell, 1));
    let block = sum(RunCost::default(), sum(visit, cells, 1), k);
    let (setup, each, first_blocks, most) = if wanted.is_of_rounds {
        let prepared = sum(wanted.setup, visit, groups(&made.workloads).len() as u32);
        (prepared, cells, ROUNDS as u32, MOST_ROUNDS as u32)
    } else {
        let most = made.protocol.most_blocks(are_compared(&made.candidates));
        let once = kept.iter().fold(RunCost::default(), |all, w| sum(all, w.once, k));
        (sum(wanted.setup, once, 1), block, made.protocol.first_look(), most)
    };
    let last_blocks = within(&wanted, setup, each).min(most).max(first_blocks);
    let after = |blocks| sum(setup, each, blocks);
    let (first, last) = (after(first_blocks), after(last_blocks));
    let all = made.workloads.iter().filter(|w| is_sliced(w, &made.protocol));
    let settling = all.map(|w| slices(w, &made.protocol, slowest)).filter(|of| of.units > 1);
    let settling = settling.max_by_key(|of| of.each.time_ns);
    Some(Estimate { fit, first, last, last_blocks, settling })
}

fn largest_bytes(protocol: &Protocol, site: &RegionCost) -> u64 {
    match protocol.isolation {
        Isolation::Slices => site.speed.written_bytes(STREAMING_NS),
        Isolation::Visit => 0,
    }
}

fn within(wanted: &Wanted, setup: RunCost, each: RunCost) -> u32 {
    let blocks = |limit: Option<u64>, setup: u64, each: u64| {
        let left = limit.map(|limit| limit.saturating_sub(setup));
        left.and_then(|left| left.checked_div(each)).unwrap_or(u64::MAX)
    };
    let by_time = blocks(wanted.time_ns, setup.time_ns, each.time_ns);
    let by_bytes = blocks(wanted.max_write_bytes, setup.write_bytes, each.write_bytes);
    u32::try_from(by_time.min(by_bytes)).unwrap_or(u32::MAX)
}

fn sum(base: RunCost, each: RunCost, n: u32) -> RunCost {
    let add = |a: u64, b: u64| a.saturating_add(b.saturating_mul(n.into()));
    RunCost {
        time_ns: add(base.time_ns, each.time_ns),
        write_bytes: add(base.write_bytes, each.write_bytes),
    }
}

fn writing_ns(bytes: u64, speed: Speed) -> u64 {
    let ns = u128::from(bytes) * u128::from(SECOND_NS) / u128::from(speed.write_bytes_per_s.max(1));
    u64::try_from(ns).unwrap_or(u64::MAX)
}

fn visit(made: &Expanded, site: &RegionCost, limit: Option<u64>) -> RunCost {
    let k = u64::from(made.protocol.k.max(1));
    // Side by side each has its share of the place.
    let (own, filesystems) = match made.protocol.isolation {
        Isolation::Slices => {
            let (filesystems, _) = stands::compared(&made.candidates);
            (site.region_bytes / filesystems.max(1), filesystems)
        }
        Isolation::Visit => (site.region_bytes, k),
    };
    let chosen = || {
        let room = capacity::scratch_bytes(&made.candidates, own);
        let protocol = Protocol { max_write_bytes: limit, ..made.protocol.clone() };
        let rate = site.speed.write_bytes_per_s as f64;
        size::data_file_bytes(&protocol, (filesystems, room), rate).unwrap_or(space::FILE_MIN_BYTES)
    };
    let file = made.file_bytes.unwrap_or_else(chosen).min(own / 2);
    let restored = if site.is_overwritten { site.region_bytes } else { 0 };
    // Each is of its own state: what all write is spread over them.
    let filling =
        capacity::filling_bytes(&made.candidates, own) / made.candidates.len().max(1) as u64;
    let write_bytes = file.saturating_add(restored);
    let time_ns = VISIT_OVERHEAD_NS.saturating_add(writing_ns(write_bytes, site.speed));
    // Candidates that share a filesystem share its cost.
    let share = |all: u64| if filesystems < k { all.saturating_mul(filesystems) / k } else { all };
    let filling_ns = writing_ns(filling.saturating_mul(SMALL_TIMES), site.speed);
    RunCost {
        time_ns: share(time_ns).saturating_add(filling_ns),
        write_bytes: share(write_bytes).saturating_add(filling),
    }
}

/// Times that settings of the disk change to those of a candidate, while a workload is measured
/// once; 0 where all have the same.
fn are_switched(made: &Expanded) -> u32 {
    let all = CandidateIx::all(made.candidates.len());
    if setting_groups::groups(&made.candidates, all).len() > 1 { 2 } else { 0 }
}

/// What is measured after such a change and does not count.
fn unsettled(workload: &Workload, protocol: &Protocol, site: &RegionCost) -> RunCost {
    let slice = is_sliced(workload, protocol).then(|| slices(workload, protocol, site));
    slice.filter(|of| of.units == 1).map_or(RunCost::default(), |of| of.each)
}

fn cell(workload: &Workload, protocol: &Protocol, site: &RegionCost) -> RunCost {
    let (measured, pieces) = if is_sliced(workload, protocol) {
        let Slices { each, rounds, .. } = slices(workload, protocol, site);
        (sum(RunCost::default(), each, rounds), rounds)
    } else {
        let ns = whole_ns(workload, protocol, site);
        (RunCost { time_ns: ns, write_bytes: written_in(ns, workload, site) }, 1)
    };
    let rate = site.speed.write_bytes_per_s;
    let all = sum(measured, beside::cost(workload, measured.time_ns, pieces, rate), 1);
    RunCost { time_ns: all.time_ns + CELL_OVERHEAD_NS, ..all }
}

fn slices(workload: &Workload, protocol: &Protocol, site: &RegionCost) -> Slices {
    let (unit_ns, unit_bytes) = unit(workload, protocol, site);
    let units = expected_units(&workload.job, unit_ns, site);
    let each = RunCost {
        time_ns: unit_ns.saturating_mul(units),
        write_bytes: unit_bytes.saturating_mul(units),
    };
    let (planned, job) = (*SLICE_ROUNDS.start(), &workload.job);
    let planned = slice_length::sparing_rounds(planned, job, protocol.slice_bytes);
    let rounds = slice_length::rounds(planned, LONGEST_NS, each.time_ns);
    Slices { units, each, rounds }
}

/// Finding the length of slices: as many of them as are usually tried.
fn calibration(workload: &Workload, protocol: &Protocol, site: &RegionCost) -> RunCost {
    if !is_sliced(workload, protocol) {
        return RunCost::default();
    }
    let (time_ns, write_bytes) = unit(workload, protocol, site);
    let units = match expected_units(&workload.job, time_ns, site) {
        1 => CALIBRATION,
        _ => SETTLING_CALIBRATION,
    };
    sum(RunCost::default(), RunCost { time_ns, write_bytes }, units)
}

/// Units of a slice: on a slow drive it has a part to settle.
fn expected_units(job: &Job, unit_ns: u64, site: &RegionCost) -> u64 {
    let is_slow = slice_length::is_slow(job, unit_ns, site.speed.charges);
    Length { unit_ns, settling: u32::from(is_slow) }.units().into()
}

fn is_sliced(workload: &Workload, protocol: &Protocol) -> bool {
    protocol.isolation == Isolation::Slices && workload.can_be_sliced()
}

/// Time and bytes of one unit of a slice.
fn unit(workload: &Workload, protocol: &Protocol, site: &RegionCost) -> (u64, u64) {
    let job = &workload.job;
    let least = Least::for_job(job, site.speed.charges);
    let flushed = least.flushes(job).saturating_mul(site.speed.flush_ns);
    let ns = writing_ns(least.moved_bytes(job), site.speed).saturating_add(flushed);
    let ns = ns.clamp(2 * SHORTEST_NS, LIMIT_NS);
    let bytes = written_in(ns, workload, site);
    match slice_length::most_bytes(job, protocol.slice_bytes) {
        most if most > 0 && most < bytes => {
            let share = u128::from(ns) * u128::from(most) / u128::from(bytes.max(1));
            (u64::try_from(share).unwrap_or(ns), most)
        }
        _ => (ns, bytes),
    }
}

fn whole_ns(workload: &Workload, protocol: &Protocol, site: &RegionCost) -> u64 {
    let job = &workload.job;
    let least = workload.profile.and_then(profiles::part_spec).map_or(0, |part| part.least_ns);
    let asked = job.runtime_ns.unwrap_or(0);
    let flushes = u64::from(job.fsync.max(job.fdatasync));
    let rounds_due = protocol.cell_min_ios / (flushes + 1);
    let slowest = if flushes > 0 { rounds_due.saturating_mul(round_ns(workload, site)) } else { 0 };
    let measured = protocol.cell_min_ns.max(asked).max(least).max(slowest);
    let settles = profiles::settles(workload)
        && site.speed.charges
        && protocol.isolation == Isolation::Slices;
    let pieces = if settles { 2 } else { 1 };
    measured.min(protocol.cell_max_ns.unwrap_or(u64::MAX)).saturating_mul(pieces)
}

fn round_bytes(workload: &Workload) -> u64 {
    u64::from(workload.job.fsync.max(workload.job.fdatasync)).saturating_mul(workload.job.bs)
}

fn round_ns(workload: &Workload, site: &RegionCost) -> u64 {
    site.speed.flush_ns.saturating_add(writing_ns(round_bytes(workload), site.speed))
}

fn written_in(ns: u64, workload: &Workload, site: &RegionCost) -> u64 {
    let job = &workload.job;
    let spec = workload.profile.and_then(profiles::part_spec);
    match (spec.map(|spec| (spec.rw, spec.writes)), workload.phase, job.rw) {
        (Some((Rw::Read | Rw::RandRead, _)), ..) | (_, Phase::ColdRead, _) => 0,
        (Some((_, Writes::Flushed(bytes))), ..) => {
            let each_ns = site.speed.flush_ns.saturating_add(writing_ns(bytes, site.speed));
            (ns / each_ns.max(1)).saturating_mul(bytes)
        }
        (_, Phase::Append | Phase::Whole, _) => {
            site.speed.written_bytes(ns).min(job.io_size.unwrap_or(u64::MAX))
        }
        (_, Phase::Overwrite | Phase::Metadata, _) => {
            match job.fsync.max(job.fdatasync) {
                // Small writes in no order are a fraction of the speed in order.
                0 => site.speed.written_bytes(ns) / 4,
                _ => (ns / round_ns(workload, site).max(1)).saturating_mul(round_bytes(workload)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::limits::Limit;
    use crate::plan::built_in;
    use crate::testing::expanded;

    fn drive(bus: &str, rotational: Option<bool>, link: Option<&str>) -> Layer {
        Layer {
            bus: Some(bus.to_string()),
            rotational,
            link: link.map(Link::from),
            ..Layer::default()
        }
    }

    fn site(layer: &Layer) -> RegionCost {
        RegionCost {
            speed: Speed::assumed_for(Some(layer)),
            region_bytes: 1 << 30,
            is_overwritten: true,
        }
    }

    #[test]
    fn a_card_is_slower_than_a_stick_and_both_than_an_ssd() {
        let kinds = [
            drive("mmc", Some(false), None),
            drive("usb", Some(true), Some("USB 480 Mb/s")),
            drive("usb", Some(true), Some("USB 5000 Mb/s")),
            drive("ata", Some(true), None),
            drive("ata", Some(false), None),
            drive("nvme", Some(false), None),
        ];
        let speeds: Vec<u64> =
            kinds.iter().map(|layer| Speed::assumed_for(Some(layer)).write_bytes_per_s).collect();
        assert!(speeds.is_sorted(), "{speeds:?}");
    }

    #[test]
    fn a_profile_that_flushes_writes_less_than_one_that_streams() {
        let written = |name: &str, layer: &Layer| -> u64 {
            let parts = profiles::find(name);
            let protocol = Protocol::for_mode(Mode::Quick, 2);
            parts.iter().map(|w| cell(w, &protocol, &site(layer)).write_bytes).sum()
        };
        let nvme = drive("nvme", Some(false), None);
        assert!(written("nas", &nvme) > 10 * written("sqlite", &nvme));
    }

    #[test]
    fn time_and_bytes_grow_with_the_plan_and_shrink_with_the_drive() {
        let mut made = expanded(built_in("sd-card").unwrap().text, &[]);
        made.protocol.time_ns = None;
        let card = estimate(&made, &[site(&drive("mmc", None, None))], None).unwrap();
        let ssd = estimate(&made, &[site(&drive("nvme", None, None))], None).unwrap();
        assert!(card.first.time_ns > 3 * ssd.first.time_ns);
        assert!(card.last.write_bytes > 4 * card.first.write_bytes);
        // Four filesystems, a region of 1 GiB before each of 16 visits.
        assert!(card.first.write_bytes > 16 << 30);
        assert!(estimate(&made, &[], None).is_none());
    }

    /// A plan was said to write 125 GiB, and wrote less than 33: its time was over before.
    #[test]
    fn no_more_blocks_are_counted_than_the_limits_leave_room_for() {
        let mut made = expanded(built_in("sd-card").unwrap().text, &[]);
        let at = |made: &Expanded, bytes| {
            estimate(made, &[site(&drive("mmc", None, None))], bytes).unwrap()
        };
        made.protocol.time_ns = None;
        let free = at(&made, None);
        assert_eq!(free.last_blocks, 27);
        made.protocol.time_ns = Some(free.last.time_ns / 2);
        let half = at(&made, None);
        assert!((10..=14).contains(&half.last_blocks), "{}", half.last_blocks);
        assert!(half.last.time_ns <= free.last.time_ns / 2);
        let limit = free.last.write_bytes / 3;
        assert!(at(&made, Some(limit)).last.write_bytes <= limit);
        made.protocol.time_ns = Some(1);
        let short = at(&made, None);
        assert_eq!(short.last.time_ns, short.first.time_ns, "the blocks of an answer");
    }

    /// A plan announced 4 GiB "at most"; the drive was faster than its kind, and 20 were written.
    #[test]
    fn what_is_written_at_most_is_what_the_fastest_drive_of_a_kind_would_write() {
        let mut made = expanded(built_in("nas").unwrap().text, &[]);
        made.protocol.time_ns = Some(300 * SECOND_NS);
        let at = |site: RegionCost, limit| estimate(&made, &[site], Some(limit)).unwrap();
        let unknown = site(&drive("virtio", Some(true), None));
        let usual = RegionCost {
            speed: Speed { most_bytes_per_s: unknown.speed.write_bytes_per_s, ..unknown.speed },
            ..unknown
        };
        let limit = 100 << 30;
        let (said, if_usual) = (at(unknown, limit), at(usual, limit));
        assert_eq!((said.first, said.last_blocks), (if_usual.first, if_usual.last_blocks));
        assert!(said.last.write_bytes > 2 * if_usual.last.write_bytes, "{said:?}");
        assert!(said.last.write_bytes <= limit);
    }

    #[test]
    fn slices_on_a_card_are_long_and_those_on_an_ssd_have_no_part_to_settle() {
        let mut made = expanded(built_in("sd-card").unwrap().text, &[]);
        made.protocol.isolation = Isolation::Slices;
        let settling = |layer| estimate(&made, &[site(&layer)], None).unwrap().settling;
        let card = settling(drive("mmc", None, None)).unwrap();
        assert!(card.each.time_ns > 10 * SECOND_NS && card.rounds == 1, "{card:?}");
        assert_eq!(settling(drive("nvme", None, None)), None);
    }

    /// A plan for a card of 64 GB compared filesystems of 163 MiB.
    #[test]
    fn half_of_a_card_fits_into_the_time_and_the_bytes_of_its_plan() {
        let mut made = expanded(built_in("sd-card").unwrap().text, &[]);
        made.protocol.isolation = Isolation::Slices;
        let card = RegionCost { region_bytes: 32_000_000_000, ..site(&drive("mmc", None, None)) };
        let card = RegionCost { is_overwritten: false, ..card };
        let costs = estimate(&made, &[card], Some(64_000_000_000)).unwrap();
        assert_eq!(made.protocol.time_ns, Some(3 * 3600 * SECOND_NS));
        assert!(costs.fit.is_ok(), "{costs:?}");
        assert!(costs.last_blocks >= 6, "{costs:?}");
    }

    /// A run was refused after preparing, for a drive faster than its kind.
    #[test]
    fn a_fast_drive_writes_less_at_a_time_until_the_plan_fits() {
        let text = "[[stack]]\nfs = \"ext4\"\n[[stack]]\nfs = \"xfs\"\n[[workload]]\n\
                    rw = \"write\"\nbs = \"1m\"\nfsync = 16\n";
        let mut made = expanded(text, &[]);
        made.protocol.isolation = Isolation::Slices;
        let nvme = RegionCost {
            region_bytes: 256 << 20,
            is_overwritten: false,
            ..site(&drive("nvme", None, None))
        };
        let at = |limit| estimate(&made, &[nvme], Some(limit)).unwrap();
        let (free, tight) = (at(100 << 30), at(5 << 28));
        assert!(free.first.write_bytes > 5 << 28, "{free:?}");
        assert!(tight.fit.is_ok() && tight.first.write_bytes <= 5 << 28, "{tight:?}");
        assert!(at(600 << 20).fit.is_err(), "not the least of slices");
    }

    #[test]
    fn what_is_over_the_limit_names_the_limit_that_would_do() {
        let made = expanded(built_in("nas").unwrap().text, &[]);
        let card = site(&drive("mmc", None, None));
        let over = estimate(&made, &[card], Some(1 << 30)).unwrap();
        let error = over.fit.expect_err("one workload writes more than 1 GiB");
        let OverLimit::First(first) = error else { panic!("{error:?}") };
        assert!(matches!(first.limit, Limit::Bytes { .. }), "{first:?}");
    }
}
