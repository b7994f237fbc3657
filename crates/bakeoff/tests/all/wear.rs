//! Bytes that reach the drive, as a run reports them, against the counters of the region's own loop
//! device, which the test reads beside the run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bakeoff_model::event::{Cell, What};

use crate::bench::Bench;
use crate::on_image::{self, MIB, RUN, SMALL, made, record};

/// Bytes written by one loop device, at times since 1970 at which they were another.
type Written = Vec<(i64, u64)>;

/// Reads the counters of every loop device of `image` until `is_over`.
fn counted(image: &Path, is_over: &AtomicBool) -> BTreeMap<String, Written> {
    let mut all: BTreeMap<String, Written> = BTreeMap::new();
    while !is_over.load(Ordering::Relaxed) {
        for entry in fs::read_dir("/sys/block").unwrap().flatten() {
            let at = entry.path();
            let backing = fs::read_to_string(at.join("loop/backing_file")).unwrap_or_default();
            if Path::new(backing.trim()) != image {
                continue;
            }
            let stat = fs::read_to_string(at.join("stat")).unwrap_or_default();
            let Some(sectors) = stat.split_whitespace().nth(6) else { continue };
            let bytes = sectors.parse::<u64>().unwrap() * 512;
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
            let name = entry.file_name().to_string_lossy().into_owned();
            let series = all.entry(name).or_default();
            if series.last().is_none_or(|last| last.1 != bytes) {
                series.push((i64::try_from(now).unwrap(), bytes));
            }
        }
        thread::sleep(Duration::from_millis(2));
    }
    all
}

/// What a device had written by then, at least and at most: what is seen next may have been written
/// before, on a busy machine.
fn by(series: &Written, unix_ns: i64) -> (u64, u64) {
    let next = series.partition_point(|(at, _)| *at <= unix_ns);
    let least = next.checked_sub(1).map_or(0, |last| series[last].1);
    (least, series.get(next).map_or(least, |(_, bytes)| *bytes))
}

fn agrees(plan: &str, image_bytes: u64) {
    let bench = Bench::new();
    let image = fs::canonicalize(made(&bench, plan, image_bytes)).unwrap();
    let is_over = AtomicBool::new(false);
    let counted = thread::scope(|scope| {
        let counting = scope.spawn(|| counted(&image, &is_over));
        let ran = bench.run(&RUN);
        is_over.store(true, Ordering::Relaxed);
        assert!(ran.code <= 1, "{ran:?}");
        counting.join().unwrap()
    });
    let (events, run) = record(&bench);
    let mut cells = 0;
    for event in &events {
        let What::CellDone(cell) = &event.what else { continue };
        let Cell { began_ns, slices, measurement, .. } = &**cell;
        let Some(told) = measurement.drive_writes else { panic!("nothing was counted") };
        assert!(!told.is_shared && told.flushes.is_some_and(|flushes| flushes > 0), "{told:?}");
        let began_ns = slices.iter().map(|slice| slice.began_ns).min().unwrap_or(*began_ns);
        let since_ns = i64::try_from(event.elapsed_ns - began_ns).unwrap();
        let grown = |series: &Written| {
            let (from, to) = (by(series, event.unix_ns - since_ns), by(series, event.unix_ns));
            (to.0.saturating_sub(from.1), to.1.saturating_sub(from.0))
        };
        let all: Vec<(u64, u64)> = counted.values().map(grown).collect();
        let is_near = |(least, most): &(u64, u64)| {
            (least / 20 * 19..=most / 20 * 21).contains(&told.reached_bytes)
        };
        assert!(all.iter().any(is_near), "{told:?} is none of {all:?}");
        cells += 1;
    }
    assert!(cells >= run.header.candidates.len(), "{cells} cells");
    let json = bench.run(&["show", "last", "--format", "json"]).json();
    let wear = &json["verdicts"][0]["wear"];
    assert!(wear["figures"].as_array().unwrap().len() == 2, "{wear}");
    let by_wear = bench.run(&["show", "last", "--by", "wear"]);
    let least = wear["figures"][0]["candidate"].as_str().unwrap();
    let first = by_wear.out.split_whitespace().find(|word| ["ext4", "ext2"].contains(word));
    assert_eq!(first, Some(least), "{by_wear:?}");
}

/// The plan with so many operations in a cell that a write at its edge does not matter, whenever it
/// is that the test looks.
fn with_long_cells() -> String {
    SMALL.replace("cell_min_ios = 10", "cell_min_ios = 300")
}

#[test]
fn candidates_that_take_turns_are_told_as_their_devices_count() {
    if !on_image::lacks() {
        let plan =
            with_long_cells().replace("isolation = \"visit\"\n", "").replace("\"2h\"", "\"1m\"");
        agrees(&plan, 256 * MIB);
    }
}
