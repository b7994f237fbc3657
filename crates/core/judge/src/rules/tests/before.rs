//! Headers for the tests of rules that are known before the first block.

use super::*;
use crate::plan::BUILT_IN;
use crate::testing::RunBuilder;
use bakeoff_model::candidate::{Kind, Stack};
use bakeoff_model::event::Header;
use bakeoff_model::host::{Layer, LayerKind, Place};
use bakeoff_model::job::Job;
use bakeoff_model::protocol::Mode;

pub fn stacks() -> RunBuilder {
    RunBuilder::stacks(&["ext4", "xfs"])
}

/// Two directories, the first one's place changed.
pub fn places(change: impl FnOnce(&mut Place)) -> Run {
    RunBuilder::directories(&["/a", "/b"]).place(0, change).build()
}

pub fn disk_of(place: &mut Place) -> &mut Layer {
    place.chain.iter_mut().find(|l| l.kind == LayerKind::Disk).expect("a drive")
}

/// Whether rule `id` speaks of this header.
pub fn fires(id: &str, run: &Run) -> bool {
    told(&planned(run), id).is_some()
}

pub fn with(change: impl FnOnce(&mut Header)) -> Run {
    stacks().header(change).build()
}

pub fn stack(header: &mut Header, i: usize) -> &mut Stack {
    match &mut header.candidates[i].kind {
        Kind::Stack(stack) => stack,
        Kind::Directory { .. } => panic!("no stack"),
    }
}

/// Two directories, the first on a hard disk behind USB.
pub(crate) fn behind_usb(size: u64, written: u64) -> Run {
    RunBuilder::directories(&["/a", "/b"])
        .place(0, |p| {
            let drive = disk_of(p);
            drive.rotational = Some(true);
            drive.bus = Some("usb".to_string());
            drive.size_bytes = size;
        })
        .header(|h| h.expected_write_bytes = written)
        .build()
}

/// A run with one workload, its job changed.
pub fn job(change: impl FnOnce(&mut Job)) -> Run {
    with(|h| change(&mut h.workloads[0].job))
}

#[test]
fn built_in_plans_are_not_refused_before_they_begin() {
    use crate::plan::{PlanMachine, expand, parse};
    let here = PlanMachine { supports: &|_, _| Ok(()) };
    for plan in BUILT_IN {
        let parsed = parse(plan.text, plan.name).unwrap();
        let expanded = expand(&parsed, &[], &here).unwrap();
        let run = stacks().header(|h| {
            h.candidates = expanded.candidates;
            h.workloads = expanded.workloads;
            h.protocol = expanded.protocol;
            h.plan = Some(plan.text.to_string());
            h.title = parsed.title.clone();
        });
        let found = planned(&run.build());
        let errors: Vec<&Finding> =
            found.iter().filter(|f| f.severity >= Severity::Error).collect();
        let forbids = crate::rules::limit::forbidding(&found);
        assert!(forbids.is_empty(), "{}: {errors:#?}", plan.name);
    }
}

/// What is found before the first block.
pub fn planned(run: &Run) -> Vec<Finding> {
    plan(&run.header, &[])
}

#[test]
fn a_clean_header_has_nothing_said_against_it() {
    assert_eq!(before(&stacks().build()), Vec::<String>::new());
    assert_eq!(before(&stacks().mode(Mode::Precise).build()), Vec::<String>::new());
    assert_eq!(before(&places(|_| {})), Vec::<String>::new());
}
