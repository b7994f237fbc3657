//! Redaction of JSON: the events of a run, or the facts of a report. Which field carries what is
//! known by its key.
//!
//! Two passes: all values are learned before the first is replaced, so that a serial number in the
//! first event and the drive it belongs to in the last one lose it alike.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Kind, Redactor, patterns, vocabulary};
use bakeoff_model::event::Event;
use bakeoff_model::measurement::ClockSource;

enum RedactedField {
    Whole(Kind),
    Path,
    /// The source of a mount: a path, `server:/export`, or the name of a pool.
    Source,
    Command,
    Closed,
    /// The same, with numbers that have the form of an address: the kernel 2.6.32.5.
    Version,
    Text,
}

fn field(key: &str, text: &str) -> RedactedField {
    match key {
        "hostname" => RedactedField::Whole(Kind::Host),
        "board_id" => RedactedField::Whole(Kind::Board),
        "user" | "user_name" => RedactedField::Whole(Kind::User),
        "serial" => RedactedField::Whole(Kind::Serial),
        "label" | "partlabel" => RedactedField::Whole(Kind::Label),
        "boot_id" | "machine_id" | "uuid" | "table_id" | "start" | "outside" | "wwn" => {
            RedactedField::Whole(Kind::Id)
        }
        "token" | "erase_token" | TOKEN_NAME => RedactedField::Whole(Kind::Token),
        "address" => RedactedField::Whole(Kind::Address),
        "by_id" | "mount_point" | "path" | "target" | "backing_file" | "file" | "parent"
        | "device" | "at" | "home" => RedactedField::Path,
        // That of the time, not of a mount.
        "source" if is_clock(text) => RedactedField::Closed,
        "source" => RedactedField::Source,
        "command" => RedactedField::Command,
        "version" | "kernel" => RedactedField::Version,
        "schema" | "run" | "sha256" | "rw" | "engine" | "phase" | "kind" | "class" | "cache"
        | "mode" | "severity" | "metric" | "data" | "mem" | "offsets" | "verb" | "id" | "scope"
        | "fs" | "bus" | "arch" => RedactedField::Closed,
        _ => RedactedField::Text,
    }
}

/// The key that stands for the name of what an erase token names: a serial number as it can be
/// typed, or the name of an image.
const TOKEN_NAME: &str = "token_name";

fn key_in<'a>(parent: &str, key: &'a str) -> &'a str {
    match (parent, key) {
        ("mark" | "drive", "name") => TOKEN_NAME,
        // A document, not a mount's.
        ("demand", "source") => "about",
        _ => key,
    }
}

fn is_clock(text: &str) -> bool {
    serde_json::from_value::<ClockSource>(Value::from(text)).is_ok()
}

pub fn learn(redactor: &mut Redactor, value: &Value) {
    lists(value, &mut |words| {
        learn_labels(redactor, words);
        learn_options(redactor, words);
    });
    walk(value, "", &mut |key, text| {
        if matches!(key, "model" | "vendor") {
            let words = text.split(|c: char| c.is_whitespace() || c == '_');
            redactor.models.extend(words.map(str::to_ascii_lowercase));
        }
    });
    walk(value, "", &mut |key, text| match field(key, text) {
        RedactedField::Whole(Kind::Host) => learn_host(redactor, text),
        RedactedField::Whole(Kind::Serial) => {
            redactor.learn(Kind::Serial, text);
            // As tokens and links have it.
            redactor.learn(Kind::Serial, &text.split_whitespace().collect::<String>());
        }
        RedactedField::Whole(kind) => redactor.learn(kind, text),
        RedactedField::Path => {
            redactor.learn_path(text);
            // A drive without a serial number has its model there.
            let serial = by_id_serial(text);
            if !redactor.models.contains(&serial.to_ascii_lowercase()) {
                redactor.learn(Kind::Serial, serial);
            }
        }
        RedactedField::Source => learn_source(redactor, text),
        RedactedField::Command => learn_word(redactor, text),
        RedactedField::Closed | RedactedField::Version | RedactedField::Text => {}
    });
}

