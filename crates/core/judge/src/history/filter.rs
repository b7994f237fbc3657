//! Which runs are wanted: by drive, machine, plan, label, title and time.
//!
//! Every text is matched anywhere in the fact and without regard to the case of ASCII letters, so
//! that the end of a serial number is enough. A store that answers with its own query has to give
//! the same runs ([`Filter::admits`]).

use super::facts::Facts;

/// What is asked for; an empty filter admits every run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    pub drive: Option<String>,
    pub host: Option<String>,
    pub plan: Option<String>,
    pub label: Option<String>,
    pub search: Option<String>,
    /// Runs that began then or later, nanoseconds since 1970.
    pub since_unix_ns: Option<i64>,
}

impl Filter {
    pub fn is_empty(&self) -> bool {
        *self == Filter::default()
    }

    /// Whether the facts are those of a run that is wanted.
    pub fn admits(&self, facts: &Facts) -> bool {
        let asked =
            [(&self.drive, &facts.drives), (&self.host, &facts.hosts), (&self.plan, &facts.plans)];
        let all = [&facts.drives, &facts.hosts, &facts.plans];
        let is_found = |part: &String| all.into_iter().flatten().any(|text| has(text, part));
        self.search.as_ref().is_none_or(is_found)
            && asked.iter().all(|(wanted, texts)| {
                wanted.as_ref().is_none_or(|part| texts.iter().any(|text| has(text, part)))
            })
    }
}

pub fn has(text: &str, part: &str) -> bool {
    text.to_ascii_lowercase().contains(&part.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_that_is_asked_for_has_to_match() {
        let of = |text: &str| vec![text.to_string()];
        let facts = Facts { hosts: of("Pi-4"), plans: of("sd-card"), drives: of("SanDisk 4C53") };
        let some = |text: &str| Some(text.to_string());
        let filter = Filter { drive: some("4c5"), host: some("pi"), ..Filter::default() };
        assert!(filter.admits(&facts) && Filter::default().admits(&Facts::default()));
        assert!(!Filter { plan: some("nas"), ..filter.clone() }.admits(&facts));
        assert!(!filter.admits(&Facts::default()));
        assert!(Filter::default().is_empty() && !filter.is_empty());
    }
}
