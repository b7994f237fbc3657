//! The A/A control: one candidate once more, which has to come out the same.
//!
//! Which one is drawn, so that nobody chooses the best behaved. Two results of one thing show what
//! the differences between different things are worth (Kohavi, Tang and Xu, "Trustworthy Online
//! Controlled Experiments", 2020, chapter 19).

use bakeoff_model::candidate::Candidate;
use bakeoff_stats::prng::SplitMix64;

/// Characters of a name that are left beside ` (twin)`.
const NAME_CHARS: usize = 32;

/// A twin of each stack that is compared, the drawn one first, then in the order of the candidates.
pub fn twins(candidates: &[Candidate], seed: u64) -> Vec<Candidate> {
    let is_own = |c: &&Candidate| c.stack().is_some() && c.twin_of.is_none();
    let mut own: Vec<&Candidate> = candidates.iter().filter(is_own).collect();
    if let Some(most) = (own.len() as u64).checked_sub(1) {
        let letters = own.iter().flat_map(|c| c.name.bytes()).map(u64::from);
        let words: Vec<u64> = letters.collect();
        own.rotate_left(SplitMix64::derive(seed, &words).below(most + 1) as usize);
    }
    own.into_iter().map(twin).collect()
}

pub fn drawn(candidates: &[Candidate], seed: u64) -> Option<Candidate> {
    twins(candidates, seed).into_iter().next()
}

fn twin(of: &Candidate) -> Candidate {
    let room: String = of.name.chars().take(NAME_CHARS).collect();
    Candidate { name: format!("{room} (twin)"), twin_of: Some(of.name.clone()), ..of.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;

    fn first(seed: u64) -> String {
        let run = RunBuilder::stacks(&["a", "b", "c"]).build();
        let mut twins = twins(&run.header.candidates, seed);
        assert_eq!(twins.len(), 3);
        twins.swap_remove(0).name
    }

    #[test]
    fn every_candidate_is_drawn_and_one_seed_draws_one() {
        let drawn: std::collections::BTreeSet<String> = (0..60).map(first).collect();
        assert_eq!(drawn.into_iter().collect::<Vec<_>>(), ["a (twin)", "b (twin)", "c (twin)"]);
        assert_eq!(first(7), first(7));
    }

    #[test]
    fn directories_and_controls_have_no_twin() {
        let mut run = RunBuilder::stacks(&["a", "b"]).build();
        run.header.candidates[1].twin_of = Some("a".to_string());
        let twins = twins(&run.header.candidates, 1);
        assert_eq!(twins.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["a (twin)"]);
        assert_eq!(super::twins(&[], 1), []);
    }
}
