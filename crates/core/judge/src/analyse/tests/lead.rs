//! The lead as it is told: each verdict, who is left out, and what programs get.

use crate::analyse::*;
use crate::testing::RunBuilder;
use bakeoff_model::event::CacheState;
use bakeoff_model::finding::{Scope, Severity};
use bakeoff_model::lead::{Lead, NotRanked, Refusal};

/// Candidates at these speeds, `noise` around them, after eight blocks.
fn eight(run: RunBuilder, speeds: &[f64], noise: f64) -> Run {
    let mut run = run;
    for _ in 0..8 {
        run.block((0..speeds.len() as u16).collect(), &mut |block, c, _| {
            let wave = [0.7, -1.0, 0.4, -0.6, 1.0, -0.3, 0.2]
                [(block as usize * 3 + usize::from(c) * 2) % 7];
            1e3 * speeds[usize::from(c)] * libm::exp(noise * wave)
        });
    }
    run.build()
}

fn stacks() -> RunBuilder {
    RunBuilder::stacks(&["ext4", "xfs", "btrfs"])
}

fn told(run: &Run) -> (WorkloadVerdict, bool) {
    let analysis = analyse(run);
    let is_answered = is_answered(run, &analysis);
    (analysis.verdicts.into_iter().next().expect("a workload"), is_answered)
}

fn lead(verdict: &WorkloadVerdict) -> &Lead {
    verdict.lead.as_ref().expect("it has a lead")
}

#[test]
fn one_ahead_of_all_is_fastest() {
    let (verdict, is_answered) = told(&eight(stacks(), &[1.0, 1.2, 0.9], 0.005));
    let lead = lead(&verdict);
    assert_eq!((verdict.verdict, verdict.winner.as_deref()), (Verdict::Fastest, Some("xfs")));
    let by = lead.fraction().unwrap();
    assert!((0.17..0.2).contains(&by) && lead.holds_for_all && is_answered, "{lead:?}");
    assert_eq!(
        (lead.closest.as_deref(), lead.behind.len(), lead.rivals.len()),
        (Some("ext4"), 2, 0)
    );
    assert!(lead.behind[0].at_least < lead.behind[1].at_least, "furthest behind last");
    assert_eq!(lead.interval.unwrap().low_ln, lead.lead_ln.unwrap());
}

#[test]
fn equals_are_named_together_with_who_is_behind() {
    let (verdict, is_answered) = told(&eight(stacks(), &[1.0, 1.001, 0.5], 0.004));
    let lead = lead(&verdict);
    assert_eq!((verdict.verdict, is_answered), (Verdict::AsFast, true));
    let mut equals = lead.equals.clone();
    equals.sort();
    assert_eq!(equals, ["ext4", "xfs"]);
    assert_eq!(lead.behind.iter().map(|b| b.candidate.as_str()).collect::<Vec<_>>(), ["btrfs"]);
    assert!(lead.fraction().unwrap() <= 0.0 && lead.fraction().unwrap() >= -0.03);
}

#[test]
fn one_that_may_be_overtaken_leads_so_far() {
    let (verdict, is_answered) = told(&eight(stacks(), &[1.0, 1.03, 0.2], 0.1));
    let lead = lead(&verdict);
    assert_eq!((verdict.verdict, is_answered), (Verdict::Leads, false));
    assert_eq!(lead.rivals[0].candidate, lead.closest.clone().unwrap());
    assert!((lead.rivals[0].at_most + lead.fraction().unwrap()).abs() < 1e-12);
    assert!(lead.more.unwrap().lead_ln > lead.lead_ln.unwrap(), "more blocks narrow it");
}

#[test]
fn a_finding_that_forbids_the_claim_leaves_the_figures() {
    let finding = Finding {
        id: "L53".to_string(),
        severity: Severity::Refuse,
        scope: Scope::Run,
        workload: None,
        candidate: None,
        evidence: "the processor was throttled".to_string(),
        advice: "cool it".to_string(),
    };
    let (verdict, is_answered) = told(&eight(stacks().finding(finding), &[1.0, 1.2, 0.9], 0.005));
    assert_eq!(
        (verdict.verdict, is_answered, verdict.winner.is_none()),
        (Verdict::Refused, false, true)
    );
    assert_eq!(lead(&verdict).refusal, Some(Refusal::Findings { ids: vec!["L53".to_string()] }));
    assert!(lead(&verdict).lead_ln.is_some() && lead(&verdict).leader.is_some());
}

#[test]
fn too_few_blocks_are_no_claim_and_one_candidate_has_no_question() {
    let mut two = stacks();
    two.block(vec![0, 1, 2], &mut |_, _, _| 1e3);
    let (verdict, _) = told(&two.build());
    assert_eq!(lead(&verdict).refusal, Some(Refusal::TooFewBlocks { complete: 1, needed: 3 }));
    let alone = RunBuilder::directories(&["/a"]).play(9, |_, _, _| 1e3).build();
    let (verdict, is_answered) = told(&alone);
    assert_eq!(
        (verdict.verdict, verdict.lead.is_none(), is_answered),
        (Verdict::Alone, true, true)
    );
}

#[test]
fn memory_is_neither_leader_nor_reference() {
    // A driver in user space answered from memory and led "surely".
    let cache = |state: fn(u16) -> CacheState| {
        let run = RunBuilder::stacks(&["ext4", "xfs", "ntfs-3g"]).workloads(&["randread"]);
        let mut run = eight(run, &[1.0, 1.1, 5.0], 0.005);
        let cells = run.blocks.iter_mut().flat_map(|block| &mut block.cells);
        cells.for_each(|cell| {
            cell.truth.cache = state(cell.candidate.number());
            if state(cell.candidate.number()) != CacheState::Cold {
                cell.truth.device_read_bytes = None;
            }
        });
        run
    };
    for (run, reason) in [
        (cache(|c| if c == 2 { CacheState::Warm } else { CacheState::Cold }), NotRanked::Memory),
        (
            cache(|c| if c == 2 { CacheState::Unknown } else { CacheState::Cold }),
            NotRanked::CacheUnknown,
        ),
    ] {
        let (verdict, _) = told(&run);
        let lead = lead(&verdict);
        assert_eq!(lead.leader.as_deref(), Some("xfs"), "{lead:?}");
        let out: Vec<_> =
            lead.excluded.iter().map(|e| (e.candidate.as_str(), e.reason, e.of)).collect();
        assert_eq!(out, [("ntfs-3g", reason, 8)]);
        assert!(verdict.effects.iter().all(|e| e.a != "ntfs-3g" && e.b != "ntfs-3g"));
        let chosen = analyse(&run).recommendation.unwrap();
        assert_eq!(chosen.candidate, "xfs");
    }
    // Where nothing is known of anybody, nobody is ranked.
    let (verdict, _) = told(&cache(|_| CacheState::Unknown));
    assert_eq!(lead(&verdict).excluded.len(), 3);
    assert_eq!(lead(&verdict).refusal, Some(Refusal::NothingToCompare { ranked: 0 }));
}
