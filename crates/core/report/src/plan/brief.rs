//! A plan on one screen: what is compared, on what, at what cost, and what to type next.

use bakeoff_model::candidate::{Candidate, Skipped};
use bakeoff_model::finding::Severity;
use bakeoff_model::protocol::Isolation;
use bakeoff_model::stands;
use bakeoff_stats::phrases;
use bakeoff_stats::units;

use super::{EstimateView, PlanView, TargetView};
use crate::document::Document;
use crate::run_document::words;

/// So many candidates and workloads are named.
const NAMED: usize = 8;

pub fn document(view: &PlanView) -> Document {
    let mut out = Document::default();
    out.headline(format!("{}: {}", view.plan, view.title));
    let is_own = |c: &&Candidate| c.twin_of.is_none();
    let candidates: Vec<&str> =
        view.candidates.iter().filter(is_own).map(|c| c.name.as_str()).collect();
    let workloads: Vec<&str> = view.workloads.iter().map(|w| w.name.as_str()).collect();
    out.paragraph(counted("candidate", &candidates));
    out.paragraph(counted("workload", &workloads));
    let shares = stands::compared(&view.candidates).1 > 1;
    view.targets.iter().for_each(|target| target_lines(target, shares, &mut out));
    if let Some(why) = view.visited_because.as_ref() {
        out.paragraph(format!("One candidate after the other, because side by side {why}."));
    }
    out.paragraph(view.estimate.as_ref().map_or_else(
        || "No target given, so that time and bytes are not known.".to_string(),
        |estimate| cost(view, estimate),
    ));
    let given_up = view.estimate.iter().flat_map(|estimate| &estimate.dropped);
    let not_measured: Vec<Skipped> =
        view.dropped_workloads.iter().chain(given_up).cloned().collect();
    let lists = [
        ("Not tried", view.skipped.as_slice()),
        ("Not measured", not_measured.as_slice()),
        ("May not fit", view.too_large.as_slice()),
    ];
    for (title, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        let all = Skipped::together(list);
        let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
        out.paragraph(format!("{title}: {}.", shortened(&names)));
    }
    if let Some(why) = view.estimate.as_ref().and_then(|estimate| estimate.refused.as_ref()) {
        out.paragraph(format!("The time or write limit is too low: {why}"));
    }
    view.write_findings(Severity::Warn, &mut out);
    next(view, &mut out);
    out
}

fn counted(noun: &str, names: &[&str]) -> String {
    match names {
        [] => format!("None of the plan's {noun}s is possible here."),
        _ => format!("{}: {}.", phrases::count(names.len() as u64, noun), shortened(names)),
    }
}

fn shortened(names: &[&str]) -> String {
    let mut shown: Vec<String> = names.iter().take(NAMED).map(|name| name.to_string()).collect();
    if names.len() > NAMED {
        shown.push(format!("{} more", names.len() - NAMED));
    }
    phrases::list(&shown)
}

fn target_lines(target: &TargetView, shares: bool, out: &mut Document) {
    let parts = u64::from(target.region_parts.max(1));
    let (each, all) = (target.region_size_bytes / parts, target.size_bytes);
    let who = match (parts > 1, shares) {
        (true, true) => "each filesystem gets",
        (true, false) => "each candidate gets",
        (false, _) => "candidates take turns on",
    };
    out.paragraph(format!(
        "Target {} ({}): {who} {} of {}. Everything on it will be lost ({}).",
        target.path,
        target.about,
        units::size(each),
        units::size(all),
        target.contents_words.join("; ")
    ));
}

fn cost(view: &PlanView, estimate: &EstimateView) -> String {
    let limit = match estimate.max_write_bytes {
        Some(bytes) => format!("; it may write {} (--max-write)", units::size(bytes)),
        None => String::new(),
    };
    let once = match view.protocol.isolation {
        Isolation::Slices => {
            let filled = view.targets.iter().map(|target| target.region_size_bytes).sum();
            format!(" ({} of it once, to fill the region)", units::size(filled))
        }
        Isolation::Visit => String::new(),
    };
    format!(
        "About {} and {} written for {} {}{once}, assuming {} that writes {}; at most {} and {}\
         {limit}.",
        units::duration(estimate.first.time_ns),
        units::size(estimate.first.write_bytes),
        view.blocks.first,
        super::text::block_words(view.protocol.mode),
        estimate.assumed,
        units::rate(estimate.assumed_bytes_per_s as f64),
        units::duration(estimate.last.time_ns),
        units::size(estimate.last.write_bytes),
    )
}

fn next(view: &PlanView, out: &mut Document) {
    if view.targets.is_empty() {
        out.paragraph(format!(
            "With its drive: bakeoff plan {} --target DRIVE (`bakeoff devices` lists them). With \
             every detail: --commands.",
            view.plan
        ));
        return;
    }
    let option = |name: &str, value: &str| [format!("--{name}"), value.to_string()];
    let on = view.targets.iter().flat_map(|t| option("target", &t.path));
    let erase = view.targets.iter().flat_map(|t| option("erase", &t.erase_token));
    let typed: Vec<String> = std::iter::once(view.plan.clone()).chain(on).chain(erase).collect();
    out.command(format!("sudo bakeoff run {}", words(&typed)));
    out.paragraph("Every step with its undo, and all details: add --commands.");
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::plan::{BUILT_IN, parse};
    use bakeoff_judge::testing::expanded;

    /// The first screen of a plan had up to 200 lines.
    #[test]
    fn every_built_in_plan_takes_twelve_lines() {
        for plan in BUILT_IN {
            let view =
                PlanView::new(&parse(plan.text, plan.name).unwrap(), expanded(plan.text, &[]));
            let text = view.document().text(80, false);
            assert!(text.lines().count() <= 12, "{}: {text}", plan.name);
        }
    }
}
