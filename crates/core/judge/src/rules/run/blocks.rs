//! Rules over the blocks of a run: are there enough, in which order, of which filesystems?

use super::ComparedRun;
use crate::decide::compare::Comparison;
use crate::decide::schedule;
use crate::evidence::rule::Hit;
use bakeoff_model::event::Cell;
use bakeoff_model::index::CandidateIx;
use bakeoff_model::looks::FIRST_LOOK;
use bakeoff_model::protocol::Mode;
use bakeoff_model::run::Run;

pub const NO_REPLICATION: &str = "L32";

pub fn no_replication(run: &Run) -> Option<Hit> {
    let complete = schedule::complete(run);
    let first = run.header.protocol.first_look();
    let few = schedule::has_question(run) && complete < first;
    few.then(|| {
        let evidence = format!("{complete} of {first} blocks are complete");
        Hit::new(evidence, next_blocks(run))
    })
}

/// What gives it more blocks: a run that is over cannot continue, and one under way needs nobody.
fn next_blocks(run: &Run) -> String {
    let id: String = run.header.short_id();
    match &run.stopped {
        None => "wait for the next blocks".to_string(),
        Some((reason, _)) if reason.is_resumable() => {
            format!("continue with: bakeoff resume {id} --time 10m")
        }
        Some(_) => "measure again with a longer --time".to_string(),
    }
}

pub fn fixed_order(&ComparedRun { run, table, .. }: &ComparedRun) -> Option<Hit> {
    let orders: Vec<&[CandidateIx]> = table.blocks_of(run).map(|b| b.order.as_slice()).collect();
    let candidates = CandidateIx::all(run.header.candidates.len());
    let pairs = candidates.clone().flat_map(|a| candidates.clone().map(move |b| (a, b)));
    for (a, b) in pairs.filter(|(a, b)| a != b) {
        let place = |order: &[CandidateIx], c| order.iter().position(|x| *x == c);
        let both: Vec<bool> =
            orders.iter().filter_map(|o| Some(place(o, a)? < place(o, b)?)).collect();
        if both.len() >= FIRST_LOOK as usize && both.iter().all(|first| *first) {
            let name = |c: CandidateIx| &run.header.candidates[c].name;
            let evidence =
                format!("{} was measured before {} in all {} blocks", name(a), name(b), both.len());
            let advice = "measure in random order with bakeoff run (use --seed to repeat an order)";
            return Some(Hit::new(evidence, advice));
        }
    }
    None
}

pub fn fresh_fs_only(run: &Run) -> Option<Hit> {
    let is_stack = run.header.stacks().next().is_some();
    (is_stack && run.header.protocol.mode == Mode::Precise).then(|| {
        let blocks = run.complete_blocks().count();
        let evidence = format!("each of the {blocks} blocks created new filesystems");
        let advice = "to measure filesystems in use, run bakeoff quick DIR...; state next to this \
                      figure that it is for new filesystems, because age can change the order";
        Hit::new(evidence, advice)
    })
}

pub fn unmeasured(of: &ComparedRun, compared: &Comparison) -> Vec<Hit> {
    let (&ComparedRun { run, table, .. }, workload) = (of, compared.workload);
    let candidates = CandidateIx::all(run.header.candidates.len());
    let has = |c: &CandidateIx| table.values(workload, *c).iter().any(Option::is_some);
    if table.blocks().is_empty() || !candidates.clone().any(|c| has(&c)) {
        return Vec::new();
    }
    let missing = candidates.filter(|c| !has(c));
    let describe = |c: CandidateIx| {
        let tried: Vec<&String> = run
            .invalid
            .iter()
            .filter(|(_, candidate, w, _)| (*candidate, *w) == (c, workload))
            .map(|(.., reason)| reason)
            .collect();
        let last = tried.last().map_or(String::new(), |reason| format!("; last reason: {reason}"));
        let is_it = |cell: &&Cell| (cell.candidate, cell.workload) == (c, workload);
        let kept = run.complete_cells().filter(is_it).count();
        let attempts = bakeoff_stats::phrases::count(tried.len() + kept, "attempt");
        let evidence = format!("no valid cell in {attempts}{last}");
        let advice = "fix the error above, or exclude this workload";
        Hit { candidate: Some(run.header.candidates[c].name.clone()), ..Hit::new(evidence, advice) }
    };
    missing.map(describe).collect()
}

