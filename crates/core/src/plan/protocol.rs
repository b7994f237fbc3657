//! `[protocol]` and `[region]`: how a plan is measured, and where.

use toml::de::DeTable;

use super::error::PlanError;
use super::read::{Source, Value, fraction};
use crate::model::event::FlashState;
use crate::model::job::SLOWED_MOST_PPM;
use crate::model::protocol::{Isolation, Mode, Protocol, Weight};
use crate::model::thresholds::Thresholds;

const KEYS: [&str; 13] = [
    "mode",
    "time",
    "max_write",
    "flash_state",
    "precondition",
    "tie_margin",
    "positive_control",
    "cell_min",
    "cell_max",
    "cell_min_ios",
    "thresholds",
    "isolation",
    "weights",
];

const REGION_KEYS: [&str; 2] = ["size", "start"];

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

pub(super) fn protocol(source: &Source, table: &DeTable) -> Result<ProtocolRequest, PlanError> {
    let mut asked = ProtocolRequest::default();
    for entry in source.entries(table, "[protocol]", &KEYS)? {
        let (key, value) = (entry.key, entry.value);
        match key {
            "mode" => asked.mode = source.variant(key, value)?,
            "flash_state" => {
                let words = [FlashState::Overwritten, FlashState::Trimmed].map(|s| (s.name(), s));
                asked.flash_state = source.word("state", value, &words)?;
            }
            "precondition" => asked.precondition = Some(source.switch(key, value)?),
            "time" => asked.time_ns = Some(source.duration_ns(key, value)?),
            "max_write" => asked.max_write_bytes = Some(source.size(key, value)?),
            "tie_margin" => asked.tie_margin = Some(fraction(source, key, value, 0.001, 0.5)?),
            "positive_control" => {
                let most = f64::from(SLOWED_MOST_PPM) / 1e6;
                asked.positive_control = Some(fraction(source, key, value, 0.001, most)?);
            }
            "cell_min" => asked.cell_min_ns = Some(source.duration_ns(key, value)?),
            "cell_max" => asked.cell_max_ns = Some(source.duration_ns(key, value)?),
            "cell_min_ios" => asked.cell_min_ios = Some(source.number(key, value, 1..=1 << 40)?),
            "thresholds" => {
                let expected = "a table of thresholds: { foreign = \"10%\" }";
                let table = source.table(key, value, expected)?;
                asked.thresholds = super::thresholds::thresholds(source, table)?;
            }
            "isolation" => asked.isolation = Some(source.variant(key, value)?),
            "weights" => {
                let table = source.table(key, value, "a table of weights: { randread = 2 }")?;
                asked.weights = super::weights::weights(source, table)?;
            }
            other => debug_assert!(false, "no such key: {other}"),
        }
    }
    let (least, most) = (asked.protocol(2).cell_min_ns, asked.protocol(2).cell_max_ns);
    match most.is_some_and(|most| most < least) {
        true => {
            let at = table.iter().find(|(key, _)| key.get_ref() == "cell_max");
            let span = at.map_or(0..0, |(key, _)| key.span());
            Err(source.error(span, "cell_max is shorter than cell_min"))
        }
        false => Ok(asked),
    }
}

pub(super) fn region(source: &Source, table: &DeTable) -> Result<RegionRequest, PlanError> {
    let mut asked = RegionRequest::default();
    for entry in source.entries(table, "[region]", &REGION_KEYS)? {
        match entry.key {
            "size" => asked.size_bytes = Some(source.size("size", entry.value)?),
            _ => asked.start_bytes = Some(start(source, entry.value)?),
        }
    }
    Ok(asked)
}

/// 0 is a place too.
fn start(source: &Source, value: &Value) -> Result<u64, PlanError> {
    let written = value.get_ref();
    let is_zero = written.as_integer().is_some_and(|number| number.as_str() == "0")
        || written.as_str().is_some_and(|text| text.trim() == "0");
    if is_zero { Ok(0) } else { source.size("start", value) }
}
