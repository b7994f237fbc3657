//! A candidate measured twice, as a control.

use crate::bench::Bench;
use crate::on_image::{MIB, RUN, SMALL, lacks, made, record};

#[test]
fn a_run_without_a_twin_takes_over_what_the_twins_of_earlier_runs_saw() {
    if lacks() {
        return;
    }
    let bench = Bench::new();
    made(&bench, SMALL, 96 * MIB);
    let first = bench.run(&RUN);
    assert!(first.code <= 1, "{first:?}");
    assert_eq!(record(&bench).1.pooled, None, "there was nothing to take over");
    let precise = ["--mode", "precise", "--max-write", "2500m"];
    let twin = bench.run(&[&RUN[..], &precise].concat());
    assert!(twin.code <= 1, "{twin:?}");
    let (_, with_twin) = record(&bench);
    assert_eq!(with_twin.pooled, None, "it has one of its own");
    let plain = bench.run(&[&RUN[..], &["-o", "r.html"]].concat());
    assert!(plain.code <= 1, "{plain:?}");
    let (_, run) = record(&bench);
    let blocks = with_twin.complete_blocks().count();
    let Some(pooled) = run.pooled else { panic!("{blocks} blocks with a twin, {plain:?}") };
    assert_eq!(pooled.runs, [with_twin.header.run]);
    let [of] = pooled.workloads.as_slice() else { panic!("{pooled:?}") };
    assert!(of.blocks >= 3 && of.blocks as usize <= blocks, "{pooled:?}");
    let report = std::fs::read_to_string(bench.path().join("r.html")).unwrap();
    assert!(report.contains(&of.label()), "{}", of.label());
    let again = [bench.run(&["show", "last"]), bench.run(&["show", "last"])].map(|r| r.out);
    assert_eq!(again[0], again[1]);
}

/// A twin of btrfs could not be made beside its original on loop devices, and ended the run.
#[test]
fn btrfs_has_no_twin_where_two_of_it_cannot_stand() {
    if lacks() {
        return;
    }
    const PLAN: [&str; 5] = ["plan", "--commands", "plan.toml", "--target", "disk.img"];
    let bench = Bench::new();
    let plan = "title = 'twins'\n[[stack]]\nfs = ['ext4', 'btrfs']\n[[workload]]\nrw = 'randwrite'\n\
                [protocol]\nisolation = 'slices'\n";
    made(&bench, plan, 2048 * MIB);
    for seed in ["1", "2", "3", "4", "5", "6"] {
        let planned = bench.run(&[&PLAN[..], &["--seed", seed, "--format", "json"]].concat());
        let names = planned.json()["candidates"].to_string();
        assert!(!names.contains("btrfs (twin)"), "seed {seed}: {names}");
        assert!(names.contains("twin") || names.contains("btrfs"), "{names}");
    }
    let two =
        plan.replace("['ext4', 'btrfs']", "'btrfs'\nmount = [[], ['noatime', 'compress=zstd']]");
    made(&bench, &two, 2048 * MIB);
    let refused = bench.run(&PLAN);
    assert!(refused.code == 2 && refused.err.contains("Leave one out"), "{refused:?}");
}
