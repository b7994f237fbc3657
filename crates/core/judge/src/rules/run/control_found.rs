//! control-found: the positive control was detected at its true size.

use super::ComparedRun;
use crate::decide::compare::Comparison;
use crate::evidence::rule::Hit;
use crate::rules::control::{Control, slowed};

pub fn in_run(of: &ComparedRun, compared: &Comparison) -> Vec<Hit> {
    let found = slowed(of.run, of.table, compared.workload).filter(Control::is_at_its_size);
    let tell = |of: Control| Hit::new(of.measured_slowed(), "no action needed");
    found.map(tell).collect()
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::control::told;
    use bakeoff_model::finding::Severity;
    use bakeoff_model::profile::{Part, Profile};

    #[test]
    fn an_effect_of_known_size_is_found_at_its_size() {
        let found = told(0.05, 0.01, None);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].0.as_str(), found[0].2), ("control-found", Severity::Info));
        let words = "a, slowed down by 5 % on purpose, measured -";
        assert!(found[0].1.starts_with(words), "{}", found[0].1);
    }

    #[test]
    fn nothing_is_said_where_it_cannot_be_slowed_down() {
        let part = Part { profile: Profile::Boot, part: 0 };
        assert_eq!(told(0.0, 0.001, Some(part)), []);
    }
}
