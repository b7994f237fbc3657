//! `[protocol]` and `[region]`: how a plan is measured, and where.

use super::error::PlanError;
use super::read::{Field, Key};
use bakeoff_model::event::FlashState;
use bakeoff_model::protocol::{Isolation, Mode, Protocol};
use bakeoff_model::uses::DriveUse;

pub(super) const TABLE: &str = "a table, in square brackets";

const KEYS: &[Key<ProtocolRequest>] = &[
    ("mode", |asked, field| field.variant().map(|mode| asked.mode = mode)),
    ("time", |asked, field| field.duration_ns().map(|ns| asked.time_ns = Some(ns))),
    ("max_write", |asked, field| field.size().map(|bytes| asked.max_write_bytes = Some(bytes))),
    ("flash_state", |asked, field| {
        let words = [FlashState::Overwritten, FlashState::Trimmed].map(|s| (s.name(), s));
        field.word("state", &words).map(|state| asked.flash_state = state)
    }),
    ("tie_margin", |asked, field| field.fraction(0.001, 0.5).map(|m| asked.tie_margin = Some(m))),
    ("cell_min", |asked, field| field.duration_ns().map(|ns| asked.cell_min_ns = Some(ns))),
    ("cell_max", |asked, field| field.duration_ns().map(|ns| asked.cell_max_ns = Some(ns))),
    ("cell_min_ios", |asked, field| {
        field.number(1..=1_u64 << 40).map(|ios| asked.cell_min_ios = Some(ios))
    }),
    ("isolation", |asked, field| field.variant().map(|how| asked.isolation = Some(how))),
];

const REGION_KEYS: &[Key<RegionRequest>] = &[
    ("size", |asked, field| field.size().map(|bytes| asked.size_bytes = Some(bytes))),
    ("start", |asked, field| start(field).map(|bytes| asked.start_bytes = Some(bytes))),
];

/// Where a plan wants its region; what it leaves open is chosen by the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionRequest {
    pub size_bytes: Option<u64>,
    pub start_bytes: Option<u64>,
}

/// The rules a plan asks for; what it leaves open is the mode's.
#[derive(Clone, Debug, PartialEq)]
pub struct ProtocolRequest {
    pub mode: Mode,
    pub flash_state: FlashState,
    /// Whether regions are brought to a steady state first; `None` = flash that is written.
    pub time_ns: Option<u64>,
    pub max_write_bytes: Option<u64>,
    pub tie_margin: Option<f64>,
    pub cell_min_ns: Option<u64>,
    pub cell_max_ns: Option<u64>,
    pub cell_min_ios: Option<u64>,
    /// How candidates share the time of a block; `None` = side by side where there is room.
    pub isolation: Option<Isolation>,
    pub drive_use: DriveUse,
}

impl Default for ProtocolRequest {
    fn default() -> ProtocolRequest {
        ProtocolRequest {
            mode: Mode::Decide,
            flash_state: FlashState::Overwritten,
            time_ns: None,
            max_write_bytes: None,
            tie_margin: None,
            cell_min_ns: None,
            cell_max_ns: None,
            cell_min_ios: None,
            isolation: None,
            drive_use: DriveUse::default(),
        }
    }
}

impl ProtocolRequest {
    /// The rules for that many candidates (A/A twins not counted).
    pub fn protocol(&self, candidates: u32) -> Protocol {
        let mut made = Protocol::for_mode(self.mode, candidates);
        made.time_ns = self.time_ns.or(made.time_ns);
        made.max_write_bytes = self.max_write_bytes.or(made.max_write_bytes);
        made.tie_margin = self.tie_margin.unwrap_or(made.tie_margin);
        made.cell_min_ns = self.cell_min_ns.unwrap_or(made.cell_min_ns);
        made.cell_max_ns = self.cell_max_ns.or(made.cell_max_ns);
        made.cell_min_ios = self.cell_min_ios.unwrap_or(made.cell_min_ios);
        made.drive_use = self.drive_use;
        made
    }
}

pub(super) fn protocol(field: &Field) -> Result<ProtocolRequest, PlanError> {
    let (mut asked, table) = (ProtocolRequest::default(), field.table(TABLE)?);
    field.source.set(&mut asked, table, "[protocol]", KEYS)?;
    let (least, most) = (asked.protocol(2).cell_min_ns, asked.protocol(2).cell_max_ns);
    if most.is_some_and(|most| most < least) {
        let at = table.iter().find(|(key, _)| key.get_ref() == "cell_max");
        let span = at.map_or(0..0, |(key, _)| key.span());
        Err(field.source.error(span, "cell_max is shorter than cell_min"))
    } else {
        Ok(asked)
    }
}

pub(super) fn region(field: &Field) -> Result<RegionRequest, PlanError> {
    let mut asked = RegionRequest::default();
    field.source.set(&mut asked, field.table(TABLE)?, "[region]", REGION_KEYS)?;
    Ok(asked)
}

/// 0 is a place too.
fn start(field: &Field) -> Result<u64, PlanError> {
    let written = field.value.get_ref();
    let is_zero = written.as_integer().is_some_and(|number| number.as_str() == "0")
        || written.as_str().is_some_and(|text| text.trim() == "0");
    if is_zero { Ok(0) } else { field.size() }
}
