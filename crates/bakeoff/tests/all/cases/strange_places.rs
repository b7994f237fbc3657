//! A directory behind a user-space driver: it is measured, and the report says that nobody can tell
//! what its cache held.

use std::fs;

use crate::bench::{Bench, Ended};
use crate::skip;

#[test]
fn a_fuse_directory() {
    if skip::lacks_root()
        || skip::lacks_loop_devices()
        || skip::lacks_command("mkfs.ntfs")
        || skip::lacks_command("ntfs-3g")
        || skip::lacks_kernel_filesystem("fuse")
    {
        return;
    }
    let mut bench = Bench::new();
    let dir = bench.mount_ntfs("1g");
    fs::write(dir.join("theirs"), "keep").unwrap();
    let dir_text = dir.to_str().unwrap();
    let args = ["quick", dir_text, "--workload", "randread", "--size", "16m", "--time", "20m"];
    let ended = bench.run(&args);
    assert_eq!(ended.code, 0, "{ended:?}");
    let shown = bench.run(&["show", "last", "--details"]).out;
    let said = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("cache state unknown")
            && said.contains("the filesystem uses a user-space driver"),
        "{shown}"
    );
    assert_eq!(bench.leftovers(), Vec::<String>::new());
    assert_eq!(fs::read_to_string(dir.join("theirs")).unwrap(), "keep");
    let shown = bench.run(&["show", "last", "--format", "json"]).json();
    assert_eq!(shown["candidates"][0]["kind"]["directory"]["place"]["class"], "fuse", "{shown:#}");
    let events = bench.events("last");
    let cells: Vec<_> = events.iter().filter_map(|e| e["what"].get("cell_done")).collect();
    assert!(cells.len() >= 3, "{cells:?}");
    assert!(cells.iter().all(|cell| cell["truth"]["cache"] == "unknown"), "{cells:?}");
}

#[test]
fn places_that_are_no_place_for_files() {
    let bench = Bench::new();
    for dir in ["/proc", "/sys"] {
        let ended = Ended::from_output(bench.bakeoff().args(["quick", dir]).output().unwrap());
        assert_eq!((ended.code, ended.out.as_str()), (4, ""), "{dir}: {ended:?}");
        assert!(ended.err.contains(dir), "{dir}: {ended:?}");
    }
}