/// The end of a name below by-id, where udev puts the serial number: `usb-SanDisk_Ultra_4C53-0:0`.
fn by_id_serial(path: &str) -> &str {
    let Some((_, name)) = path.split_once("/by-id/") else { return "" };
    let (name, _) = name.split_once("-part").unwrap_or((name, ""));
    let name = name.strip_suffix("-0:0").unwrap_or(name);
    let after_model = name.rsplit_once('_').or_else(|| name.split_once('-'));
    after_model.map_or(name, |(_, serial)| serial)
}

/// Learns the labels in a list of words for a program: `-L LABEL`.
fn learn_labels(redactor: &mut Redactor, words: &[Value]) {
    const OPTIONS: [&str; 7] = ["-L", "-l", "-n", "-U", "--label", "--uuid", "--name"];
    for pair in words.windows(2) {
        let [Value::String(option), Value::String(word)] = pair else { continue };
        if OPTIONS.contains(&option.as_str()) && !word.contains('=') && !word.starts_with('/') {
            redactor.learn(Kind::Label, word);
        }
    }
}

/// Learns who mounts a share, from mount options: mount.cifs(8), mount.davfs(8).
fn learn_options(redactor: &mut Redactor, words: &[Value]) {
    let options = words.iter().filter_map(Value::as_str).filter_map(|word| word.split_once('='));
    for (option, value) in options {
        match option {
            "user" | "username" | "domain" | "workgroup" => redactor.learn(Kind::User, value),
            "unc" => redactor.learn_path(&value.replace('\\', "/")),
            _ => {}
        }
    }
}

/// Replaces every value in an event of a run. A word that the format itself needs in its place is
/// kept, even if a machine or a person has the same name: without it nobody could read the event.
pub fn event(redactor: &mut Redactor, original: &Value) -> Value {
    let mut redacted = replace(redactor, original);
    if is_event(&redacted) || !is_event(original) {
        return redacted;
    }
    let mut pointers = Vec::new();
    differences(original, &redacted, &mut String::new(), &mut pointers);
    let mut tried = original.clone();
    for pointer in pointers {
        let (Some(new), Some(old)) = (redacted.pointer_mut(&pointer), tried.pointer_mut(&pointer))
        else {
            continue;
        };
        std::mem::swap(new, old);
        let is_free = is_event(&tried);
        if let (true, Some(new), Some(old)) =
            (is_free, redacted.pointer_mut(&pointer), tried.pointer_mut(&pointer))
        {
            std::mem::swap(new, old);
        }
    }
    redacted
}

fn is_event(value: &Value) -> bool {
    Event::deserialize(value).is_ok()
}

fn differences(a: &Value, b: &Value, pointer: &mut String, out: &mut Vec<String>) {
    let mut into = |part: &str, a: &Value, b: &Value| {
        let length = pointer.len();
        *pointer += &format!("/{}", part.replace('~', "~0").replace('/', "~1"));
        differences(a, b, pointer, out);
        pointer.truncate(length);
    };
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            let pairs = a.iter().zip(b).enumerate();
            pairs.for_each(|(at, (a, b))| into(&at.to_string(), a, b));
        }
        (Value::Object(a), Value::Object(b)) => {
            let pairs = a.iter().filter_map(|(name, a)| Some((name, a, b.get(name)?)));
            pairs.for_each(|(name, a, b)| into(name, a, b));
        }
        _ if a != b => out.push(pointer.clone()),
        _ => {}
    }
}

pub fn replace(redactor: &mut Redactor, value: &Value) -> Value {
    under(redactor, "", value)
}

