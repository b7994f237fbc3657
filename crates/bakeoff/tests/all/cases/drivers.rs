//! Plans with several drivers: the installed tools beside bakeoff's own engine.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use bakeoff_model::event::{Event, What};
use bakeoff_model::workload::DriverName;

use crate::bench::Bench;
use crate::on_image::{self, RUN};
use crate::skip;

/// One stack, one pattern, every driver that can do it, in short cells.
const PLAN: &str = r#"
title = "drivers"
[region]
size = "64m"
[[stack]]
fs = "ext4"
[[workload]]
rw = "randread"
bs = "4k"
direct = true
driver = ["native", "fio", "sysbench"]
[protocol]
mode = "quick"
cell_min = "100ms"
cell_min_ios = 10
"#;

fn lacks() -> bool {
    on_image::lacks() || skip::lacks_command("fio") || skip::lacks_command("sysbench")
}

fn made(plan: &str) -> Bench {
    let bench = Bench::new();
    on_image::made(&bench, plan, 96 * on_image::MIB);
    bench
}

#[test]
fn each_driver_s_numbers_version_and_words_are_kept() {
    if lacks() {
        return;
    }
    let bench = made(PLAN);
    let ended = bench.run(&RUN);
    assert!(matches!(ended.code, 0 | 1), "{ended:?}");
    let (events, run) = on_image::record(&bench);
    let workloads = &run.header.workloads;
    let drivers: Vec<DriverName> = workloads.iter().map(|workload| workload.driver).collect();
    assert_eq!(drivers, [DriverName::Native, DriverName::Fio, DriverName::Sysbench]);
    let mut seen = [false; 3];
    for event in &events {
        let What::CellDone(cell) = &event.what else { continue };
        let driver = workloads[cell.workload].driver;
        let measurement = &cell.measurement;
        assert!(measurement.read.as_ref().is_some_and(|read| read.total_ios > 0), "{cell:?}");
        seen[drivers.iter().position(|known| *known == driver).unwrap()] = true;
        let Some(tool) = &measurement.tool else {
            assert_eq!((driver, &cell.raw), (DriverName::Native, &None));
            continue;
        };
        assert_eq!(tool.driver, driver);
        let said = match driver {
            DriverName::Fio => "\"fio version\"",
            _ => "File operations:",
        };
        assert!(cell.raw.as_ref().unwrap().contains(said), "{:?}", cell.raw);
        let version = Command::new(driver.name()).arg("--version").output().unwrap().stdout;
        assert!(String::from_utf8_lossy(&version).contains(&tool.version), "{tool:?}");
        assert_eq!(tool.command[0], driver.name());
    }
    assert_eq!(seen, [true; 3]);
    // What a tool printed comes back out of the run as it was, and show reads it.
    let raw = events.iter().find_map(|event| match &event.what {
        What::CellDone(cell) if cell.measurement.tool.is_some() => cell.raw.clone(),
        _ => None,
    });
    fs::write(bench.path().join("raw.txt"), raw.unwrap()).unwrap();
    let imported = bench.run(&["--format", "json", "show", "raw.txt"]).json();
    assert_eq!(imported["results"].as_array().unwrap().len(), 1, "{imported}");
}

