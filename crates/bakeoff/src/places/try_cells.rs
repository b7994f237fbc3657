//! A few slices of every workload on a prepared candidate, before the first block: the short
//! calibration that forecasts of time and bytes rest on.

use std::time::Instant;

use bakeoff_engine::residency;
use bakeoff_judge::decide::cell_trial::{CellTrial, TrialSlice};
use bakeoff_judge::decide::size::SizeLimits;
use bakeoff_judge::decide::{self, cost};
use bakeoff_model::event::Header;
use bakeoff_model::index::WorkloadIx;
use bakeoff_model::job::Job;
use bakeoff_model::measurement::Measurement;
use bakeoff_model::profile::Part;
use bakeoff_model::profiles;
use bakeoff_model::protocol::Protocol;
use bakeoff_model::slice_length::{self, Least, Length, SHORTEST_NS};
use bakeoff_model::workload::{Metric, Phase, Workload};
use bakeoff_model::workloads;
use bakeoff_tools::native::sliced::{OpKind, Report, Request};

use super::ahead;
use crate::load::site::Site;
use crate::load::sliced::Sliced;
use crate::load::{self, Load, LoadError};
use crate::steps::session::Session;

/// Share of a run's time that all trials together may take, and of a run without a limit.
const SHARE: u64 = 8;
const UNLIMITED_NS: u64 = 120_000_000_000;
/// Share of the bytes a run may write that all trials of slices together may write.
const BYTES_SHARE: u64 = 8;
/// Slices of the shortest length; the first of them meets everything cold.
const SHORTEST: usize = 2;
/// How long each part of a profile is tried, unless it asks for more or there is less time.
const TRIED_NS: u64 = 500_000_000;
const SHORTEST_TRIED_NS: u64 = 50_000_000;
/// Share of the time for a profile after which one of its parts is cut off: most end by themselves
/// before, and the few slow ones are what has to be known.
const PART_SHARE: u64 = 3;
const WORN_NS: u64 = 100_000_000;
const TRIED_IOS: u64 = 50;
const DOUBLINGS: u32 = 2;

pub fn time_ns(session: &Session, candidates: usize) -> u64 {
    let limit = session.journal.run().header.protocol.time_ns;
    let all = limit.map_or(UNLIMITED_NS, |ns| (ns / SHARE).min(UNLIMITED_NS));
    all / candidates.max(1) as u64
}

/// What was tried on a candidate, by workload.
pub type CellTrials = Vec<Option<CellTrial>>;

/// Tries every workload that bakeoff measures itself; `None` for what other tools measure, and for
/// those that there is no time for. `before`: what was tried on other candidates.
///
/// # Errors
/// Ctrl-C, or a limit.
pub fn try_cells(
    session: &Session,
    site: &Site,
    limits: &SizeLimits,
    time_ns: u64,
    before: &[CellTrials],
) -> Result<CellTrials, LoadError> {
    let header = &session.journal.run().header;
    let workloads = &header.workloads;
    let began = Instant::now();
    let mut all = vec![None; workloads.len()];
    let mut left = workloads.len();
    for group in decide::groups(workloads) {
        let passed = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let share = time_ns.saturating_sub(passed) / left.max(1) as u64;
        let own_ns = share.saturating_mul(group.len() as u64);
        left = left.saturating_sub(group.len());
        let first = &workloads[group[0]];
        let needs_files = matches!(first.phase, Phase::Metadata | Phase::Whole);
        let tried = match first {
            _ if (site.is_raw && needs_files) || own_ns == 0 => continue,
            w if w.profile.is_some() && is_too_long(header, &group, before) => continue,
            w if w.can_be_sliced() => {
                one(session, site, &limits.sized(w), own_ns).map(|trial| vec![trial])
            }
            w if w.profile.is_some() && w.driver.is_native() => {
                whole(session, site, (&group, limits), own_ns)
            }
            _ => continue,
        };
        match tried {
            Err(LoadError::Interrupted) => return Err(LoadError::Interrupted),
            // What fails here fails again in its cell.
            Err(error) => {
                let name = &first.name;
                session.progress.say(&format!("{name} will probably fail: {error}"));
            }
            Ok(trials) => {
                for (workload, trial) in group.iter().zip(trials) {
                    all[usize::from(*workload)] = Some(trial);
                }
            }
        }
        // What stays is met again by the cell, which says so.
        let _ = site.scratch.clear_cell();
    }
    Ok(all)
}

