//! A command line of `bench` into fio's options, jobs and the words that are not fio's.
//!
//! fio reads options with one hyphen or two, `--direct 1` and `--direct=1`; those before the first
//! `--name` are for all jobs. Source: fio 3.33, init.c, parse_cmd_line.

use super::table::{self, OptionShape};
use super::{Asked, From, Given, asked};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Words that are no option of fio's, in their order: for all jobs.
    pub own: Vec<String>,
    pub jobs: Vec<Asked>,
}

/// Reads the words after `bench`.
///
/// # Errors
/// An option that `bench` does not take, and why.
pub fn line(words: &[String]) -> Result<Line, String> {
    let mut own = Vec::new();
    let mut global: Vec<Given> = Vec::new();
    let mut jobs: Vec<(String, Vec<Given>)> = Vec::new();
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next() {
        if word == "--" {
            own.push(word.clone());
            own.extend(rest.by_ref().cloned());
            break;
        }
        let Some((typed, shape, value)) = option(word) else {
            own.push(word.clone());
            continue;
        };
        let name = table::canonical(&typed.replace('-', "_")).to_string();
        let next = rest.peek().map(|next| next.as_str());
        let value = match (value, shape) {
            (Some(value), _) => value.to_string(),
            (None, OptionShape::Flag) => "1".to_string(),
            (None, OptionShape::Switch) => match next.filter(|next| ["0", "1"].contains(next)) {
                Some(_) => rest.next().cloned().unwrap_or_default(),
                None => "1".to_string(),
            },
            (None, OptionShape::Value) => rest
                .next_if(|next| !next.starts_with("--"))
                .cloned()
                .ok_or_else(|| format!("--{typed} needs a value: --{typed}=…"))?,
        };
        match (name.as_str(), jobs.last_mut()) {
            ("name", _) if value != "global" => jobs.push((value, Vec::new())),
            ("name", _) => {}
            // Options of the whole call count wherever they are (fio 3.33, init.c, l_opts).
            (name, Some((_, given))) if !table::is(name, "of-the-call") => {
                given.push(Given { name: name.to_string(), typed: typed.to_string(), value })
            }
            _ => global.push(Given { name, typed: typed.to_string(), value }),
        }
    }
    let jobs = match jobs.as_slice() {
        [] => vec![asked(None, &global, From::Line)?],
        jobs => jobs
            .iter()
            .map(|(name, given)| {
                let all = [global.as_slice(), given].concat();
                asked(Some(name), &all, From::Line)
            })
            .collect::<Result<_, _>>()?,
    };
    Ok(Line { own, jobs })
}

/// The option of fio's that a word is, with what stands behind its `=`.
fn option(word: &str) -> Option<(&str, OptionShape, Option<&str>)> {
    let bare = word.strip_prefix("--").or(word.strip_prefix('-').filter(|w| w.len() > 1))?;
    let (typed, value) = match bare.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (bare, None),
    };
    let name = typed.replace('-', "_");
    let entry = table::find(table::canonical(&name))?;
    // Words of ours that fio has with another meaning.
    let is_own = match name.as_str() {
        "overwrite" => value.is_none(),
        "verify" => value.is_none_or(|value| ["0", "1"].contains(&value)),
        _ => false,
    };
    (!is_own).then_some((typed, entry.shape, value))
}
