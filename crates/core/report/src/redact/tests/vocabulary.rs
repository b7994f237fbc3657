//! Words of the format stay where the format needs them, whatever machines and people are called.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::planted::{exports, texts};
use crate as report;
use crate::bundle::decode;
use crate::bundle::tests::sample;
use crate::redact::{Kind, Redactor, event, learn};
use bakeoff_judge::analyse;
use bakeoff_judge::plan::BUILT_IN;
use bakeoff_judge::testing::RunBuilder;
use bakeoff_judge::testing::expanded;
use bakeoff_model::event::Event;
use bakeoff_model::profiles;
use bakeoff_model::run::Run;
use bakeoff_model::workload::Workload;
use bakeoff_model::workloads;

/// A run of these workloads whose command line, host, drive and directories have this name.
fn named(name: &str, of: &[Workload]) -> Vec<Value> {
    let directory = format!("/home/{name}/{name}");
    let run = RunBuilder::directories(&[&directory, "/srv/other"]).header(|header| {
        header.workloads = of.to_vec();
        header.host.hostname = name.to_string();
        let list = format!("{name},{name}");
        header.command =
            ["bakeoff", "quick", &directory, "--workload", name, &list, &format!("./{name}")]
                .map(str::to_string)
                .to_vec();
    });
    let rates = |_, candidate: u16, _| 1e8 * (1.0 + f64::from(candidate));
    let events = run.place(1, |place| place.chain[0].serial = Some(name.to_string()));
    let events = events.play(3, rates).events();
    events.iter().map(|event| serde_json::to_value(event).unwrap()).collect()
}

fn redacted(events: &[Value]) -> Vec<Value> {
    let mut redactor = Redactor::of_run(sample::RUN);
    events.iter().for_each(|event| learn(&mut redactor, event));
    events.iter().map(|original| event(&mut redactor, original)).collect()
}

fn run(events: &[Value]) -> Run {
    let read = |event: &Value| serde_json::from_value::<Event>(event.clone()).unwrap();
    Run::fold(&events.iter().map(read).collect::<Vec<_>>()).unwrap()
}

/// Verdicts without the sentences, which name the candidates.
fn answer(run: &Run) -> Vec<Value> {
    let json: Value =
        serde_json::from_str(&report::json_text(run, &analyse::analyse(run))).unwrap();
    let verdicts = json["verdicts"].as_array().unwrap().iter();
    verdicts.map(|v| json!([v["verdict"], v["lead"], v["workload"]])).collect()
}

/// `quick --workload torrent` could not be exported: "unknown variant `name-6`". The name of our
/// own profile on the command line was taken for a private directory.
#[test]
fn every_workload_and_plan_is_exported_and_imported_to_the_same_answer() {
    let mut asked: BTreeMap<String, Vec<Workload>> = BTreeMap::new();
    for workload in workloads::all().into_iter().chain(profiles::all()) {
        let profile = workload.profile.map(|part| part.profile.name().to_string());
        asked.entry(profile.unwrap_or(workload.name.clone())).or_default().push(workload);
    }
    for plan in BUILT_IN {
        asked.insert(plan.name.to_string(), expanded(plan.text, &[]).workloads);
    }
    for (name, of) in asked {
        let original = named(&name, &of);
        let replaced = redacted(&original);
        assert!(!json!(replaced).to_string().contains("/srv/other"), "{name}");
        for (format, text) in exports("a label", &replaced) {
            assert!(!text.is_empty(), "{name}: no {format}");
            if format == "bundle" {
                decode(text.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
            }
        }
        let before = answer(&run(&original));
        assert_eq!(before.len(), of.len(), "{name}");
        assert_eq!(answer(&run(&replaced)), before, "{name}");
    }
}

/// A machine may be called like any word of the format.
#[test]
fn no_name_of_a_machine_makes_an_event_unreadable() {
    let events: Vec<Value> =
        sample::events().iter().map(|event| serde_json::to_value(event).unwrap()).collect();
    let mut words = BTreeSet::new();
    for event in &events {
        let mut paths = Vec::new();
        texts(event, &mut String::new(), &mut paths);
        for (pointer, _) in paths {
            words.insert(event.pointer(&pointer).unwrap().as_str().unwrap().to_string());
        }
    }
    assert!(words.len() > 100, "{} words", words.len());
    for word in words {
        let mut redactor = Redactor::of_run(sample::RUN);
        redactor.learn(Kind::Host, &word);
        for original in &events {
            let read = serde_json::from_value::<Event>(event(&mut redactor, original));
            assert!(read.is_ok(), "{word}: {:?}", read.err());
        }
    }
}
