//! L42 rank-flip: different candidates win on different workloads.

use super::{ComparedRun, name, winner};
use crate::evidence::rule::Hit;
use bakeoff_model::event::Header;
use bakeoff_model::finding::Finding;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_stats::phrases::figures;

pub const ID: &str = "L42";

pub fn winners(of: &ComparedRun) -> Option<Hit> {
    let (run, all) = (of.run, &of.compared);
    let won: Vec<(WorkloadIx, CandidateIx)> =
        WorkloadIx::each(all).filter_map(|(w, c)| Some((w, winner(of, c)?.0))).collect();
    let first = won.first()?;
    let other = won.iter().find(|o| o.1 != first.1)?;
    let lead = |(w, winner): (WorkloadIx, CandidateIx)| {
        let ahead = all[usize::from(w)].pairs.iter().find_map(|p| {
            let certain = p.interval.filter(|i| p.a == winner && i.low > 0.0)?;
            Some(figures::lead(p.paired?.mean, certain))
        });
        let by = ahead.map(|by| format!(" ({by})")).unwrap_or_default();
        format!("{}{by}", run.header.workloads[w].name)
    };
    let evidence = format!(
        "{} is fastest for {}, {} for {}",
        name(run, first.1),
        lead(*first),
        name(run, other.1),
        lead(*other)
    );
    let advice = "choose by your workload; bakeoff show last names the winner for each";
    Some(Hit::new(evidence, advice))
}

#[derive(Clone, Copy, Debug)]
pub struct WinnerIn<'a> {
    pub winner: &'a str,
    pub run: &'a str,
}

pub fn over_runs(header: &Header, workload: &str, [a, b]: [WinnerIn; 2]) -> Finding {
    let evidence = format!("{} is fastest in {}, {} in {}", a.winner, a.run, b.winner, b.run);
    let advice = "choose by the setting that you use; a winner is valid for its own setting only";
    let hit = Hit { workload: Some(workload.to_string()), ..Hit::new(evidence, advice) };
    hit.finding(header, ID)
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::session::{has, noise};
    use crate::testing::RunBuilder;

    #[test]
    fn l42_another_winner_on_another_workload() {
        let run = |second: f64| {
            let rate = move |b, c: u16, w: u16| {
                let fast = [[1.0, 1.3], [1.0, second]][usize::from(w)][usize::from(c)];
                1e4 * fast * libm::exp(noise(b, c, w))
            };
            RunBuilder::stacks(&["a", "b"])
                .workloads(&["randwrite", "randread"])
                .play(5, rate)
                .build()
        };
        assert!(has("L42", &run(0.7)) && !has("L42", &run(1.4)));
    }
}
