//! Made runs: alike, unlike, with answers that hold and with answers that do not.

use serde_json::Value;

use crate::{ComparisonParts, compare_json};
use bakeoff_judge::analyse::analyse;
use bakeoff_judge::compare::differences::LeftOut;
use bakeoff_judge::compare::{Compared, compare};
use bakeoff_judge::testing::{RunBuilder, too_fast};
use bakeoff_model::difference::Factor;
use bakeoff_model::event::Header;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Analysis, Verdict};

/// Two stacks, the first at `ratio` times the second, with a little noise, as run `id`.
fn run(id: &str, ratio: f64, change: impl FnOnce(&mut Header)) -> (Run, Analysis) {
    named(id, &["ext4", "xfs"], ratio, change)
}

fn named(
    id: &str,
    names: &[&str],
    ratio: f64,
    change: impl FnOnce(&mut Header),
) -> (Run, Analysis) {
    let run = RunBuilder::stacks(names)
        .header(|h| {
            h.run = format!("{id:0<16}");
            for disk in &mut h.region.as_mut().unwrap().place.chain {
                disk.serial = Some("S1".to_string());
            }
            change(h);
        })
        .play(27, |block, candidate, _| {
            let noise = 1.0 + 0.004 * f64::from((block * 7 + u32::from(candidate) * 3) % 5);
            let is_first =
                usize::from(candidate) == names.iter().position(|n| *n == "ext4").unwrap();
            2000.0 * noise * if is_first { ratio } else { 1.0 }
        })
        .build();
    let analysis = analyse(&run);
    (run, analysis)
}

fn kernel(version: &str) -> impl FnOnce(&mut Header) {
    move |h| h.host.kernel = version.to_string()
}

fn serial(number: &str) -> impl FnOnce(&mut Header) {
    move |h| h.region.as_mut().unwrap().place.chain[1].serial = Some(number.to_string())
}

/// What programs are told.
fn told(compared: &Compared) -> Value {
    let of = ComparisonParts { compared: Some(compared), ..ComparisonParts::default() };
    serde_json::from_str(&compare_json(&of)).unwrap()
}

fn headline(compared: &Compared) -> String {
    told(compared)["headline"].as_str().unwrap().to_string()
}

#[test]
fn a_winner_that_holds_under_two_kernels_is_told() {
    let runs = [run("a1", 1.3, kernel("6.6.1")), run("b2", 1.8, kernel("6.12.1"))];
    let compared = compare(&runs, Some(Factor::Kernel));
    assert!(compared.is_alike && compared.is_answered(), "{compared:?}");
    assert_eq!(compared.answers[0].winner.as_deref(), Some("ext4"));
    let is_ahead = "kernel (6.6.1 and 6.12.1) only: ext4 is ahead on randwrite in each.";
    assert!(headline(&compared).ends_with(is_ahead), "{}", headline(&compared));
    let row = &compared.answers[0].effects[0];
    assert_eq!((row.a.as_str(), row.is_same), ("ext4", Some(false)), "{row:?}");
    let ratios = &compared.answers[0].figures[0].ratios;
    assert!((ratios[1].unwrap() - 1.8 / 1.3).abs() < 0.02, "{ratios:?}");
}

#[test]
fn runs_that_are_not_alike_are_not_ranked_and_what_differs_is_named() {
    let runs = [run("a1", 1.3, kernel("6.6.1")), run("b2", 1.3, kernel("6.12.1"))];
    let compared = compare(&runs, None);
    assert!(!compared.is_alike && !compared.is_answered());
    assert_eq!(compared.answers[0].verdict, Verdict::Refused);
    assert!(compared.answers[0].winner.is_none());
    assert!(headline(&compared).contains("kernel (6.6.1 and 6.12.1)"));
    let ids: Vec<&str> = compared.findings.iter().map(|f| f.id.as_str()).collect();
    assert_eq!(ids, ["runs-differ"]);
    let note = told(&compared)["notes"][0].as_str().unwrap().to_string();
    assert!(note.ends_with("compare a1000000 b2000000 --across kernel"), "{note}");
    let row = &compared.answers[0];
    assert!(row.figures.iter().flat_map(|r| &r.ratios).all(Option::is_none), "no ratio either");
    assert_eq!(row.effects[0].is_same, None);
}

#[test]
fn across_one_factor_another_is_refused_by_name() {
    let moved = |h: &mut Header| {
        kernel("6.12.1")(h);
        serial("S2")(h);
    };
    let runs = [run("a1", 1.3, kernel("6.6.1")), run("b2", 1.3, moved)];
    for (factor, named) in
        [(Factor::Kernel, "serial number (S1 and S2)"), (Factor::Device, "kernel (")]
    {
        let compared = compare(&runs, Some(factor));
        let headline = headline(&compared);
        assert!(headline.starts_with("Not ranked") && headline.contains(named), "{headline}");
        assert!(told(&compared)["notes"].to_string().contains("--across board"));
    }
    assert!(compare(&runs, Some(Factor::Board)).is_alike, "a board has its kernel and its drives");
}

#[test]
fn each_factor_may_differ_when_it_is_named() {
    let host = |h: &mut Header| {
        h.host.hostname = "other".to_string();
        h.host.mem_total_bytes = 8 << 30;
        h.host.settings = vec![("vm.dirty_ratio".to_string(), "20".to_string())];
    };
    let device = |h: &mut Header| {
        serial("S2")(h);
        let region = h.region.as_mut().unwrap();
        region.start_bytes = 1 << 20;
        region.place.chain[1].link = Some("USB 480 Mb/s".into());
    };
    let one = || run("a1", 1.3, |_| {});
    let other = [
        (Factor::Board, run("b2", 1.3, host)),
        (Factor::Device, run("b2", 1.3, device)),
        (Factor::Kernel, run("b2", 1.3, kernel("6.13"))),
    ];
    for (factor, other) in other {
        let runs = [one(), other];
        for across in Factor::ALL.iter().copied() {
            let compared = compare(&runs, Some(across));
            let is_allowed = across == factor || across == Factor::Board;
            assert_eq!(compared.is_alike, is_allowed, "{factor:?} {across:?}: {compared:?}");
        }
        assert!(!compare(&runs, None).is_alike);
    }
}

