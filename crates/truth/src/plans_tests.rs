//! Whatever is compared can end in a winner and in a tie: no rule forbids an answer by
//! construction.

use crate::disk::{DiskUse, SimulatedDisk};
use crate::session;
use bakeoff_judge::analyse::analyse;
use bakeoff_judge::plan::{self, builtin::BUILT_IN};
use bakeoff_judge::testing::RunBuilder;
use bakeoff_machine::prepare::recipe::RECIPES;
use bakeoff_model::candidate::{Candidate, Kind};
use bakeoff_model::event::FlashState;
use bakeoff_model::event::Header;
use bakeoff_model::host::Host;
use bakeoff_model::protocol::{Mode, Protocol};
use bakeoff_model::verdict::Verdict;
use bakeoff_model::workloads;

fn comparisons() -> Vec<(String, Header)> {
    let built_in = BUILT_IN.iter().map(|of| {
        let parsed = plan::parse(of.text, of.name).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(parsed.protocol.flash_state, FlashState::Overwritten, "as the region is");
        let here = plan::PlanMachine { supports: &|_, _| Ok(()) };
        let of_plan =
            plan::expand(&parsed, &[], &here).unwrap_or_else(|e| panic!("{}: {e}", of.name));
        let run = RunBuilder::stacks(&["ext4"]).header(|h| {
            (h.protocol, h.candidates) = (of_plan.protocol, of_plan.candidates);
            (h.workloads, h.file_bytes) = (of_plan.workloads, of_plan.file_bytes);
            (h.host, h.plan) = (Host::default(), Some(parsed.text.clone()));
            h.region = Some(session::region());
        });
        (of.name.to_string(), run.build().header)
    });
    let demo = |count: usize| {
        let recipes = RECIPES.iter().filter(|r| r.in_demo && r.stands_in_for.is_none());
        let candidates: Vec<Candidate> =
            recipes.take(count).map(|r| Candidate::new(r.name, Kind::Stack(r.stack()))).collect();
        let names: Vec<&str> = candidates.iter().map(|c| c.name.as_str()).collect();
        let builder = RunBuilder::stacks(&names).mode(Mode::Quick).workloads(&workloads::DEMO);
        let mut header = builder.build().header;
        header.candidates = candidates;
        (format!("demo of {count}"), header)
    };
    let quick = RunBuilder::directories(&["/a", "/b"]).workloads(&workloads::QUICK).build();
    let precise = RunBuilder::stacks(&["ext4", "xfs", "ext4 again"])
        .header(|h| h.candidates[2].twin_of = Some("ext4".to_string()))
        .mode(Mode::Precise)
        .workloads(&workloads::QUICK)
        .build();
    let mut all: Vec<(String, Header)> = built_in.collect();
    all.extend([demo(2), demo(usize::MAX), ("quick".to_string(), quick.header)]);
    all.push(("precise".to_string(), precise.header));
    all
}

/// The verdicts of a comparison whose candidates are so many percent behind the first.
fn verdicts(name: &str, header: &Header, step: f64) -> Vec<String> {
    let mut header = header.clone();
    (header.protocol.time_ns, header.protocol.max_write_bytes) = (None, None);
    let original = |c: &Candidate| {
        let of = |name: &String| header.candidates.iter().position(|o| o.name == *name);
        c.twin_of.as_ref().and_then(of)
    };
    let gaps: Vec<f64> = (0..)
        .zip(&header.candidates)
        .map(|(i, c): (usize, _)| original(c).unwrap_or(i) as f64 * step)
        .collect();
    let run =
        session::play_on(header, &mut DiskUse::new(&SimulatedDisk::new(&gaps, 0.3), 7)).unwrap();
    let analysis = analyse(&run);
    assert_eq!(analysis.verdicts.len(), run.header.workloads.len(), "{name}");
    let wanted = if step == 0.0 { Verdict::AsFast } else { Verdict::Fastest };
    let other = |v: &bakeoff_model::verdict::WorkloadVerdict| {
        let found: Vec<&str> = v.findings.iter().map(|f| f.id.as_str()).collect();
        format!("{name}, {}: {:?} {found:?} {:?}", v.workload, v.verdict, v.lead)
    };
    analysis.verdicts.iter().filter(|v| v.verdict != wanted).map(other).collect()
}

#[test]
fn every_comparison_that_comes_with_bakeoff_can_end_in_a_winner_and_in_a_tie() {
    let mut wrong = Vec::new();
    for (name, header) in comparisons() {
        assert!(header.candidates.len() >= 2 && !header.workloads.is_empty(), "{name}");
        wrong.extend(verdicts(&name, &header, 30.0));
        wrong.extend(verdicts(&name, &header, 0.0));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_looks_are_those_of_the_mode() {
    for (name, header) in comparisons() {
        let mode = Protocol::for_mode(header.protocol.mode, header.protocol.k);
        assert_eq!(header.protocol.looks, mode.looks, "{name}");
    }
}
