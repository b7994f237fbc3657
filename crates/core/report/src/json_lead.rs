//! A verdict of `bakeoff/run/2`: the lead and what belongs to it, for programs.
//!
//! Differences are fractions ([`bakeoff_model::lead::fraction`]): 0.12 is 12 % faster, -0.05 means
//! that the other one is 5 % faster.

use serde_json::{Value, json as value};

use bakeoff_model::lead::{Lead, fraction};
use bakeoff_model::verdict::{Verdict, WorkloadVerdict};

/// The keys that a verdict of a run by the lead has beside those of every verdict. `verdict` is
/// null where nothing is compared.
pub fn fill(said: &mut Value, v: &WorkloadVerdict) {
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
        "clearly": lead.clearly,
        "interval": interval,
        "closest": lead.closest,
        "estimate": lead.estimate_ln.map(fraction),
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
