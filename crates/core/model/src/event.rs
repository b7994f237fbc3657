//! What happened in a run, in order: the contract between the runner and everything that reads.
//!
//! A run is the fold of its events ([`super::run::Run`]), so the live view, the stored record, a
//! resumed run and an imported bundle are the same code. Events are written between cells, never
//! inside a measured interval. The format is documented in docs/format.md; variants are only ever
//! added, and new fields carry defaults.

use serde::{Deserialize, Serialize};

use super::application::{Application, FitSamples};
use super::calibration::Calibration;
use super::candidate::{Candidate, Skipped, Stack};
use super::ceiling::Ceilings;
use super::design::Design;
use super::finding::Finding;
use super::health::DriveTold;
use super::host::{Host, Layer, Place};
use super::index::{self, BlockIx, CandidateIx, PlaceIx, RegionIx, WorkloadIx};
use super::mark::Mark;
use super::measurement::Measurement;
use super::path::RawPath;
use super::protocol::Protocol;
use super::round::Round;
use super::slice::Slice;
use super::telemetry::{Telemetry, Watching};
use super::use_state::Filled;
use super::verb::Verb;
use super::workload::Workload;
use super::{is_default, is_one, one};

pub use super::step::{Action, Step, StepDone};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Position in the run, from 0, without gaps.
    pub seq: u64,
    /// Wall clock, nanoseconds since 1970; for people, never for measuring.
    pub unix_ns: i64,
    /// Time the run has been active, nanoseconds: from start, without the gaps before a resume.
    pub elapsed_ns: u64,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    Started(Box<Header>),
    /// Every candidate was prepared once: what works and what fits replaces the header's plan.
    /// Only before the first block.
    Rehearsed(Box<Rehearsal>),
    /// The run was given other limits: it ends at this active time, or never for time's sake.
    Extended {
        time_ns: Option<u64>,
        /// Most bytes to write, all in all; `None` = as before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_write_bytes: Option<u64>,
    },
    Owned(Owner),
    Found(Finding),
    Watching(Box<Watching>),
    DrivesTold {
        after: bool,
        drives: Vec<DriveTold>,
    },
    Ceilings(Box<Ceilings>),
    StepPlanned(Step),
    StepDone(StepDone),
    /// The step's effect is gone again (by its undo, or because it never took effect).
    StepUndone {
        step: u32,
    },
    /// How fast the device reads at a handful of places, before anything was made on it.
    Surveyed {
        /// Index into [`Header::regions`].
        region: RegionIx,
        positions: Vec<Position>,
    },
    /// A region was written in full with tagged data and read back without a difference.
    Verified {
        /// Index into [`Header::regions`].
        region: RegionIx,
        verified_bytes: u64,
        device_bytes: u64,
    },
    Marked {
        /// Index into [`Header::regions`].
        region: RegionIx,
        mark: Mark,
    },
    BlockStarted {
        /// From 0; superseded blocks keep their number, their repetition gets a new one.
        block: BlockIx,
        /// Indices into the header's candidates, in the order of this block's visits.
        order: Vec<CandidateIx>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        round: Option<Round>,
    },
    Sentinel {
        block: BlockIx,
        bytes_per_s: f64,
    },
    VisitStarted {
        block: BlockIx,
        candidate: CandidateIx,
        /// The region it is on, of those side by side; `None` = it is alone, or a directory.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        part: Option<PlaceIx>,
    },
    Filled(Box<Filled>),
    Calibrated(Box<Calibration>),
    CellDone(Box<Cell>),
    /// A cell was tried and its number thrown away; it is repeated within budget.
    CellInvalid {
        block: BlockIx,
        candidate: CandidateIx,
        workload: WorkloadIx,
        /// Why: "the machine was suspended for 12 s", "the engine was killed by signal 9".
        reason: String,
    },
    BlockDone {
        block: BlockIx,
    },
    /// What a `fit` run measured of one of its workloads.
    FitMeasured(Box<FitSamples>),
    /// The block did not complete; its cells stay recorded and count for nothing.
    BlockSuperseded {
        block: BlockIx,
        reason: String,
    },
    Looked {
        blocks: u32,
        dropped: Vec<CandidateIx>,
    },
    /// The run is over, or interrupted; it can be resumed when `reason` allows.
    Stopped {
        reason: StopReason,
        note: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    Decided,
    LastBlock,
    TimeUp,
    /// The budget of bytes to write is used up; can be resumed with a larger one.
    WriteBudget,
    /// Ctrl-C or a signal; can be resumed.
    Interrupted,
    Failed,
}

