//! `bakeoff plan`: shows, changes nothing, and refuses with the place of a mistake.

use std::fs;
use std::process::Command;

use crate::bench::{Bench, Ended, LoopDevice, must};
use crate::skip;
use bakeoff_judge::plan::BUILT_IN;

const PLAN: &str = "[[stack]]\nfs = \"ext4\"\n[[workload]]\nname = \"randwrite\"\n";

/// Shows a plan with this text on these targets; nothing may change by it.
#[track_caller]
fn shown(bench: &Bench, text: &str, args: &[&str]) -> Ended {
    fs::write(bench.path().join("plan.toml"), text).unwrap();
    let before = bench.listing();
    let ended = bench.run(&[&["plan", "--commands", "plan.toml"], args].concat());
    assert_eq!(bench.listing(), before, "{ended:?}");
    ended
}

/// An image that is made of holes; looking at it fills none.
fn image(bench: &Bench, name: &str, bytes: u64) {
    let file = fs::File::create(bench.path().join(name)).unwrap();
    file.set_len(bytes).unwrap();
}

#[track_caller]
fn refused(ended: &Ended, code: i32, words: &[&str]) {
    assert_eq!(ended.code, code, "{ended:?}");
    for word in words {
        assert!(ended.err.contains(word), "{word:?} is not said: {}", ended.err);
    }
}

