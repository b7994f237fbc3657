//! `[protocol]` and `[region]`: how a plan is measured, and where.

use super::error::PlanError;
use super::read::{Field, Key};
use super::thresholds::thresholds;
use super::weights::weights;
use crate::model::event::FlashState;
use crate::model::job::SLOWED_MOST_PPM;
use crate::model::protocol::{Isolation, Mode, Protocol, Weight};
use crate::model::thresholds::Thresholds;

/// What a table with a name of its own must be.
pub(super) const TABLE: &str = "a table, in square brackets";

const KEYS: &[Key<ProtocolRequest>] = &[
    ("mode", |asked, field| field.variant().map(|mode| asked.mode = mode)),
    ("time", |asked, field| field.duration_ns().map(|ns| asked.time_ns = Some(ns))),
    ("max_write", |asked, field| field.size().map(|bytes| asked.max_write_bytes = Some(bytes))),
    ("flash_state", |asked, field| {
        let words = [FlashState::Overwritten, FlashState::Trimmed].map(|s| (s.name(), s));
        field.word("state", &words).map(|state| asked.flash_state = state)
    }),
    ("precondition", |asked, field| field.switch().map(|is_on| asked.precondition = Some(is_on))),
    ("tie_margin", |asked, field| field.fraction(0.001, 0.5).map(|m| asked.tie_margin = Some(m))),
    ("positive_control", |asked, field| {
        let most = f64::from(SLOWED_MOST_PPM) / 1e6;
        field.fraction(0.001, most).map(|share| asked.positive_control = Some(share))
    }),
    ("cell_min", |asked, field| field.duration_ns().map(|ns| asked.cell_min_ns = Some(ns))),
    ("cell_max", |asked, field| field.duration_ns().map(|ns| asked.cell_max_ns = Some(ns))),
    ("cell_min_ios", |asked, field| {
        field.number(1..=1_u64 << 40).map(|ios| asked.cell_min_ios = Some(ios))
    }),
    ("thresholds", |asked, field| thresholds(field).map(|made| asked.thresholds = made)),
    ("isolation", |asked, field| field.variant().map(|how| asked.isolation = Some(how))),
    ("weights", |asked, field| weights(field).map(|made| asked.weights = made)),
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
    pub precondition: Option<bool>,
    /// Time for everything, nanoseconds.
    pub time_ns: Option<u64>,
    /// Most bytes to write.
    pub max_write_bytes: Option<u64>,
    /// Half-width of a tie, a fraction.
    pub tie_margin: Option<f64>,
    /// How much of its speed a copy of the first candidate loses on purpose, a fraction.
    pub positive_control: Option<f64>,
    pub cell_min_ns: Option<u64>,
    pub cell_max_ns: Option<u64>,
    /// Fewest operations in a cell.
    pub cell_min_ios: Option<u64>,
    pub thresholds: Thresholds,
    /// How candidates share the time of a block; `None` = side by side where there is room.
    pub isolation: Option<Isolation>,
    /// How much workloads count in the recommendation; once where none is given.
    pub weights: Vec<Weight>,
}

impl Default for ProtocolRequest {
    fn default() -> ProtocolRequest {
        ProtocolRequest {
            mode: Mode::Decide,
            flash_state: FlashState::Overwritten,
            precondition: None,
            time_ns: None,
            max_write_bytes: None,
            tie_margin: None,
            positive_control: None,
            cell_min_ns: None,
            cell_max_ns: None,
            cell_min_ios: None,
            thresholds: Thresholds::default(),
            isolation: None,
            weights: Vec::new(),
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
        made.thresholds = self.thresholds.clone();
        made.precondition = self.precondition;
        made.weights = self.weights.clone();
        made
    }
}

pub(super) fn protocol(field: &Field) -> Result<ProtocolRequest, PlanError> {
    let (mut asked, table) = (ProtocolRequest::default(), field.table(TABLE)?);
    field.source.set(&mut asked, table, "[protocol]", KEYS)?;
    let (least, most) = (asked.protocol(2).cell_min_ns, asked.protocol(2).cell_max_ns);
    match most.is_some_and(|most| most < least) {
        true => {
            let at = table.iter().find(|(key, _)| key.get_ref() == "cell_max");
            let span = at.map_or(0..0, |(key, _)| key.span());
            Err(field.source.error(span, "cell_max is shorter than cell_min"))
        }
        false => Ok(asked),
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
