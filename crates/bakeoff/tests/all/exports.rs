//! `bakeoff show -o` for other programs: fio's JSON and gnuplot.

use crate::skip;
use crate::stored;
use crate::stored::Home;

#[test]
fn fio_json_in_a_directory_is_one_file_a_case_with_what_plotters_read() {
    let home = Home::with_run();
    let place = home.dir.path().join("out");
    std::fs::create_dir(&place).unwrap();
    home.cmd(&["show", "last", "--format", "fio-json", "--no-redact", "-o", "out"])
        .assert()
        .success();
    let mut files = 0;
    for candidate in std::fs::read_dir(&place).unwrap() {
        for file in std::fs::read_dir(candidate.unwrap().path()).unwrap() {
            let text = std::fs::read(file.unwrap().path()).unwrap();
            let json: serde_json::Value = serde_json::from_slice(&text).unwrap();
            let job = &json["jobs"][0];
            // The keys fio-plot 1.1 takes its figures from.
            for key in ["rw", "bs", "iodepth", "numjobs"] {
                assert!(job["job options"][key].is_string(), "{key}");
            }
            for key in ["bw", "iops", "iops_stddev"] {
                assert!(job["read"][key].is_number() && job["write"][key].is_number(), "{key}");
            }
            assert!(job["read"]["lat_ns"]["mean"].is_number());
            assert!(job["latency_us"]["50"].is_number() && job["usr_cpu"].is_number());
            files += 1;
        }
    }
    assert!(files > 0);
}

#[test]
fn gnuplot_draws_the_picture_where_it_is_installed() {
    if skip::lacks_command("gnuplot") {
        return;
    }
    let home = Home::with_run();
    let place = home.dir.path().join("out");
    std::fs::create_dir(&place).unwrap();
    home.cmd(&["show", "last", "--format", "gnuplot", "--no-redact", "-o", "out"])
        .assert()
        .success();
    let picture = place.join(format!("bakeoff-{}.png", stored::RUN));
    let bytes = std::fs::read(picture).unwrap();
    assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 1000, "{}", bytes.len());
}

#[test]
fn without_gnuplot_the_script_remains_and_the_package_is_named() {
    let home = Home::with_run();
    std::fs::create_dir(home.dir.path().join("out")).unwrap();
    let mut command =
        home.cmd(&["show", "last", "--format", "gnuplot", "--no-redact", "-o", "out"]);
    let output = command.env("PATH", "/nowhere").assert().success().get_output().clone();
    assert!(String::from_utf8_lossy(&output.stderr).contains("gnuplot-nox"));
    assert!(home.dir.path().join(format!("out/bakeoff-{}.gp", stored::RUN)).exists());
}

/// A file of that name was written without a word.
#[test]
fn a_directory_that_is_not_there_is_made_where_the_name_says_that_it_is_one() {
    let home = Home::with_run();
    let export = |format: &str, to: &str| {
        let mut command = home.cmd(&["show", "last", "--format", format, "--no-redact", "-o", to]);
        command.env("PATH", "/nowhere").assert().get_output().clone()
    };
    let said = |output: &std::process::Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let at = |name: &str| home.dir.path().join(name);
    for (format, name) in [("fio-json", "new/plots/"), ("gnuplot", "pictures/")] {
        assert!(export(format, name).status.success(), "{format}");
        assert!(std::fs::read_dir(at(name)).unwrap().next().is_some());
    }
    // Without the `/` it is a file, and what a directory would have is said.
    let output = export("fio-json", "one");
    assert!(output.status.success() && at("one").is_file());
    assert!(said(&output).contains("-o one/"), "{}", said(&output));
    assert_eq!(said(&export("fio-json", "one.json")), "");
    // One document is no directory.
    let output = export("csv", "tables/");
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("Specify a file in it") && !at("tables").exists());
}

#[test]
fn a_card_is_a_picture_of_1200_by_630_or_the_svg_of_it() {
    let home = Home::with_run();
    home.cmd(&["show", "last", "-o", "card.svg"]).assert().success();
    let svg = std::fs::read_to_string(home.dir.path().join("card.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("width=\"1200\" height=\"630\""), "{svg}");
    // Without the web bundle there are no letters to draw, which it says.
    let output = home.cmd(&["show", "last", "-o", "card.png"]).assert().get_output().clone();
    if output.status.code() == Some(4) {
        assert!(String::from_utf8_lossy(&output.stderr).contains("make web"));
        return;
    }
    let png = std::fs::read(home.dir.path().join("card.png")).unwrap();
    let word = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert!(png.starts_with(b"\x89PNG"), "not a PNG");
    assert_eq!((word(16), word(20)), (1200, 630));
}
