//! `bakeoff compare` as a user calls it, on stored runs.

// Unwrapping in a test is an assertion.

use crate::stored::{Home, RUN, json};
use bakeoff_judge::import::pasted::runs_of;
use bakeoff_judge::levels::line::encode;

const OTHER: &str = "fedcba9876543210";

/// A store with the kept run and another like it, changed in its text.
fn home(change: impl FnOnce(String) -> String) -> Home {
    let home = Home::with_run();
    home.add_changed(OTHER, change);
    home
}

#[test]
fn repetitions_of_a_run_have_one_answer() {
    let home = home(|text| text);
    let (code, out, err) = home.run(&["compare", "0123", "fedc"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.starts_with("Across 2 runs that differ only in the time"), "{out}");
    assert!(out.contains("ext4 is ahead on "), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    let json = json(&home.run(&["compare", RUN, OTHER, "--format", "json"]).1);
    assert_eq!(json["schema"], "bakeoff/compare/1");
    assert_eq!(json["answers"][0]["verdict"], "fastest");
    assert_eq!(json["answers"][0]["winner"], "ext4");
    assert_eq!(json["runs"][1]["run"], OTHER);
}

#[test]
fn another_kernel_is_not_ranked_unless_it_is_the_question() {
    let home = home(|text| text.replace("6.12.47+rpt-rpi-v8", "6.6.20"));
    let (code, out, _) = home.run(&["compare", "0123", "fedc"]);
    assert_eq!(code, 1, "{out}");
    let said = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.starts_with("Not ranked: these runs differ in kernel (6.12.47"), "{out}");
    assert!(said.contains("bakeoff compare 01234567 fedcba98 --across kernel"), "{out}");
    assert!(out.contains("runs-differ"), "{out}");
    let (code, out, _) = home.run(&["compare", "0123", "fedc", "--across", "kernel"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.starts_with("On 2 of 2 kernels: /mnt/usb.\n"), "{out}");
    assert!(out.contains("Across 2 runs that differ in kernel (6.12.47"), "{out}");
    let (code, out, _) =
        home.run(&["compare", "0123", "fedc", "--across", "device", "--format", "json"]);
    let json = json(&out);
    assert_eq!(
        (code, json["is_alike"].as_bool(), json["across"].as_str()),
        (1, Some(false), Some("device"))
    );
    assert_eq!(json["answers"][0]["verdict"], "refused");
    assert_eq!(json["findings"][0]["id"], "runs-differ");
}

#[test]
fn boards_are_named_by_a_label_and_have_one_answer() {
    let home = home(|text| text.replace("\"hostname\":\"pi\"", "\"hostname\":\"pi-2\""));
    for run in ["0123", "fedc"] {
        assert_eq!(home.run(&["runs", "label", run, "cards"]).0, 0);
    }
    let (code, out, err) = home.run(&["compare", "cards", "--across", "board"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.starts_with("On 2 of 2 boards: /mnt/usb.\n"), "{out}");
    assert!(out.contains("pi-2 (Raspberry Pi 4 Model B Rev 1.4), run fedcba98: "), "{out}");
    let out = home.run(&["compare", "cards", "--across", "board", "--format", "json"]).1;
    assert_eq!(json(&out)["answers_across"]["agreed"], "/mnt/usb", "{out}");
}

#[test]
fn what_cannot_be_compared_says_what_to_type() {
    let home = Home::with_run();
    for (args, says) in [
        (&["compare", "last"][..], "specify two runs"),
        (&["compare", "last", "0123"], "specify two runs"),
        (&["compare", "last", "ffff"], "no run 'ffff'"),
        (&["compare", "last", "--across", "board"], "specify two runs"),
        (&["compare", "last", "last", "--across", "kernl"], "'kernel'"),
        (&["compare", "last", "0123", "--format", "csv"], "json or markdown"),
    ] {
        let (code, _, err) = home.run(args);
        assert_eq!(code, 2, "{args:?}: {err}");
        assert!(err.to_lowercase().contains(says), "{args:?}: {err}");
    }
}

/// The line of the kept run, with every rate multiplied.
fn pasted(home: &Home, factor: f64) -> String {
    let (code, block, err) = home.run(&["show", "0123", "--paste"]);
    assert_eq!((code, err.as_str()), (0, ""), "{block}");
    let (mut runs, errors) = runs_of(block.as_bytes());
    assert!(errors.is_empty(), "{errors:?}");
    let mut run = runs.pop().unwrap();
    let levels = run.workloads.iter_mut().flat_map(|workload| &mut workload.levels).flatten();
    levels.for_each(|level| level.mean += factor.ln());
    encode(&run)
}

#[test]
fn the_gate_exits_by_what_is_certain() {
    let home = home(|text| text);
    let gate =
        |runs: &[&str]| home.run(&[&["compare"], runs, &["--fail-if-slower", "10%"]].concat());
    let (code, out, err) = gate(&["0123", "fedc"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.starts_with("Not slower by 10 %"), "{out}");
    for (factor, expected, says) in [
        (0.6, 5, "Slower by more than 10 %"),
        (0.9, 1, "Cannot tell whether it is slower by 10 %"),
        (1.5, 0, "Not slower by 10 %"),
    ] {
        let (code, out, err) = gate(&["0123", &pasted(&home, factor)]);
        assert_eq!((code, err.as_str()), (expected, ""), "{factor}: {out}");
        assert!(out.starts_with(says), "{factor}: {out}");
        assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    }
    let (code, out, _) =
        home.run(&["compare", "0123", "fedc", "--fail-if-slower", "10%", "--format", "json"]);
    let json = json(&out);
    assert_eq!((code, &json["gate"]["verdict"]), (0, &"not_slower".into()), "{out}");
    let (code, _, err) = home.run(&["compare", "0123", "fedc", "--fail-if-slower", "0"]);
    assert!(code == 2 && err.contains("such as 10%"), "{err}");
    let (code, _, err) = home.run(&["compare", "0123", "--fail-if-slower", "10%"]);
    assert!(code == 2 && err.contains("nothing to compare with"), "{err}");
}

#[test]
fn a_pasted_run_is_shown_and_compared_wherever_it_stands() {
    let home = Home::with_run();
    let line = pasted(&home, 1.0);
    let quoted: String = line
        .as_bytes()
        .chunks(70)
        .map(|part| format!("> {}\n", std::str::from_utf8(part).unwrap()))
        .collect();
    let file = home.file("post.txt", format!("My stick:\n{quoted}"));
    let file = file.to_str().unwrap();
    let (code, out, err) = home.run(&["show", file]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.starts_with("Pasted run 01234567") && !out.contains("/mnt"), "{out}");
    let shown = json(&home.run(&["show", file, "--format", "json"]).1);
    assert_eq!(
        (&shown["schema"], &shown["runs"][0]["line"]),
        (&"bakeoff/pasted/1".into(), &line.clone().into())
    );
    let (code, out, err) = home.run(&["compare", "0123", file]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("1.00 (0.9"), "{out}");
    let cut = home.file("cut.txt", &line[..200]);
    let (code, out, err) = home.run(&["show", cut.to_str().unwrap()]);
    assert!(code == 1 && out.contains("cut off"), "{out}{err}");
}

#[test]
fn a_comparison_for_a_use_has_the_recommendation_of_each_run() {
    let home = home(|text| text);
    let (_, out, err) = home.run(&["compare", "0123", "fedc", "--for", "windows"]);
    assert_eq!(err, "");
    assert!(out.contains("Recommended\n  01234567"), "{out}");
}
