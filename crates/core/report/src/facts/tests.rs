//! The facts of a machine whose every name is a secret have none of them.

use proptest::prelude::*;

use super::*;
use crate::about::StoreFacts;
use crate::devices::Asker;
use bakeoff_judge::analyse::analyse;
use bakeoff_judge::testing::RunBuilder;
use bakeoff_machine::prepare::contents::{Contents, Sign};
use bakeoff_machine::prepare::device::{BlockDevice, System};
use bakeoff_machine::sysinfo::dev::Dev;
use bakeoff_model::finding::{Finding, Scope, Severity};
use bakeoff_model::host::{Layer, LayerKind};
use bakeoff_model::path::RawPath;

/// The names of a machine, its drive, its owner and its places.
struct Secrets(Vec<String>);

impl Secrets {
    fn host(&self) -> String {
        format!("{}.{}.lan", self.0[0], self.0[1])
    }

    fn home(&self) -> String {
        format!("/home/{}/{}", self.0[2], self.0[3])
    }

    /// A sentence with all of them.
    fn sentence(&self) -> String {
        let all = self.0.join(", ");
        format!(
            "cannot write {}/{}: {all} on {} at 10.20.30.40, B8:27:EB:01:02:03, \
             6f1c0a2b-1111-2222-3333-444455556666, {}@{} ({})",
            self.home(),
            self.0[4],
            self.host(),
            self.0[2],
            self.0[0],
            self.0[5].to_uppercase()
        )
    }
}

fn drive_of(secrets: &Secrets) -> System {
    let layer = Layer {
        name: "sdb".into(),
        kind: LayerKind::Disk,
        size_bytes: 32 << 30,
        model: Some(format!("Extreme {}", secrets.0[6])),
        serial: Some(secrets.0[6].clone()),
        by_id: Some(format!("/dev/disk/by-id/usb-{}", secrets.0[7])),
        ..Layer::default()
    };
    let label = Some(RawPath::new(&secrets.0[8]));
    let sign = Sign { kind: "ext4".into(), label, ..Sign::default() };
    let contents = Some(Contents { signs: vec![sign] });
    let device = BlockDevice { dev: Dev::new(8, 16), layer, contents, ..BlockDevice::default() };
    System { devices: vec![device], saw_all: true, ..System::default() }
}

fn written(secrets: &Secrets) -> String {
    let host = Host {
        hostname: secrets.host(),
        model: Some("Raspberry Pi 4 Model B".into()),
        kernel: "6.12.47+rpt-rpi-v8".into(),
        boot_id: Some("6f1c0a2b-1111-2222-3333-444455556666".into()),
        ..Host::default()
    };
    let run = RunBuilder::directories(&[&secrets.home(), &format!("/mnt/{}", secrets.0[9])])
        .header(|header| {
            header.host = host.clone();
            header.command = ["bakeoff", "quick", &secrets.0[10], "--report", &secrets.0[4]]
                .map(String::from)
                .to_vec();
        })
        .play(2, |_, _, _| 100.0)
        .build();
    let mut analysis = analyse(&run);
    analysis.findings.push(Finding {
        id: "L10".into(),
        severity: Severity::Warn,
        scope: Scope::Place,
        workload: None,
        candidate: None,
        evidence: secrets.sentence(),
        advice: secrets.sentence(),
    });
    let devices = Devices::new(&drive_of(secrets), &Asker::ordinary(true));
    let store = StoreFacts { path: format!("{}/s.db", secrets.home()), ..StoreFacts::default() };
    let about = About { store, ..About::default() };
    let error = LastError {
        unix_s: 1,
        version: "0.1.0".into(),
        exit: 70,
        command: vec!["bakeoff".into(), "quick".into(), secrets.0[11].clone()],
        message: secrets.sentence(),
        panic: Some(secrets.sentence()),
    };
    let lacks = [FilesystemFact { filesystem: "xfs", lacks: Some(secrets.sentence()) }];
    let facts = Facts {
        unix_ns: 0,
        about: &about,
        host: &host,
        devices: Some(&devices),
        tools: &[],
        filesystems: &lacks,
        last_run: Some((&run, &analysis)),
        last_error: Some(&error),
        users: &[secrets.0[2].clone(), secrets.0[5].clone()],
    };
    facts_json(&facts).0
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn no_name_of_the_machine_or_its_owner_is_in_the_facts(
        words in proptest::collection::btree_set("[a-zA-Z]{2}[A-Z0-9]{5}[a-z]{2}", 12)
    ) {
        let secrets = Secrets(words.into_iter().collect());
        let text = written(&secrets).to_ascii_lowercase();
        let others = ["10.20.30.40", "b8:27:eb", "6f1c0a2b"].map(String::from);
        for lost in secrets.0.iter().chain(&others) {
            prop_assert!(!text.contains(&lost.to_ascii_lowercase()), "{lost} is in {text}");
        }
        // What a report is about is still there.
        for kept in ["raspberry pi 4 model b", "6.12.47+rpt-rpi-v8", "ext4", "cannot write /home/"] {
            prop_assert!(text.contains(kept), "{kept} is not in {text}");
        }
    }
}

#[test]
fn every_key_is_documented() {
    let words = ('a'..='l').map(|c| format!("secret{c}{c}"));
    let value: Value = serde_json::from_str(&written(&Secrets(words.collect()))).unwrap();
    let doc = include_str!("../../../../../docs/format.md");
    let sections = [&value, &value["drives"][0], &value["last_run"], &value["last_error"]];
    for key in sections.iter().flat_map(|part| part.as_object().unwrap().keys()) {
        assert!(doc.contains(&format!("`{key}`")), "docs/format.md lacks {key}");
    }
    assert_eq!(value["schema"], "bakeoff/facts/1");
}
