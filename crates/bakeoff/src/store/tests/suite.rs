//! What every store promises, as tests that any implementation passes.

use bakeoff_judge::history::facts::Facts;
use bakeoff_model::event::{Event, StopReason, What};
use bakeoff_model::index::BlockIx;
use bakeoff_model::run::Run;
use bakeoff_report::bundle::{Head, SCHEMA};

use crate::store::import::import;
use crate::store::sqlite::Sqlite;
use crate::store::{Digest, ErrorClass, RunId, Store, StoreError, StoredImport};

pub const BUNDLE: &str = include_str!("../../../../../fixtures/bundle/v0.1.0.jsonl");

/// The events of the kept bundle.
pub fn events() -> Vec<Event> {
    let lines: Vec<_> = BUNDLE.lines().collect();
    let body = &lines[1..lines.len() - 1];
    body.iter().map(|line| serde_json::from_str(line).expect("a kept event")).collect()
}

/// A record whose id ends in `n`.
pub fn record(n: u8) -> Vec<Event> {
    let mut events = events();
    if let What::Started(header) = &mut events[0].what {
        header.run = format!("{n:02x}23456789abcdef");
        header.title = format!("run {n}");
    }
    events
}

fn says<T>(refused: Result<T, StoreError>, words: &str) -> bool {
    refused.is_err_and(|error| error.to_string().contains(words))
}

fn put(store: &mut dyn Store, n: u8) -> RunId {
    let events = record(n);
    let run = store.create(&events[0]).expect("a new run");
    store.append(&run, &events[1..]).expect("its events");
    run
}

fn stored_is_what_comes_back(store: &mut dyn Store) {
    let run = put(store, 1);
    assert_eq!(store.load(&run).expect("stored"), record(1));
    let lines = store.lines(&run).expect("stored");
    let ours: Vec<_> =
        record(1).iter().map(|e| serde_json::to_string(e).expect("plain data")).collect();
    assert_eq!(lines, ours);
    Run::fold(&store.load(&run).expect("stored")).expect("a sound record");
    assert_eq!(store.first(&run).expect("stored"), record(1)[0]);
}

fn events_follow_without_a_gap_or_not_at_all(store: &mut dyn Store) {
    let events = record(1);
    let run = store.create(&events[0]).expect("a new run");
    for wrong in [&events[2..4], &events[..2]] {
        let refused = store.append(&run, wrong);
        assert!(says(refused, "event 1 of"));
    }
    let gap_inside = [events[1].clone(), events[2].clone(), events[4].clone()];
    let refused = store.append(&run, &gap_inside);
    assert!(says(refused, "event 3 of"));
    assert_eq!(store.load(&run).expect("stored").len(), 1, "all or none");
    store.append(&run, &events[1..3]).expect("they follow");
    store.append(&run, &[]).expect("nothing is fine");
    assert_eq!(store.load(&run).expect("stored"), events[..3]);
}

fn a_run_begins_once_and_with_its_header(store: &mut dyn Store) {
    let events = record(1);
    assert!(says(store.create(&events[1]), "must begin with its header"));
    let mut bad = events[0].clone();
    if let What::Started(header) = &mut bad.what {
        header.run = "../../../../tmp/x".into();
    }
    assert!(says(store.create(&bad), "must begin with its header"));
    store.create(&events[0]).expect("a new run");
    assert!(says(store.create(&events[0]), "is already in the store"));
    assert_eq!(store.list().expect("readable").len(), 1);
}

fn a_number_that_is_none_is_refused_instead_of_losing_the_run(store: &mut dyn Store) {
    let run = put(store, 1);
    let seq = record(1).len() as u64;
    let what = What::Sentinel { block: BlockIx::new(1), bytes_per_s: f64::NAN };
    let refused = store.append(&run, &[Event { seq, unix_ns: 0, elapsed_ns: 0, what }]);
    assert!(says(refused, "cannot be stored"));
    assert_eq!(store.load(&run).expect("still readable").len() as u64, seq);
}

