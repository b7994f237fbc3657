//! `fit`: a directory judged for applications, and what is left of it.

use serde_json::Value;

use crate::bench::Bench;

/// One that nothing meets, and one that everything does.
const OWN: &str = r#"
[[workload]]
name = "own-log"
rw = "write"
bs = "4k"
fdatasync = 1
[[application]]
name = "hopeless"
about = "an application"
missed = "it waits"
[[application.demand]]
workload = "own-log"
of = "log writes"
need.operations = { per_s = 1e12 }
source = "made up"
[[application]]
name = "modest"
about = "another application"
missed = "it waits"
[[application.demand]]
workload = "own-log"
of = "log writes"
need.latency = { quantile = 0.5, limit_ns = 600_000_000_000 }
source = "made up"
"#;

#[test]
fn a_missed_limit_is_a_no_that_is_stored_and_nothing_is_left() {
    let bench = Bench::new();
    let dir = bench.dir("place");
    let dir = dir.to_str().unwrap();
    std::fs::write(bench.path().join("own.toml"), OWN).unwrap();
    let judged = |more: &[&str]| {
        let words = ["fit", "--app", "own.toml", "--time", "6s"];
        bench.run(&[&words[..], more].concat())
    };
    let ended = judged(&["hopeless", dir, "--format", "json"]);
    assert_eq!(ended.code, 5, "{ended:?}");
    let said: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(said["schema"], "bakeoff/fit/1");
    let application = &said["applications"][0];
    assert_eq!((&application["name"], &application["verdict"]), (&"hopeless".into(), &"no".into()));
    assert!(application["sentence"].as_str().unwrap().starts_with("No: hopeless needs"), "{said}");
    assert_eq!(std::fs::read_dir(dir).unwrap().count(), 0, "the scratch directory is removed");
    let shown = bench.run(&["show", "last", "--format", "json"]);
    assert_eq!((shown.code, &shown.out), (5, &ended.out), "{shown:?}");
    assert!(bench.run(&["runs"]).out.contains("no: hopeless"));
    assert_eq!(bench.run(&["resume", "last"]).code, 2);
}

#[test]
fn applications_are_listed_and_a_wrong_word_is_explained() {
    let bench = Bench::new();
    let listed = bench.run(&["fit"]);
    assert!(listed.code == 0 && listed.out.contains("\n  etcd "), "{listed:?}");
    for (words, said) in [
        (&["fit", "etc"][..], "did you mean 'etcd'?"),
        (&["fit", "."], "bakeoff fit all"),
        (&["fit", "etcd", ".", "."], "the directory comes after"),
        (&["fit", "etcd", "--beside", "nobody"], "--beside: there is no workload 'nobody'"),
        (&["fit", "--app", "nowhere.toml"], "cannot read nowhere.toml"),
    ] {
        let ended = bench.run(words);
        assert!(ended.code == 2 && ended.err.contains(said), "{words:?}: {ended:?}");
    }
}
