//! docs/format.md names everything that is stored and every key of machine output.

use bakeoff_model::beside::{BesideChange, BesideEffect, BesideQuantity};
use std::collections::BTreeSet;

use super::sample;
use bakeoff_judge::testing::keys;
use bakeoff_model::bottleneck::{Bottleneck, Reason};
use bakeoff_model::cause::Cause;
use bakeoff_model::event::{Action, Step, What};
use bakeoff_model::factors::{
    CandidateFactor, FactorEffect, FactorInteraction, FactorOutcome, FactorRatio, Factors,
};
use bakeoff_model::index::BlockIx;
use bakeoff_model::lead::{
    Behind, Excluded, Lead, More, NotRanked, Refusal, Rival, Span, TrimmedStalls,
};
use bakeoff_model::recommendation::{BestFor, GivesUp, Recommendation, Regret, RuledOut};
use bakeoff_model::run::Run;
use bakeoff_model::undo::Undo;
use bakeoff_model::use_state::{Age, UseChange, UseState};
use bakeoff_model::uses::{DriveUse, Need};
use bakeoff_model::verdict::{
    Analysis, Effect, Rounds, Standing, TwinDifference, Verdict, WorkloadVerdict,
};

use bakeoff_model::wear::{RankedBy, WearFigure, WearVerdict};

const DOC: &str = include_str!("../../../../../../docs/format.md");

fn missing<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    names.into_iter().filter(|name| !DOC.contains(&format!("`{name}`"))).collect()
}

#[test]
fn every_stored_key_is_documented() {
    let mut found = BTreeSet::new();
    keys(&serde_json::to_value(sample::events()).expect("plain data serialises"), &mut found);
    keys(&serde_json::to_value(sample::head()).expect("plain data serialises"), &mut found);
    let seal =
        serde_json::from_str(&crate::bundle::Sealer::default().seal()).expect("our own line");
    keys(&seal, &mut found);
    assert!(found.len() > 150, "the sample has lost its fields: {found:?}");
    assert_eq!(missing(found.iter().map(String::as_str)), Vec::<&str>::new());
}

/// Fails to compile when a kind is added, so that the sample and the page get it too.
fn kind(what: &What) -> usize {
    match what {
        What::Started(_) => 0,
        What::Rehearsed(_) => 1,
        What::Owned(_) => 2,
        What::Found(_) => 3,
        What::StepPlanned(_) => 4,
        What::StepDone(_) => 5,
        What::StepUndone { .. } => 6,
        What::BlockStarted { .. } => 7,
        What::Sentinel { .. } => 8,
        What::VisitStarted { .. } => 9,
        What::CellDone(_) => 10,
        What::CellInvalid { .. } => 11,
        What::BlockDone { .. } => 12,
        What::BlockSuperseded { .. } => 13,
        What::Looked { .. } => 14,
        What::Stopped { .. } => 15,
        What::Extended { .. } => 16,
        What::Watching(_) => 17,
        What::Ceilings(_) => 18,
        What::Surveyed { .. } => 19,
        What::Verified { .. } => 20,
        What::DrivesTold { .. } => 21,
        What::PreconditionRound(_) => 22,
        What::Preconditioned { .. } => 23,
        What::PooledControls(_) => 24,
        What::PreconditionStarted { .. } => 25,
        What::Marked { .. } => 26,
        What::EarlierFigures(_) => 27,
        What::Calibrated(_) => 28,
        What::Filled(_) => 29,
        What::FitMeasured(_) => 30,
    }
}

/// The same for changes.
fn action(action: &Action) -> usize {
    match action {
        Action::Run { .. } => 0,
        Action::MakeScratch { .. } => 1,
        Action::Fill { .. } => 2,
        Action::AttachLoop { .. } => 3,
        Action::Mount { .. } => 4,
        Action::RunWithKey { .. } => 5,
        Action::Overwrite { .. } => 6,
        Action::SetKnob { .. } => 7,
        Action::AddUdevRule { .. } => 8,
    }
}

/// The same for ways back.
fn undo(undo: &Undo) -> usize {
    match undo {
        Undo::RemoveOurScratch { .. } => 0,
        Undo::RemoveMountPoints => 1,
        Undo::UnmountOurs { .. } => 2,
        Undo::DetachMarkedLoop => 3,
        Undo::RemoveVolume(_) => 4,
        Undo::RestoreKnob { .. } => 5,
        Undo::KeepKnob { .. } => 6,
        Undo::RemoveOurRule => 7,
        Undo::RestoreSaved { .. } => 8,
        Undo::Unknown(_) => 9,
    }
}

