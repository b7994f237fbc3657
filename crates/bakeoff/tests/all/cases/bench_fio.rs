//! `bench` with the words of fio, beside the installed fio.

use std::process::Command;

use bakeoff_tools::fio::options::table;

use crate::bench::Bench;
use crate::skip;

#[test]
fn every_option_of_the_installed_fio_is_known() {
    if skip::lacks_command("fio") {
        return;
    }
    let help = Command::new("fio").arg("--cmdhelp").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let names: Vec<&str> =
        help.lines().filter_map(|line| line.split_once(':')).map(|(name, _)| name.trim()).collect();
    assert!(names.len() > 150, "{help}");
    let unknown: Vec<&&str> = names
        .iter()
        .filter(|name| table::find(table::canonical(&name.replace('-', "_"))).is_none())
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn a_line_that_was_typed_at_fio_runs() {
    let bench = Bench::new();
    let line = "--name=test --filename=data --ioengine=libaio --direct=0 --rw=rw --bs=4k \
        --size=1m --numjobs=2 --group_reporting --time_based --runtime=300ms --ramp_time=100ms \
        --randrepeat=0 --norandommap --invalidate=1 --thread --status-interval=1";
    let words: Vec<&str> = std::iter::once("bench").chain(line.split_whitespace()).collect();
    let ended = bench.run(&words);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.out.contains("test: readwrite, bs 4k"), "{ended:?}");
    for said in ["data does not exist", "--status-interval has no effect"] {
        assert!(ended.err.contains(said), "{said}: {ended:?}");
    }
    assert_eq!(bench.leftovers(), Vec::<String>::new());
    let single = bench.run(&["bench", "-rw=randread", "-size", "64k", "-directory=."]);
    assert_eq!(single.code, 0, "{single:?}");
}

#[test]
fn what_would_destroy_is_neither_done_nor_offered() {
    let bench = Bench::new();
    let file = bench.path().join("mine");
    std::fs::write(&file, vec![7; 1 << 16]).unwrap();
    let job = "[a]\nfilename=mine\nrw=write\noverwrite=1\nbs=4k\n";
    std::fs::write(bench.path().join("w.fio"), job).unwrap();
    for (words, code) in [
        (&["bench", "w.fio"][..], 3),
        (&["bench", "--filename=mine", "--rw=write", "--overwrite=1"], 3),
        (&["bench", "--filename=mine", "--rw=write", "--overwit"], 2),
        (&["bench", "--filename=mine", "--rw=trim"], 2),
        (&["bench", ".", "--rw=write", "--readonly"], 2),
    ] {
        let ended = bench.run(words);
        assert_eq!(ended.code, code, "{ended:?}");
        assert!(!ended.err.contains("tip:"), "{ended:?}");
        assert!(code == 3 || !ended.err.contains("--overwrite"), "{ended:?}");
    }
    assert_eq!(std::fs::read(&file).unwrap(), vec![7; 1 << 16]);
    let written =
        bench.run(&["bench", "--filename=mine", "--rw=write", "--overwrite", "--size=50%"]);
    assert_eq!(written.code, 0, "{written:?}");
    let now = std::fs::read(&file).unwrap();
    assert!(now[..1 << 15] != [7; 1 << 15] && now[1 << 15..] == [7; 1 << 15], "half is written");
}

#[test]
fn a_read_from_memory_is_said_first() {
    let bench = Bench::new();
    let kind = Command::new("stat").args(["-f", "-c", "%T"]).arg(bench.path()).output().unwrap();
    if kind.stdout.starts_with(b"overlay") {
        return skip::skip("a directory on a disk", "the devices below an overlay are not known");
    }
    let file = bench.path().join("cached");
    std::fs::write(&file, vec![1; 4 << 20]).unwrap();
    std::fs::read(&file).unwrap();
    let warm = bench.run(&["bench", "cached", "--rw=read", "--bs=64k"]);
    assert!(warm.out.starts_with("Served from memory: "), "{warm:?}");
    let json = bench.run(&["bench", "cached", "--rw=read", "--format", "json"]).json();
    assert!(json["memory_share"].as_f64().unwrap() > 0.5, "{json}");
}
