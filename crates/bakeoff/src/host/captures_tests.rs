//! The machines of fixtures/sysfs, unpacked and looked at like a running system.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use bakeoff_machine::fitness;
use bakeoff_model::host::LayerKind;
use bakeoff_report::devices::{Asker, Devices};

use super::root::Root;
use super::{fingerprint, fitness::from_tree, place, system};

const MACHINES: [&str; 8] = ["vm", "pi1", "pi4", "pi5", "laptop", "nas", "hostile", "container"];

/// Unpacks a machine; the format is described in fixtures/sysfs/README.md.
fn unpack(name: &str) -> (tempfile::TempDir, Root) {
    let dir = tempfile::tempdir().unwrap();
    let base = fs::canonicalize(dir.path()).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = source.join(format!("../../fixtures/sysfs/{name}.txt"));
    let text = fs::read_to_string(&source).unwrap_or_else(|e| panic!("{source:?}: {e}"));
    let mut below = PathBuf::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let section = line.strip_prefix('[').and_then(|l| l.strip_suffix(']'));
        if line.is_empty() || line.starts_with('#') {
            continue;
        } else if let Some(section) = section {
            below = PathBuf::from(section);
            continue;
        }
        let at = |name: &str| {
            let path = base.join(&below).join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            path
        };
        if let Some((name, target)) = line.split_once(" -> ") {
            symlink(base.join(target.strip_prefix('/').unwrap()), at(name)).unwrap();
        } else if let Some((name, value)) = line.split_once(" = ") {
            fs::write(at(name), [bytes(value), vec![b'\n']].concat()).unwrap();
        } else {
            let name = line.strip_suffix(':').unwrap_or_else(|| panic!("{name}: {line}"));
            let mut content = Vec::new();
            while let Some(line) = lines.next_if(|l| l.starts_with("  ") || l.is_empty()) {
                content.extend(bytes(line.get(2..).unwrap_or_default()));
                content.push(b'\n');
            }
            fs::write(at(name), content).unwrap();
        }
    }
    (dir, Root::at(base))
}

/// Undoes `%XX`.
fn bytes(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = (*first == b'%').then(|| std::str::from_utf8(&tail[..2]).unwrap());
        match code {
            Some(code) => out.push(u8::from_str_radix(code, 16).unwrap()),
            None => out.push(*first),
        }
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    out
}

/// Whether a terminal, table or page could be harmed by the text.
fn is_harmless(text: &str) -> bool {
    let direction = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !text.chars().any(|c| (c.is_control() && c != '\n' && c != '\r') || direction(c))
}

#[test]
fn drives_of_every_machine() {
    for name in MACHINES {
        let (_dir, root) = unpack(name);
        let system = system::system(&root).unwrap();
        let devices = Devices::new(&system, &Asker::ordinary(false));
        let text = devices.document().text(80, false);
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{name}: {line}");
        }
        for shown in [&text, &devices.json(), &devices.csv(), &devices.markdown()] {
            assert!(is_harmless(shown), "{name}: {shown}");
        }
        assert!(!devices.markdown().contains('<'), "{name}");
        insta::assert_snapshot!(format!("devices_{name}"), text);
    }
}

#[test]
fn hostile_names_in_tables() {
    let (_dir, root) = unpack("hostile");
    let devices = Devices::new(&system::system(&root).unwrap(), &Asker::ordinary(false));
    insta::assert_snapshot!("hostile_csv", devices.csv());
    insta::assert_snapshot!("hostile_markdown", devices.markdown());
    insta::assert_snapshot!("hostile_json", devices.json());
}

#[test]
fn every_key_is_documented() {
    fn keys(value: &serde_json::Value, found: &mut Vec<String>) {
        match value {
            serde_json::Value::Object(map) => map.iter().for_each(|(key, value)| {
                found.push(key.clone());
                keys(value, found);
            }),
            serde_json::Value::Array(list) => list.iter().for_each(|value| keys(value, found)),
            _ => {}
        }
    }
    let doc = include_str!("../../../../docs/format.md");
    let section =
        doc.split("## Drives").nth(1).and_then(|tail| tail.split("\n## ").next()).unwrap();
    for name in MACHINES {
        let (_dir, root) = unpack(name);
        let devices = Devices::new(&system::system(&root).unwrap(), &Asker::ordinary(false));
        let mut found = Vec::new();
        keys(&serde_json::to_value(&devices).unwrap(), &mut found);
        found.extend(devices.csv().lines().next().unwrap().split(',').map(str::to_string));
        let whys = devices.drives.iter().flat_map(|d| &d.reasons);
        found.extend(whys.map(|r| serde_json::to_string(&r.why).unwrap().replace('"', "")));
        for key in found {
            assert!(section.contains(&format!("`{key}`")), "docs/format.md lacks {key}");
        }
    }
}

