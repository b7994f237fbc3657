//! The commands of a winner, run as they are printed: they make the filesystem that was measured.

use std::fs;
use std::path::Path;
use std::process::Command;

use bakeoff_machine::prepare::options::{self, OptionProfile};
use bakeoff_machine::prepare::recipe::RECIPES;
use bakeoff_machine::prepare::steps::mkfs_argv;
use bakeoff_model::candidate::Stack;
use bakeoff_model::path::RawPath;
use bakeoff_report::recipe_commands;

use crate::bench::{Bench, LoopDevice, must};
use crate::on_image::MIB;
use crate::skip;

/// An image on a loop device.
fn attached(bench: &Bench, name: &str) -> LoopDevice {
    let path = bench.path().join(name);
    fs::File::create(&path).unwrap().set_len(400 * MIB).unwrap();
    LoopDevice::over(&path)
}

/// What mkfs decided, without what differs from one filesystem to the next.
fn made_of(fs: &str, device: &str) -> String {
    let (program, words): (&str, &[&str]) = match fs {
        "xfs" => ("xfs_db", &["-r", "-c", "info"]),
        "btrfs" => ("btrfs", &["inspect-internal", "dump-super"]),
        _ => ("dumpe2fs", &["-h"]),
    };
    let said = must(Command::new(program).args(words).arg(device));
    let keeps = |line: &&str| {
        ["features", "flags", "size", "nodes", "type", "Inode", "Block", "crc", "log", "reflink"]
            .iter()
            .any(|word| line.contains(word))
            && ![
                "UUID",
                "time",
                "Free",
                "free",
                "uuid",
                "used",
                "generation",
                "csum\t",
                "log_root",
                "Hash",
                "written",
                "mount",
                "total_bytes",
                "lazy",
            ]
            .iter()
            .any(|word| line.contains(word))
    };
    said.replace(device, "DEVICE").lines().filter(keeps).collect::<Vec<_>>().join("\n")
}

/// Options in force, without the one that a measurement adds.
fn options_at(at: &Path) -> Vec<String> {
    let at = at.to_str().unwrap();
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    let line = mounts.lines().find(|line| line.split(' ').nth(1) == Some(at)).unwrap();
    let words = line.split(' ').nth(3).unwrap().split(',');
    words.filter(|word| !word.contains("discard")).map(str::to_string).collect()
}

fn unmount(at: &Path) {
    must(Command::new("umount").arg(at));
}

#[test]
fn the_commands_of_a_winner_make_what_was_measured() {
    if skip::lacks_root() || skip::lacks_loop_devices() || skip::lacks_command("losetup") {
        return;
    }
    let mut bench = Bench::new();
    let at = bench.dir("mnt");
    bench.unmount_later(at.clone());
    let words = |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
    for (name, mkfs, mount) in [
        ("ext4", "-m 0 -E stride=4 -I 512", "commit=60,data=writeback"),
        ("ext4 without journal", "", "nobarrier"),
        ("xfs", "-m reflink=0 -i size=1024", "logbufs=4"),
        ("btrfs", "-m single -n 8k", "compress=zstd:1"),
    ] {
        let recipe = RECIPES.iter().find(|recipe| recipe.name == name).unwrap();
        if skip::lacks_command(recipe.mkfs) || skip::lacks_kernel_filesystem(recipe.fs) {
            continue;
        }
        let stack: Stack =
            options::stack(recipe, OptionProfile::Default, &words(mkfs), &words(mount));
        let measured = attached(&bench, "measured.img");
        let argv = mkfs_argv(&stack, &RawPath::new(&measured.0));
        let argv: Vec<String> = argv.iter().map(ToString::to_string).collect();
        must(Command::new(&argv[0]).args(&argv[1..]));
        must(
            Command::new("mount")
                .args(["-t", &stack.fs, "-o", &stack.mount.join(","), &measured.0])
                .arg(&at),
        );
        let options = options_at(&at);
        unmount(&at);
        let used = attached(&bench, "used.img");
        let script = recipe_commands(&stack).join("\n");
        let script = script.replace("/dev/DEVICE", &used.0).replace("/mnt", at.to_str().unwrap());
        must(Command::new("bash").args(["-e", "-c", &script]));
        assert_eq!(options_at(&at), options, "{script}");
        unmount(&at);
        assert_eq!(made_of(&stack.fs, &used.0), made_of(&stack.fs, &measured.0), "{script}");
    }
}
