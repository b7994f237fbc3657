//! L42 rank-flip: different candidates win on different workloads.

use super::{ComparedRun, name, winner};
use crate::evidence::rule::Hit;
use bakeoff_model::event::Header;
use bakeoff_model::finding::Finding;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_stats::phrases::figures;

pub const RANK_FLIP: &str = "L42";

pub fn rank_flip(of: &ComparedRun) -> Option<Hit> {
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

pub fn winners_differ(header: &Header, workload: &str, [a, b]: [WinnerIn; 2]) -> Finding {
    let evidence = format!("{} is fastest in {}, {} in {}", a.winner, a.run, b.winner, b.run);
    let advice = "choose by the setting that you use; a winner is valid for its own setting only";
    let hit = Hit { workload: Some(workload.to_string()), ..Hit::new(evidence, advice) };
    hit.finding(header, RANK_FLIP)
}
