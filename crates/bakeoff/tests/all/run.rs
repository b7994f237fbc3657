//! `bakeoff run` and `probe` on images: what is refused changes nothing, what runs leaves nothing.

use std::fs;
use std::process::Command;

use crate::bench;
use crate::bench::{Bench, Ended};
use crate::on_image::{
    MIB, RUN, SMALL, lacks, left, made, record, runs, unlimited, writing_at_most,
};
use crate::running::{Running, freeze_between_records, until_found};
use crate::skip;
use bakeoff_machine::prepare::commands::describe;
use bakeoff_model::event::{Action, Event, StopReason, What};
use bakeoff_model::index::{BlockIx, PlaceIx, RegionIx};
use bakeoff_model::run::{Run, StepRecord};
use bakeoff_model::slice::{Slice, Stretch};
use bakeoff_model::undo::{ScratchOf, Undo};
use rustix::process::Signal;

#[test]
fn what_is_refused_changes_nothing() {
    if lacks() {
        return;
    }
    let bench = Bench::new();
    let image = made(&bench, SMALL, 96 * MIB);
    fs::write(bench.path().join("tiny.img"), [0; 4096]).unwrap();
    fs::write(
        bench.path().join("bad.toml"),
        "[[stack]]\nfs = \"ext5\"\n[[workload]]\nname = \"read\"\n",
    )
    .unwrap();
    let target = ["--target", "disk.img"];
    let with = |words: &[&str]| {
        let words: Vec<&str> = ["run", "plan.toml"].into_iter().chain(words.to_vec()).collect();
        bench.run(&words)
    };
    let expect = |ended: Ended, code: i32, said: &str| {
        assert!(ended.code == code && ended.err.contains(said), "{code} {said}: {ended:?}");
    };
    expect(with(&[]), 2, "--target");
    expect(with(&["--target", "nowhere.img"]), 4, "bakeoff devices");
    expect(with(&["--target", "."]), 3, "neither a block device nor an image");
    expect(with(&["--target", "/dev/null"]), 3, "neither a block device nor an image");
    expect(with(&target), 3, "--erase disk.img");
    expect(with(&[&target[..], &["--erase", "other"]].concat()), 3, "not the erase token");
    expect(with(&["--target", "tiny.img", "--erase", "tiny.img"]), 2, "smallest region");
    let erase = [&target[..], &["--erase", "disk.img"]].concat();
    expect(with(&[&erase[..], &["--max-write", "100m"]].concat()), 3, "--max-write");
    fs::write(bench.path().join("notes.html"), "mine").unwrap();
    expect(with(&[&erase[..], &["-o", "notes.html"]].concat()), 3, "did not write it");
    expect(with(&[&erase[..], &["-o", "disk.img"]].concat()), 2, "one of the endings .html");
    expect(with(&[&erase[..], &["--store", "disk.img"]].concat()), 3, "as the store");
    expect(with(&[&erase[..], &target[..]].concat()), 2, "same drive");
    let namesake = bench.dir("other").join("disk.img");
    fs::File::create(&namesake).unwrap().set_len(96 * MIB).unwrap();
    let both = ["--target", namesake.to_str().unwrap()];
    expect(with(&[&erase[..], &both].concat()), 3, "same erase token disk.img, so");
    let no_plan = bench.run(&["run", "sdcard", "--target", "disk.img"]);
    expect(no_plan, 2, "sd-card");
    let bad = bench.run(&["run", "bad.toml", "--target", "disk.img"]);
    expect(bad, 2, "ext5");
    let large = SMALL.replace("fsync = 1", "fsync = 1\nsize = \"40m\"");
    fs::write(bench.path().join("large.toml"), large).unwrap();
    let words = [&["run", "--anyway", "large.toml"][..], &erase, &["--detach"]].concat();
    for words in [&words[..7], &words[..]] {
        expect(bench.run(words), 2, "a data file of 40 MiB does not fit into a region of 64 MiB");
    }

    fs::hard_link(&image, bench.path().join("second name")).unwrap();
    expect(with(&erase), 3, "hard links");
    fs::remove_file(bench.path().join("second name")).unwrap();
    let opened = fs::File::open(&image).unwrap();
    let mut sleeper = Command::new("sleep").arg("600").stdin(opened).spawn().unwrap();
    let ended = with(&erase);
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    expect(ended, 3, "has it open");
    let device = bench::must(Command::new("losetup").args(["--find", "--show"]).arg(&image));
    let ended = with(&erase);
    bench::must(Command::new("losetup").args(["--detach", device.trim()]));
    expect(ended, 3, "losetup --detach");

    assert!(fs::read(&image).unwrap().iter().all(|byte| *byte == 0));
    assert_eq!(runs(&bench), Vec::<String>::new());
}

