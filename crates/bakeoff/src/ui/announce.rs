//! What is said before a run starts: three lines with what, how long, and how much is written.

use bakeoff_judge::decide;
use bakeoff_model::candidate::{Candidate, Skipped, are_compared};
use bakeoff_model::event::{Header, Rehearsal};
use bakeoff_model::protocol::Mode;
use bakeoff_report::wrap;
use bakeoff_stats::steady_state::{MOST_ROUNDS, ROUNDS};
use bakeoff_stats::units;

const WIDTH: usize = 80;

/// Time and bytes that are expected from here on: at the first look, and as long as the limits
/// allow.
fn expected(rehearsal: &Rehearsal, elapsed_ns: u64, (first, last): (u32, u32)) -> [(u64, u64); 2] {
    let Rehearsal { protocol, block_ns, block_write_bytes, .. } = rehearsal;
    let left_ns = protocol.time_ns.map_or(u64::MAX, |limit| limit.saturating_sub(elapsed_ns));
    let fitting = left_ns.checked_div(*block_ns).unwrap_or(u64::from(last));
    let most = u64::from(last).min(fitting.max(first.into()));
    let once_ns = rehearsal.calibration_ns;
    let time_ns =
        |blocks: u64| block_ns.saturating_mul(blocks).saturating_add(once_ns).min(left_ns);
    let least_bytes = rehearsal.expected_write_bytes;
    let more = block_write_bytes.saturating_mul(most.saturating_sub(first.into()));
    let limit = protocol.max_write_bytes.unwrap_or(u64::MAX);
    let most_bytes = least_bytes.saturating_add(more).min(limit);
    [(time_ns(first.into()), time_ns(most)), (least_bytes.min(most_bytes), most_bytes)]
}

/// `about 5 min`, or `2 min to 5 min` where the two differ as people see them.
fn span((least, most): (u64, u64), shown: fn(u64) -> String) -> String {
    match (shown(least), shown(most)) {
        (least, most) if least == most => format!("about {most}"),
        (least, most) => format!("{least} to {most}"),
    }
}

/// The candidates by name; a twin is no candidate of its own.
pub fn candidates(all: &[Candidate]) -> String {
    let names = all.iter().filter(|c| c.twin_of.is_none()).map(|c| c.name.clone());
    let twins = all.iter().filter_map(|c| c.twin_of.as_ref());
    let twins = twins.map(|original| format!("{original} again as a control"));
    names.chain(twins).collect::<Vec<_>>().join(", ")
}

/// The plan in three lines at so much active time, followed by one line for everything that was
/// left out.
pub fn plan(header: &Header, rehearsal: &Rehearsal, elapsed_ns: u64) -> Vec<String> {
    let names = |list: &mut dyn Iterator<Item = &str>| list.collect::<Vec<_>>().join(", ");
    let candidates = candidates(&rehearsal.candidates);
    let workloads = names(&mut rehearsal.workloads.iter().map(|w| w.name.as_str()));
    let groups = decide::groups(&rehearsal.workloads).len() as u32;
    let of_rounds = rehearsal.protocol.mode == Mode::Characterise;
    let is_compared = are_compared(&rehearsal.candidates);
    let (first, last) = match of_rounds {
        true => (ROUNDS as u32 * groups, MOST_ROUNDS as u32 * groups),
        false if !is_compared => (rehearsal.protocol.first_look(), rehearsal.protocol.first_look()),
        false => (rehearsal.protocol.first_look(), rehearsal.protocol.last_block()),
    };
    let [time_ns, write_bytes] = expected(rehearsal, elapsed_ns, (first, last));
    let mut lines = vec![
        match of_rounds {
            true => format!(
                "Measure {candidates} over time: {workloads}; each in {ROUNDS} to {MOST_ROUNDS} \
                 rounds, until five in a row are steady."
            ),
            false if !is_compared => format!(
                "Measure {candidates}: {workloads}; {first} blocks. No comparison: only one \
                 candidate."
            ),
            false => format!(
                "Compare {candidates}: {workloads}; {first} to {last} blocks in random order."
            ),
        },
        format!(
            "Remaining time: {}. Writes {} to the drive{}.",
            span(time_ns, units::duration),
            span(write_bytes, units::size),
            match rehearsal.protocol.max_write_bytes {
                Some(bytes) => format!(", at most {}", units::size(bytes)),
                None => String::new(),
            }
        ),
        format!(
            "Run {}. Ctrl-C stops the run, undoes all changes and prints the answer so far.",
            &header.run[..header.run.len().min(8)]
        ),
    ];
    for skipped in Skipped::together(&rehearsal.skipped) {
        lines.push(format!("Skipped {}: {}", skipped.name, skipped.reason));
    }
    for dropped in Skipped::together(&rehearsal.dropped_workloads) {
        lines.push(format!("Not measured ({}): {}", dropped.name, dropped.reason));
    }
    lines.iter().map(|line| wrap(line, WIDTH, "", "  ").trim_end().to_string()).collect()
}
