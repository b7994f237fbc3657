//! A user edits the record of a dead run, and root recovers: what is stored is never obeyed.
//!
//! Root executed the command that an edited `undo` named, deleted and overwrote files in /etc,
//! unmounted what was not ours, and removed a directory there. Here each of these is put into the
//! record of a run that was killed, and root's `clean` meets it.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Signal;
use serde_json::{Value, json};

use bakeoff_stats::prng::SplitMix64;

use crate::bench::{Bench, Ended, Loop};
use crate::other::{self, Other};
use crate::running::Running;
use crate::skip;

/// Files that no undo may touch, at which edited records point.
pub struct Canaries {
    dir: PathBuf,
}

impl Canaries {
    pub fn new(bench: &Bench) -> Canaries {
        let dir = bench.dir("etc");
        fs::write(dir.join("passwd"), "root:x:0:0\n").unwrap();
        fs::create_dir(dir.join("ssh")).unwrap();
        fs::write(dir.join("ssh/data"), "key\n").unwrap();
        Canaries { dir }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Everything below, with contents.
    pub fn state(&self) -> Vec<(String, Option<String>)> {
        let names = ["passwd", "ssh", "ssh/data", "touched"];
        let of = |name: &&str| (name.to_string(), fs::read_to_string(self.at(name)).ok());
        let mut all: Vec<_> = names.iter().map(of).collect();
        all.push(("ssh is there".to_string(), self.at("ssh").is_dir().then(String::new)));
        all
    }
}

/// A store with the record of a `quick` that was killed: root's, or that of a user who typed sudo.
pub fn killed(bench: &Bench, typed_by: Option<&Other>) -> PathBuf {
    let dir = bench.dir("place");
    let mut bakeoff = bench.bakeoff();
    if let Some(other) = typed_by {
        // They have to get there, to edit it.
        fs::set_permissions(bench.path(), Permissions::from_mode(0o755)).unwrap();
        other.owns(&bench.dir("data"));
        under_sudo(&mut bakeoff, other);
    }
    bakeoff.args(["quick", "--time", "5m", "--workload", "randread"]).arg(&dir);
    let mut running = Running::start(&mut bakeoff);
    running.until("it has made its directory", |_| (!bench.leftovers().is_empty()).then_some(()));
    running.signal(Signal::KILL);
    drop(running.end());
    bench.path().join("data/bakeoff/bakeoff.db")
}

/// As sudo(8) starts it for them.
fn under_sudo<'c>(command: &'c mut Command, other: &Other) -> &'c mut Command {
    command.env("SUDO_UID", other.uid.to_string()).env("SUDO_GID", other.gid.to_string())
}