#[test]
fn what_lies_below_every_mount() {
    for name in MACHINES {
        let (_dir, root) = unpack(name);
        let system = system::system(&root).unwrap();
        let mut lines = String::new();
        for mounted in &system.mounts {
            let place = place::describe(mounted, &system);
            let chain: Vec<String> = place
                .chain
                .iter()
                .map(|layer| format!("{} ({:?})", layer.name, layer.kind))
                .collect();
            let class = format!("{:?}", place.class);
            lines += &format!("{} {class}: {}\n", place.mount_point, chain.join(" > "));
        }
        insta::assert_snapshot!(format!("chains_{name}"), lines);
    }
}

#[test]
fn who_the_machines_are() {
    for name in ["vm", "pi1", "pi4", "pi5", "laptop", "nas"] {
        let (_dir, root) = unpack(name);
        insta::assert_json_snapshot!(format!("host_{name}"), fingerprint::gather(&root));
    }
}

#[test]
fn layers_carry_what_identifies_a_drive() {
    let (_dir, root) = unpack("pi4");
    let system = system::system(&root).unwrap();
    insta::assert_json_snapshot!("layers_pi4", system.named("sda").unwrap().layer);
    let (_dir, root) = unpack("laptop");
    let system = system::system(&root).unwrap();
    insta::assert_json_snapshot!("layers_laptop", system.named("nvme0n1").unwrap().layer);
}

/// What limits each drive of every machine, as far as files say.
#[test]
fn what_limits_every_drive() {
    for name in MACHINES {
        let (_dir, root) = unpack(name);
        let system = system::system(&root).unwrap();
        let mut shown = String::new();
        for drive in system.devices.iter().filter(|d| d.layer.kind == LayerKind::Disk) {
            let facts = from_tree(&root, std::slice::from_ref(&drive.layer));
            let checks = facts.disks.iter().flat_map(|disk| fitness::of_drive(disk, &facts));
            let mut devices = Devices::new(&system, &Asker::ordinary(true));
            devices.keep(&drive.layer, checks.collect());
            let text = devices.document().text(80, false);
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
            assert!(is_harmless(&text) && is_harmless(&devices.json()), "{text}");
            shown += &(text + "\n");
        }
        insta::assert_snapshot!(format!("drives_{name}"), shown);
    }
}

#[test]
fn without_proc_nothing_is_called_unused() {
    let dir = tempfile::tempdir().unwrap();
    assert!(system::system(&Root::at(dir.path())).is_err());
}

/// What is usual for the four figures of every mounted filesystem of every machine.
#[test]
fn what_is_usual_for_every_mount() {
    use bakeoff_machine::usual::{links, medium, others};
    use bakeoff_model::boards;
    use bakeoff_model::normal::Test;
    let mut lines = String::new();
    for name in MACHINES {
        let (_dir, root) = unpack(name);
        let system = system::system(&root).unwrap();
        let host = fingerprint::gather(&root);
        let model = host.model.as_deref();
        for mounted in &system.mounts {
            let place = place::describe(mounted, &system);
            let Ok((kind, drive)) = medium::of_place(&place) else { continue };
            let classes = drive.map(medium::classes).unwrap_or_default();
            let board = model.and_then(boards::find).map(|board| board.name());
            let key = drive.and_then(|d| links::key(d).or_else(|| links::slot_key(model, d)));
            let limit = drive.and_then(|drive| links::limit(model, drive));
            let known =
                Test::ALL.iter().map(|test| others::find(kind, key, *test).map_or(0, |o| o.n));
            let known: Vec<u32> = known.collect();
            let limit = limit.map(|limit| limit.practice_bytes_per_s);
            lines += &format!(
                "{name} {}: {} {classes:?} {key:?} {board:?} {limit:?} {known:?}\n",
                place.mount_point,
                kind.key()
            );
        }
    }
    assert!(is_harmless(&lines), "{lines}");
    insta::assert_snapshot!("usual", lines);
}