/// The parts of a profile in a short time. None where even that would take too long.
fn whole(
    session: &Session,
    site: &Site,
    (group, limits): (&[WorkloadIx], &SizeLimits),
    time_ns: u64,
) -> Result<Vec<CellTrial>, LoadError> {
    let header = &session.journal.run().header;
    let of = |w: &WorkloadIx| &header.workloads[*w];
    let parts: Vec<Part> = group.iter().filter_map(|w| of(w).profile).collect();
    let tried_ns = (time_ns / parts.len().max(1) as u64).clamp(SHORTEST_TRIED_NS, TRIED_NS);
    // No longer than in a cell: what more is done there would be announced, and not be written.
    let in_cell = group.iter().map(|w| ahead::timed_ns(of(w), &header.protocol));
    let tried_ns = tried_ns.min(in_cell.max().unwrap_or(u64::MAX));
    let least = |part: &Part| profiles::part_spec(*part).map_or(0, |spec| spec.least_ns);
    let least_ns: u64 = parts.iter().map(|part| least(part).max(tried_ns)).sum();
    if least_ns > time_ns {
        return Ok(Vec::new());
    }
    let first = limits.sized(of(&group[0]));
    let longest_ns = parts.iter().map(least).max().unwrap_or(0).max(tried_ns);
    let limit_ns = (time_ns / PART_SHARE).max(longest_ns).min(worn_ns(session, &parts, limits));
    let job = Job { runtime_ns: Some(tried_ns), time_limit_ns: Some(limit_ns), ..first.job };
    let made = site.target(first.phase);
    let (target, kind) = made.map_err(|error| LoadError::Child(error.to_string()))?;
    let (began, before_bytes) = (Instant::now(), session.spent.own_bytes());
    let load = Load::new(&job, &parts);
    let measured = load::run_all(load, &[target], kind, &session.cancel, &mut |_| {})?;
    let wall_ns = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let written = session.spent.own_bytes().saturating_sub(before_bytes);
    let all_ns: u64 = measured.iter().map(|m| m.elapsed_ns).sum();
    // Laying files out belongs to the first part, and what was written to all as they took time.
    let around_ns = wall_ns.saturating_sub(all_ns);
    let cell_max_ns = header.protocol.cell_max_ns.unwrap_or(u64::MAX);
    // What arrived at a drive of our own, with what the filesystem added.
    let handed: u64 = measured.iter().map(cost::measured_bytes).sum();
    let arrived = |bytes: u64| match handed {
        0 => bytes,
        all => {
            let share = u128::from(written) * u128::from(bytes) / u128::from(all);
            bytes.max(u64::try_from(share).unwrap_or(u64::MAX))
        }
    };
    let trial = |(at, (m, part)): (usize, (&Measurement, &Part))| {
        let laid_out = m.laid_out_bytes.unwrap_or(0);
        let own = cost::measured_bytes(m).saturating_sub(laid_out);
        let slice = TrialSlice {
            asked_ns: m.elapsed_ns,
            wall_ns: m.elapsed_ns,
            elapsed_ns: m.elapsed_ns,
            write_bytes: arrived(own),
            // One that only reads moves bytes as well.
            moved_bytes: own.max(m.read.as_ref().map_or(0, |read| read.io_bytes)),
            rate: 0.0,
            unit_ns: 0,
        };
        let slice = match needed_bytes(*part, &job, &header.protocol, m.elapsed_ns >= limit_ns) {
            0 => slice,
            bytes => slice.gone_on(bytes, flush_ns(*part, bytes, limits), cell_max_ns),
        };
        let start_ns = if at == 0 { around_ns } else { 0 };
        CellTrial { start_ns, start_bytes: arrived(laid_out), slices: vec![slice] }
    };
    Ok(measured.iter().zip(&parts).enumerate().map(trial).collect())
}

/// Bytes that a part moves before it ends: of streams the least number of blocks, each, and of one
/// that was cut off on its way through its files all of them. 0 = as many as it moved.
fn needed_bytes(part: Part, job: &Job, protocol: &Protocol, is_cut: bool) -> u64 {
    let Some(spec) = profiles::part_spec(part) else { return 0 };
    // Of a mix one half reads, the other writes.
    let streams =
        if spec.rw.reads() && spec.rw.writes() { job.numjobs.div_ceil(2) } else { job.numjobs };
    let blocks = protocol.cell_min_ios.saturating_mul(u64::from(streams));
    let streams = if spec.metric == Metric::Bandwidth { blocks.saturating_mul(job.bs) } else { 0 };
    streams.max(if is_cut && !spec.is_timed { job.size } else { 0 })
}

/// The least that files of a part take to reach the drive; 0 for one that only reads.
fn flush_ns(part: Part, size_bytes: u64, limits: &SizeLimits) -> u64 {
    let writes = profiles::part_spec(part).is_some_and(|spec| spec.rw.writes());
    if writes { (size_bytes as f64 / limits.bytes_per_s.max(1.0) * 1e9) as u64 } else { 0 }
}

/// Whether the blocks that an answer needs take longer than the run with these workloads alone, as
/// one candidate showed. Nothing more has to be known of them: they will be dropped.
fn is_too_long(header: &Header, group: &[WorkloadIx], before: &[CellTrials]) -> bool {
    let Some(limit_ns) = header.protocol.time_ns else { return false };
    let tried = |cells: &CellTrials| -> Option<u64> {
        group.iter().map(|w| Some(cells.get(usize::from(*w))?.as_ref()?.wall_ns())).sum()
    };
    let visits = u64::from(header.protocol.first_look()) * header.candidates.len() as u64;
    before.iter().filter_map(tried).any(|ns| ns.saturating_mul(visits) > limit_ns)
}

