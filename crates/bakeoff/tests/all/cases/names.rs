//! A directory with a name that tools trip over, given twice: so both are on one filesystem.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use crate::bench::{Bench, Ended, verdict_keys};

#[test]
fn spaces_newlines_foreign_bytes_and_the_same_directory_twice() {
    let bench = Bench::new();
    let odd = bench.path().join(OsStr::from_bytes(b"a b\n\x1b[31mc\xff'\"$(x)"));
    fs::create_dir(&odd).unwrap();
    fs::write(odd.join("theirs"), "keep").unwrap();
    let run = |time: &str| {
        let mut command = bench.bakeoff();
        command.args(["quick", "--workload=randwrite", "--size=16m", "--output=answer.html"]);
        Ended::from_output(command.args(["--time", time]).args([&odd, &odd]).output().unwrap())
    };
    // A time too short for the blocks of this machine is refused.
    let ended = run("1m");
    let ended = if ended.code == 2 { run("15m") } else { ended };
    assert!(ended.code == 0 || ended.code == 1, "{ended:?}");
    for text in [&ended.out, &ended.err] {
        assert!(!text.contains('\u{1b}'), "{ended:?}");
        assert!(!text.contains("a b\n\u{1b}"), "{ended:?}");
    }
    let shown = bench.run(&["show", "last", "--details"]).out;
    let places = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(places.contains("a b\\x0a\\x1b[31mc\\xff"), "{shown}");
    assert!(places.contains("on the same filesystem"), "{shown}");
    assert_eq!(bench.leftovers(), Vec::<String>::new());
    assert_eq!(fs::read_to_string(odd.join("theirs")).unwrap(), "keep");
    assert_eq!(fs::read_dir(&odd).unwrap().count(), 1);

    let report = fs::read_to_string(bench.path().join("answer.html")).unwrap();
    assert!(report.contains("a b\\x0a\\x1b[31mc\\xff&#"), "the name is not in the report, escaped");
    the_stored_run_is_the_same(&bench);
}

/// `show` says of the run what `quick` measured.
fn the_stored_run_is_the_same(bench: &Bench) {
    let shown = bench.run(&["show", "last", "--format", "json"]).json();
    assert_eq!(shown["schema"], "bakeoff/run/2");
    let names: Vec<&str> = shown["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["name"].as_str().unwrap())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert_eq!(names[1], format!("{} (2)", names[0]));
    verdict_keys(&shown);
    let blocks = shown["blocks"].as_u64().unwrap();
    assert!(blocks >= 3, "{shown}");
    assert!(
        shown["cells"].as_u64().unwrap() >= 2 * blocks.min(3),
        "a cell a candidate and block: {shown}"
    );
}
