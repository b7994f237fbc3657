//! What is said before a run starts: three lines with what, how long, and how much is written.

use bakeoff_core::decide;
use bakeoff_core::model::candidate::{Skipped, are_compared};
use bakeoff_core::model::event::{Header, Rehearsal};
use bakeoff_core::model::protocol::Mode;
use bakeoff_core::report::wrap;
use bakeoff_core::stats::steady_state::{MOST_ROUNDS, ROUNDS};
use bakeoff_core::units;

/// Columns of the narrowest terminal that is catered for.
const WIDTH: usize = 80;

/// The plan in three lines, followed by one line for everything that was left out.
pub fn plan(header: &Header, rehearsal: &Rehearsal) -> Vec<String> {
    let names = |list: &mut dyn Iterator<Item = &str>| list.collect::<Vec<_>>().join(", ");
    let candidates = names(&mut rehearsal.candidates.iter().map(|c| c.name.as_str()));
    let workloads = names(&mut rehearsal.workloads.iter().map(|w| w.name.as_str()));
    let groups = decide::groups(&rehearsal.workloads).len() as u32;
    let of_rounds = rehearsal.protocol.mode == Mode::Characterise;
    let is_compared = are_compared(&rehearsal.candidates);
    let (first, last) = match of_rounds {
        true => (ROUNDS as u32 * groups, MOST_ROUNDS as u32 * groups),
        false if !is_compared => (rehearsal.protocol.first_look(), rehearsal.protocol.first_look()),
        false => (rehearsal.protocol.first_look(), rehearsal.protocol.last_block()),
    };
    let blocks_ns = |blocks: u32| rehearsal.block_ns.saturating_mul(blocks.into());
    let most_ns = blocks_ns(last).min(rehearsal.protocol.time_ns.unwrap_or(u64::MAX));
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
            "Time {} more; writes about {} to the disk{}.",
            match blocks_ns(first).min(most_ns) {
                least_ns if least_ns < most_ns =>
                    format!("{} to {}", units::duration(least_ns), units::duration(most_ns)),
                _ => format!("about {}", units::duration(most_ns)),
            },
            units::size(rehearsal.expected_write_bytes),
            match rehearsal.protocol.max_write_bytes {
                Some(bytes) => format!(", at most {}", units::size(bytes)),
                None => String::new(),
            }
        ),
        format!(
            "Run {}. Ctrl-C stops the run, restores all changes and prints the answer so far.",
            &header.run[..header.run.len().min(8)]
        ),
    ];
    for skipped in Skipped::together(&rehearsal.skipped) {
        lines.push(format!("Left out: {}: {}", skipped.name, skipped.reason));
    }
    for dropped in Skipped::together(&rehearsal.dropped_workloads) {
        lines.push(format!("Not measured: {}: {}", dropped.name, dropped.reason));
    }
    lines.iter().map(|line| wrap(line, WIDTH, "", "  ").trim_end().to_string()).collect()
}
