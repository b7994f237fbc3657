//! A plan for people: what is compared, on what, by which commands, at what cost.

use std::collections::BTreeSet;

use super::{Commands, EstimateView, PlanView, SettlingView, Span, TargetView};
use crate::document::Document;
use bakeoff_judge::decide::limits::RunCost;
use bakeoff_machine::prepare::stand_in::StandIn;
use bakeoff_model::candidate::{Skipped, are_compared};
use bakeoff_model::finding::Severity;
use bakeoff_model::protocol::{Isolation, Mode};
use bakeoff_model::stands;
use bakeoff_model::use_state::{Age, TURNOVERS, UseState};
use bakeoff_stats::phrases;
use bakeoff_stats::steady_state::{MOST_ROUNDS, RANGE, ROUNDS, SLOPE, UNLIKE_SNIA};
use bakeoff_stats::units;

pub fn document(view: &PlanView) -> Document {
    let mut out = Document::default();
    out.headline(format!("{}: {}", view.plan, view.title));
    out.paragraph(rules(view));
    out.gap();
    view.write_findings(Severity::Info, &mut out);
    matrix(view, &mut out);
    costs(view, &mut out);
    let shares = stands::compared(&view.candidates).1 > 1;
    view.targets.iter().for_each(|target| write_target(target, shares, &mut out));
    if !view.commands.is_empty() {
        out.heading("Steps (bakeoff logs every change and undoes it when the run ends)");
        let meanings = stand_ins(&view.commands);
        if !meanings.is_empty() {
            out.line(1, meanings);
        }
    }
    view.commands.iter().for_each(|commands| write_commands(commands, &mut out));
    if view.targets.is_empty() {
        out.gap();
        out.paragraph(
            "No target given. With --target (a drive, partition or image) `plan` also shows every \
             command, the time, the bytes written and the erase token.",
        );
    }
    out
}

fn rules(view: &PlanView) -> String {
    let protocol = &view.protocol;
    let time = match protocol.time_ns {
        Some(ns) => format!("at most {}", units::duration(ns)),
        None if protocol.mode == Mode::Characterise => "however long that takes".to_string(),
        None => "until the answer is certain".to_string(),
    };
    if protocol.mode == Mode::Characterise {
        return format!(
            "Mode characterise: each workload in rounds of {} until {ROUNDS} in a row are steady \
             (all within {:.0} % of their mean, their trend within {:.0} %), at most {MOST_ROUNDS} \
             rounds, {time}. The region is {} before the first round of each; no candidates are \
             compared. {UNLIKE_SNIA}",
            units::duration(protocol.cell_min_ns),
            RANGE * 100.0,
            SLOPE * 100.0,
            view.flash_state,
        );
    }
    if !are_compared(&view.candidates) {
        return format!(
            "Mode {}, one candidate: {} blocks, {time}. The region is {} before every visit. No \
             comparison: only one candidate.",
            protocol.mode.name(),
            view.blocks.last,
            view.flash_state,
        );
    }
    let has_one_each = view.candidates.len() <= view.targets.len();
    let stand = match protocol.isolation {
        Isolation::Slices if has_one_each => {
            "Each candidate has its own target, and bakeoff alternates between them.".to_string()
        }
        Isolation::Slices if stands::compared(&view.candidates).1 > 1 => "Each filesystem has a \
            part of the region that changes from block to block. Candidates that differ only in \
            settings of the drive share one: bakeoff alternates between the filesystems, and \
            changes the settings between groups of rounds."
            .to_string(),
        Isolation::Slices => "Each candidate has a part of the region that changes from block to \
            block, and bakeoff alternates between them."
            .to_string(),
        Isolation::Visit if view.targets.is_empty() && view.isolation.is_none() => {
            "Candidates are side by side on the region if it is large enough.".to_string()
        }
        Isolation::Visit => {
            let why = view.visited_because.as_ref();
            let why = why.map_or(String::new(), |why| format!(", because side by side {why}"));
            format!(
                "bakeoff measures the candidates one after the other{why}; the region is {} before \
                 each one.",
                view.flash_state
            )
        }
    };
    format!(
        "Mode {}: candidates within {} % count as equally fast; {} to {} blocks in random order, \
         {time}. {stand}",
        protocol.mode.name(),
        units::three_digits(protocol.tie_margin * 100.0)
            .trim_end_matches('0')
            .trim_end_matches('.'),
        view.blocks.first,
        view.blocks.last,
    )
}

pub(super) fn block_words(mode: Mode) -> &'static str {
    if mode == Mode::Characterise { "rounds" } else { "blocks" }
}

