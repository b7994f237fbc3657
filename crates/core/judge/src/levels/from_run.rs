//! The levels of a run that is stored here.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use super::sound::TEXT_BYTES;
use super::{LevelCandidate, LevelDrive, RunLevels, WorkloadLevels};
use crate::decide::table::ScoreTable;
use crate::rules::limit;
use bakeoff_machine::usual::{links, medium};
use bakeoff_model::candidate::{Candidate, Kind};
use bakeoff_model::event::Header;
use bakeoff_model::host::Layer;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;
use bakeoff_model::workload::Workload;
use bakeoff_stats::level::Level;
use bakeoff_stats::{distinct, phrases};

const DAY_NS: i64 = 86_400_000_000_000;

/// What a run reached. A/A twins are left out. Candidates have their own names, of which those of
/// directories are paths.
pub fn levels(run: &Run, analysis: &Analysis) -> RunLevels {
    let header = &run.header;
    let own: Vec<CandidateIx> = CandidateIx::each(&header.candidates)
        .filter(|(_, candidate)| candidate.twin_of.is_none())
        .map(|(at, _)| at)
        .collect();
    let disks = own.iter().filter_map(|c| disk_of(header, &header.candidates[*c]));
    let drives = distinct::in_order(disks.map(drive));
    let table = ScoreTable::from_evidence(run);
    let of = |(at, workload): (WorkloadIx, &Workload)| {
        let said = analysis.verdicts.get(usize::from(at));
        let leader = said.and_then(|said| said.lead.as_ref()).and_then(|lead| lead.leader.as_ref());
        let is_it = |c: &CandidateIx| leader.is_some_and(|l| *l == header.candidates[*c].name);
        let verdict = said.filter(|_| analysis.compares).map(|said| said.verdict);
        WorkloadLevels {
            name: short(&workload.name),
            metric: workload.metric,
            definition: definition(workload),
            size_kib: workload.job.size >> 10,
            verdict,
            leader: own.iter().position(is_it).filter(|_| verdict.is_some()),
            is_forbidden: said.is_some_and(|said| !limit::reasons(&said.findings).is_empty()),
            levels: own.iter().map(|c| Level::from_scores(&table.scores(at, *c))).collect(),
        }
    };
    let named = |c: &CandidateIx| candidate(header, *c, &drives);
    RunLevels {
        short: header.run.chars().take(8).collect(),
        version: short(&header.version),
        day: u32::try_from(run.started_unix_ns / DAY_NS).unwrap_or(0),
        elapsed_s: u32::try_from(run.elapsed_ns / 1_000_000_000).unwrap_or(u32::MAX),
        mode: header.protocol.mode.name().to_string(),
        board: short(header.host.model.as_deref().unwrap_or(&header.host.arch)),
        kernel: short(&header.host.kernel),
        candidates: own.iter().map(named).collect(),
        workloads: WorkloadIx::each(&header.workloads).map(of).collect(),
        drives,
        left_out: 0,
    }
}

/// The levels that leave the machine: directories are named by filesystem and order.
pub fn public_levels(run: &Run, analysis: &Analysis) -> RunLevels {
    let mut levels = levels(run, analysis);
    let own = CandidateIx::each(&run.header.candidates).filter(|(_, c)| c.twin_of.is_none());
    for (candidate, (at, of)) in levels.candidates.iter_mut().zip(own) {
        let name = public_name(&run.header, at);
        if name != of.name {
            candidate.name = short(&name);
        }
    }
    levels
}

/// The names of candidates, each with the one that leaves the machine: that of a directory is a
/// path, and where there are several drives, the name has that of the drive.
pub fn public_names(header: &Header) -> Vec<(String, String)> {
    CandidateIx::each(&header.candidates)
        .map(|(at, candidate)| (candidate.name.clone(), public_name(header, at)))
        .collect()
}

/// The run with the names of candidates that leave the machine.
pub fn without_paths(run: &Run) -> Cow<'_, Run> {
    let names = public_names(&run.header);
    if names.iter().all(|(name, public)| name == public) {
        return Cow::Borrowed(run);
    }
    let public = |name: &str| names.iter().find(|(old, _)| old == name).map(|(_, new)| new.clone());
    let mut run = run.clone();
    for candidate in &mut run.header.candidates {
        candidate.name = public(&candidate.name).unwrap_or_default();
        candidate.twin_of = candidate.twin_of.as_deref().and_then(public);
    }
    Cow::Owned(run)
}

fn public_name(header: &Header, at: CandidateIx) -> String {
    let candidate = &header.candidates[at];
    let Some(place) = candidate.place() else {
        return match candidate.name.rsplit_once(" on ") {
            Some((name, _)) if !header.more_regions.is_empty() => {
                format!("{name} on drive {}", candidate.region.number() + 1)
            }
            _ => candidate.name.clone(),
        };
    };
    match (candidate.twin_of.is_some(), header.candidates.len()) {
        (true, _) => format!("twin {}", at.number() + 1),
        (false, 1) => format!("{} dir", place.fs),
        (false, _) => format!("{} dir {}", place.fs, at.number() + 1),
    }
}

/// A name as short as a line has it; long ones are often alike where they begin.
fn name(header: &Header, at: CandidateIx) -> String {
    let name = clean(&header.candidates[at].name);
    if name.len() > TEXT_BYTES {
        format!("{}~{}", cut(&name, TEXT_BYTES - 4), at.number() + 1)
    } else {
        name
    }
}

/// As short as a line has it.
fn short(text: &str) -> String {
    cut(&clean(text), TEXT_BYTES).to_string()
}

/// Harmless on a terminal.
fn clean(text: &str) -> String {
    sanitize(text.trim())
}

fn cut(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].trim()
}

fn candidate(header: &Header, at: CandidateIx, drives: &[LevelDrive]) -> LevelCandidate {
    let of = &header.candidates[at];
    let (filesystem, is_encrypted) = match &of.kind {
        Kind::Stack(stack) => (&stack.fs, stack.crypt.is_some()),
        Kind::Directory { place, .. } => (&place.fs, place.cipher().is_some()),
    };
    let own = disk_of(header, of).map(drive);
    let drive = own.and_then(|own| drives.iter().position(|drive| *drive == own));
    let storage = header.place_of(of).and_then(|place| medium::of_place(place).ok());
    let board = header.host.model.as_deref();
    let link = storage.and_then(|(_, disk)| disk);
    let link = link.and_then(|disk| links::key(disk).or_else(|| links::slot_key(board, disk)));
    LevelCandidate {
        name: name(header, at),
        filesystem: short(filesystem),
        is_encrypted,
        drive,
        medium: storage.map(|(medium, _)| medium),
        link: link.map(str::to_string),
    }
}

fn disk_of<'h>(header: &'h Header, candidate: &'h Candidate) -> Option<&'h Layer> {
    header.place_of(candidate)?.disks().next()
}

fn drive(disk: &Layer) -> LevelDrive {
    LevelDrive {
        class: short(disk.bus.as_deref().unwrap_or("disk")),
        model: short(&phrases::product(disk.vendor.as_deref(), disk.model.as_deref())),
        size_mb: disk.size_bytes / 1_000_000,
    }
}

pub(super) fn definition(workload: &Workload) -> u32 {
    let mut one = workload.clone();
    if !one.sized {
        one.job.size = 0;
    }
    one.job.seed = 0;
    // Plain data of ours: there is nothing in it that could fail.
    let text = serde_json::to_vec(&one).unwrap_or_default();
    let [a, b, c, d, ..] = Sha256::digest(&text)[..] else { return 0 };
    u32::from_be_bytes([a, b, c, d])
}
