//! Candidates in tiers: what cannot be told apart shares one.
//!
//! Source: the compact letter display, Piepho, "An algorithm for a letter-based representation of
//! all-pairwise comparisons", Journal of Computational and Graphical Statistics 13 (2004). A tier
//! is a largest group of which no two are told apart; a candidate can stand in several.

use crate::decide::compare::Comparison;
use bakeoff_model::index::CandidateIx;
use bakeoff_model::run::Run;

/// More groups than this are not split further: their tiers then claim less, never more.
const MOST_GROUPS: usize = 256;

/// Names in tiers, best first. The first holds all that nobody stands before.
pub fn tiers(run: &Run, compared: &Comparison) -> Vec<Vec<String>> {
    let apart = &compared.decision.apart;
    let rank = |c: &CandidateIx| compared.ranked.iter().position(|r| r == c);
    let top: Vec<usize> = compared.decision.top.iter().filter_map(rank).collect();
    let mut tiers = vec![top];
    for group in groups(apart) {
        let is_new = !tiers.iter().any(|t| group.iter().all(|i| t.contains(i)));
        if is_new {
            tiers.push(group);
        }
    }
    let name = |i: &usize| run.header.candidates[compared.ranked[*i]].name.clone();
    tiers.retain(|t| !t.is_empty());
    tiers.iter().map(|t| t.iter().map(name).collect()).collect()
}

/// Largest groups without a told-apart pair, by insert and absorb, ordered by their members.
fn groups(apart: &[Vec<bool>]) -> Vec<Vec<usize>> {
    let n = apart.len();
    let mut groups: Vec<Vec<usize>> = vec![(0..apart.len()).collect()];
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    for (i, j) in pairs {
        if (!apart[i][j] && !apart[j][i]) || groups.len() > MOST_GROUPS {
            continue;
        }
        let (both, mut rest): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|g| g.contains(&i) && g.contains(&j));
        for group in both {
            for out in [i, j] {
                let smaller: Vec<usize> = group.iter().copied().filter(|x| *x != out).collect();
                if !rest.iter().any(|g| smaller.iter().all(|x| g.contains(x))) {
                    rest.push(smaller);
                }
            }
        }
        groups = rest;
    }
    groups.sort();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(n: usize, pairs: &[(usize, usize)]) -> Vec<Vec<bool>> {
        let mut apart = vec![vec![false; n]; n];
        pairs.iter().for_each(|(i, j)| apart[*i][*j] = true);
        apart
    }

    #[test]
    fn overlapping_groups_share_a_member() {
        assert_eq!(groups(&apart(3, &[(0, 2)])), [vec![0, 1], vec![1, 2]]);
        assert_eq!(groups(&apart(3, &[(0, 1), (0, 2), (1, 2)])), [vec![0], vec![1], vec![2]]);
        assert_eq!(groups(&apart(3, &[])), [vec![0, 1, 2]]);
        let all_but = apart(4, &[(0, 2), (0, 3), (1, 2), (1, 3)]);
        assert_eq!(groups(&all_but), [vec![0, 1], vec![2, 3]]);
    }

    #[test]
    fn no_group_holds_a_pair_that_is_told_apart_and_none_lies_in_another() {
        let pairs = [(0, 3), (0, 4), (1, 4), (0, 5), (1, 5), (2, 5), (3, 5)];
        let apart = apart(6, &pairs);
        let found = groups(&apart);
        for group in &found {
            assert!(!group.iter().any(|i| group.iter().any(|j| apart[*i][*j])), "{found:?}");
            let inside = found.iter().filter(|g| group.iter().all(|x| g.contains(x))).count();
            assert_eq!(inside, 1, "{found:?}");
        }
    }
}
