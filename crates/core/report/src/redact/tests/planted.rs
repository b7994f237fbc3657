//! 200 secrets in every field of every kind of event, and in nothing that is exported.
//!
//! The record is the one in which every kind of event occurs and every field has a value
//! ([`sample`]). The secrets are in the fields in which real runs have them, and each text of the
//! record that may be any text has one of them, in a sentence or alone, as typed or as links,
//! tokens and mount tables write it.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate as report;
use crate::bundle::tests::sample;
use crate::bundle::{Head, encode};
use crate::redact::{Redactor, event, learn};
use bakeoff_judge::analyse::analyse;
use bakeoff_model::event::Event;
use bakeoff_model::run::Run;

/// How many.
const SECRETS: usize = 200;
/// Texts that hold the record together.
const STRUCTURE: [&str; 2] = ["schema", "run"];
/// Texts in which nothing is recognised by its form: `5.4.0.42` is a kernel.
const VERSIONS: [&str; 2] = ["kernel", "version"];

/// Where a real run has a secret.
enum At {
    /// A text of a layer of a device.
    Layer(&'static str),
    /// A text of a place.
    Place(&'static str),
    /// The token of a region.
    Token,
    /// A mount option.
    Option,
    /// The label of a filesystem that is made.
    Label,
    /// A word of the command line.
    Command,
    /// Anywhere: it is recognised by its form.
    Form,
}

struct Secret {
    at: At,
    /// In its field.
    value: String,
    /// Elsewhere.
    shown: String,
    /// What must be nowhere.
    lost: Vec<String>,
}

fn secret(index: usize, (one, two): &(String, String)) -> Secret {
    let number = index as u32 * 65_537 + 7;
    let [a, b, c, d] = number.to_be_bytes();
    let hex = format!("{number:08x}");
    let of = |at: At, value: String, shown: String| {
        let lost = [one, two].into_iter().filter(|word| value.contains(*word)).cloned().collect();
        Secret { at, value, shown, lost }
    };
    let same = |at: At, value: String| of(at, value.clone(), value);
    let form = |value: String| Secret { lost: vec![value.clone()], ..same(At::Form, value) };
    match index % 20 {
        0 => same(At::Layer("serial"), format!("{one}{number}")),
        1 => of(At::Layer("serial"), format!("{one} {two}"), format!("usb-Stick_{one}_{two}-0:0")),
        2 => of(At::Layer("serial"), format!("{one} {two}"), format!("{one}{two}")),
        3 => same(At::Layer("by_id"), format!("/dev/disk/by-id/usb-{one}_{two}-0:0")),
        4 => same(At::Layer("backing_file"), format!("/home/{one}/{two}.img")),
        5 => of(At::Place("mount_point"), format!("/media/{one}/{two}"), one.clone()),
        6 => same(At::Place("source"), format!("/dev/mapper/{one}-{two}")),
        7 => of(At::Place("source"), format!("{one}.{two}.example:/srv"), one.clone()),
        8 => of(At::Place("source"), format!("{one}:/srv/{two}"), format!("//{one}/{two}")),
        9 => of(At::Option, format!("username={one}"), one.clone()),
        10 => same(At::Label, format!("{one} {two}")),
        11 => of(At::Label, format!("{one} {two}"), format!("/dev/by-label/{one}\\x20{two}")),
        12 => of(At::Label, format!("{one} \"{two}\""), format!("LABEL=\"{one} \\\"{two}\\\"\"")),
        13 => same(At::Token, format!("{one}-{number}")),
        14 => same(At::Command, format!("{one}/{two}")),
        15 => form(format!("{}.{b}.{c}.{d}", 11 + a % 200)),
        16 => form(format!("B8:27:{a:02X}:{b:02X}:{c:02X}:{d:02X}")),
        17 => form(format!("{hex}-1111-4222-8333-4444{hex}")),
        18 => form(format!("{one}@{two}.example")),
        _ => same(At::Form, format!("/home/{one}/{two}")),
    }
}

/// The kept record with the secrets in their fields.
fn carried(secrets: &[Secret]) -> Vec<Value> {
    let mut events: Vec<Value> =
        sample::events().iter().map(|event| serde_json::to_value(event).unwrap()).collect();
    for kind in ["started", "rehearsed"] {
        let mut all = events.iter_mut().map(|event| &mut event["what"][kind]);
        let header = all.find(|what| what.is_object()).unwrap();
        secrets.iter().for_each(|secret| carry(header, secret));
    }
    events
}

fn carry(header: &mut Value, secret: &Secret) {
    let mut region = header["region"].clone();
    let into = |list: &mut Value, value: Value| list.as_array_mut().unwrap().push(value);
    let value = json!(secret.value);
    match secret.at {
        At::Layer(key) => {
            let chain = &mut header["region"]["place"]["chain"];
            let mut layer = chain[0].clone();
            layer[key] = value;
            into(chain, layer);
        }
        At::Place(key) => {
            region["place"][key] = value;
            into(&mut header["more_regions"], region);
        }
        At::Token => {
            region["token"] = value;
            into(&mut header["more_regions"], region);
        }
        At::Option => into(&mut header["region"]["place"]["options"], value),
        At::Label => {
            let words = &mut header["candidates"][0]["kind"]["stack"]["mkfs"];
            into(words, json!("-L"));
            into(words, value);
        }
        At::Command if header["command"].is_array() => into(&mut header["command"], value),
        At::Command | At::Form => {}
    }
}

/// Puts secrets into every text of the sample that may be any text.
struct Planter<'a> {
    secrets: &'a [Secret],
    /// Without a sentence around them.
    alone: bool,
    next: usize,
    /// Whether a text of that kind of field may be any text, with such a backslash or without, by
    /// the names of its path.
    fits: BTreeMap<(String, bool), bool>,
}

impl Planter<'_> {
    fn event(&mut self, event: &mut Value) {
        let mut paths = Vec::new();
        texts(event, &mut String::new(), &mut paths);
        for (pointer, name) in paths {
            let key = name.rsplit('/').next().unwrap_or_default();
            if STRUCTURE.contains(&key) {
                continue;
            }
            let Some(secret) = self.choose(key) else { continue };
            let text = match self.alone {
                true => secret,
                false => format!("{key} failed on {secret}: retry"),
            };
            // A path takes no secret with a backslash before a quotation mark.
            let kind = (name, text.contains("\\\""));
            let before = std::mem::replace(event.pointer_mut(&pointer).unwrap(), json!(text));
            let fits = *self
                .fits
                .entry(kind)
                .or_insert_with(|| serde_json::from_value::<Event>(event.clone()).is_ok());
            if !fits {
                *event.pointer_mut(&pointer).unwrap() = before;
            }
        }
    }

