//! The runs of a store counted by machine and label: what a list of boards needs, so that a store
//! with a hundred thousand runs need not give them all.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use bakeoff_model::machine::Machine;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunGroup {
    pub machine: Machine,
    pub label: Option<String>,
    pub runs: u64,
    /// Number of the one that came into the store last; a later one has a larger number.
    pub arrived: i64,
    /// When the first one began, nanoseconds since 1970.
    pub first_unix_ns: i64,
    pub last: Last,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Last {
    pub run: String,
    /// When it began, nanoseconds since 1970.
    pub unix_ns: i64,
    pub arrived: i64,
    pub kernel: String,
}

impl Last {
    /// The later one sorts last; of two that began at once that is the one that came first.
    pub fn order(&self) -> (i64, Reverse<i64>) {
        (self.unix_ns, Reverse(self.arrived))
    }
}

impl RunGroup {
    pub fn one(machine: Machine, label: Option<String>, last: Last) -> RunGroup {
        let (arrived, first_unix_ns) = (last.arrived, last.unix_ns);
        RunGroup { machine, label, runs: 1, arrived, first_unix_ns, last }
    }
}

/// Those of one machine and label together, the latest to come into the store first.
pub fn gather(all: impl IntoIterator<Item = RunGroup>) -> Vec<RunGroup> {
    let mut found: BTreeMap<(Machine, Option<String>), RunGroup> = BTreeMap::new();
    for group in all {
        let key = (group.machine.clone(), group.label.clone());
        match found.get_mut(&key) {
            None => drop(found.insert(key, group)),
            Some(known) => {
                known.runs += group.runs;
                known.arrived = known.arrived.max(group.arrived);
                known.first_unix_ns = known.first_unix_ns.min(group.first_unix_ns);
                if group.last.order() > known.last.order() {
                    known.last = group.last;
                }
            }
        }
    }
    let mut all: Vec<RunGroup> = found.into_values().collect();
    all.sort_by_key(|group| Reverse(group.arrived));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(hostname: &str, label: Option<&str>, arrived: i64, unix_ns: i64) -> RunGroup {
        let machine = Machine { hostname: hostname.to_string(), ..Machine::default() };
        let run = format!("{arrived:016x}");
        let last = Last { run, unix_ns, arrived, kernel: format!("6.{arrived}") };
        RunGroup::one(machine, label.map(str::to_string), last)
    }

    #[test]
    fn runs_of_one_machine_and_label_are_counted_together() {
        let all = [
            one("a", Some("x"), 1, 50),
            one("a", Some("x"), 2, 40),
            one("a", Some("x"), 3, 50),
            one("a", None, 4, 60),
            one("b", Some("x"), 5, 10),
        ];
        let found = gather(all);
        let short: Vec<_> =
            found.iter().map(|s| (s.machine.hostname.as_str(), s.runs, s.last.arrived)).collect();
        // Of two that began at once the first one counts, as it does in a report.
        assert_eq!(short, [("b", 1, 5), ("a", 1, 4), ("a", 3, 1)]);
        assert_eq!((found[2].arrived, found[2].first_unix_ns), (3, 40));
        // Counted in two steps it is the same.
        assert_eq!(gather(found.clone()), found);
    }
}