#[test]
fn built_in_plans_are_found_by_name_and_need_no_target() {
    let bench = Bench::new();
    for name in [
        "mountpoints",
        "usb-stick",
        "journal-scheduler",
        "luks-btrfs",
        "block-size-sweep",
        "sd-card",
        "nas",
    ] {
        let ended = bench.run(&["plan", "--commands", name]);
        assert_eq!((ended.code, ended.err.as_str()), (0, ""), "{name}: {ended:?}");
        assert!(ended.out.starts_with(&format!("{name}: ")), "{}", ended.out);
        let too_wide = ended.out.lines().find(|line| line.chars().count() > 80);
        assert_eq!(too_wide, None, "{name}");
    }
    let listed = bench.run(&["plan"]);
    assert_eq!((listed.code, listed.err.as_str()), (0, ""), "{listed:?}");
    assert!(listed.out.contains("  sd-card ") && listed.out.contains("bakeoff plan FILE"));
    let listed = bench.run(&["plan", "--format", "json"]).out;
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(
        (&listed["schema"], &listed["plans"][6]["name"]),
        (&"bakeoff/plans/1".into(), &"nas".into())
    );
    refused(&bench.run(&["plan", "--target", "x.img"]), 2, &["no plan given for x.img"]);
    assert_eq!(bench.run(&["run"]).code, 2);
    let ended = bench.run(&["plan", "usbstick"]);
    refused(&ended, 2, &["plan named usbstick", "did you mean 'usb-stick'?"]);
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

#[test]
fn mistakes_name_their_place_and_the_nearest_word() {
    let bench = Bench::new();
    let unknown = PLAN.replace("fs =", "shceduler = [\"none\"]\nfs =");
    let said = "plan.toml:2:1: unknown key 'shceduler' in [[stack]]; did you mean 'scheduler'?";
    refused(&shown(&bench, &unknown, &[]), 2, &[said, "2 | shceduler = [\"none\"]", "^^^^^^^^^"]);
    let control = PLAN.replace("fs =", "name = \"\\u001b]0;gone\\u0007\"\nfs =");
    let ended = shown(&bench, &control, &[]);
    refused(&ended, 2, &["unprintable characters"]);
    assert!(!ended.err.contains('\u{1b}'), "{ended:?}");
    fs::write(bench.path().join("binary.toml"), [0xff, 0xfe, 0]).unwrap();
    refused(&bench.run(&["plan", "binary.toml"]), 2, &["binary.toml is not text", "UTF-8"]);
    refused(&bench.run(&["plan", "."]), 2, &["is a directory", "sd-card"]);
    for (slip, meant) in [("dedline", "mq-deadline"), ("cfq", "bfq"), ("noop", "none")] {
        let slip = PLAN.replace("fs =", &format!("scheduler = [\"{slip}\"]\nfs ="));
        refused(&shown(&bench, &slip, &[]), 2, &[&format!("did you mean '{meant}'?"), "2:14:"]);
    }
    refused(&bench.run(&["plan", "nas", "--format", "csv"]), 2, &["text, json or markdown"]);
}

#[test]
fn on_an_image_every_command_the_cost_and_the_token_are_shown() {
    if skip::lacks_root() || skip::lacks_command("mkfs.ext4") {
        return;
    }
    let bench = Bench::new();
    image(&bench, "my disk.img", 1 << 30);
    let ended = shown(&bench, PLAN, &["--target", "my disk.img", "--format", "json"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let plan: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!((&plan["schema"], &plan["cases"]), (&"bakeoff/plan/1".into(), &1.into()));
    assert_eq!(plan["targets"][0]["erase_token"], "my disk.img");
    let commands = plan["commands"][1]["run"].as_array().unwrap();
    let has = |start: &str| commands.iter().any(|c| c.as_str().unwrap().starts_with(start));
    assert!(has("mkfs.ext4 ") && has("mount -t ext4 "), "{commands:?}");
    assert!(plan["estimate"]["first"]["write_bytes"].as_u64() > Some(1 << 30));
    let text = shown(&bench, PLAN, &["--target", "my disk.img"]);
    assert!(text.out.contains("erase token: my disk.img"), "{}", text.out);
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

/// `journal-scheduler` compared eight filesystems of 324 MiB, one after the other, on 64 GB.
#[test]
fn built_in_plans_stand_side_by_side_on_large_drives() {
    if skip::lacks_root() || skip::lacks_command("mkfs.ext4") {
        return;
    }
    let bench = Bench::new();
    for gb in [16, 32, 64] {
        image(&bench, "disk.img", gb * 1_000_000_000);
        for of in BUILT_IN {
            let args = ["--target", "disk.img", "--format", "json"];
            let ended = bench.run(&[&["plan", of.name], &args[..]].concat());
            assert_eq!(ended.code, 0, "{}: {ended:?}", of.name);
            let plan: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
            let candidates = plan["candidates"].as_array().unwrap();
            // Of a plan whose tools are missing here one candidate may be left.
            if candidates.iter().filter(|c| c["twin_of"].is_null()).count() < 2 {
                continue;
            }
            assert_eq!(plan["protocol"]["isolation"], "slices", "{} on {gb} GB", of.name);
            let parts = plan["targets"][0]["region_parts"].as_u64().unwrap();
            if of.name == "journal-scheduler" {
                assert_eq!(parts, 3, "two filesystems, and one of them once more");
            }
            let each = plan["targets"][0]["region_size_bytes"].as_u64().unwrap() / parts;
            assert!(each > 512 << 20, "{} on {gb} GB: {each}", of.name);
        }
    }
}

#[test]
fn a_loop_device_is_named_by_its_image() {
    if skip::lacks_root() || skip::lacks_loop_devices() || skip::lacks_command("mkfs.ext4") {
        return;
    }
    let bench = Bench::new();
    fs::write(bench.path().join("disk.img"), vec![7; 100 << 20]).unwrap();
    let disk = LoopDevice::over(&bench.path().join("disk.img"));
    let text = shown(&bench, PLAN, &["--target", &disk.0]);
    assert_eq!(text.code, 0, "{text:?}");
    let text: String = text.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let over =
        format!("a loop device backed by the file {}", bench.path().join("disk.img").display());
    assert!(text.contains(&over), "{over}: {text}");
    assert!(!text.contains("serial number"), "of the disk below, which is not erased: {text}");
}

/// The second name was said to be locked by another run.
#[test]
fn one_file_under_two_names_is_not_blamed_on_another_run() {
    if skip::lacks_root() {
        return;
    }
    let mut bench = Bench::new();
    let (a, b) = (bench.dir("a"), bench.dir("b"));
    image(&bench, "a/disk.img", 1 << 30);
    must(Command::new("mount").arg("--bind").args([&a, &b]));
    bench.unmount_later(b);
    let twice = ["--target", "a/disk.img", "--target", "b/disk.img"];
    refused(&shown(&bench, PLAN, &twice), 2, &["the same file under two names"]);
}

/// One stack on each of two drives was measured on one drive after the other, without a word.
#[test]
fn one_candidate_on_each_of_two_targets_is_measured_in_turns() {
    if skip::lacks_root() || skip::lacks_command("mkfs.ext4") {
        return;
    }
    let bench = Bench::new();
    image(&bench, "a.img", 300 << 20);
    image(&bench, "b.img", 300 << 20);
    let plan = "[[stack]]\nfs = \"ext4\"\n[region]\nsize = \"200m\"\n[[workload]]\n\
                rw = \"randwrite\"\nbs = \"4k\"\nfsync = 32\nsize = \"64m\"\n\
                [protocol]\nmode = \"quick\"\ntime = \"15m\"\nmax_write = \"4g\"\n";
    fs::write(bench.path().join("plan.toml"), plan).unwrap();
    let targets = ["--target", "a.img", "--target", "b.img"];
    let consent = ["--erase", "a.img", "--erase", "b.img"];
    let ended = bench.run(&[&["run", "--anyway", "plan.toml"], &targets[..], &consent].concat());
    assert!(matches!(ended.code, 0 | 1), "{ended:?}");
    let run = bench.lines("last").concat();
    assert!(run.contains("\"isolation\":\"slices\"") && run.contains("\"slices\":["), "{run}");
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}