    fn choose(&mut self, key: &str) -> Option<String> {
        let is_fit =
            |s: &&Secret| !(matches!(s.at, At::Form) && self.alone && VERSIONS.contains(&key));
        let mut from = self.secrets.iter().cycle().skip(self.next).take(self.secrets.len());
        let found = from.find(is_fit).map(|secret| secret.shown.clone());
        self.next = (self.next + 1) % self.secrets.len();
        found
    }
}

/// Every text of a value: its JSON pointer, and its path without positions in lists.
pub fn texts(value: &Value, pointer: &mut String, out: &mut Vec<(String, String)>) {
    let mut into = |part: &str, value: &Value| {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(&part.replace('~', "~0").replace('/', "~1"));
        texts(value, pointer, out);
        pointer.truncate(length);
    };
    match value {
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(at, item)| into(&at.to_string(), item));
        }
        Value::Object(map) => map.iter().for_each(|(name, item)| into(name, item)),
        Value::String(_) => {
            let is_name = |part: &&str| part.parse::<u32>().is_err();
            let name: Vec<&str> = pointer.split('/').filter(is_name).collect();
            out.push((pointer.clone(), name.join("/")));
        }
        _ => {}
    }
}

/// Every text that leaves a machine with a run, by its format.
pub fn exports(label: &str, events: &[Value]) -> Vec<(&'static str, String)> {
    let lines: Vec<String> = events.iter().map(Value::to_string).collect();
    let head = Head { label: Some(label.to_string()), ..sample::head() };
    let read = |event: &Value| serde_json::from_value::<Event>(event.clone()).unwrap();
    let run = Run::fold(&events.iter().map(read).collect::<Vec<_>>()).unwrap();
    let analysis = analyse(&run);
    let cases = report::fio_json::cases(&run);
    let jobs: Vec<&Value> = cases.iter().map(|case| &case.job).collect();
    let mut all = vec![
        ("bundle", encode(&head, &lines).unwrap()),
        ("jsonl", lines.join("\n")),
        ("json", report::json_text(&run, &analysis)),
        ("csv", report::csv(&run)),
        ("fio-json", report::fio_json::document(&run, &jobs)),
        ("gnuplot", report::gnuplot(&run, "run.png")),
        (
            "names of files",
            cases.iter().map(|c| format!("{} {}", c.candidate, c.workload)).collect(),
        ),
        ("markdown", report::markdown(&run, &analysis)),
        ("card", report::card(&run, &analysis).svg()),
    ];
    all.push(("html", report::html(&run, &analysis, &report::Assets { js: "", css: "" })));
    all
}

