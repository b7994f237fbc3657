//! The guard on real loop devices: what is in use, by whatever name, is not written, and what is on
//! a target is shown and is part of its token.

use crate::on_image;
use crate::skip;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bench::{Bench, Ended, Killed, LoopDevice, must};
use crate::on_image::{MIB, SMALL};
use crate::running::{Running, until_so};
use rustix::process::Signal;

fn lacks() -> bool {
    on_image::lacks() || skip::lacks_command("wipefs") || skip::lacks_command("mknod")
}

fn blank(bench: &Bench, name: &str) -> PathBuf {
    let path = bench.path().join(name);
    File::create(&path).unwrap().set_len(96 * MIB).unwrap();
    path
}

fn format(target: &str, label: &str) {
    must(Command::new("mkfs.ext4").args(["-q", "-F", "-L", label, target]));
}

fn write(bench: &Bench, target: &str, more: &[&str]) -> Ended {
    let words = ["bench", target, "--rw", "write", "--bs", "64k", "--io_size", "1m"];
    bench.run(&[&words, more].concat())
}

/// The token that a refusal names.
fn token_of(bench: &Bench, target: &str) -> String {
    let refused = write(bench, target, &[]);
    assert_eq!(refused.code, 3, "{refused:?}");
    let token = refused.err.trim_end().rsplit_once("--erase ").unwrap().1.to_string();
    token.trim_matches('\'').to_string()
}

/// Tries to write a target with its own token while something uses it, and looks that it was
/// refused for that reason and that no byte of the file changed.
fn assert_refused(bench: &Bench, target: &str, token: &str, file: &Path, says: &str) {
    let before = fs::read(file).unwrap();
    let refused = write(bench, target, &["--erase", token]);
    assert_eq!((refused.code, refused.out.as_str()), (3, ""), "{says}: {refused:?}");
    assert!(refused.err.contains(says), "{says}: {refused:?}");
    assert!(fs::read(file).unwrap() == before, "{says}: it was written");
}

/// A loop device over another name of an image was written under the filesystem mounted from the
/// first: the two were compared as path text.
#[test]
fn refuses_loop_device_with_a_mounted_twin_under_another_path() {
    if lacks() {
        return;
    }
    let mut bench = Bench::new();
    let image = blank(&bench, "one.img");
    format(image.to_str().unwrap(), "twin");
    let linked = bench.path().join("linked.img");
    let first = LoopDevice::over(&image);
    let token = token_of(&bench, &first.0);
    fs::hard_link(&image, &linked).unwrap();
    let bound = bench.dir("bound");
    must(Command::new("mount").arg("--bind").arg(bench.path()).arg(&bound));
    bench.unmount_later(bound.clone());
    let at = bench.dir("mnt");
    for other in [linked, bound.join("one.img")] {
        let second = LoopDevice::over(&other);
        must(Command::new("mount").arg(&second.0).arg(&at));
        let says = format!("{} is attached to the same file", &second.0["/dev/".len()..]);
        assert_refused(&bench, &first.0, &token, &image, &says);
        must(Command::new("umount").arg(&at));
    }
}

/// Only descriptors whose path begins with /dev were looked at.
#[test]
fn refuses_device_that_is_open_through_a_node_elsewhere() {
    if lacks() {
        return;
    }
    let bench = Bench::new();
    let image = blank(&bench, "one.img");
    let device = LoopDevice::over(&image);
    let token = token_of(&bench, &device.0);
    let number = fs::metadata(&device.0).unwrap().rdev();
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    let node = |path: PathBuf| {
        let numbers = [major.to_string(), minor.to_string()];
        must(Command::new("mknod").arg(&path).arg("b").args(numbers));
        path
    };
    let elsewhere = node(bench.path().join("node"));
    let holder = Command::new("sleep").arg("600").stdin(File::open(&elsewhere).unwrap()).spawn();
    let holder = Killed(holder.unwrap());
    fs::remove_file(&elsewhere).unwrap();
    let says = format!("sleep (process {}) has {} open", holder.0.id(), &device.0[5..]);
    assert_refused(&bench, &device.0, &token, &image, &says);
    drop(holder);
    // The /dev of a chroot.
    fs::create_dir_all(bench.path().join("root/dev")).unwrap();
    let inside = node(bench.path().join("root/dev/sdz"));
    let script = "import os, sys, time\nos.chroot(sys.argv[1])\nopen('/dev/sdz', 'rb')\n\
                  f = open('/dev/sdz', 'rb')\nprint('open', flush=True)\ntime.sleep(600)";
    if skip::lacks_command("python3") {
        return;
    }
    let holder = started(script, &bench.path().join("root"));
    assert!(inside.exists());
    let says = format!("(process {}) has {} open", holder.0.id(), &device.0[5..]);
    assert_refused(&bench, &device.0, &token, &image, &says);
}

