//! A rule: its number, how severe it is, what it limits and what it means.
//!
//! Rules are rows of `data/rules.toml`. What checks them is in lists of ids and functions, by what
//! it looks at: an observation ([`super::cell`], and [`crate::rules`]), a design before it is
//! measured, or a run.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer};
use strum::IntoStaticStr;

use super::advice;
use bakeoff_model::design::Design;
use bakeoff_model::finding::{Finding, Scope, Severity};
use bakeoff_model::protocol::Isolation;
use bakeoff_model::setting::Setting;
use bakeoff_model::verb::Verb;

/// What a rule limits: a fixed scope, or whatever the run makes claims about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Limits {
    Verdict,
    Cell,
    Stacks,
    Devices,
    Run,
}

impl Limits {
    pub fn resolve(self, design: Design<'_>) -> Scope {
        match self {
            Limits::Verdict if design.stacks().next().is_some() => Scope::Stack,
            Limits::Verdict => Scope::Place,
            Limits::Cell => Scope::Cell,
            Limits::Stacks => Scope::Stack,
            Limits::Devices => Scope::Device,
            Limits::Run => Scope::Run,
        }
    }
}

#[derive(Debug, Deserialize)]
pub struct Rule {
    /// `L10`, or a name.
    pub id: String,
    pub slug: String,
    /// How severe it is where places are compared, stacks on an image, stacks on a device, and to
    /// publish ([`Setting`]): the same observation weighs more where more is claimed.
    pub severity: [Severity; 4],
    pub limits: Limits,
    #[serde(deserialize_with = "in_one_line")]
    pub condition: String,
    #[serde(deserialize_with = "in_one_line")]
    pub explain: String,
}

fn in_one_line<'de, D: Deserializer<'de>>(text: D) -> Result<String, D::Error> {
    let text = String::deserialize(text)?;
    Ok(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

pub static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let mut table: BTreeMap<String, Vec<Rule>> =
        toml::from_str(include_str!("../../data/rules.toml")).expect("data/rules.toml is broken");
    table.remove("rule").expect("data/rules.toml has no rules")
});

impl Rule {
    pub fn find(name: &str) -> Option<&'static Rule> {
        let is_it = |word: &str| word.eq_ignore_ascii_case(name);
        RULES.iter().find(|rule| is_it(&rule.id) || is_it(&rule.slug))
    }

    pub fn severity_for(&self, setting: Setting) -> Severity {
        self.severity[setting as usize]
    }
}

pub type Checks<C> = &'static [(&'static str, C)];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub evidence: String,
    /// With settings in braces ([`advice`]).
    pub advice: String,
    /// Name of the workload it is about; `None` = all.
    pub workload: Option<String>,
    /// Name of the candidate it is about; `None` = all.
    pub candidate: Option<String>,
    /// Whether it is about what meets candidates that are measured in turns alike: others on the
    /// machine, or drift of the drive. Their intervals say what it cost.
    pub is_common: bool,
    pub refuses: bool,
}

impl Hit {
    pub fn new(evidence: impl Into<String>, advice: impl Into<String>) -> Hit {
        let (evidence, advice) = (evidence.into(), advice.into());
        let (workload, candidate) = (None, None);
        Hit { evidence, advice, workload, candidate, is_common: false, refuses: false }
    }

    pub fn common(evidence: impl Into<String>, advice: impl Into<String>) -> Hit {
        Hit { is_common: true, ..Hit::new(evidence, advice) }
    }

    pub fn finding<'a>(self, design: impl Into<Design<'a>>, id: &str) -> Finding {
        let design = design.into();
        let own = severity(id, Setting::of(design));
        let severity = match (self.refuses, design.protocol.isolation) {
            (true, _) => Severity::Refuse,
            (false, Isolation::Slices) if self.is_common => own.min(Severity::Warn),
            (false, Isolation::Slices | Isolation::Visit) => own,
        };
        let limits = Rule::find(id).map_or(Limits::Run, |rule| rule.limits);
        self.with(id, severity, limits.resolve(design), design.verb)
    }

    pub fn of_result(self, id: &str) -> Finding {
        self.with(id, severity(id, Setting::Places), Scope::Cell, &Verb::Bench)
    }

    fn with(self, id: &str, severity: Severity, scope: Scope, verb: &Verb) -> Finding {
        Finding {
            id: id.to_string(),
            severity,
            scope,
            workload: self.workload,
            candidate: self.candidate,
            evidence: self.evidence,
            advice: advice::spelled(&self.advice, verb),
        }
    }
}

/// A rule that is not in the table refuses: a broken table must not allow claims.
fn severity(id: &str, setting: Setting) -> Severity {
    Rule::find(id).map_or(Severity::Refuse, |rule| rule.severity_for(setting))
}
