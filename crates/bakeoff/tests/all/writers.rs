//! `bakeoff watch --writes`: a real writer on the drive of this directory, and a restart.

use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::bench::Bench;
use crate::skip;

const WRITTEN_BYTES: u64 = 8 << 20;

#[test]
fn a_writer_is_counted_and_the_count_survives_the_end() {
    if skip::lacks_root() {
        return;
    }
    let bench = Bench::new();
    let so_far = || {
        let ended = bench.run(&["watch", "--writes", "--for", "0", "--format", "json", "."]);
        (ended.code, serde_json::from_str::<serde_json::Value>(&ended.out).unwrap_or_default())
    };
    let (code, nothing) = so_far();
    if code == 2 {
        skip::skip("a drive", "this directory is on none, or on several");
        return;
    }
    assert_eq!((code, &nothing["drive_bytes"]), (0, &0.into()), "{nothing}");
    let mut watch = bench.bakeoff().args(["watch", "--writes", "."]).stdout(Stdio::null()).spawn();
    let watch = watch.as_mut().unwrap();
    let data = bench.path().join("data/bakeoff");
    // The file is there when the first look was taken.
    wait(|| std::fs::read_dir(&data).is_ok_and(|mut files| files.next().is_some()));
    // The shell waits for its child, and so has what it wrote, whenever that was looked at.
    let script = "dd if=/dev/zero of=x bs=1M count=8 conv=fsync 2>/dev/null; : >done; sleep 60; :";
    let mut shell =
        Command::new("sh").args(["-c", script]).current_dir(bench.path()).spawn().unwrap();
    wait(|| bench.path().join("done").exists());
    kill_process(Pid::from_child(watch), Signal::TERM).unwrap();
    assert_eq!(watch.wait().unwrap().code(), Some(130));
    // And its sleep, which is in our group and has nothing open here.
    shell.kill().unwrap();
    shell.wait().unwrap();
    let (code, counted) = so_far();
    assert_eq!(code, 0);
    let writers = counted["writers"].as_array().unwrap().iter();
    let of = |name: &str| {
        let named = writers.clone().filter(|one| one["name"] == name);
        named.map(|one| one["bytes"].as_u64().unwrap()).sum::<u64>()
    };
    assert!(of("sh") + of("dd") >= WRITTEN_BYTES, "{counted:#}");
    assert!(counted["watched_ns"].as_u64().unwrap() > 0, "{counted:#}");
}

fn wait(until: impl Fn() -> bool) {
    for _ in 0..6000 {
        if until() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("waited two minutes");
}
