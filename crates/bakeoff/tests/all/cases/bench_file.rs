//! `bench` on what is there already: a user's file is read, and written only when they say so;
//! whatever is no directory, regular file or block device is refused.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;

use rustix::process::Signal;

use crate::bench::{Bench, must};
use crate::running::Running;

#[test]
fn a_file_is_read_and_written_only_with_overwrite() {
    let bench = Bench::new();
    let file = bench.path().join("letters of mine");
    let text: Vec<u8> = (0..1u32 << 18).flat_map(u32::to_le_bytes).collect();
    fs::write(&file, &text).unwrap();
    let path = file.to_str().unwrap();

    let read = bench.run(&["bench", path, "--rw", "read", "--format", "json"]);
    assert_eq!(read.code, 0, "{read:?}");
    assert_eq!(read.json()["read"]["io_bytes"], 1 << 20);
    let longer = bench.run(&["bench", path, "--rw", "read", "--size", "2m"]);
    assert_eq!(longer.code, 2, "{longer:?}");
    assert!(longer.err.contains("less than --size 2 MiB"), "{longer:?}");
    for rw in ["write", "randwrite", "randrw"] {
        let refused = bench.run(&["bench", path, "--rw", rw]);
        assert_eq!((refused.code, refused.out.as_str()), (3, ""), "{refused:?}");
        for word in [rw, path, "--overwrite", "may be lost"] {
            assert!(refused.err.contains(word), "{word}: {refused:?}");
        }
    }
    // An erase token is for devices and no consent to this.
    let token = bench.run(&["bench", path, "--rw", "write", "--erase", "letters"]);
    assert_eq!(token.code, 3, "{token:?}");
    let small = bench.run(&["bench", path, "--rw", "smallfiles"]);
    assert_eq!(small.code, 2, "{small:?}");
    assert_eq!(fs::read(&file).unwrap(), text, "the file was changed");

    let args = ["bench", path, "--rw", "write", "--io_size", "64k", "--overwrite"];
    let written = bench.run(&args);
    assert_eq!(written.code, 0, "{written:?}");
    let now = fs::read(&file).unwrap();
    assert_eq!(now.len(), text.len(), "its size stays");
    assert_ne!(now[..1 << 16], text[..1 << 16]);
    assert_eq!(now[1 << 16..], text[1 << 16..], "only what was asked for is written");
}

#[test]
fn fifos_sockets_and_character_devices_are_refused() {
    let bench = Bench::new();
    let (fifo, socket) = (bench.path().join("fifo"), bench.path().join("socket"));
    must(Command::new("mkfifo").arg(&fifo));
    let _listener = UnixListener::bind(&socket).unwrap();
    for path in [fifo.to_str().unwrap(), socket.to_str().unwrap(), "/dev/zero", "/dev/null"] {
        for more in [&[][..], &["--rw", "write", "--overwrite"]] {
            let ended = bench.run(&[&["bench", path], more].concat());
            assert_eq!((ended.code, ended.out.as_str()), (3, ""), "{path}: {ended:?}");
            assert!(ended.err.contains(path), "{ended:?}");
            assert!(ended.err.contains("not a directory, regular file"), "{ended:?}");
        }
    }
    // A link is what it points to.
    let link = bench.path().join("link");
    symlink(&fifo, &link).unwrap();
    assert_eq!(bench.run(&["bench", link.to_str().unwrap()]).code, 3);
    let empty = bench.path().join("empty");
    fs::write(&empty, "").unwrap();
    let ended = bench.run(&["bench", empty.to_str().unwrap()]);
    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(ended.err.contains("is empty") && ended.err.contains("--size"), "{ended:?}");
}

#[test]
fn an_interrupted_bench_leaves_nothing() {
    let bench = Bench::new();
    let dir = bench.dir("d");
    let mut command = bench.bakeoff();
    command.args(["bench", dir.to_str().unwrap(), "--size", "16m", "--runtime", "1h"]);
    for (signal, measured) in [(Signal::INT, false), (Signal::TERM, true), (Signal::HUP, true)] {
        let mut run = Running::start(&mut command);
        run.until("a scratch directory", |_| (!bench.leftovers().is_empty()).then_some(()));
        if measured {
            run.until("the engine", |run| crate::running::engine_of(run.pid()));
        }
        run.signal(signal);
        let ended = run.end();
        assert_eq!((ended.code, ended.out.as_str()), (130, ""), "{ended:?}");
        assert!(ended.err.contains("interrupted; no result was saved"), "{ended:?}");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "{ended:?}");
    }
    // Killed outright, it leaves what `clean` finds.
    let mut run = Running::start(&mut command);
    run.until("the engine", |run| crate::running::engine_of(run.pid()));
    run.signal(Signal::KILL);
    run.end();
    assert_eq!(bench.leftovers().len(), 1);
    let devices = bench.run(&["devices"]);
    assert!(devices.err.contains("bakeoff clean"), "other commands hint: {devices:?}");
    let cleaned = bench.run(&["clean"]);
    assert!(cleaned.code == 0 && cleaned.err.contains("Undid the changes"), "{cleaned:?}");
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
}
