//! Bundles of others that root imports: no step of theirs is ever undone, whatever it says.
//!
//! A bundle carries the steps of its run with their undos. Here the bundle is that of a run that
//! was killed on this very machine, so that each undo has something to undo, and mutations of it.

use std::fs;
use std::path::Path;

use serde_json::Value;

use bakeoff_report::bundle;
use bakeoff_stats::prng::SplitMix64;

use crate::bench::{Bench, Loop};
use crate::obeyed::{Canaries, any, cleaned_apart, killed};
use crate::skip;

/// Bundles that are given to recovery.
const BUNDLES: u32 = 120;
/// At least so many of them are accepted; the others are refused when they are read.
const ACCEPTED: u32 = 50;

/// A bundle that is not sealed yet.
struct Bundle {
    head: bundle::Head,
    events: Vec<Value>,
}

impl Bundle {
    /// Of the run that was begun last.
    fn of(bench: &Bench) -> Bundle {
        let (schema, version) = (bundle::SCHEMA.to_string(), "0.1.0".to_string());
        let head = bundle::Head { schema, run: bench.last_run(), version };
        Bundle { head, events: bench.events("last") }
    }

    /// Writes it, sealed, with its events as `change` makes them.
    fn write(&self, to: &Path, change: impl FnOnce(&mut Vec<Value>)) {
        let mut events = self.events.clone();
        change(&mut events);
        let events: Vec<String> = events.iter().map(Value::to_string).collect();
        fs::write(to, bundle::encode(&self.head, &events).unwrap()).unwrap();
    }
}

/// The undos among events.
fn undos(events: &mut [Value]) -> Vec<&mut Value> {
    let steps = events.iter_mut().filter_map(|event| event.pointer_mut("/what/step_planned/undo"));
    steps.filter(|undo| !undo.is_null()).collect()
}

/// Another undo, another order, a value anywhere exchanged, an event less or twice.
fn mutate(random: &mut SplitMix64, events: &mut Vec<Value>, canaries: &Canaries) {
    let at = random.below(events.len() as u64) as usize;
    match random.below(16) {
        0 => drop(events.remove(at)),
        1 => events.insert(at, events[at].clone()),
        2 => {
            let other = random.below(events.len() as u64) as usize;
            events.swap(at, other);
        }
        3 => {
            let value = any(random, canaries, 2);
            exchange(random, &mut events[at], value);
        }
        _ => {
            let all = undos(events);
            let which = random.below(all.len().max(1) as u64) as usize;
            if let Some(undo) = all.into_iter().nth(which) {
                *undo = any(random, canaries, 4);
            }
        }
    }
}

/// Puts `value` in place of one that is somewhere in `at`.
fn exchange(random: &mut SplitMix64, at: &mut Value, value: Value) {
    let inner: Vec<&mut Value> = match at {
        Value::Object(map) => map.values_mut().collect(),
        Value::Array(list) => list.iter_mut().collect(),
        _ => Vec::new(),
    };
    let which = random.below(inner.len() as u64 + 1) as usize;
    match inner.into_iter().nth(which) {
        Some(inner) => exchange(random, inner, value),
        None => *at = value,
    }
}

/// Mutated bundles are imported into a store of root's, which is then shown and cleaned, in a mount
/// namespace of its own.
#[test]
fn steps_of_imported_runs_are_never_undone() {
    if skip::lacks_root() || skip::lacks_command("unshare") {
        return;
    }
    let mut bench = Bench::new();
    let canaries = Canaries::new(&bench);
    let mounted = bench.mount_loop("ext2", "64M", Loop::Plain);
    killed(&bench, None);
    let own = Bundle::of(&bench);
    assert!(!undos(&mut own.events.clone()).is_empty());
    let before = (canaries.state(), bench.leftovers(), bench.attached());
    assert!(!before.1.is_empty(), "there is something to undo");
    let (file, other) = (bench.path().join("bundle.jsonl"), bench.dir("other").join("store.db"));
    let store = other.to_str().unwrap().to_string();
    let mut random = SplitMix64::new(24);
    let mut accepted = 0;
    for number in 0..BUNDLES {
        let _ = fs::remove_dir_all(other.parent().unwrap());
        fs::create_dir(other.parent().unwrap()).unwrap();
        own.write(&file, |events| {
            // First as it is: nothing but the import keeps its undos from being obeyed.
            (0..number.min(1 + number % 2)).for_each(|_| mutate(&mut random, events, &canaries));
        });
        let imported = bench.run(&["runs", "add", file.to_str().unwrap(), "--store", &store]);
        assert!(imported.code < 5, "bundle {number}: {imported:?}");
        accepted += u32::from(imported.code == 0);
        assert!(number > 0 || imported.code == 0, "its own bundle: {imported:?}");
        if imported.code == 0 {
            let shown = bench.run(&["show", "last", "--store", &store]);
            assert!(shown.code < 5, "bundle {number}: {shown:?}");
            let cleaned = cleaned_apart(&bench, &other);
            assert_eq!(cleaned.code, 0, "bundle {number}: {cleaned:?}");
        }
        let now = (canaries.state(), bench.leftovers(), bench.attached());
        assert_eq!(now, before, "bundle {number}");
    }
    println!("{accepted} of {BUNDLES} bundles were accepted");
    assert!(accepted >= ACCEPTED, "{accepted}");
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(mounts.contains(mounted.to_str().unwrap()));
    // The same steps are undone where they are the machine's own.
    assert_eq!(bench.run(&["clean"]).code, 0);
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}