/// A script that has said that it is ready.
fn started(script: &str, argument: &Path) -> Killed {
    use std::io::{BufRead, BufReader};
    let mut python = Command::new("python3");
    python.args(["-c", script]).arg(argument).stdout(std::process::Stdio::piped());
    let mut child = python.spawn().unwrap();
    let mut line = String::new();
    let out = child.stdout.take().unwrap();
    let holder = Killed(child);
    BufReader::new(out).read_line(&mut line).unwrap();
    assert_eq!(line.trim(), "open");
    holder
}

/// A mapping keeps a device or file in use after its descriptor was closed.
#[test]
fn refuses_device_and_image_that_are_only_mapped() {
    if lacks() || skip::lacks_command("python3") {
        return;
    }
    let bench = Bench::new();
    let image = blank(&bench, "one.img");
    let script = "import mmap, os, sys, time\nf = os.open(sys.argv[1], os.O_RDWR)\n\
                  m = mmap.mmap(f, 4096)\nos.close(f)\nprint('open', flush=True)\ntime.sleep(600)";
    let holder = started(script, &image);
    let says = format!("(process {}) has it open", holder.0.id());
    let before = fs::read(&image).unwrap();
    let refused = write(&bench, "one.img", &["--overwrite"]);
    assert!(refused.code == 3 && refused.err.contains(&says), "{refused:?}");
    assert!(fs::read(&image).unwrap() == before);
    drop(holder);
    let device = LoopDevice::over(&image);
    let token = token_of(&bench, &device.0);
    let holder = started(script, Path::new(&device.0));
    let says = format!("(process {}) has {} open", holder.0.id(), &device.0[5..]);
    assert_refused(&bench, &device.0, &token, &image, &says);
}

#[test]
fn refuses_loop_device_whose_file_another_process_can_write() {
    if lacks() {
        return;
    }
    let bench = Bench::new();
    let image = blank(&bench, "one.img");
    let device = LoopDevice::over(&image);
    let token = token_of(&bench, &device.0);
    let reader = File::open(&image).unwrap();
    let reader = Killed(Command::new("sleep").arg("600").stdin(reader).spawn().unwrap());
    let written = write(&bench, &device.0, &["--erase", &token]);
    assert_eq!(written.code, 0, "a reader is no writer: {written:?}");
    drop(reader);
    let writer = File::options().write(true).open(&image).unwrap();
    let writer = Killed(Command::new("sleep").arg("600").stdin(writer).spawn().unwrap());
    let says =
        format!("(process {}) has the backing file of {} open", writer.0.id(), &device.0[5..]);
    assert_refused(&bench, &device.0, &token, &image, &says);
}

/// The loop device was not seen as a user of the disk once the node it was attached by was gone.
#[test]
fn refuses_device_under_a_loop_device_that_was_attached_by_a_removed_node() {
    if lacks() {
        return;
    }
    let bench = Bench::new();
    let image = blank(&bench, "one.img");
    let device = LoopDevice::over(&image);
    let token = token_of(&bench, &device.0);
    let number = fs::metadata(&device.0).unwrap().rdev();
    let numbers = [rustix::fs::major(number), rustix::fs::minor(number)].map(|n| n.to_string());
    let node = bench.path().join("node");
    must(Command::new("mknod").arg(&node).arg("b").args(numbers));
    let above = LoopDevice::over(&node);
    fs::remove_file(&node).unwrap();
    let says = format!("losetup --detach {}", above.0);
    assert_refused(&bench, &device.0, &token, &image, &says);
}