#[test]
fn the_sample_has_every_kind_of_event_and_change() {
    let events = sample::events();
    let kinds: BTreeSet<_> = events.iter().map(|e| kind(&e.what)).collect();
    assert_eq!(kinds, (0..31).collect());
    let steps = events.iter().filter_map(|e| {
        let What::StepPlanned(step) = &e.what else { return None };
        Some(step)
    });
    let steps: Vec<&Step> = steps.collect();
    let actions: BTreeSet<_> = steps.iter().map(|step| action(&step.action)).collect();
    assert_eq!(actions, (0..9).collect());
    let undos: BTreeSet<_> = steps.iter().filter_map(|s| s.undo.as_ref()).map(undo).collect();
    assert_eq!(undos, (0..10).collect());
}

/// A lead with a value in every field.
fn lead() -> Lead {
    let name = || "/mnt/usb".to_string();
    let excluded = Excluded { candidate: name(), reason: NotRanked::CacheUnknown, cells: 2, of: 5 };
    let stalls = TrimmedStalls { candidate: name(), number: 3, longest_ns: 1, share: 0.06 };
    Lead {
        leader: Some("ext4".into()),
        lead_ln: Some(0.1),
        interval: Some(Span { low_ln: 0.1, high_ln: 0.3 }),
        closest: Some(name()),
        estimate_ln: Some(0.2),
        clearly: true,
        equals: vec!["ext4".into()],
        behind: vec![Behind { candidate: name(), at_least: 0.1 }],
        rivals: vec![Rival { candidate: name(), at_most: 0.1 }],
        excluded: vec![excluded],
        stalls: vec![stalls],
        more: Some(More { time_ns: 1, blocks: 2, lead_ln: 0.15 }),
        blocks: 5,
        margin: 0.1,
        holds_for_all: true,
        refusal: Some(Refusal::TooFewBlocks { complete: 1, needed: 3 }),
    }
}

fn recommendation() -> Recommendation {
    let regret = Regret {
        workload: "read-1m".into(),
        behind: None,
        at_most: 0.3,
        at_least: 0.1,
        estimate: 0.2,
    };
    let best = BestFor { candidate: "ext4".into(), workloads: vec!["read-1m".into()] };
    let effect =
        Effect { a: "ext2".into(), b: "ext4".into(), ratio: 1.5, low: 1.4, high: 1.6, blocks: 8 };
    let ruled_out = RuledOut {
        candidate: "ext2".into(),
        lacks: vec![Need::CrashProtection],
        faster: Some(effect),
        workload: Some("read-1m".into()),
    };
    Recommendation {
        drive_use: DriveUse::Boot,
        ruled_out: vec![ruled_out],
        undecided: vec!["xfs".into()],
        candidate: "ext4".into(),
        regrets: vec![regret],
        greatest_regret: 0.3,
        left_out: vec!["write-4k".into()],
        gives_up: vec![GivesUp::Journal],
        keep: vec!["xfs".into()],
        exchange: Some("exfat".into()),
        within_margin: vec!["/mnt/usb".into()],
        alternatives: vec![best],
    }
}

fn factors() -> Factors {
    let ratio = FactorRatio { ratio: 1.3, low: 1.2, high: 1.4 };
    let (fast, slow) = ("none".to_string(), "bfq".to_string());
    let outcome = FactorOutcome::Matters;
    let interaction = FactorInteraction {
        factor: CandidateFactor::Scheduler,
        by: CandidateFactor::Filesystem,
        outcome,
        fast: fast.clone(),
        slow: slow.clone(),
        at: ["ext4".into(), "xfs".into()],
        ratios: [1.5, 1.1],
        ratio,
    };
    Factors {
        workload: "read-1m".into(),
        blocks: 5,
        margin: 0.03,
        effects: vec![FactorEffect {
            factor: CandidateFactor::Scheduler,
            outcome,
            fast,
            slow,
            ratio,
        }],
        interactions: vec![interaction],
    }
}

