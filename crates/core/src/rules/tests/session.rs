//! Rules over a whole run.

use super::*;
use crate::model::candidate::{Crypt, Kind};
use crate::model::event::{Position, What};
use crate::model::job::{Job, Rw};
use crate::model::precondition::{End, Round};
use crate::model::protocol::Mode;
use crate::model::telemetry::{Gauge, Telemetry};
use crate::prng::SplitMix64;
use crate::simulate::disk::Normal;
use crate::testing::RunBuilder;

/// Noise of one percent, another one for every cell.
fn noise(block: u32, candidate: u16, workload: u16) -> f64 {
    let words = [block.into(), candidate.into(), workload.into()];
    0.01 * Normal(SplitMix64::derive(23, &words)).deviate()
}

fn at(rates: &'static [f64]) -> impl Fn(u32, u16, u16) -> f64 {
    move |b, c, w| rates[usize::from(c)] * libm::exp(noise(b, c, w))
}

fn has(id: &str, run: &Run) -> bool {
    told(&analyse(run).findings, id).is_some()
}

/// A run of five blocks whose sentinel reads `sentinel(block)` bytes a second.
fn sentinels(sentinel: impl Fn(u32) -> f64) -> Run {
    let mut builder = RunBuilder::stacks(&["a", "b"]);
    for block in 0..8 {
        let order = if block % 2 == 0 { vec![0, 1] } else { vec![1, 0] };
        builder.block(order, &mut at(&[1000.0, 1000.0]));
        builder.push(What::Sentinel { block, bytes_per_s: sentinel(block) });
    }
    builder.build()
}

#[test]
fn l35_a_disk_that_slows_down_and_one_that_scatters() {
    assert!(has("L35", &sentinels(|b| 90e6 * (1.0 - 0.012 * f64::from(b)))));
    assert!(!has("L35", &sentinels(|b| 90e6 * (1.0 - 0.004 * f64::from(b)))), "3 % in all");
    assert!(!has("L35", &sentinels(|b| 90e6 * if b % 2 == 0 { 1.0 } else { 0.9 })));
}

#[test]
fn l51_rates_that_follow_the_heat() {
    // The hotter, the slower: 1 % for each of the eight degrees.
    let follows = RunBuilder::stacks(&["a", "b"]).cells(|c| {
        let mc = 60_000 + 1000 * u64::from(c.block);
        let gauge = Gauge { name: "cpu-thermal".to_string(), most: None, values: vec![mc] };
        let telemetry = Telemetry { temperature_mc: vec![gauge], ..Telemetry::default() };
        c.telemetry = Some(Box::new(telemetry));
    });
    let slower = |b: u32, c, w| at(&[1000.0; 2])(b, c, w) * libm::exp(-0.02 * f64::from(b));
    assert!(has("L51", &follows.clone().play(8, slower).build()));
    assert!(!has("L51", &follows.clone().play(8, at(&[1000.0; 2])).build()));
    // Only visits to drives can wait for longer.
    let advice = |run: &Run| told(&analyse(run).findings, "L51").unwrap().advice;
    let mut run = follows.play(8, slower).build();
    assert!(advice(&run).contains("bakeoff watch"), "{}", advice(&run));
    run.header.region.as_mut().unwrap().is_image = false;
    assert!(advice(&run).contains("cool_limit_s = 300"), "{}", advice(&run));
}

#[test]
fn advice_about_drift_and_about_new_filesystems_names_what_to_type() {
    let drifts = sentinels(|b| 90e6 * (1.0 - 0.012 * f64::from(b)));
    let advice = |run: &Run, id| told(&analyse(run).findings, id).unwrap().advice;
    assert!(advice(&drifts, "L35").contains("bakeoff check"));
    assert!(advice(&twins(0.03, 0.0), "L67").contains("bakeoff quick DIR"));
}

/// A precise run of `a`, `b` and a twin of `a` that is `off` away from it.
fn twins(lead: f64, off: f64) -> Run {
    let rate = move |b, c: u16, w| {
        let speed = [1.0, 1.0 + lead, 1.0 + off][usize::from(c)];
        1000.0 * speed * libm::exp(0.1 * noise(b, c, w))
    };
    RunBuilder::stacks(&["a", "b", "a again"])
        .header(|h| h.candidates[2].twin_of = Some("a".to_string()))
        .mode(Mode::Precise)
        .play(5, rate)
        .build()
}

#[test]
fn l40_a_lead_smaller_than_a_twin_has_over_itself() {
    assert!(has("L40", &twins(0.01, 0.02)) && !has("L40", &twins(0.03, 0.02)));
}

#[test]
fn l67_published_figures_of_new_filesystems() {
    assert!(has("L67", &twins(0.03, 0.0)));
    assert!(!has("L67", &RunBuilder::stacks(&["a", "b"]).play(5, at(&[1.0, 1.1])).build()));
}

