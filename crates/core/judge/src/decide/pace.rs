//! How many rounds make a cell and how long a slice may be, so that preparing takes a small share
//! of the time and there are blocks enough.
//!
//! Blocks are the unit of replication, so twelve blocks of 8 rounds tell more than five of 20. More
//! rounds are made only where preparing a block would otherwise take more than a tenth of the time,
//! or more than a quarter where the time allows few blocks.

use bakeoff_model::protocol::ROUNDS;
use bakeoff_model::slice_length::{LONGEST_NS, SETTLED_NS, SHORTEST_NS};

/// Share of a block that preparing it may take: as wanted, and at most.
const PREPARE_SHARE: (f64, f64) = (0.10, 0.25);
/// Blocks that slices have to leave time for, and that are wanted before rounds are added for the
/// sake of the wanted share.
const MANY_BLOCKS: u64 = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    pub prepare_ns: u64,
    pub candidates: u32,
    pub workloads: u32,
    /// Parts of a block that are not sliced: foreign tools, profiles.
    pub whole_ns: u64,
    /// Time there is for all blocks; `None` = no limit.
    pub time_ns: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasuredPace {
    pub rounds: u32,
    pub slices_ns: u64,
}

impl Default for MeasuredPace {
    fn default() -> MeasuredPace {
        MeasuredPace { rounds: *ROUNDS.start(), slices_ns: u64::MAX }
    }
}

impl MeasuredPace {
    /// The longest slice that a workload may have when `chosen_ns` is what those of others have and
    /// `left` workloads, it included, have none yet. What some do not need the others may have.
    pub fn longest_slice_ns(&self, chosen_ns: u64, left: u32) -> u64 {
        let kept_ns = SHORTEST_NS.saturating_mul(u64::from(left.saturating_sub(1)));
        let own_ns = self.slices_ns.saturating_sub(chosen_ns).saturating_sub(kept_ns);
        own_ns.clamp(SHORTEST_NS, LONGEST_NS)
    }
}

impl Demand {
    fn slices(&self, rounds: u32) -> u64 {
        u64::from(rounds) * u64::from(self.candidates.max(1)) * u64::from(self.workloads.max(1))
    }

    fn block_ns(&self, rounds: u32, slice_ns: u64) -> u64 {
        let fixed_ns = self.prepare_ns.saturating_add(self.whole_ns);
        fixed_ns.saturating_add(self.slices(rounds).saturating_mul(slice_ns))
    }

    /// Time for one slice of every workload on one candidate with which the fewest rounds still
    /// leave time for some blocks.
    fn slices_ns(&self) -> u64 {
        let Some(time_ns) = self.time_ns else { return u64::MAX };
        let fixed_ns = self.prepare_ns.saturating_add(self.whole_ns);
        let left_ns = (time_ns / MANY_BLOCKS).saturating_sub(fixed_ns);
        left_ns / (u64::from(*ROUNDS.start()) * u64::from(self.candidates.max(1)))
    }
}

/// Chooses rounds and the time for slices; `slice_ns` is how long a slice takes on average.
pub fn pace(demand: &Demand, slice_ns: u64) -> MeasuredPace {
    let slice_ns = slice_ns.clamp(SHORTEST_NS, SETTLED_NS);
    let share =
        |rounds: u32| demand.prepare_ns as f64 / demand.block_ns(rounds, slice_ns).max(1) as f64;
    let first = |most: f64| ROUNDS.into_iter().find(|rounds| share(*rounds) <= most);
    let leaves_many = |rounds: &u32| {
        let block_ns = demand.block_ns(*rounds, slice_ns).max(1);
        demand.time_ns.is_none_or(|time_ns| time_ns / block_ns >= MANY_BLOCKS)
    };
    let wanted = first(PREPARE_SHARE.0).unwrap_or(*ROUNDS.end());
    let rounds =
        if leaves_many(&wanted) { wanted } else { first(PREPARE_SHARE.1).unwrap_or(*ROUNDS.end()) };
    MeasuredPace { rounds, slices_ns: demand.slices_ns() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const S: u64 = 1000 * MS;

    fn demand(prepare_ns: u64, time_s: Option<u64>) -> Demand {
        Demand {
            prepare_ns,
            candidates: 7,
            workloads: 5,
            whole_ns: 0,
            time_ns: time_s.map(|s| s * S),
        }
    }

    #[test]
    fn preparing_that_costs_little_needs_no_more_than_the_fewest_rounds() {
        // 280 slices of 50 ms take 14 s; preparing 1.5 s of that is under a tenth.
        assert_eq!(pace(&demand(1500 * MS, Some(600)), 50 * MS).rounds, 8);
    }

    #[test]
    fn rounds_are_added_for_the_wanted_share_only_where_time_leaves_many_blocks() {
        let (hours, minutes) = (demand(4 * S, Some(7200)), demand(4 * S, Some(170)));
        assert_eq!(pace(&hours, 50 * MS).rounds, 20);
        assert_eq!(pace(&minutes, 50 * MS).rounds, 8, "4 of 18 s are less than a quarter");
        assert_eq!(pace(&demand(60 * S, None), 50 * MS).rounds, 20, "the most there are");
    }

    #[test]
    fn slices_leave_time_for_twelve_blocks_and_share_it() {
        let pace_of = |time_s| pace(&demand(2 * S, time_s), 50 * MS);
        assert_eq!(pace_of(None).longest_slice_ns(0, 5), 300 * MS);
        // 25 s a block, 2 s of them to prepare, for 56 slices of each of five workloads.
        let five_minutes = pace_of(Some(300));
        assert_eq!(five_minutes.slices_ns / MS, 410);
        assert_eq!(five_minutes.longest_slice_ns(0, 5) / MS, 210);
        assert_eq!(five_minutes.longest_slice_ns(200 * MS, 1) / MS, 210);
        assert_eq!(five_minutes.longest_slice_ns(390 * MS, 1), 50 * MS);
        assert_eq!(pace_of(Some(20)).longest_slice_ns(0, 5), 50 * MS);
    }

    #[test]
    fn nothing_to_measure_is_no_division_by_zero() {
        let none =
            Demand { prepare_ns: 0, candidates: 0, workloads: 0, whole_ns: 0, time_ns: None };
        assert_eq!(pace(&none, 0).rounds, 8);
    }
}
