//! The questions that are asked: what the protocol promises, what it does not, and what spoils
//! measurements in practice.

use crate::disk::{Outliers, Own, SimulatedDisk};
use crate::restart::Restart;
use bakeoff_model::index::CandidateIx;
use bakeoff_model::protocol::Mode;

/// One question to the decision machinery.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    pub name: String,
    pub disk: SimulatedDisk,
    pub mode: Mode,
    pub workloads: usize,
    pub looks: Option<Vec<u32>>,
    /// So many of the first candidates lack what the use of the drive needs.
    pub unfit: usize,
}

impl Scenario {
    pub fn new(name: impl Into<String>, disk: SimulatedDisk) -> Scenario {
        let (name, mode) = (name.into(), Mode::Decide);
        Scenario { name, disk, mode, workloads: 1, looks: None, unfit: 0 }
    }
}

const DRIFT: f64 = 0.095_310_179_804_324_87; // ln 1.1
const LAG1: f64 = 0.5;
const NOISE: f64 = 2.0;

pub fn all() -> Vec<Scenario> {
    let mut all = identical();
    all.extend(winners());
    all.extend(noises());
    all.extend(promised_trouble());
    all.extend(trouble());
    all.extend(autocorrelated());
    all.extend(quick());
    all.extend(restarts());
    all.extend(needs());
    all
}

/// A choice among those that are fit for the use, beside others that are as fast or faster.
fn needs() -> Vec<Scenario> {
    let of = |name: &str, unfit: usize, gaps: &[f64], noise: f64| Scenario {
        mode: Mode::Quick,
        workloads: 5,
        unfit,
        ..Scenario::new(format!("advice: {name}"), SimulatedDisk::new(gaps, noise))
    };
    let mut all = Vec::new();
    for noise in [4.0, 10.0] {
        let noisy = |name: &str| format!("{name}, {noise:.0} % noise");
        all.extend([
            of(&noisy("three equals, two unfit"), 2, &[0.0; 5], noise),
            of(&noisy("30 % ahead of two, two unfit"), 2, &[0.0, 0.0, 0.0, 30.0, 30.0], noise),
            of(&noisy("the unfit 50 % faster"), 2, &[0.0, 10.0, 50.0, 65.0, 95.0], noise),
            of(&noisy("22 % ahead: no reason for a change"), 1, &[0.0, 0.0, 22.0, 22.0], noise),
        ]);
    }
    all
}

/// Equals under the noise that is promised for: any winner is false.
fn identical() -> Vec<Scenario> {
    let drifting = |k: usize| SimulatedDisk { drift: DRIFT, lag1: LAG1, ..same(k) };
    let quiet = [2, 4, 7, 12].map(|k| Scenario::new("equal, quiet drive", same(k)));
    let waves = [2, 4, 7, 12].map(|k| Scenario::new("equal, drift and common waves", drifting(k)));
    let several = [(2, 6), (4, 6), (7, 5), (12, 6)].map(|(k, workloads)| Scenario {
        workloads,
        ..Scenario::new("equal, drift and common waves", drifting(k))
    });
    quiet.into_iter().chain(waves).chain(several).collect()
}

fn winners() -> Vec<Scenario> {
    let disk = |gaps: &[f64]| SimulatedDisk::new(gaps, NOISE);
    let far = [0.0, 6.0, 8.0, 10.0, 12.0, 15.0, 20.0, 30.0];
    let mut all = vec![
        Scenario::new("6 % ahead", disk(&[0.0, 6.0])),
        Scenario::new("6 % ahead of three equals", disk(&[0.0, 6.0, 6.0, 6.0])),
        Scenario::new("6 % ahead of seven", disk(&far)),
        Scenario::new("3 % ahead: equal to the margin", disk(&[0.0, 3.0])),
        Scenario::new("1 % ahead: below the margin", disk(&[0.0, 1.0])),
        Scenario::new("two equal, two far behind", disk(&[0.0, 0.0, 30.0, 40.0])),
        Scenario::new("steps of 1 %", disk(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0])),
    ];
    for k in [2usize, 4, 8, 12] {
        let mut gaps = vec![6.0; k];
        gaps[0] = 0.0;
        let one =
            Scenario::new("6 % ahead of all others, 3 % noise", SimulatedDisk::new(&gaps, 3.0));
        all.push(Scenario { workloads: 6, ..one });
    }
    all
}

