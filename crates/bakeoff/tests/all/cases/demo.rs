//! `demo` interrupted while a filesystem of its own is mounted.
//!
//! Killing it outright, going on and cleaning up after it is in `crash.rs`.

use std::fs;

use rustix::process::Signal;

use crate::bench::Bench;
use crate::running::Running;
use crate::skip;

#[test]
fn ctrl_c_takes_everything_down_again() {
    if skip::lacks_root() || skip::lacks_loop_devices() || skip::lacks_command("mkfs.ext4") {
        return;
    }
    let mut bench = Bench::new();
    let dir = bench.small_disk();
    let mut command = bench.bakeoff();
    command.current_dir(&dir).args(["demo", "--workload", "randwrite", "--max-write", "40g"]);
    let mut run = Running::start(&mut command);
    run.until("a mounted filesystem", |_| (bench.attached().len() >= 2).then_some(()));
    run.signal(Signal::INT);
    let ended = run.end();
    assert_eq!((ended.code, ended.out.as_str()), (130, ""), "{ended:?}");
    assert!(ended.err.contains("bakeoff has undone all changes"), "{ended:?}");
    assert!(ended.err.contains("bakeoff resume"), "{ended:?}");
    assert_eq!(bench.attached(), Vec::<String>::new());
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
    assert!(bench.run(&["clean"]).err.contains("Nothing to clean up"));
}
