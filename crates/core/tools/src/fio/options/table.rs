//! Every option of fio 3.33, and what `bench` makes of it: `data/fio_options.csv`, in the order of
//! fio's manual. data/README.md says what its columns are.

use bakeoff_stats::tables::Table;

const TABLE: Table<5> = Table::new(include_str!("../../../data/fio_options.csv"));
const NAMES: Table<3> = Table::new(include_str!("../../../data/fio_names.csv"));

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionShape {
    /// Alone, or with `=0` or `=1`.
    Flag,
    /// With 0 or 1; alone it is 1.
    Switch,
    Value,
}

/// What `bench` makes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    Same,
    Called(&'static str),
    /// By its value ([`super::values`]); in a few words, how.
    Worded(&'static str),
    Always(&'static str),
    Idle(&'static str),
    /// `bench` does not do it: why, and what does.
    Refused(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionEntry {
    pub names: &'static str,
    pub shape: OptionShape,
    pub taken: Taken,
    /// A value beside 0 and `none` that asks for what fio does anyway.
    pub default: Option<&'static str>,
}

pub fn entries() -> impl Iterator<Item = OptionEntry> {
    TABLE.rows().filter_map(entry)
}

fn entry([names, shape, default, taken, text]: [&'static str; 5]) -> Option<OptionEntry> {
    let shape = match shape {
        "flag" => OptionShape::Flag,
        "switch" => OptionShape::Switch,
        "value" => OptionShape::Value,
        _ => return None,
    };
    let taken = match taken {
        "same" => Taken::Same,
        "called" => Taken::Called(text),
        "worded" => Taken::Worded(text),
        "always" => Taken::Always(text),
        "idle" => Taken::Idle(text),
        "refused" => Taken::Refused(text),
        _ => return None,
    };
    let default = Some(default).filter(|value| !value.is_empty());
    Some(OptionEntry { names, shape, taken, default })
}

pub fn canonical(name: &str) -> &str {
    let means = NAMES.rows().find(|[known, ..]| *known == name);
    means.map_or(name, |[_, means, _]| if means.is_empty() { name } else { means })
}

pub fn is(name: &str, what: &str) -> bool {
    NAMES.rows().any(|[known, _, words]| known == name && words.split(' ').any(|word| word == what))
}

/// What is made of an option, by its canonical name; `None` = it is none of fio's.
pub fn find(name: &str) -> Option<OptionEntry> {
    entries().find(|entry| entry.names.split(' ').any(|known| known == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_an_entry() {
        assert_eq!(entries().count(), TABLE.rows().count());
    }
}
