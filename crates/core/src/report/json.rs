//! A run and its verdicts for programs: `bakeoff/run/2`, and `bakeoff/run/1` for runs that version
//! 0.1 stored. Keys are fixed; more may be added.

use serde_json::{Value, json as value};

use super::{bottleneck, json_lead, said, settling};
use crate::model::finding::Finding;
use crate::model::protocol::Rules;
use crate::model::run::Run;
use crate::model::secrets;
use crate::model::verdict::{Analysis, WorkloadVerdict};

/// The report as a JSON value, keys in alphabetical order. Numbers that are not finite are null.
pub fn json(run: &Run, analysis: &Analysis) -> Value {
    let header = &run.header;
    let by_lead = header.protocol.rules == Rules::Lead;
    let one = |v: &WorkloadVerdict| {
        let mut said = verdict(run, v);
        if by_lead {
            json_lead::fill(&mut said, v);
        }
        said
    };
    let verdicts: Vec<Value> = analysis.verdicts.iter().map(one).collect();
    let mut document = value!({
        "schema": header.protocol.schema(),
        "run": header.run,
        "mode": header.protocol.mode.name(),
        "candidates": header.candidates,
        "blocks": analysis.blocks,
        "cells": analysis.cells,
        "compares": analysis.compares,
        "verdicts": verdicts,
        "findings": findings(&analysis.findings),
        "version": header.version,
        "verb": header.verb,
        "title": header.title,
        "command": secrets::command(header.command.clone()),
        "seed": header.seed,
        "protocol": header.protocol,
        "workloads": header.workloads,
        "skipped": header.skipped,
        "dropped_workloads": header.dropped_workloads,
        "host": header.host,
        "region": header.region,
        "started_unix_ns": run.started_unix_ns,
        "elapsed_ns": run.elapsed_ns,
        "stopped": run.stopped.as_ref().map(|s| s.0),
        "void_cells": analysis.void_cells,
        "tool_share_max": super::tool_share_max(run),
        "headline": said::headline(run, analysis),
        "advice": said::advice(run, analysis),
        "context": said::context(run),
        "recipe": super::recipe(run, analysis),
    });
    if let Some(normal) = &analysis.normal {
        document["normal"] = value!(normal);
    }
    if by_lead {
        document["recommendation"] = value!(analysis.recommendation);
    }
    document
}

pub fn json_text(run: &Run, analysis: &Analysis) -> String {
    format!("{:#}\n", json(run, analysis))
}

fn verdict(run: &Run, v: &WorkloadVerdict) -> Value {
    let mut said = value!({
        "workload": v.workload,
        "metric": v.metric,
        "verdict": v.verdict.name(),
        "winner": v.winner,
        "tiers": v.tiers,
        "effects": v.effects,
        "bottleneck": said::bottleneck(&v.held_back),
        "held_back": bottleneck::json(&v.held_back),
        "findings": findings(&v.findings),
        "sentence": said::sentence(run, v),
        "standings": v.standings,
        "resolve_ns": v.resolve_ns,
    });
    if let Some(control) = said::control(&v.twins) {
        said["control"] = value!(control);
    }
    if let Some(slices) = settling::json(run, &v.workload) {
        said["slices"] = slices;
    }
    if let Some(rounds) = &v.rounds {
        said["rounds"] = value!(rounds);
    }
    said
}

fn findings(findings: &[Finding]) -> Vec<Value> {
    findings.iter().map(|f| value!(f)).collect()
}