#[cfg(test)]
mod tests {
    use crate::analyse::analyse;
    use crate::rules::run::tests::{ids, steady};
    use crate::rules::tests::session::{at, has, twins};
    use crate::rules::tests::told;
    use crate::testing::RunBuilder;
    use bakeoff_model::event::What;
    use bakeoff_model::run::Run;
    use bakeoff_model::verdict::Verdict;

    #[test]
    fn l32_two_blocks_and_three() {
        let two = RunBuilder::stacks(&["a", "b"]).play(2, steady).build();
        let found = analyse(&two);
        assert_eq!(ids(&two), ["L32"]);
        assert_eq!(found.findings[0].evidence, "2 of 3 blocks are complete");
        assert_eq!(found.verdicts[0].verdict, Verdict::Refused);
        assert!(ids(&RunBuilder::stacks(&["a", "b"]).play(3, steady).build()).is_empty());
    }

    fn in_orders(orders: &[[u16; 2]]) -> Run {
        let mut builder = RunBuilder::stacks(&["a", "b"]);
        for order in orders {
            builder.block(order.to_vec(), &mut steady);
        }
        builder.push(What::Looked { blocks: orders.len() as u32, dropped: vec![] });
        builder.build()
    }

    #[test]
    fn l34_always_the_same_way_round_and_once_the_other() {
        let fixed = in_orders(&[[1, 0]; 5]);
        assert_eq!(ids(&fixed), ["L34"]);
        assert_eq!(analyse(&fixed).findings[0].evidence, "b was measured before a in all 5 blocks");
        assert!(ids(&in_orders(&[[1, 0], [1, 0], [0, 1], [1, 0], [1, 0]])).is_empty());
    }

    #[test]
    fn l34_never_fires_on_our_own_orders() {
        for seed in 0..50 {
            let run = RunBuilder::stacks(&["a", "b", "c", "d"]).seed(seed).play(5, steady).build();
            assert!(!ids(&run).contains(&"L34".to_string()), "seed {seed}");
        }
    }

    #[test]
    fn l67_published_figures_of_new_filesystems() {
        assert!(has("L67", &twins(0.03, 0.0)));
        assert!(!has("L67", &RunBuilder::stacks(&["a", "b"]).play(5, at(&[1.0, 1.1])).build()));
    }

    #[test]
    fn advice_about_new_filesystems_names_what_to_type() {
        let advice = told(&analyse(&twins(0.03, 0.0)).findings, "L67").unwrap().advice;
        assert!(advice.contains("bakeoff quick DIR"), "{advice}");
    }

    #[test]
    fn a_candidate_whose_every_cell_is_thrown_away_is_named() {
        let builder = RunBuilder::directories(&["/a", "/b", "/c"]);
        let run = builder
            .cells(|c| {
                c.truth.suspended_ns = if c.candidate.number() == 2 { 3_000_000_000 } else { 0 }
            })
            .play(5, steady)
            .build();
        let found = analyse(&run);
        let named = found.findings.iter().find(|f| f.id == "unmeasured").expect("a finding");
        assert_eq!(named.candidate.as_deref(), Some("/c"));
        let told = found.findings.iter().find(|f| f.id == "suspended").expect("a finding");
        assert!(told.evidence.contains("in 3 of 3 cells; first: discarded"), "{}", told.evidence);
        assert_eq!((found.cells, found.void_cells), (6, 3));
        assert_eq!(found.verdicts[0].standings.len(), 2);
    }
}
