//! What cannot be measured is refused before anything is made: exit code, reason, way out.

use std::fs;
use std::process::Command;

use crate::bench::{Bench, must};
use crate::skip;

/// Runs it and checks the exit code, the words that have to be said, and that nothing was made.
#[track_caller]
fn refused(bench: &Bench, args: &[&str], code: i32, words: &[&str]) {
    let before = bench.listing();
    let ended = bench.run(args);
    assert_eq!(ended.code, code, "{args:?}: {ended:?}");
    assert_eq!(ended.out, "", "{args:?}");
    for word in words {
        assert!(ended.err.contains(word), "{args:?} does not say {word:?}: {}", ended.err);
    }
    assert_eq!(bench.listing(), before, "{args:?}");
}

#[test]
fn a_directory_that_is_not_there_or_is_none() {
    let bench = Bench::new();
    fs::write(bench.path().join("file"), "mine").unwrap();
    refused(&bench, &["quick", "nowhere"], 2, &["no directory nowhere", "bakeoff devices"]);
    refused(&bench, &["quick", "file"], 2, &["file is not a directory", "bakeoff bench file"]);
    refused(&bench, &["quick", "file/x"], 4, &["file/x", "Not a directory"]);
    refused(&bench, &["bench", "nowhere"], 2, &["nowhere does not exist"]);
    // One bad directory among good ones: nothing is begun in the good ones.
    let good = bench.dir("good");
    refused(&bench, &["quick", good.to_str().unwrap(), "nowhere"], 2, &["no directory nowhere"]);
    assert_eq!(fs::read_to_string(bench.path().join("file")).unwrap(), "mine");
}

#[test]
fn times_and_sizes_that_make_no_sense() {
    let bench = Bench::new();
    for verb in ["quick", "demo", "resume"] {
        refused(&bench, &[verb, "--time", "0"], 2, &["--time 0", "Try --time 3m"]);
        refused(&bench, &[verb, "--time", "soon"], 2, &["'soon' is not a duration", "5m or 2m30s"]);
    }
    refused(&bench, &["quick", "--size", "1k"], 2, &["--size 1k is too small", "--size 16m"]);
    refused(
        &bench,
        &["quick", "--size", "16e"],
        2,
        &["'16e' is not a size", "such as 4k (= 4096)"],
    );
    refused(&bench, &["quick", "--size", "-1"], 2, &["unexpected argument"]);
    for size in ["0", "1k", "16777216t", "-5", "4x"] {
        let ended = bench.run(&["bench", ".", &format!("--size={size}")]);
        assert_eq!((ended.code, ended.out.as_str()), (2, ""), "{size}: {ended:?}");
    }
    // Three blocks take longer than a millisecond on any drive; how long they take is said.
    let ended = bench.run(&["quick", ".", "--time", "1ms", "--workload", "randwrite"]);
    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(ended.err.contains("3 blocks") && ended.err.contains("use --time"), "{ended:?}");
    let ended = bench.run(&["quick", ".", "--size", "900t"]);
    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(ended.err.contains("half of the free space"), "{ended:?}");
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

#[test]
fn blocks_and_buffers_beyond_what_memory_holds() {
    let bench = Bench::new();
    let quarter = ["a quarter of memory", "Lower one of the three"];
    refused(
        &bench,
        &["bench", ".", "--bs", "2g"],
        2,
        &["--bs 2g is larger than the maximum of 1g"],
    );
    refused(&bench, &["bench", ".", "--bs", "0"], 2, &["--bs must be greater than 0"]);
    let args = ["bench", ".", "--bs", "1m", "--iodepth", "4294967295", "--numjobs", "4294967295"];
    refused(&bench, &args, 2, &quarter);
    // Each of the three is within its limit, and the product is not.
    let ram_bytes = memory_bytes();
    let jobs = (ram_bytes / 4 / (64 << 20) + 1).to_string();
    let args = ["bench", ".", "--bs", "64m", "--iodepth", "1", "--numjobs", &jobs];
    refused(&bench, &args, 2, &quarter);
    // The names of so many files would take 100 GB.
    let args = ["bench", ".", "--bs", "1", "--size", "1", "--numjobs", "4294967295"];
    refused(&bench, &args, 2, &["numjobs"]);
    let args = ["bench", ".", "--bs", "1", "--size", "1", "--numjobs", "5000"];
    refused(&bench, &args, 2, &["--numjobs 5000 is larger than the maximum of 4096"]);
    refused(&bench, &["bench", ".", "--bs", "4k", "--size", "1k"], 2, &["is larger than"]);
    for zero in ["--iodepth", "--numjobs", "--runtime", "--io_size"] {
        refused(&bench, &["bench", ".", zero, "0"], 2, &[zero, "greater than 0"]);
    }
    // A rate of 0 is no limit, as in fio, but not for one direction of a mix.
    let args = ["bench", ".", "--rw", "randrw", "--rate_iops", "100,0"];
    refused(&bench, &args, 2, &["--rate_iops", "READ,WRITE"]);
    refused(&bench, &["bench", ".", "--rwmixread", "101"], 2, &["101 is not in 0..=100"]);
}

fn memory_bytes() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap();
    let line = text.lines().find(|line| line.starts_with("MemTotal:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

#[test]
fn a_read_only_mount() {
    if skip::lacks_root() || skip::lacks_loop_devices() {
        return;
    }
    let mut bench = Bench::new();
    let at = bench.mount("ext4", "64m", "defaults");
    fs::write(at.join("letter"), "dear").unwrap();
    must(Command::new("mount").args(["-o", "remount,ro"]).arg(&at));
    let dir = at.to_str().unwrap();
    refused(&bench, &["quick", dir], 4, &["is mounted read-only", "remount,rw"]);
    refused(&bench, &["bench", dir], 4, &["read-only"]);
    let file = at.join("letter");
    let write = ["bench", file.to_str().unwrap(), "--rw", "write", "--bs", "1", "--overwrite"];
    refused(&bench, &write, 4, &["ead-only"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "dear");
}

#[test]
fn a_filesystem_without_room() {
    if skip::lacks_root() || skip::lacks_loop_devices() {
        return;
    }
    let mut bench = Bench::new();
    let at = bench.mount("ext4", "64m", "defaults");
    let dir = at.to_str().unwrap();
    let ended = bench.run(&["quick", dir]);
    assert_eq!((ended.code, ended.out.as_str()), (4, ""), "{ended:?}");
    for word in ["not enough free space", dir, "Free some space"] {
        assert!(ended.err.contains(word), "{word}: {ended:?}");
    }
    let words = ["32 MiB do not fit in", "at most", "half of the free space", "smaller --size"];
    let ended = bench.run(&["bench", dir, "--size", "32m"]);
    assert_eq!(ended.code, 4, "{ended:?}");
    assert!(words.iter().all(|word| ended.err.contains(word)), "{ended:?}");
    let mut demo = bench.bakeoff();
    let ended =
        crate::bench::Ended::from_output(demo.current_dir(&at).arg("demo").output().unwrap());
    assert_eq!(ended.code, 4, "{ended:?}");
    for word in ["512 MiB", dir, "Change to a directory on another drive"] {
        assert!(ended.err.contains(word), "{word}: {ended:?}");
    }
    assert_eq!(bench.leftovers(), Vec::<String>::new());
    assert_eq!(bench.attached(), Vec::<String>::new());
}
