//! `bakeoff quick DIR --tool NAME`: tools as candidates, what each of them did, and what is said
//! where one is missing.

use bakeoff_model::workload::DriverName;

use crate::bench::Bench;
use crate::on_image::record;

#[test]
fn a_tool_takes_turns_with_bakeoff_in_one_directory_and_leaves_nothing() {
    let bench = Bench::new();
    let dir = bench.dir("here");
    let path = dir.to_str().unwrap();
    let only = ["--workload", "seqread", "--size", "64m"];
    let ended = bench.run_in_time("25s", &[&["quick", path, "--tool", "dd"], &only[..]].concat());
    assert!(ended.code <= 1, "{ended:?}");
    let (_, run) = record(&bench);
    let names: Vec<&str> = run.header.candidates.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["bakeoff", "dd"]);
    let mut cells = [0, 0];
    for cell in run.complete_cells() {
        let candidate = usize::from(cell.candidate);
        let driver = cell.measurement.tool.as_ref().map(|tool| tool.driver);
        assert_eq!(driver, [None, Some(DriverName::Dd)][candidate]);
        cells[candidate] += 1;
    }
    assert!(cells[0] >= 1 && cells[0] == cells[1], "{cells:?} {ended:?}");
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0);
}

#[test]
fn what_a_tool_cannot_do_is_not_measured() {
    let bench = Bench::new();
    let refused = bench.run(&["quick", "--tool", "dd", "--workload", "smallfiles"]);
    assert_eq!(refused.code, 4, "{refused:?}");
    assert!(refused.err.contains("cannot measure any workload here"), "{refused:?}");
    let missing = bench.bakeoff().args(["quick", "--tool", "fio"]).env("PATH", "/nowhere").output();
    let missing = crate::bench::Ended::from_output(missing.unwrap());
    assert!(missing.code == 4 && missing.err.contains("fio is not installed"), "{missing:?}");
    let several = bench.run(&["quick", ".", "data", "--tool", "fio"]);
    assert_eq!(several.code, 2, "{several:?}");
}