/// Every step of the run is a command that `plan` shows; the size of a data file is settled later.
fn was_announced(bench: &Bench, run: &Run) {
    let shown =
        bench.run(&["plan", "--commands", "plan.toml", "--target", "disk.img", "--format", "json"]);
    let plan = shown.json();
    let lists = plan["commands"].as_array().unwrap().iter();
    let announced: Vec<&str> = lists
        .flat_map(|of| [&of["run"], &of["undo"]])
        .flat_map(|list| list.as_array().unwrap())
        .map(|line| line.as_str().unwrap())
        .collect();
    let in_memory = ScratchOf::MEMORY.name(&run.header.run);
    for record in &run.steps {
        let line = describe(&record.step.action).replace(&run.header.run, "RUN");
        let line = line.replace(&in_memory, &ScratchOf::MEMORY.name("RUN"));
        let number = line.split("/dev/loop").nth(1).unwrap_or_default();
        let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
        let line = line.replace(&format!("/dev/loop{digits}"), "/dev/loopN");
        let is_data = line.starts_with("write ") && !line.starts_with("write 128 MiB");
        assert!(is_data || announced.contains(&line.as_str()), "{line} is not in {announced:#?}");
    }
}

#[test]
fn every_visit_finds_the_same_state_and_nothing_is_left() {
    if lacks() || skip::lacks_command("mkfs.btrfs") || skip::lacks_kernel_filesystem("btrfs") {
        return;
    }
    let bench = Bench::new();
    let plan = writing_at_most(SMALL, "4g")
        .replace("64m", "128m")
        .replace("fs = \"ext2\"", "fs = \"btrfs\"")
        + "[[stack]]\nfs = \"raw\"\n[[stack]]\nfs = \"jfs\"\n";
    let image = made(&bench, &plan, 160 * MIB);
    let ended = bench.run(&RUN);
    assert!(ended.code == 0 || ended.code == 1, "{ended:?}");
    assert_eq!(left(&bench), Vec::<String>::new());
    let (events, run) = record(&bench);
    assert!(run.complete_blocks().count() >= 3, "{ended:?}");
    assert_eq!(run.steps_to_undo().count(), 0);
    let names: Vec<&str> = run.header.candidates.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["ext4", "btrfs", "raw"]);
    assert!(run.header.skipped.iter().any(|s| s.name == "jfs" && !s.reason.is_empty()));
    assert_eq!(run.verified, [(RegionIx::FIRST, 128 * MIB, 160 * MIB)]);
    was_announced(&bench, &run);
    assert!(run.surveys[0].1.len() > 4);
    // Between the start of a visit and its first cell the region is written in full.
    let mut written = false;
    for event in &events {
        match &event.what {
            What::VisitStarted { .. } => written = false,
            What::StepPlanned(step) => {
                let in_full = |bytes: u64| bytes == 128 * MIB;
                written |= matches!(&step.action,
                    Action::Overwrite { size_bytes, .. } if in_full(*size_bytes));
            }
            What::CellDone(_) => assert!(written, "event {}", event.seq),
            _ => {}
        }
    }
    // The image is a whole file now, and says nothing of the last stack.
    let blocks = std::os::unix::fs::MetadataExt::blocks(&fs::metadata(&image).unwrap());
    assert!(blocks * 512 >= 128 * MIB, "{blocks}");
    let region = &fs::read(&image).unwrap()[16 * MIB as usize..][..4096];
    assert_ne!(&region[1080..1082], [0x53, 0xef], "the ext4 signature is wiped");
}

