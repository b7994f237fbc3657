//! What the store promises.

use bakeoff_model::event::{Event, StopReason, What};
use bakeoff_model::index::BlockIx;
use bakeoff_model::run::Run;
use bakeoff_report::bundle::{Head, SCHEMA};

use crate::store::import::import;
use crate::store::sqlite::Sqlite;
use crate::store::{Digest, ErrorClass, Records, RunId, StoreError, StoredImport};

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

fn put(store: &mut Sqlite, n: u8) -> RunId {
    let events = record(n);
    let run = store.create(&events[0]).expect("a new run");
    store.append(&run, &events[1..]).expect("its events");
    run
}

fn stored_is_what_comes_back(store: &mut Sqlite) {
    let run = put(store, 1);
    assert_eq!(store.load(&run).expect("stored"), record(1));
    let lines = store.lines(&run).expect("stored");
    let ours: Vec<_> =
        record(1).iter().map(|e| serde_json::to_string(e).expect("plain data")).collect();
    assert_eq!(lines, ours);
    Run::fold(&store.load(&run).expect("stored")).expect("a sound record");
    assert_eq!(store.first(&run).expect("stored"), record(1)[0]);
}

fn events_follow_without_a_gap_or_not_at_all(store: &mut Sqlite) {
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

fn a_run_begins_once_and_with_its_header(store: &mut Sqlite) {
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

fn a_number_that_is_none_is_refused_instead_of_losing_the_run(store: &mut Sqlite) {
    let run = put(store, 1);
    let seq = record(1).len() as u64;
    let what = What::Sentinel { block: BlockIx::new(1), bytes_per_s: f64::NAN };
    let refused = store.append(&run, &[Event { seq, unix_ns: 0, elapsed_ns: 0, what }]);
    assert!(says(refused, "cannot be stored"));
    assert_eq!(store.load(&run).expect("still readable").len() as u64, seq);
}

fn listing_and_finding(store: &mut Sqlite) {
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

fn a_run_measured_here_is_not_imported(store: &mut Sqlite) {
    let one = put(store, 1);
    let list = store.list().expect("readable");
    assert!(!list[0].is_imported && list[0].digest.is_none());
    assert!(!store.is_imported(&one).expect("there"));
    let missing = RunId::parse("ffffffffffffffff").expect("an id");
    assert!(says(store.is_imported(&missing), "no run"));
}

fn removing_takes_one_run_and_leaves_the_others(store: &mut Sqlite) {
    let (one, two) = (put(store, 1), put(store, 2));
    store.remove(&one).expect("removed");
    assert!(says(store.remove(&one), "no run"));
    assert!(says(store.lines(&one), "no run"));
    assert!(says(store.append(&one, &[]), "no run"));
    assert_eq!(store.load(&two).expect("untouched"), record(2));
    put(store, 1);
    assert_eq!(store.find("last").expect("there"), one, "last is what came last");
}

fn what_is_left_to_undo_is_found(store: &mut Sqlite) {
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
    let found_by = vec!["SanDisk 4C53".to_string(), "Pi-4".to_string()];
    Digest { events, blocks: 5, verdict: "ext4 wins".into(), is_stopped: true, found_by }
}

fn runs_are_found_by_what_is_known_of_them(store: &mut Sqlite) {
    let run = put(store, 1);
    store.set_digests(&[(run.clone(), digest(record(1).len() as u64))]).expect("kept");
    store.set_label(&run, Some("Before")).expect("labelled");
    let summary = &store.list().expect("readable")[0];
    for text in ["sandisk", "4c5", "PI-4", "before", "RUN 1", run.as_str()] {
        assert!(summary.has(text), "{text}");
    }
    assert!(!summary.has(&run.as_str()[1..]) && !summary.has("no such title"));
}

fn labels_and_digests(store: &mut Sqlite) {
    let run = put(store, 1);
    let label = |store: &Sqlite| store.list().expect("readable")[0].label.clone();
    store.set_label(&run, Some("Robert'); DROP TABLE runs;--")).expect("labelled");
    assert_eq!(label(store).as_deref(), Some("Robert'); DROP TABLE runs;--"));
    store.set_label(&run, None).expect("unlabelled");
    assert_eq!(label(store), None);
    let seq = record(1).len() as u64;
    let digest = digest(seq);
    store.set_digests(&[(run.clone(), digest.clone())]).expect("kept");
    assert_eq!(store.list().expect("readable")[0].digest, Some(digest));
}

fn a_digest_ends_with_new_events(store: &mut Sqlite) {
    let run = put(store, 1);
    let seq = record(1).len() as u64;
    store.set_digests(&[(run.clone(), digest(seq))]).expect("kept");
    let what = What::Stopped { reason: StopReason::TimeUp, note: String::new() };
    store.append(&run, &[Event { seq, unix_ns: 0, elapsed_ns: 0, what }]).expect("it went on");
    assert_eq!(store.list().expect("readable")[0].digest, None, "a digest ends with new events");
}

fn a_bundle_comes_in_once_and_whole(store: &mut Sqlite) {
    let (run, done) = import(store, BUNDLE.as_bytes()).expect("a sound bundle");
    assert_eq!(done, StoredImport::New(events().len() as u64));
    assert_eq!(store.load(&run).expect("stored"), events());
    let summary = &store.list().expect("readable")[0];
    assert!(summary.is_imported);
    assert_eq!(import(store, BUNDLE.as_bytes()).expect("again"), (run, StoredImport::Already));
    assert_eq!(store.list().expect("readable").len(), 1);
}

fn a_bundle_with_other_content_changes_nothing(store: &mut Sqlite) {
    let run = store.create(&events()[0]).expect("a new run");
    let before = store.lines(&run).expect("stored");
    let refused = import(store, BUNDLE.as_bytes()).expect_err("another run");
    assert_eq!(refused.class, ErrorClass::Refused, "{refused:?}");
    assert!(refused.to_string().contains("from event 1 on"), "{refused}");
    assert_eq!(store.lines(&run).expect("stored"), before);
}

fn a_cut_bundle_leaves_nothing_behind(store: &mut Sqlite) {
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

fn what_a_newer_version_added_is_kept(store: &mut Sqlite) {
    let head =
        Head { schema: SCHEMA.into(), run: "0123456789abcdef".into(), version: "9.9.9".into() };
    let mut lines: Vec<String> =
        BUNDLE.lines().skip(1).take(3).map(|line| line.to_string()).collect();
    lines[1] = lines[1].replacen("\"pid\"", "\"tomorrow\":[1,2],\"pid\"", 1);
    let text = bakeoff_report::bundle::encode(&head, &lines).expect("plain data");
    let (run, _) = import(store, text.as_bytes()).expect("unknown fields are no error");
    assert_eq!(store.lines(&run).expect("stored"), lines, "byte for byte");
    assert_eq!(store.load(&run).expect("readable").len(), 3);
}

type Promise = (&'static str, fn(&mut Sqlite));

const PROMISES: [Promise; 15] = [
    ("stored is what comes back", stored_is_what_comes_back),
    ("listing and finding", listing_and_finding),
    ("runs are found by what is known of them", runs_are_found_by_what_is_known_of_them),
    ("labels and digests", labels_and_digests),
    ("a bundle comes in once and whole", a_bundle_comes_in_once_and_whole),
    ("a cut bundle leaves nothing behind", a_cut_bundle_leaves_nothing_behind),
    ("what a newer version added is kept", what_a_newer_version_added_is_kept),
    ("events follow without a gap or not at all", events_follow_without_a_gap_or_not_at_all),
    ("a run begins once and with its header", a_run_begins_once_and_with_its_header),
    (
        "a number that is none is refused instead of losing the run",
        a_number_that_is_none_is_refused_instead_of_losing_the_run,
    ),
    ("a run measured here is not imported", a_run_measured_here_is_not_imported),
    ("removing takes one run and leaves the others", removing_takes_one_run_and_leaves_the_others),
    ("what is left to undo is found", what_is_left_to_undo_is_found),
    ("a digest ends with new events", a_digest_ends_with_new_events),
    ("a bundle with other content changes nothing", a_bundle_with_other_content_changes_nothing),
];

#[test]
fn the_store_keeps_every_promise() {
    for (name, keeps) in PROMISES {
        println!("{name}");
        let dir = tempfile::tempdir().expect("a temporary directory");
        let mut store = Sqlite::open(&dir.path().join("s.db")).expect("a new store");
        keeps(&mut store);
    }
}
