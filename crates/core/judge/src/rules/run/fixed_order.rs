//! L34 fixed-order: two candidates were measured in the same order in every block.

use super::ComparedRun;
use crate::evidence::rule::Hit;
use bakeoff_model::index::CandidateIx;
use bakeoff_model::looks::FIRST_LOOK;

pub fn always_first(&ComparedRun { run, table, .. }: &ComparedRun) -> Option<Hit> {
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

#[cfg(test)]
mod tests {
    use crate::analyse::analyse;
    use crate::rules::run::tests::{ids, steady};
    use crate::testing::RunBuilder;
    use bakeoff_model::event::What;
    use bakeoff_model::run::Run;

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
}
