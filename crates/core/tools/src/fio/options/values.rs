//! Values of fio's options in the words of `bench`: `data/fio_values.csv`, and what a table cannot
//! say. data/README.md says what its columns are.

use super::From;
use bakeoff_model::job::Rw;
use bakeoff_model::offsets::Offsets;
use bakeoff_stats::tables::Table;

const TABLE: Table<4> = Table::new(include_str!("../../../data/fio_values.csv"));

/// An option of `bench` with its value, if any, and what has to be said; or why there is none.
pub type Answer = Result<(Option<(&'static str, String)>, Option<String>), String>;

/// What a value of the option of that name is for `bench`.
pub fn worded(name: &str, value: &str, from: From) -> Answer {
    match name {
        "rw" => rw(value, from),
        "bs" => bs(value),
        "rwmixwrite" => mix(value),
        "random_distribution" => distribution(value),
        "output_format" => output_format(value),
        _ => of_table(name, value),
    }
}

fn of_table(name: &str, value: &str) -> Answer {
    let has = |words: &str, word: &str| words.split(' ').any(|known| known == word);
    let is_it = |[names, values, ..]: &[&str; 4]| {
        has(names, name) && (*values == "*" || has(values, value))
    };
    let Some([_, _, word, text]) = TABLE.rows().find(is_it) else {
        return Err("bench does not know this value".to_string());
    };
    if word == "refused" {
        return Err(text.to_string());
    }
    let own = word.split_once('=').map(|(own, made)| match made {
        "*" => (own, value.to_string()),
        made => (own, made.to_string()),
    });
    Ok((own, Some(text.to_string()).filter(|text| !text.is_empty())))
}

fn one(name: &'static str, value: impl Into<String>) -> Answer {
    Ok((Some((name, value.into())), None))
}

/// `--rw`: fio's patterns; `smallfiles` is ours.
fn rw(value: &str, from: From) -> Answer {
    if value.contains("trim") {
        return Err("bench does not discard blocks, which destroys what they contain. To measure \
                    how discarding affects a drive, use a plan with flash_state = \"trimmed\""
            .to_string());
    }
    if let Some((pattern, _)) = value.split_once(':') {
        return Err(match pattern {
            "read" | "write" => "bench reads and writes forward, block after block".to_string(),
            _ => "bench draws a new offset for each I/O. Omit the modifier".to_string(),
        });
    }
    let is_known = Rw::ALL.iter().any(|rw| rw.name() == value && *rw != Rw::SmallFiles);
    match value {
        "rw" => one("rw", Rw::ReadWrite.name()),
        _ if is_known || from == From::Line => one("rw", value),
        _ => Err("this is not an access pattern of bench. Use read, write, randread, randwrite, \
                  readwrite or randrw"
            .to_string()),
    }
}

/// `--bs`: one size, or one for reads and one for writes.
fn bs(value: &str) -> Answer {
    if value.contains('-') || value.contains(':') {
        Err("bench measures one block size at a time. Run it once for each size, or use \
                     the plan block-size-sweep"
            .to_string())
    } else {
        one("bs", value)
    }
}

/// `--rwmixwrite`: what is left of the reads.
fn mix(value: &str) -> Answer {
    match value.parse::<u8>().ok().and_then(|writes| 100u8.checked_sub(writes)) {
        Some(reads) => one("rwmixread", reads.to_string()),
        None => Err("write a percentage from 0 to 100".to_string()),
    }
}

fn distribution(value: &str) -> Answer {
    let is_zipf = matches!(value.parse::<Offsets>(), Ok(Offsets::Zipf { .. }));
    match value {
        "random" => Ok((None, None)),
        _ if is_zipf => one("offsets", value),
        _ => Err("bench draws offsets with --offsets=uniform, once or zipf:THETA".to_string()),
    }
}

/// `--output-format`: one, or several with commas between.
fn output_format(value: &str) -> Answer {
    let formats: Vec<&str> = value.split(',').collect();
    if formats.iter().any(|format| !["normal", "terse", "json", "json+"].contains(format)) {
        return Err("bench prints normal and json".to_string());
    }
    let note = match formats.as_slice() {
        ["normal"] => None,
        all if all.iter().any(|format| format.starts_with("json")) => {
            Some("bakeoff prints JSON of its own (docs/format.md)")
        }
        _ => Some("bakeoff prints text. For programs use --format json"),
    };
    let is_json = formats.iter().any(|format| format.starts_with("json"));
    let format = if is_json { "json" } else { "text" };
    Ok((Some(("format", format.to_string())), note.map(str::to_string)))
}
