//! Bundles as they come, and as someone who means harm would make them.

use proptest::prelude::*;
use serde_json::Value;

use super::sample::{self, RUN};
use crate as report;
use crate::bundle::*;
use bakeoff_judge::analyse::analyse;

fn bundle(lines: &[String]) -> Vec<u8> {
    encode(&sample::head(), lines).expect("plain data serialises").into_bytes()
}

fn why(bytes: &[u8]) -> (u64, String) {
    let error = decode(bytes).expect_err("must be refused");
    (error.line, error.why.to_string())
}

/// The sample with `edit` done to the JSON of event `at`, sealed again so that only the content
/// is wrong.
fn edited(at: usize, edit: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut lines = sample::lines();
    let mut event = serde_json::from_str(&lines[at]).expect("our own line");
    edit(&mut event);
    lines[at] = event.to_string();
    bundle(&lines)
}

fn first_cell() -> usize {
    let is_cell = |e: &Event| matches!(e.what, What::CellDone(_));
    sample::events().iter().position(is_cell).expect("the sample has cells")
}

/// `cargo test -p bakeoff-core print_a_bundle -- --ignored --nocapture --exact` gives the bundle
/// that is kept in fixtures/bundle for each version.
#[test]
#[ignore = "not a test: prints the fixture of this version"]
#[expect(clippy::disallowed_macros, reason = "its output is the fixture")]
fn print_a_bundle() {
    print!("{}", String::from_utf8(bundle(&sample::lines())).expect("text"));
}

#[test]
fn a_whole_bundle_is_read() {
    let lines = sample::lines();
    assert_eq!(decode(&bundle(&lines)), Ok(sample::head()));
    let prefix = &lines[..lines.len() / 2];
    assert_eq!(decode(&bundle(prefix)), Ok(sample::head()), "an interrupted run is a run");
}

#[test]
fn every_cut_and_every_flipped_byte_is_noticed() {
    let whole = bundle(&sample::lines());
    for cut in (0..whole.len() - 1).step_by(97) {
        assert!(decode(&whole[..cut]).is_err(), "cut at {cut}");
    }
    for at in (0..whole.len() - 1).step_by(53) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x01;
        assert!(decode(&damaged).is_err(), "byte {at}");
    }
}

#[test]
fn errors_name_the_line() {
    assert_eq!(why(b"").0, 1);
    assert!(why(b"hello\n").1.contains("not a bundle"));
    let newer = String::from_utf8(bundle(&sample::lines())).expect("text");
    let newer = newer.replacen("bundle/1", "bundle/2", 1);
    assert!(why(newer.as_bytes()).1.contains("bakeoff/bundle/2"));
    let (line, message) = why(&edited(4, |e| e["what"] = serde_json::json!({"teleported": {}})));
    assert_eq!(line, 6, "head is line 1, event 0 is line 2");
    assert!(message.contains("teleported") && message.contains("0.1.0"), "{message}");
    let mut gap = sample::lines();
    gap.remove(3);
    assert_eq!(why(&bundle(&gap)).0, 5);
    let mut twice = bundle(&sample::lines());
    twice.extend(bundle(&sample::lines()));
    assert!(why(&twice).1.contains("follows the end"));
}

#[test]
fn a_run_id_can_never_be_a_path() {
    for id in ["../../../etc/cron", "0123456789ABCDEF", "0123456789abcde/", ""] {
        let text = String::from_utf8(bundle(&sample::lines())).expect("text");
        assert!(why(text.replacen(RUN, id, 1).as_bytes()).1.contains("not a run ID"), "{id}");
    }
    let other = edited(0, |e| e["what"]["started"]["run"] = "fedcba9876543210".into());
    assert!(why(&other).1.contains("different runs"));
}

#[test]
fn escapes_in_error_messages_are_shown_harmless() {
    let (_, message) = why(&edited(4, |e| e["what"] = serde_json::json!({"\u{1b}[31m": {}})));
    assert!(!message.contains('\u{1b}'), "{message:?}");
}

