//! What of a run may leave the machine. Numbers may. Of the texts, only those in [`KEPT`] may, which
//! are words of the format and what makes a measurement comparable. Every other text is left out,
//! also that of a field that is added later.

use serde_json::Value;

use bakeoff_judge::levels::public_names;
use bakeoff_model::event::{Event, What};
use bakeoff_model::path::unsteered;

/// Fields by the object that they are in, or that the list is in which they are.
pub(super) const KEPT: &[(&str, &str)] = &[
    ("applications", "name about missed"),
    ("beside", "driver engine mem metric name phase schema summary"),
    ("calibrated", "settled"),
    ("candidates", "name twin_of tool"),
    ("chain", "best_link bus card_class dev dm_target kind link model name"),
    ("chain", "scheduler vendor write_cache zoned"),
    ("clock", "source"),
    ("crypt", "cipher kind"),
    ("demand", "of op quick source url workload"),
    ("devices", "dev name"),
    ("drives", "disk"),
    ("dropped_workloads", "name"),
    ("figures", "name unit"),
    ("findings", "candidate id scope severity workload"),
    ("found", "candidate id scope severity workload"),
    ("frequency_khz", "name"),
    ("host", "arch clocksource cpu governors kernel model os settings"),
    ("job", "data engine mem offsets rw"),
    ("knobs", "governor scheduler"),
    ("load", "of"),
    ("log", "trouble"),
    ("measurement", "engine mem schema"),
    ("missing", "name"),
    ("more_regions", "flash_state"),
    ("place", "class dev fs options"),
    ("power", "name"),
    ("profile", "profile"),
    ("protocol", "for isolation mode"),
    ("region", "flash_state"),
    ("rungs", "layer"),
    ("skipped", "name"),
    ("slices", "void"),
    // The options that a plan accepts leave out labels and UUIDs.
    ("stack", "fs mkfs mount"),
    ("started", "run schema verb version"),
    ("state", "age"),
    ("stopped", "reason"),
    ("temperature_mc", "name"),
    ("tool", "driver version"),
    ("truth", "cache"),
    ("workloads", "driver metric name phase summary"),
];
/// Mount options whose value is kept; those of network filesystems name users and machines.
const OPTIONS: &str = "commit compress compress-force data discard errors barrier allocsize \
    logbufs logbsize sunit swidth stripe alloc_mode fsync_mode background_gc active_logs";
/// Fields that are removed. Any other that is left out has [`LEFT_OUT`], because the format needs a
/// text or because it says something that there is one.
const REMOVED: &str = "serial by_id board_id token raw destroys undo plan";
const LEFT_OUT: &str = "(left out)";

/// The events of a run without what may not leave the machine. They give the same verdicts.
///
/// # Errors
/// An event that cannot be read.
pub fn public(lines: &[String]) -> Result<Vec<String>, serde_json::Error> {
    let mut names = Vec::new();
    let mut out = Vec::new();
    for line in lines {
        if let What::Started(header) = serde_json::from_str::<Event>(line)?.what {
            names = public_names(&header);
        }
        let mut event = fields("", serde_json::from_str(line)?, &names);
        headed(&mut event);
        out.push(unsteered(&event.to_string()).into_owned());
    }
    Ok(out)
}

/// Names that a header needs: two bundles are never of one machine, nor two regions of one drive.
fn headed(event: &mut Value) {
    let what = &mut event["what"];
    if let Some(header) = what.get_mut("started") {
        header["title"] = header["verb"].clone();
        let run: String = header["run"].as_str().unwrap_or_default().chars().take(8).collect();
        header["host"]["hostname"] = format!("bundle-{run}").into();
    }
    for kind in ["started", "rehearsed"] {
        let Some(header) = what.get_mut(kind) else { continue };
        if let Some(region) = header.get_mut("region").filter(|region| region.is_object()) {
            region["target"] = "drive 1".into();
        }
        let more = header.get_mut("more_regions").and_then(Value::as_array_mut);
        for (at, region) in more.into_iter().flatten().enumerate() {
            region["target"] = format!("drive {}", at + 2).into();
        }
    }
}

fn fields(of: &str, value: Value, names: &[(String, String)]) -> Value {
    let Value::Object(map) = value else { return value };
    let kept = map.into_iter().filter(|(key, _)| !has(REMOVED, key));
    let public = kept.map(|(key, value)| {
        let value = match value {
            Value::String(text) => {
                let text = kept_text(of, &key, text, names);
                Value::String(text.unwrap_or_else(|| LEFT_OUT.to_string()))
            }
            Value::Array(list) => items(of, &key, list, names),
            value => fields(&key, value, names),
        };
        (key, value)
    });
    Value::Object(public.collect())
}

fn items(of: &str, key: &str, list: Vec<Value>, names: &[(String, String)]) -> Value {
    let public = list.into_iter().filter_map(|item| match item {
        Value::String(text) => kept_text(of, key, text, names).map(Value::String),
        Value::Array(list) => Some(items(of, key, list, names)),
        value => Some(fields(key, value, names)),
    });
    Value::Array(public.collect())
}

pub(super) fn is_kept(of: &str, key: &str) -> bool {
    KEPT.iter().any(|(object, keys)| *object == of && has(keys, key))
}

fn kept_text(of: &str, key: &str, text: String, names: &[(String, String)]) -> Option<String> {
    if !is_kept(of, key) {
        return None;
    }
    match (of, key) {
        ("place", "options") => {
            let is_kept = text.split_once('=').is_none_or(|(option, _)| has(OPTIONS, option));
            is_kept.then_some(text)
        }
        ("candidates", "name" | "twin_of") | (_, "candidate") | ("skipped", "name") => {
            let public = names.iter().find(|(name, _)| *name == text).map(|(_, to)| to.clone());
            // What was skipped can be named after a drive.
            let other = text.split_once(" on ").map_or(text.as_str(), |(name, _)| name);
            public.or_else(|| (!other.contains('/')).then(|| other.to_string()))
        }
        _ => Some(text),
    }
}

fn has(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|known| known == word)
}