/// A loop with an ext4 and one with a GPT were both "no-table", and a token learned before anything
/// was on them still consented.
#[test]
fn token_goes_stale_when_the_contents_change_and_they_are_shown() {
    if lacks() || skip::lacks_command("sfdisk") {
        return;
    }
    let bench = Bench::new();
    let image = blank(&bench, "one.img");
    fs::write(bench.path().join("plan.toml"), SMALL).unwrap();
    let device = LoopDevice::over(&image);
    let blank = token_of(&bench, &device.0);
    format(&device.0, "MYPHOTOS");
    assert_refused(&bench, &device.0, &blank, &image, "not the erase token");
    let plan = ["plan", "--commands", "plan.toml", "--target", &device.0];
    let shown = bench.run(&plan);
    let uuid = must(Command::new("blkid").args(["-p", "-s", "UUID", "-o", "value", &device.0]));
    for words in ["ext4 \"MYPHOTOS\"", uuid.trim()] {
        let text = shown.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(words), "{words}: {shown:?}");
    }
    let json = bench.run(&[&plan[..], &["--format", "json"]].concat()).json();
    let target = &json["targets"][0];
    assert_eq!(target["contents"][0]["label"], "MYPHOTOS", "{target}");
    let photos = target["erase_token"].as_str().unwrap().to_string();
    let run = ["run", "--anyway", "plan.toml", "--target", &device.0, "--erase", &blank];
    let refused = bench.run(&run);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.err.contains("contents: ext4 \"MYPHOTOS\""), "{refused:?}");
    // The same kind and label with another UUID is another filesystem.
    format(&device.0, "MYPHOTOS");
    assert_refused(&bench, &device.0, &photos, &image, "not the erase token");
    must(Command::new("wipefs").args(["-aq", &device.0]));
    let table = "printf 'label: gpt\\nsize=40M\\nsize=40M\\n' | sfdisk -q --no-reread $0";
    must(Command::new("sh").args(["-c", table, &device.0]));
    let gpt = token_of(&bench, &device.0);
    assert!(gpt != blank && gpt != photos, "{gpt}");
    // A filesystem in a partition that the kernel has no device for.
    let inner = "mkfs.ext4 -q -F -L INNER -E offset=1048576 $0 40M";
    must(Command::new("sh").args(["-c", inner, &device.0]));
    let refused = write(&bench, &device.0, &["--erase", &gpt]);
    assert_eq!(refused.code, 3, "{refused:?}");
    let shown = bench.run(&plan);
    assert!(shown.out.contains("partition 1: ext4 \"INNER\""), "{shown:?}");
}

/// `bench FILE --overwrite` wrote a file under a mounted loop device.
#[test]
fn refuses_to_overwrite_a_file_that_is_in_use() {
    if lacks() {
        return;
    }
    let bench = Bench::new();
    let image = blank(&bench, "one.img");
    let refused = |says: &str| {
        let before = fs::read(&image).unwrap();
        let ended = write(&bench, "one.img", &["--overwrite"]);
        assert!(ended.code == 3 && ended.err.contains(says), "{says}: {ended:?}");
        assert!(fs::read(&image).unwrap() == before, "{says}: it was written");
    };
    let device = LoopDevice::over(&image);
    refused("it backs loop");
    drop(device);
    let second = bench.path().join("second.img");
    fs::hard_link(&image, &second).unwrap();
    refused("hard links");
    fs::remove_file(second).unwrap();
    let opened = File::options().write(true).open(&image).unwrap();
    let holder = Killed(Command::new("sleep").arg("600").stdin(opened).spawn().unwrap());
    refused("has it open");
    drop(holder);
    let written = write(&bench, "one.img", &["--overwrite"]);
    assert_eq!(written.code, 0, "{written:?}");
}

/// A different disk of the same size under the same name was overwritten without a question.
#[test]
fn resume_asks_for_the_token_of_a_loop_device_over_another_file() {
    if lacks() {
        return;
    }
    let bench = Bench::new();
    let image = blank(&bench, "one.img");
    fs::write(bench.path().join("plan.toml"), SMALL).unwrap();
    let device = LoopDevice::over(&image);
    let token = token_of(&bench, &device.0);
    let words =
        ["run", "--anyway", "plan.toml", "--target", &device.0, "--erase", &token, "--time", "4h"];
    let mut running = Running::start(bench.bakeoff().args(words));
    running.until_announced();
    running.until_recorded("a block", &bench.store(), |record| {
        (record.count_of("block_started") > 0).then_some(())
    });
    running.signal(Signal::KILL);
    let _ = running.end();
    let cleaned = bench.run(&["clean"]);
    assert_eq!(cleaned.code, 0, "{cleaned:?}");
    assert!(cleaned.err.contains("Undid the changes"), "{cleaned:?}");
    // Another disk of the same size takes the name.
    let other = blank(&bench, "other.img");
    format(other.to_str().unwrap(), "THEIRS");
    let node = device.0.clone();
    must(Command::new("losetup").args(["--detach", &node]));
    // Another test may have got the number meanwhile; it comes back.
    until_so("the loop device again", || {
        let attached = Command::new("losetup").arg(&node).arg(&other).status();
        attached.is_ok_and(|status| status.success())
    });
    let before = fs::read(&other).unwrap();
    let refused = bench.run(&["resume", "--time", "4h"]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.err.contains("it was unplugged or replaced"), "{refused:?}");
    assert!(refused.err.contains("ext4 \"THEIRS\""), "{refused:?}");
    assert!(refused.err.contains("--erase"), "{refused:?}");
    let stale = bench.run(&["resume", "--time", "4h", "--erase", &token]);
    assert_eq!(stale.code, 3, "{stale:?}");
    assert!(fs::read(&other).unwrap() == before, "another drive was written");
}
