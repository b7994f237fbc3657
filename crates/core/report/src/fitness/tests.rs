//! The page of a machine at rest, and no hostile name gets through.

use super::*;
use bakeoff_machine::fitness::checks;
use bakeoff_machine::fitness::facts::*;
use bakeoff_machine::fitness::testing::{fit, with_card};

fn page(facts: &Facts) -> String {
    document(facts, &checks(facts), str::to_string).text(80, false)
}

#[test]
fn a_machine_at_rest() {
    insta::assert_snapshot!(page(&fit()));
}

#[test]
fn hostile_names_reach_no_terminal() {
    let evil = "\u{1b}[2J\u{202e}\n evil\\";
    let mut facts = fit();
    with_card(&mut facts, Some((evil, 4)), 3);
    facts.disks[0].layer.name = evil.into();
    facts.disks[0].layer.model = Some(evil.into());
    facts.disks[0].card.as_mut().unwrap().name = Some(evil.into());
    facts.disks[0].health = Some(Err(evil.into()));
    facts.tasks = Err(evil.into());
    facts.host.model = Some(evil.into());
    facts.swaps = vec![SwapFacts { name: evil.into(), on_target: true, in_memory: false }];
    facts.target = Target::Device { name: evil.into(), chain: Vec::new(), in_use: Vec::new() };
    let shown = page(&facts);
    assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let json = json(&facts, &checks(&facts)).to_string();
    assert!(!json.contains("\\u001b") && !json.contains('\u{202e}'), "{json}");
}
