//! `quick` over an ext4 directory, a btrfs and an xfs loop mount and a tmpfs: four honest columns.

use serde_json::Value;

use crate::bench::{Bench, Loop, verdict_keys};
use crate::skip;

/// The candidate's entry.
fn candidate<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let all = answer["candidates"].as_array().unwrap();
    all.iter().find(|c| c["name"] == name).unwrap_or_else(|| panic!("no {name}: {answer}"))
}

/// The stored cells of the candidate on a workload.
fn cells(events: &[Value], candidate: u64, workload: u64) -> Vec<&Value> {
    let cells = events.iter().filter_map(|event| event["what"].get("cell_done"));
    cells.filter(|c| c["candidate"] == candidate && c["workload"] == workload).collect()
}

#[test]
fn four_places_four_honest_columns() {
    if skip::lacks_root()
        || skip::lacks_loop_devices()
        || skip::lacks_command("mkfs.xfs")
        || skip::lacks_command("mkfs.btrfs")
        || skip::lacks_kernel_filesystem("xfs")
        || skip::lacks_kernel_filesystem("btrfs")
    {
        return;
    }
    let mut bench = Bench::new();
    let btrfs = bench.mount_loop("btrfs", "1g", Loop::Direct);
    let xfs = bench.mount_loop("xfs", "1g", Loop::Plain);
    let tmpfs = bench.tmpfs("1g");
    let places = [bench.dir("ext4"), btrfs, xfs, tmpfs].map(|p| p.to_str().unwrap().to_string());
    let [ext4, btrfs, xfs, tmpfs] = &places;
    let workloads = ["--workload", "randread", "--workload", "randwrite"];
    let mut args = vec!["quick", ext4, btrfs, xfs, tmpfs, "--size", "16m"];
    args.extend(["--quiet", "--format", "json", "--seed", "7", "--max-write", "100g"]);
    args.extend(workloads);
    let ended = bench.run_in_time("3m", &args);
    assert!(ended.code == 0 || ended.code == 1, "{ended:?}");
    assert_eq!(ended.err, "", "--quiet leaves nothing on stderr");

    // Nothing but one JSON document with the fixed keys.
    let answer = ended.json();
    assert_eq!((&answer["schema"], &answer["mode"]), (&"bakeoff/run/2".into(), &"quick".into()));
    // Reads of the loop device that caches may come from memory in every attempt. How many blocks
    // there are is a matter of noise and speed, and who is certainly behind after the first look,
    // which comes after three, is measured no more.
    let (blocks, cells) = (answer["blocks"].as_u64().unwrap(), answer["cells"].as_u64().unwrap());
    assert!(answer["run"].is_string() && blocks >= 1 && cells >= 7 * blocks.min(3), "{answer}");
    verdict_keys(&answer);
    let verdicts = answer["verdicts"].as_array().unwrap();
    assert_eq!(
        verdicts.iter().map(|v| &v["workload"]).collect::<Vec<_>>(),
        ["randread", "randwrite"]
    );
    for name in &places {
        assert!(candidate(&answer, name).is_object());
    }
    only_the_tmpfs_is_memory(&answer, tmpfs);
    caches_are_told_apart(&bench, &answer);
    assert_eq!(bench.leftovers(), Vec::<String>::new());
    assert_eq!(bench.attached(), Vec::<String>::new());
}

fn only_the_tmpfs_is_memory(answer: &Value, tmpfs: &str) {
    let findings = answer["findings"].as_array().unwrap();
    // By its name: what is said of a cell that was read from memory has that word in it too.
    let memory: Vec<&Value> = findings.iter().filter(|f| f["id"] == "memory").collect();
    assert!(!memory.is_empty(), "{findings:#?}");
    for finding in &memory {
        let said = finding.to_string();
        assert!(said.contains(tmpfs), "{finding:#}");
    }
}

fn caches_are_told_apart(bench: &Bench, answer: &Value) {
    let unmeasured: Vec<&Value> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|f| f["id"] == "unmeasured" && f["workload"] == "randread")
        .map(|f| &f["candidate"])
        .collect();
    let events = bench.events("last");
    for candidate in 0..4 {
        let name = &events[0]["what"]["started"]["candidates"][candidate as usize]["name"];
        let reads = cells(&events, candidate, 0);
        // Those that came from memory are kept and say nothing of the drive.
        let is_measured = reads.iter().any(|cell| cell["truth"]["cache"] != "warm");
        assert_ne!(is_measured, unmeasured.contains(&name), "{name}: {unmeasured:?} {reads:#?}");
        assert!(!reads.is_empty() || candidate == 2, "{name} was never read");
        for cell in reads {
            let (truth, number) = (&cell["truth"], |v: &Value| v.as_u64().unwrap());
            let state = truth["cache"].as_str().unwrap();
            if candidate == 3 {
                assert_eq!(state, "unknown", "{name} is memory");
                continue;
            }
            if candidate == 2 && state == "unknown" {
                assert!(truth["device_read_bytes"].is_null(), "{name}: {truth}");
                continue;
            }
            // Cold means both: nothing was in memory, and the disk moved what was read.
            let wanted = number(&cell["measurement"]["read"]["io_bytes"]);
            let size = number(&cell["measurement"]["job"]["size"]);
            let resident = number(&truth["resident_before_bytes"]);
            let moved = number(&truth["device_read_bytes"]);
            let is_cold = resident * 100 <= size && moved * 10 >= wanted * 9;
            assert_eq!(state, if is_cold { "cold" } else { "warm" }, "{name}: {truth}");
        }
        for cell in cells(&events, candidate, 1) {
            assert_eq!(cell["truth"]["cache"], "not_read", "{name} only writes there");
        }
    }
}