impl StopReason {
    /// Whether `resume` may go on from here.
    pub fn is_resumable(self) -> bool {
        !matches!(self, StopReason::Decided | StopReason::LastBlock)
    }
}

/// Everything that was fixed before the first block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Always `bakeoff/run/1`.
    pub schema: String,
    /// 16 hexadecimal digits, unique.
    pub run: String,
    pub version: String,
    pub verb: Verb,
    /// For people: "quick: /home, /mnt/usb".
    pub title: String,
    pub command: Vec<String>,
    pub seed: u64,
    pub protocol: Protocol,
    pub candidates: Vec<Candidate>,
    pub workloads: Vec<Workload>,
    pub skipped: Vec<Skipped>,
    /// Wanted and not possible: workloads, in the order they were dropped.
    pub dropped_workloads: Vec<Skipped>,
    pub host: Host,
    /// For runs on a region: where it is, for people and for the claim's words.
    #[serde(default)]
    pub region: Option<Region>,
    /// The regions of further devices, in the order of the device axis.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more_regions: Vec<Region>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    pub expected_write_bytes: u64,
    /// Size of the data file that was asked for; `None` = chosen by room and speed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_bytes: Option<u64>,
    /// What a `fit` run judges the place for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub applications: Vec<Application>,
}

/// Digits of a run's id that are shown, at least.
pub const SHORT_ID: usize = 8;

impl Header {
    pub fn design(&self) -> Design<'_> {
        self.into()
    }

    /// Every region, in the order of the device axis; empty for directories.
    pub fn regions(&self) -> impl Iterator<Item = &Region> {
        self.design().regions()
    }

    pub fn stacks(&self) -> impl Iterator<Item = (&str, &Stack)> {
        self.design().stacks()
    }

    pub fn directories(&self) -> impl Iterator<Item = (&str, &Place)> {
        self.design().directories()
    }

    /// What lies behind a candidate: its directory's place, or the one of its region.
    pub fn place_of<'a>(&'a self, candidate: &'a Candidate) -> Option<&'a Place> {
        self.design().place_of(candidate)
    }

    /// The first digits of the run's id, as commands take it.
    pub fn short_id(&self) -> String {
        self.run.chars().take(SHORT_ID).collect()
    }

    /// Every place that is measured: of the regions, then of the directories.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        self.design().places()
    }

    /// The drives below everything that is measured, some more than once.
    pub fn disks(&self) -> impl Iterator<Item = &Layer> {
        self.design().disks()
    }
}

/// The plan after every candidate was prepared once: what failed is out, what does not fit in the
/// time or the bytes to write is dropped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rehearsal {
    /// The rules; `k` is the number of candidates left.
    pub protocol: Protocol,
    pub candidates: Vec<Candidate>,
    pub workloads: Vec<Workload>,
    pub skipped: Vec<Skipped>,
    /// Workloads that were dropped, with why, in the order they were dropped.
    pub dropped_workloads: Vec<Skipped>,
    #[serde(default)]
    pub region: Option<Region>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more_regions: Vec<Region>,
    pub file_bytes: u64,
    pub visit_ns: u64,
    pub block_ns: u64,
    /// Time the first block is expected to take beside that: it finds the length of slices, as
    /// far as that can be foreseen.
    #[serde(default, skip_serializing_if = "is_default")]
    pub calibration_ns: u64,
    pub block_write_bytes: u64,
    pub expected_write_bytes: u64,
}