/// How many of the secrets are in a text.
fn held<'a>(secrets: &'a [Secret], text: &str) -> Vec<&'a String> {
    let folded = text.to_ascii_lowercase();
    let lost = secrets.iter().flat_map(|secret| &secret.lost);
    lost.filter(|lost| folded.contains(&lost.to_ascii_lowercase())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4, max_shrink_iters: 0,
        failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn two_hundred_secrets_in_every_field_are_in_no_export(
        words in proptest::collection::btree_map(
            "[a-z]{2}[A-Z0-9]{7}[a-z]{2}", "[A-Z]{3}[a-z0-9]{8}", SECRETS
        ),
        alone in any::<bool>(),
        first in 0..SECRETS,
    ) {
        let words: Vec<(String, String)> = words.into_iter().collect();
        let secrets: Vec<Secret> = words.iter().enumerate().map(|(i, w)| secret(i, w)).collect();
        // Planted first: the fields that carry a secret have to keep it whole.
        let mut planter =
            Planter { secrets: &secrets, alone, next: first, fits: BTreeMap::new() };
        let mut planted: Vec<Value> =
            sample::events().iter().map(|event| serde_json::to_value(event).unwrap()).collect();
        planted.iter_mut().for_each(|event| planter.event(event));
        let free = planter.fits.iter().filter(|((_, escapes), fits)| !escapes && **fits).count();
        prop_assert!(free > 120, "secrets were put into {free} kinds of fields only");
        let events = merged(planted, carried(&secrets));

        let mut redactor = Redactor::of_run(sample::RUN);
        events.iter().for_each(|event| learn(&mut redactor, event));
        let redacted: Vec<Value> = events.iter().map(|e| event(&mut redactor, e)).collect();
        let label = &secrets[10].value;
        for (format, text) in exports(label, &events) {
            let known = held(&secrets, &text).len();
            let least = if matches!(format, "bundle" | "jsonl") { SECRETS } else { 1 };
            prop_assert!(known >= least, "{format} had {known} secrets before");
        }
        let label = redactor.field(crate::redact::Kind::Label, label);
        for (format, text) in exports(&label, &redacted) {
            let left = held(&secrets, &text);
            prop_assert!(left.is_empty(), "{left:?} in {format}");
        }
    }
}

/// The planted events, with the fields that carry secrets as they are in the others.
fn merged(mut planted: Vec<Value>, carried: Vec<Value>) -> Vec<Value> {
    for (event, carried) in planted.iter_mut().zip(carried) {
        for kind in ["started", "rehearsed"] {
            if !event["what"][kind].is_object() {
                continue;
            }
            for key in ["region", "more_regions", "command"] {
                if carried["what"][kind].get(key).is_some() {
                    append(&mut event["what"][kind][key], &carried["what"][kind][key]);
                }
            }
            let stack = "/what/KIND/candidates/0/kind/stack/mkfs".replace("KIND", kind);
            let words = carried.pointer(&stack).unwrap().clone();
            *event.pointer_mut(&stack).unwrap() = words;
        }
    }
    planted
}

/// Adds to lists what the other has more.
fn append(to: &mut Value, from: &Value) {
    match (to, from) {
        (Value::Array(to), Value::Array(from)) => {
            let more = from.iter().skip(to.len()).cloned().collect::<Vec<_>>();
            to.iter_mut().zip(from).for_each(|(to, from)| append(to, from));
            to.extend(more);
        }
        (Value::Object(to), Value::Object(from)) => {
            to.iter_mut().for_each(|(key, to)| {
                if let Some(from) = from.get(key) {
                    append(to, from);
                }
            });
        }
        _ => {}
    }
}