/// It once failed the whole plan: a list of drivers had to fit every workload.
#[test]
fn a_driver_that_cannot_do_a_workload_is_skipped_and_the_others_run() {
    if lacks() {
        return;
    }
    let text = PLAN.replace("\"sysbench\"", "\"dd\", \"bonnie\"");
    assert_ne!(text, PLAN);
    let bench = made(&text);
    let shown = bench.run(&["plan", "--commands", "plan.toml"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(shown.out.contains("Not measured\n  randread-4k-dd: dd cannot"), "{}", shown.out);
    let ended = bench.run(&RUN);
    assert!(matches!(ended.code, 0 | 1), "{ended:?}");
    assert!(ended.err.contains("Not measured (randread-4k-dd): dd cannot run this"), "{ended:?}");
    let (_, run) = on_image::record(&bench);
    let drivers: Vec<DriverName> = run.header.workloads.iter().map(|w| w.driver).collect();
    assert_eq!(drivers, [DriverName::Native, DriverName::Fio]);
    let shown = bench.run(&["show", "last", "--details"]).out;
    assert!(shown.contains("randread-4k-bonnie: bonnie++ cannot run this"), "{shown}");
    // Nothing left over is a mistake in the plan, and nothing is asked or changed for it.
    let alone = text.replace("[\"native\", \"fio\", \"dd\", \"bonnie\"]", "\"dd\"");
    fs::write(bench.path().join("plan.toml"), alone).unwrap();
    let refused = bench.run(&RUN);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("dd cannot run this"), "{refused:?}");
}

/// A tool's direct writes on btrfs were told as direct, beside the engine's that were refused.
#[test]
fn direct_writes_of_a_tool_that_go_through_the_cache_are_found_out() {
    if lacks() || skip::lacks_command("mkfs.btrfs") || skip::lacks_kernel_filesystem("btrfs") {
        return;
    }
    let plan = PLAN.replace("ext4", "btrfs").replace("64m", "160m").replace("randread", "write");
    let bench = made(&plan);
    fs::File::create(bench.path().join("disk.img")).unwrap().set_len(224 << 20).unwrap();
    let ended = bench.run(&RUN);
    assert!(matches!(ended.code, 0 | 1), "{ended:?}");
    let (_, run) = on_image::record(&bench);
    assert_eq!(run.header.workloads.len(), 3, "{ended:?}");
    let cells: Vec<_> = run.blocks.iter().flat_map(|block| &block.cells).collect();
    assert!(cells.len() >= 9, "{ended:?}");
    for cell in cells {
        let dirtied = cell.truth.dirtied_per_page;
        assert!(dirtied.is_some_and(|pages| pages > 0.5), "{}: {dirtied:?}", cell.workload);
    }
}

/// A PATH on which fio is this script, and the file that its child has open.
fn instead_of_fio(bench: &Bench, script: &str) -> (String, PathBuf) {
    let tools = bench.dir("tools").canonicalize().unwrap();
    let left = tools.join("left");
    let script = script.replace("LEFT", &left.display().to_string());
    fs::write(tools.join("fio"), format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(tools.join("fio"), fs::Permissions::from_mode(0o755)).unwrap();
    (format!("{}:{}", tools.display(), std::env::var("PATH").unwrap()), left)
}

/// Whether a child lives on. It is known by its file: the tool may be killed before it could note a
/// number. Who has ended has no file open, whether or not its parent has asked how.
fn lives(left: &Path) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let inputs = processes.filter_map(|process| fs::read_link(process.path().join("fd/0")).ok());
    inputs.into_iter().any(|input| input == left)
}

/// Leaves a process.
const LEAVES: &str = ": > LEFT; sleep 1000 < LEFT &";

/// A tool that answers and then hangs in a cell: that cell ends with its reason, once; the tool is
/// not started again, and the others are measured.
#[test]
fn a_tool_that_hangs_in_a_cell_is_ended_with_its_children_and_the_others_go_on() {
    if lacks() {
        return;
    }
    let bench = made(&PLAN.replace("cell_min_ios", "cell_max = \"2s\"\ncell_min_ios"));
    let hangs = "[ $1 = --version ] && exec /usr/bin/fio --version\n\
                 LEAVES echo x >> LEFT.times; wait";
    let (path, left) = instead_of_fio(&bench, &hangs.replace("LEAVES", LEAVES));
    let output = bench.bakeoff().args(RUN).env("PATH", path).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    let (events, run) = on_image::record(&bench);
    assert_eq!(run.header.workloads.len(), 3);
    let mut reasons = Vec::new();
    let mut measured = [0; 3];
    for event in &events {
        match &event.what {
            What::CellDone(cell) => measured[usize::from(cell.workload)] += 1,
            What::CellInvalid { workload, reason, .. } if workload.number() == 1 => {
                reasons.push(reason.as_str())
            }
            _ => {}
        }
    }
    assert!(measured[0] >= 3 && measured[1] == 0 && measured[2] >= 3, "{measured:?}");
    assert!(reasons[0].contains("fio did not finish within 14 s and was killed"), "{reasons:?}");
    assert!(reasons[1..].iter().all(|why| why.ends_with("it was not restarted")), "{reasons:?}");
    assert_eq!(fs::read_to_string(left.with_extension("times")).unwrap(), "x\n");
    assert!(!lives(&left));
    assert!(bench.run(&["show", "last", "--details"]).out.contains("did not finish within"));
}

#[test]
fn what_a_tool_leaves_running_ends_with_its_cell() {
    if lacks() {
        return;
    }
    let bench = made(PLAN);
    let (path, left) = instead_of_fio(&bench, &format!("{LEAVES} exec /usr/bin/fio \"$@\""));
    let output = bench.bakeoff().args(RUN).env("PATH", path).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    let (events, _) = on_image::record(&bench);
    let is_fio =
        |event: &&Event| matches!(&event.what, What::CellDone(cell) if cell.workload.number() == 1);
    assert!(events.iter().filter(is_fio).count() >= 3);
    assert!(!lives(&left));
}
