//! Words of plans and of records that would reach other drives and files, and stores that others
//! can write: refused before anything is touched.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;

use rustix::process::Signal;

use crate::bench::Bench;
use crate::on_image::{self, MIB, RESUME, RUN, SMALL, left, made};
use crate::running::Running;

const WORKLOAD: &str = "[[workload]]\nname = \"randwrite\"\n";

/// A plan from a forum formatted another drive, wrote a file elsewhere, and put /etc on the target.
#[test]
fn a_hostile_plan_is_refused() {
    let bench = Bench::new();
    on_image::made(&bench, "", 512 * MIB);
    let canary = bench.path().join("canary");
    fs::write(&canary, "mine").unwrap();
    let canary = canary.to_str().unwrap();
    let logdev = format!("logdev={canary}");
    let device = format!("device={canary}");
    let looped = format!("loop={canary}");
    let attacks: &[(&str, &str, &[&str])] = &[
        ("btrfs", "mkfs", &["-f", canary]),
        ("xfs", "mkfs", &["-l", &logdev]),
        ("ext4", "mkfs", &["-z", canary]),
        ("ext4", "mkfs", &["-d", "/etc"]),
        ("ext4", "mkfs", &["-J", &device]),
        ("ext4", "mkfs", &["-E", "root_owner=1000:1000"]),
        ("ext4", "mkfs", &["@file"]),
        ("ext4", "mount", &[&looped]),
        ("btrfs", "mount", &[&device]),
        ("btrfs", "mount", &["subvolid=256"]),
        ("ext4", "mount", &["x-systemd.automount"]),
    ];
    let ended = |words: &[&str], text: &str| {
        fs::write(bench.path().join("plan.toml"), text).unwrap();
        bench.run(words)
    };
    for (fs, key, words) in attacks {
        let text = format!("[[stack]]\nfs = \"{fs}\"\n{key} = {words:?}\n{WORKLOAD}");
        for command in [&["plan", "--commands", "plan.toml"][..], &RUN] {
            let refused = ended(command, &text);
            assert_eq!(refused.code, 3, "{command:?} {words:?}: {refused:?}");
            assert!(refused.err.contains("Refusing the m"), "{refused:?}");
            assert!(refused.err.contains("Remove it"), "{refused:?}");
        }
        assert_eq!(fs::read_to_string(canary).unwrap(), "mine", "{words:?}");
    }
}

/// A run on an image that ended by Ctrl-C after its first block, with everything undone.
fn interrupted(bench: &Bench) {
    made(bench, SMALL, 96 * MIB);
    let mut running = Running::start(bench.bakeoff().args(RUN));
    running.until_recorded("a block", &bench.store(), |record| {
        (record.count_of("block_started") > 0).then_some(())
    });
    running.signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code, 130, "{ended:?}");
}

/// Puts words before those for mkfs in every event.
fn edit(store: &Path, words: &str) {
    let raw = rusqlite::Connection::open(store).unwrap();
    let changed = raw
        .execute(
            "UPDATE events SET json = replace(json, '\"mkfs\":[', ?1)",
            [format!("\"mkfs\":[{words},")],
        )
        .unwrap();
    assert!(changed > 0);
}

/// `resume` of an edited record formatted another drive, without a token.
#[test]
fn resume_refuses_words_that_no_plan_may_have_and_asks_for_every_token() {
    if on_image::lacks() {
        return;
    }
    let bench = Bench::new();
    interrupted(&bench);
    let image = fs::read(bench.path().join("disk.img")).unwrap();
    let refused = bench.run(&["resume", "last", "--time", "4h"]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.err.contains("add --erase disk.img"), "{refused:?}");
    edit(&bench.store(), "\"-d\",\"/etc\"");
    let refused = bench.run(&[&RESUME[..], &["--time", "4h"]].concat());
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.err.contains("Refusing the mkfs option '-d' for ext"), "{refused:?}");
    assert!(fs::read(bench.path().join("disk.img")).unwrap() == image, "the image was written");
    assert_eq!(left(&bench), Vec::<String>::new());
}

/// What `clean` refused to obey, `resume` obeyed.
#[test]
fn root_resumes_no_run_from_a_store_that_others_can_write() {
    if on_image::lacks() {
        return;
    }
    let bench = Bench::new();
    interrupted(&bench);
    let store = bench.store();
    let resume = |bench: &Bench| bench.run(&[&RESUME[..], &["--time", "1s"]].concat());
    let refused = |bench: &Bench, says: &str| {
        let refused = resume(bench);
        assert_eq!(refused.code, 3, "{refused:?}");
        assert!(refused.err.contains("Refusing to act on the records"), "{refused:?}");
        assert!(refused.err.contains(says), "{refused:?}");
    };
    chown(&store, Some(1234), None).unwrap();
    refused(&bench, "user 1234 can write to");
    let forced = bench.run(&["clean", "--force", "last"]);
    assert_eq!(forced.code, 3, "{forced:?}");
    chown(&store, Some(0), None).unwrap();
    let mode = |mode| {
        fs::set_permissions(store.parent().unwrap(), Permissions::from_mode(mode)).unwrap();
    };
    mode(0o1777);
    refused(&bench, "other users can create files in");
    mode(0o700);
    let resumed = resume(&bench);
    assert!([0, 1].contains(&resumed.code), "{resumed:?}");
}
