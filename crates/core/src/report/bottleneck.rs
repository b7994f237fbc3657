//! What holds candidates back, in words.

use serde_json::{Value, json};

use crate::model::bottleneck::{Bottleneck, Reason};
use crate::model::cause::Grade;

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
    let reason = |of: &Reason| {
        let mut said = json!({ "cause": of.cause, "grade": of.grade, "evidence": evidence(of) });
        if let Some(share) = of.share {
            said["share"] = json!(share);
        }
        if let Some(subject) = &of.subject {
            said["subject"] = json!(subject);
        }
        said
    };
    let one = |held: &Bottleneck| {
        json!({
            "candidate": held.candidate,
            "reason": reason(&held.reason),
            "cells": held.cells,
            "of": held.of,
        })
    };
    all.iter().map(one).collect()
}

fn evidence(reason: &Reason) -> String {
    reason.evidence.join("; ")
}