fn noises() -> Vec<Scenario> {
    let mut all = Vec::new();
    for noise in [2.0, 5.0, 10.0, 21.0] {
        let equal =
            SimulatedDisk { drift: DRIFT, lag1: LAG1, ..SimulatedDisk::new(&[0.0; 4], noise) };
        let ahead = SimulatedDisk::new(&[0.0, 6.0, 6.0, 12.0], noise);
        let one = |name: &str, disk| Scenario::new(name, disk);
        all.push(one("equal, noise of a quiet to a busy drive", equal));
        all.push(one("6 % ahead, noise of a quiet to a busy drive", ahead));
        let near: Vec<f64> = (0..12).map(|c| f64::from(c) * 0.5).collect();
        let near = one(
            "steps of 0.5 %, noise of a quiet to a busy drive",
            SimulatedDisk::new(&near, noise),
        );
        all.push(Scenario { workloads: 6, ..near });
    }
    all
}

fn promised_trouble() -> Vec<Scenario> {
    let mut all = Vec::new();
    for k in [2, 4] {
        for (times, words) in [(3.0, "3 times"), (100.0, "100 times")] {
            for candidate in [None, Some(CandidateIx::new(1))] {
                let whose = if candidate.is_none() { "all" } else { "one" };
                let name = format!("equal, stalls: 5 % of the cells of {whose} {words} slower");
                let drop = libm::log(times);
                let hit = Outliers { share: 0.05, drop, candidate, counts: false };
                all.push(Scenario::new(name, SimulatedDisk { outliers: Some(hit), ..same(k) }));
            }
        }
        let tails = SimulatedDisk { heavy_tails: true, ..same(k) };
        all.push(Scenario::new("equal, heavy tails", tails));
        let noisier = SimulatedDisk { noisier: Some((CandidateIx::new(1), 4.0)), ..same(k) };
        all.push(Scenario::new("equal, one four times as noisy", noisier));
        let wave = SimulatedDisk { wave: 0.2, ..same(k) };
        all.push(Scenario::new("equal, waves of 20 % with the period of a round", wave));
    }
    let steep = SimulatedDisk { drift: 0.05, ..SimulatedDisk::new(&[0.0, 0.0], 0.2) };
    all.push(Scenario::new("equal, steep drift with little noise", steep));
    all
}

/// What is not promised: a figure that is bimodal, carry-over, a cache that runs out.
fn trouble() -> Vec<Scenario> {
    let mut all = Vec::new();
    for (k, share) in [(2, 0.05), (2, 0.5), (4, 0.2)] {
        let hit = Outliers {
            share,
            drop: libm::log(1.3),
            candidate: Some(CandidateIx::new(1)),
            counts: true,
        };
        let name = format!("equal, one is 30 % slower in {:.0} % of its cells", share * 100.0);
        all.push(Scenario::new(name, SimulatedDisk { outliers: Some(hit), ..same(k) }));
    }
    for k in [3, 4, 8] {
        let left =
            SimulatedDisk { carry_over: Some((CandidateIx::new(1), libm::log(1.1))), ..same(k) };
        all.push(Scenario::new("equal, one slows down the next by 10 %", left));
    }
    let cliff = SimulatedDisk { cliff: Some((7, 1.1)), ..same(2) };
    all.push(Scenario::new("equal, a fast cache that lasts seven cells", cliff));
    let stalls = SimulatedDisk { stalls: Some((0.05, 2, 0.69)), ..same(2) };
    all.push(Scenario::new("equal, garbage collection sometimes halves two cells", stalls));
    all
}

