//! Who is visited when: random from the run's seed, so that a run can be repeated.
//!
//! Blocks come in fours: two in random order, then each of the two in its reverse
//! (counterbalancing). Each candidate then stands before and after each other equally often, so
//! that a drift inside blocks, however strong, cannot favour one of them: with independent orders
//! two candidates stand the same way round in all of five blocks in one run of sixteen. The
//! reverse comes two blocks later, not at once, because neighbours in time resemble each other.
//! False winners between two equals, simulated (200,000 runs each): shared autoregression of 0.5
//! from visit to visit 4.9 % (reversed at once 5.4 %, independent 4.9 %); steep drift at little
//! noise 0.2 % (reversed at once 0.2 %, independent 5.9 %). Source of the principle: Cox, "Planning
//! of Experiments", Wiley 1958, on designs balanced against trends.

use bakeoff_model::index::{BlockIx, CandidateIx, WorkloadIx};
use bakeoff_model::run::Run;
use bakeoff_model::workload::Workload;
use bakeoff_stats::prng::SplitMix64;

const VISITS: u64 = 0x76_6973_6974;
const CELLS: u64 = 0x63_656c_6c73;

/// Surviving candidates in the order of the block that follows `complete` complete ones.
pub fn visit_order(run: &Run, complete: u32) -> Vec<CandidateIx> {
    let mut order: Vec<CandidateIx> = CandidateIx::all(run.header.candidates.len()).collect();
    let (four, place) = (complete / 4, complete % 4);
    let words = [VISITS, u64::from(four), u64::from(place % 2)];
    SplitMix64::derive(run.header.seed, &words).shuffle(&mut order);
    if place >= 2 {
        order.reverse();
    }
    let survivors = run.survivors();
    order.retain(|c| survivors.contains(c));
    order
}

/// Workloads of a visit in order: cold reads, overwrites, appends, metadata, profiles; random
/// inside a phase, and the same for every candidate of the block, so that it cancels in the
/// difference. What is measured together is one entry, in the order of its parts; of a block that
/// is a round it is the only one.
pub fn workload_order(run: &Run, block: BlockIx) -> Vec<Vec<WorkloadIx>> {
    let mut order = groups(&run.header.workloads);
    if let Some(round) = block.get(&run.blocks).and_then(|block| block.round) {
        order.retain(|group| group[0] == round.workload);
    }
    SplitMix64::derive(run.header.seed, &[CELLS, u64::from(block.number())]).shuffle(&mut order);
    order.sort_by_key(|group| run.header.workloads[group[0]].phase);
    order
}

/// Workloads that are measured together, by index: the parts of a profile that one driver does
/// with the same job; every other workload by itself.
pub fn groups(workloads: &[Workload]) -> Vec<Vec<WorkloadIx>> {
    let mut groups: Vec<Vec<WorkloadIx>> = Vec::new();
    for (index, workload) in WorkloadIx::each(workloads) {
        let same = |group: &&mut Vec<WorkloadIx>| is_one(&workloads[group[0]], workload);
        match groups.iter_mut().find(same) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    for group in &mut groups {
        group.sort_by_key(|w| workloads[*w].profile.map(|part| part.part));
    }
    groups
}

fn is_one(a: &Workload, b: &Workload) -> bool {
    match (a.profile, b.profile) {
        (Some(x), Some(y)) => {
            let is_alike = a.driver == b.driver && a.job == b.job && a.beside == b.beside;
            is_alike && x.profile == y.profile
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;
    use bakeoff_model::job::Job;
    use bakeoff_model::workload::Phase;

    #[test]
    fn blocks_two_apart_mirror_each_other_and_seeds_differ() {
        let run = RunBuilder::stacks(&["a", "b", "c", "d", "e"]).seed(3).build();
        for block in [0, 1, 4, 5, 24] {
            let mut mirrored = visit_order(&run, block + 2);
            mirrored.reverse();
            assert_eq!(visit_order(&run, block), mirrored);
        }
        assert_ne!(visit_order(&run, 0), visit_order(&run, 1));
        assert_ne!(visit_order(&run, 0), visit_order(&run, 4));
        let other = RunBuilder::stacks(&["a", "b", "c", "d", "e"]).seed(4).build();
        let orders = |run| (0..8).map(|b| visit_order(run, b)).collect::<Vec<_>>();
        assert_eq!(orders(&run), orders(&run));
        assert_ne!(orders(&run), orders(&other));
    }

    #[test]
    fn dropped_candidates_are_not_visited() {
        let mut run = RunBuilder::stacks(&["a", "b", "c"]).build();
        run.dropped.push((CandidateIx::new(1), 5));
        for complete in 0..10 {
            let mut order = visit_order(&run, complete);
            order.sort_unstable();
            assert_eq!(order, [0, 2].map(CandidateIx::new));
        }
    }

    #[test]
    fn cold_reads_come_first_and_metadata_last() {
        let names = ["randwrite", "smallfiles", "randread", "seqread", "seqwrite"];
        let run = RunBuilder::stacks(&["a", "b"]).workloads(&names).build();
        let orders: Vec<Vec<WorkloadIx>> =
            BlockIx::all(20).map(|b| workload_order(&run, b).concat()).collect();
        for order in &orders {
            let phases: Vec<Phase> = order.iter().map(|w| run.header.workloads[*w].phase).collect();
            assert!(phases.is_sorted(), "{phases:?}");
            assert_eq!(order.len(), names.len());
        }
        assert!(orders.iter().any(|o| o != &orders[0]), "reads never change places");
    }

    #[test]
    fn parts_of_a_profile_stay_together_and_in_their_order() {
        let mut run = RunBuilder::stacks(&["a"]).workloads(&["randwrite", "randread"]).build();
        let mut parts = bakeoff_model::profiles::find("nas");
        parts.reverse();
        let other: Vec<Workload> = bakeoff_model::profiles::find("nas")
            .into_iter()
            .map(|w| Workload {
                name: format!("{} 4k", w.name),
                job: Job { bs: 4096, ..w.job },
                ..w
            })
            .collect();
        run.header.workloads.splice(1..1, parts);
        run.header.workloads.extend(other);
        for block in BlockIx::all(9) {
            let order = workload_order(&run, block);
            assert_eq!(order[0], [WorkloadIx::new(4)], "the cold read comes first");
            assert_eq!(order[1], [WorkloadIx::FIRST]);
            let mut profiles = order[2..].to_vec();
            profiles.sort();
            assert_eq!(profiles, [[3, 2, 1], [5, 6, 7]].map(|group| group.map(WorkloadIx::new)));
        }
    }
}
