//! What LUKS, bcache, md and ZFS write on a drive is seen at rest, without udev's database. LUKS is
//! shown with its UUID and is part of the token; a member of the others is refused with label and
//! UUID whatever the token.
//!
//! The superblocks of md and ZFS are written by hand: mdadm writes none without md in the kernel,
//! and the tools of ZFS need a kernel module.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::at_rest;
use crate::bench::{Bench, must};
use crate::on_image::{MIB, SMALL, lacks};
use crate::skip;

/// Makes the device `$0` an encrypted one.
const LUKS: &str = "printf secret | cryptsetup luksFormat --batch-mode --type luks2 --label SAFE \
                    --pbkdf pbkdf2 --pbkdf-force-iterations 1000 --key-file - $0";

/// An image as a loop device, and a plan.
fn attached(bench: &Bench) -> (PathBuf, String) {
    let image = bench.path().join("disk.img");
    File::create(&image).unwrap().set_len(96 * MIB).unwrap();
    fs::write(bench.path().join("plan.toml"), SMALL).unwrap();
    let device = must(Command::new("losetup").args(["--find", "--show"]).arg(&image));
    (image, device.trim().to_string())
}

fn planned(bench: &Bench, device: &str) -> serde_json::Value {
    let plan = ["plan", "--commands", "plan.toml", "--target", device, "--format", "json"];
    bench.run(&plan).json()["targets"][0].clone()
}

fn make(script: &str, device: &str) {
    let made = Command::new("sh").args(["-c", script, device]).output().unwrap();
    assert!(made.status.success(), "{made:?}");
}

#[test]
fn real_luks_is_named_and_changes_the_token() {
    if lacks() || skip::lacks_command("cryptsetup") {
        return;
    }
    let bench = Bench::new();
    let (image, device) = attached(&bench);
    let _detached = detached_later(&device);
    let blank = planned(&bench, &device)["erase_token"].as_str().unwrap().to_string();
    make(LUKS, &device);
    let uuid = must(Command::new("blkid").args(["-p", "-s", "UUID", "-o", "value", &device]));
    let shown = bench.run(&["plan", "--commands", "plan.toml", "--target", &device]);
    let text = shown.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in ["crypto_LUKS \"SAFE\"", uuid.trim()] {
        assert!(text.contains(words), "{words}: {shown:?}");
    }
    assert_ne!(planned(&bench, &device)["erase_token"], blank.as_str());
    let before = fs::read(&image).unwrap();
    let run = ["run", "--anyway", "plan.toml", "--target", &device, "--erase", &blank];
    for words in [&run[..5], &run[..]] {
        let refused = bench.run(words);
        assert!(refused.code == 3 && refused.err.contains("crypto_LUKS"), "{refused:?}");
    }
    assert!(fs::read(&image).unwrap() == before);
}

#[test]
fn a_real_member_of_bcache_at_rest_is_refused() {
    if lacks() || skip::lacks_command("make-bcache") {
        return;
    }
    let bench = Bench::new();
    let (image, device) = attached(&bench);
    let _detached = detached_later(&device);
    let blank = planned(&bench, &device)["erase_token"].as_str().unwrap().to_string();
    make("make-bcache --bdev $0", &device);
    let uuid = must(Command::new("blkid").args(["-p", "-s", "UUID", "-o", "value", &device]));
    refused(&bench, (&image, &device), &blank, &format!("a bcache set (UUID {})", uuid.trim()));
}

/// Every verb refuses the device with a token learned before, says why, and writes nothing.
fn refused(bench: &Bench, (image, device): (&Path, &str), token: &str, says: &str) {
    let before = fs::read(image).unwrap();
    for verb in [&["plan", "plan.toml", "--target"], &["run", "plan.toml", "--target"][..]] {
        let is_plan = verb[0] == "plan";
        let consent: &[&str] = if is_plan { &[] } else { &["--erase", token] };
        let refused = bench.run(&[verb, &[device], consent].concat());
        assert!(refused.code == 3 && refused.err.contains(says), "{says}: {refused:?}");
    }
    let refused = bench.run(&["probe", device, "--erase", token]);
    assert!(refused.code == 3 && refused.err.contains(says), "{says}: {refused:?}");
    assert!(fs::read(image).unwrap() == before, "{says}: it was written");
}

/// A member at rest is refused by its superblock; the same image as a file has another token.
fn member_is_refused(superblock: fn(&File), kind: &str, says: &str) {
    if lacks() {
        return;
    }
    let bench = Bench::new();
    let (image, device) = attached(&bench);
    let detached = detached_later(&device);
    let blank = planned(&bench, &device)["erase_token"].as_str().unwrap().to_string();
    superblock(&File::options().write(true).open(&image).unwrap());
    // What is read is what blkid of this system recognises.
    let probed = must(Command::new("blkid").args(["-p", "-o", "export"]).arg(&image));
    assert!(probed.contains(&format!("TYPE={kind}\n")), "{probed}");
    refused(&bench, (&image, &device), &blank, says);
    drop(detached);
    let shown = bench.run(&["plan", "--commands", "plan.toml", "--target", "disk.img"]);
    assert!(shown.out.contains(kind), "{shown:?}");
    let taken =
        bench.run(&["run", "--anyway", "plan.toml", "--target", "disk.img", "--erase", "disk.img"]);
    assert!(taken.code == 3 && taken.err.contains(kind), "{taken:?}");
}

#[test]
fn a_member_of_md_at_rest_is_refused_by_its_name_and_uuid() {
    let says = "a RAID array \"home:photos\" (UUID 00010203-0405-0607-0809-0a0b0c0d0e0f)";
    member_is_refused(at_rest::md_1_2, "linux_raid_member", says);
}

/// md 1.0 keeps its superblock at the end, where nothing else is.
#[test]
fn a_member_of_md_with_its_superblock_at_the_end_is_refused() {
    member_is_refused(at_rest::md_1_0, "linux_raid_member", "a RAID array \"home:photos\"");
}

#[test]
fn a_member_of_zfs_at_rest_is_refused_by_its_pool() {
    let says = "a ZFS pool \"photos\" (UUID 1234567890123456789)";
    member_is_refused(at_rest::zfs, "zfs_member", says);
}

/// Detaches the device with the value.
fn detached_later(device: &str) -> impl Drop {
    struct Detach(String);
    impl Drop for Detach {
        fn drop(&mut self) {
            let _ = Command::new("losetup").args(["--detach", &self.0]).status();
        }
    }
    Detach(device.to_string())
}
