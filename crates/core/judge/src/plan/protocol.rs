//! `[protocol]` and `[region]`: how a plan is measured, and where.

use super::error::PlanError;
use super::read::{Field, Key};
use bakeoff_model::event::FlashState;
use bakeoff_model::job::SLOWED_MOST_PPM;
use bakeoff_model::path::printable;
use bakeoff_model::protocol::{Isolation, Mode, Protocol, Weight};
use bakeoff_model::thresholds::Thresholds;
use bakeoff_model::uses::DriveUse;

/// Smallest and largest weight: beyond it one workload alone decides.
const LEAST_WEIGHT: f64 = 0.01;
const MOST_WEIGHT: f64 = 100.0;

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
    pub time_ns: Option<u64>,
    pub max_write_bytes: Option<u64>,
    pub tie_margin: Option<f64>,
    /// How much of its speed a copy of the first candidate loses on purpose, a fraction.
    pub positive_control: Option<f64>,
    pub cell_min_ns: Option<u64>,
    pub cell_max_ns: Option<u64>,
    pub cell_min_ios: Option<u64>,
    pub thresholds: Thresholds,
    /// How candidates share the time of a block; `None` = side by side where there is room.
    pub isolation: Option<Isolation>,
    /// How much workloads count in the recommendation; once where none is given.
    pub weights: Vec<Weight>,
    pub drive_use: DriveUse,
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
        made.thresholds = self.thresholds.clone();
        made.precondition = self.precondition;
        made.weights = self.weights.clone();
        made.drive_use = self.drive_use;
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

/// `[protocol.thresholds]`: where rules speak, for those who know better than the defaults. Its
/// keys are the fields of [`Thresholds`], as a record has them (docs/format.md).
fn thresholds(field: &Field) -> Result<Thresholds, PlanError> {
    let table = field.table("a table of thresholds: { foreign = \"10%\" }")?;
    let unread = |error: serde_json::Error| field.error(error.to_string());
    let mut made = serde_json::to_value(Thresholds::default()).map_err(unread)?;
    let defaults = made.clone();
    let keys = defaults.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
    for field in field.source.fields(table, "[protocol.thresholds]", &keys.collect::<Vec<_>>())? {
        made[field.key] = match field.key {
            "change_penalty" | "stall" => f64::from(field.number(2..=1_000_000_u32)?).into(),
            key if defaults[key].is_f64() => field.fraction(0.0, 1.0)?.into(),
            key if key.ends_with("_bytes") => field.size()?.into(),
            _ => field.number(0..=1_u64 << 40)?.into(),
        };
    }
    serde_json::from_value(made).map_err(unread)
}

/// `[protocol.weights]`, in the order of its lines.
fn weights(field: &Field) -> Result<Vec<Weight>, PlanError> {
    let mut made = Vec::new();
    for (key, value) in field.table("a table of weights: { randread = 2 }")? {
        let whole = value.get_ref().as_integer().map(|number| number.as_str());
        let digits = whole.or(value.get_ref().as_float().map(|number| number.as_str()));
        let number = digits.and_then(|digits| digits.parse::<f64>().ok());
        let weight = number.filter(|weight| (LEAST_WEIGHT..=MOST_WEIGHT).contains(weight));
        let shown = printable(key.get_ref().as_bytes());
        let weight = weight.ok_or_else(|| {
            let what =
                format!("must be a number between {LEAST_WEIGHT} and {MOST_WEIGHT}, such as 2.5");
            field.source.error(value.span(), format!("the weight of {shown} {what}"))
        })?;
        made.push((key.span().start, Weight { workload: key.get_ref().to_string(), weight }));
    }
    made.sort_by_key(|(start, _)| *start);
    Ok(made.into_iter().map(|(_, weight)| weight).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::parse;

    fn read(lines: &str) -> Result<Protocol, String> {
        let text = format!(
            "title = \"t\"\n[[stack]]\nfs = \"ext4\"\n[[workload]]\nname = \"seqread\"\n\
             [protocol]\n{lines}"
        );
        let plan = parse(&text, "t").map_err(|error| error.to_string())?;
        Ok(plan.protocol.protocol(2))
    }

    fn thresholds(lines: &str) -> Result<Thresholds, String> {
        read(lines).map(|protocol| protocol.thresholds)
    }

    fn weights(lines: &str) -> Result<Vec<Weight>, String> {
        read(lines).map(|protocol| protocol.weights)
    }

    #[test]
    fn what_a_plan_sets_is_what_rules_use_and_the_rest_stays() {
        let set = thresholds("[protocol.thresholds]\nforeign = \"20%\"\nstall = 30\n").unwrap();
        let wanted = Thresholds { foreign: 0.20, stall: 30.0, ..Thresholds::default() };
        assert_eq!(set, wanted);
        let inline = thresholds("thresholds = { allocation_unit_bytes = \"8m\", overlap = 0.5 }");
        let inline = inline.unwrap();
        assert_eq!((inline.allocation_unit_bytes, inline.overlap), (8 << 20, 0.5));
        assert_eq!(thresholds("").unwrap(), Thresholds::default());
    }

    #[test]
    fn every_field_can_be_set_and_no_other() {
        let fields = serde_json::to_value(Thresholds::default()).unwrap();
        for key in fields.as_object().unwrap().keys() {
            let plain = thresholds(&format!("thresholds = {{ {key} = \"99%\" }}"));
            let sized = thresholds(&format!("thresholds = {{ {key} = 7777 }}"));
            let changed = [plain, sized].into_iter().flatten().any(|t| t != Thresholds::default());
            assert!(changed, "{key}");
        }
    }

    #[test]
    fn nonsense_is_refused_with_the_word_that_was_meant() {
        let told = |lines| thresholds(lines).unwrap_err();
        assert!(told("thresholds = { foriegn = 0.1 }").contains("did you mean 'foreign'"));
        assert!(told("thresholds = { foreign = 1.5 }").contains("foreign must be a fraction"));
        assert!(
            told("thresholds = { stall = 1 }").contains("at least 2")
                || told("thresholds = { stall = 1 }").contains("between 2")
        );
        assert!(told("thresholds = 3").contains("table"));
    }

    #[test]
    fn weights_are_read_in_the_order_of_their_lines() {
        let read = weights("weights = { randread = 3, \"my job\" = 0.5 }").unwrap();
        let weight = |workload: &str, weight| Weight { workload: workload.to_string(), weight };
        assert_eq!(read, [weight("randread", 3.0), weight("my job", 0.5)]);
    }

    #[test]
    fn what_is_no_weight_is_refused() {
        for value in ["0", "-1", "\"3\"", "1e9", "nan", "true"] {
            let error = weights(&format!("weights = {{ seqread = {value} }}")).unwrap_err();
            assert!(error.contains("the weight of seqread must be a number"), "{error}");
        }
        assert!(weights("weights = 3").unwrap_err().contains("table"));
    }
}