fn wear() -> WearVerdict {
    let figure = |candidate: &str, bytes_per_byte| WearFigure {
        candidate: candidate.to_string(),
        bytes_per_byte,
        min: bytes_per_byte,
        max: bytes_per_byte,
        flushes_per_mb: Some(20.0),
        blocks: 5,
    };
    let (a, b) = ("/mnt/usb".to_string(), "ext4".to_string());
    let more = Effect { a, b, ratio: 2.0, low: 1.9, high: 2.1, blocks: 5 };
    WearVerdict { figures: vec![figure("ext4", 1.4), figure("/mnt/usb", 2.8)], more: vec![more] }
}

fn verdict() -> WorkloadVerdict {
    let effect = Effect {
        a: "ext4".into(),
        b: "/mnt/usb".into(),
        ratio: 1.5,
        low: 1.4,
        high: 1.6,
        blocks: 5,
    };
    let standing = Standing {
        candidate: "ext4".into(),
        mean: 1500.0,
        min: 1490.0,
        max: 1510.0,
        cells: 5,
        sd_log: 0.01,
        p99_ns: Some(3e6),
        dropped_after: Some(5),
    };
    WorkloadVerdict {
        workload: "read-1m".into(),
        metric: "bandwidth".into(),
        verdict: Verdict::Fastest,
        winner: Some("ext4".into()),
        tiers: vec![vec!["ext4".into()], vec!["/mnt/usb".into()]],
        effects: vec![effect],
        standings: vec![standing],
        held_back: vec![Bottleneck {
            candidate: "ext4".into(),
            reason: Reason::proved(Cause::Cpu, "no lower layer was measured")
                .share(0.9)
                .subject("dm-crypt"),
            cells: 4,
            of: 5,
        }],
        rounds: Some(Rounds {
            figures: vec![Some(900.0), None],
            blocks: BlockIx::all(2).collect(),
            is_steady: false,
            is_over: false,
            mean: Some(900.0),
            range: Some(0.1),
            slope: Some(0.05),
            earlier: 3,
        }),
        findings: Vec::new(),
        twins: vec![TwinDifference {
            original: "ext4".into(),
            mean_ln: 0.01,
            low_ln: -0.01,
            high_ln: 0.03,
        }],
        resolve_ns: Some(1),
        wear: Some(wear()),
        lead: Some(lead()),
    }
}

fn beside() -> BesideEffect {
    BesideEffect {
        workload: "read-1m beside logs".into(),
        alone: Some("read-1m".into()),
        companion: "logs".into(),
        rate: 10,
        quantity: Some(BesideQuantity::Latency { quantile: "p99", of: "reads" }),
        candidates: vec![BesideChange {
            candidate: "ext4".into(),
            figures: Some((4e6, 8e6)),
            ratio: Some((2.0, 1.9, 2.1)),
            blocks: 5,
            companion_did: Some(9.9),
        }],
    }
}

fn use_change() -> UseChange {
    UseChange {
        workload: "read-1m".into(),
        candidate: "ext4 · 80% used".into(),
        state: UseState { fill_percent: 80, age: Age::Used },
        before: "ext4".into(),
        before_state: UseState::default(),
        ratio: 0.6,
        low: 0.5,
        high: 0.7,
        blocks: 5,
    }
}

/// An analysis with a value in every field.
fn analysis() -> Analysis {
    Analysis {
        blocks: 5,
        cells: 20,
        void_cells: 10,
        compares: true,
        verdicts: vec![verdict()],
        beside: vec![beside()],
        findings: Vec::new(),
        recommendation: Some(recommendation()),
        normal: Some(super::sample_normal::normal()),
        leaders: super::sample_normal::leaders(),
        factors: vec![factors()],
        wear: Some(wear()),
        by: RankedBy::Speed,
        use_changes: vec![use_change()],
    }
}

#[test]
fn every_column_and_output_key_is_documented() {
    assert_eq!(missing(crate::CSV_COLUMNS.iter().copied()), Vec::<&str>::new());
    let run = Run::fold(&sample::events()).expect("the sample folds");
    let mut found = BTreeSet::new();
    keys(&crate::json(&run, &analysis()), &mut found);
    for needed in ["effects", "standings", "sd_log", "void_cells", "recipe"] {
        assert!(found.contains(needed), "{needed} is not in the output");
    }
    assert_eq!(missing(found.iter().map(String::as_str)), Vec::<&str>::new());
}
