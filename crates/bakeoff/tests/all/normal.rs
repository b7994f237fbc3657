//! One directory: four figures, whether they are normal, and what monitoring systems get of it.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::bench::{Bench, Ended};
use crate::skip;

/// Two workloads in a small file: enough for every kind of figure, whatever the speed.
fn quick(bench: &Bench, dir: &str, more: &[&str]) -> Ended {
    let words = ["quick", dir, "--workload", "randread,randwrite", "--size", "16m"];
    bench.run_in_time("20s", &[&words[..], more].concat())
}

/// What promtool has against the text.
fn complaints(text: &str) -> String {
    let mut command = Command::new("promtool");
    command.args(["check", "metrics"]).stdin(Stdio::piped());
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("promtool starts");
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&said).into_owned()
}

/// One run, then a second one that knows the first.
#[test]
fn a_directory_is_judged() {
    let bench = Bench::new();
    let dir = bench.dir("a \"b\"");
    let dir = dir.to_str().unwrap();
    let first = quick(&bench, dir, &["--format", "json"]);
    assert_eq!(first.code, 0, "{first:?}");
    let said = first.json();
    let figures = said["normal"]["figures"].as_array().expect("figures").clone();
    assert!(!figures.is_empty(), "{said}");
    for figure in &figures {
        assert!(figure["verdict"].is_string() && figure["iops"].as_f64() > Some(0.0), "{figure}");
    }
    let shown = bench.run(&["show", "last"]);
    assert!(shown.out.contains("IOPS"), "{}", shown.out);
    assert!(shown.out.lines().all(|line| line.chars().count() <= 80), "{}", shown.out);
    monitored(&bench);
}

/// The last run as metrics.
fn monitored(bench: &Bench) {
    let metrics = bench.run(&["show", "last", "--format", "prometheus"]);
    assert_eq!(metrics.code, 0, "{metrics:?}");
    assert!(metrics.out.contains("a \\\"b\\\"\",workload=\"randread\""), "{metrics:?}");
    assert!(metrics.out.contains("bakeoff_operations_per_second{"), "{metrics:?}");
    if !skip::lacks_command("promtool") {
        assert_eq!(complaints(&metrics.out), "");
        assert_ne!(complaints("bakeoff_x{a=\"\n"), "", "promtool finds what is wrong");
    }
}

/// The units of docs/monitoring.md, as somebody copies them.
#[test]
fn systemd_accepts_the_units_of_the_documentation() {
    if skip::lacks_command("systemd-analyze") {
        return;
    }
    let page = include_str!("../../../../docs/monitoring.md");
    let bench = Bench::new();
    let units = bench.dir("units");
    let mut blocks = page.split("```ini\n").skip(1).map(|part| part.split("```").next().unwrap());
    let names = ["bakeoff-quick.service", "bakeoff-quick.timer", "bakeoff-writes.service"];
    for name in names {
        assert!(page.contains(&format!("`{name}`:")), "{name}");
        fs::write(units.join(name), blocks.next().unwrap()).unwrap();
    }
    assert_eq!(blocks.next(), None);
    let verify = || {
        let mut command = Command::new("systemd-analyze");
        command.args(["verify", "--man=no"]).args(names.map(|name| units.join(name)));
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        // It complains about units of the machine, too.
        let ours = said
            .lines()
            .filter(|line| line.contains("bakeoff-") && !line.contains("is not executable"));
        (output.status.success(), ours.map(str::to_string).collect::<Vec<_>>())
    };
    let (_, said) = verify();
    assert_eq!(said, Vec::<String>::new());
    let timer = fs::read_to_string(units.join(names[1])).unwrap();
    fs::write(units.join(names[1]), timer.replace("monthly", "sometimes")).unwrap();
    assert!(!verify().1.is_empty(), "a wrong unit is found");
}