#[test]
fn absurd_values_are_refused() {
    let cell = first_cell();
    let at = |e: &mut Value, path: &str, v: Value| {
        *e.pointer_mut(path).unwrap_or_else(|| panic!("no {path} in the sample")) = v;
    };
    let m = "/what/cell_done/measurement";
    for (event, path, value) in [
        (cell, format!("{m}/read/histogram"), serde_json::json!([[1, u64::MAX], [2, u64::MAX]])),
        (cell, format!("{m}/read/histogram"), serde_json::json!([[2, 1], [1, 1]])),
        (cell, format!("{m}/read/total_ios"), serde_json::json!(u64::MAX)),
        (cell, format!("{m}/read/iops"), serde_json::json!(-1.0)),
        (cell, format!("{m}/elapsed_ns"), serde_json::json!(0)),
        (cell, format!("{m}/job/bs"), serde_json::json!(0)),
        (2, "/what/rehearsed/block_ns".into(), serde_json::json!(u64::MAX)),
        (0, "/what/started/candidates/1/name".into(), "ext4".into()),
        (0, "/what/started/protocol/alpha".into(), serde_json::json!(0.0)),
        (0, "/what/started/protocol/looks".into(), serde_json::json!([8, 5])),
    ] {
        let (line, message) = why(&edited(event, |e| at(e, &path, value)));
        assert_eq!(line, event as u64 + 2, "{path}: {message}");
        assert!(message.contains("not possible in a measurement"), "{path}: {message}");
    }
}

#[test]
fn numbers_json_cannot_hold_and_deep_nesting_are_errors() {
    let lines = sample::lines();
    for (from, to) in [
        ("\"bytes_per_s\":91000000.0", "\"bytes_per_s\":1e999".to_string()),
        ("\"bytes_per_s\":91000000.0", "\"bytes_per_s\":NaN".to_string()),
        ("\"bytes_per_s\":91000000.0", format!("\"x\":{}1{}", "[".repeat(9999), "]".repeat(9999))),
    ] {
        let hostile: Vec<_> = lines.iter().map(|l| l.replacen(from, &to, 1)).collect();
        assert_ne!(hostile, lines);
        assert!(decode(&bundle(&hostile)).is_err(), "{}", &to[..20]);
    }
}

#[test]
fn long_lines_are_refused_without_being_read() {
    let mut decoder = Decoder::default();
    let head = serde_json::to_vec(&sample::head()).expect("plain data serialises");
    assert_eq!(decoder.line(&head), Ok(Line::Head));
    let long = vec![b' '; LINE_BYTES + 1];
    let error = decoder.line(&long).unwrap_err().to_string();
    assert_eq!(error, "line 2: a line is longer than 16 MiB, the maximum");
}

/// Values that break arithmetic, indices and widths.
fn nasty() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        Just(Value::from(u64::MAX)),
        Just(Value::from(0)),
        ".{0,40}".prop_map(Value::from),
        Just(serde_json::json!([])),
        Just(serde_json::json!({})),
    ]
}

/// Every place in the value, depth first.
fn replace_nth(value: &mut Value, n: &mut usize, with: &Value) {
    if *n == 0 {
        *value = with.clone();
        *n = usize::MAX;
        return;
    }
    *n -= 1;
    match value {
        Value::Array(items) => items.iter_mut().for_each(|v| replace_nth(v, n, with)),
        Value::Object(map) => map.values_mut().for_each(|v| replace_nth(v, n, with)),
        _ => {}
    }
}

/// Everything that is ever done with an imported run.
pub(super) fn show(bytes: &[u8]) {
    let text = std::str::from_utf8(bytes).expect("it was accepted");
    let lines: Vec<_> = text.lines().collect();
    let events = &lines[1..lines.len() - 1];
    let events: Vec<Event> =
        events.iter().map(|l| serde_json::from_str(l).expect("it was accepted")).collect();
    let run = Run::fold(&events).expect("it was accepted");
    let analysis = analyse(&run);
    report::text(&run, &analysis, &report::TextOptions::default());
    report::json_text(&run, &analysis);
    report::markdown(&run, &analysis);
    report::csv(&run);
    report::html(&run, &analysis, &report::Assets { js: "", css: "" });
}

#[test]
fn the_sample_can_be_shown() {
    show(&bundle(&sample::lines()));
}

proptest! {
    // The slow one by far takes 30 ms a case; the fuzz target of bundles goes on where this ends.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let _ = decode(&bytes);
    }

    #[test]
    fn any_value_anywhere_never_panics(
        at in 0..sample::lines().len(), n in 0..400usize, with in nasty(),
    ) {
        let bytes = edited(at, |e| replace_nth(e, &mut n.clone(), &with));
        if decode(&bytes).is_ok() {
            show(&bytes);
        }
    }

    #[test]
    fn any_order_of_events_never_panics(picks in proptest::collection::vec(0..40usize, 0..40)) {
        let lines = sample::lines();
        let picked: Vec<_> = picks.iter().enumerate().map(|(seq, p)| {
            let mut event: Value = serde_json::from_str(&lines[p % lines.len()]).expect("ours");
            event["seq"] = seq.into();
            event.to_string()
        }).collect();
        let bytes = bundle(&picked);
        if decode(&bytes).is_ok() {
            show(&bytes);
        }
    }
}
