//! The wall clock jumps while a run goes on, as when a board without a battery meets a time server.
//!
//! A suspend cannot be had here without putting the machine to sleep; the rule that a cell during
//! which the boot clock ran ahead of the monotonic one is invalid is tested where it is written.

use std::fs;
use std::process::Command;

use crate::bench::Bench;
use crate::running::Running;
use crate::skip;

const DAY_NS: i64 = 86_400_000_000_000;

#[test]
fn a_clock_that_jumps_changes_the_dates_and_nothing_else() {
    if skip::lacks_command("faketime") {
        return;
    }
    let library = Command::new("faketime").args(["-f", "+0", "printenv", "LD_PRELOAD"]).output();
    let library = String::from_utf8(library.unwrap().stdout).unwrap();
    let bench = Bench::new();
    let (dir, clock) = (bench.dir("d"), bench.path().join("clock"));
    let set = |shift: &str| {
        // Renamed into place, so that nobody reads half of it.
        let new = bench.path().join("clock.new");
        fs::write(&new, shift).unwrap();
        fs::rename(new, &clock).unwrap();
    };
    set("+0");
    let mut command = bench.bakeoff();
    command
        .args(["quick", dir.to_str().unwrap(), "--workload", "randread", "--size", "16m"])
        .args(["--time", "20m"])
        .env("LD_PRELOAD", library.trim())
        .env("FAKETIME_TIMESTAMP_FILE", &clock)
        .env("FAKETIME_NO_CACHE", "1")
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
        .env("DONT_FAKE_MONOTONIC", "1");
    let mut run = Running::start(&mut command);
    run.until_measuring();
    set("+400d");
    run.until("an event after the jump", |_| {
        let wall = |event: &serde_json::Value| event["unix_ns"].as_i64().unwrap();
        let events = bench.events("last");
        (wall(events.last()?) - wall(&events[0]) > 300 * DAY_NS).then_some(())
    });
    set("-2d");
    let ended = run.end();
    assert_eq!(ended.code, 0, "{ended:?}");

    let events = bench.events("last");
    let times = |key: &str| events.iter().map(|e| e[key].as_i64().unwrap()).collect::<Vec<i64>>();
    let (wall, active) = (times("unix_ns"), times("elapsed_ns"));
    let span_days = (wall.iter().max().unwrap() - wall.iter().min().unwrap()) / DAY_NS;
    assert!(span_days >= 300, "the clock did not jump: {wall:?}");
    assert!(active.is_sorted(), "{active:?}");
    assert!(*active.last().unwrap() < DAY_NS, "{active:?}");
    assert!(events.iter().all(|event| event["what"].get("cell_invalid").is_none()), "{events:?}");
    let shown = bench.run(&["show", "last", "--format", "json"]).json();
    assert!((3..=20).contains(&shown["blocks"].as_u64().unwrap()), "{shown}");
    let cells = events.iter().filter_map(|e| e["what"].get("cell_done"));
    for cell in cells {
        let took_ns = cell["measurement"]["elapsed_ns"].as_u64().unwrap();
        assert!((1..60_000_000_000).contains(&took_ns), "{took_ns}");
    }
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
}
