//! Verdicts and sentences on tables of rates: golden texts for each kind of answer.

use crate::answer::Answer;
use crate::{json_text, said};
use bakeoff_judge::analyse::{analyse, is_answered};
use bakeoff_judge::testing::{RunBuilder, disk_place};
use bakeoff_model::event::{CacheState, StopReason};
use bakeoff_model::finding::Finding;
use bakeoff_model::finding::{Scope, Severity};
use bakeoff_model::host::{Place, PlaceClass};
use bakeoff_model::protocol::Mode;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Verdict;
use bakeoff_model::workloads;
use bakeoff_stats::prng::SplitMix64;
use proptest::prelude::*;

/// Noise of one cell: about normal with standard deviation 1, the same in every run.
fn deviate(block: u32, candidate: u16, workload: u16) -> f64 {
    let words = [block.into(), candidate.into(), workload.into()];
    let mut g = SplitMix64::derive(6, &words);
    (0..12).map(|_| g.below(1 << 40) as f64 / (1u64 << 40) as f64).sum::<f64>() - 6.0
}

/// Candidate c runs at `rates[c]`.
fn steady(rates: &'static [f64], noise: f64) -> impl Fn(u32, u16, u16) -> f64 {
    move |b, c, w| rates[usize::from(c)] * libm::exp(noise * deviate(b, c, w))
}

/// Everything that is said about a run.
fn told(run: &Run) -> String {
    let analysis = analyse(run);
    let mut lines = vec![Answer::new(run, &analysis).choice.said];
    for v in &analysis.verdicts {
        lines.push(format!("{} [{}]", v.workload, v.verdict.name()));
        lines.push(said::sentence(run, v));
    }
    lines.extend(Answer::new(run, &analysis).everything_to_know().iter().map(|a| format!("> {a}")));
    let finding = |f: &Finding| {
        let about = [&f.workload, &f.candidate].map(|x| x.as_deref().unwrap_or("-").to_string());
        format!("{} {} {}: {}", f.severity.letter(), f.id, about.join(" "), f.evidence)
    };
    lines.extend(analysis.findings.iter().map(finding));
    lines.join("\n")
}

#[test]
fn a_winner() {
    let run = RunBuilder::stacks(&["ext4", "f2fs"]).play(99, steady(&[1000.0, 1060.0], 0.01));
    insta::assert_snapshot!(told(&run.build()));
}

#[test]
fn a_winner_by_less_than_counts() {
    let run = RunBuilder::stacks(&["ext4", "f2fs"]).play(99, steady(&[1000.0, 1012.0], 0.003));
    insta::assert_snapshot!(told(&run.build()));
}

#[test]
fn a_tie_and_one_far_behind() {
    let rates = &[1000.0, 1001.0, 300.0];
    let run = RunBuilder::stacks(&["xfs", "ext4", "ntfs-3g"]).play(99, steady(rates, 0.005));
    insta::assert_snapshot!(told(&run.build()));
}

#[test]
fn too_few_blocks() {
    let run = RunBuilder::stacks(&["xfs", "ext4"]).play(3, steady(&[1000.0, 1001.0], 0.005));
    insta::assert_snapshot!(told(&run.stopped(StopReason::Interrupted, "Ctrl-C").build()));
}

#[test]
fn more_blocks_would_tell() {
    let run = RunBuilder::stacks(&["xfs", "ext4"]).play(5, steady(&[1000.0, 1015.0], 0.012));
    insta::assert_snapshot!(told(&run.stopped(StopReason::Interrupted, "Ctrl-C").build()));
}

#[test]
fn more_blocks_would_not_tell() {
    let run = RunBuilder::stacks(&["xfs", "ext4"]).play(99, steady(&[1000.0, 1015.0], 0.15));
    insta::assert_snapshot!(told(&run.build()));
}

#[test]
fn a_refusal() {
    let finding = |id: &str| Finding {
        id: id.to_string(),
        severity: Severity::Error,
        scope: Scope::Stack,
        workload: None,
        candidate: None,
        evidence: format!("evidence of {id}"),
        advice: format!("do what mends {id}"),
    };
    let one = RunBuilder::stacks(&["xfs", "ext4"]).finding(finding("L53"));
    let two = one.clone().finding(finding("L56")).play(99, steady(&[1000.0, 1200.0], 0.01));
    insta::assert_snapshot!(told(&two.build()));
    let one = analyse(&one.play(99, steady(&[1000.0, 1200.0], 0.01)).build());
    assert_eq!(one.verdicts[0].verdict, Verdict::Fastest, "one E is said beside the verdict");
    assert_eq!(one.verdicts[0].findings.len(), 1);
}