fn listing_and_finding(store: &mut dyn Store) {
    assert!(store.list().expect("readable").is_empty());
    assert!(says(store.find("last"), "no run"));
    let (one, two) = (put(store, 1), put(store, 2));
    let list = store.list().expect("readable");
    let shown: Vec<_> = list.iter().map(|s| (s.run.clone(), s.title.as_str())).collect();
    assert_eq!(shown, [(two.clone(), "run 2"), (one.clone(), "run 1")]);
    assert_eq!(list[0].events, record(1).len() as u64);
    assert_eq!(store.find("last").expect("there"), two);
    for name in ["012", "0123456789abcdef", "012345", "01234567"] {
        assert_eq!(store.find(name).expect("there"), one, "{name}");
    }
    assert_eq!(store.find("0223456789ABCDEF").expect("there"), two);
    assert!(says(store.find("0"), "matches several runs"));
    for name in ["x' OR '1'='1", "", "%", "_", "0123456789abcdef0", "0323"] {
        assert!(says(store.find(name), "no run"), "{name}");
        assert!(store.find(name).is_err());
    }
    assert_eq!(store.first(&two).expect("there"), record(2)[0]);
    let missing = RunId::parse("ffffffffffffffff").expect("an id");
    assert!(says(store.first(&missing), "no run"));
    assert!(says(store.lines(&missing), "no run"));
}

fn a_run_measured_here_is_not_imported(store: &mut dyn Store) {
    let one = put(store, 1);
    let list = store.list().expect("readable");
    assert!(!list[0].is_imported && list[0].digest.is_none());
    assert!(!store.is_imported(&one).expect("there"));
    let missing = RunId::parse("ffffffffffffffff").expect("an id");
    assert!(says(store.is_imported(&missing), "no run"));
}

fn put_as(store: &mut dyn Store, id: &str) -> RunId {
    let mut events = record(1);
    if let What::Started(header) = &mut events[0].what {
        header.run = id.to_string();
    }
    let run = store.create(&events[0]).expect("a new run");
    store.append(&run, &events[1..]).expect("its events");
    run
}

fn ids_are_as_long_as_those_shown_need(store: &mut dyn Store) {
    let ids = ["a1b2c3d400000000", "a1b2c3d500000000", "a1b2000000000000", "ffff000000000000"];
    let runs: Vec<RunId> = ids.iter().map(|id| put_as(store, id)).collect();
    let digits = |runs: &[RunId]| store.short_digits(runs).expect("readable");
    assert_eq!((digits(&runs), digits(&runs[..1]), digits(&runs[2..3])), (8, 8, 5));
    assert_eq!((digits(&runs[3..]), digits(&[])), (4, 4));
}

fn removing_takes_one_run_and_leaves_the_others(store: &mut dyn Store) {
    let (one, two) = (put(store, 1), put(store, 2));
    store.remove(&one).expect("removed");
    assert!(says(store.remove(&one), "no run"));
    assert!(says(store.lines(&one), "no run"));
    assert!(says(store.append(&one, &[]), "no run"));
    assert_eq!(store.load(&two).expect("untouched"), record(2));
    put(store, 1);
    assert_eq!(store.find("last").expect("there"), one, "last is what came last");
}

fn what_is_left_to_undo_is_found(store: &mut dyn Store) {
    let whole = put(store, 1);
    assert_eq!(store.unfinished().expect("readable"), [], "every step was undone");
    let events = record(2);
    let is_undone = |e: &Event| matches!(e.what, What::StepUndone { .. });
    let last_undo = events.iter().rposition(is_undone).expect("the record has steps");
    let run = store.create(&events[0]).expect("a new run");
    store.append(&run, &events[1..last_undo]).expect("its events");
    assert_eq!(store.unfinished().expect("readable").as_slice(), std::slice::from_ref(&run));
    store.append(&run, &events[last_undo..]).expect("the rest");
    assert_eq!(store.unfinished().expect("readable"), []);
    store.remove(&whole).expect("removed");
    // A bundle must never make us run its undo commands.
    let cut: Vec<String> = BUNDLE.lines().skip(1).take(10).map(str::to_string).collect();
    let head: Head = serde_json::from_str(BUNDLE.lines().next().expect("a head")).expect("ours");
    let text = bakeoff_report::bundle::encode(&head, &cut).expect("plain data");
    import(store, text.as_bytes()).expect("a sound bundle");
    assert_eq!(store.unfinished().expect("readable"), []);
}

