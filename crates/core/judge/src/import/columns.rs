//! What somebody said the columns of a table are: nothing, a label, or numbers with their unit.

use std::collections::BTreeMap;
use std::str::FromStr;

use super::table::KEYS;

const COLUMNS: usize = 64;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Column {
    Skip,
    Label(String),
    /// Numbers: what each of them is, their unit, and what the column says about the set-up.
    Value {
        tests: Vec<String>,
        unit: String,
        setup: BTreeMap<String, String>,
    },
}

/// The columns of a table, from left to right.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns(pub(super) Vec<Column>);

impl FromStr for Columns {
    type Err = String;

    fn from_str(text: &str) -> Result<Columns, String> {
        let columns =
            text.split(',').map(|entry| column(entry.trim())).collect::<Result<Vec<_>, _>>()?;
        if columns.len() > COLUMNS {
            return Err(format!("more than {COLUMNS} columns"));
        }
        let has_value = columns.iter().any(|column| matches!(column, Column::Value { .. }));
        let none = "no column has numbers: write the kind and unit of its numbers, such as \
                    'write/read MB/s', for at least one column";
        if has_value { Ok(Columns(columns)) } else { Err(none.to_string()) }
    }
}

fn column(entry: &str) -> Result<Column, String> {
    if entry == "-" {
        return Ok(Column::Skip);
    }
    if KEYS.contains(&entry) {
        return Ok(Column::Label(entry.to_string()));
    }
    let unknown = || {
        format!(
            "'{entry}' is not a column: write '-' to skip a column, a label ({}), or the kind and \
             unit of its numbers, such as 'write/read MB/s filesystem=ext4'",
            KEYS.join(", ")
        )
    };
    let mut words = entry.split_whitespace();
    let tests: Vec<String> =
        words.next().ok_or_else(unknown)?.split('/').map(String::from).collect();
    let unit = words.next().filter(|unit| !unit.contains('=')).ok_or_else(unknown)?.to_string();
    let mut setup = BTreeMap::new();
    for word in words {
        let (key, value) = word.split_once('=').ok_or_else(unknown)?;
        if !KEYS.contains(&key) || setup.insert(key.to_string(), value.to_string()).is_some() {
            return Err(unknown());
        }
    }
    if tests.iter().any(String::is_empty) {
        return Err(unknown());
    }
    Ok(Column::Value { tests, unit, setup })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_makes_no_sense_says_what_would() {
        for text in
            ["", "device", "colour,write MB/s", "write", "write MB/s colour=red", "//x MB/s"]
        {
            assert!(text.parse::<Columns>().is_err(), "{text}");
        }
    }
}