fn under(redactor: &mut Redactor, key: &str, value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(string(redactor, key, text)),
        Value::Array(list) => list.iter().map(|item| under(redactor, key, item)).collect(),
        Value::Object(map) => {
            let mut out = Map::new();
            for (name, item) in map {
                let item = under(redactor, key_in(key, name), item);
                out.insert(own_key(redactor, name), item);
            }
            Value::Object(out)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Keys are the format's own, but what an unknown version wrote may have others.
fn own_key(redactor: &mut Redactor, key: &str) -> String {
    let is_ours = key.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    if is_ours { key.to_string() } else { redactor.text(key) }
}

fn string(redactor: &mut Redactor, key: &str, text: &str) -> String {
    match field(key, text) {
        RedactedField::Whole(kind) => redactor.field(kind, text),
        RedactedField::Path if text.starts_with('/') => redactor.path(text),
        RedactedField::Source if !text.starts_with('/') => source(redactor, text),
        RedactedField::Command if is_private_word(text) => redactor.path(text),
        RedactedField::Closed if is_word(redactor, text) && patterns::find(text).is_none() => {
            text.to_string()
        }
        RedactedField::Version if is_word(redactor, text) => text.to_string(),
        RedactedField::Path
        | RedactedField::Source
        | RedactedField::Command
        | RedactedField::Closed
        | RedactedField::Version
        | RedactedField::Text => redactor.text(text),
    }
}

/// Whether it can be a word of the format: those are short and plain. Anything else in its place
/// is treated as text.
fn is_word(redactor: &Redactor, text: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"_-./+".contains(&b);
    let is_short = text.len() <= 64 && !text.starts_with('/') && text.bytes().all(is_plain);
    is_short && !redactor.has_sought(text)
}

/// `pi.example.org`, or `ada@pi`: each part may be named alone.
fn learn_host(redactor: &mut Redactor, text: &str) {
    let (user, host) = text.rsplit_once('@').unwrap_or(("", text));
    redactor.learn(Kind::User, user);
    redactor.learn(Kind::Host, host);
    host.split('.').for_each(|part| redactor.learn(Kind::Host, part));
}

/// `server:/export` names a machine, and a pool is named like a label.
fn learn_source(redactor: &mut Redactor, text: &str) {
    match text.split_once(":/") {
        Some((host, path)) => {
            learn_host(redactor, host);
            redactor.learn_path(&format!("/{path}"));
        }
        None => redactor.learn_path(text),
    }
}

fn source(redactor: &mut Redactor, text: &str) -> String {
    match text.split_once(":/") {
        Some((host, path)) => {
            let host = redactor.field(Kind::Host, host);
            format!("{host}:{}", redactor.path(&format!("/{path}")))
        }
        // "tmpfs", "overlay": the kernel's word for what has no device.
        None if !text.contains('/') => redactor.text(text),
        None => redactor.path(text),
    }
}

fn learn_word(redactor: &mut Redactor, word: &str) {
    if is_private_word(word) {
        redactor.learn_path(word);
    }
}

/// Words of a command line that may be somebody's: no option, no number, and none of the words
/// that bakeoff itself gives a meaning.
fn is_private_word(word: &str) -> bool {
    let is_option = word.starts_with('-');
    let is_amount = word.starts_with(|c: char| c.is_ascii_digit()) && word.len() <= 8;
    !(is_option || is_amount || vocabulary::is_ours(word))
}

fn walk(value: &Value, key: &str, see: &mut dyn FnMut(&str, &str)) {
    match value {
        Value::String(text) => see(key, text),
        Value::Array(list) => list.iter().for_each(|item| walk(item, key, see)),
        Value::Object(map) => {
            map.iter().for_each(|(name, item)| walk(item, key_in(key, name), see));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn lists(value: &Value, see: &mut dyn FnMut(&[Value])) {
    match value {
        Value::Array(list) => {
            see(list);
            list.iter().for_each(|item| lists(item, see));
        }
        Value::Object(map) => map.values().for_each(|item| lists(item, see)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
