//! Why a run is over, in words.

use crate::decide::{Part, Stop};
use crate::model::run::Run;
use crate::stats::steady_state::MOST_ROUNDS;
use crate::{phrases, units};

pub fn note(stop: Stop) -> String {
    match stop {
        Stop::NothingToCompare { blocks } => {
            format!("{blocks} blocks measured; nothing to compare")
        }
        Stop::Answered { blocks } => format!("all workloads answered after {blocks} blocks"),
        Stop::LastBlock { blocks } => format!("all {blocks} blocks of this mode are complete"),
        Stop::Time { next, cost, limit_ns } => format!(
            "time limit reached: {} takes about {} and would exceed the limit of {}",
            part(next),
            units::duration(cost.time_ns),
            units::duration(limit_ns)
        ),
        Stop::Bytes { next, cost, written_bytes, limit_bytes } => format!(
            "write limit reached: {} writes about {}, and {} of {} have been written",
            part(next),
            units::size(cost.write_bytes),
            units::size(written_bytes),
            units::size(limit_bytes)
        ),
        Stop::Steady => "every workload is steady".to_string(),
        Stop::LastRound => format!("all {MOST_ROUNDS} rounds of this mode are complete"),
        Stop::RoundsCut { workloads, .. } => {
            format!("no time left for more rounds of {}", phrases::count(workloads, "workload"))
        }
    }
}

/// The note of a run whose time was over in a block.
pub fn time_reached(limit_ns: u64) -> String {
    format!("time limit of {} reached", units::duration(limit_ns))
}

/// The note of a run that wrote all it might in a block.
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

/// Why a block did not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Superseded<'a> {
    /// A signal or a limit of the run came first.
    Interrupted,
    Crashed,
    /// Nothing more could be measured, in the words of the error.
    Failed(&'a str),
}

/// The reason that the record keeps of it.
pub fn superseded(why: Superseded) -> String {
    match why {
        Superseded::Interrupted => "interrupted",
        Superseded::Crashed => "bakeoff ended unexpectedly during this block",
        Superseded::Failed(error) => error,
    }
    .to_string()
}

fn part(next: Part) -> &'static str {
    match next {
        Part::Block => "another block",
        Part::Round => "the next round",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::fit::Cost;

    #[test]
    fn every_stop_in_words() {
        let cost = Cost { time_ns: 47_000_000_000, write_bytes: 1 << 30 };
        let time = |next| Stop::Time { next, cost, limit_ns: 300_000_000_000 };
        let bytes = |next| Stop::Bytes { next, cost, written_bytes: 3 << 30, limit_bytes: 4 << 30 };
        let stops = [
            Stop::NothingToCompare { blocks: 5 },
            Stop::Answered { blocks: 8 },
            Stop::LastBlock { blocks: 20 },
            time(Part::Block),
            time(Part::Round),
            bytes(Part::Block),
            bytes(Part::Round),
            Stop::Steady,
            Stop::LastRound,
            Stop::RoundsCut { workloads: 1, has_time_limit: true },
            Stop::RoundsCut { workloads: 2, has_time_limit: false },
        ];
        let lines = stops.map(|stop| format!("{:?}: {}", stop.reason(), note(stop)));
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn every_block_that_does_not_complete_has_a_reason() {
        let all =
            [Superseded::Interrupted, Superseded::Crashed, Superseded::Failed("ext4: no space")];
        let crashed = "bakeoff ended unexpectedly during this block";
        assert_eq!(all.map(superseded), ["interrupted", crashed, "ext4: no space"]);
        assert_eq!(time_reached(60_000_000_000), "time limit of 1 min reached");
        assert_eq!(bytes_reached(1 << 30), "write limit of 1 GiB reached");
    }
}