#[test]
fn settings_are_varied_and_put_back() {
    if lacks() {
        return;
    }
    let bench = Bench::new();
    let plan =
        SMALL.replace("[[stack]]\nfs = \"ext2\"\n", "") + "[axes]\nread_ahead_kb = [64, 256]\n";
    made(&bench, &plan, 96 * MIB);
    let ended = bench.run(&RUN);
    assert!(ended.code == 0 || ended.code == 1, "{ended:?}");
    let (_, run) = record(&bench);
    let set = run.steps.iter().filter_map(|record| match &record.step.action {
        Action::SetKnob { path, value } => Some((path, value.as_str(), record)),
        _ => None,
    });
    let mut values = Vec::new();
    for (path, value, record) in set {
        assert!(record.undone && record.done.as_ref().is_some_and(|done| done.status == 0));
        let before = match &record.step.undo {
            Some(Undo::RestoreKnob { before, .. }) => before,
            Some(Undo::KeepKnob { .. }) => continue,
            other => panic!("{other:?}"),
        };
        let now = fs::read_to_string(path.as_path()).unwrap_or_default();
        // The loop device may be another test's by now; ours was put back when it was ours.
        assert!(now.trim() != value || before == value, "{path}: {now}");
        values.push(value);
    }
    assert!(values.contains(&"64") && values.contains(&"256"), "{values:?}");
}

#[test]
fn two_runs_on_one_image_at_once_are_one_too_many() {
    if lacks() {
        return;
    }
    let bench = Bench::new();
    made(&bench, SMALL, 96 * MIB);
    let mut first = Running::start(bench.bakeoff().args(RUN));
    first.until_announced();
    // The second one may take longer than the first one would.
    freeze_between_records(first.pid(), &bench.store());
    let second = bench.run(&RUN);
    assert_eq!(second.code, 3, "{second:?}");
    // To be told to detach the first one's loop device would be the end of the first one.
    assert!(second.err.contains("is using it") && second.err.contains("wait until they end"));
    assert!(!second.err.contains("losetup"), "{second:?}");
    first.signal(Signal::INT);
    first.signal(Signal::CONT);
    let ended = first.end();
    assert_eq!(ended.code, 130, "{ended:?}");
    assert_eq!(left(&bench), Vec::<String>::new());
}

#[test]
fn an_image_that_goes_away_ends_the_run_and_leaves_nothing() {
    if lacks() {
        return;
    }
    let bench = Bench::new();
    let image = made(&bench, SMALL, 96 * MIB);
    let mut running = Running::start(bench.bakeoff().args(RUN));
    running.until_announced();
    fs::remove_file(&image).unwrap();
    let ended = running.end();
    assert_eq!(ended.code, 4, "{ended:?}");
    assert!(ended.err.contains("no longer exists"), "{ended:?}");
    assert_eq!(left(&bench), Vec::<String>::new());
    let (_, run) = record(&bench);
    assert!(matches!(run.stopped, Some((StopReason::Failed, _))));
    let resumed = bench.run(&["resume", "last"]);
    assert_eq!(resumed.code, 4, "there is nothing to go on with: {resumed:?}");
}