#[test]
fn one_place_alone() {
    let run = RunBuilder::directories(&["/home"]).workloads(&workloads::QUICK);
    let run = run.play(99, steady(&[5e6], 0.02)).build();
    insta::assert_snapshot!(told(&run));
    assert!(is_answered(&run, &analyse(&run)));
}

/// ext4, btrfs on an encrypted drive, and tmpfs.
fn three_places() -> RunBuilder {
    let mut usb = disk_place("ext4", "/mnt/usb", "sdb");
    usb.options = vec!["rw".to_string(), "noatime".to_string()];
    usb.chain[1].link = Some("USB 480 Mb/s".into());
    RunBuilder::directories(&["/home", "/mnt/usb", "/dev/shm"])
        .place(0, |p| p.fs = "btrfs".to_string())
        .place(1, |p| *p = usb)
        .place(2, |p| {
            *p = Place {
                class: PlaceClass::Memory,
                fs: "tmpfs".to_string(),
                chain: Vec::new(),
                ..p.clone()
            }
        })
}

#[test]
fn places_and_memory() {
    let run = three_places().workloads(&["randwrite", "seqread"]).cells(|c| {
        if c.candidate.number() == 2 && c.measurement.read.is_some() {
            c.truth.cache = CacheState::Unknown;
            c.truth.device_read_bytes = None;
        }
    });
    let rate = |b, c: u16, w: u16| {
        let rates = if w == 0 { [900.0, 700.0, 300e3] } else { [400e6, 35e6, 9e9] };
        rates[usize::from(c)] * libm::exp(0.02 * deviate(b, c, w))
    };
    insta::assert_snapshot!(told(&run.play(99, rate).build()));
}

#[test]
fn it_depends_on_the_workload() {
    let run = RunBuilder::stacks(&["ext4", "f2fs", "ext2"]).workloads(&workloads::DEMO);
    let rate = |b, c: u16, w: u16| {
        let fast = [1.0, [1.3, 1.4, 1.0, 0.8, 1.0][usize::from(w)], 0.5][usize::from(c)];
        10e6 * fast * libm::exp(0.004 * deviate(b, c, w))
    };
    insta::assert_snapshot!(told(&run.play(99, rate).build()));
}

#[test]
fn alone_certain_but_not_with_all_others() {
    let run = RunBuilder::stacks(&["ext4", "f2fs"]).workloads(&workloads::DEMO);
    let run = run.header(|h| (h.protocol.looks, h.protocol.alphas) = (vec![5], vec![0.01]));
    let rate = |b, c: u16, w: u16| {
        10e6 * if c == 1 { 1.04 } else { 1.0 } * libm::exp(0.008 * deviate(b, c, w))
    };
    insta::assert_snapshot!(told(&run.play(99, rate).build()));
}

#[test]
fn quick_and_demo_end_in_fastest_and_in_as_fast_on_clean_input() {
    let quick = RunBuilder::directories(&["/a", "/b"]).workloads(&workloads::QUICK);
    let demo = RunBuilder::stacks(&["ext4", "xfs"]).workloads(&workloads::DEMO);
    for (builder, mode) in [(quick, Mode::Quick), (demo.clone(), Mode::Quick), (demo, Mode::Decide)]
    {
        for (rates, verdict) in
            [(&[10e6, 10e6], Verdict::AsFast), (&[10e6, 13e6], Verdict::Fastest)]
        {
            let run = builder.clone().mode(mode).play(99, steady(rates, 0.006)).build();
            let analysis = analyse(&run);
            assert!(analysis.findings.is_empty(), "{:?}", analysis.findings);
            for v in &analysis.verdicts {
                assert_eq!(v.verdict, verdict, "{}", said::sentence(&run, v));
            }
            assert!(is_answered(&run, &analysis));
        }
    }
}

#[test]
fn the_demo_says_what_it_ranks() {
    let run = RunBuilder::stacks(&["ext4", "xfs"]).play(99, steady(&[10e6, 13e6], 0.01)).build();
    let analysis = analyse(&run);
    let words = "ranks filesystem software on an image file on this drive";
    assert!(
        Answer::new(&run, &analysis).everything_to_know().iter().any(|said| said.contains(words))
    );
}

#[test]
fn analysing_again_gives_the_same_bytes() {
    let run = || {
        let run = three_places().workloads(&workloads::QUICK).seed(9);
        run.play(99, steady(&[3e6, 3.1e6, 9e6], 0.03)).build()
    };
    let bytes = |run: &Run| json_text(run, &analyse(run));
    assert_eq!(bytes(&run()), bytes(&run()));
}

