//! The bytes that a run announces before its first block, against what arrives at a drive of its
//! own: a loop device, whose counter the kernel keeps.

use std::fs;
use std::path::Path;

use bakeoff_judge::decide::cost;
use bakeoff_model::profile::Profile;
use bakeoff_model::run::Block;

use crate::bench::Bench;
use crate::on_image;

/// How far the announcement may be off, where blocks do not differ by more from each other.
const SHARE: f64 = 0.25;

/// Blocks that are announced: those before the first look of mode quick.
const BLOCKS: u64 = 3;

/// Bytes that a block device has written.
fn written_bytes(device: &Path) -> u64 {
    let name = device.file_name().unwrap().to_str().unwrap();
    let stat = fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
    stat.split_ascii_whitespace().nth(6).unwrap().parse::<u64>().unwrap() * 512
}

/// A run of the profile on one candidate, which ends after its first blocks. Its parts end by what
/// they did and not by time, as far as they can: how fast the machine is decides nothing then.
fn plan(profile: Profile) -> String {
    format!(
        r#"
title = "forecast"
[region]
size = "256m"
[[stack]]
fs = "ext4"
[[workload]]
profile = "{}"
size = "32m"
[protocol]
isolation = "visit"
mode = "quick"
time = "2h"
cell_min = "1ms"
cell_min_ios = 10
"#,
        profile.name()
    )
}

fn announces_what_it_writes(profile: Profile) {
    if on_image::lacks() {
        return;
    }
    let mut bench = Bench::new();
    let device = bench.attach("1g");
    fs::write(bench.path().join("plan.toml"), plan(profile)).unwrap();
    let target = device.to_str().unwrap();
    let planned = bench
        .run(&["plan", "--commands", "plan.toml", "--target", target, "--format", "json"])
        .json();
    let token = planned["targets"][0]["erase_token"].as_str().unwrap();
    let before = written_bytes(&device);
    // A quick machine writes more than the limit would be.
    let words = [
        "run",
        "--anyway",
        "plan.toml",
        "--target",
        target,
        "--erase",
        token,
        "--max-write",
        "400g",
    ];
    let ended = bench.run(&words);
    assert!(matches!(ended.code, 0 | 1), "{profile:?}: {ended:?}");
    let done = (written_bytes(&device) - before) as f64;
    let (_, run) = on_image::record(&bench);
    let blocks: Vec<u64> = run.complete_blocks().map(cells_bytes).collect();
    assert!((1..=BLOCKS).contains(&(blocks.len() as u64)), "{profile:?}: {ended:?}");
    // Of blocks that a limit left out nothing was written.
    let left_out = (BLOCKS - blocks.len() as u64) * run.rehearsal.unwrap().block_write_bytes;
    let announced = (run.header.expected_write_bytes - left_out) as f64;
    let off = (announced / done - 1.0).abs();
    // Nobody can say more of a block than what blocks have in common.
    let most = *blocks.iter().max().unwrap() as f64;
    let apart = most / (*blocks.iter().min().unwrap() as f64).max(1.0) - 1.0;
    assert!(off <= SHARE.max(apart), "{profile:?}: announced {announced}, wrote {done}: {ended:?}");
}

/// Bytes that the cells of a block wrote.
fn cells_bytes(block: &Block) -> u64 {
    block.cells.iter().map(|cell| cost::measured_bytes(&cell.measurement)).sum()
}

macro_rules! profiles {
    ($($name:ident $profile:ident)*) => {
        $(#[test]
        fn $name() {
            announces_what_it_writes(Profile::$profile);
        })*

        #[test]
        fn every_profile_has_its_forecast_tested() {
            assert_eq!([$(Profile::$profile),*].as_slice(), Profile::ALL);
        }
    };
}

profiles! {
    sqlite_announces_what_it_writes Sqlite
    home_assistant_announces_what_it_writes HomeAssistant
    nas_announces_what_it_writes Nas
    copy_tree_announces_what_it_writes CopyTree
    boot_announces_what_it_writes Boot
    package_install_announces_what_it_writes PackageInstall
    desktop_announces_what_it_writes Desktop
    backup_announces_what_it_writes Backup
}
