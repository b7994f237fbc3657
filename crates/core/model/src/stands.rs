//! Which candidates share a standing filesystem: those that differ in nothing but settings of the
//! whole disk or the machine, which change between groups of rounds.

use super::candidate::{Candidate, Knobs, Stack};
use super::event::Header;
use super::index::CandidateIx;
use super::protocol::Isolation;

/// Candidates by the filesystem that each can be measured on, in the order of the first of each.
/// A twin is a filesystem of its own.
pub fn shared(
    candidates: &[Candidate],
    among: impl IntoIterator<Item = CandidateIx>,
) -> Vec<Vec<CandidateIx>> {
    let mut stands: Vec<Vec<CandidateIx>> = Vec::new();
    for candidate in among {
        let is_its = |stand: &&mut Vec<CandidateIx>| {
            differ_in_settings(&candidates[stand[0]], &candidates[candidate])
        };
        match stands.iter_mut().find(is_its) {
            Some(stand) => stand.push(candidate),
            None => stands.push(vec![candidate]),
        }
    }
    stands
}

/// Filesystems that all candidates of a plan need, the twin's own included.
pub fn count(candidates: &[Candidate]) -> u64 {
    shared(candidates, CandidateIx::all(candidates.len())).len() as u64
}

/// Filesystems of those that are compared; how many candidates share one at most.
pub fn compared(candidates: &[Candidate]) -> (u64, u64) {
    let all = CandidateIx::all(candidates.len());
    let stands = shared(candidates, all.filter(|c| candidates[*c].twin_of.is_none()));
    let most = stands.iter().map(Vec::len).max().unwrap_or(1);
    (stands.len() as u64, most as u64)
}

fn differ_in_settings(a: &Candidate, b: &Candidate) -> bool {
    let bare = |stack: &Stack| Stack { knobs: Knobs::default(), ..stack.clone() };
    let is_own = |c: &Candidate| c.twin_of.is_some();
    let stacks = a.stack().zip(b.stack());
    (a.region, a.tool) == (b.region, b.tool)
        && !is_own(a)
        && !is_own(b)
        && stacks.is_some_and(|(a, b)| a.knobs != b.knobs && bare(a) == bare(b))
}

impl Header {
    /// The candidates of `among` by the filesystem they stand on together. A run shares them where
    /// its region was divided into fewer parts than it has candidates.
    pub fn stands(&self, among: &[CandidateIx]) -> Vec<Vec<CandidateIx>> {
        if self.shares_stands() {
            shared(&self.candidates, among.iter().copied())
        } else {
            among.iter().map(|candidate| vec![*candidate]).collect()
        }
    }

    /// All filesystems of a block, before a candidate is dropped.
    pub fn all_stands(&self) -> Vec<Vec<CandidateIx>> {
        self.stands(&CandidateIx::all(self.candidates.len()).collect::<Vec<_>>())
    }

    fn shares_stands(&self) -> bool {
        let on = |number: usize| {
            self.candidates.iter().filter(|c| usize::from(c.region) == number).count()
        };
        self.protocol.isolation == Isolation::Slices
            && self.regions().enumerate().any(|(at, region)| on(at) > usize::from(region.parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::Kind;
    use crate::index::RegionIx;

    fn candidate(fs: &str, scheduler: Option<&str>) -> Candidate {
        let knobs = Knobs { scheduler: scheduler.map(str::to_string), ..Knobs::default() };
        let stack = Stack { knobs, ..Stack::plain(fs, Vec::new(), Vec::new(), false) };
        Candidate::new(format!("{fs} {scheduler:?}"), Kind::Stack(stack))
    }

    fn numbers(candidates: &[Candidate]) -> Vec<Vec<u16>> {
        let all = shared(candidates, CandidateIx::all(candidates.len()));
        all.iter().map(|stand| stand.iter().map(|c| c.number()).collect()).collect()
    }

    #[test]
    fn candidates_that_differ_in_settings_alone_share_a_filesystem() {
        let both = ["ext4", "xfs"];
        let of = |scheduler| both.map(|fs| candidate(fs, Some(scheduler)));
        let mut all = [of("none"), of("bfq")].concat();
        assert_eq!(numbers(&all), [[0, 2], [1, 3]]);
        all[2].region = RegionIx::new(1);
        assert_eq!(numbers(&all), [vec![0], vec![1, 3], vec![2]]);
    }

    #[test]
    fn a_twin_and_what_is_the_same_again_stand_on_their_own() {
        let mut all = vec![candidate("ext4", Some("none")), candidate("ext4", Some("bfq"))];
        let twin_of = Some(all[0].name.clone());
        all.push(Candidate { twin_of, ..all[0].clone() });
        all.push(all[0].clone());
        assert_eq!(numbers(&all), [vec![0, 1], vec![2], vec![3]]);
        assert_eq!(count(&all), 3);
    }
}