fn matrix(view: &PlanView, out: &mut Document) {
    for axis in &view.axes {
        let count = axis.values.len();
        let values = axis.values.join(", ");
        out.paragraph(format!("{} {} = {values} ({count})", axis.table, axis.key));
    }
    out.paragraph(format!(
        "{} x {} = {}",
        phrases::count(view.candidates.len(), "candidate"),
        phrases::count(view.workloads.len(), "workload"),
        phrases::count(view.cases, "case")
    ));
    out.heading("Candidates");
    let names: Vec<&str> = view.candidates.iter().map(|c| c.name.as_str()).collect();
    if names.is_empty() {
        out.line(1, "cannot create any of the requested candidates here")
    } else {
        out.line(1, names.join(", "))
    }
    out.heading("Workloads on each");
    out.rows(view.workloads.iter().map(|w| (w.name.clone(), w.summary.clone())));
    if let Some(used) = used(view) {
        out.gap();
        out.paragraph(used);
    }
    skipped("Skipped", &view.skipped, out);
    skipped("Not measured", &view.dropped_workloads, out);
    skipped("May not fit into the region", &view.too_large, out);
}

/// What is done before the measuring of filled candidates.
fn used(view: &PlanView) -> Option<String> {
    let mut states: Vec<UseState> = view.candidates.iter().map(|c| c.state()).collect();
    states.sort();
    states.dedup();
    let most = *states.last().filter(|most| !most.is_empty())?;
    let aged = if states.iter().any(|state| state.age == Age::Used) {
        format!(
            " On used ones bakeoff then creates, grows, overwrites and deletes files until it has \
             written {TURNOVERS} times the free space."
        )
    } else {
        String::new()
    };
    let ranked = match states.len() {
        1 => String::new(),
        _ => {
            format!(" It ranks those that are {}; the others show what use changes.", most.phrase())
        }
    };
    Some(format!(
        "Before each block bakeoff fills the filesystems with files of many sizes, the same on all \
         of them and different ones in each block.{aged}{ranked} A block that is interrupted is \
         filled again."
    ))
}

fn skipped(title: &str, skipped: &[Skipped], out: &mut Document) {
    if skipped.is_empty() {
        return;
    }
    out.heading(title);
    for one in Skipped::together(skipped) {
        out.line(1, format!("{}: {}", one.name, one.reason));
    }
}

fn costs(view: &PlanView, out: &mut Document) {
    out.gap();
    let (visits, cells, of) = (view.visits, view.cells, block_words(view.protocol.mode));
    let more = if view.blocks.first == view.blocks.last {
        String::new()
    } else {
        format!("; {} {of} are {} and {}", view.blocks.last, visits.last, cells.last)
    };
    let first = phrases::count(visits.first, "visit");
    let (blocks, cells) = (view.blocks.first, cells.first);
    out.paragraph(format!("{blocks} {of} are {first} and {cells} cells{more}."));
    match &view.estimate {
        Some(estimate) => write_estimate(view, estimate, out),
        None => out.paragraph(least(view)),
    }
}

/// What is certain without a drive: a cell has its shortest time.
fn least(view: &PlanView) -> String {
    let asked = |ns: Option<u64>| ns.unwrap_or(0).max(view.protocol.cell_min_ns);
    let cells: u64 =
        view.workloads.iter().map(|w| asked(w.job.runtime_ns)).fold(0, u64::saturating_add);
    let times = view.cells.first / view.cases.max(1) * view.candidates.len().max(1) as u64;
    let ns = cells.saturating_mul(times);
    format!(
        "{} {} measure for at least {}.",
        view.blocks.first,
        block_words(view.protocol.mode),
        units::duration(ns)
    )
}

fn write_estimate(view: &PlanView, estimate: &EstimateView, out: &mut Document) {
    out.paragraph(expected(estimate, view.blocks, view.protocol.mode));
    if let Some(slices) = estimate.settling {
        out.paragraph(settling(slices, estimate.assumed));
    }
    out.paragraph(match estimate.max_write_bytes {
        Some(bytes) => format!(
            "Write limit: {}, to protect the drive from wear. Change it with --max-write.",
            units::size(bytes)
        ),
        None => "There is no write limit: writing does not wear a hard disk.".to_string(),
    });
    skipped("Probably beyond the time or write limit", &estimate.dropped, out);
    if let Some(why) = &estimate.refused {
        out.gap();
        out.paragraph(format!("The time or write limit is too low: {why}"));
    }
}

/// Time and bytes to expect, in a sentence.
pub fn expected(estimate: &EstimateView, blocks: Span, mode: Mode) -> String {
    let cost = |cost: RunCost| {
        format!("{} and {}", units::duration(cost.time_ns), units::size(cost.write_bytes))
    };
    let most = if estimate.first == estimate.last {
        String::new()
    } else {
        format!(", at most {} within the limits", cost(estimate.last))
    };
    format!(
        "About {} written for {} {}{most}. This assumes {} that writes {}. The estimate is updated \
         after the first measurement.",
        cost(estimate.first),
        blocks.first,
        block_words(mode),
        estimate.assumed,
        units::rate(estimate.assumed_bytes_per_s as f64),
    )
}

