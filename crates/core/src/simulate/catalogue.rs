//! The questions that are asked: what the protocol promises, what it does not, and what spoils
//! measurements in practice.

use super::disk::{Disk, Own};
use super::scenario::Scenario;
use crate::model::protocol::Mode;

/// Gain over the first five blocks where the disk drifts.
const DRIFT: f64 = 0.095_310_179_804_324_87; // ln 1.1
/// Shared autoregression where there is one.
const LAG1: f64 = 0.5;
/// Noise of a cell, percent.
const NOISE: f64 = 2.0;

/// Every scenario, in the order they are shown.
pub fn all() -> Vec<Scenario> {
    let mut all = identical();
    all.extend(winners());
    all.extend(trouble());
    all.extend(wanderers());
    all.extend(quick());
    // Last, so that the others keep the seeds they had.
    all.extend(winners_on_several());
    all
}

/// A lead that all workloads show alike, for what a statement over all of them takes.
fn winners_on_several() -> Vec<Scenario> {
    let named = [
        ("6 % ahead", &[0.0, 6.0][..]),
        ("6 % ahead of three", &[0.0, 6.0, 10.0, 20.0]),
        ("6 % ahead of three equals", &[0.0, 6.0, 6.0, 6.0]),
    ];
    let of = |(name, gaps): (&str, &[f64])| {
        let name = format!("{name}, on every workload");
        Scenario { workloads: 4, ..Scenario::new(name, Disk::of(gaps, NOISE)) }
    };
    named.map(of).into()
}

/// Equals under the noise that is promised for: any winner is false.
fn identical() -> Vec<Scenario> {
    let drifting = |k: usize| Disk { drift: DRIFT, lag1: LAG1, ..same(k) };
    let mut all = vec![Scenario::new("identical, quiet disk", same(2))];
    for k in [2, 3, 4, 6, 8] {
        all.push(Scenario::new("identical, drift and common waves", drifting(k)));
    }
    for (k, workloads) in [(2, 2), (2, 4), (2, 6), (4, 6), (8, 6)] {
        let one = Scenario::new("identical, drift and common waves", drifting(k));
        all.push(Scenario { workloads, ..one });
    }
    all
}

/// Real differences.
fn winners() -> Vec<Scenario> {
    let disk = |gaps: &[f64]| Disk::of(gaps, NOISE);
    let drifting = Disk { drift: DRIFT, lag1: LAG1, ..disk(&[0.0, 6.0]) };
    let far = [0.0, 6.0, 8.0, 10.0, 12.0, 15.0, 20.0, 30.0];
    vec![
        Scenario::new("6 % ahead", disk(&[0.0, 6.0])),
        Scenario::new("6 % ahead, drift and common waves", drifting),
        Scenario::new("6 % ahead of three", disk(&[0.0, 6.0, 10.0, 20.0])),
        Scenario::new("6 % ahead of three equals", disk(&[0.0, 6.0, 6.0, 6.0])),
        Scenario::new("6 % ahead of seven", disk(&far)),
        Scenario::new("3 % ahead: as much as counts", disk(&[0.0, 3.0])),
        Scenario::new("1 % ahead: less than counts", disk(&[0.0, 1.0])),
    ]
}

/// Equals on disks that do more than the model says.
fn trouble() -> Vec<Scenario> {
    let steep = Disk { drift: 0.05, ..Disk::of(&[0.0, 0.0], 0.2) };
    vec![
        Scenario::new("identical, steep drift at little noise", steep),
        Scenario::new(
            "identical, one cell in twenty 30 % slower",
            Disk { outliers: Some((0.05, 0.36)), ..same(2) },
        ),
        Scenario::new(
            "identical, a fast cache that lasts seven visits",
            Disk { cliff: Some((7, 1.1)), ..same(2) },
        ),
        Scenario::new(
            "identical, garbage collection halves two visits now and then",
            Disk { stalls: Some((0.05, 2, 0.69)), ..same(2) },
        ),
    ]
}

/// A wave of one candidate alone, for which nothing is promised but that it is refused.
fn wanderers() -> Vec<Scenario> {
    let disk = |k: usize, lag1: f64, sd: f64| Disk {
        own: Some(Own { candidate: 1, lag1, sd }),
        ..same(k)
    };
    let of = |k, lag1: f64, sd: f64| {
        let name = format!("identical, one wanders by {:.0} % (lag-1 {lag1})", sd * 100.0);
        Scenario::new(name, disk(k, lag1, sd))
    };
    let mut all: Vec<Scenario> =
        [(2, 0.5, 0.1), (2, 0.8, 0.04), (2, 0.8, 0.1), (2, 0.9, 0.1), (4, 0.8, 0.1)]
            .map(|(k, lag1, sd)| of(k, lag1, sd))
            .into();
    for (k, workloads) in [(2, 4), (2, 6), (4, 4)] {
        all.push(Scenario { workloads, ..of(k, 0.8, 0.1) });
    }
    for sd in [0.04, 0.1] {
        let one = of(2, 0.8, sd);
        let name = format!("{}, all 27 blocks always", one.name);
        all.push(Scenario { name, looks: Some(vec![27]), ..one });
    }
    all
}

/// The first look at directories: a margin of 10 %, at most eight blocks.
fn quick() -> Vec<Scenario> {
    let of = |name: &str, disk| Scenario { mode: Mode::Quick, ..Scenario::new(name, disk) };
    vec![
        of("quick: identical", Disk { drift: DRIFT, lag1: LAG1, ..Disk::of(&[0.0; 3], 4.0) }),
        of("quick: 25 % ahead", Disk::of(&[0.0, 25.0, 25.0], 4.0)),
    ]
}

fn same(k: usize) -> Disk {
    Disk::of(&vec![0.0; k], NOISE)
}
