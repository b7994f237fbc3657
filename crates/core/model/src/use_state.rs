//! How a filesystem is used before it is measured: how full it is, and whether files came and went
//! on it. What that means in files is in the engine's `used`; docs/used.md has the sources.

// A new age is looked at in everything that is decided here.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use super::candidate::Candidate;
use super::index::{BlockIx, CandidateIx};

/// How often the space that is left free is written anew by ageing.
pub const TURNOVERS: u64 = 2;
/// Fullest that a filesystem is made, percent: several need the rest for themselves.
pub const MOST_PERCENT: u8 = 90;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Age {
    /// Files were only added.
    #[default]
    Fresh,
    /// Files were created, grown, overwritten and deleted, [`TURNOVERS`] times the free space.
    Used,
}

/// Ordered by how much it is used: by fill first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UseState {
    /// Share of its room that files take, the data file included; 0 = nothing but the data file.
    pub fill_percent: u8,
    pub age: Age,
}

impl UseState {
    pub fn is_empty(self) -> bool {
        self.fill_percent == 0
    }

    /// For names: `80% used`, `80% full`; empty where there is nothing to tell.
    pub fn label(self) -> String {
        match (self.fill_percent, self.age) {
            (0, _) => String::new(),
            (percent, Age::Fresh) => format!("{percent}% full"),
            (percent, Age::Used) => format!("{percent}% used"),
        }
    }

    /// For sentences: `80 % full and used`.
    pub fn phrase(self) -> String {
        match (self.fill_percent, self.age) {
            (0, _) => "empty".to_string(),
            (percent, Age::Fresh) => format!("{percent} % full"),
            (percent, Age::Used) => format!("{percent} % full and used"),
        }
    }

    /// The files that come before the data file, on a filesystem with `room_bytes` for files.
    pub fn history(self, seed: u64, room_bytes: u64, file_bytes: u64) -> FileHistory {
        let full_bytes = room_bytes / 100 * u64::from(self.fill_percent);
        let turnover_bytes = match self.age {
            Age::Used if !self.is_empty() => room_bytes.saturating_sub(full_bytes) * TURNOVERS,
            Age::Fresh | Age::Used => 0,
        };
        FileHistory { seed, tree_bytes: full_bytes.saturating_sub(file_bytes), turnover_bytes }
    }

    /// Bytes that making it writes at most, the data file left out.
    pub fn written_bytes(self, room_bytes: u64) -> u64 {
        self.history(0, room_bytes, 0).written_bytes()
    }

    /// Share of the room, percent, that the data file may take, and as much what is made beside
    /// it: half of what is to be filled, and half of what is to be left free.
    pub fn data_percent(self) -> u64 {
        match self.fill_percent.into() {
            0 => 100,
            filled => u64::min(filled, 100 - u64::min(filled, 100)) / 2,
        }
    }
}

/// How often regions are written over a run, on average: once in full, and by filling them for each
/// of so many preparations.
pub fn times_written(states: impl Iterator<Item = UseState>, preparations: u64) -> u64 {
    let percent: Vec<u64> = states.map(|state| state.written_bytes(100)).collect();
    let mean = percent.iter().sum::<u64>().div_ceil(percent.len().max(1) as u64);
    1 + (mean * preparations).div_ceil(100)
}

/// What to do before the data file is laid out: the same for every candidate of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileHistory {
    pub seed: u64,
    /// Bytes of all files, never exceeded.
    pub tree_bytes: u64,
    /// Bytes to write once there are so many.
    pub turnover_bytes: u64,
}

impl FileHistory {
    pub fn written_bytes(self) -> u64 {
        self.tree_bytes.saturating_add(self.turnover_bytes)
    }
}

/// What a history left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeLeft {
    pub files: u64,
    pub bytes: u64,
    pub written_bytes: u64,
}

/// A candidate was filled, and aged where it was to be; its data file was written after that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filled {
    pub block: BlockIx,
    pub candidate: CandidateIx,
    pub tree: TreeLeft,
    pub data_bytes: u64,
    /// Share of the filesystem that is in use then, millionths, as it says itself (statvfs).
    pub full_ppm: u32,
    pub elapsed_ns: u64,
}

/// What use changes for a candidate on a workload: its rate over that of the same stack less used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UseChange {
    pub workload: String,
    pub candidate: String,
    pub state: UseState,
    pub before: String,
    pub before_state: UseState,
    pub ratio: f64,
    pub low: f64,
    pub high: f64,
    pub blocks: u32,
}

impl Candidate {
    pub fn state(&self) -> UseState {
        self.stack().map(|stack| stack.state).unwrap_or_default()
    }

    /// Whether it is ranked among `all`: no twin, and as much used as any, as long as two are. The
    /// others show what use changes.
    pub fn competes(&self, all: &[Candidate]) -> bool {
        let own = || all.iter().filter(|c| c.twin_of.is_none()).map(Candidate::state);
        let most = own().max().unwrap_or_default();
        let has_rivals = own().filter(|state| *state == most).count() > 1;
        self.twin_of.is_none() && (!has_rivals || self.state() == most)
    }

    /// Whether it is the same as `other` but for use, on the same region.
    pub fn is_same_stack(&self, other: &Candidate) -> bool {
        let plain = |c: &Candidate| {
            let stack = c.stack()?;
            Some((
                super::candidate::Stack { state: UseState::default(), ..stack.clone() },
                c.region,
            ))
        };
        plain(self).is_some_and(|own| plain(other) == Some(own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::{Kind, Stack};

    fn used(name: &str, fill_percent: u8, age: Age) -> Candidate {
        let plain = Stack::plain(name, Vec::new(), Vec::new(), false);
        let stack = Stack { state: UseState { fill_percent, age }, ..plain };
        Candidate::new(format!("{name} {fill_percent} {age:?}"), Kind::Stack(stack))
    }

    #[test]
    fn filling_leaves_room_for_the_data_file_and_ageing_writes_the_free_space_twice() {
        let state = UseState { fill_percent: 80, age: Age::Used };
        let history = state.history(7, 1000, 90);
        assert_eq!((history.tree_bytes, history.turnover_bytes), (710, 400));
        assert_eq!((state.written_bytes(1000), state.data_percent()), (1200, 10));
        let fresh = UseState { fill_percent: 20, age: Age::Fresh };
        assert_eq!((fresh.written_bytes(1000), fresh.data_percent()), (200, 10));
        assert_eq!(UseState::default().written_bytes(1000), 0);
        assert_eq!(UseState::default().data_percent(), 100);
        assert_eq!(times_written([UseState::default(); 2].into_iter(), 4), 1);
        assert_eq!(times_written([UseState::default(), state].into_iter(), 4), 1 + 3);
    }

    #[test]
    fn the_most_used_compete_and_the_others_show_what_use_changes() {
        let all = [used("a", 0, Age::Fresh), used("a", 80, Age::Used), used("b", 80, Age::Used)];
        let competing = all.each_ref().map(|c| c.competes(&all));
        assert_eq!(competing, [false, true, true]);
        assert!(all[0].is_same_stack(&all[1]) && !all[1].is_same_stack(&all[2]));
        assert!(all[0].competes(&all[..2]) && all[1].competes(&all[..2]), "one stack, two states");
    }
}