fn settling(slices: SettlingView, assumed: &str) -> String {
    format!(
        "Each turn can cost {assumed} time, so the first half of a slice is for settling and does \
         not count. The longest slices take about {}; a block has {} of them per candidate. They \
         grow up to a minute while the rate still changes, and there are fewer blocks then. A \
         workload whose rate still changes after a minute is measured by visits: each candidate \
         once per block, in one long piece.",
        units::duration(slices.slice_ns),
        slices.rounds
    )
}

fn write_target(target: &TargetView, shares: bool, out: &mut Document) {
    out.heading(format!("Target {}: {}", target.path, target.about));
    let parts = u64::from(target.region_parts.max(1));
    let each = match parts {
        1 => String::new(),
        _ => format!(
            "each {} gets {} of {}; ",
            if shares { "filesystem" } else { "candidate" },
            units::size(target.region_size_bytes / parts),
            units::size(target.size_bytes)
        ),
    };
    let (size, start) = (target.region_size_bytes, target.region_start_bytes);
    let (size, start) = (units::size(size), units::size(start));
    out.line(1, format!("{each}region: {size} starting at {start}, {}", target.state));
    target.contents_words.iter().for_each(|words| out.line(1, format!("contents: {words}")));
    out.line(1, "all data on it will be lost");
    out.line(1, format!("erase token: {}", target.erase_token));
}

fn stand_ins(commands: &[Commands]) -> String {
    let used: BTreeSet<StandIn> = commands.iter().flat_map(|c| &c.stand_ins).copied().collect();
    let meaning = |stand_in: StandIn| match stand_in {
        StandIn::Run => "the id of the run",
        StandIn::Loop => "the assigned loop device",
        StandIn::Before => "the previous value",
    };
    let said = used.into_iter().map(|one| format!("{}: {}", one.word(), meaning(one)));
    said.collect::<Vec<_>>().join("; ")
}

fn write_commands(commands: &Commands, out: &mut Document) {
    out.heading(commands.of.as_str());
    out.verbatim(commands.run.iter().cloned());
    if !commands.undo.is_empty() {
        out.line(1, "then, to restore");
        out.verbatim(commands.undo.iter().cloned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::plan::budget::{RegionCost, Speed, estimate};
    use bakeoff_judge::plan::{built_in, parse};
    use bakeoff_judge::testing::expanded;

    fn view(name: &str) -> PlanView {
        let text = built_in(name).unwrap().text;
        PlanView::new(&parse(text, name).unwrap(), expanded(text, &[]))
    }

    #[test]
    fn without_a_target() {
        insta::assert_snapshot!(view("journal-scheduler").with_commands().text(80, false));
    }

    #[test]
    fn with_a_card() {
        let text = built_in("sd-card").unwrap().text;
        let mut view = view("sd-card");
        view.targets.push(TargetView {
            path: "/dev/mmcblk1".to_string(),
            about: "SC32G, 32 GB, \u{1b}[31mred".to_string(),
            contents: Vec::new(),
            contents_words: vec!["ext4 \"MYPHOTOS\" (UUID 477f)".to_string()],
            erase_token: "0353445343".to_string(),
            size_bytes: 32 << 30,
            region_start_bytes: 14 << 30,
            region_size_bytes: 1 << 30,
            region_parts: 1,
            state: "written in full before every visit",
            max_write_bytes: Some(32 << 30),
        });
        view.commands.push(Commands {
            of: "ext4, in each block".to_string(),
            run: vec!["mkfs.ext4 -q /dev/loopN".to_string(), "mount /dev/loopN /m".to_string()],
            undo: vec!["umount /m".to_string()],
            stand_ins: BTreeSet::from([StandIn::Loop]),
        });
        let speed = Speed {
            kind: "a card",
            write_bytes_per_s: 10_000_000,
            most_bytes_per_s: 10_000_000,
            flush_ns: 20_000_000,
            charges: true,
        };
        let site = RegionCost { speed, region_bytes: 1 << 30, is_overwritten: true };
        let limit = Some(40 << 30);
        let costs = estimate(&expanded(text, &[]), &[site], limit).unwrap();
        view.estimate = Some(EstimateView::new(costs, speed, limit));
        let text = view.with_commands().text(80, false);
        assert!(text.lines().all(|line| line.chars().count() <= 80));
        assert!(!text.contains("settling"), "visits have no slices");
        assert!(!text.contains('\u{1b}'));
        insta::assert_snapshot!(text);
        let json: serde_json::Value = serde_json::from_str(&view.json()).unwrap();
        assert_eq!(json["targets"][0]["erase_token"], "0353445343");
        assert_eq!((&json["schema"], &json["cases"]), (&"bakeoff/plan/1".into(), &40.into()));
    }
}
