//! A rule: its number, when it can be known, what it limits and what it means.
//!
//! Each rule is the static `RULE` of a file that has its name and holds all that it does. What
//! checks it stands beside it in a list, by what it looks at: an observation ([`super::cell`], and
//! [`crate::rules`]), a design before it is measured, or a run. The ids are those of bakeoff's list
//! of sixty-eight; rules without a number carry a name. The example in each explanation is a
//! measured one: most are from five published studies (fixtures/studies).

use super::advice;
use bakeoff_model::design::Design;
use bakeoff_model::finding::{Finding, Scope, Severity};
use bakeoff_model::protocol::Isolation;
use bakeoff_model::setting::Setting;
use bakeoff_model::verb::Verb;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Plan,
    Cell,
    Analysis,
    Import,
}

impl When {
    pub fn name(self) -> &'static str {
        match self {
            When::Plan => "plan",
            When::Cell => "run",
            When::Analysis => "analysis",
            When::Import => "import",
        }
    }
}

/// What a rule limits: a fixed scope, or whatever the run makes claims about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limits {
    Always(Scope),
    /// Claims about places where directories are compared, about stacks elsewhere.
    Claims,
}

impl Limits {
    pub fn resolve<'a>(self, design: impl Into<Design<'a>>) -> Scope {
        match self {
            Limits::Always(scope) => scope,
            Limits::Claims if design.into().stacks().next().is_some() => Scope::Stack,
            Limits::Claims => Scope::Place,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// `L10`, or a name.
    pub id: &'static str,
    /// A name that says it, and that of its file.
    pub slug: &'static str,
    pub when: &'static [When],
    /// How severe it is where places are compared, stacks on an image, stacks on a device, and to
    /// publish ([`Setting`]): the same observation weighs more where more is claimed.
    pub severity: [Severity; 4],
    pub scope: Limits,
    pub condition: &'static str,
    pub explain: &'static str,
}

impl Rule {
    /// How severe it is for what is claimed in this setting.
    pub fn severity_for(&self, setting: Setting) -> Severity {
        self.severity[setting as usize]
    }
}

/// Rules are the same when their ids are: a function has no identity to compare.
impl PartialEq for Rule {
    fn eq(&self, other: &Rule) -> bool {
        self.id == other.id
    }
}

impl Eq for Rule {}

/// Rules with what checks each.
pub type Checks<C> = &'static [(&'static Rule, C)];

/// What a rule reports when it fires.
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
    /// Whether it prevents a verdict, whatever the rule has.
    pub refuses: bool,
}

impl Hit {
    pub fn new(evidence: impl Into<String>, advice: impl Into<String>) -> Hit {
        let (evidence, advice) = (evidence.into(), advice.into());
        let (workload, candidate) = (None, None);
        Hit { evidence, advice, workload, candidate, is_common: false, refuses: false }
    }

    /// About a common cause.
    pub fn common(evidence: impl Into<String>, advice: impl Into<String>) -> Hit {
        Hit { is_common: true, ..Hit::new(evidence, advice) }
    }

    /// The finding, as severe as it is for the claims of this design.
    pub fn finding<'a>(self, design: impl Into<Design<'a>>, rule: &Rule) -> Finding {
        let design = design.into();
        let own = rule.severity_for(Setting::of(design));
        let severity = match (self.refuses, design.protocol.isolation) {
            (true, _) => Severity::Refuse,
            (false, Isolation::Slices) if self.is_common => own.min(Severity::Warn),
            (false, Isolation::Slices | Isolation::Visit) => own,
        };
        self.with(rule, severity, rule.scope.resolve(design), design.verb)
    }

    /// The finding about a result of another tool, of which no more is claimed than of a place.
    pub fn of_result(self, rule: &Rule) -> Finding {
        self.with(rule, rule.severity_for(Setting::Places), Scope::Cell, &Verb::Bench)
    }

    fn with(self, rule: &Rule, severity: Severity, scope: Scope, verb: &Verb) -> Finding {
        Finding {
            id: rule.id.to_string(),
            severity,
            scope,
            workload: self.workload,
            candidate: self.candidate,
            evidence: self.evidence,
            advice: advice::spelled(&self.advice, verb),
        }
    }
}

pub const I: Severity = Severity::Info;
pub const W: Severity = Severity::Warn;
pub const E: Severity = Severity::Error;
pub const R: Severity = Severity::Refuse;
pub(crate) const CLAIMS: Limits = Limits::Claims;
pub(crate) const CELL: Limits = Limits::Always(Scope::Cell);
pub const RUN: Limits = Limits::Always(Scope::Run);
pub(crate) const STACK: Limits = Limits::Always(Scope::Stack);
pub const DEVICE: Limits = Limits::Always(Scope::Device);