/// Renamed while it runs and while it is dead; what took its name meanwhile is not touched.
#[test]
fn a_renamed_image_leaves_no_loop_device_behind() {
    if lacks() {
        return;
    }
    let bench = Bench::new();
    let image = made(&bench, SMALL, 96 * MIB);
    let renamed = bench.path().join("renamed.img");
    let mut running = Running::start(bench.bakeoff().args(RUN));
    running.until_announced();
    fs::rename(&image, &renamed).unwrap();
    let ended = running.end();
    assert_eq!(ended.code, 4, "{ended:?}");
    assert!(ended.err.contains("it was probably moved"), "{ended:?}");
    assert_eq!(left(&bench), Vec::<String>::new());

    fs::rename(&renamed, &image).unwrap();
    let mut running = Running::start(bench.bakeoff().args(RUN));
    running.until_announced();
    drop(running);
    fs::rename(&image, &renamed).unwrap();
    fs::File::create(&image).unwrap().set_len(96 * MIB).unwrap();
    let offset = offset_of(&bench);
    let attach = ["--find", "--show", "--offset", &offset];
    let other = bench::must(Command::new("losetup").args(attach).arg(&image));
    let cleaned = bench.run(&["clean"]);
    let kept = left(&bench);
    bench::must(Command::new("losetup").args(["--detach", other.trim()]));
    assert_eq!(cleaned.code, 0, "{cleaned:?}");
    assert_eq!(kept, [image.to_string_lossy().into_owned()], "{cleaned:?}");
}

/// Where the region of the last run begins, in bytes.
fn offset_of(bench: &Bench) -> String {
    let (_, run) = record(bench);
    let offset = run.steps.iter().find_map(|record| match &record.step.action {
        Action::AttachLoop { offset_bytes, .. } => Some(offset_bytes.to_string()),
        _ => None,
    });
    offset.unwrap()
}

#[test]
fn waiting_for_the_night_ends_with_ctrl_c_and_nothing_has_changed() {
    if lacks() {
        return;
    }
    let bench = Bench::new();
    let image = made(&bench, SMALL, 96 * MIB);
    // Whatever the time: one of the two is hours away.
    let hour = bench::must(Command::new("date").arg("+%H"));
    let at = if hour.trim() < "12" { "23:00" } else { "11:00" };
    let mut running = Running::start(bench.bakeoff().args(RUN).args(["--at", at]));
    running.until("the wait", |run| run.err().contains("Waiting until").then_some(()));
    running.signal(Signal::INT);
    assert_eq!(running.end().code, 130);
    assert!(fs::read(&image).unwrap().iter().all(|byte| *byte == 0));
    assert_eq!(runs(&bench), Vec::<String>::new());
}

#[test]
fn a_detached_run_goes_on_alone_and_its_answer_is_in_the_store() {
    if lacks() {
        return;
    }
    let bench = Bench::new();
    made(&bench, SMALL, 96 * MIB);
    let started = bench.run(&[&RUN[..], &["--detach"]].concat());
    assert_eq!(started.code, 0, "{started:?}");
    assert!(started.err.contains("tail -f"), "{started:?}");
    let blocks = until_found("the end", || {
        let shown = bench.run(&["runs", "--format", "json"]).json();
        let run = &shown["runs"][0];
        (run["state"] == "stopped").then(|| run["blocks"].as_u64().unwrap())
    });
    assert!(blocks >= 3, "{}", bench.run(&["show", "last"]).err);
    let (_, run) = record(&bench);
    assert_eq!(run.header.command[..3], ["bakeoff", "run", "plan.toml"], "as a user would type it");
    assert_eq!(left(&bench), Vec::<String>::new());
}

#[test]
fn probing_an_honest_image_leaves_it_as_it_was() {
    if lacks() {
        return;
    }
    let bench = Bench::new();
    let image = bench.path().join("disk.img");
    let content: Vec<u8> = (0..160 * MIB).map(|i| (i / 4096 % 251) as u8).collect();
    fs::write(&image, &content).unwrap();
    let read = bench.run(&["probe", "disk.img", "--read-all"]);
    assert!(read.code == 0 && read.out.contains("were read without an error"), "{read:?}");
    assert!(read.out.contains("may lose data by it"), "{read:?}");
    let args = ["probe", "disk.img", "--erase", "disk.img", "--format", "json"];
    let probed = bench.run(&args);
    assert_eq!(probed.code, 0, "{probed:?}");
    let report = probed.json();
    assert_eq!(report["schema"], "bakeoff/probe/1");
    assert_eq!(report["verdict"], "no_evidence");
    assert_eq!(report["samples"], report["good"]);
    assert!(fs::read(&image).unwrap() == content, "what was there is back");
}

