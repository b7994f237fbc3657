//! Cases of rules about results of others.

use super::{Case, case};
use crate::analyse::analyse;
use crate::compare::compare;
use crate::rules::tests::imported::{found, iozone};
use crate::testing::RunBuilder;
use bakeoff_model::event::Header;
use bakeoff_model::finding::Finding;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;

pub(super) const CASES: &[Case] = &[
    case("L23", "bytes one by one", || bonnie("per chr"), || bonnie("block")),
    case("L24", "seeks at 95 % of a CPU", || seeks(95), || seeks(40)),
    case("L28", "records of 25 MB by iozone", || iozone(25_600), || iozone(16_384)),
    case(
        "L31",
        "two versions of bakeoff",
        || compared(|h| h.version = "9.0.0".to_string()),
        || compared(|_| {}),
    ),
    case(
        "L63",
        "two kernels",
        || compared(|h| h.host.kernel = "6.6.1".to_string()),
        || compared(|_| {}),
    ),
];

fn bonnie(test: &str) -> Vec<Finding> {
    let test = format!("ext4,none,bonnie++ 1.97,sequential output {test},1,throughput,84,KiB/s,");
    found(&[&test])
}

fn seeks(percent: u32) -> Vec<Finding> {
    let row = format!("ext4,none,bonnie++ 1.97,random seeks,,cpu_percent,{percent},%,");
    found(&[&row])
}

/// iozone with records of so many KiB.
fn run(id: &str, change: impl FnOnce(&mut Header)) -> (Run, Analysis) {
    let run = RunBuilder::stacks(&["ext4", "xfs"]).header(|h| {
        h.run = format!("{id:0<16}");
        change(h);
    });
    let rate = |b: u32, c: u16, _: u16| 1000.0 + f64::from(200 * u32::from(c) + b % 3);
    let run = run.play(5, rate).build();
    let analysis = analyse(&run);
    (run, analysis)
}

/// Two runs, the second changed.
fn compared(change: impl FnOnce(&mut Header)) -> Vec<Finding> {
    compare(&[run("a", |_| {}), run("b", change)], None).findings
}
