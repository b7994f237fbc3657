//! Why a run is over, and what it says of it.

use super::limits::RunCost;
use bakeoff_model::event::StopReason;
use bakeoff_model::run::Run;
use bakeoff_stats::phrases;
use bakeoff_stats::steady_state::MOST_ROUNDS;
use bakeoff_stats::units;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    pub reason: StopReason,
    pub note: String,
}

impl Stop {
    fn new(reason: StopReason, note: impl Into<String>) -> Stop {
        Stop { reason, note: note.into() }
    }

    pub(super) fn nothing_to_compare(blocks: u32) -> Stop {
        let note = format!("{blocks} blocks measured; nothing to compare");
        Stop::new(StopReason::Decided, note)
    }

    pub(super) fn answered(blocks: u32) -> Stop {
        let note = format!("all workloads answered after {blocks} blocks");
        Stop::new(StopReason::Decided, note)
    }

    pub(super) fn last_block(blocks: u32) -> Stop {
        let note = format!("all {blocks} blocks of this mode are complete");
        Stop::new(StopReason::LastBlock, note)
    }

    pub(super) fn time(next: &str, cost: RunCost, limit_ns: u64) -> Stop {
        let (takes, limit) = (units::duration(cost.time_ns), units::duration(limit_ns));
        let note = format!(
            "time limit reached: {next} takes about {takes} and would exceed the limit of {limit}"
        );
        Stop::new(StopReason::TimeUp, note)
    }

    pub(super) fn bytes(next: &str, cost: RunCost, written_bytes: u64, limit_bytes: u64) -> Stop {
        let note = format!(
            "write limit reached: {next} writes about {}, and {} of {} have been written",
            units::size(cost.write_bytes),
            units::size(written_bytes),
            units::size(limit_bytes)
        );
        Stop::new(StopReason::WriteBudget, note)
    }

    pub(super) fn steady() -> Stop {
        Stop::new(StopReason::Decided, "every workload is steady")
    }

    pub(super) fn last_round() -> Stop {
        let note = format!("all {MOST_ROUNDS} rounds of this mode are complete");
        Stop::new(StopReason::LastBlock, note)
    }

    pub(super) fn rounds_cut(workloads: u32, has_time_limit: bool) -> Stop {
        let reason = if has_time_limit { StopReason::TimeUp } else { StopReason::WriteBudget };
        let of = phrases::count(workloads, "workload");
        Stop::new(reason, format!("no time left for more rounds of {of}"))
    }
}

pub fn time_reached(limit_ns: u64) -> String {
    format!("time limit of {} reached", units::duration(limit_ns))
}

pub fn bytes_reached(limit_bytes: u64) -> String {
    format!("write limit of {} reached", units::size(limit_bytes))
}

/// The command that goes on with a run that wrote all it might: with twice its limit, and with time
/// to use it.
pub fn write_more(run: &Run) -> String {
    let protocol = &run.header.protocol;
    let limit_mib = protocol.max_write_bytes.map_or(0, |bytes| bytes.div_ceil(1 << 20));
    let time = protocol.time_ns.map_or("", |_| " --time 10m");
    format!("bakeoff resume {} --max-write {}m{time}", run.header.short_id(), limit_mib * 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stop_in_words() {
        let cost = RunCost { time_ns: 47_000_000_000, write_bytes: 1 << 30 };
        let time = |next| Stop::time(next, cost, 300_000_000_000);
        let bytes = |next| Stop::bytes(next, cost, 3 << 30, 4 << 30);
        let stops = [
            Stop::nothing_to_compare(5),
            Stop::answered(8),
            Stop::last_block(20),
            time("another block"),
            time("the next round"),
            bytes("another block"),
            bytes("the next round"),
            Stop::steady(),
            Stop::last_round(),
            Stop::rounds_cut(1, true),
            Stop::rounds_cut(2, false),
        ];
        let lines = stops.map(|stop| format!("{:?}: {}", stop.reason, stop.note));
        insta::assert_snapshot!(lines.join("\n"));
        assert_eq!(time_reached(60_000_000_000), "time limit of 1 min reached");
        assert_eq!(bytes_reached(1 << 30), "write limit of 1 GiB reached");
    }
}
