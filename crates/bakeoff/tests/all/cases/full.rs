//! Space that runs out while a run is under way: under the measured directory, under the store.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::process::Signal;

use crate::bench::Bench;
use crate::running::{EndsWith, Running};
use crate::skip;

/// Writes into `file` until nothing fits any more.
fn fill(file: &mut File) {
    for size in [1 << 20, 1 << 16, 1 << 12, 512] {
        let zeros = vec![0; size];
        while file.write(&zeros).is_ok_and(|written| written > 0) {}
    }
}

/// Holds the run once the store has a block, so that it cannot end before the place is full. The
/// answer so far is of whole blocks.
fn held_when_a_block_is_stored(run: &mut Running, store: &Path) {
    run.held_when("a stored block", store, |record| record.count_of("block_done") > 0);
}

#[test]
fn a_place_that_fills_up_ends_the_run_with_what_it_measured() {
    if skip::lacks_root() || skip::lacks_loop_devices() {
        return;
    }
    let mut bench = Bench::new();
    let at = bench.mount("ext4", "1g", "defaults");
    let dir = at.to_str().unwrap();
    let args = ["quick", dir, "--workload", "smallfiles", "--size", "16m", "--time", "20m"];
    let mut run = Running::start(bench.bakeoff().args(args));
    held_when_a_block_is_stored(&mut run, &bench.store());
    let (hog, is_over) = (at.join("hog"), AtomicBool::new(false));
    let mut file = File::create(&hog).unwrap();
    fill(&mut file);
    run.signal(Signal::CONT);
    let ended = thread::scope(|scope| {
        scope.spawn(|| {
            // What the run frees between its cells is taken as well.
            while !is_over.load(Ordering::Relaxed) {
                fill(&mut file);
                thread::sleep(std::time::Duration::from_millis(1));
            }
        });
        let _ends = EndsWith(&is_over);
        run.end()
    });
    assert_eq!(ended.code, 4, "{ended:?}");
    for word in ["the run stopped", dir, "no space left", "bakeoff resume"] {
        assert!(ended.err.contains(word), "{word}: {ended:?}");
    }
    assert!(ended.out.contains("small files"), "{ended:?}");
    assert_eq!(bench.leftovers(), Vec::<String>::new());
    let cells = |bench: &Bench| {
        let events = bench.events("last");
        events.iter().filter(|e| e["what"].get("cell_done").is_some()).count()
    };
    assert!(cells(&bench) >= 1, "what was measured is kept");
    // Once there is room again it goes on where it was.
    drop(file);
    fs::remove_file(&hog).unwrap();
    let before = cells(&bench);
    let resumed = bench.run(&["resume", "last"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert!(cells(&bench) > before);
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

#[test]
fn a_store_that_fills_up_ends_the_run_with_the_answer_so_far() {
    if skip::lacks_root() {
        return;
    }
    let mut bench = Bench::new();
    let memory = bench.tmpfs("8m");
    let file = memory.join("s.db");
    let store = ["--store", file.to_str().unwrap()];
    let dir = bench.dir("d");
    let args = ["quick", dir.to_str().unwrap(), "--workload", "randread", "--size", "16m"];
    let mut command = bench.bakeoff();
    let mut run = Running::start(command.args(args).args(store).args(["--time", "20m"]));
    held_when_a_block_is_stored(&mut run, &file);
    let hog = memory.join("hog");
    fill(&mut File::create(&hog).unwrap());
    run.signal(Signal::CONT);
    let ended = run.end();
    said_and_cleaned(&bench, &ended, &dir);
    assert!(ended.out.contains("Random reads"), "{ended:?}");

    // What was stored is whole, and the run goes on once there is room.
    fs::remove_file(&hog).unwrap();
    let resumed = bench.run(&[&["resume", "last"], &store[..]].concat());
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
}

#[test]
fn a_store_that_fills_up_under_a_demo_leaves_nothing_mounted() {
    if skip::lacks_root() || skip::lacks_loop_devices() || skip::lacks_command("mkfs.ext4") {
        return;
    }
    let mut bench = Bench::new();
    let memory = bench.tmpfs("8m");
    let store = memory.join("s.db");
    let dir = bench.small_disk();
    let mut command = bench.bakeoff();
    command.current_dir(&dir).args(["demo", "--workload", "randwrite", "--max-write", "40g"]);
    let mut run = Running::start(command.arg("--store").arg(&store));
    run.until("a mounted filesystem", |_| (bench.attached().len() >= 2).then_some(()));
    fill(&mut File::create(memory.join("hog")).unwrap());
    said_and_cleaned(&bench, &run.end(), &dir);
}

fn said_and_cleaned(bench: &Bench, ended: &crate::bench::Ended, dir: &Path) {
    assert_eq!(ended.code, 4, "{ended:?}");
    for word in ["no space left for the store", "Earlier records are safe"] {
        assert!(ended.err.contains(word), "{word}: {ended:?}");
    }
    assert_eq!(bench.attached(), Vec::<String>::new(), "{ended:?}");
    assert_eq!(fs::read_dir(dir).unwrap().count(), 0, "{ended:?}");
}