fn autocorrelated() -> Vec<Scenario> {
    let disk = |k: usize, lag1: f64, sd: f64| SimulatedDisk {
        own: Some(Own { candidate: CandidateIx::new(1), lag1, sd }),
        ..same(k)
    };
    let of = |k, lag1: f64, sd: f64| {
        let name = format!("equal, one varies slowly by {:.0} % (lag-1 {lag1})", sd * 100.0);
        Scenario::new(name, disk(k, lag1, sd))
    };
    let mut all: Vec<Scenario> =
        [(2, 0.5, 0.1), (2, 0.8, 0.04), (2, 0.8, 0.1), (2, 0.9, 0.1), (4, 0.8, 0.1)]
            .map(|(k, lag1, sd)| of(k, lag1, sd))
            .into();
    all.push(Scenario { workloads: 6, ..of(4, 0.8, 0.1) });
    let one = of(2, 0.8, 0.1);
    let name = format!("{}, always 27 blocks", one.name);
    all.push(Scenario { name, looks: Some(vec![27]), ..one });
    for k in [2, 7] {
        let drift = SimulatedDisk { trend: Some((CandidateIx::new(1), libm::log(1.1))), ..same(k) };
        all.push(Scenario::new("equal, one drifts by 10 % over 27 blocks", drift));
    }
    all
}

/// The first look: a margin of 10 %, at most twenty blocks.
fn quick() -> Vec<Scenario> {
    let of = |name: &str, disk| Scenario { mode: Mode::Quick, ..Scenario::new(name, disk) };
    let equal =
        |k| SimulatedDisk { drift: DRIFT, lag1: LAG1, ..SimulatedDisk::new(&vec![0.0; k], 4.0) };
    let demo = |name: &str, disk| Scenario { workloads: 5, ..of(name, disk) };
    vec![
        of("quick: equal", equal(2)),
        of("quick: equal", equal(3)),
        of("quick: 25 % ahead", SimulatedDisk::new(&[0.0, 25.0, 25.0], 4.0)),
        demo("demo: equal", equal(7)),
        demo(
            "demo: 25 % ahead",
            SimulatedDisk::new(&[0.0, 25.0, 25.0, 25.0, 30.0, 50.0, 100.0], 10.0),
        ),
    ]
}

/// Turns that cost time: the same for everybody, for the faster of two, and after one of four.
fn restarts() -> Vec<Scenario> {
    let card = |price: Vec<f64>, settles| Restart { price, after: None, per_s: 25.0, settles };
    let on = |name: String, disk: SimulatedDisk, restart| {
        Scenario::new(name, SimulatedDisk { restart: Some(restart), ..disk })
    };
    let ahead = || SimulatedDisk::new(&[0.0, 6.0], NOISE);
    let second = Some(CandidateIx::new(1));
    let mut all = Vec::new();
    for settles in [true, false] {
        let how = if settles { "settling" } else { "not settling" };
        for price in [0.0, 1.0, 10.0, 50.0, 200.0] {
            let turn = format!("{price:.0} operations for a turn, {how}");
            all.push(on(format!("equal, {turn}"), same(2), card(vec![price; 2], settles)));
            if price == 0.0 {
                continue;
            }
            let alone = card(vec![price, 0.0], settles);
            all.push(on(format!("6 % ahead pays {turn}"), ahead(), alone));
            let after = Restart { after: second, ..card(vec![price; 4], settles) };
            all.push(on(format!("equal, {turn}, after one"), same(4), after));
        }
    }
    let slow = |price| Restart { per_s: 5.0, ..card(vec![price, 0.0], true) };
    let quick = |price| Restart { per_s: 20_000.0, ..card(vec![price, 0.0], false) };
    for price in [50.0, 200.0] {
        let name = format!("6 % ahead pays {price:.0} operations for a turn");
        all.push(on(format!("{name}, slow card"), ahead(), slow(price)));
        all.push(on(format!("{name}, SSD"), ahead(), quick(price)));
    }
    all.push(on("equal, 0 operations for a turn, SSD".to_string(), same(2), quick(0.0)));
    all
}

fn same(k: usize) -> SimulatedDisk {
    SimulatedDisk::new(&vec![0.0; k], NOISE)
}