#[test]
fn l41_three_at_the_link_and_two() {
    let run = |rates: &'static [f64]| {
        let mut builder = RunBuilder::directories(&["/a", "/b", "/c"]).workloads(&["seqread"]);
        for i in 0..3 {
            builder = builder.place(i, |p| p.chain[1].link = Some("USB 480 Mb/s".to_string()));
        }
        builder.play(5, at(rates)).build()
    };
    assert!(has("L41", &run(&[52e6, 52.2e6, 52.1e6])));
    assert!(!has("L41", &run(&[52e6, 52.2e6, 45e6])) && !has("L41", &run(&[40e6; 3])));
}

#[test]
fn l42_another_winner_on_another_workload() {
    let run = |second: f64| {
        let rate = move |b, c: u16, w: u16| {
            let fast = [[1.0, 1.3], [1.0, second]][usize::from(w)][usize::from(c)];
            1e4 * fast * libm::exp(noise(b, c, w))
        };
        RunBuilder::stacks(&["a", "b"]).workloads(&["randwrite", "randread"]).play(5, rate).build()
    };
    assert!(has("L42", &run(0.7)) && !has("L42", &run(1.4)));
}

#[test]
fn l43_encryption_that_makes_it_faster() {
    let run = |encrypted: f64| {
        let rate = move |b, c: u16, w| {
            1000.0 * if c == 1 { encrypted } else { 1.0 } * libm::exp(noise(b, c, w))
        };
        let builder = RunBuilder::stacks(&["ext4", "ext4, LUKS"]).header(|h| {
            let Kind::Stack(stack) = &mut h.candidates[1].kind else { panic!("a stack") };
            stack.crypt = Some(Crypt {
                kind: "luks2".to_string(),
                cipher: "aes-xts-plain64".to_string(),
                key_bits: 512,
                sector_size: Some(4096),
                no_read_workqueue: false,
                no_write_workqueue: false,
            });
        });
        builder.play(5, rate).build()
    };
    assert!(has("L43", &run(1.12)) && !has("L43", &run(0.7)) && !has("L43", &run(1.0)));
}

#[test]
fn methods_disagree_where_ranks_see_nothing() {
    // Twelve blocks: the mean is certain, the ranks are not, when the differences are mixed.
    let run = |wild: bool| {
        let mut builder = RunBuilder::stacks(&["a", "b"]);
        for block in 0..12u32 {
            let order = if block % 2 == 0 { vec![0, 1] } else { vec![1, 0] };
            let gap = match (wild, block) {
                (true, 0..=2) => -0.001,
                (true, _) => 0.004 + 0.001 * f64::from(block % 5),
                (false, _) => 0.02,
            };
            let rate = |_: u32, c: u16, _: u16| 1000.0 * if c == 0 { libm::exp(gap) } else { 1.0 };
            builder.block(order, &mut { rate });
        }
        builder.push(What::Looked { blocks: 12, dropped: vec![] });
        builder.build()
    };
    assert!(!has("methods-disagree", &run(false)));
    let mixed = run(true);
    let interval = &analyse(&mixed).verdicts[0].effects[0];
    assert_eq!(has("methods-disagree", &mixed), interval.low > 1.0 && ranks_see_nothing(&mixed));
}

fn ranks_see_nothing(run: &Run) -> bool {
    let table = crate::decide::table::Table::of(run, 12);
    let d = table.differences(0, 0, 1);
    let alpha = run.header.protocol.alpha_pair();
    crate::stats::hodges_lehmann::interval(&d, alpha).is_some_and(|i| !i.excludes_zero())
}

#[test]
fn l22_as_many_calls_whatever_the_size() {
    let run = |large: f64| {
        let builder = RunBuilder::stacks(&["a", "b"]).workloads(&["randwrite", "randrw"]);
        let builder = builder.header(|h| {
            let mut second = h.workloads[0].clone();
            second.name = "randwrite 64k".to_string();
            second.job.bs = 64 << 10;
            h.workloads[1] = second;
        });
        let rate = move |b, c, w: u16| {
            let calls = if w == 0 { 20_000.0 } else { large };
            calls * libm::exp(noise(b, c, w))
        };
        builder.play(5, rate).build()
    };
    assert!(has("L22", &run(19_000.0)) && !has("L22", &run(5_000.0)));
}

/// Bytes of a window.
type Rate = fn(usize) -> u64;
type Change = fn(&mut crate::model::event::Cell);

/// Windows of every cell: `rate(i)` of forty.
fn windows(rate: Rate) -> Run {
    fn set(c: &mut crate::model::event::Cell, rate: Rate) {
        use crate::model::measurement::Window;
        c.measurement.windows = (0..41)
            .map(|i| Window {
                start_ns: i as u64 * 100_000_000,
                len_ns: 100_000_000,
                write_bytes: rate(i) + (i as u64 * 7919) % 100,
                ..Window::default()
            })
            .collect();
    }
    let changes: [(Rate, Change); 6] = [
        (flat, |c| set(c, flat)),
        (falls, |c| set(c, falls)),
        (dips, |c| set(c, dips)),
        (climbs, |c| set(c, climbs)),
        (steps_late, |c| set(c, steps_late)),
        (steps_less, |c| set(c, steps_less)),
    ];
    let is_it = |(f, _): &&(Rate, Change)| std::ptr::fn_addr_eq(*f, rate);
    let change = changes.iter().find(is_it).expect("one of them").1;
    let builder = RunBuilder::stacks(&["a", "b"]).workloads(&["seqwrite"]).cells(change);
    builder.play(5, at(&[1e6, 1e6])).build()
}