#[test]
fn an_image_whose_name_cannot_be_shown_is_erased_by_its_name_as_typed_or_as_shown() {
    if lacks() {
        return;
    }
    let bench = Bench::new();
    let name = "$(reboot) \u{1b}[31m.img";
    fs::File::create(bench.path().join(name)).unwrap().set_len(64 * MIB).unwrap();
    let shown = "'$(reboot) \\x1b[31m.img'";
    let read = bench.run(&["probe", name, "--format", "json"]);
    let command = read.json()["left_out"][1]["command"].to_string();
    assert!(command.contains("--erase ") && !read.out.contains('\u{1b}'), "{read:?}");
    for typed in [name, shown.trim_matches('\'')] {
        let probed = bench.run(&["probe", name, "--erase", typed]);
        assert_eq!(probed.code, 0, "{typed}: {probed:?}");
    }
    assert_eq!(bench.run(&["probe", name, "--erase", "$(reboot) [31m.img"]).code, 3);
}

/// Regions of the candidates of each complete block, with its number.
fn parts_by_block(events: &[Event], run: &Run) -> Vec<(BlockIx, Vec<Option<PlaceIx>>)> {
    let of_block = |wanted: BlockIx| {
        let mut parts = vec![None; run.header.candidates.len()];
        for event in events {
            if let What::VisitStarted { block, candidate, part, .. } = &event.what
                && *block == wanted
            {
                parts[usize::from(*candidate)] = *part;
            }
        }
        parts
    };
    run.complete_blocks().map(|block| (block.block, of_block(block.block))).collect()
}

#[test]
fn candidates_stand_side_by_side_change_places_and_take_turns() {
    if lacks() {
        return;
    }
    let bench = Bench::new();
    let plan = unlimited(SMALL);
    let plan = plan.replace("\"visit\"", "\"slices\"").replace("64m", "84m");
    made(&bench, &plan, 288 * MIB);
    let ran = bench.run_in_time("40s", &RUN);
    assert!(ran.code <= 1, "{ran:?}");
    assert_eq!(left(&bench), Vec::<String>::new());
    let (events, run) = record(&bench);
    let parts = parts_by_block(&events, &run);
    // Two candidates, and one of them once more as a control.
    let expected =
        |block: BlockIx| [0, 1, 2].map(|own| Some(PlaceIx::new((own + usize::from(block)) % 3)));
    for (block, found) in parts {
        assert_eq!(found[..], expected(block), "block {block}");
    }
    let twin_of = run.header.candidates[2].twin_of.as_ref().expect("a control has room");
    assert!(run.header.candidates[..2].iter().any(|candidate| candidate.name == *twin_of));
    for cell in run.complete_cells() {
        let known = run.calibration(cell.workload).expect("how long slices are is recorded");
        let valid = cell.slices.iter().filter(|slice| slice.is_valid());
        // One that is twice as long takes the place of two.
        let units: u32 = valid.map(|slice| u32::from(slice.times)).sum();
        assert!(units >= known.rounds, "{known:?}: {:?}", cell.slices);
        assert!(cell.slices.iter().all(|slice| slice.flushes >= 1), "{:?}", cell.slices);
        let seen_along = |slice: &Slice| Stretch::sum(&slice.along).ios == slice.ios;
        assert!(cell.slices.iter().all(seen_along), "{:?}", cell.slices);
    }
    let mut slices = run.complete_cells().flat_map(|cell| &cell.slices);
    assert!(slices.any(|slice| slice.times == 2), "one in ten proves that the length is enough");
    // Written once, and not again for every candidate.
    let overwritten = |record: &&StepRecord| matches!(record.step.action, Action::Overwrite { .. });
    assert_eq!(run.steps.iter().filter(overwritten).count(), 1);
}
