//! The list of built-in plans, for people and programs: what `bakeoff plan` prints without a name.
//!
//! Schema `bakeoff/plans/1`, documented in docs/format.md.

use serde_json::json;

use super::layout::wrap;
use crate::plan::BUILT_IN;

/// One line a plan, and the commands that come next; `width` in columns.
pub fn text(width: usize) -> String {
    let longest = BUILT_IN.iter().map(|plan| plan.name.len()).max().unwrap_or(0);
    let indent = " ".repeat(longest + 4);
    let mut out = "Built-in plans\n".to_string();
    for plan in BUILT_IN {
        let first = format!("  {:<longest$}  ", plan.name);
        out.push_str(&wrap(plan.summary, width, &first, &indent));
    }
    let next = "Show the cases, commands and time of one: bakeoff plan sd-card\n\
                Add what it costs on a drive: bakeoff plan sd-card --target /dev/sdX\n\
                Plans of your own are TOML files: bakeoff plan FILE";
    out.push('\n');
    next.lines().for_each(|line| out.push_str(&wrap(line, width, "", "  ")));
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
    fn every_plan_is_listed_by_its_name_within_the_width() {
        for width in [40, 80] {
            let text = text(width);
            assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
            for plan in BUILT_IN {
                assert!(text.contains(&format!("\n  {} ", plan.name)), "{text}");
            }
        }
    }
}
