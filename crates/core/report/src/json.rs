//! A run and its verdicts for programs: `bakeoff/run/2`. Keys are fixed; more may be added.
//!
//! Differences of a lead are fractions ([`bakeoff_model::lead::fraction`]): 0.12 is 12 % faster, -0.05
//! means that the other one is 5 % faster.

use serde_json::{Value, json as value};

use super::answer::Answer;
use super::{answer, bottleneck, said};
use bakeoff_model::finding::Finding;
use bakeoff_model::lead::{Lead, fraction};
use bakeoff_model::run::Run;
use bakeoff_model::secrets;
use bakeoff_model::verdict::{Analysis, Verdict, WorkloadVerdict};

/// The report as a JSON value, keys in alphabetical order. Numbers that are not finite are null.
pub fn json(run: &Run, analysis: &Analysis) -> Value {
    let header = &run.header;
    let answer = Answer::new(run, analysis);
    let one = |v: &WorkloadVerdict| {
        let mut said = verdict(run, v);
        add_lead(&mut said, v);
        if let Some(of) = analysis.factors.iter().find(|of| of.workload == v.workload) {
            said["factors"] = value!({
                "blocks": of.blocks,
                "margin": of.margin,
                "effects": of.effects,
            });
        }
        said
    };
    let verdicts: Vec<Value> = analysis.verdicts.iter().map(one).collect();
    let mut document = value!({
        "schema": "bakeoff/run/2",
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
        "headline": answer.choice.said,
        "advice": answer.everything_to_know(),
        "context": said::context(run, analysis),
        "recipe": answer.choice.commands,
        "recommendation": analysis.recommendation,
    });
    if !analysis.beside.is_empty() {
        document["beside"] = value!(analysis.beside);
    }
    if let Some(wear) = &analysis.wear {
        document["wear"] = value!(wear);
    }
    if !analysis.use_changes.is_empty() {
        document["use_changes"] = value!(analysis.use_changes);
    }
    if let Some(normal) = &analysis.normal {
        document["normal"] = value!(normal);
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
        "effects": v.effects,
        "bottleneck": said::bottleneck(&v.held_back),
        "held_back": bottleneck::json(&v.held_back),
        "findings": findings(&v.findings),
        "sentence": said::sentence(run, v),
        "standings": v.standings,
    });
    if let Some(control) = said::control(&v.twins) {
        said["control"] = value!(control);
    }
    if let Some(wear) = &v.wear {
        said["wear"] = value!(wear);
        said["wear"]["sentence"] = value!(answer::wear_of(run, v));
    }
    if let Some(rounds) = &v.rounds {
        said["rounds"] = value!(rounds);
    }
    said
}

/// The keys that a verdict of a run by the lead has beside those of every verdict. `verdict` is
/// null where nothing is compared.
fn add_lead(said: &mut Value, v: &WorkloadVerdict) {
    let is_compared = v.verdict != Verdict::Alone;
    said["verdict"] = value!(is_compared.then(|| v.verdict.name()));
    let Some(keys) = said.as_object_mut() else { return };
    let lead = v.lead.as_ref().map_or_else(no_lead, lead);
    keys.extend(lead.as_object().cloned().unwrap_or_default());
}

fn lead(lead: &Lead) -> Value {
    let interval =
        lead.interval.map(|i| value!({"low": fraction(i.low_ln), "high": fraction(i.high_ln)}));
    let more = lead.more.map(|more| {
        value!({"time_ns": more.time_ns, "blocks": more.blocks, "lead": fraction(more.lead_ln)})
    });
    value!({
        "leader": lead.leader,
        "lead": lead.fraction(),
        "interval": interval,
        "closest": lead.closest,
        "equals": lead.equals,
        "behind": lead.behind,
        "rivals": lead.rivals,
        "excluded": lead.excluded,
        "stalls": lead.stalls,
        "more": more,
        "blocks": lead.blocks,
        "margin": lead.margin,
        "holds_for_all": lead.holds_for_all,
        "refusal": lead.refusal,
    })
}

fn no_lead() -> Value {
    value!({"leader": null, "lead": null, "behind": [], "stalls": []})
}

fn findings(findings: &[Finding]) -> Vec<Value> {
    findings.iter().map(|f| value!(f)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::analyse::analyse;
    use bakeoff_judge::testing::RunBuilder;

    #[test]
    fn programs_get_the_second_version_of_the_schema() {
        let rate = |block, candidate, _| {
            [1.0, 1.2, 0.9][usize::from(candidate)] * (1e3 + f64::from(block % 3))
        };
        let run = RunBuilder::stacks(&["ext4", "xfs", "btrfs"]).play(99, rate).build();
        let json = json(&run, &analyse(&run));
        assert_eq!(json["schema"], "bakeoff/run/2");
        let verdict = &json["verdicts"][0];
        assert_eq!((&verdict["verdict"], &verdict["leader"]), (&"fastest".into(), &"xfs".into()));
        assert!((0.17..0.21).contains(&verdict["lead"].as_f64().unwrap()), "{verdict}");
        assert!(verdict["effects"][0].get("verdict").is_none());
        assert_eq!(json["recommendation"]["candidate"], "xfs");
    }
}
