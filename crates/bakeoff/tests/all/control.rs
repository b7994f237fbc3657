//! A candidate measured twice, as a control.

use crate::bench::Bench;
use crate::on_image::{MIB, lacks, made};

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