fn digest(events: u64) -> Digest {
    Digest { events, blocks: 5, cells: 20, verdict: "ext4 wins".into(), is_stopped: true }
}

fn runs_are_found_by_what_is_known_of_them(store: &mut dyn Store) {
    let (one, two) = (put(store, 1), put(store, 2));
    let seq = record(1).len() as u64;
    let facts = |drive: &str, host: &str| Facts {
        drives: vec![drive.into(), "100%_sure '; DROP TABLE runs;--".into()],
        hosts: vec![host.into()],
        plans: vec!["sd-card".into()],
    };
    store.set_digests(&[(one.clone(), digest(seq), facts("SanDisk 4C53", "Pi-4"))]).expect("kept");
    store.set_digests(&[(two.clone(), digest(seq), facts("SanDisk 9999", "nas"))]).expect("kept");
    store.set_label(&two, Some("Before")).expect("labelled");
    let found = |store: &dyn Store, text: &str| -> Vec<RunId> {
        let rows = store.search(Some(text)).expect("readable");
        rows.into_iter().map(|summary| summary.run).collect()
    };
    let both = [two.clone(), one.clone()];
    assert_eq!(found(store, "sandisk"), both);
    assert_eq!(found(store, "%_SURE \'; drop"), both);
    for (text, run) in [("4c5", &one), ("NAS", &two), ("before", &two), (one.as_str(), &one)] {
        assert_eq!(found(store, text), std::slice::from_ref(run), "{text}");
    }
    assert_eq!(
        (found(store, &one.as_str()[1..]), found(store, "no such '; title")),
        (vec![], vec![])
    );
}

fn what_a_run_was_found_by_ends_with_new_events(store: &mut dyn Store) {
    let one = put(store, 1);
    let seq = record(1).len() as u64;
    let facts = Facts { hosts: vec!["attic".into()], ..Facts::default() };
    store.set_digests(&[(one.clone(), digest(seq), facts)]).expect("kept");
    let found = |store: &dyn Store, text: &str| -> Vec<RunId> {
        let rows = store.search(Some(text)).expect("readable");
        rows.into_iter().map(|summary| summary.run).collect()
    };
    assert_eq!(found(store, "nas"), []);
    let what = What::Stopped { reason: StopReason::TimeUp, note: String::new() };
    store.append(&one, &[Event { seq, unix_ns: 0, elapsed_ns: 0, what }]).expect("it went on");
    assert_eq!(found(store, "nas"), vec![one.clone()]);
    store.set_digests(&[(one.clone(), digest(seq + 1), Facts::default())]).expect("kept");
    assert_eq!(found(store, "attic"), [], "nothing is left of it");
}

fn labels_and_digests(store: &mut dyn Store) {
    let run = put(store, 1);
    let label = |store: &dyn Store| store.list().expect("readable")[0].label.clone();
    store.set_label(&run, Some("Robert'); DROP TABLE runs;--")).expect("labelled");
    assert_eq!(label(store).as_deref(), Some("Robert'); DROP TABLE runs;--"));
    store.set_label(&run, None).expect("unlabelled");
    assert_eq!(label(store), None);
    let seq = record(1).len() as u64;
    let digest = digest(seq);
    store.set_digests(&[(run.clone(), digest.clone(), Facts::default())]).expect("kept");
    assert_eq!(store.list().expect("readable")[0].digest, Some(digest));
}

fn a_digest_ends_with_new_events(store: &mut dyn Store) {
    let run = put(store, 1);
    let seq = record(1).len() as u64;
    store.set_digests(&[(run.clone(), digest(seq), Facts::default())]).expect("kept");
    let what = What::Stopped { reason: StopReason::TimeUp, note: String::new() };
    store.append(&run, &[Event { seq, unix_ns: 0, elapsed_ns: 0, what }]).expect("it went on");
    assert_eq!(store.list().expect("readable")[0].digest, None, "a digest ends with new events");
}