fn one(
    session: &Session,
    site: &Site,
    workload: &Workload,
    time_ns: u64,
) -> Result<CellTrial, LoadError> {
    let began = Instant::now();
    let passed = || u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let job = workloads::with_limits(workload.clone(), &session.journal.run().header.protocol).job;
    let made = site.target(workload.phase);
    let (target, kind) = made.map_err(|error| LoadError::Child(error.to_string()))?;
    let mut sliced = Sliced::start(&job, target, kind, &session.cancel)?;
    let start_ns = passed();
    let mut trial = CellTrial { start_ns, ..CellTrial::default() };
    let most_bytes = slice_length::most_bytes(&job, slice_bytes(session));
    let shortest = std::iter::repeat_n(SHORTEST_NS, SHORTEST);
    let longer = (1..=DOUBLINGS).map(|times| SHORTEST_NS << times);
    for asked_ns in shortest.chain(longer) {
        // The next one takes about twice as long.
        let next_ns = trial.slices.last().map_or(0, |slice| 2 * slice.wall_ns);
        let is_late = passed().saturating_add(next_ns) > time_ns;
        if (is_late || is_worn(&trial, most_bytes)) && !trial.slices.is_empty() {
            break;
        }
        let since = Instant::now();
        if workload.phase == Phase::ColdRead && !job.direct {
            let evicted =
                std::fs::File::open(site.data.path()).and_then(|file| residency::evict(&file));
            evicted.map_err(|error| LoadError::Child(error.to_string()))?;
        }
        let before_bytes = session.spent.own_bytes();
        let (unit, settling) = (Least::for_job(&job, false), Least::for_job(&job, true));
        // A part of a set of files says what all of it costs.
        let part = Least { ios: unit.ios.min(TRIED_IOS), ..unit };
        let limit_ns = slice_length::QUICK_LIMIT_NS;
        let request =
            Request { most_bytes, limit_ns, ..Request::new(Length::of(asked_ns), 1, part) };
        let report = sliced.measure(request)?;
        let arrived = session.spent.own_bytes().saturating_sub(before_bytes);
        let wall_ns = u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let whole = |n: u64| match report.ios() {
            ios if ios < unit.ios => (n as f64 * unit.ios as f64 / ios.max(1) as f64) as u64,
            _ => n,
        };
        let tried = TrialSlice {
            asked_ns,
            elapsed_ns: whole(report.elapsed_ns),
            write_bytes: whole(report.written_bytes().max(arrived)),
            moved_bytes: whole(moved(report)),
            rate: report.slice().figure(workload.metric).unwrap_or_default(),
            unit_ns: unit_ns(settling, report),
            wall_ns: wall_ns.saturating_sub(report.elapsed_ns) + whole(report.elapsed_ns),
        };
        // Of one length the later slice counts.
        trial.slices.retain(|slice| slice.asked_ns != asked_ns);
        trial.slices.push(tried);
    }
    sliced.finish(&[])?;
    Ok(trial)
}

/// Bytes that trying one workload on one candidate may write; `None` without a limit.
fn workload_bytes(session: &Session) -> Option<u64> {
    let header = &session.journal.run().header;
    let writing = header.workloads.iter().filter(|w| w.job.rw.writes()).count();
    let tried = header.candidates.len() * writing;
    header.protocol.max_write_bytes.map(|limit| limit / BYTES_SHARE / tried.max(1) as u64)
}

/// Bytes after which a slice ends that is only tried; 0 without a limit.
fn slice_bytes(session: &Session) -> u64 {
    workload_bytes(session).map_or(0, |bytes| bytes / (SHORTEST as u64 + u64::from(DOUBLINGS)))
}

/// How long parts that time alone ends may write as fast as the drive does.
fn worn_ns(session: &Session, parts: &[Part], limits: &SizeLimits) -> u64 {
    let is_timed = |part: &Part| profiles::part_spec(*part).is_some_and(|spec| spec.is_timed);
    match workload_bytes(session) {
        Some(bytes) if parts.iter().all(is_timed) => {
            let ns = bytes as f64 / limits.bytes_per_s.max(1.0) * 1e9;
            (ns as u64).max(WORN_NS)
        }
        _ => u64::MAX,
    }
}

/// Whether the last slice ended by its bytes: a longer one would tell nothing more.
fn is_worn(trial: &CellTrial, most_bytes: u64) -> bool {
    let last = trial.slices.last();
    last.is_some_and(|slice| most_bytes > 0 && slice.moved_bytes >= most_bytes)
}

fn unit_ns(unit: Least, report: &Report) -> u64 {
    let share = |wanted: u64, done: u64| wanted as f64 / done.max(1) as f64;
    let share = share(unit.ios, report.ios()).max(share(unit.bytes, report.bytes()));
    (report.elapsed_ns as f64 * share) as u64
}

/// Bytes of the operations that end a slice after so many of them.
fn moved(report: &Report) -> u64 {
    report.totals(OpKind::Create).map_or_else(|| report.bytes(), |created| created.bytes)
}
