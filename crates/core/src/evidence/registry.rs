//! Every rule: its number, when it can be known, what it limits, and what it means.
//!
//! Numbers are those of bakeoff's list of sixty-eight; rules without a number carry a name. The
//! example in each text is a measured one: most are from five published studies, which come with
//! the program (`bakeoff show study:NAME`).

mod cells;
mod others;
mod patterns;
mod places;
mod results;

pub use cells::*;
pub use others::*;
pub use patterns::*;
pub use places::*;
pub use results::*;

use crate::model::candidate::Kind;
use crate::model::event::Header;
use crate::model::finding::{Scope, Severity};
use crate::model::protocol::Isolation;
use crate::model::setting::Setting;

/// When a rule can be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Before the first block.
    Plan,
    /// From one cell.
    Cell,
    /// From the whole run.
    Analysis,
    /// From results of others.
    Import,
}

impl When {
    /// In words.
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
    /// Always this.
    Always(Scope),
    /// Claims about places where directories are compared, about stacks elsewhere.
    Claims,
}

impl Limits {
    /// The scope in this run.
    pub fn resolve(self, header: &Header) -> Scope {
        let is_stack = |kind: &Kind| matches!(kind, Kind::Stack(_));
        match self {
            Limits::Always(scope) => scope,
            Limits::Claims if header.candidates.iter().any(|c| is_stack(&c.kind)) => Scope::Stack,
            Limits::Claims => Scope::Place,
        }
    }
}

/// One rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// `L10`, or a name.
    pub id: &'static str,
    /// A name that says it.
    pub slug: &'static str,
    /// When it can be known.
    pub when: &'static [When],
    /// How severe it is where places are compared, stacks on an image, stacks on a device, and to
    /// publish ([`Setting`]): the same observation weighs more where more is claimed.
    pub severity: [Severity; 4],
    /// What it limits.
    pub scope: Limits,
    /// When it fires, in one line.
    pub condition: &'static str,
    /// A paragraph for `lint --explain`.
    pub explain: &'static str,
}

impl Rule {
    /// How severe it is for the claims of a run. What others do on the machine meets candidates
    /// that are measured in turns alike, and their intervals say what it cost.
    pub fn severity_in(&self, header: &Header) -> Severity {
        let is_shared = SHARED.iter().any(|shared| shared.id == self.id);
        let severity = self.severity_for(Setting::of(header));
        match is_shared && header.protocol.isolation == Isolation::Slices {
            true => severity.min(W),
            false => severity,
        }
    }

    /// How severe it is for what is claimed in this setting.
    pub fn severity_for(&self, setting: Setting) -> Severity {
        self.severity[setting as usize]
    }
}

/// Rules about what others do on the machine.
static SHARED: [&Rule; 2] = [&BACKGROUND, &LAZYINIT];

/// All rules, by id.
pub fn all() -> Vec<&'static Rule> {
    let mut all: Vec<&Rule> = groups().collect();
    all.sort_by_key(|rule| rule.id);
    all
}

fn groups() -> impl Iterator<Item = &'static Rule> {
    let groups = [places::RULES, patterns::RULES, cells::RULES, results::RULES, others::RULES];
    groups.into_iter().flatten().copied()
}

/// The paragraph about a rule, by id or slug in any case.
pub fn explain(name: &str) -> Option<&'static Rule> {
    groups().find(|r| r.id.eq_ignore_ascii_case(name) || r.slug.eq_ignore_ascii_case(name))
}

const I: Severity = Severity::Info;
const W: Severity = Severity::Warn;
const E: Severity = Severity::Error;
const R: Severity = Severity::Refuse;
const CLAIMS: Limits = Limits::Claims;
const CELL: Limits = Limits::Always(Scope::Cell);
const RUN: Limits = Limits::Always(Scope::Run);
const STACK: Limits = Limits::Always(Scope::Stack);
const DEVICE: Limits = Limits::Always(Scope::Device);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_found_by_number_and_by_name() {
        assert_eq!(explain("l36").map(|r| r.slug), Some("autocorrelation"));
        assert_eq!(explain("Warm-Cache").map(|r| r.id), Some("L16"));
        assert_eq!(explain("L00"), None);
    }

    #[test]
    fn a_directory_beside_the_system_is_a_warning_and_a_device_an_error() {
        assert_eq!(ROOT_DEVICE.severity_for(Setting::Places), W);
        assert_eq!(ROOT_DEVICE.severity_for(Setting::Decide), E);
    }

    #[test]
    fn more_is_claimed_the_further_right() {
        for rule in all() {
            assert!(rule.severity.is_sorted(), "{}", rule.id);
        }
    }

    #[test]
    fn the_sixty_eight_are_all_there() {
        let ids: Vec<&str> = all().iter().map(|r| r.id).collect();
        assert!(ids.windows(2).all(|w| w[0] != w[1]), "{ids:?}");
        for number in 1..=68 {
            assert!(ids.contains(&format!("L{number:02}").as_str()), "L{number:02}");
        }
    }

    /// What was measured, by whom or how much: a figure, or a study.
    #[test]
    fn every_one_of_the_sixty_eight_has_an_example() {
        let has_example =
            |text: &str| text.contains(|c: char| c.is_ascii_digit()) || text.contains("stud");
        for rule in all().into_iter().filter(|rule| rule.id.starts_with('L')) {
            assert!(has_example(rule.explain), "{}: {}", rule.id, rule.explain);
        }
    }

    #[test]
    fn texts_are_whole_sentences_with_something_measured_or_to_type() {
        for rule in all() {
            assert!(rule.explain.ends_with('.') && rule.explain.len() > 80, "{}", rule.id);
            assert!(!rule.explain.contains("  ") && !rule.when.is_empty(), "{}", rule.id);
            assert!(!rule.condition.ends_with('.'), "{}", rule.id);
        }
    }
}