#[test]
fn what_was_measured_has_to_be_the_same_whatever_the_factor() {
    let one = || run("a1", 1.3, |_| {});
    type Change = fn(&mut Header);
    let changes: [(&str, Change); 5] = [
        ("workload randwrite: bs", |h| h.workloads[0].job.bs = 8192),
        ("ext4: mount", |h| match &mut h.candidates[0].kind {
            bakeoff_model::candidate::Kind::Stack(s) => s.mount = vec!["noatime".to_string()],
            bakeoff_model::candidate::Kind::Directory { .. } => {}
        }),
        ("mode", |h| h.protocol.mode = bakeoff_model::protocol::Mode::Precise),
        ("size of the region", |h| h.region.as_mut().unwrap().size_bytes = 8 << 30),
        ("filesystem of region", |h| h.region.as_mut().unwrap().place.fs = "xfs".to_string()),
    ];
    for (what, change) in changes {
        for factor in Factor::ALL.iter().copied() {
            let compared = compare(&[one(), run("b2", 1.3, change)], Some(factor));
            assert!(
                !compared.is_alike && headline(&compared).contains(what),
                "{what}: {compared:?}"
            );
        }
    }
}

#[test]
fn a_drive_that_came_back_under_another_name_is_the_same_drive() {
    let renamed = |h: &mut Header| {
        let chain = &mut h.region.as_mut().unwrap().place.chain;
        chain[0].name = "sdb1".to_string();
        chain[1].name = "sdb".to_string();
        h.host.mem_total_bytes += 10 << 20;
    };
    let compared = compare(&[run("a1", 1.3, |_| {}), run("b2", 1.3, renamed)], None);
    assert!(compared.is_alike, "{:?}", compared.differences);
}

#[test]
fn two_winners_are_no_answer() {
    let runs = [run("a1", 1.3, kernel("6.6.1")), run("b2", 0.7, kernel("6.12.1"))];
    let compared = compare(&runs, Some(Factor::Kernel));
    let answer = &compared.answers[0];
    assert_eq!((answer.verdict, &answer.winner), (Verdict::Refused, &None));
    assert_eq!(answer.findings[0].id, "L42");
    assert!(headline(&compared).contains("randwrite has more than one winner"));
}

#[test]
fn ties_hold_together_and_one_open_run_leaves_it_open() {
    let tie = |id| run(id, 1.0, |_| {});
    let compared = compare(&[tie("a1"), tie("b2"), tie("c3")], None);
    assert_eq!(compared.answers[0].verdict, Verdict::AsFast);
    assert!(headline(&compared).contains("the best candidates are equally fast on randwrite"));
    let compared = compare(&[tie("a1"), run("b2", 1.3, |_| {})], None);
    assert_eq!(compared.answers[0].verdict, Verdict::Leads);
    assert!(headline(&compared).contains("randwrite is still without a winner"));
}

#[test]
fn what_not_all_runs_have_is_left_out_by_name() {
    let runs = [
        named("a1", &["ext4", "xfs", "btrfs"], 1.3, |_| {}),
        named("b2", &["xfs", "ext4"], 1.3, |_| {}),
    ];
    let compared = compare(&runs, None);
    assert_eq!(compared.left_out, [LeftOut { name: "btrfs".to_string(), run: 0 }]);
    assert_eq!(told(&compared)["left_out"][0], "btrfs (in a1000000)");
    assert!(compared.is_alike, "{:?}", compared.differences);
    let row = &compared.answers[0].effects[0];
    assert_eq!((row.a.as_str(), row.b.as_str()), ("ext4", "xfs"));
    let ratios: Vec<f64> = row.runs.iter().map(|e| e.unwrap().ratio).collect();
    assert!(ratios.iter().all(|r| (r / 1.3 - 1.0).abs() < 0.02), "{ratios:?}");
    let only =
        [named("a1", &["ext4", "xfs"], 1.3, |_| {}), named("b2", &["ext4", "f2fs"], 1.0, |_| {})];
    let none = compare(&only, None);
    assert!(none.answers.is_empty() && headline(&none).contains("no ranking"));
}

#[test]
fn more_runs_have_wider_intervals_each() {
    let of = |n: usize| {
        let runs: Vec<_> = (0..n).map(|i| run(&format!("a{i}"), 1.3, |_| {})).collect();
        let compared = compare(&runs, None);
        let effect = compared.answers[0].effects[0].runs[0].unwrap();
        effect.high / effect.low
    };
    assert!(of(8) > of(2), "a statement over eight runs is wrong as soon as one is");
}

#[test]
fn a_run_that_may_not_speak_silences_all() {
    let mut runs = [run("a1", 1.3, |_| {}), run("b2", 1.3, |_| {})];
    runs[1].1.verdicts[0].findings.push(too_fast());
    let compared = compare(&runs, None);
    assert_eq!(compared.answers[0].verdict, Verdict::Refused);
    let said = told(&compared)["answers"][0]["runs"][1]["forbidden"].to_string();
    assert!(said.contains("faster than the wire (L15)"), "{said}");
}
