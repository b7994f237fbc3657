//! Whether the files of a plan fit into what its filesystems leave free.

use crate::plan::built_in;
use crate::testing::expanded;
use bakeoff_machine::prepare::capacity::{scratch_bytes, too_large};
use bakeoff_model::candidate::Skipped;
use bakeoff_model::workload::Workload;

const MIB: u64 = 1 << 20;

fn found(region_mib: u64, change: impl Fn(&mut Workload)) -> Vec<Skipped> {
    let mut made = expanded(built_in("usb-stick").expect("it is built in").text, &[]);
    made.workloads.iter_mut().for_each(change);
    too_large(&made.candidates, &made.workloads, None, &[region_mib * MIB])
}

#[test]
fn a_size_that_is_asked_for_is_held_against_what_each_leaves() {
    let asked = |w: &mut Workload| {
        if w.name == "seqwrite" {
            (w.sized, w.job.size) = (true, 240 * MIB);
        }
    };
    assert_eq!(found(320, asked), []);
    let all = found(300, asked);
    let [one] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!(one.name, "seqwrite on f2fs");
    assert!(one.reason.starts_with("its files and a data file of"), "{}", one.reason);
    assert!(one.reason.ends_with("or use a smaller size"), "{}", one.reason);
}

#[test]
fn files_share_what_the_most_demanding_candidate_leaves() {
    let made = |fs: &str| {
        let text = format!("[axes]\nfs = {fs}\n[[stack]]\n[[workload]]\nname = 'randwrite'\n");
        expanded(&text, &[]).candidates
    };
    let room = |fs: &str, mib: u64| scratch_bytes(&made(fs), mib * MIB) / MIB;
    let smaller = "['btrfs']\nmkfs = [['-m', 'single']]";
    assert_eq!(room(smaller, 128), 32, "what is not known is not counted");
    assert_eq!((room("['ext4']", 128), room("['ext4', 'f2fs']", 128)), (32, 17));
    // Never less than the smallest data file, and never more than before.
    assert_eq!((room("['btrfs']", 128), room("['reiserfs']", 64)), (16, 16));
    assert_eq!(room("['f2fs', 'btrfs']", 4096), 1004);
}
