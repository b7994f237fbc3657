//! What LUKS and bcache write on a drive is seen at rest, without udev's database. LUKS is shown with
//! its UUID and is part of the token; a member of bcache is refused whatever the token.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;

use crate::bench::{Bench, LoopDevice, must};
use crate::on_image::{MIB, SMALL, lacks};
use crate::skip;

/// Makes the device `$0` an encrypted one.
const LUKS: &str = "printf secret | cryptsetup luksFormat --batch-mode --type luks2 --label SAFE \
                    --pbkdf pbkdf2 --pbkdf-force-iterations 1000 --key-file - $0";

/// An image as a loop device, and a plan.
fn attached(bench: &Bench) -> (PathBuf, LoopDevice) {
    let image = bench.path().join("disk.img");
    File::create(&image).unwrap().set_len(96 * MIB).unwrap();
    fs::write(bench.path().join("plan.toml"), SMALL).unwrap();
    let device = LoopDevice::over(&image);
    (image, device)
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
    let (image, attached) = attached(&bench);
    let device = attached.0.as_str();
    let blank = planned(&bench, device)["erase_token"].as_str().unwrap().to_string();
    make(LUKS, device);
    let uuid = must(Command::new("blkid").args(["-p", "-s", "UUID", "-o", "value", device]));
    let shown = bench.run(&["plan", "--commands", "plan.toml", "--target", device]);
    let text = shown.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in ["crypto_LUKS \"SAFE\"", uuid.trim()] {
        assert!(text.contains(words), "{words}: {shown:?}");
    }
    assert_ne!(planned(&bench, device)["erase_token"], blank.as_str());
    let before = fs::read(&image).unwrap();
    let run = ["run", "--anyway", "plan.toml", "--target", device, "--erase", &blank];
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
    let (image, attached) = attached(&bench);
    let device = attached.0.as_str();
    let blank = planned(&bench, device)["erase_token"].as_str().unwrap().to_string();
    make("make-bcache --bdev $0", device);
    let uuid = must(Command::new("blkid").args(["-p", "-s", "UUID", "-o", "value", device]));
    let says = format!("a bcache set (UUID {})", uuid.trim());
    let before = fs::read(&image).unwrap();
    for words in [
        &["plan", "plan.toml", "--target", device][..],
        &["run", "plan.toml", "--target", device, "--erase", &blank],
        &["probe", device, "--erase", &blank],
    ] {
        let refused = bench.run(words);
        assert!(refused.code == 3 && refused.err.contains(&says), "{says}: {refused:?}");
    }
    assert!(fs::read(&image).unwrap() == before, "{says}: it was written");
}
