//! A probe is killed, and `clean` restores what it had overwritten: there, and nowhere else.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Signal;

use crate::bench::{Bench, Ended, LoopDevice, must};
use crate::running::Running;
use crate::skip;

/// Size of what is probed.
const BYTES: usize = 256 << 20;

/// Bytes that a drive could contain.
fn original() -> Vec<u8> {
    let block: Vec<u8> = (0..4096u32).map(|n| (n % 251) as u8).collect();
    block.repeat(BYTES / 4096)
}

fn image(bench: &Bench) -> PathBuf {
    let image = bench.path().join("card.img");
    fs::write(&image, original()).unwrap();
    image
}

/// Whether originals of a run of this bench are kept.
fn kept(bench: &Bench) -> bool {
    let is_kept = |run: &String| {
        let name = format!("probe-{run}");
        let found = Command::new("find").args(["/var/lib/bakeoff", "-name", &name]).output();
        found.is_ok_and(|found| !found.stdout.is_empty())
    };
    bench.run_ids().iter().any(is_kept)
}

/// Probes until something of the image is overwritten, and kills it. Nobody opens the image
/// meanwhile: that would be a reason not to write it.
fn kill_a_probe_of(bench: &Bench, target: &Path, image: &Path) {
    let target = target.to_str().unwrap();
    let planned = bench.run(&["probe", target, "--format", "json"]);
    let command = planned.json()["left_out"][1]["command"].as_str().unwrap().to_string();
    let token = command.split_once("--erase ").unwrap().1.trim_matches('\'');
    let written = || fs::metadata(image).unwrap().modified().unwrap();
    let before = written();
    let mut running = Running::start(bench.bakeoff().args(["probe", target, "--erase", token]));
    running.until("something is overwritten", |_| (written() != before).then_some(()));
    running.signal(Signal::KILL);
    drop(running.end());
    assert!(kept(bench), "the originals are kept");
}

/// What a killed probe saved was known to nobody.
#[test]
fn clean_restores_what_a_killed_probe_overwrote() {
    if skip::lacks_root() {
        return;
    }
    let bench = Bench::new();
    let image = image(&bench);
    kill_a_probe_of(&bench, &image, &image);
    let cleaned = bench.run(&["clean"]);
    assert_eq!(cleaned.code, 0, "{cleaned:?}");
    assert!(fs::read(&image).unwrap() == original(), "the originals are back");
    assert!(!kept(&bench), "and no copy is left");
}

/// `clean` while something happens between its first look at the target and its claim: at the end
/// of wipefs(8), with which the first look ends.
fn cleaned_while(bench: &Bench, script: &str) -> Ended {
    let (bin, path) = (bench.dir("bin"), std::env::var("PATH").unwrap());
    let wipefs = must(Command::new("sh").args(["-c", "command -v wipefs"]));
    let wrapper = format!(
        "#!/bin/sh\n{} \"$@\" || exit\nmkdir {}/once 2>/dev/null || exit 0\n{{ {script}; }} >&2\n",
        wipefs.trim(),
        bin.display()
    );
    fs::write(bin.join("wipefs"), wrapper).unwrap();
    fs::set_permissions(bin.join("wipefs"), Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{path}", bin.display());
    let cleaned =
        Ended::from_output(bench.bakeoff().arg("clean").env("PATH", path).output().unwrap());
    assert!(bin.join("once").exists(), "never looked: {cleaned:?}");
    cleaned
}

/// The restore held whatever had the name after its look, and wrote there.
#[test]
fn clean_writes_no_drive_that_is_exchanged_after_it_was_found() {
    if skip::lacks_root() || skip::lacks_loop_devices() {
        return;
    }
    let bench = Bench::new();
    let image = image(&bench);
    let device = LoopDevice::over(&image);
    kill_a_probe_of(&bench, Path::new(&device.0), &image);
    // A copy has the probe's own blocks, the same size and the same token.
    let copy = bench.path().join("copy.img");
    fs::copy(&image, &copy).unwrap();
    let before = fs::read(&copy).unwrap();
    assert!(before != original(), "the probe had written");
    let cleaned = cleaned_while(
        &bench,
        // Another test may have got the number meanwhile; it comes back.
        &format!(
            "losetup -d {0} && until losetup {0} {1}; do sleep 0.05; done",
            device.0,
            copy.display()
        ),
    );
    assert_eq!(cleaned.code, 4, "{cleaned:?}");
    assert!(cleaned.err.contains("The drive or its contents have changed"), "{cleaned:?}");
    assert!(fs::read(&copy).unwrap() == before, "it was written");
    assert!(kept(&bench), "what is missing is kept");
}

/// The same of an image that something begins to use then.
#[test]
fn clean_writes_no_image_that_is_taken_into_use_after_it_was_found() {
    if skip::lacks_root() || skip::lacks_loop_devices() {
        return;
    }
    let bench = Bench::new();
    let image = image(&bench);
    kill_a_probe_of(&bench, &image, &image);
    let before = fs::read(&image).unwrap();
    let shown = bench.path().join("device");
    let (from, to) = (image.display(), shown.display());
    let cleaned = cleaned_while(&bench, &format!("losetup -f --show {from} >{to}"));
    let device = LoopDevice(fs::read_to_string(&shown).unwrap().trim().to_string());
    assert_eq!(cleaned.code, 4, "{cleaned:?}");
    assert!(cleaned.err.contains("Refusing to write"), "{cleaned:?}");
    assert!(fs::read(&image).unwrap() == before, "it was written");
    drop(device);
    assert_eq!(bench.run(&["clean"]).code, 0);
    assert!(fs::read(&image).unwrap() == original(), "the originals are back");
}
