//! A rule: its number, when it can be known, what it limits, what it means, and what checks it.
//!
//! Each rule is the static `RULE` of a file that has its name and holds all that it does: those
//! over one cell in [`super::cell`], the others in [`crate::rules`]. The ids are those of bakeoff's
//! list of sixty-eight; rules without a number carry a name. The example in each explanation is a
//! measured one: most are from the five published studies (`bakeoff show study:NAME`).

use super::advice::Advice;
use super::observation::Observation;
use crate::model::candidate::Stack;
use crate::model::design::Design;
use crate::model::event::{Cell, Header, Region};
use crate::model::finding::{Finding, Scope, Severity};
use crate::model::host::{Place, SystemDisk};
use crate::model::run::Run;
use crate::model::setting::Setting;
use crate::model::workload::Workload;
use crate::scan::ToolResult;
use crate::study::Study;

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
    pub checks: &'static [Check],
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

pub type Stacks<'a> = [(&'a str, &'a Stack)];

/// What a rule looks at, and the function that does. A rule over a run's comparisons has a
/// [`crate::rules::run::RunCheck`] beside these.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// A cell, a workload or a result of another tool alike.
    Observed(fn(&Observation) -> Option<Hit>),
    /// One cell, with what only bakeoff records of it.
    Cell(fn(Design<'_>, &Workload, &Cell) -> Option<Finding>),
    Design(fn(Design<'_>) -> Option<Finding>),
    Workload(fn(Design<'_>, &Workload) -> Option<Finding>),
    Region(fn(Design<'_>, &Region) -> Option<Finding>),
    Place(fn(Design<'_>, &Place) -> Option<Finding>),
    System(fn(Design<'_>, &Place, &[SystemDisk]) -> Option<Finding>),
    Stacks(fn(Design<'_>, &Stacks) -> Option<Finding>),
    Stack(fn(Design<'_>, &Stack) -> Option<Finding>),
    /// The cells of a candidate on a workload, of which there is one at least.
    Course(fn(&Header, &[&Cell]) -> Option<Finding>),
    Run(fn(&Run) -> Vec<Finding>),
    Result(fn(&ToolResult) -> Option<Finding>),
    Study(fn(&Study) -> Option<Finding>),
    Stated(Stated),
    /// Nothing here: another folder makes the finding, or none can yet.
    Elsewhere(&'static str),
}

impl Check {
    /// What a rule over observations of any source finds in this one; other checks find nothing.
    pub fn observed(&self, observation: &Observation) -> Option<Hit> {
        let Check::Observed(check) = self else { return None };
        check(observation)
    }
}

/// What a rule reports when it fires on an observation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub evidence: String,
    pub advice: Advice,
}

/// A fact that is reason enough for a finding.
#[derive(Clone, Copy, Debug)]
pub struct Stated {
    /// Its key ([`crate::study::facts`]).
    pub key: &'static str,
    /// Its value; empty stands for any.
    pub value: &'static str,
    /// How severe it is, where a statement weighs differently from a measurement.
    pub severity: Option<Severity>,
    pub advice: &'static str,
}

pub(crate) fn checks(
    rules: impl Iterator<Item = &'static Rule>,
) -> impl Iterator<Item = (&'static Rule, &'static Check)> {
    rules.flat_map(|rule| rule.checks.iter().map(move |check| (rule, check)))
}

pub(crate) const I: Severity = Severity::Info;
pub(crate) const W: Severity = Severity::Warn;
pub(crate) const E: Severity = Severity::Error;
pub(crate) const R: Severity = Severity::Refuse;
pub(crate) const CLAIMS: Limits = Limits::Claims;
pub(crate) const CELL: Limits = Limits::Always(Scope::Cell);
pub(crate) const RUN: Limits = Limits::Always(Scope::Run);
pub(crate) const STACK: Limits = Limits::Always(Scope::Stack);
pub(crate) const DEVICE: Limits = Limits::Always(Scope::Device);
