//! What holds candidates back, in words.

use serde_json::{Value, json};

use bakeoff_model::bottleneck::{Bottleneck, Reason};
use bakeoff_model::cause::Grade;

/// One sentence about a workload: what holds all of them back, or each.
pub fn sentence(all: &[Bottleneck]) -> Option<String> {
    let each = of_each(all);
    if each.is_empty() {
        // The least sure of them is how sure all are; its evidence stands for all.
        let shown = all.iter().min_by_key(|held| held.reason.grade)?;
        let who = if all.len() > 1 { ", for all candidates" } else { "" };
        return Some(format!("{}{who}", of_one(&shown.reason)));
    }
    let each = each.iter().map(|(candidate, cause)| format!("{candidate}: {cause}"));
    Some(each.collect::<Vec<_>>().join("; "))
}

/// Each candidate with its cause; empty if all candidates share one.
pub fn of_each(all: &[Bottleneck]) -> Vec<(String, String)> {
    if all.windows(2).all(|pair| pair[0].reason.what() == pair[1].reason.what()) {
        return Vec::new();
    }
    all.iter().map(|held| (held.candidate.clone(), of_one(&held.reason))).collect()
}

/// "flushing (proved: 1200 flushes took 97 % of the time)".
pub fn of_one(reason: &Reason) -> String {
    let (name, evidence) = (reason.name(), evidence(reason));
    match reason.grade {
        Grade::Unattributed => format!("{name}: {evidence}"),
        grade @ (Grade::Consistent | Grade::Proved) => {
            format!("{name} ({}: {evidence})", grade.label())
        }
    }
}

/// `held_back` of a workload, for programs.
pub fn json(all: &[Bottleneck]) -> Value {
    let one = |held: &Bottleneck| {
        let reason = &held.reason;
        json!({
            "candidate": held.candidate,
            "reason": {
                "cause": reason.cause,
                "grade": reason.grade,
                "evidence": evidence(reason),
                "share": reason.share,
                "subject": reason.subject,
            },
            "cells": held.cells,
            "of": held.of,
        })
    };
    all.iter().map(one).collect()
}

fn evidence(reason: &Reason) -> String {
    reason.evidence.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::diagnose::summary;
    use bakeoff_judge::testing::RunBuilder;
    use bakeoff_judge::testing::causes::quiet;
    use bakeoff_model::event::Cell;
    use bakeoff_model::index::WorkloadIx;

    #[test]
    fn what_most_cells_have_is_said_and_what_they_do_not_share_is_not() {
        let two = || RunBuilder::directories(&["/a", "/b"]).workloads(&["randread"]);
        let blind = two().play(5, |_, _, _| 900.0).build();
        assert!(
            summary::workload(&blind, WorkloadIx::FIRST).is_empty(),
            "nothing was watched, nothing is said"
        );
        // No look decides between them.
        let uneven = |block: u32, candidate: u16, _: u16| {
            if (block + u32::from(candidate)).is_multiple_of(2) { 1000.0 } else { 800.0 }
        };
        let watch = |cell: &mut Cell| cell.telemetry = Some(Box::new(quiet(20, 0.95)));
        let run = two().cells(watch).play(5, uneven).build();
        let held = summary::workload(&run, WorkloadIx::FIRST);
        assert_eq!(
            held.iter().map(|h| (h.of, h.candidate.as_str())).collect::<Vec<_>>(),
            [(5, "/a"), (5, "/b")]
        );
        let said = sentence(&held).unwrap();
        assert!(said.contains("for all candidates"), "{said}");
        let discarded = two().cells(|cell| {
            cell.telemetry = Some(Box::new(quiet(20, 0.95)));
            cell.truth.suspended_ns = 9_000_000_000;
        });
        let run = discarded.play(5, |_, _, _| 900.0).build();
        assert!(
            summary::workload(&run, WorkloadIx::FIRST).is_empty(),
            "no number, nothing held back"
        );
        let split = two().cells(|cell| {
            let queue = if cell.block.number() % 2 == 0 { 0.95 } else { 3.0 };
            cell.telemetry = Some(Box::new(quiet(20, queue)));
        });
        let run = split.play(4, uneven).build();
        let said = sentence(&summary::workload(&run, WorkloadIx::FIRST)).unwrap();
        assert!(said.contains("measurements disagree"), "{said}");
    }
}
