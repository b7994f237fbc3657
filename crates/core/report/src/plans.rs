//! The list of built-in plans: what `bakeoff plan` prints without a name.
//!
//! Schema `bakeoff/plans/1`, documented in docs/format.md.

use serde_json::json;

use super::document::Document;
use bakeoff_judge::plan::BUILT_IN;

pub fn document() -> Document {
    let mut out = Document::default();
    out.heading("Built-in plans");
    out.rows(BUILT_IN.iter().map(|plan| (plan.name.to_string(), plan.summary.to_string())));
    out.gap();
    out.paragraph("Show the cases, commands and time of one: bakeoff plan sd-card");
    out.paragraph("Add the time and writes on a drive: bakeoff plan sd-card --target /dev/sdX");
    out.paragraph("A plan of your own is a TOML file: bakeoff plan FILE");
    out
}

/// `bakeoff/plans/1`.
pub fn json() -> String {
    let plans = BUILT_IN.iter().map(|plan| json!({"name": plan.name, "summary": plan.summary}));
    let plans: Vec<_> = plans.collect();
    format!("{:#}\n", json!({"schema": "bakeoff/plans/1", "plans": plans}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plan_is_listed_by_its_name() {
        let (text, markdown) = (document().text(80, false), document().markdown());
        for plan in BUILT_IN {
            assert!(text.contains(plan.name) && markdown.contains(plan.name), "{text}{markdown}");
        }
        insta::assert_snapshot!(text);
    }
}