/// Edits the undo of the first step that has one.
fn edit(store: &Path, undo: &Value) {
    let raw = rusqlite::Connection::open(store).unwrap();
    let (rowid, text): (i64, String) = raw
        .query_row(
            "SELECT rowid, json FROM events WHERE json LIKE '%\"step_planned\"%' \
             AND json NOT LIKE '%\"undo\":null%' ORDER BY seq LIMIT 1",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    let mut event: Value = serde_json::from_str(&text).unwrap();
    event["what"]["step_planned"]["undo"] = undo.clone();
    let text = event.to_string();
    raw.execute("UPDATE events SET json = ?1 WHERE rowid = ?2", (&text, rowid)).unwrap();
}

#[test]
fn root_obeys_no_undo_that_was_edited() {
    if other::lacks_other() {
        return;
    }
    let mut bench = Bench::new();
    let canaries = Canaries::new(&bench);
    let before = canaries.state();
    let mounted = bench.mount_loop("ext2", "64M", Loop::Plain);
    let other = Other::new();
    let store = killed(&bench, Some(&other));
    let run = |words: &[&str]| {
        Ended::from_output(under_sudo(&mut bench.bakeoff(), &other).args(words).output().unwrap())
    };
    let (passwd, ssh) = (canaries.at("passwd"), canaries.at("ssh"));
    let attacks = [
        json!({ "run": { "argv": ["touch", canaries.at("touched")] } }),
        json!({ "remove_udev_rule": { "path": passwd } }),
        json!({ "set_knob": { "path": passwd, "value": "pwned" } }),
        json!({ "put_back_knob": { "path": passwd, "ours": "root:x:0:0", "before": "pwned" } }),
        json!({ "remove_scratch": { "parent": canaries.dir, "name": "ssh" } }),
        json!({ "unmount": { "at": mounted } }),
        json!({ "close_mapper": { "name": "cryptroot" } }),
        json!({ "detach_loop": { "file": bench.path().join("ext2.img") } }),
        json!({ "restore_knob": { "knob": { "scheduler": "../../../etc" }, "ours": "", "before": "x" } }),
        json!({ "remove_our_scratch": { "parent": ssh, "of": { "number": 7 } } }),
        json!({ "remove_our_scratch": { "parent": canaries.dir, "of": "ssh" } }),
        json!("remove_everything"),
    ];
    for attack in attacks {
        other.does(|| edit(&store, &attack));
        run(&["clean"]);
        assert_eq!(canaries.state(), before, "{attack}");
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
        assert!(mounts.contains(mounted.to_str().unwrap()), "{attack}");
    }
    // What could not be obeyed is shown and forgotten when asked, and nothing else is touched.
    other.does(|| edit(&store, &json!({ "run": { "argv": ["touch", canaries.at("touched")] } })));
    let refused = run(&["clean"]);
    let forgotten = run(&["clean", "--force", "last"]);
    assert!(refused.code == 4 || refused.code == 0, "{refused:?}");
    assert!(forgotten.code == 0, "{forgotten:?}");
    assert_eq!(run(&["clean"]).code, 0);
    assert_eq!(canaries.state(), before);
}

/// Words an attacker would try, and some of ours.
const WORDS: [&str; 16] = [
    "..",
    "/",
    "/etc/passwd",
    "../../etc",
    "sda",
    "loop0",
    "policy0",
    "none",
    "mnt",
    "ssh",
    "",
    "0123456789abcdef",
    "a\u{0}b",
    "$(touch x)",
    "scheduler",
    "crypt",
];

/// Any JSON of a few levels, with keys of real undos among those it has.
pub fn any(random: &mut SplitMix64, canaries: &Canaries, depth: u32) -> Value {
    const KEYS: [&str; 24] = [
        "run",
        "argv",
        "path",
        "value",
        "parent",
        "name",
        "of",
        "number",
        "slot",
        "knob",
        "ours",
        "before",
        "remove_our_scratch",
        "unmount_ours",
        "remove_volume",
        "region",
        "lvm",
        "file",
        "restore_knob",
        "keep_knob",
        "restore_saved",
        "drive",
        "at",
        "size_bytes",
    ];
    match random.below(if depth == 0 { 4 } else { 7 }) {
        0 => json!(WORDS[random.below(WORDS.len() as u64) as usize]),
        1 => json!(canaries.at(["", "passwd", "ssh", "touched"][random.below(4) as usize])),
        2 => json!(random.below(20)),
        3 => json!(
            ["remove_mount_points", "detach_marked_loop", "remove_our_rule"]
                [random.below(3) as usize]
        ),
        4 => (0..random.below(4)).map(|_| any(random, canaries, depth - 1)).collect(),
        _ => {
            let count = random.below(4);
            let one = |_| {
                let key = KEYS[random.below(KEYS.len() as u64) as usize];
                (key.to_string(), any(random, canaries, depth - 1))
            };
            Value::Object((0..=count).map(one).collect())
        }
    }
}

/// `clean` of a store in a mount namespace of its own.
pub fn cleaned_apart(bench: &Bench, store: &Path) -> Ended {
    let bakeoff = bench.bakeoff();
    let mut clean = Command::new("unshare");
    // What others unmount meanwhile is unmounted here too where / is shared: a copy would keep
    // their devices busy.
    clean.args(["--mount", "--propagation", "slave", "--"]).arg(bakeoff.get_program());
    clean.args(["clean", "--store"]).arg(store).current_dir(bench.path()).env_remove("SUDO_UID");
    Ended::from_output(clean.output().unwrap())
}

/// Mutated records, in a mount namespace of their own: whatever is recovered, nothing but what is
/// ours is touched.
#[test]
fn recovery_of_mutated_records_touches_nothing_of_others() {
    if skip::lacks_root() || skip::lacks_command("unshare") {
        return;
    }
    let mut bench = Bench::new();
    let canaries = Canaries::new(&bench);
    let before = canaries.state();
    let mounted = bench.mount_loop("ext2", "64M", Loop::Plain);
    let store = killed(&bench, None);
    let attached = bench.attached();
    let mut random = SplitMix64::new(20_261_123);
    for _ in 0..150 {
        let undo = any(&mut random, &canaries, 4);
        edit(&store, &undo);
        let ended = cleaned_apart(&bench, &store);
        assert!(matches!(ended.code, 0 | 3 | 4), "{undo}: {ended:?}");
        assert_eq!(canaries.state(), before, "{undo}");
        assert_eq!(bench.attached(), attached, "{undo}");
        // A step that was undone stays so: the next one is made open again.
        let raw = rusqlite::Connection::open(&store).unwrap();
        raw.execute("DELETE FROM events WHERE kind IN ('step_undone', 'stopped')", []).unwrap();
    }
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(mounts.contains(mounted.to_str().unwrap()));
}

/// One damaged event kept `clean` from cleaning any run, and `quick` from starting.
#[test]
fn a_damaged_record_is_set_aside_and_others_are_recovered() {
    if skip::lacks_root() {
        return;
    }
    let bench = Bench::new();
    let store = killed(&bench, None);
    let raw = rusqlite::Connection::open(&store).unwrap();
    let damaged = raw.execute("UPDATE events SET json = '{\"seq\":2,' WHERE seq = 2", []).unwrap();
    assert!(damaged > 0);
    drop(raw);
    let dir = bench.path().join("other");
    fs::create_dir(&dir).unwrap();
    let words = ["quick", "--time", "20m", "--size", "16m", "--workload", "randread"];
    let quick = bench.run(&[&words[..], &[dir.to_str().unwrap()]].concat());
    assert!(quick.code <= 1, "{quick:?}");
    assert!(quick.err.contains("--force"), "{quick:?}");
    let cleaned = bench.run(&["clean"]);
    assert!(cleaned.err.contains("skipped"), "{cleaned:?}");
    let listed = bench.run(&["runs", "--format", "json"]);
    assert_eq!(listed.code, 0, "{listed:?}");
}

/// A store that another user can write is none that root recovers from.
#[test]
fn root_refuses_to_recover_from_a_store_of_another_user() {
    if other::lacks_other() {
        return;
    }
    let (bench, other) = (Bench::new(), Other::new());
    let store = killed(&bench, None);
    let left = bench.leftovers();
    other.owns(&store);
    let refused = bench.run(&["clean"]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.err.contains(&other.uid.to_string()), "{refused:?}");
    assert_eq!(bench.leftovers(), left, "nothing was recovered");
    chown(&store, Some(0), Some(0)).unwrap();
    assert_eq!(bench.run(&["clean"]).code, 0);
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}