fn flat(_: usize) -> u64 {
    10_000
}

fn falls(i: usize) -> u64 {
    if i < 25 { 10_000 } else { 4_000 }
}

fn dips(i: usize) -> u64 {
    if (18..21).contains(&i) { 9_000 } else { 10_000 }
}

fn climbs(i: usize) -> u64 {
    8_000 + 100 * i as u64
}

/// A region of a device whose reads fall by so many percent from its start to its end.
fn surveyed(percent: f64) -> Run {
    let position = |i: u64| Position {
        offset_bytes: i << 29,
        bytes_per_s: 1e8 * (1.0 + percent / 100.0 * (0.5 - i as f64 / 8.0)),
    };
    let run = RunBuilder::stacks(&["a", "b"]);
    run.header(|h| h.region.as_mut().unwrap().is_image = false)
        .event(What::Surveyed { region: 0, positions: (0..8).map(position).collect() })
        .play(5, at(&[1e6, 1e6]))
        .build()
}

#[test]
fn l02_a_region_whose_reads_change_by_five_percent_and_one_of_four() {
    let told = |percent| told(&analyse(&surveyed(percent)).findings, "L02");
    let found = told(5.8).unwrap();
    assert!(found.evidence.contains("change by 6 % from one end"), "{found:?}");
    assert_eq!(told(4.5), None);
}

/// Too late for five rounds to be unsteady: 12 % is more than a steady trend may be.
fn steps_late(i: usize) -> u64 {
    if i < 33 { 10_000 } else { 8_800 }
}

fn steps_less(i: usize) -> u64 {
    if i < 33 { 10_000 } else { 9_150 }
}

#[test]
fn l37_a_mean_that_changes_for_good_in_rounds_that_are_steady() {
    let told = |rate| told(&analyse(&windows(rate)).findings, "L37");
    let step = told(steps_late).unwrap();
    assert!(step.evidence.contains("-12 % after 3.3 s"), "{step:?}");
    assert_eq!(told(steps_less), None);
}

/// A run on a region that was preconditioned in rounds of so many MB/s.
fn preconditioned(rates: &[u64], end: Option<End>) -> Run {
    let mut builder = RunBuilder::stacks(&["a", "b"]);
    for (round, rate) in (0..).zip(rates) {
        let job = Job::new(Rw::RandWrite, 4096, 1 << 30);
        let round = Round {
            region: 0,
            round,
            job,
            write_bytes: rate * 2_000_000,
            elapsed_ns: 2_000_000_000,
        };
        builder = builder.event(What::PreconditionRound(Box::new(round)));
    }
    if let Some(end) = end {
        builder = builder.event(What::Preconditioned { region: 0, end });
    }
    builder.play(5, at(&[1e6, 1e6])).build()
}

#[test]
fn l37_a_region_that_preconditioning_left_unsteady_is_labelled_and_a_steady_one_is_not() {
    let told = |rates: &[u64], end| told(&analyse(&preconditioned(rates, end)).findings, "L37");
    let swings = [100, 150, 100, 150, 100];
    for (end, advice) in
        [(End::Rounds, "--runtime"), (End::Time, "--time"), (End::Bytes, "--max-write")]
    {
        let found = told(&swings, Some(end)).unwrap();
        assert!(found.evidence.contains("not steady after 5 rounds of 4 KiB"), "{found:?}");
        assert!(found.evidence.contains("range over 42 %"), "{found:?}");
        assert!(found.advice.contains(advice), "{found:?}");
    }
    assert_eq!(told(&[100, 119, 100, 119, 100], Some(End::Steady)), None);
    // Interrupted: what was measured came after another series.
    assert_eq!(told(&swings, None), None);
}

#[test]
fn l07_l37_a_cache_that_runs_out_and_a_short_dip() {
    assert!(has("L07", &windows(falls)) && has("L37", &windows(falls)));
    assert!(!has("L07", &windows(dips)) && !has("L37", &windows(dips)));
    assert!(!has("L07", &windows(climbs)) && has("L37", &windows(climbs)));
    assert!(!has("L07", &windows(flat)) && !has("L37", &windows(flat)));
}

#[test]
fn a_clean_run_has_nothing_said_against_it() {
    let run = RunBuilder::stacks(&["a", "b", "c"]).play(99, at(&[1000.0, 1100.0, 1300.0])).build();
    assert_eq!(after(&run), Vec::<String>::new());
}