#[test]
fn nothing_measured_is_no_answer() {
    let run = RunBuilder::stacks(&["ext4", "xfs"]).build();
    let analysis = analyse(&run);
    assert_eq!((analysis.blocks, analysis.cells), (0, 0));
    assert!(!is_answered(&run, &analysis));
    assert_eq!(analysis.verdicts[0].verdict, Verdict::Refused);
    let run = RunBuilder::directories(&["/a"]).build();
    assert!(!is_answered(&run, &analyse(&run)));
}

#[test]
fn every_cell_thrown_away_is_no_claim() {
    let run = RunBuilder::directories(&["/a", "/b"]);
    let run = run.cells(|c| c.truth.suspended_ns = 9_000_000_000);
    let run = run.play(3, steady(&[1e3, 1e3], 0.01)).build();
    let analysis = analyse(&run);
    assert_eq!((analysis.cells, analysis.void_cells), (0, 6));
    assert_eq!(analysis.verdicts[0].verdict, Verdict::Refused);
    assert!(!is_answered(&run, &analysis));
}

/// Reads that all came from memory were "no valid cell yet", and held back by other processes.
#[test]
fn one_candidate_without_a_cell_that_counts_says_why() {
    let run = RunBuilder::directories(&["/a"]).cells(|c| c.truth.suspended_ns = 9_000_000_000);
    let run = run.play(3, steady(&[1e3], 0.01)).build();
    let analysis = analyse(&run);
    let said = said::sentence(&run, &analysis.verdicts[0]);
    assert!(said.contains("every cell was discarded (last reason: the machine"), "{said}");
    let headline = Answer::new(&run, &analysis).choice.said;
    assert_eq!(headline, "No result for /a: every measurement was discarded.");
}

#[test]
fn the_shorter_latency_wins_and_stands_in_its_own_unit() {
    let latency = |h: &mut bakeoff_model::event::Header| {
        h.workloads = bakeoff_model::profiles::find("desktop");
    };
    let run = RunBuilder::stacks(&["ext4", "f2fs"]).header(latency);
    let run = run.play(99, steady(&[30e6, 10e6], 0.01)).build();
    let analysis = analyse(&run);
    let verdict = &analysis.verdicts[0];
    assert_eq!((verdict.winner.as_deref(), verdict.metric.as_str()), (Some("f2fs"), "latency_p99"));
    let best = &verdict.standings[0];
    assert!(best.candidate == "f2fs" && best.min <= best.mean && best.mean <= best.max);
    assert!((best.mean / 10e6 - 1.0).abs() < 0.05, "{}", best.mean);
    assert!((verdict.effects[0].ratio - 3.0).abs() < 0.2, "three times as fast");
    insta::assert_snapshot!(told(&run));
}

#[test]
fn a_latency_with_nothing_to_compare_is_told_from_the_shortest_to_the_longest() {
    let run = RunBuilder::directories(&["/a"]).header(|h| {
        h.workloads = bakeoff_model::profiles::find("desktop");
    });
    let run = run.play(99, |b, _, _| 10e6 + 1e6 * f64::from(b)).build();
    let sentence = said::sentence(&run, &analyse(&run).verdicts[0]);
    assert!(sentence.contains("(10.0 ms to 12.0 ms in 3 blocks)"), "{sentence}");
}

#[test]
fn transactions_a_second_by_part() {
    let run = RunBuilder::stacks(&["ext4", "xfs"]).header(|h| {
        h.workloads = bakeoff_model::profiles::find("sqlite");
    });
    let rates = |b, c, w| {
        [300.0, 900.0][usize::from(w)]
            * (1.0 + 0.2 * f64::from(c))
            * libm::exp(0.01 * deviate(b, c, w))
    };
    insta::assert_snapshot!(told(&run.play(99, rates).build()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_text_is_harmless(means in prop::collection::vec(-0.1..0.1f64, 2..=4), noise in 0.0..0.05f64) {
        let rate = |block, candidate, workload| {
            let deviate = noise * deviate(block, candidate, workload);
            1e6 * libm::exp(means[usize::from(candidate)] + deviate)
        };
        let names = &["ext4", "xfs", "btrfs", "f2fs"][..means.len()];
        let run = RunBuilder::stacks(names).mode(Mode::Quick).play(99, rate).build();
        let analysis = analyse(&run);
        let mut texts = Answer::new(&run, &analysis).everything_to_know();
        texts.extend(analysis.verdicts.iter().map(|v| said::sentence(&run, v)));
        texts.push(Answer::new(&run, &analysis).choice.said);
        for text in texts {
            let bad = ["NaN", "inf"].iter().any(|word| text.contains(word));
            prop_assert!(!bad, "{text}");
            prop_assert!(!text.chars().any(char::is_control), "{text}");
        }
    }
}