fn a_bundle_comes_in_once_and_whole(store: &mut dyn Store) {
    let (run, done) = import(store, BUNDLE.as_bytes()).expect("a sound bundle");
    assert_eq!(done, StoredImport::New(events().len() as u64));
    assert_eq!(store.load(&run).expect("stored"), events());
    let summary = &store.list().expect("readable")[0];
    assert!(summary.is_imported);
    assert_eq!(summary.label.as_deref(), Some("before the new power supply"));
    assert_eq!(import(store, BUNDLE.as_bytes()).expect("again"), (run, StoredImport::Already));
    assert_eq!(store.list().expect("readable").len(), 1);
}

fn a_bundle_with_other_content_changes_nothing(store: &mut dyn Store) {
    let run = store.create(&events()[0]).expect("a new run");
    let before = store.lines(&run).expect("stored");
    let refused = import(store, BUNDLE.as_bytes()).expect_err("another run");
    assert_eq!(refused.class, ErrorClass::Differs, "{refused:?}");
    assert!(refused.to_string().contains("from event 1 on"), "{refused}");
    assert_eq!(store.lines(&run).expect("stored"), before);
}

fn a_cut_bundle_leaves_nothing_behind(store: &mut dyn Store) {
    for keep in [0, 1, 2, 40, BUNDLE.lines().count() - 1] {
        let cut: String = BUNDLE.lines().take(keep).map(|l| format!("{l}\n")).collect();
        let refused = import(store, cut.as_bytes()).expect_err("no whole bundle");
        assert_eq!(refused.class, ErrorClass::Usage, "{keep}: {refused:?}");
    }
    let doubled = BUNDLE.repeat(2);
    assert!(import(store, doubled.as_bytes()).is_err());
    let noise = BUNDLE.as_bytes().iter().map(|b| b ^ 0x80).collect::<Vec<_>>();
    assert!(import(store, noise.as_slice()).is_err());
    assert!(store.list().expect("readable").is_empty());
}

fn what_a_newer_version_added_is_kept(store: &mut dyn Store) {
    let head = Head {
        schema: SCHEMA.into(),
        run: "0123456789abcdef".into(),
        version: "9.9.9".into(),
        label: None,
    };
    let mut lines: Vec<String> =
        BUNDLE.lines().skip(1).take(3).map(|line| line.to_string()).collect();
    lines[1] = lines[1].replacen("\"pid\"", "\"tomorrow\":[1,2],\"pid\"", 1);
    let text = bakeoff_report::bundle::encode(&head, &lines).expect("plain data");
    let (run, _) = import(store, text.as_bytes()).expect("unknown fields are no error");
    assert_eq!(store.lines(&run).expect("stored"), lines, "byte for byte");
    assert_eq!(store.load(&run).expect("readable").len(), 3);
}

pub type Promise = fn(&mut dyn Store);

/// What any place that keeps runs promises to who reads.
pub const READING: [(&str, Promise); 8] = [
    ("stored is what comes back", stored_is_what_comes_back),
    ("listing", listing_and_finding),
    ("short ids", ids_are_as_long_as_those_shown_need),
    ("found", runs_are_found_by_what_is_known_of_them),
    ("labels and digests", labels_and_digests),
    ("bundle", a_bundle_comes_in_once_and_whole),
    ("cut bundle", a_cut_bundle_leaves_nothing_behind),
    ("newer fields", what_a_newer_version_added_is_kept),
];

/// What the place promises besides in which runs are measured.
const WRITING: [(&str, Promise); 9] = [
    ("no gap", events_follow_without_a_gap_or_not_at_all),
    ("begins once", a_run_begins_once_and_with_its_header),
    ("no NaN", a_number_that_is_none_is_refused_instead_of_losing_the_run),
    ("measured here", a_run_measured_here_is_not_imported),
    ("removing", removing_takes_one_run_and_leaves_the_others),
    ("unfinished", what_is_left_to_undo_is_found),
    ("facts end", what_a_run_was_found_by_ends_with_new_events),
    ("digests end", a_digest_ends_with_new_events),
    ("other content", a_bundle_with_other_content_changes_nothing),
];

#[test]
fn sqlite_keeps_every_promise() {
    for (name, keeps) in READING.into_iter().chain(WRITING) {
        println!("{name}");
        let dir = tempfile::tempdir().expect("a temporary directory");
        let mut store = Sqlite::open(&dir.path().join("s.db")).expect("a new store");
        keeps(&mut store);
    }
}