/// Speed at one place of a device.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Position {
    pub offset_bytes: u64,
    /// Bytes read a second.
    pub bytes_per_s: f64,
}

/// What is done to a region before each visit, so that every stack meets the same state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlashState {
    /// Written in full once, before the first visit (images of `demo`, drives that spin).
    #[default]
    WrittenOnce,
    Overwritten,
    Trimmed,
}

impl FlashState {
    pub fn name(self) -> &'static str {
        match self {
            FlashState::WrittenOnce => "written once",
            FlashState::Overwritten => "overwritten",
            FlashState::Trimmed => "trimmed",
        }
    }
}

/// The one place every stack of a run is put on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    pub target: RawPath,
    pub start_bytes: u64,
    pub size_bytes: u64,
    /// How many of that size lie side by side, for candidates to rotate over; images of their own
    /// or parts of one device.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub parts: u16,
    pub is_image: bool,
    pub place: Place,
    #[serde(default, skip_serializing_if = "is_default")]
    pub flash_state: FlashState,
    /// The erase token that was given for the target: whoever has another is another drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Filesystems that were found there, in libblkid's words, or the one that the image is on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<String>,
}

index::list_of!(Region, RegionIx);

/// The process that runs a run; a dead owner is what lets others recover it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    pub pid: u32,
    /// `starttime` of /proc/PID/stat, clock ticks since boot.
    pub start_ticks: u64,
    /// `/proc/sys/kernel/random/boot_id`.
    pub boot_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<Namespaces>,
}

/// By what another process tells that it sees the same directories and processes: those of a
/// container are others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Namespaces {
    /// Device number of what is mounted at `/run`.
    pub run_dev: u64,
    /// The same of `/var/lib`.
    pub var_lib_dev: u64,
    pub pid_ns: u64,
}

/// One workload in one visit, measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    pub block: BlockIx,
    pub candidate: CandidateIx,
    pub workload: WorkloadIx,
    pub began_ns: u64,
    pub measurement: Measurement,
    pub truth: Truth,
    /// Verbatim output of the tool that measured (kept for drivers other than native).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub raw: Option<String>,
    /// The slices it is made of, those that do not count included; empty = it is one piece.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub slices: Vec<Slice>,
    /// What the machine did meanwhile; `None` = it was not watched.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub telemetry: Option<Box<Telemetry>>,
    /// What the companion did meanwhile, by a clock that stood still where it rested; of the parts
    /// of a profile, which have one companion together, with the first.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub beside: Option<Box<Measurement>>,
}

/// Evidence that a number is what it claims to be (protocol, "What a number must satisfy").
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Truth {
    /// Bytes of the file in the page cache just before a read cell; `None` = not known.
    pub resident_before_bytes: Option<u64>,
    /// Bytes that came from the devices during the cell ([`crate::host::Counted`]); `None` =
    /// no device can be named, or others may have read as much.
    pub device_read_bytes: Option<u64>,
    pub device_written_bytes: Option<u64>,
    /// Pages the kernel dirtied for a short burst of direct writes, per page written.
    pub dirtied_per_page: Option<f64>,
    /// Bytes other processes read and wrote through the kernel meanwhile.
    pub foreign_bytes: Option<u64>,
    /// Who they were, the busiest first: "rsync (4711)"; empty where nobody could be named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub foreign_by: Vec<String>,
    /// CPUs that other processes kept busy meanwhile, on average: 0.5 is half of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreign_cpus: Option<f64>,
    /// Who they were, the busiest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub foreign_cpus_by: Vec<String>,
    pub suspended_ns: u64,
    /// Pages swapped in and out on the whole machine meanwhile; `None` = not known.
    pub swapped_pages: Option<u64>,
    /// What the reads were: cold, warm or unknown.
    pub cache: CacheState,
}

/// What may be said about the page cache in a read cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheState {
    /// Nothing was resident and the devices moved the bytes.
    Cold,
    Warm,
    /// Cannot be known here (FUSE, network, memory).
    #[default]
    Unknown,
    NotRead,
}
