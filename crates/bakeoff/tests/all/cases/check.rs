//! `check`: what it is asked about, its exit code, and that it changes nothing.

use std::process::Command;

use crate::bench::{Bench, Loop, must};
use crate::skip;

#[test]
fn the_exit_code_is_that_of_the_worst_check() {
    let bench = Bench::new();
    let dir = bench.dir("place");
    let before = bench.listing();
    let ended = bench.run(&["check", dir.to_str().unwrap(), "--format", "json"]);
    let answer = ended.json();
    assert_eq!(answer["schema"], "bakeoff/check/1");
    let checks = answer["checks"].as_array().unwrap();
    let stops = checks.iter().filter(|check| check["status"] == "stop").count();
    assert_eq!(ended.code, i32::from(stops > 0), "{ended:?}");
    assert_eq!(answer["verdict"] == "stop", stops > 0);
    for check in checks {
        let is_bad = check["status"] == "warn" || check["status"] == "stop";
        assert_eq!(check["advice"].is_string(), is_bad, "{check}");
        assert!(!check["found"].as_str().unwrap().is_empty(), "{check}");
    }
    // Each question is asked on every machine, whatever the answer.
    for id in [
        "governor",
        "throttling",
        "temperature",
        "swap",
        "CPU load",
        "timers",
        "maintenance",
        "lazyinit",
        "kernel log",
        "place",
        "free space",
        "memory",
    ] {
        assert!(checks.iter().any(|check| check["id"] == id), "no {id}");
    }
    assert_eq!(bench.listing(), before);
    assert_eq!(ended.err, "");
}

#[test]
fn a_read_only_place_stops_and_an_image_warns() {
    if skip::lacks_root() || skip::lacks_command("mkfs.ext4") || skip::lacks_loop_devices() {
        return;
    }
    let mut bench = Bench::new();
    let at = bench.mount_loop("ext4", "1g", Loop::Plain);
    let status = |bench: &Bench, id: &str| {
        let ended = bench.run(&["check", at.to_str().unwrap(), "--format", "json"]);
        let answer = ended.json();
        let found = answer["checks"].as_array().unwrap().iter().find(|c| c["id"] == id).unwrap();
        (ended.code, found["status"].as_str().unwrap().to_string())
    };
    assert_eq!(status(&bench, "place").1, "warn");
    must(Command::new("mount").args(["-o", "remount,ro"]).arg(&at));
    assert_eq!(status(&bench, "place"), (1, "stop".to_string()));
}

#[test]
fn what_cannot_be_checked_is_said() {
    let bench = Bench::new();
    let ended = bench.run(&["check", "nowhere"]);
    assert_eq!((ended.code, ended.out.as_str()), (2, ""), "{ended:?}");
    assert!(ended.err.contains("nowhere does not exist") && ended.err.contains("bakeoff devices"));
    let ended = bench.run(&["check", "/dev/null"]);
    assert_eq!(ended.code, 2, "{ended:?}");
    let ended = bench.run(&["check", ".", "--format", "csv"]);
    assert_eq!(ended.code, 2, "{ended:?}");
}
